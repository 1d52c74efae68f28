"""A member that begins chains without end: so many are taken at a time, and what has to name them all has room.

Ten thousand chains of one op each once made honest heads too long for anybody to read, for good.
"""

from functools import lru_cache

import pytest

import replica.core
from replica import Core, OpRef, frame
from replica.errors import TooLarge
from replica.evidence import Accused, Fault
from replica.frontier import Frontier
from replica.ids import Origin
from replica.limits import (
    CHAINS_MAX,
    CHAINS_OF_ONE_MAX,
    CHAINS_OF_ONE_SEEN_MAX,
    FRAME_BYTES_MAX,
    FRAME_OPS_MAX,
    REFUSALS_SAID_MAX,
    SEEN_SAID_MAX,
)
from replica.membership import INCARNATIONS_MAX, revoke
from replica.ops import Relate
from replica.quotas import CHAINS_AN_HOUR, HOUR_MS
from replica.verify import verify_replica
from sync.wire.limits import FRAME_BYTES_MAX as LINK_FRAME_BYTES_MAX
from sync.wire.messages import (
    LOCATOR_PLACES_MAX,
    Ack,
    Heads,
    Locator,
    Message,
    Ops,
    Refused,
    decode_message,
    encode_message,
)
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    core_of,
    frame_of_segments,
    group,
    remember,
    rows_of,
    settle,
    sync,
    texts,
)
from tests.unit.replica.test_rebuilding import moved, rebuilt

FLOOD = 10_200


@lru_cache(maxsize=4)  # several tests begin with the same flood, and nobody changes it
def chains(name: str, count: int, start: int = 0) -> frame.Frame:
    """One op each."""
    segments = []
    for n in range(start, start + count):
        hand = Hand(name, incarnation=n.to_bytes(8))
        op = hand.write(Relate(f"a{n}", "is", "b", 0.5))
        segments.append((hand.segment(op), [op]))
    return frame_of_segments(*segments)


def test_a_flood_of_chains_is_taken_up_to_its_quota_and_named() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    for start in range(0, FLOOD, 5_100):
        taken = ann.take(chains("eve", 5_100, start), NOW_MS, peer=eve.device)
        assert taken.ops == (CHAINS_AN_HOUR if start == 0 else 0)
        assert {each.fault for each in taken.refusals} == {Fault.CHAINS}
        assert all(each.gap for each in taken.refusals), (
            "what is over a quota waits, and is not refused for good"
        )
    remember(ann, "an honest word")
    settle([ann, ben])
    assert agree(ann, ben)
    assert "an honest word" in texts(ben)
    later = ann.take(chains("eve", 200, 1_000), NOW_MS + HOUR_MS, peer=eve.device)
    assert later.ops == CHAINS_AN_HOUR


def test_what_a_peer_begins_for_good_has_a_bound_and_what_honest_ones_pass_on_has_another() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    took = 0
    for hour in range(CHAINS_OF_ONE_MAX // CHAINS_AN_HOUR + 3):
        found = ann.take(chains("eve", 100, 100 * hour), NOW_MS + hour * HOUR_MS, peer=eve.device)
        took += found.ops
    assert took == CHAINS_OF_ONE_MAX
    passed_on = ann.take(chains("eve", 500, 100_000), NOW_MS, peer=ben.device)
    assert passed_on.ops == 500, "what others have taken must be taken, or the group would part"


def test_the_peer_that_floods_is_named_over_a_link() -> None:
    ann, eve = group("ann", "eve")
    eve.take(chains("eve", 300), NOW_MS)  # its own log: nobody's quota
    sync(eve, ann)
    assert Accused(eve.device, Fault.CHAINS) in ann.evidence
    assert ann.feeds.count_of(eve.device) == CHAINS_AN_HOUR


def test_an_op_that_says_it_is_one_chain_too_many_is_refused_by_its_header_alone() -> None:
    """Alike on every device, whatever else it holds; one less is taken."""
    for known, is_taken in ((CHAINS_OF_ONE_SEEN_MAX - 1, True), (CHAINS_OF_ONE_SEEN_MAX, False)):
        ann, ben, _ = group("ann", "ben", "eve")
        flood = chains("eve", known)
        hand = Hand("eve", incarnation=b"one more")
        op = hand.write(Relate("one", "too", "many", 1.0), seen=[each.place for each in flood.ops])
        for core in (ann, ben):
            assert core.take(flood, NOW_MS).ops == known
            taken = core.take(hand.frame(op), NOW_MS)
            assert taken.ops == is_taken
            assert [each.gap for each in taken.refusals] == ([] if is_taken else [False])


def flooded(count: int) -> tuple[Core, Core]:
    """Two members whose stores were flooded while nothing bounded it, as under 0.1.0."""
    ann, ben, _ = group("ann", "ben", "eve")
    for start in range(0, count, 5_100):
        flood = chains("eve", min(count, 5_100), start)
        for core in (ann, ben):
            assert core.take(flood, NOW_MS).ops == len(flood.ops)
    return ann, ben


def join(newcomer: Core, helper: Core) -> None:
    acquaint(newcomer, newcomer_name(newcomer), "ann", "ben", "eve")
    helper.learn(newcomer.membership.members.values(), [], (), NOW_MS)
    sync(newcomer, helper)


def newcomer_name(core: Core) -> str:
    return next(name for name in ("cleo", "dora") if core_of(name).device == core.device)


def test_a_store_that_was_flooded_goes_on_and_is_read_by_others() -> None:
    """Writes name what they have seen in several ops, heads fit a frame, and a newcomer gets it all."""
    ann, ben = flooded(FLOOD)
    remember(ann, "after the flood")
    said = [row for row in rows_of(ann) if row.feed == ann.own_feed]
    assert len(said) == 3, "two ops that say nothing but what was seen, and the memory"
    sync(ann, ben)
    assert agree(ann, ben)
    assert "after the flood" in texts(ben)
    cleo = core_of("cleo")
    join(cleo, ann)
    assert agree(cleo, ann)
    assert verify_replica(cleo).ok


@pytest.mark.parametrize("is_left_out", [True, False])
def test_heads_shrink_again_where_the_group_is_rebuilt(is_left_out: bool) -> None:
    """Also where the flooder had been revoked, and is only not named: its longest chains are kept."""
    flood = 2 * INCARNATIONS_MAX
    ann, ben = flooded(flood)
    remember(ann, "after the flood")
    settle([ann, ben])
    eve = identity("eve").device_id
    ann.learn([], [revoke(identity("ann").sign, ann.device, eve)])
    assert len(ann.frontier().heads) > flood
    new, carried = rebuilt(ann, "ann", *(["eve"] if is_left_out else []))
    assert not carried.refused
    assert "after the flood" in texts(new)
    own = sum(head.origin.device != eve for head in new.frontier().heads)
    assert len(new.frontier().heads) == own + (0 if is_left_out else INCARNATIONS_MAX)
    ben2, carried = moved(ben, "ben", new, "ann")
    assert not carried.refused
    assert agree(new, ben2)


def test_an_op_of_an_older_version_that_named_all_heads_at_once_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flood = SEEN_SAID_MAX + 100
    ann, ben = flooded(flood)
    monkeypatch.setattr(replica.core, "SEEN_SAID_MAX", flood + 1)
    remember(ann, "said by 0.1.0")
    monkeypatch.undo()
    assert len(Frontier.of(ann.feeds.heads()).heads) > flood
    sync(ann, ben)
    assert agree(ann, ben)
    assert verify_replica(ben).ok


# -- what is sent may be read -----------------------------------------------------------------------------------


def read_back(message: Message) -> None:
    data = encode_message(message)
    assert len(data) <= LINK_FRAME_BYTES_MAX
    assert decode_message(data) == message


def wildest(n: int) -> OpRef:
    """A place that takes as many bytes as any."""
    number = n.to_bytes(8)
    return OpRef(Origin(number * 4, number), 2**53, number)  # type: ignore[arg-type]


def test_the_frontier_of_as_many_chains_as_may_be_held_fits_a_message() -> None:
    read_back(Heads(Frontier.of(map(wildest, range(CHAINS_MAX))), bytes(32), 1))


def test_a_frame_whose_every_op_is_refused_is_answered_in_words_that_may_be_read() -> None:
    ann, eve = group("ann", "eve")
    exchange, _ = sync(ann, eve)
    flood = chains("stranger", FRAME_OPS_MAX)
    answers = exchange.receive(encode_message(Ops(frame.encode_frame(flood), True)), NOW_MS)
    (ack,) = [each for each in map(decode_message, answers) if isinstance(each, Ack)]
    assert len(ack.refused) == REFUSALS_SAID_MAX
    longest = Refused(wildest(1).origin, 2**53, "x" * 300, True)
    read_back(Ack(FRAME_OPS_MAX, (longest,) * REFUSALS_SAID_MAX))


def test_a_locator_of_any_length_goes_in_parts_that_may_be_read() -> None:
    places = tuple(map(wildest, range(2 * LOCATOR_PLACES_MAX + 1)))
    parts = list(Locator(places).parts())
    for part in parts:
        read_back(part)
    assert tuple(place for part in parts for place in part.places) == places


def test_an_answer_names_no_more_places_than_the_question() -> None:
    ann, _ = group("ann", "ben")
    hand = Hand("ben")
    first = hand.write(Relate("a", "is", "b", 1.0))
    ann.take(hand.frame(first), NOW_MS)
    stem = hand
    for n in range(5):  # a branch of a branch of a branch
        stem, branch = stem.fork(), stem
        ann.take(branch.frame(branch.write(Relate(f"x{n}", "is", "b", 1.0))), NOW_MS)
        ann.take(stem.frame(stem.write(Relate(f"y{n}", "is", "b", 1.0))), NOW_MS)
    deepest = ann.feeds[len(ann.feeds) - 1].head_place
    assert ann.feeds.held_of([deepest, wildest(3)]) == (deepest,)


@pytest.mark.parametrize("more", [0, 1])
def test_a_commit_names_at_most_so_many_heads(more: int) -> None:
    ann, _ = group("ann", "eve")
    ann.take(chains("eve", SEEN_SAID_MAX + more), NOW_MS)
    remember(ann, "a word")
    assert len([row for row in rows_of(ann) if row.feed == ann.own_feed]) == 1 + more


def test_a_frame_that_nobody_could_read_is_not_made() -> None:
    hand = Hand("ann")
    seen = [wildest(n) for n in range(FRAME_BYTES_MAX // 50)]
    op = hand.write(Relate("a", "is", "b", 1.0), seen=seen)
    with pytest.raises(TooLarge):
        frame.encode_frame(hand.frame(op))
