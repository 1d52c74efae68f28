"""Fit weights of signals to questions whose answers are known: listwise, by gradient, with numpy alone.

Each question is a list of candidates of which some are right. The loss is the cross-entropy between the softmax of the
scores and the right ones, all alike; its gradient is the difference of two means. Adam finds the weights in a second or
two. Deterministic: no randomness is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

STEPS: Final = 200
RATE: Final = 0.3
# Keeps weights of signals that say the same from running away from each other.
SHRINK: Final = 1e-3

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """One question: its candidates' signals, and which are right; `evidence` counts those out of reach too."""

    signals: Array
    right: NDArray[np.bool_]
    evidence: int
    category: int


def fit(examples: Sequence[Example]) -> Array:
    """Return the weights under which the right candidates come first."""
    lists = [example for example in examples if example.right.any()]
    rows = np.concatenate([example.signals for example in lists])
    starts = np.cumsum([0, *(len(example.signals) for example in lists[:-1])])
    sizes = [len(example.signals) for example in lists]
    target = np.concatenate([example.right / example.right.sum() for example in lists])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = rows @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        shares = np.exp(scores)
        shares /= np.repeat(np.add.reduceat(shares, starts), sizes)
        slope = (shares - target) @ rows / len(lists) + SHRINK * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights -= RATE * (1 - 0.9 * step / STEPS) * move
    return weights.astype(np.float32)
