"""Measure a cycle of thinking by what is stored and by what is new, step by step. `make bench-think`.

Two lives. In one, memories are spread over two years, as they come; in the other all lie within one month, so that each
new one could be consolidated with any other. Vectors are ready before the clock starts: a cycle waits for them, and
making them is the embedder's time. Times are medians of CPU time, so that a busy machine shows less.

With `--out` a page of the figures and a picture of each life are written there.
"""

import argparse
import math
import os
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

from cognition import StaticEmbedder
from cognition.background import queue
from cognition.days import DAY_MS
from cognition.embedding.embedder import Vectors
from cognition.steps import steps
from cognition.thinking.cycle import Deadline, Round, Step, think
from replica import AsyncioHost, Core, Remember, Replica, Write, new_memory_id, open_replica
from sync.identity import Identity
from sync.words import WORDS
from tests.bench.compare.plot import draw
from tests.bench.sentences import TEXT_CHARACTERS
from tests.support.minds import NOW_MS, derived_tables, introduction

SIZES: Final = (1_000, 3_000, 10_000, 30_000)
NEW: Final = (10, 100, 300)
ROUNDS: Final = 7
SPANS: Final = {"two years": 730, "one month": 30}
PAGE: Final = "thinking.md"
# Of so many sentences others are told that are much alike, and most of these come under summaries; of the turns of
# LoCoMo 6 % do.
MUCH_ALIKE: Final = 0.25
_WHO: Final = "Ann Bob Carl Dora Ed Fay Gus Hal Ina Jon Kim Lea"
_DID: Final = "met called helped visited thanked painted taught fed drove hired joined paid"
_WHAT: Final = """gardener teacher plumber neighbour dentist baker pilot painter sailor farmer tailor miller
    bicycle kitchen garage harbour station library stadium cinema market bakery museum school bridge tunnel"""
_WHERE: Final = "Lisbon Porto Oslo Rome Paris Ghent Malta Cork York Bern Graz Lviv Turku Basel Izmir Sofia"
WHO, DID, WHAT, WHERE = (words.split() for words in (_WHO, _DID, _WHAT, _WHERE))


def sentence(random: Random) -> str:
    """Return something that may have happened; now and then much like something else."""
    if random.random() >= MUCH_ALIKE:
        return " ".join(random.choice(WORDS) for _ in range(12))[:TEXT_CHARACTERS]
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


async def measure(
    size: int, news: Sequence[int], span_days: int, embedder: StaticEmbedder
) -> dict[int, dict[str, float]]:
    """Return the median CPU ms of each step, and of all, for each number of new memories."""
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
                while (await think(replica, Round(ours), Deadline(math.inf))).more:
                    pass
                found = {}
                for new in news:
                    names = (*(step.name for step in ours), "all", "elapsed")
                    taken: dict[str, list[float]] = {name: [] for name in names}
                    for _ in range(ROUNDS):
                        await write(replica, new, random, span_days=min(span_days, 30))
                        await embed(replica, embedder, space)
                        await cycle(replica, ours, taken)
                    found[new] = {name: statistics.median(times) for name, times in taken.items()}
    return found


async def cycle(replica: Replica, ours: Sequence[Step], taken: dict[str, list[float]]) -> None:
    """Run one cycle step by step, and note what each took."""
    whole, began = 0.0, time.perf_counter()
    for step in ours:
        at = time.process_time()
        await think(replica, Round([step]), Deadline(math.inf))
        took_ms = (time.process_time() - at) * 1_000
        taken[step.name].append(took_ms)
        whole += took_ms
    taken["all"].append(whole)
    taken["elapsed"].append((time.perf_counter() - began) * 1_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--new", type=int, nargs="*", default=list(NEW))
    parser.add_argument("--out", type=Path, help="write the page and its pictures into this folder")
    chosen: Any = parser.parse_args(arguments)
    embedder = StaticEmbedder()
    embedder.embed(["warm"])
    lives: dict[str, dict[int, dict[int, dict[str, float]]]] = {}
    for life, span_days in SPANS.items():
        print(f"{life}: median ms of {ROUNDS} cycles (CPU; elapsed last)")
        for size in chosen.sizes:
            found = trio.run(measure, size, chosen.new, span_days, embedder)
            lives.setdefault(life, {})[size] = found
            for new, steps_ms in found.items():
                print(
                    f"{size:>7} and {new:>3} new  "
                    + "  ".join(f"{name} {took:.1f}" for name, took in steps_ms.items()),
                    flush=True,
                )
    if chosen.out is not None:
        _publish(chosen.out, lives)


def _publish(folder: Path, lives: dict[str, dict[int, dict[int, dict[str, float]]]]) -> None:
    """Write the page and its pictures."""
    load = os.getloadavg()[0]
    said = (
        "`make bench-think` writes this page. A figure is the CPU time of one cycle with all its steps, in ms, the"
        f" median of {ROUNDS}; vectors were ready. {os.cpu_count()} cores, load average {load:.1f} at the end:"
        f" with other work beside it, times are upper bounds. {MUCH_ALIKE:.0%} of the memories have others"
        " that are much like them."
    )
    parts = ["# Thinking, by what is stored and by what is new", said]
    for life, by_size in lives.items():
        news = list(next(iter(by_size.values())))
        name = f"thinking_{life.replace(' ', '_')}.svg"
        rows = [
            {"size": size, "ms": found[new]["all"], "name": f"{new} new"}
            for size, found in by_size.items()
            for new in news
        ]
        (folder / name).write_text(draw(f"a cycle of thinking, ms of CPU: {life}", "ms", rows), "utf-8")
        parts.append(f"## Told over {life}")
        head = [
            "| stored | " + " | ".join(f"{new} new" for new in news) + " |",
            "| ---: |" + " ---: |" * len(news),
        ]
        body = [
            f"| {size:,} | " + " | ".join(f"{found[new]['all']:.0f}" for new in news) + " |"
            for size, found in by_size.items()
        ]
        parts += ["\n".join([*head, *body]), f"![a cycle of thinking, by the number of memories]({name})"]
    (folder / PAGE).write_text("\n\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
