"""Measure the search for near vectors: `python -m tests.bench.nearest [--sizes 10000 50000 100000] [--graph]`.

Texts are the sentences of the benches, embedded as a device does; questions are five words of one of them. Beside a
product with every vector: what both take (CPU, one thread), and how many of the nearest 10 and 120 the two passes find.
Beyond 16,384 an index holds 8 bits a number and reads the few that may be the nearest from a store, as a device's does.
With `--graph` also what a graph takes and finds (the extra `ann`), by how many it names for each that is wanted.

A million sentences take a quarter of an hour to embed. `--vectors FILE` keeps the vectors, and goes on with those that
are there; `tests.bench.recall_at_size` takes the same file.
"""

import argparse
import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cognition import Embedder
from cognition.background import queue
from cognition.choosing import EMBEDDERS, embedder_called
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import NAMED_EACH, Halves, VectorIndex
from tests.bench.sentences import sentences

SIZES: Final = (10_000, 50_000, 100_000)
QUESTIONS: Final = 60
# What a recall asks for at least, and what it shows.
POOL: Final = 120
SHOWN: Final = 10
# How many a graph names for each that is wanted.
NAMED: Final = (2, 5, NAMED_EACH, 15)
# Vectors that say in which directions all of them differ (`cognition.near_graph.keeper`).
_SAMPLE: Final = 20_000
_BATCH: Final = 5_000


def embedded(size: int, embedder: Embedder, kept: Path | None) -> Iterator[Halves]:
    """Return the vectors of as many sentences, as a store keeps them; those that were kept are not made again."""
    texts, wide = list(sentences(size, seed=1)), embedder.width * 2
    have = min(size, kept.stat().st_size // wide) if kept is not None and kept.exists() else 0
    for start in range(0, size, _BATCH):
        stop = min(start + _BATCH, size)
        if stop <= have:
            assert kept is not None
            yield np.fromfile(kept, np.float16, (stop - start) * embedder.width, offset=start * wide).reshape(
                -1, embedder.width
            )
            continue
        rows = embedder.embed(texts[start:stop]).astype(np.float16)
        if kept is not None:
            with kept.open("rb+" if kept.exists() else "wb") as file:
                file.seek(start * wide)
                file.write(rows.tobytes())
        yield rows


class Asked:
    """Some questions, and which vectors are really the nearest to each."""

    def __init__(self, size: int, embedder: Embedder, kept: Path | None) -> None:
        texts, chance = list(sentences(size, seed=1)), random.Random(3)
        asked = [" ".join(chance.choice(texts).split()[2:7]) for _ in range(QUESTIONS)]
        self.queries = np.concatenate([embedder.embed([text]) for text in asked])
        store = sqlite3.connect("")  # a file of its own, that is gone with it
        store.execute(
            "CREATE TABLE vector (id INTEGER PRIMARY KEY, space INTEGER NOT NULL, data BLOB NOT NULL)"
        )
        self.index = VectorIndex(
            embedder.width, room=size, kept=lambda ids: queue.vectors_of(store, 1, embedder.width, ids)
        )
        cosines = np.zeros((QUESTIONS, size), np.float32)
        for number, rows in enumerate(embedded(size, embedder, kept)):
            start = number * _BATCH
            self.index.add(range(start, start + len(rows)), rows)
            stored = ((start + n, 1, row.tobytes()) for n, row in enumerate(rows))
            store.executemany("INSERT INTO vector VALUES (?, ?, ?)", stored)
            cosines[:, start : start + len(rows)] = self.queries @ rows.astype(np.float32).T
        self.nearest = [np.argpartition(-each, POOL)[:POOL] for each in cosines]
        self.nearest = [
            rows[np.argsort(-each[rows])] for rows, each in zip(self.nearest, cosines, strict=True)
        ]

    def search(self) -> dict[str, float]:
        """Return the median of a search in ms, and the shares of the nearest that it finds."""
        took, found, found_shown = [], 0, 0
        for query, nearest in zip(self.queries, self.nearest, strict=True):
            began = time.process_time()
            hits = [number for number, _ in self.index.search(query, POOL)]
            took.append((time.process_time() - began) * 1_000)
            found += len({*hits} & {*nearest.tolist()})
            found_shown += len({*hits[:SHOWN]} & {*nearest[:SHOWN].tolist()})
        return {
            "search, ms": statistics.median(took),
            f"of the nearest {SHOWN}": found_shown / SHOWN / QUESTIONS,
            f"of the nearest {POOL}": found / POOL / QUESTIONS,
        }


def measure(asked: Asked, embedder: Embedder, size: int, kept: Path | None) -> dict[str, float]:
    """Return what signatures take and find."""
    # Beyond `ALL_MAX` it makes the signatures of all: what stands for the build of an index elsewhere.
    first = _cpu_ms(lambda: asked.index.search(asked.queries[0], POOL))
    found = {"first search, ms": first, **asked.search()}
    if size <= max(SIZES):
        matrix = np.concatenate([*embedded(size, embedder, kept)]).astype(np.float32)
        query = asked.queries[0]
        found["product with all, ms"] = statistics.median(
            _cpu_ms(lambda: np.vecdot(matrix, query)) for _ in range(QUESTIONS // 4)
        )
    return found


def with_graph(asked: Asked, size: int) -> Iterator[dict[str, float]]:
    """Return what a graph takes and finds, by how many it names."""
    import cognition.embedding.index as searching
    from cognition.near_graph.graph import HnswGraph, basis_of

    numbers = asked.index.begin()
    _, sample = asked.index.halves(numbers[:: max(1, size // _SAMPLE)].tolist())
    graph = HnswGraph(basis_of(_widened(sample)), size)
    began = time.process_time()
    for start in range(0, size, _BATCH):
        graph.add(*asked.index.halves(numbers[start : start + _BATCH].tolist()))
    built = time.process_time() - began
    asked.index.attach(graph)
    for each in NAMED:
        searching.NAMED_EACH = each  # type: ignore[misc]
        yield {"built, s": built, "names for each": each, **asked.search()}


def _widened(halves: NDArray[np.float16]) -> Vectors:
    return halves.astype(np.float32)


def _cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1_000


def _say(size: int, what: str, found: dict[str, float]) -> None:
    print(
        f"{size:>9,}  {what}  " + "  ".join(f"{name} {value:.4g}" for name, value in found.items()),
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a size and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--embedder", choices=tuple(EMBEDDERS), default="multilingual")
    parser.add_argument("--vectors", type=Path, help="where vectors are kept, and taken from")
    parser.add_argument("--graph", action="store_true", help="build a graph too")
    chosen: Any = parser.parse_args(arguments)
    embedder = embedder_called(chosen.embedder)
    for size in chosen.sizes:
        asked = Asked(size, embedder, chosen.vectors)
        _say(size, "signatures", measure(asked, embedder, size, chosen.vectors))
        if chosen.graph:
            for found in with_graph(asked, size):
                _say(size, "graph", found)


if __name__ == "__main__":
    main()
