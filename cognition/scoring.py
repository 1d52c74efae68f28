"""Formulas that turn what is known of a memory into a score. Pure; each has its numbers in a test.

They come from four published systems and disagree on purpose: which one orders a recall is decided in
`cognition.ranking.signals`, which one says what is worth keeping is decided by decay profiles. Elapsed
times are in ms, as everywhere; the formulas speak of days.
"""

import math
from collections.abc import Mapping
from typing import Final

DAY_MS: Final = 86_400_000

# memlocal: counts at which reinforcement and access have said all they can.
REINFORCEMENTS_SATED: Final = 10
ACCESSES_SATED: Final = 100
SALIENCE_WEIGHTS: Final = {"confidence": 0.25, "reinforcement": 0.25, "access": 0.20, "decay": 0.30}
CONFIDENCE_STORED_MIN: Final = 0.3

# YantrikDB: base weights, with and without the graph, the gate, and the bounds of its learning.
BASE_WEIGHTS: Final = {"similarity": 0.50, "decay": 0.20, "recency": 0.30}
GRAPH_WEIGHTS: Final = {"similarity": 0.35, "decay": 0.15, "recency": 0.20, "graph": 0.30}
RECENCY_DAYS: Final = 7
GATE_STEEPNESS: Final = 12.0
GATE_THRESHOLD: Final = 0.25
AMPLIFICATION: Final = 0.80
VALENCE_WEIGHT: Final = 0.3
# Not in the paper; its code learns at this rate.
LEARNING_RATE: Final = 0.01
WEIGHT_MIN: Final = 0.05
WEIGHT_MAX: Final = 0.90

# Memori: what a recall adds, and how it fades from the last one on.
ACCESS_BOOST: Final = 0.1


def reinforcement_factor(count: int) -> float:
    """Return how well told a memory is, 0 to 1, by how often it was told again (memlocal)."""
    return min(1.0, math.log1p(max(0, count)) / math.log1p(REINFORCEMENTS_SATED))


def access_factor(count: int) -> float:
    """Return how much used a memory is, 0 to 1, by how often it was recalled (memlocal)."""
    return min(1.0, math.log1p(max(0, count)) / math.log1p(ACCESSES_SATED))


def salience(*, confidence: float, reinforcements: int, accesses: int, decay: float) -> float:
    """Return the derived importance of a memory, 0 to 1 (memlocal).

    The one that people set is a field of its own.
    """
    weights = SALIENCE_WEIGHTS
    return (
        weights["confidence"] * confidence
        + weights["reinforcement"] * reinforcement_factor(reinforcements)
        + weights["access"] * access_factor(accesses)
        + weights["decay"] * decay
    )


def damped(similarity: float, confidence: float) -> float:
    """Return a similarity, less what speaks against a doubtful source (memlocal)."""
    return similarity * math.sqrt(confidence)


def similarity_of(cosine: float) -> float:
    """Return a cosine as a similarity: opposite is no less alike than unrelated (YantrikDB)."""
    return max(0.0, cosine)


def recency(age_ms: float) -> float:
    """Return how new a memory is: 1 now, 1/e after a week (YantrikDB); what is told of tomorrow is new."""
    return math.exp(-max(0.0, age_ms) / (RECENCY_DAYS * DAY_MS))


def base(signals: Mapping[str, float], weights: Mapping[str, float] = BASE_WEIGHTS) -> float:
    """Return the weighted sum of signals (YantrikDB)."""
    return sum(weight * signals[name] for name, weight in weights.items())


def gate(similarity: float) -> float:
    """Return how far importance may count: hardly at all below the threshold of relevance (YantrikDB)."""
    return 1 / (1 + math.exp(-GATE_STEEPNESS * (similarity - GATE_THRESHOLD)))


def amplified(base_score: float, *, similarity: float, importance: float) -> float:
    """Return a score raised by importance, as far as the memory is relevant (YantrikDB)."""
    return base_score * (1 + gate(similarity) * AMPLIFICATION * importance)


def valence_boost(valence: float, alignment: float) -> float:
    """Return the factor for a memory's mood beside the query's: more where they agree, less where they oppose.

    `alignment` is from -1 to 1; for a neutral query, 1, so that both moods count alike (YantrikDB).
    """
    return 1 + VALENCE_WEIGHT * abs(valence) * alignment


def learned(
    weights: Mapping[str, float],
    contributions: Mapping[str, float],
    *,
    relevant: bool,
    rate: float = LEARNING_RATE,
) -> dict[str, float]:
    """Return weights moved towards what found a relevant memory, or away from what found another (YantrikDB).

    Each is kept within bounds, and together they sum to 1.
    """
    total = sum(contributions.values())
    sign = rate if relevant else -rate
    moved = {
        name: min(
            WEIGHT_MAX, max(WEIGHT_MIN, weight + (sign * contributions[name] / total if total else 0.0))
        )
        for name, weight in weights.items()
    }
    normal = sum(moved.values())
    return {name: weight / normal for name, weight in moved.items()}


def access_boost(count: int) -> float:
    """Return the factor that recalls have earned, each less than the one before (Memori)."""
    return 1 + ACCESS_BOOST * math.log1p(max(0, count))
