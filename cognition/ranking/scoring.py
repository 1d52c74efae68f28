"""Formulas that turn what is known of a memory into a score. Pure; each has its numbers in a test.

They come from four published systems and disagree on purpose: how they come together in one order is decided in
`cognition.ranking.signals`, which one says what is worth keeping is decided by decay profiles. Elapsed
times are in ms, as everywhere; the formulas speak of days. Each takes a number, or a column of them.
"""

import math
from collections.abc import Mapping
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from cognition.days import DAY_MS

Number = TypeVar("Number", float, NDArray[np.float64])

# memlocal: counts at which reinforcement and access have said all they can.
REINFORCEMENTS_SATED: Final = 10
ACCESSES_SATED: Final = 100
SALIENCE_WEIGHTS: Final = {"confidence": 0.25, "reinforcement": 0.25, "access": 0.20, "decay": 0.30}

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


def reinforcement_factor(count: Number) -> Number:
    """Return how well told a memory is, 0 to 1, by how often it was told again (memlocal)."""
    factor: Number = np.minimum(1.0, np.log1p(np.maximum(0, count)) / math.log1p(REINFORCEMENTS_SATED))
    return factor


def access_factor(count: Number) -> Number:
    """Return how much used a memory is, 0 to 1, by how often it was recalled (memlocal)."""
    factor: Number = np.minimum(1.0, np.log1p(np.maximum(0, count)) / math.log1p(ACCESSES_SATED))
    return factor


def salience(*, confidence: Number, reinforcements: Number, accesses: Number, decay: Number) -> Number:
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


def damped(similarity: Number, confidence: Number) -> Number:
    """Return a similarity, less what speaks against a doubtful source (memlocal)."""
    less: Number = similarity * np.sqrt(confidence)
    return less


def similarity_of(cosine: Number) -> Number:
    """Return a cosine as a similarity: opposite is no less alike than unrelated (YantrikDB)."""
    similarity: Number = np.maximum(0.0, cosine)
    return similarity


def recency(age_ms: Number) -> Number:
    """Return how new a memory is: 1 now, 1/e after a week (YantrikDB); what is told of tomorrow is new."""
    fresh: Number = np.exp(-np.maximum(0.0, age_ms) / (RECENCY_DAYS * DAY_MS))
    return fresh


def base(signals: Mapping[str, Number], weights: Mapping[str, float] = BASE_WEIGHTS) -> Number:
    """Return the weighted sum of signals (YantrikDB)."""
    total, *others = (weight * signals[name] for name, weight in weights.items())
    for each in others:
        total = total + each
    return total


def gate(similarity: Number) -> Number:
    """Return how far importance may count: hardly at all below the threshold of relevance (YantrikDB)."""
    opened: Number = 1 / (1 + np.exp(-GATE_STEEPNESS * (similarity - GATE_THRESHOLD)))
    return opened


def amplified(base_score: Number, *, similarity: Number, importance: Number) -> Number:
    """Return a score raised by importance, as far as the memory is relevant (YantrikDB)."""
    return base_score * (1 + gate(similarity) * AMPLIFICATION * importance)


def valence_boost(valence: Number, alignment: Number) -> Number:
    """Return the factor for a memory's mood beside the query's: more where they agree, less where they oppose.

    `alignment` is from -1 to 1; for a neutral query, 1, so that both moods count alike (YantrikDB).
    """
    boost: Number = 1 + VALENCE_WEIGHT * np.abs(valence) * alignment
    return boost


def access_boost(count: Number) -> Number:
    """Return the factor that recalls have earned, each less than the one before (Memori)."""
    boost: Number = 1 + ACCESS_BOOST * np.log1p(np.maximum(0, count))
    return boost
