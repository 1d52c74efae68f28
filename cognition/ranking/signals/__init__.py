"""The signals that order candidates: each pure, named, weighed and switchable, and in a file of its own.

A score is the sum of weight times signal. Weights are fitted on families of data and judged on one that was left out
(`tests.bench.fitting`); the table of what each earns is in `docs/explanation/recall.md`. A file that is put here is a
signal: nothing lists them.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, NamedTuple

from cognition.ranking.pool import Column, Pool
from cognition.ranking.signal import Signal

# The one signal that is not asked of the whole pool, and of nobody where there is no model.
RERANKER: Final = "reranker"


class Scored(NamedTuple):
    """The outcome: a score for each row, and what each signal gave each row."""

    scores: Column
    contributions: Mapping[str, Column]


def _found() -> tuple[Signal, ...]:
    modules = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").SIGNAL for name in modules)


SIGNALS: Final = _found()
WEIGHTS: Final[Mapping[str, float]] = {signal.name: signal.weight for signal in SIGNALS}


def score(pool: Pool, weights: Mapping[str, float] = WEIGHTS) -> Scored:
    """Return every row's score; a signal that has no weight, or weight 0, is not even asked."""
    given: dict[str, Column] = {}
    total = pool.blank()
    has_rows = bool(pool.rows)
    for signal in SIGNALS:
        weight = weights.get(signal.name, 0.0)
        if weight and (has_rows or signal.name == RERANKER):
            column = given[signal.name] = signal.of(pool)
            if column is not pool.none:  # as most signals of most questions are
                given[signal.name] = column = weight * column
                total += column
    return Scored(total, given)
