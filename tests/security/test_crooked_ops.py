"""A member of the group writes, or passes on, what no honest device would: nobody may be stopped or split by it."""

import pytest

from replica.codec import SALT_BYTES, decode_payload, pack
from replica.core import Core
from replica.errors import InvalidOp
from replica.frame import Frame
from replica.ops import OpKind, Remember
from replica.outbox import Outbox
from tests.support.replicas import (
    NOW_MS,
    Hand,
    agree,
    carry,
    everything,
    frame_of_segments,
    group,
    remember,
    rows_of,
    sqlite_store,
    sync,
    take,
    texts,
)


def words(text: str) -> Remember:
    return Remember(text, {})


def rid(n: int) -> bytes:
    return bytes([n]) * 16


@pytest.fixture
def ann_and_ben() -> list[Core]:
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    return [ann, ben]


def relay(taker: Core, other: Core) -> None:
    """Pass on everything that the first one holds in as few frames as possible, as a relay does."""
    outbox = Outbox({})
    while (frame := outbox.next_frame(taker)) is not None:
        other.take(carry(frame), NOW_MS)


def test_a_prev_that_is_right_in_its_first_bytes_only_is_refused(ann_and_ben: list[Core]) -> None:
    """Whoever took it could not pass it on: a relay sends the hash of the op that it holds."""
    ann, _ = ann_and_ben
    hand = Hand("ben")
    first = hand.write(words("one"), rid(1))
    take(ann, hand.frame(first))
    crooked = hand.write(words("two"), rid(2), prev=first.id[:8] + bytes(24))
    taken = take(ann, hand.frame(crooked))
    assert taken.ops == 0
    assert "not held" in taken.refusals[0].reason


def test_such_a_prev_is_refused_inside_one_frame_too(ann_and_ben: list[Core]) -> None:
    ann, _ = ann_and_ben
    hand = Hand("ben")
    first = hand.write(words("one"), rid(1))
    clone = hand.fork()
    crooked = clone.write(words("two"), rid(2), prev=first.id[:8] + bytes(24))
    second = hand.write(words("three"), rid(3))
    frame = frame_of_segments(
        (hand.segment(first, second), [first, second]), (clone.segment(crooked), [crooked])
    )
    assert take(ann, frame).ops == 2
    assert texts(ann) == {"one", "three"}


def test_stamps_that_run_backwards_travel_alike_in_one_frame_or_two(ann_and_ben: list[Core]) -> None:
    """A check that one framing passes and another fails would stop everybody behind the relay."""
    ann, ben = ann_and_ben
    hand = Hand("ben")
    first = hand.write(words("late"), rid(1), hlc=(NOW_MS << 16) + 9)
    take(ann, hand.frame(first))
    second = hand.write(words("early"), rid(2), hlc=5)
    take(ann, hand.frame(second))
    remember(ann, "and an honest one that has seen both")
    relay(ann, ben)
    assert texts(ben) == texts(ann)
    assert len(texts(ben)) == 3


def test_one_chain_cut_into_two_segments_of_a_frame_is_refused_beyond_the_cut(
    ann_and_ben: list[Core],
) -> None:
    """Taken, it would be a feed and a branch here and one feed elsewhere: frontiers would differ for ever."""
    ann, ben = ann_and_ben
    hand = Hand("ben")
    one, two = hand.write(words("one"), rid(1)), hand.write(words("two"), rid(2))
    frame = frame_of_segments((hand.segment(one), [one]), (hand.segment(two), [two]))
    taken = take(ann, frame)
    assert (taken.ops, len(taken.refusals)) == (1, 1)
    take(ann, hand.frame(one, two))
    take(ben, hand.frame(one, two))
    assert ann.frontier() == ben.frontier()
    assert len(ann.frontier().heads) == 1


def test_one_segment_twice_in_a_frame_is_taken_once(ann_and_ben: list[Core]) -> None:
    ann, _ = ann_and_ben
    hand = Hand("ben")
    one = hand.write(words("one"), rid(1))
    taken = take(ann, frame_of_segments((hand.segment(one), [one]), (hand.segment(one), [one])))
    assert (taken.ops, len(ann.feeds)) == (1, 1)


@pytest.mark.parametrize("order", [(0, 1, 0, 1), (0, 0, 1, 1), (0, 1, 1, 0)])
def test_a_branch_inside_one_frame_does_not_write_into_its_stem(
    ann_and_ben: list[Core], order: tuple[int, ...]
) -> None:
    """However a hostile sender mixes stem and branch, two ops never land on one place."""
    ann, ben = ann_and_ben
    hand = Hand("ben")
    root = hand.write(words("root"), rid(1))
    take(ann, hand.frame(root))
    clone = hand.fork()
    stem = [hand.write(words(f"stem {i}"), rid(10 + i)) for i in range(2)]
    branch = [clone.write(words(f"branch {i}"), rid(20 + i)) for i in range(2)]
    queues = [list(stem), list(branch)]
    ops = tuple(queues[at].pop(0) for at in order)
    take(ann, Frame((hand.segment(*stem), clone.segment(*branch)), ops, order))
    assert len(texts(ann)) == 5
    assert len(ann.feeds) == 2
    relay(ann, ben)
    assert ben.frontier() == ann.frontier()
    assert agree(ann, ben)


@pytest.mark.parametrize("order", [(0, 1, 0, 1), (0, 0, 1, 1)])
def test_a_branch_that_leaves_where_its_stem_stands_in_the_same_frame_is_refused_not_a_crash(
    ann_and_ben: list[Core], order: tuple[int, ...]
) -> None:
    ann, ben = ann_and_ben
    hand = Hand("ben")
    root = hand.write(words("root"), rid(1))
    clone = hand.fork()
    stem, branch = hand.write(words("stem"), rid(2)), clone.write(words("branch"), rid(3))
    later = clone.write(words("branch, later"), rid(4))
    queues = [[root, stem], [branch, later]]
    ops = tuple(queues[at].pop(0) for at in order)
    take(ann, Frame((hand.segment(root, stem), clone.segment(branch, later)), ops, order))
    take(ann, frame_of_segments((hand.segment(root, stem), [root, stem])))
    take(ann, frame_of_segments((clone.segment(branch, later), [branch, later])))
    assert len(texts(ann)) == 4
    relay(ann, ben)
    assert agree(ann, ben)


def test_numbers_spelled_as_booleans_are_refused(ann_and_ben: list[Core]) -> None:
    """`true` equals 1 in Python but not in a hash, so whoever passed such an op on would change it."""
    ann, _ = ann_and_ben
    hand = Hand("ben")
    op = hand.write(words("one"), rid(1), seq=True)
    with pytest.raises(InvalidOp):
        take(ann, hand.frame(op))


def test_what_was_refused_leaves_no_trace(ann_and_ben: list[Core]) -> None:
    ann, ben = ann_and_ben
    remember(ann, "mine")
    before = (ann.digests(), rows_of(ann))
    stranger = Hand("eve")
    assert take(ann, stranger.frame(stranger.write(words("let me in"), rid(1)))).ops == 0
    assert (ann.digests(), rows_of(ann)) == before
    sync(ann, ben)
    assert agree(ann, ben)
    assert everything(ben).ops


@pytest.mark.parametrize("kind", OpKind)
def test_a_body_however_deep_is_refused_whoever_asks(kind: OpKind) -> None:
    """Whether a depth is read must not depend on how deep the reader's own calls are, or devices would part."""

    def below(calls: int, payload: bytes) -> None:
        if calls:
            below(calls - 1, payload)
            return
        with pytest.raises(InvalidOp):
            decode_payload(kind, payload)

    for depth in (4, 200, 400, 700, 1_000, 100_000):
        deep = b"\x91" * depth + b"\x01"
        for spelled in (deep, b"\x92" + pack("words") + b"\x81" + pack("later") + deep):
            below(0, bytes(SALT_BYTES) + spelled)
            below(500, bytes(SALT_BYTES) + spelled)
