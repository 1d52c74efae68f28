"""Measure how a new device joins a group that remembers much, until it can be used.

    python -m tests.bench.joining [--memories 100000] [--compacted] [--vectors] [--home FOLDER]

Two daemons on loopback, as people run them. The old one holds so many memories of 60 characters; the new one holds
nothing, and pairs. From then on it is asked, ten times a second, for memories from all over the store by their words,
until each comes first. Printed are the time and the processor time of both daemons until then, and until the new one
has its vectors, and the most that the new one has held of its own (`RssAnon`, looked at fifty times a second).
`--compacted`: the old one's log was folded away, so that the new one gets a snapshot.
`--vectors`: both have a slow model, bge-small, whose vectors come alongside; those of the old device
are drawn at random, since to make so many takes minutes and says nothing of joining. `--home` is filled by the first
run, with these options, and used again.

Printed as well is what crossed the loopback, headers and all, beside what the texts and the vectors make under zstd.
Run it where nobody else uses that: `unshare -rn sh -c 'ip link set lo up && exec python -m tests.bench.joining …'`.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import zstandard

import samemind
from cognition.background import queue
from cognition.embedding.onnx import OnnxEmbedder
from replica.storage.sql import connect, transaction
from samemind.config import Home, Settings
from samemind.library.blocking import BlockingMind
from tests.bench.sentences import sentences
from tests.bench.verbs_at_size import anonymous_kib
from tests.support.cli import COMMAND, daemon, environment, run
from tests.support.hearing import next_line

_A_COMMIT: Final = 5_000
PROBES: Final = 10
ASK_SECONDS: Final = 0.1
LOOK_SECONDS: Final = 0.02
GIVE_UP_SECONDS: Final = 600


def fill(home: Path, memories: int, *, compacted: bool) -> None:
    """Make the old device, all of whose memories have their vectors."""
    with samemind.open_blocking(home) as mind:
        texts = list(sentences(memories, seed=1))
        for start in range(0, memories, _A_COMMIT):
            mind.remember_many(texts[start : start + _A_COMMIT])
        mind.remember("that is all", wait=True)
        if compacted:
            mind.compact()


def choose_slow_model(home: Path) -> None:
    """Let a device embed by bge-small from now on."""
    chosen = Home.at(home)
    chosen.create()
    Settings(embedder="bge-small").save(chosen)


def draw_vectors(home: Path) -> None:
    """Give each memory a vector of bge-small's size and length."""
    choose_slow_model(home)
    model, drawn = OnnxEmbedder(), np.random.default_rng(1)
    with closing(connect(str(Home.at(home).store))) as connection:
        space = queue.enter_space(connection, model.name, now_ms=0)
        ids = [number for (number,) in connection.execute("SELECT id FROM memory ORDER BY id")]
        with transaction(connection):
            for start in range(0, len(ids), _A_COMMIT):
                some = ids[start : start + _A_COMMIT]
                rows = drawn.standard_normal((len(some), model.width), np.float32)
                rows /= np.linalg.norm(rows, axis=1, keepdims=True)
                connection.executemany(
                    "INSERT INTO vector VALUES (?, ?, ?)",
                    [
                        (number, space, row.tobytes())
                        for number, row in zip(some, rows.astype("<f2"), strict=True)
                    ],
                )
            connection.execute("DELETE FROM embed_queue")


def vectors_of(home: Path) -> dict[bytes, bytes]:
    """Return the vectors that a device holds, by memory."""
    with closing(connect(str(Home.at(home).store), read_only=True)) as connection:
        return dict(
            connection.execute(
                "SELECT m.rid, v.data FROM memory m JOIN vector v ON v.id = m.id ORDER BY m.id"
            )
        )


def crossed_bytes() -> int:
    """Return how many bytes the loopback has carried so far."""
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, counted = line.partition(":")
        if name.strip() == "lo":
            return int(counted.split()[0])
    raise AssertionError("expected a loopback")


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def watched(pid: int) -> Iterator[Callable[[], float]]:
    """Give what tells the most that a process has held of its own during the block, in MB."""
    most, over = anonymous_kib(pid), threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.wait(LOOK_SECONDS):
            most = max(most, anonymous_kib(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield lambda: most / 1024
    finally:
        over.set()
        thread.join()


def pair(old: Path, new: Path) -> None:
    """Pair two homes whose daemons run."""
    offer = subprocess.Popen(
        [*COMMAND, "--home", str(old), "--json", "pair"], stdout=subprocess.PIPE, text=True, env=environment()
    )
    try:
        shown = json.loads(next_line(offer))
        joined = run(new, "--json", "pair", shown["code"], "--address", shown["address"])
        assert joined.code == 0, joined.err
    finally:
        offer.wait(60)


def until_found(mind: BlockingMind, texts: Sequence[str], began: float) -> None:
    """Ask for each text by its words until it comes first."""
    while texts:
        hits = mind.recall(texts[0], k=3)
        if hits and hits[0].text == texts[0]:
            texts = texts[1:]
            continue
        assert time.monotonic() - began < GIVE_UP_SECONDS, f"{texts[0]!r} is not found"
        time.sleep(ASK_SECONDS)


def until_done(mind: BlockingMind, memories: int, began: float) -> None:
    """Wait until the new device has all ops, vectors and names."""
    while True:
        stats = mind.stats()
        if stats.memories >= memories and not stats.queue:
            return
        assert time.monotonic() - began < GIVE_UP_SECONDS, f"the queue does not empty: {stats}"
        time.sleep(1)


def measure(old: Path, new: Path, memories: int, *, vectors: bool) -> None:
    """Let a new device join, and print what that took."""
    if vectors:
        choose_slow_model(new)
    texts = list(sentences(memories, seed=1))
    probes = [texts[-1], *random.Random(2).sample(texts, PROBES)]
    afresh = Path.cwd()  # daemons of tests are forked from what has loaded everything, which they hold then
    with (
        daemon(old, cwd=afresh) as theirs,
        daemon(new, cwd=afresh) as mine,
        watched(mine.process.pid) as most_mb,
        samemind.open_blocking(new) as mind,
    ):
        assert not mind.recall(texts[0])  # whatever is loaded once is
        before = [cpu_seconds(each.process.pid) for each in (mine, theirs)]

        def say(what: str) -> None:
            cpu = [
                cpu_seconds(each.process.pid) - at for each, at in zip((mine, theirs), before, strict=True)
            ]
            print(
                f"{memories:>7,}  {what}: {time.monotonic() - began:6.1f} s, processor {cpu[0]:5.1f} s on the new "
                f"device and {cpu[1]:5.1f} s on the old one, at most {most_mb():.0f} MB",
                flush=True,
            )

        began, crossed = time.monotonic(), crossed_bytes()
        pair(old, new)
        say("paired       ")
        until_found(mind, probes, began)
        say("can be used  ")
        until_done(mind, memories, began)
        say("vectors there")
        with samemind.open_blocking(old) as other:
            assert mind.digest().digest == other.digest().digest
        crossed = crossed_bytes() - crossed
    held, came = vectors_of(old), vectors_of(new)
    packed = len(_zstd("\n".join(texts).encode()))
    if vectors:
        packed += len(_zstd(b"".join(held.values())))
        made = sum(held[rid] != vector for rid, vector in came.items())
        print(f"{memories:>7,}  vectors made by the new device itself: {made:,}")
    print(
        f"{memories:>7,}  crossed the loopback: {crossed / 1e6:.2f} MB, {crossed / packed:.2f} times the "
        f"{packed / 1e6:.2f} MB of texts{' and vectors' if vectors else ''} under zstd"
    )


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--compacted", action="store_true")
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--home", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        old = chosen.home or Path(name) / "old"
        if not old.is_dir():
            fill(old, chosen.memories, compacted=chosen.compacted)
            if chosen.vectors:
                draw_vectors(old)
        # A copy would be a clone; what it learns of the new device stays in it and does no harm.
        measure(old, Path(name) / "new", chosen.memories, vectors=chosen.vectors)


if __name__ == "__main__":
    main()
