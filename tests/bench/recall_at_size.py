"""Measure recall in stores of many sizes: `python -m tests.bench.recall_at_size [--sizes 3000 10000 100000]`.

Through the library's door, one question at a time, its embedding included, the default embedder: how long until a
recall is answered, from when it is opened to its first answer, and what memory the process holds. Each store is opened
in a process of its own, which has done nothing else. Beside elapsed time stands CPU time, since a busy machine makes
the former say little.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import samemind
from cognition.rehearsal import TELL_MS
from tests.bench.sentences import sentences

SIZES: Final = (3_000, 10_000, 100_000)
QUESTIONS: Final = 60
_A_COMMIT: Final = 5_000


def fill(folder: Path, size: int) -> None:
    """Store as many sentences, and wait until their vectors are there and their names read, as they are soon enough."""
    with samemind.open_blocking(folder) as mind:
        texts = list(sentences(size, seed=1))
        for start in range(0, size, _A_COMMIT):
            mind.remember_many(texts[start : start + _A_COMMIT])
        mind.remember("that is all", wait=True)
        mind.entities(limit=1)


def measure(folder: Path, size: int) -> str:
    """Open a store, ask, and say what it took."""
    chance, texts = random.Random(3), list(sentences(size, seed=1))
    began = _now_ms()
    with samemind.open_blocking(folder) as mind:
        mind.recall(texts[0])
        opened = _since(began)
        ops, since_ms = mind.stats().ops, _now_ms()[0]
        taken = []
        for _ in range(QUESTIONS):
            question = " ".join(chance.choice(texts).split()[2:7])
            began = _now_ms()
            mind.recall(question, k=10)
            taken.append(_since(began))
        # What was recalled is told together, at most once a minute: no recall writes anything of its own.
        told, minutes = mind.stats().ops - ops, int((_now_ms()[0] - since_ms) // TELL_MS) + 1
        if told > minutes:
            raise AssertionError(
                f"expected recalls to write nothing but a note a minute, got {told} ops in {minutes} minutes"
            )
        elapsed, cpu = (sorted(times) for times in zip(*taken, strict=True))
        return (
            f"{size:>7,}  recall p50 {statistics.median(elapsed):.1f} ms (CPU {statistics.median(cpu):.1f}), "
            f"p95 {elapsed[len(elapsed) * 95 // 100]:.1f} (CPU {cpu[len(cpu) * 95 // 100]:.1f})  "
            f"open to first recall {opened[0] / 1_000:.2f} s (CPU {opened[1] / 1_000:.2f})  "
            f"resident {_resident_mb():.0f} MB"
        )


def _now_ms() -> tuple[float, float]:
    return time.perf_counter() * 1_000, time.process_time() * 1_000


def _since(began: tuple[float, float]) -> tuple[float, float]:
    elapsed, cpu = _now_ms()
    return elapsed - began[0], cpu - began[1]


def _resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise OSError("expected VmRSS in /proc/self/status")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "SIZE"), help=argparse.SUPPRESS)
    chosen: Any = parser.parse_args(arguments)
    if chosen.one:
        folder, size = chosen.one
        print(measure(Path(folder), int(size)), flush=True)
        return
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
            folder = Path(name) / "home"
            fill(folder, size)
            command = [sys.executable, "-m", "tests.bench.recall_at_size", "--one", str(folder), str(size)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
