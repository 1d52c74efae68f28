"""What lies between the beginning and the end of a chain: which op stands where, and what its writer had seen."""

import itertools
from copy import deepcopy

from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.ids import OpId, OpRef
from replica.ops import Forget, Op
from tests.support.replicas import NOW_MS, Hand, group, remember, settle, sync, take


def chain(hand: Hand, length: int, *, seen: tuple[OpRef, ...] = ()) -> list[Op]:
    """Some ops, the first of which has seen others."""
    return [
        hand.write(Forget((bytes([n]) * 16,)), seen=seen if not n else ())  # type: ignore[arg-type]
        for n in range(length)
    ]


def forked(*, compacted: bool = False) -> tuple[Core, list[Op], Hand]:
    """Ann's replica with a chain of Ben's of six ops that has seen hers, and who goes on from its third."""
    ann, _ = group("ann", "ben")
    remember(ann, "what Ben has seen")
    hand = Hand("ben")
    root = chain(hand, 3, seen=tuple(ann.frontier().heads))
    clone = hand.fork()
    take(ann, hand.frame(*root, *chain(hand, 3)))
    if compacted:
        compact(ann, NOW_MS + LEASE_MS)
        assert not [*ann.store.rows()]
    return ann, root, clone


def feed_of(core: Core, op: Op) -> int:
    dot = core.feeds.locate(op.place)
    assert dot is not None
    return dot.feed


def test_what_a_writer_had_seen_is_told_at_every_place_of_a_branch() -> None:
    ann, root, clone = forked()
    branch = chain(clone, 3)
    take(ann, clone.frame(*branch))
    stem, no = feed_of(ann, root[0]), feed_of(ann, branch[0])
    own = next(feed.no for feed in ann.feeds if feed.origin == ann.origin)
    assert ann.feeds.vector_at(stem, 2) == {own: 1, stem: 2}
    assert ann.feeds.vector_at(no, 3) == {own: 1, stem: 3}
    for seq in (4, 5, 6):
        assert ann.feeds.vector_at(no, seq) == {own: 1, stem: 3, no: seq}


def test_what_several_writers_had_seen_is_told_at_once() -> None:
    """Each as if it had been asked for alone; of what lies in the base, nothing is told."""
    cores = group("ann", "ben")
    for number in range(12):
        remember(cores[number % 2], f"{number}")
        remember(cores[number % 2], f"{number} again")
        if number % 3:
            settle(cores)
    ann, ben = cores
    (theirs,) = (feed for feed in ann.feeds if feed.origin == ben.origin)
    wanted = {seq: ann.feeds.vector_at(theirs.no, seq) for seq in range(1, theirs.seq + 1)}
    assert ann.feeds.vectors_at(theirs.no, reversed([*wanted])) == wanted
    assert ann.feeds.vectors_at(theirs.no, [5, 5]) == {5: wanted[5]}
    assert ann.feeds.vectors_at(theirs.no, []) == {}
    compact(ann, NOW_MS + LEASE_MS)
    assert theirs.base_seq == theirs.seq
    assert ann.feeds.vectors_at(theirs.no, [1, theirs.seq]) == {}
    settle(cores)
    remember(ben, "above the base")
    sync(ann, ben)
    assert ann.feeds.vectors_at(theirs.no, [1, theirs.seq]) == {theirs.seq: theirs.vector}


def test_it_is_told_as_a_copy() -> None:
    """Whoever raises it would raise what the feed itself has seen."""
    ann, _root, clone = forked()
    branch = chain(clone, 1)
    take(ann, clone.frame(*branch))
    feed = ann.feeds[feed_of(ann, branch[0])]
    for seq in (feed.seq, feed.fork):
        before = deepcopy((feed.vector, feed.fork_vector))
        told = ann.feeds.vector_at(feed.no, seq)
        assert told
        told.clear()
        assert (feed.vector, feed.fork_vector) == before


def test_ops_of_a_batch_in_hand_count_up_to_the_place_that_is_asked_for() -> None:
    ann, root, _ = forked()
    hand = Hand("ben", seq=6, prev=ann.feeds[feed_of(ann, root[0])].head)
    remember(ann, "later")
    first, second = ann.feeds.place(0, 1), ann.feeds.place(0, 2)
    ops = [*chain(hand, 1, seen=(first,)), *chain(hand, 1, seen=(second,))]
    feed = ann.feeds[feed_of(ann, root[0])]
    before = dict(feed.vector)
    for op in ops:
        ann.feeds.advance(feed, op)
    ann.feeds.advance(feed, chain(hand, 1)[0])
    assert ann.feeds.vector_at(feed.no, 7) == before | {feed.no: 7}
    assert ann.feeds.vector_at(feed.no, 8) == before | {feed.no: 8, 0: 2}


def test_what_a_batch_brought_is_remembered_until_it_is_in_the_store_and_no_longer() -> None:
    ann, _, clone = forked()
    take(ann, clone.frame(*chain(clone, 2, seen=tuple(ann.frontier().heads[:1]))))
    assert ann.feeds._fresh_ids == {}
    assert ann.feeds._fresh_seen == {}


def test_short_ids_that_a_base_brings_are_found_one_by_one_and_in_runs_until_it_is_written() -> None:
    ann, _, _ = forked()
    no = next(feed.no for feed in ann.feeds if feed.origin != ann.origin)
    stored = [ann.feeds.id8(no, seq) for seq in range(1, 7)]
    brought = [bytes([seq]) * 8 for seq in range(7, 12)]
    ann.feeds.know(no, 7, b"".join(brought[:2]))
    ann.feeds.know(no, 9, b"".join(brought[2:]))
    ann.feeds.grow(ann.feeds[no], 12, OpId(b"h" * 32))
    all_of_them = [*stored, *brought]
    assert [ann.feeds.id8(no, seq) for seq in range(1, 12)] == all_of_them
    for first, last in itertools.combinations_with_replacement(range(1, 12), 2):
        assert ann.feeds._stored_ids(no, first, last) == b"".join(all_of_them[first - 1 : last])
    ann.feeds.written()
    assert ann.feeds._stored_ids(no, 7, 11) == bytes(5 * 8)


def test_the_op_that_a_branch_leaves_is_known_whole_below_the_base_too() -> None:
    """Of the rest below a base 8 bytes are kept; what leaves there named all of its id."""
    ann, root, clone = forked()
    branch = chain(clone, 1)
    take(ann, clone.frame(*branch))
    compact(ann, NOW_MS + LEASE_MS)
    assert not [*ann.store.rows()]
    no = feed_of(ann, branch[0])
    assert ann.feeds.id_at(no, 3) == root[2].id
    assert ann.feeds.id_at(no, 4) == branch[0].id


def test_of_a_branch_that_leaves_below_the_base_the_sender_says_what_its_writer_had_seen() -> None:
    ann, root, clone = forked(compacted=True)
    own = ann.feeds.place(0, 1)
    op = clone.write(Forget((b"b" * 16,)))  # type: ignore[arg-type]
    frame = clone.frame(op)
    told = frame._replace(segments=(frame.segments[0]._replace(vector=(own,)),))
    assert take(ann, told).ops == 1
    stem, no = feed_of(ann, root[2]), feed_of(ann, op)
    assert stem != no
    assert ann.feeds[no].vector == {0: 1, stem: 3, no: 4}
