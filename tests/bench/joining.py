"""Measure how a new device joins a group that remembers much, until it can be used.

    python -m tests.bench.joining [--memories 100000] [--compacted] [--home FOLDER]

Two daemons on loopback, as people run them. The old one holds so many memories of 60 characters; the new one holds
nothing, and pairs. From then on it is asked, ten times a second, for memories from all over the store by their words,
until each comes first. Printed are the time and the processor time of both daemons until then, and until the new one
has its vectors. `--compacted`: the old one's log was folded away, so that the new
one gets a snapshot. `--home` is filled by the first run and used again.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import samemind
from samemind.blocking import BlockingMind
from tests.bench.sentences import sentences
from tests.support.cli import COMMAND, daemon, environment, run
from tests.support.hearing import next_line

_A_COMMIT: Final = 5_000
PROBES: Final = 10
ASK_SECONDS: Final = 0.1
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


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


def measure(old: Path, new: Path, memories: int) -> None:
    """Let a new device join, and print what that took."""
    texts = list(sentences(memories, seed=1))
    probes = [texts[-1], *random.Random(2).sample(texts, PROBES)]
    with daemon(old) as theirs, daemon(new) as mine, samemind.open_blocking(new) as mind:
        assert not mind.recall(texts[0])  # whatever is loaded once is
        before = [cpu_seconds(each.process.pid) for each in (mine, theirs)]

        def say(what: str) -> None:
            cpu = [
                cpu_seconds(each.process.pid) - at for each, at in zip((mine, theirs), before, strict=True)
            ]
            print(
                f"{memories:>7,}  {what}: {time.monotonic() - began:6.1f} s, processor {cpu[0]:5.1f} s on the new "
                f"device and {cpu[1]:5.1f} s on the old one",
                flush=True,
            )

        began = time.monotonic()
        pair(old, new)
        say("paired       ")
        until_found(mind, probes, began)
        say("can be used  ")
        until_done(mind, memories, began)
        say("vectors there")
        with samemind.open_blocking(old) as other:
            assert mind.digest().digest == other.digest().digest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--compacted", action="store_true")
    parser.add_argument("--home", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        old = chosen.home or Path(name) / "old"
        if not old.is_dir():
            fill(old, chosen.memories, compacted=chosen.compacted)
        # A copy would be a clone; what it learns of the new device stays in it and does no harm.
        measure(old, Path(name) / "new", chosen.memories)


if __name__ == "__main__":
    main()
