"""A world in which devices that are apart tell, decide, reopen and forget what one slot is about."""

import sqlite3
import weakref
from dataclasses import dataclass
from random import Random
from typing import Any

from cognition.contradictions.resolving import changed, decide, merge
from cognition.contradictions.slots import ClaimStatus, ContradictionStatus, Judged
from cognition.contradictions.tables import ClaimTables, judged_of
from cognition.contradictions.telling import ClaimWriter, telling_of
from cognition.extraction.values import Statement
from cognition.judging.reopening import reopen
from cognition.judging.settling import in_order
from cognition.judging.settling import settle as settle_two
from replica import Core, Forget, MemoryId, Remember, SqliteStore, Write, compact, connect, new_memory_id
from replica.compaction import LEASE_MS
from replica.storage.shown import DerivedTables
from tests.support.replicas import NOW_MS, say, sync

VALUES = ("Google", "Meta", "Apple")
CONNECTIONS: weakref.WeakKeyDictionary[SqliteStore, sqlite3.Connection] = weakref.WeakKeyDictionary()


def make_store() -> SqliteStore:
    connection = connect(":memory:")
    derived: list[DerivedTables] = [ClaimTables()]
    store = SqliteStore(connection, derived)
    CONNECTIONS[store] = connection
    weakref.finalize(store, connection.close)
    return store


def connection_of(core: Core) -> sqlite3.Connection:
    assert isinstance(core.store, SqliteStore)
    return CONNECTIONS[core.store]


def records(core: Core) -> list[tuple[Any, ...]]:
    """The questions of a device, by what every device can compare."""
    connection = connection_of(core)
    return [
        (slot, entity, relation, status, settled_by, raised, plain(judged_of(connection, slot)))
        for slot, entity, relation, status, settled_by, raised in connection.execute(
            "SELECT slot, entity, relation, status, settled_by, raised FROM contradiction ORDER BY slot"
        ).fetchall()
    ]


def plain(judged: Judged) -> tuple[Any, ...]:
    return (
        judged.status,
        judged.settled_by,
        [
            (belief.told.claim, belief.told.rid, belief.told.value, belief.standing, belief.until_ms)
            for belief in judged.beliefs
        ],
        [[belief.told.claim for belief in side] for side in judged.sides],
    )


def retired(core: Core) -> set[bytes]:
    rows = connection_of(core).execute("SELECT m.rid FROM claim_retired r JOIN memory m ON m.id = r.id")
    return {rid for (rid,) in rows}


@dataclass
class World:
    cores: list[Core]
    told: list[MemoryId]
    random: Random
    now_ms: int = NOW_MS

    def tell(self, core: Core, value: str, *, changes: bool, again: MemoryId | None) -> None:
        connection = connection_of(core)
        rid = again or new_memory_id(self.now_ms, self.random)
        here = connection.execute("SELECT 1 FROM memory WHERE rid = ?", (rid,)).fetchone()
        if again is not None and here is None:
            return
        teller = ClaimWriter(core, connection, self.now_ms)
        statement = Statement("Ann", "works_at", value, changes)
        writes = [] if again else [Write(Remember(f"Ann works at {value}", {}), rid)]
        teller.tell(writes, [(telling_of(rid, {}, self.now_ms), statement)])
        teller.commit()
        self.told.append(rid)

    def resolve(self, core: Core, keep: list[str]) -> None:
        """Decide for these values, as far as they are among those that contradict each other."""
        connection = connection_of(core)
        for slot, entity, relation in connection.execute(
            "SELECT slot, entity, relation FROM contradiction"
        ).fetchall():
            judged = judged_of(connection, slot)
            values = [side[0].told.value for side in judged.sides if side[0].told.value in keep]
            if not values:
                continue
            decide(core, connection, slot, values, entity=entity, relation=relation, now_ms=self.now_ms)
            after = judged_of(connection, slot)
            assert after.status is ContradictionStatus.SETTLED
            held = {belief.told.value for belief in after.beliefs if belief.standing is ClaimStatus.HELD}
            assert held == set(values), "who decides alone gets what they decided"

    def reopen(self, core: Core) -> None:
        """Take back the last decision on every question."""
        connection = connection_of(core)
        for slot, entity, relation in connection.execute(
            "SELECT slot, entity, relation FROM contradiction"
        ).fetchall():
            settled = judged_of(connection, slot).status is ContradictionStatus.SETTLED
            done = reopen(core, connection, slot, entity=entity, relation=relation, now_ms=self.now_ms)
            assert done is None or done.changed is settled
            again = reopen(core, connection, slot, entity=entity, relation=relation, now_ms=self.now_ms)
            assert again is None or not again.changed

    def decide(self, core: Core, how: tuple[Any, ...]) -> None:
        """Decide every question in one of the four ways; values and memories are taken by their place."""
        connection = connection_of(core)
        for slot, entity, relation in connection.execute(
            "SELECT slot, entity, relation FROM contradiction"
        ).fetchall():
            judged = judged_of(connection, slot)
            values = [side[0].told.value for side in judged.sides]
            kind, at = how
            named = {"entity": entity, "relation": relation}
            if kind == "keep":
                kept = sorted({values[number % len(values)] for number in at})
                decide(core, connection, slot, kept, **named, now_ms=self.now_ms)
            elif kind == "since":
                value = values[at % len(values)]
                core.commit(changed(core, judged, value, self.now_ms, **named), self.now_ms)
            elif kind == "settle":
                verdict, one, other = at
                rids = sorted({MemoryId(belief.told.rid) for belief in judged.beliefs})
                pair = rids[one % len(rids)], rids[other % len(rids)]
                if pair[0] != pair[1]:
                    said = in_order(connection, pair)
                    settle_two(
                        core, connection, *said, verdict, weight=1.0, since_ms=None, now_ms=self.now_ms
                    )
            else:
                rid = new_memory_id(self.now_ms, self.random)
                merge(core, judged, rid, "Ann is her own boss", workspace=None, **named, now_ms=self.now_ms)


def asked(core: Core) -> tuple[Any, ...]:
    """What is in question on a device, and what recall gives: what shows and says something that holds."""
    connection = connection_of(core)
    shown = {rid for (rid,) in connection.execute("SELECT rid FROM memory")}
    return shown - retired(core), [
        (slot, status, {(belief.told.rid, belief.told.value, belief.told.from_ms) for belief in held})
        for slot, status in connection.execute(
            "SELECT slot, status FROM contradiction ORDER BY slot"
        ).fetchall()
        for held in [
            [each for each in judged_of(connection, slot).beliefs if each.standing is ClaimStatus.HELD]
        ]
    ]


def play(world: World, step: tuple[Any, ...]) -> None:
    world.now_ms += 1_000
    kind, at, *rest = step
    core = world.cores[at]
    if kind == "tell":
        world.tell(core, rest[0], changes=rest[1], again=None)
    elif kind == "again" and world.told:
        world.tell(core, rest[0], changes=False, again=world.told[rest[1] % len(world.told)])
    elif kind == "resolve":
        world.resolve(core, sorted(rest[0]))
    elif kind == "decide":
        world.decide(core, rest[0])
    elif kind == "reopen":
        world.reopen(core)
    elif kind == "forget" and world.told:
        say(core, Forget((world.told[rest[0] % len(world.told)],)), now_ms=world.now_ms)
    elif kind == "sync" and at != rest[0]:
        sync(core, world.cores[rest[0]], world.now_ms)
    elif kind == "compact":
        compact(core, world.now_ms + LEASE_MS)
