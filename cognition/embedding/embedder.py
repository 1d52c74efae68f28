"""What an embedder promises: texts in, unit vectors of one named space out.

A vector means nothing outside the space it was made in, so a space has a name that changes whenever its
vectors would: model, version, and what was done to the text. Vectors of two names are never compared or
mixed; when the name changes, memories are embedded again in the background.

Vectors are derived data. The last bits may differ between machines and batch sizes, so they are never
hashed, never compared between devices and never shipped as ops.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Maps texts to vectors.

    May be called from several threads at once; loads what it needs on its first call.
    """

    @property
    def name(self) -> str:
        """The name of the space, known without loading anything."""
        ...

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def costly(self) -> bool:
        """Whether a text takes more than a millisecond: too long for all texts of a store while somebody waits."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row a text, each of length 1, or all zeros where a text says nothing.

        Raises `ModelUnavailable` where the model cannot be had on this machine.
        """
        ...


def unit(rows: Vectors) -> Vectors:
    """Scale every row to length 1 in place, leaving rows of zeros as they are, and return them."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    rows /= lengths[:, None]
    return rows
