"""Measure a cycle of thinking: 100 new memories in stores of 1,000 to 20,000, step by step. `make bench-think`.

Two lives. In one, all memories lie within one month, so that each new one could be consolidated with any other; in the
other they are spread over two years, as they come. Vectors are ready before the clock starts: a cycle waits for them,
and making them is the embedder's time. Times are medians of CPU time, so that a busy machine shows less.
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import trio

from cognition import StaticEmbedder, queue
from cognition.embedding.embedder import Vectors
from cognition.scoring import DAY_MS
from cognition.steps import steps
from cognition.thinking.cycle import Step, think
from replica import AsyncioHost, Core, Remember, Replica, Write, new_memory_id, open_replica
from sync.identity import Identity
from tests.support.minds import NOW_MS, derived_tables, introduction

SIZES: Final = (1_000, 2_000, 5_000, 10_000, 20_000)
NEW: Final = 100
ROUNDS: Final = 7
SPANS: Final = {"one month": 30, "two years": 730}
_WHO: Final = "Ann Bob Carl Dora Ed Fay Gus Hal Ina Jon Kim Lea"
_DID: Final = "met called helped visited thanked painted taught fed drove hired joined paid"
_WHAT: Final = """gardener teacher plumber neighbour dentist baker pilot painter sailor farmer tailor miller
    bicycle kitchen garage harbour station library stadium cinema market bakery museum school bridge tunnel"""
_WHERE: Final = "Lisbon Porto Oslo Rome Paris Ghent Malta Cork York Bern Graz Lviv Turku Basel Izmir Sofia"
WHO, DID, WHAT, WHERE = (words.split() for words in (_WHO, _DID, _WHAT, _WHERE))


def sentence(random: Random) -> str:
    """Return something that may have happened; now and then much like something else."""
    return f"{random.choice(WHO)} {random.choice(DID)} the {random.choice(WHAT)} in {random.choice(WHERE)}"


async def write(replica: Replica, count: int, random: Random, *, span_days: int) -> None:
    """Write memories told at some time within the span, a thousand a commit."""
    for start in range(0, count, 1_000):
        writes = [
            Write(
                Remember(
                    sentence(random),
                    {"told_at": NOW_MS - random.randrange(span_days * DAY_MS), "speaker": random.choice(WHO)},
                ),
                new_memory_id(NOW_MS, random),
            )
            for _ in range(min(1_000, count - start))
        ]
        await replica.run(partial(_commit, writes))


async def embed(replica: Replica, embedder: StaticEmbedder, space: int) -> None:
    """Give every memory that waits its vector."""
    while jobs := await replica.read(lambda connection: queue.due(connection, now_ms=NOW_MS, limit=1_024)):
        await replica.run(partial(_keep, space, jobs, embedder.embed([job.text for job in jobs])))


def _commit(writes: Sequence[Write], core: Core, connection: sqlite3.Connection) -> None:
    core.commit(writes, NOW_MS)


def _keep(
    space: int, jobs: Sequence[queue.Job], vectors: Vectors, core: Core, connection: sqlite3.Connection
) -> None:
    queue.done(connection, space, jobs, vectors)


async def measure(size: int, span_days: int, embedder: StaticEmbedder) -> dict[str, float]:
    """Return the median CPU ms of each step, and of all."""
    random, identity = Random(size), Identity.create()
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncioHost.open() as host:
            async with open_replica(
                Path(folder) / "m.db",
                host=host,
                device=identity.device_id,
                sign=identity.sign,
                derived=derived_tables(),
                clock=lambda: NOW_MS,
                random=random,
            ) as replica:
                await replica.run(lambda core, _: core.found(introduction(identity)))
                space = await replica.run(
                    lambda _, connection: queue.enter_space(
                        connection, f"{embedder.name} {embedder.width}", now_ms=NOW_MS
                    )
                )
                await write(replica, size, random, span_days=span_days)
                await embed(replica, embedder, space)
                ours = steps()
                await think(replica, ours)
                taken: dict[str, list[float]] = {
                    name: [] for name in (*(step.name for step in ours), "all", "elapsed")
                }
                for _ in range(ROUNDS):
                    await write(replica, NEW, random, span_days=min(span_days, 30))
                    await embed(replica, embedder, space)
                    await cycle(replica, ours, taken)
    return {name: statistics.median(times) for name, times in taken.items()}


async def cycle(replica: Replica, ours: Sequence[Step], taken: dict[str, list[float]]) -> None:
    """Run one cycle step by step, and note what each took."""
    whole, began = 0.0, time.perf_counter()
    for step in ours:
        at = time.process_time()
        await think(replica, [step])
        took_ms = (time.process_time() - at) * 1_000
        taken[step.name].append(took_ms)
        whole += took_ms
    taken["all"].append(whole)
    taken["elapsed"].append((time.perf_counter() - began) * 1_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    chosen: Any = parser.parse_args(arguments)
    embedder = StaticEmbedder()
    embedder.embed(["warm"])
    for life, span_days in SPANS.items():
        print(f"{life}: median ms of {ROUNDS} cycles with {NEW} new memories (CPU; elapsed last)")
        for size in chosen.sizes:
            found = trio.run(measure, size, span_days, embedder)
            print(
                f"{size:>7}  " + "  ".join(f"{name} {took:.1f}" for name, took in found.items()), flush=True
            )


if __name__ == "__main__":
    main()
