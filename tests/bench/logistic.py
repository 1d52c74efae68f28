"""Fit a logistic: by Newton's steps, with a little shrinking, so that nothing is drawn and every run says the same."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

STEPS: Final = 40
SHRINK: Final = 1e-3
Numbers = NDArray[np.float64]


def logistic(table: Numbers, wanted: Numbers, share: Numbers) -> Numbers:
    """Return a weight for each column, and behind them what is added; `share` is how much each row counts."""
    share = share / share.sum()
    middle, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled = np.column_stack([(table - middle) / spread, np.ones(len(table))])
    weights = np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (share * (said - wanted)) + SHRINK * weights
        bend = (scaled * (share * said * (1 - said))[:, None]).T @ scaled + SHRINK * np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    return np.append(weights[:-1] / spread, weights[-1] - (weights[:-1] * middle / spread).sum())
