"""Keep the vectors of the memories that stand alone at hand between cycles, so that a cycle reads only what is new.

Which memories stand alone is in the table `consolidation_alone`, and what holds of one is read from its row each time;
here is only what says that two are alike. So a row too many does no harm, and a row too few would: whatever is added to
the table is added here, and a store that is opened anew is read once.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.consolidation.clusters import SIMILARITY_MIN, WINDOW_DAYS, Vectors

# The latest told are kept, and are what a new memory is compared with: 20 MB, whatever was imported into one month.
ALONE_MAX: Final = 20_000
# How many more may gather before the oldest go: dropping them copies all.
_SPARE: Final = 2_000
_ROWS_MIN: Final = 256


class Alone:
    """The vectors of a store's lone memories, at length 1, each with its number and the day it was told."""

    def __init__(self) -> None:
        self._vectors = np.zeros((0, 0), np.float32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._days: NDArray[np.int64] = np.zeros(0, np.int64)
        self._at: dict[int, int] | None = None  # None: nothing was read yet

    def like(
        self, connection: sqlite3.Connection, vectors: Vectors, first_day: int, last_day: int
    ) -> list[int]:
        """Return the numbers of those that are like one of these, and were told in or near these days."""
        self._read(connection, vectors.shape[1])
        assert self._at is not None
        count = len(self._at)
        if not count:
            return []
        days = self._days[:count]
        within = (days >= first_day - WINDOW_DAYS - 1) & (days <= last_day + WINDOW_DAYS + 1)
        if not within.any():
            return []
        near = (vectors @ self._vectors[:count][within].T).max(axis=0) > SIMILARITY_MIN
        return [int(number) for number in self._numbers[:count][within][near]]

    def add(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        """Take in those of these memories that the table says stand alone."""
        if self._at is None:
            return
        for number in numbers:
            row = connection.execute(
                "SELECT a.day, v.data FROM consolidation_alone a JOIN vector v ON v.id = a.id WHERE a.id = ?",
                (number,),
            ).fetchone()
            if row is not None:
                self._put(number, *row)
        if len(self._at) > ALONE_MAX + _SPARE:
            self._keep(np.sort(np.argsort(self._days[: len(self._at)], kind="stable")[-ALONE_MAX:]))

    def _read(self, connection: sqlite3.Connection, width: int) -> None:
        if self._at is not None and width == self._vectors.shape[1]:
            return
        rows = connection.execute(
            """SELECT a.id, a.day, v.data FROM consolidation_alone a JOIN vector v ON v.id = a.id
               ORDER BY a.day DESC LIMIT ?""",
            (ALONE_MAX,),
        ).fetchall()
        self._at = {number: at for at, (number, _, _) in enumerate(rows)}
        self._numbers = np.array([number for number, _, _ in rows], np.int64)
        self._days = np.array([day for _, day, _ in rows], np.int64)
        self._vectors = unit([data for _, _, data in rows]) if rows else np.zeros((0, width), np.float32)

    def _put(self, number: int, day: int, data: bytes) -> None:
        assert self._at is not None
        at = self._at.setdefault(number, len(self._at))
        if at == len(self._numbers):
            self._resize(max(_ROWS_MIN, 2 * at))
        self._numbers[at], self._days[at], self._vectors[at] = number, day, unit([data])[0]

    def _resize(self, rows: int) -> None:
        vectors = np.zeros((rows, self._vectors.shape[1]), np.float32)
        numbers, days = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        held = len(self._numbers)
        vectors[:held], numbers[:held], days[:held] = self._vectors, self._numbers, self._days
        self._vectors, self._numbers, self._days = vectors, numbers, days

    def _keep(self, rows: NDArray[np.intp]) -> None:
        self._numbers, self._days = self._numbers[rows], self._days[rows]
        self._vectors = self._vectors[rows]
        self._at = {int(number): at for at, number in enumerate(self._numbers)}


def unit(data: Sequence[bytes]) -> Vectors:
    """Return stored vectors at length 1; one that says nothing stays zero, and is like no other."""
    vectors = np.frombuffer(b"".join(data), np.float16).reshape(len(data), -1).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors
