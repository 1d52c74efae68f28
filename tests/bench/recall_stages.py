"""Say where the CPU time of a recall goes: `python -m tests.bench.recall_stages [--size 10000] [--questions 200]`.

Through the library's door, as `recall_at_size` asks, in one process. Each function named here has its time taken
on its thread, less that of those among them that it calls; what none of them took is the door's.
"""

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Final

import samemind
from cognition import mind
from cognition.embedding.index import VectorIndex
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.universal import UniversalEmbedder
from cognition.ranking import signals
from cognition.ranking.reading import TextWords
from cognition.recall import stages as recall
from cognition.search import passes
from tests.bench.recall_at_size import fill
from tests.bench.sentences import sentences
from tests.bench.stages import Stages, Taken

# Asked before anything is measured: vectors are read, caches filled as in a process that goes on.
WARM: Final = 20
STAGES: Final[Stages] = (
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


def measure(folder: Path, size: int, questions: int) -> dict[str, float]:
    """Return the share that each stage has of the CPU time of some questions, and what is left for the door."""
    chance, texts, taken = random.Random(3), list(sentences(size, seed=1)), Taken(STAGES)
    asked = [" ".join(chance.choice(texts).split()[2:7]) for _ in range(WARM + questions)]
    with samemind.open_blocking(folder) as store, taken.taking():
        for question in asked[:WARM]:
            store.recall(question)
        taken.reset()
        began = time.process_time()
        for question in asked[WARM:]:
            store.recall(question)
        shares = taken.shares(time.process_time() - began)
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
