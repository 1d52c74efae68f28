"""Whatever a group does, compacting, cutting links and letting newcomers in: it ends equal, and verifies.

`python -m tests.property.replica.test_bases_merge SEED` replays one history.
"""

import sys
from collections.abc import Callable
from random import Random

import pytest

from replica import (
    Access,
    Erase,
    Forget,
    NameNotFound,
    Propose,
    Relate,
    Remember,
    SameSlot,
    SaysSame,
    Set,
    Tag,
    Unlink,
    Untag,
    Withdraw,
    Write,
)
from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId, OpRef, new_memory_id
from replica.oplog import Store
from replica.state.cells import CellKind, maker_of
from replica.state.register import Vector
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from sync.exchange import Exchange
from tests.support.replicas import NOW_MS, acquaint, core_of, sqlite_store, sync, unproven_texts

SEEDS = range(40)
STEPS = 60


class History:
    """One random history of a small group."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.make_store: Callable[[], Store] = sqlite_store if seed % 4 == 0 else MemoryStore
        self.names = [f"{seed} {i}" for i in range(3)]
        self.cores = [core_of(name, self.make_store()) for name in self.names]
        for core, name in zip(self.cores, self.names, strict=True):
            acquaint(core, name, *self.names)
        self.rids: list[MemoryId] = []
        self.now_ms = NOW_MS

    def run(self) -> None:
        self.act()
        self.settle()

    def act(self) -> None:
        for _ in range(STEPS):
            self.now_ms += 1_000
            self.random.choices((self.write, self.compact, self.join, self.sync), weights=(14, 2, 0.5, 4))[
                0
            ]()
            for core in self.cores:
                assert not unproven_texts(core), "who gets this base from here has to believe it"

    def settle(self) -> None:
        for _ in range(len(self.cores) + 1):
            for one in self.cores:
                for other in self.cores:
                    if one is not other:
                        sync(one, other, self.now_ms)

    def write(self) -> None:
        random, core = self.random, self.random.choice(self.cores)
        rid = random.choice(self.rids) if self.rids and random.random() < 0.7 else None
        if rid is None:
            rid = new_memory_id(self.now_ms, random)
            self.rids.append(rid)
            more = [Write(Set("topic", "b"), rid)] if random.random() < 0.3 else []
            core.commit(
                [Write(Remember(f"text {self.now_ms}", {"topic": "a", "tags": ["a", "b"]}), rid), *more],
                self.now_ms,
            )
            return
        bodies = (
            Set(random.choice(("topic", "project")), str(self.now_ms)),
            Access(((rid, random.randrange(9), self.now_ms),)),
            Relate("a", random.choice("xy"), "b", random.choice((None, 0.5, 1.0))),
            Propose(tuple(sorted({*random.choices(self.rids, k=3)}))),
            self.linked(core),
            self.withdrawn(core),
            self.judged(),
            Forget((rid,)),
            Erase((rid,)),
            None,
            random.choice((Tag, Untag))(tuple(sorted(random.sample("abc", 2)))),
            Set("tags", sorted(random.sample("abc", 2))),
            Set(f"meta.{random.choice('kj')}", random.choice((None, self.now_ms))),
        )
        body = random.choices(bodies, weights=(8, 1, 1, 1, 3, 1, 3, 1, 1, 3, 4, 1, 2))[0]
        if body is None:
            try:
                core.commit(core.edits_of(rid, f"edit {self.now_ms} text"), self.now_ms)
            except NameNotFound:
                pass  # not here, or no more
        else:
            core.commit([Write(body, rid if isinstance(body, Set | Tag | Untag) else None)], self.now_ms)

    def linked(self, core: Core) -> SaysSame | Unlink | None:
        links = sorted(maker_of(key) for key, _ in core.store.all_cells() if key.part is CellKind.LINK)
        if links and self.random.random() < 0.4:
            return Unlink((self.random.choice(links),))
        one, other = sorted(self.random.choices(self.rids, k=2))
        return SaysSame((one, other), self.random.randint(1, 100)) if one != other else None

    def withdrawn(self, core: Core) -> Withdraw | None:
        proposals = sorted(
            maker_of(key) for key, _ in core.store.all_cells() if key.part is CellKind.PROPOSAL
        )
        return Withdraw((self.random.choice(proposals),)) if proposals else None

    def judged(self) -> SameSlot | None:
        """A judgment on claims that nobody made: it is held and merged all the same."""
        random = self.random
        one, other = sorted(random.choices(self.rids, k=2))
        if one == other:
            return None
        claim = OpRef(self.cores[0].origin, 1, bytes(8))
        same, by = random.choice((True, False, None)), random.randint(1, 2)
        return SameSlot((one, other), (claim, claim), same, by, random.randint(1, 100))

    def compact(self) -> None:
        core = self.random.choice(self.cores)
        others = [other for other in self.cores if other is not core]
        for other in self.random.sample(others, self.random.randint(1, len(others))):
            held: Vector = {
                feed.no: max(
                    (
                        seq
                        for seq in range(feed.fork + 1, feed.seq + 1)
                        if other.feeds.locate(core.feeds.place(feed.no, seq)) is not None
                    ),
                    default=0,
                )
                for feed in core.feeds
            }
            core.heard(other.device, held, self.now_ms)
        compact(core, self.now_ms)

    def join(self) -> None:
        name = f"{self.names[0]} new {len(self.names)}"
        sponsor = self.random.randrange(len(self.cores))
        core = core_of(name, self.make_store())
        for known, its in ((self.cores[sponsor], self.names[sponsor]), (core, name)):
            acquaint(known, its, name, self.names[sponsor])
        sync(core, self.cores[sponsor], self.now_ms)
        for other in self.cores:  # a link is only ever opened by those who know each other
            other.learn(self.cores[sponsor].membership.members.values(), [])
        self.cores.append(core)
        self.names.append(name)

    def sync(self) -> None:
        one, other = self.random.sample(self.cores, 2)
        cut = self.random.choice((None, None, 2, 3, 4, 5))
        if cut is None:
            sync(one, other, self.now_ms)
        else:
            begin_and_lose(one, other, cut, self.now_ms)


def begin_and_lose(one: Core, other: Core, messages: int, now_ms: int) -> None:
    """Let two devices converse for a few messages, and lose the link."""
    ours, theirs = Exchange(one, other.device, now_ms), Exchange(other, one.device, now_ms)
    to_them, to_us = ours.more(now_ms), theirs.more(now_ms)
    for _ in range(messages):
        if to_them:
            to_us += theirs.receive(to_them.pop(0), now_ms)
        if to_us:
            to_them += ours.receive(to_us.pop(0), now_ms)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_group_that_compacts_as_it_likes_ends_equal_and_verifies(seed: int) -> None:
    print(f"replay: python -m tests.property.replica.test_bases_merge {seed}")
    history = History(seed)
    history.run()
    assert len({core.digests().visible for core in history.cores}) == 1
    assert len({core.digests().state for core in history.cores}) == 1
    for core in history.cores:
        assert verify_replica(core).ok


if __name__ == "__main__":
    test_a_group_that_compacts_as_it_likes_ends_equal_and_verifies(int(sys.argv[1]))
