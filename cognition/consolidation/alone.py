"""Keep the vectors of the memories that stand alone at hand between cycles, so that a cycle reads only what is new.

Which memories stand alone is in the table `consolidation_alone`, and what holds of one is read from its row each time;
here is only what says that two are alike. So a row too many does no harm, and a row too few would: whatever is added to
the table is added here, and a store that is opened anew is read once. Of a large store only the latest days are kept:
what is asked of earlier ones, as when an archive is imported, is read from the table.
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
# Before and after every day.
_FIRST_DAY: Final = -(2**62)
_LAST_DAY: Final = 2**62


class Alone:
    """The vectors of a store's lone memories, at length 1, each with its number and the day it was told."""

    def __init__(self) -> None:
        self._vectors = np.zeros((0, 0), np.float32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._days: NDArray[np.int64] = np.zeros(0, np.int64)
        self._at: dict[int, int] | None = None  # None: nothing was read yet
        self._whole_since: int | None = None  # the first day of which all are here; None: all of all days

    def like(
        self, connection: sqlite3.Connection, vectors: Vectors, first_day: int, last_day: int
    ) -> list[int]:
        """Return the numbers of those that are like one of these, and were told in or near these days."""
        self._read(connection, vectors.shape[1])
        assert self._at is not None
        first, last = first_day - WINDOW_DAYS - 1, last_day + WINDOW_DAYS + 1
        if self._whole_since is not None and first < self._whole_since:
            rows = _told_within(connection, first, last)
            numbers = np.array([number for number, _, _ in rows], np.int64)
            near_by = unit([data for _, _, data in rows]) if rows else self._vectors[:0]
        else:
            days = self._days[: len(self._at)]
            within = np.flatnonzero((days >= first) & (days <= last))
            numbers, near_by = self._numbers[within], self._vectors[within]
        if not len(numbers):
            return []
        near = (vectors @ near_by.T).max(axis=0) > SIMILARITY_MIN
        return [int(number) for number in numbers[near]]

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
        rows = _told_within(connection, _FIRST_DAY, _LAST_DAY)
        # Of the oldest day that came some may be missing.
        self._whole_since = rows[-1][1] + 1 if len(rows) == ALONE_MAX else None
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
        since = int(self._days.min()) + 1
        self._whole_since = since if self._whole_since is None else max(since, self._whole_since)


def _told_within(connection: sqlite3.Connection, first: int, last: int) -> list[tuple[int, int, bytes]]:
    """Return number, day and vector of those that stand alone and were told in these days, the latest first."""
    return connection.execute(
        """SELECT a.id, a.day, v.data FROM consolidation_alone a JOIN vector v ON v.id = a.id
           WHERE a.day BETWEEN ? AND ? ORDER BY a.day DESC LIMIT ?""",
        (first, last, ALONE_MAX),
    ).fetchall()


def unit(data: Sequence[bytes]) -> Vectors:
    """Return stored vectors at length 1; one that says nothing stays zero, and is like no other."""
    vectors = np.frombuffer(b"".join(data), np.float16).reshape(len(data), -1).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors
