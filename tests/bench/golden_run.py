"""Ask the golden set (YD-74): vectors alone, all signals, and the graph too; recall and precision at 10, and MRR."""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import Final, NamedTuple

from cognition import RankedMemory, StaticEmbedder
from cognition.ranking.signals import WEIGHTS
from replica import MemoryId, Relate, Write
from tests.bench.golden import DAY_MS, DAYS, EDGES, MEMORIES, QUESTIONS
from tests.support.minds import NOW_MS
from tests.support.recalling import Memory

K: Final = 10
# Each baseline: the weights it ranks by, and whether it follows edges.
BASELINES: Final[Mapping[str, tuple[Mapping[str, float], bool]]] = {
    "vectors": ({"meaning": 1.0}, False),
    "all signals": (WEIGHTS, False),
    "and the graph": (WEIGHTS, True),
}


class Metrics(NamedTuple):
    """How well questions were answered, each from 0 to 1."""

    recall: float
    precision: float
    mrr: float


def judged(hits: Sequence[RankedMemory], answers: Sequence[MemoryId]) -> Metrics:
    """Return the metrics of one answer; a summary counts through what it was drawn from (YD-75)."""
    wanted = set(answers)
    told = [wanted & {hit.rid, *hit.sources} for hit in hits[:K]]
    found = set[MemoryId]().union(*told)
    first = next((place for place, some in enumerate(told, start=1) if some), None)
    return Metrics(len(found) / len(wanted), sum(map(bool, told)) / K, 0.0 if first is None else 1 / first)


def averaged(each: Sequence[Metrics]) -> Metrics:
    """Return the mean of each metric."""
    return Metrics(*(mean(values) for values in zip(*each, strict=True)))


def run(embedder: StaticEmbedder | None = None) -> dict[str, dict[str, Metrics]]:
    """Return, for each baseline, the metrics of each category and of all."""
    memory = Memory(embedder or StaticEmbedder())
    rids = [
        memory.home.remember(
            told.text,
            conversation=f"session {told.session}",
            told_at=NOW_MS - (DAYS - told.day) * DAY_MS,
            **{
                name: value
                for name, value in (
                    ("type", told.type), ("importance", told.importance), ("valence", told.valence),
                )
                if value is not None
            },
        )
        for told in MEMORIES
    ]  # fmt: skip
    memory.home.commit(*[Write(Relate(*edge, 1.0)) for edge in EDGES])
    memory.embed()
    found: dict[str, dict[str, Metrics]] = {}
    for name, (weights, graph) in BASELINES.items():
        by_category: dict[str, list[Metrics]] = {}
        for asked in QUESTIONS:
            hits = memory.recall(asked.text, k=K, weights=weights, graph=graph)
            by_category.setdefault(asked.category, []).append(
                judged(hits, [rids[number] for number in asked.answers])
            )
        every = [one for some in by_category.values() for one in some]
        found[name] = {category: averaged(some) for category, some in by_category.items()}
        found[name]["all"] = averaged(every)
    return found


def report(say: Callable[[str], None] = print) -> None:
    """Print the baselines side by side."""
    found = run()
    say(
        f"\nGolden set, {len(MEMORIES)} memories, {len(QUESTIONS)} questions: recall / precision at {K} / MRR, %"
    )
    say(f"  {'':>12}" + "".join(f"{name:>24}" for name in found))
    for category in next(iter(found.values())):
        cells = ["/".join(f"{100 * value:6.1f}" for value in found[name][category]) for name in found]
        say(f"  {category:>12}" + "".join(f"{cell:>24}" for cell in cells))
