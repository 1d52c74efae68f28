"""Let people teach the ranking: which signals are to count for more, by what they found relevant.

The many signals of the ranking are taken together under the five names that feedback learns by. One feedback moves
each of them by its share in what found the memory, times the learning rate, and is written down as whole numbers of
1e-9. Its op says nothing else, so the sum over all feedback is the same on every device in whatever order it came;
only then it is added to the weights that all begin with, kept within bounds and normalised, once (YD-24).

A weight acts as a factor on its signals: without feedback every factor is 1.
"""

import sqlite3
from collections.abc import Mapping
from typing import Final

from cognition.ranking.scoring import LEARNING_RATE, WEIGHT_MAX, WEIGHT_MIN
from cognition.ranking.signal import SIMILARITY
from cognition.ranking.signals import SIGNALS, WEIGHTS
from replica import WHOLE_AMOUNT, Feedback, MemoryId, read_lessons

# Where learning begins. Similarity counts most, as in every published set; the others begin alike.
FIRST_WEIGHTS: Final = {"similarity": 0.40, "decay": 0.15, "recency": 0.15, "importance": 0.15, "graph": 0.15}
# Under which of these each signal of the ranking is taught.
_TAUGHT_AS: Final = {signal.name: signal.taught_as for signal in SIGNALS}
SIMILARITY_SIGNALS: Final = frozenset(name for name, taught in _TAUGHT_AS.items() if taught == SIMILARITY)


def shares(given: Mapping[str, float]) -> dict[str, float]:
    """Return what found a memory, as the share of each of the five; nothing where nothing spoke for it."""
    spoke = dict.fromkeys(FIRST_WEIGHTS, 0.0)
    for signal, contribution in given.items():
        spoke[_TAUGHT_AS[signal]] += max(0.0, contribution)
    total = sum(spoke.values())
    return {name: value / total for name, value in spoke.items()} if total else {}


def lesson(
    rid: MemoryId, given: Mapping[str, float], *, relevant: bool, rate: float = LEARNING_RATE
) -> Feedback:
    """Return the op that teaches what found a memory, or what found it wrongly.

    `given` is what each signal gave it. The rate is applied here and not where lessons are summed: devices may be
    configured differently, and must still come to the same weights.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"expected a learning rate above 0 and up to 1, got {rate}")
    part = shares(given) or dict.fromkeys(FIRST_WEIGHTS, 0.0)
    whole = (rate if relevant else -rate) * WHOLE_AMOUNT
    return Feedback(rid, tuple((name, round(whole * part[name])) for name in sorted(part)))


def learned(taught: Mapping[str, int], first: Mapping[str, float] = FIRST_WEIGHTS) -> dict[str, float]:
    """Return the five weights after all feedback: each within bounds, and together 1."""
    moved = {
        name: min(WEIGHT_MAX, max(WEIGHT_MIN, weight + taught.get(name, 0) / WHOLE_AMOUNT))
        for name, weight in first.items()
    }
    total = sum(moved.values())
    return {name: weight / total for name, weight in moved.items()}


def signal_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of every signal of the ranking under these five."""
    factors = {name: weights[name] / first for name, first in FIRST_WEIGHTS.items()}
    return {signal: weight * factors[_TAUGHT_AS[signal]] for signal, weight in WEIGHTS.items()}


def learned_weights(connection: sqlite3.Connection) -> dict[str, float]:
    """Return the five weights as this device has learned them, which is as every device has."""
    return learned(read_lessons(connection))


def ranking_weights(connection: sqlite3.Connection) -> Mapping[str, float]:
    """Return the weight of every signal, as learned."""
    taught = read_lessons(connection)
    return signal_weights(learned(taught)) if taught else WEIGHTS
