"""Questions about places that nobody wrote, where a member's chain parts often: each chain was looked into for each.

Ten thousand places are 120 kB. At 64 chains they were 640,000 reads and three seconds, at 256 chains twelve.
"""

from random import Random

import pytest

from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.feeds import CHAINS_LOOKED_INTO_MAX
from replica.frontier import Frontier, locator
from replica.ids import OpRef, Origin
from replica.ops import Relate
from replica.quotas import CHAINS_AN_HOUR
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from sync.exchange import Exchange
from sync.wire.messages import LOCATOR_PLACES_MAX, Heads, Known, Locator, decode_message, encode_message
from tests.support.replicas import NOW_MS, Hand, agree, group, remember, settle

LENGTH = 30


class CountingStore(SqliteStore):
    """A store that counts how many ids were read of it."""

    read = 0

    def id_at(self, feed: int, seq: int) -> bytes:
        self.read += 1
        return super().id_at(feed, seq)

    def short_ids(self, feed: int, first: int, last: int) -> bytes:
        ids = super().short_ids(feed, first, last)
        self.read += len(ids) // 8
        return ids


def parted(chains: int) -> tuple[Core, Core, Hand, CountingStore]:
    """Ann, Ben, and Eve, whose chain parts behind its first op; and the store of Ann's, who took all of it."""
    ann, ben, _ = group("ann", "ben", "eve", make_store=lambda: CountingStore(connect(":memory:")))
    hand = Hand("eve")
    ann.take(hand.frame(hand.write(Relate("a", "is", "b", 0.5))), NOW_MS)
    for n in range(chains):
        clone = hand.fork()
        wrote = [clone.write(Relate(f"a{n}", f"is{m}", "b", 0.5)) for m in range(LENGTH)]
        assert ann.take(clone.frame(*wrote), NOW_MS).ops == LENGTH
    assert len(ann.feeds) == chains
    assert isinstance(ann.store, CountingStore)
    return ann, ben, hand, ann.store


def invented(origin: Origin, count: int) -> list[OpRef]:
    random = Random(3)
    return [OpRef(origin, random.randrange(2, LENGTH), random.randbytes(8)) for _ in range(count)]


@pytest.mark.parametrize("chains", [CHAINS_LOOKED_INTO_MAX + 1, CHAINS_AN_HOUR, 4 * CHAINS_AN_HOUR])
def test_a_question_about_invented_places_reads_each_op_once_at_most(chains: int) -> None:
    ann, ben, hand, store = parted(chains)
    ours, theirs = Exchange(ann, hand.who.device_id, NOW_MS), Exchange(ben, ann.device, NOW_MS)
    for message in theirs.more(NOW_MS):
        ours.receive(message, NOW_MS)
    places = tuple(sorted(set(invented(hand.origin, LOCATOR_PLACES_MAX))))
    store.read = 0
    said = ours.receive(encode_message(Locator(places)), NOW_MS)
    assert Known(()) in [decode_message(each) for each in said]
    assert store.read <= chains * LENGTH + 1
    heads = encode_message(Heads(Frontier.of(places)))
    ours.receive(heads, NOW_MS)
    asked = len(locator(ann.feeds, hand.origin))
    store.read = 0
    for _ in range(3):
        ours.receive(encode_message(Locator(places)), NOW_MS)
        ours.receive(heads, NOW_MS)
    assert store.read == 0, "of the next question nothing is read again"
    assert asked <= 54 * chains, "and once, what this side asks about the chains in turn"


def test_chains_that_few_begin_are_looked_into_without_more_memory() -> None:
    ann, _, hand, store = parted(CHAINS_LOOKED_INTO_MAX)
    places = invented(hand.origin, 1_000)
    store.read = 0
    assert ann.feeds.held_of(places) == ()
    assert store.read <= CHAINS_LOOKED_INTO_MAX * len(places)
    assert ann.feeds._crowds == {}


def test_every_op_of_many_chains_is_found_where_it_stands_also_as_they_grow() -> None:
    ann, ben, hand, _ = parted(2 * CHAINS_LOOKED_INTO_MAX)
    assert ann.feeds.locate(invented(hand.origin, 1)[0]) is None
    clone = hand.fork()
    for n in range(3):
        wrote = [clone.write(Relate(f"b{n}", f"is{m}", "b", 0.5)) for m in range(LENGTH)]
        ann.take(clone.frame(*wrote), NOW_MS)
        for row in ann.store.rows():
            place = OpRef(ann.feeds.origin_of(row.feed), row.seq, row.id[:8])
            found = ann.feeds.locate(place)
            assert found is not None
            assert (found.feed, found.seq) == (row.feed, row.seq)
            assert ann.feeds.locate(place._replace(seq=row.seq + 1)) is None
            assert ann.feeds.locate(place._replace(id8=bytes(8))) is None
    remember(ben, "an honest word")
    settle([ann, ben])
    assert agree(ann, ben)
    assert verify_replica(ann).ok
    assert verify_replica(ben).ok


def test_many_chains_are_found_below_a_base_and_by_who_gets_it() -> None:
    ann, ben, hand, store = parted(2 * CHAINS_LOOKED_INTO_MAX)
    ops = [OpRef(ann.feeds.origin_of(row.feed), row.seq, row.id[:8]) for row in store.rows()]
    assert compact(ann, NOW_MS + LEASE_MS) > 0
    settle([ann, ben], NOW_MS + LEASE_MS)
    for core in (ann, ben):
        core.feeds._located.clear()
        assert all(core.feeds.locate(each) is not None for each in ops)
        assert core.feeds.held_of(invented(hand.origin, 100)) == ()
    assert agree(ann, ben)
