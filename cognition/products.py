"""Multiply every vector of one table with every vector of another, on the thread that asks."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

# OpenBLAS shares a product out among its threads from 2^18 multiplications on, and then waits for each of them: where
# the cores have anything else to do, 100 vectors by 1,000 took 15 ms of CPU so, and take less than one on one thread.
# Tiles of 32 by 32 vectors of 256 numbers are just below that.
_SHARED_ABOVE: Final = 1 << 18
_TILE_MAX: Final = 32


def products(rows: Vectors, columns: Vectors) -> Vectors:
    """Return the product of each of these rows with each of the others: a table with a row for each of the first."""
    width = rows.shape[1]
    tile = max(1, min(_TILE_MAX, int((_SHARED_ABOVE / max(1, width)) ** 0.5)))
    left, right = _tiles(rows, tile), _tiles(columns, tile)
    found = left[:, None] @ right.transpose(0, 2, 1)[None]
    table: Vectors = found.transpose(0, 2, 1, 3).reshape(len(left) * tile, len(right) * tile)
    return table[: len(rows), : len(columns)]


def _tiles(rows: Vectors, tile: int) -> Vectors:
    """Return rows as tiles of so many, the last one filled up with zeros."""
    missing = -len(rows) % tile
    if missing:
        rows = np.concatenate([rows, np.zeros((missing, rows.shape[1]), rows.dtype)])
    return rows.reshape(-1, tile, rows.shape[1])
