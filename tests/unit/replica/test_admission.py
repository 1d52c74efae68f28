"""Which ops of a frame enter the log, and why the others do not."""

import pytest

from replica import ops
from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId, OpRef
from replica.ops import Op, Remember
from tests.support.published import published
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    everything,
    frame_of_segments,
    group,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
    take,
    texts,
)


def rid(n: int) -> MemoryId:
    return MemoryId(bytes([n]) * 16)


def words(hand: Hand, text: str, *seen: OpRef, n: int = 1) -> Op:
    return hand.write(Remember(text, {}), rid(n), seen=seen)


@pytest.fixture
def ann() -> Core:
    return group("ann", "ben", "cleo", make_store=sqlite_store)[0]


def test_a_commit_is_taken_whole_or_not_at_all(ann: Core) -> None:
    ben = Hand("ben")
    one = ben.write(Remember("one", {}), rid(1), ends=False)
    two = ben.write(Remember("two", {}), rid(2))
    taken = take(ann, ben.frame(one))
    assert (taken.ops, taken.refusals[0].reason) == (0, "the frame stops inside a commit")
    assert take(ann, ben.frame(one, two)).ops == 2


@pytest.mark.parametrize("change", ["text", "stamp", "target", "seen", "kind", "version"])
def test_one_changed_part_of_any_op_stops_its_whole_segment(ann: Core, change: str) -> None:
    """Only the last op is signed; the chain of hashes carries that to all of them."""
    ben, cleo = Hand("ben"), Hand("cleo")
    before = words(cleo, "before", n=9)
    take(ann, cleo.frame(before))
    ops_ = [words(ben, f"memory {n}", *([before.place] if n == 1 else []), n=n) for n in range(3)]
    frame = ben.frame(*ops_)
    middle = frame.ops[1]
    assert middle.payload is not None
    altered = {
        "text": middle._replace(payload=middle.payload[:-2] + b"X" + middle.payload[-1:]),
        "stamp": middle._replace(hlc=middle.hlc + 1),
        "target": middle._replace(rid=rid(77)),
        "seen": middle._replace(seen=()),
        "kind": middle._replace(kind=ops.OpKind.CLAIM),
        "version": middle._replace(version=2),
    }[change]
    taken = take(ann, frame._replace(ops=(frame.ops[0], altered, frame.ops[2])))
    assert taken.ops == 0
    assert "signature does not verify" in taken.refusals[0].reason
    assert not taken.refusals[0].gap
    assert take(ann, frame).ops == 3


def test_the_signature_of_another_member_does_not_do(ann: Core) -> None:
    ben, cleo = Hand("ben"), Hand("cleo")
    op = words(ben, "one")
    segment = ben.segment(op)._replace(signature=cleo.segment(op).signature)
    taken = take(ann, frame_of_segments((segment, [op])))
    assert "signature does not verify" in taken.refusals[0].reason


def test_a_gap_in_a_chain_waits_for_what_is_missing(ann: Core) -> None:
    ben = Hand("ben")
    one, two = words(ben, "one", n=1), words(ben, "two", n=2)
    taken = take(ann, ben.frame(two))
    assert (taken.ops, taken.refusals[0].gap) == (0, True)
    assert take(ann, ben.frame(one)).ops == 1
    assert take(ann, ben.frame(two)).ops == 1


def test_what_an_op_has_seen_must_be_held_first(ann: Core) -> None:
    ben, cleo = Hand("ben"), Hand("cleo")
    one = words(ben, "one", n=1)
    two = words(cleo, "two", one.place, n=2)
    taken = take(ann, cleo.frame(two))
    assert (taken.ops, taken.refusals[0].gap) == (0, True)
    assert one.id.hex()[:16] in taken.refusals[0].reason
    frame = frame_of_segments((ben.segment(one), [one]), (cleo.segment(two), [two]))
    assert take(ann, frame).ops == 2


def test_earlier_in_the_frame_is_early_enough_and_later_is_not(ann: Core) -> None:
    ben, cleo = Hand("ben"), Hand("cleo")
    one = words(ben, "one", n=1)
    two = words(cleo, "two", one.place, n=2)
    taken = take(ann, frame_of_segments((cleo.segment(two), [two]), (ben.segment(one), [one])))
    assert taken.ops == 1
    assert texts(ann) == {"one"}


def test_an_op_cannot_have_seen_itself_or_what_comes_after_it(ann: Core) -> None:
    ben = Hand("ben")
    ahead = ben.fork()
    future = words(ahead, "later", n=1)
    mad = words(ben, "mad", OpRef(ben.origin, 1, future.id[:8]), n=1)
    assert take(ann, ben.frame(mad)).ops == 0


def test_a_bad_segment_stops_its_own_feed_and_those_that_have_seen_it_and_nobody_else(ann: Core) -> None:
    ben, cleo, own = Hand("ben"), Hand("cleo"), Hand("ann", b"other me")
    bad = words(ben, "bad", n=1)
    relying = words(cleo, "relies on it", bad.place, n=2)
    free = words(own, "on its own", n=3)
    frame = frame_of_segments(
        (ben.segment(bad)._replace(signature=bytes(64)), [bad]),
        (cleo.segment(relying), [relying]),
        (own.segment(free), [free]),
    )
    taken = take(ann, frame)
    assert taken.ops == 1
    assert texts(ann) == {"on its own"}
    assert [(refusal.origin, refusal.gap) for refusal in taken.refusals] == [
        (ben.origin, False),
        (cleo.origin, True),
    ]
    good = frame_of_segments((ben.segment(bad), [bad]), (cleo.segment(relying), [relying]))
    assert take(ann, good).ops == 2


def test_a_payload_withheld_without_proof_counts_as_not_delivered(ann: Core) -> None:
    ben = Hand("ben")
    frame = ben.frame(words(ben, "one"))
    without = frame._replace(ops=(frame.ops[0]._replace(payload=None),))
    taken = take(ann, without)
    assert (taken.ops, taken.refusals[0].gap) == (0, True)
    assert "without proof that it was erased" in taken.refusals[0].reason
    assert take(ann, frame).ops == 1


def test_a_payload_that_holds_no_text_is_never_missing_rightly() -> None:
    """A proof that a memory was erased does not cover a forget, or a setting, or an edge."""
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    say(ann, ops.Erase((rid(1),)))
    hand = Hand("ben")
    op = hand.write(ops.Forget((rid(5),)), rid(1))
    frame = hand.frame(op)
    assert take(ann, frame._replace(ops=(op._replace(payload=None),))).ops == 0
    text = Hand("ben", b"another!")
    erased = text.write(Remember("gone", {}), rid(1))
    assert take(ann, text.frame(erased)._replace(ops=(erased._replace(payload=None),))).ops == 1
    sync(ann, ben)
    assert agree(ann, ben)


@published("YD-55")
def test_the_same_batch_three_times_is_the_same_as_once(ann: Core) -> None:
    ben = group("ben", "ann")[0]
    rids = remember(ben, "one", "two")
    say(ben, ops.Access(((rids[0], 3, 5),)))
    frame = everything(ben)
    assert take(ann, frame).ops == 3
    before = (ann.digests(), ann.position)
    assert take(ann, frame).ops == take(ann, frame).ops == 0
    assert (ann.digests(), ann.position) == before


def test_a_frame_of_which_the_half_is_held_brings_the_other_half(ann: Core) -> None:
    ben = Hand("ben")
    chain = [words(ben, f"memory {n}", n=n) for n in range(6)]
    take(ann, ben.frame(*chain[:3]))
    assert take(ann, ben.frame(*chain)).ops == 3
    assert take(ann, ben.frame(*chain[2:])).ops == 0


def test_what_a_sender_tells_of_an_op_that_is_held_is_not_taken_for_what_a_branch_below_the_base_had_seen(
    ann: Core,
) -> None:
    """Or two honest devices would keep different vectors for the op that it leaves, and name other heads."""
    ben = Hand("ben")
    stem = [words(ben, f"memory {n}", n=n) for n in range(3)]
    clone = ben.fork()
    take(ann, ben.frame(*stem, words(ben, "goes on", n=3)))
    assert compact(ann, NOW_MS) == 4
    branch = words(clone, "branches off", n=4)
    about_the_first = clone.segment(*stem[1:], branch)._replace(vector=(stem[0].place,))
    taken = take(ann, frame_of_segments((about_the_first, [*stem[1:], branch])))
    assert (taken.ops, [(each.seq, each.gap) for each in taken.refusals]) == (0, [(4, True)])
    about_the_last = clone.segment(branch)._replace(vector=(stem[2].place,))
    assert take(ann, frame_of_segments((about_the_last, [branch]))).ops == 1


def test_a_newcomers_ops_are_taken_once_it_is_known() -> None:
    ann, ben = group("ann", "ben")
    dan = Hand("dan")
    op = words(dan, "hello")
    assert take(ann, dan.frame(op)).ops == 0
    acquaint(ben, "ben", "dan")
    settle([ann, ben])
    assert take(ann, dan.frame(op)).ops == 1
