"""Multiply every vector of one table with every vector of another, on the thread that asks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.one_thread import one_thread

Vectors = NDArray[np.float32]


def products(rows: Vectors, columns: Vectors) -> Vectors:
    """Return the product of each of these rows with each of the others: a table with a row for each of the first."""
    with one_thread():
        table: Vectors = rows @ columns.T
    return table


def unit(data: Sequence[bytes]) -> Vectors:
    """Return stored vectors at length 1; one that says nothing stays zero, and is like no other."""
    vectors = np.frombuffer(b"".join(data), np.float16).reshape(len(data), -1).astype(np.float32)
    # Not by `np.linalg.norm`, which makes three more tables of this size.
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors
