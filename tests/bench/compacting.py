"""Measure what compaction makes of a long log on few memories, against a fresh snapshot of them.

    python -m tests.bench.compacting [--memories 5000] [--ops 200000]

One device writes until its log is so long: a tenth of the ops edit a text, three of ten access it, the others set a
field. Then all of it is folded into the base, as once a day a device does that has heard from every member. Printed are
the processor time of writing and of folding, the bytes of what is kept (folded state, and eight bytes for each op that
was), of a snapshot of it, packed and unpacked, and of a snapshot by a device that was told the outcome alone and never
the way. Digests are compared before and after. Every 10,000 ops their processor time is told: it should not grow.
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from replica.compaction import COMPACT_OPS_MAX, compact
from replica.core import Core
from replica.ids import MemoryId
from replica.ops import Access, Set, Write
from replica.snapshot import make_snapshot, unseal
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from tests.bench.sentences import sentences
from tests.support.replicas import NOW_MS, acquaint, core_of, remember

A_COMMIT: Final = 250
TOLD_OPS: Final = 10_000


def writes(core: Core, rids: list[MemoryId], count: int, random: Random) -> Iterator[Write]:
    """Give changes of different memories, as people and agents make them."""
    for n, rid in enumerate(random.sample(rids, count)):
        kind = n % 10
        if kind == 0:
            ((text,),) = _connection(core).execute("SELECT text FROM memory WHERE rid = ?", (rid,))
            words = text.split()
            words[random.randrange(len(words))] = f"word{random.randrange(10_000)}"
            yield from core.edits_of(rid, " ".join(words))
        elif kind < 4:
            yield Write(Access(((rid, random.randrange(1, 1_000), NOW_MS),)))
        else:
            yield Write(Set("topic", f"topic {random.randrange(500)}"), rid)


def write(core: Core, memories: int, ops: int) -> None:
    """Fill the log."""
    random, began = Random(1), time.process_time()
    rids = remember(core, *sentences(memories, seed=1))
    for done in range(memories, ops, A_COMMIT):
        core.commit([*writes(core, rids, min(A_COMMIT, ops - done), random)], NOW_MS + done)
        if (done + A_COMMIT) % TOLD_OPS < A_COMMIT:
            print(f"{done + A_COMMIT:>9,} ops, {time.process_time() - began:5.1f} s for the last", flush=True)
            began = time.process_time()


def told_the_outcome(core: Core) -> Core:
    """Return a device that was told each text and field as it is now, once."""
    other = core_of("bench")
    rows = _connection(core).execute("SELECT rid, text FROM memory ORDER BY rid").fetchall()
    topics = _connection(core).execute("SELECT rid, topic FROM memory WHERE topic IS NOT NULL").fetchall()
    remember(other, *(text for _, text in rows))
    told = [key.name for key, _ in other.store.all_cells()]
    other.commit(
        [Write(Set("topic", topic), MemoryId(rid)) for rid, (_, topic) in zip(told, topics, strict=False)],
        NOW_MS,
    )
    compact(other, NOW_MS)
    return other


def kept_bytes(core: Core) -> tuple[int, int]:
    """Return the bytes of the folded state and of the short ids."""
    ((base,),) = _connection(core).execute(
        "SELECT sum(length(name) + length(CASE WHEN base = x'' THEN state ELSE base END)) FROM cell"
    )
    ((spine,),) = _connection(core).execute("SELECT sum(length(ids)) FROM spine")
    return base, spine


def _connection(core: Core) -> sqlite3.Connection:
    assert isinstance(core.store, SqliteStore)
    return core.store.connection


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--ops", type=int, default=200_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        file = Path(name) / "memory.db"
        core = core_of("bench", SqliteStore(connect(str(file))))
        acquaint(core, "bench")
        write(core, chosen.memories, chosen.ops)
        _connection(core).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before, logged = core.digests(), file.stat().st_size
        began, steps = time.process_time(), 0
        while compact(core, NOW_MS + chosen.ops, ops_max=COMPACT_OPS_MAX):
            steps += 1
        took = time.process_time() - began
        assert core.digests() == before
        assert not [*core.store.rows()]
        core.store.shrink()
        _connection(core).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        snapshot = make_snapshot(core)
        plain = len(unseal(snapshot)[1])
        base, spine = kept_bytes(core)
        fresh = len(make_snapshot(told_the_outcome(core)))
        print(f"{chosen.ops:,} ops on {chosen.memories:,} memories folded in {steps} steps, {took:.1f} s")
        print(f"kept {base + spine:,} bytes, {base:,} of state and {spine:,} of short ids")
        print(f"a snapshot unpacked is {plain:,}: kept is {(base + spine) / plain:.2f} times that")
        print(f"packed it is {len(snapshot):,}; by a device that knows the outcome alone {fresh:,}")
        print(f"the store was {logged:,} bytes and is {file.stat().st_size:,}")
        _connection(core).close()


if __name__ == "__main__":
    main()
