"""Measure the search for near vectors: `python -m tests.bench.nearest [--sizes 10000 50000 100000]`.

Texts are the sentences of the benches, embedded as a device does; questions are five words of one of them. Beside a
product with every vector: what both take (CPU, one thread), and how many of the nearest 10 and 120 the two passes find.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cognition import StaticEmbedder
from cognition.index import VectorIndex
from tests.bench.sentences import sentences

SIZES: Final = (10_000, 50_000, 100_000)
QUESTIONS: Final = 60
# What a recall asks for at least, and what it shows.
POOL: Final = 120
SHOWN: Final = 10
_BATCH: Final = 5_000


def measure(size: int, embedder: StaticEmbedder) -> dict[str, float]:
    """Return medians in ms, and shares of what was found."""
    texts, chance = list(sentences(size, seed=1)), random.Random(3)
    index, matrix = VectorIndex(embedder.width), np.zeros((size, embedder.width), np.float32)
    for start in range(0, size, _BATCH):
        rows = embedder.embed(texts[start : start + _BATCH])
        matrix[start : start + len(rows)] = rows
        index.add(range(start, start + len(rows)), rows)
    asked = embedder.embed([" ".join(chance.choice(texts).split()[2:7]) for _ in range(QUESTIONS)])
    # Beyond `ALL_MAX` it makes the signatures of all: what stands for the build of an index elsewhere.
    first = _cpu_ms(lambda: index.search(asked[0], POOL))
    ours, all_of_them, found, found_shown = [], [], 0, 0
    for query in asked:
        ours.append(_cpu_ms(lambda query=query: index.search(query, POOL)))  # type: ignore[misc]
        all_of_them.append(_cpu_ms(lambda query=query: np.einsum("ij,j->i", matrix, query)))  # type: ignore[misc]
        hits = [number for number, _ in index.search(query, POOL)]
        nearest = np.argsort(-(matrix @ query)).tolist()
        found += len({*hits} & {*nearest[:POOL]})
        found_shown += len({*hits[:SHOWN]} & {*nearest[:SHOWN]})
    return {
        "first search, ms": first,
        "search, ms": statistics.median(ours),
        "product with all, ms": statistics.median(all_of_them),
        f"of the nearest {SHOWN}": found_shown / SHOWN / QUESTIONS,
        f"of the nearest {POOL}": found / POOL / QUESTIONS,
    }


def _cpu_ms(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    chosen: Any = parser.parse_args(arguments)
    embedder = StaticEmbedder()
    for size in chosen.sizes:
        found = measure(size, embedder)
        print(f"{size:>7,}  " + "  ".join(f"{name} {value:.3g}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
