"""Say where the CPU time of a recall goes: `python -m tests.bench.recall_stages [--size 10000] [--questions 200]`.

Through the library's door, as `recall_at_size` asks, in one process. Each function named here has its time taken
on its thread, less that of those among them that it calls; what none of them took is the door's.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Final

import samemind
from cognition import mind, passes, recall
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.universal import UniversalEmbedder
from cognition.index import VectorIndex
from cognition.ranking import signals
from cognition.ranking.reading import TextWords
from tests.bench.recall_at_size import fill
from tests.bench.sentences import sentences

# Asked before anything is measured: vectors are read, caches filled as in a process that goes on.
WARM: Final = 20
# What each stage is done by, where its callers look it up.
STAGES: Final[Sequence[tuple[str, Sequence[tuple[object, str]]]]] = (
    ("correct and read the question", [(mind, "corrected"), (mind, "Query")]),
    ("embed it", [(UniversalEmbedder, "embed")]),
    ("full text", [(passes, "by_words")]),
    ("vectors", [(passes, "by_vector"), (VectorIndex, "cosines")]),
    ("the other searches", [(passes, "by_match"), (passes, "by_graph"), (passes, "by_triples")]),
    ("read the rows of the candidates", [(passes.Candidates, "_read")]),
    ("summaries, and fuse", [(recall, "stand_in"), (recall, "fuse")]),
    ("the turns beside the best", [(passes, "read_near")]),
    ("put the pool together", [(recall, "_pool"), (recall, "as_told")]),
    ("rank: read the texts", [(TextWords, "__init__")]),
    ("rank: how alike words are", [(WordVectors, "cosines"), (WordVectors, "weigh")]),
    ("rank: the signals", [(signals, "score")]),
    ("how sure each is", [(recall, "evidence")]),
    ("rank: put in order, and between the stages", [(recall, "in_order"), (mind, "rank")]),
    ("assemble and show", [(mind, "assemble"), (mind, "with_both_sides")]),
)


class Taken:
    """How long each stage took, in seconds of CPU."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys((stage for stage, _ in STAGES), 0.0)
        self._inner: list[float] = []
        """Of each that is under way, the outermost first: what those that it called took."""

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same function, whose time is kept."""

        @wraps(function)
        def run(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            began = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                took = time.thread_time() - began
                self.seconds[stage] += took - self._inner.pop()
                if self._inner:
                    self._inner[-1] += took

        return run


def measure(folder: Path, size: int, questions: int) -> dict[str, float]:
    """Return the share that each stage has of the CPU time of some questions, and what is left for the door."""
    chance, texts, taken = random.Random(3), list(sentences(size, seed=1)), Taken()
    asked = [" ".join(chance.choice(texts).split()[2:7]) for _ in range(WARM + questions)]
    before = [(owner, name, getattr(owner, name)) for _, places in STAGES for owner, name in places]
    with samemind.open_blocking(folder) as store:
        try:
            for stage, places in STAGES:
                for owner, name in places:
                    setattr(owner, name, taken.timed(stage, getattr(owner, name)))
            for question in asked[:WARM]:
                store.recall(question)
            taken.seconds = dict.fromkeys(taken.seconds, 0.0)
            began = time.process_time()
            for question in asked[WARM:]:
                store.recall(question)
            whole = time.process_time() - began
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)
    shares = {stage: seconds / whole for stage, seconds in taken.seconds.items()}
    return {**shares, "the door: threads, options, the result": 1 - sum(shares.values())}


def main() -> None:
    """Fill a store, and print a line a stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        folder = Path(name) / "home"
        fill(folder, chosen.size)
        for stage, share in measure(folder, chosen.size, chosen.questions).items():
            print(f"{share:6.1%}  {stage}")


if __name__ == "__main__":
    main()
