"""Multiply every vector of one table with every vector of another, on the thread that asks."""

import numpy as np
from numpy.typing import NDArray

from cognition.one_thread import one_thread

Vectors = NDArray[np.float32]


def products(rows: Vectors, columns: Vectors) -> Vectors:
    """Return the product of each of these rows with each of the others: a table with a row for each of the first."""
    with one_thread():
        table: Vectors = rows @ columns.T
    return table
