"""Measure recall in stores of many sizes: `python -m tests.bench.recall_at_size [--sizes 3000 10000 100000]`.

Through the library's door, one question at a time, its embedding included, the default embedder: how long until a
recall is answered, from when it is opened to its first answer, and what memory the process holds. Each store is opened
in a process of its own, which has done nothing else. Beside elapsed time stands CPU time, since a busy machine makes
the former say little. Memory is told twice: what is the process's own, and what of it is mapped from files.

`--vectors FILE` fills with vectors that `tests.bench.nearest --vectors FILE` made of the same sentences, which spares a
million of them a quarter of an hour; `--index hnsw` has a graph built first (the extra `ann`); `--keep FOLDER` keeps
the stores there, and takes those that are there.
"""

import argparse
import contextlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import samemind
from cognition.fading.rehearsal import TELL_MS
from tests.bench.compare.measure import as_installed
from tests.bench.sentences import sentences

SIZES: Final = (3_000, 10_000, 100_000)
QUESTIONS: Final = 60
_A_COMMIT: Final = 5_000


def fill(folder: Path, size: int, vectors: Path | None = None) -> None:
    """Store as many sentences, and wait until their vectors are there and their names read, as they are soon enough."""
    with made_before(size, vectors), samemind.open_blocking(folder) as mind:
        texts = list(sentences(size, seed=1))
        for start in range(0, size, _A_COMMIT):
            mind.remember_many(texts[start : start + _A_COMMIT])
        mind.remember("that is all", wait=True)
        mind.entities(limit=1)


@contextlib.contextmanager
def made_before(size: int, vectors: Path | None) -> Iterator[None]:
    """Have the embedder look up the vectors of the sentences in a file, if there is one."""
    if vectors is None:
        yield
        return
    import numpy as np

    from cognition.embedding.universal.embedder import UniversalEmbedder

    rows = np.memmap(vectors, np.float16, "r").reshape(-1, UniversalEmbedder().width)
    at = {text: row for row, text in enumerate(sentences(min(size, len(rows)), seed=1))}
    embed, costly = UniversalEmbedder.embed, UniversalEmbedder.costly

    def looked_up(self: UniversalEmbedder, texts: Sequence[str]) -> Any:
        wanted = [at.get(text, -1) for text in texts]
        return embed(self, texts) if -1 in wanted else rows[wanted].astype(np.float32)

    setattr(UniversalEmbedder, "embed", looked_up)  # noqa: B010 -- mypy knows no method that is assigned
    setattr(UniversalEmbedder, "costly", property(lambda self: False))  # noqa: B010 -- it waits for nobody then
    try:
        yield
    finally:
        setattr(UniversalEmbedder, "embed", embed)  # noqa: B010
        setattr(UniversalEmbedder, "costly", costly)  # noqa: B010


def measure(folder: Path, size: int, index: str = "auto") -> str:
    """Open a store, ask, and say what it took."""
    settings = folder / "config.toml"
    settings.unlink(missing_ok=True)
    if index != "auto":
        settings.write_text(f'index = "{index}"\n')
    chance, texts = random.Random(3), list(sentences(size, seed=1))
    began = _now_ms()
    with samemind.open_blocking(folder) as mind:
        mind.recall(texts[0])
        opened = _since(began)
        while index == "hnsw" and "a graph of" not in _answering(mind):
            mind.recall(texts[1])
            time.sleep(1)
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
            f"resident {_resident_mb('VmRSS'):.0f} MB, of which its own {_resident_mb('RssAnon'):.0f}  "
            f"{_answering(mind)}"
        )


def _answering(mind: Any) -> str:
    """Return what finds near vectors."""
    return next(str(check.detail) for check in mind.doctor().checks if check.name == "index")


def _now_ms() -> tuple[float, float]:
    return time.perf_counter() * 1_000, time.process_time() * 1_000


def _since(began: tuple[float, float]) -> tuple[float, float]:
    elapsed, cpu = _now_ms()
    return elapsed - began[0], cpu - began[1]


def _resident_mb(what: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    raise OSError(f"expected {what} in /proc/self/status")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--vectors", type=Path, help="where the vectors of the sentences are")
    parser.add_argument("--index", default="auto", help="what finds near vectors: auto, hnsw or signatures")
    parser.add_argument("--keep", type=Path, help="where stores are kept")
    parser.add_argument("--one", nargs=2, metavar=("FOLDER", "SIZE"), help=argparse.SUPPRESS)
    chosen: Any = parser.parse_args(arguments)
    if chosen.one:
        folder, size = chosen.one
        print(measure(Path(folder), int(size), chosen.index), flush=True)
        return
    environment = as_installed()
    for size in chosen.sizes:
        with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
            folder = (chosen.keep or Path(name)) / str(size)
            if not folder.exists():
                fill(folder, size, chosen.vectors)
            command = [sys.executable, "-m", "tests.bench.recall_at_size", "--index", chosen.index]
            # The first process finds files that nobody has read yet, and is not counted.
            for output in (subprocess.DEVNULL, None):
                subprocess.run(
                    [*command, "--one", str(folder), str(size)], check=True, env=environment, stdout=output
                )


if __name__ == "__main__":
    main()
