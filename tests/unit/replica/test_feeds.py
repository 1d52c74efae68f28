"""Where chains stand, where they part, and what their writers had seen."""

from copy import deepcopy
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica import ops
from replica.core import Core
from replica.errors import InvalidOp
from replica.frontier import Frontier, locator
from replica.ids import OpRef
from replica.ops import Op, Remember
from replica.state.register import Dot, Vector
from tests.support.replicas import Hand, agree, frame_of_segments, group, remember, say, sync, take


def chain(hand: Hand, length: int) -> list[Op]:
    return [hand.write(ops.Forget((bytes([n % 250]) * 16,))) for n in range(length)]  # type: ignore[arg-type]


def forked(stem: int, one: int, other: int) -> tuple[Core, list[Op], list[Op], list[Op]]:
    """A replica that holds a chain of `stem` ops, and two ways on from there."""
    (core, _) = group("ann", "ben")
    hand = Hand("ben")
    root = chain(hand, stem)
    clone = hand.fork()
    first, second = chain(hand, one), chain(clone, other)
    take(core, hand.frame(*root, *first))
    take(core, clone.frame(*second))
    return core, root, first, second


def test_a_second_branch_becomes_a_feed_of_its_own_and_both_are_kept() -> None:
    core, _, first, second = forked(3, 2, 4)
    assert len(core.feeds) == 2
    assert core.position == 9
    assert {head.id8 for head in core.frontier().heads} == {first[-1].id[:8], second[-1].id[:8]}
    stem, branch = core.feeds
    assert (stem.seq, branch.parent, branch.fork, branch.seq) == (5, stem.no, 3, 7)
    assert stem.origin_no == branch.origin_no


def test_every_op_is_found_where_it_stands_and_nowhere_else() -> None:
    core, root, first, second = forked(3, 2, 4)
    for op in (*root, *first):
        assert core.feeds.locate(op.place) == Dot(0, op.seq, op.id[:8])
    for op in second:
        assert core.feeds.locate(op.place) == Dot(1, op.seq, op.id[:8])
    for op in (*root, *first, *second):
        assert core.feeds.locate(op.place._replace(id8=bytes(8))) is None
        assert core.feeds.locate(op.place._replace(seq=op.seq + 90)) is None
    for op in root:
        assert core.feeds.id8(1, op.seq) == op.id[:8], "a branch's chain runs down its stem"


def test_a_vector_into_a_branch_covers_its_stem_up_to_the_fork_and_no_further() -> None:
    core, *_ = forked(3, 2, 4)
    assert core.feeds.vector_to([Dot(1, 6, b"")]) == {1: 6, 0: 3}
    assert core.feeds.vector_to([Dot(1, 6, b""), Dot(0, 5, b"")]) == {1: 6, 0: 5}
    assert core.feeds.closed({}) == {}
    starts: list[Vector] = [{}, {0: 2}, {1: 5, 0: 3}]
    for before in starts:
        core.feeds.raise_to(before, Dot(1, 6, b""))
        assert before == {1: 6, 0: 3}
    further = {0: 5}
    core.feeds.raise_to(further, Dot(1, 6, b""))
    core.feeds.raise_to(further, Dot(1, 4, b""))
    assert further == {1: 6, 0: 5}


def test_a_branch_of_a_branch_is_found_down_to_the_root() -> None:
    (core, _) = group("ann", "ben")
    hand = Hand("ben")
    root = chain(hand, 2)
    clone = hand.fork()
    take(core, hand.frame(*root, *chain(hand, 3)))
    middle = chain(clone, 2)
    again = clone.fork()
    take(core, clone.frame(*middle, *chain(clone, 3)))
    twig = chain(again, 2)
    take(core, again.frame(*twig))
    dot = core.feeds.locate(twig[-1].place)
    assert dot is not None
    assert core.feeds.vector_to([dot]) == {2: 6, 1: 4, 0: 2}
    assert core.feeds.id8(2, 1) == root[0].id[:8]


def test_a_copy_of_a_feed_goes_its_own_way() -> None:
    core, *_ = forked(3, 2, 4)
    for feed in core.feeds:
        copy, before = feed.copy(), deepcopy(feed)
        assert copy == feed
        copy.seq += 1
        for vector in (copy.vector, copy.fork_vector, copy.base_vector):
            vector[7] = 1
        assert feed == before


def test_what_a_writer_had_seen_can_be_told_of_every_op_in_the_log() -> None:
    ann, ben = group("ann", "ben")
    expected = []
    for n in range(5):
        remember(ann, f"ann {n}")
        if n % 2:
            sync(ann, ben)
        remember(ben, f"ben {n}")
        sync(ann, ben)
        own = next(feed for feed in ben.feeds if feed.origin == ben.origin)
        expected.append((own.no, own.seq, dict(own.vector)))
    for no, seq, vector in expected:
        assert ben.feeds.vector_at(no, seq) == vector
    vectors = [vector for *_, vector in expected]
    assert all(later.get(no, 0) >= seq for one, later in pairwise(vectors) for no, seq in one.items())


# -- frontiers -------------------------------------------------------------------------------------------------


def test_equal_frontiers_hash_alike_in_whatever_order_they_were_told() -> None:
    core, *_ = forked(3, 2, 4)
    heads = core.frontier().heads
    assert Frontier.of(reversed(heads)) == core.frontier()
    assert Frontier.of(reversed(heads)).digest() == core.frontier().digest()
    assert Frontier.read(core.frontier().plain()) == core.frontier()


def test_two_heads_with_one_seq_and_other_ids_are_not_equal_frontiers() -> None:
    """A plain version vector would call them equal and lose one."""
    core, *_ = forked(3, 2, 2)
    one, other = (Frontier.of([head]) for head in core.frontier().heads)
    assert one.heads[0].seq == other.heads[0].seq
    assert one.digest() != other.digest()


@pytest.mark.parametrize("plain", [None, {}, [1], [[b"", b"", 1, b""]]])
def test_what_is_no_list_of_places_is_no_frontier(plain: object) -> None:
    with pytest.raises(InvalidOp, match="expected"):
        Frontier.read(plain)


def test_what_they_hold_of_ours_is_what_they_name_of_it_and_not_what_is_news_or_parted() -> None:
    core, root, first, _ = forked(3, 2, 4)
    news, parted = OpRef(root[0].origin, 900, bytes(8)), OpRef(root[0].origin, 4, bytes(8))
    assert core.feeds.vector_of([news, first[0].place, parted]) == {0: 4}
    assert core.feeds.vector_of([news, parted]) == {}


@given(stem=st.integers(1, 60), mine=st.integers(1, 60), theirs=st.integers(1, 60))
def test_a_locator_finds_the_fork_within_twice_the_distance(stem: int, mine: int, theirs: int) -> None:
    core, other = group("ann", "ben")
    hand = Hand("ben")
    root = chain(hand, stem)
    clone = hand.fork()
    take(core, hand.frame(*root, *chain(hand, mine)))
    take(other, clone.frame(*root, *chain(clone, theirs)))
    places = locator(core.feeds, hand.origin)
    assert len(places) <= 2 + (stem + mine).bit_length()
    known = [dot for place in places if (dot := other.feeds.locate(place)) is not None]
    assert known, "the first op is always among them"
    deepest = max(dot.seq for dot in known)
    assert deepest <= stem
    assert stem + mine - deepest <= 2 * mine + 1
    sync(core, other)
    assert core.frontier() == other.frontier()


def test_a_locator_names_every_branch_of_an_origin() -> None:
    core, _, first, second = forked(3, 2, 4)
    places = locator(core.feeds, first[0].origin)
    assert {first[-1].place, second[-1].place} <= set(places)
    assert len(places) == len(set(places))


def test_branches_that_two_devices_met_in_another_order_are_one_frontier_and_one_state() -> None:
    ann, ben = group("ann", "ben")
    hand = Hand("ben")
    rid = bytes(16)
    root = hand.write(Remember("root", {}), rid)
    clone = hand.fork()
    one = hand.write(ops.Set("importance", 0.25), rid)
    other = clone.write(ops.Set("importance", 0.75), rid)
    for core, order in ((ann, (one, other)), (ben, (other, one))):
        take(core, hand.frame(root))
        for op in order:
            take(core, frame_of_segments(((hand if op is one else clone).segment(op), [op])))
    assert ann.feeds[0].head != ben.feeds[0].head, "each calls its first one the stem"
    assert agree(ann, ben)
    say(ann, ops.Set("importance", 0.5), rid)  # type: ignore[arg-type]
    sync(ann, ben)
    assert agree(ann, ben)
