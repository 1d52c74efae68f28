"""Keep the vectors of the memories that stand alone at hand between cycles, so that a cycle reads only what is new.

Which memories stand alone is in the table `consolidation_alone`, and what holds of one is read from its row each time;
here is only what says that two are alike. So a row too many does no harm, and a row too few would: whatever is added to
the table is added here, and a store that is opened anew is read once. Of a large store only the latest days are kept:
what is asked of earlier ones, as when an archive is imported, is read from the table.

A number of a vector is kept in 8 bits, which moves a cosine by some hundredths at most. By how much at most is known of
each vector, and it is named wherever it could be like another: who asks compares the vectors themselves.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cognition.consolidation.clusters import SIMILARITY_MIN, WINDOW_DAYS
from cognition.embedding.products import Vectors, products, unit
from cognition.memories import EACH

# The latest told are kept, and are what a new memory is compared with: 5 MB, whatever was imported into one month.
ALONE_MAX: Final = 20_000
# How many more may gather before the oldest go: dropping them copies all.
_SPARE: Final = 2_000
_ROWS_MIN: Final = 256
# Vectors that are read, or compared, at a time: four megabytes as numbers of 32 bits.
_BLOCK: Final = 4_096
# The largest number of 8 bits stands for the largest of a vector.
_LARGEST: Final = 127
# What numbers of 32 bits may be off by themselves.
_ROUNDING: Final = 1e-4
# Before and after every day.
_FIRST_DAY: Final = -(2**62)
_LAST_DAY: Final = 2**62


class Packed(NamedTuple):
    """Vectors in 8 bits a number, and for each what its numbers are multiplied with."""

    numbers: NDArray[np.int8]
    scales: Vectors

    def could_be_like(self, vectors: Vectors, among: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of these rows that may be like one of these vectors: every one that is, and few others."""
        # Each number is off by half a step at most, so the vector by that times the root of its width.
        least = SIMILARITY_MIN - self.scales * (vectors.shape[1] ** 0.5 / 2) - _ROUNDING
        near = [among[:0]]
        for start in range(0, len(among), _BLOCK):
            some = among[start : start + _BLOCK]
            cosines = products(vectors, self.numbers[some].astype(np.float32))
            near.append(some[cosines.max(axis=0) * self.scales[some] > least[some]])
        return np.concatenate(near)


class Alone:
    """The vectors of a store's lone memories, packed, each with its number and the day it was told."""

    def __init__(self) -> None:
        self._packed = _packed([], 0)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._days: NDArray[np.int64] = np.zeros(0, np.int64)
        self._at: dict[int, int] | None = None  # None: nothing was read yet
        self._whole_since: int | None = None  # the first day of which all are here; None: all of all days

    def like(
        self, connection: sqlite3.Connection, vectors: Vectors, first_day: int, last_day: int
    ) -> list[int]:
        """Return the numbers of those that may be like one of these, and were told in or near these days."""
        self._read(connection, vectors.shape[1])
        assert self._at is not None
        first, last = first_day - WINDOW_DAYS - 1, last_day + WINDOW_DAYS + 1
        if self._whole_since is not None and first < self._whole_since:
            numbers, _, packed = _told_within(connection, first, last, vectors.shape[1])
            within = np.arange(len(numbers))
        else:
            numbers, packed = self._numbers, self._packed
            days = self._days[: len(self._at)]
            within = np.flatnonzero((days >= first) & (days <= last))
        return [int(number) for number in numbers[packed.could_be_like(vectors, within)]]

    def add(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
        """Take in those of these memories that the table says stand alone."""
        if self._at is None:
            return
        rows = connection.execute(
            f"""SELECT a.id, a.day, v.data FROM consolidation_alone a JOIN vector v ON v.id = a.id
                WHERE a.id IN ({EACH})""",
            (json.dumps([*numbers]),),
        ).fetchall()
        self._put(rows)
        if len(self._at) > ALONE_MAX + _SPARE:
            self._keep(np.sort(np.argsort(self._days[: len(self._at)], kind="stable")[-ALONE_MAX:]))

    def _read(self, connection: sqlite3.Connection, width: int) -> None:
        if self._at is not None and width == self._packed.numbers.shape[1]:
            return
        numbers, days, packed = _told_within(connection, _FIRST_DAY, _LAST_DAY, width)
        # Of the oldest day that came some may be missing.
        self._whole_since = int(days[-1]) + 1 if len(days) == ALONE_MAX else None
        self._at = {int(number): at for at, number in enumerate(numbers)}
        self._numbers, self._days, self._packed = numbers, days, packed

    def _put(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        assert self._at is not None
        at = [self._at.setdefault(number, len(self._at)) for number, _, _ in rows]
        if len(self._at) > len(self._numbers):
            self._resize(max(_ROWS_MIN, 2 * len(self._at)))
        self._numbers[at], self._days[at] = [number for number, _, _ in rows], [day for _, day, _ in rows]
        packed = _packed([data for _, _, data in rows], self._packed.numbers.shape[1])
        self._packed.numbers[at], self._packed.scales[at] = packed

    def _resize(self, rows: int) -> None:
        packed = Packed(np.zeros((rows, self._packed.numbers.shape[1]), np.int8), np.zeros(rows, np.float32))
        numbers, days = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        held = len(self._numbers)
        packed.numbers[:held], packed.scales[:held] = self._packed
        numbers[:held], days[:held] = self._numbers, self._days
        self._packed, self._numbers, self._days = packed, numbers, days

    def _keep(self, rows: NDArray[np.intp]) -> None:
        self._numbers, self._days = self._numbers[rows], self._days[rows]
        self._packed = Packed(self._packed.numbers[rows], self._packed.scales[rows])
        self._at = {int(number): at for at, number in enumerate(self._numbers)}
        since = int(self._days.min()) + 1
        self._whole_since = since if self._whole_since is None else max(since, self._whole_since)


def _told_within(
    connection: sqlite3.Connection, first: int, last: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Packed]:
    """Return number, day and vector of those that stand alone and were told in these days, the latest first."""
    told = connection.execute(
        """SELECT a.id, a.day, v.data FROM consolidation_alone a JOIN vector v ON v.id = a.id
           WHERE a.day BETWEEN ? AND ? ORDER BY a.day DESC LIMIT ?""",
        (first, last, ALONE_MAX),
    )
    numbers: list[int] = []
    days: list[int] = []
    packed = [_packed([], width)]
    while rows := told.fetchmany(_BLOCK):
        numbers += [number for number, _, _ in rows]
        days += [day for _, day, _ in rows]
        packed.append(_packed([data for _, _, data in rows], width))
    return (
        np.array(numbers, np.int64),
        np.array(days, np.int64),
        Packed(*map(np.concatenate, zip(*packed, strict=True))),
    )


def _packed(data: Sequence[bytes], width: int) -> Packed:
    """Pack stored vectors of this width, each at length 1."""
    vectors = unit(data) if data else np.zeros((0, width), np.float32)
    scales = np.abs(vectors).max(axis=1, initial=0) / np.float32(_LARGEST)
    steps = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None])
    return Packed(steps.astype(np.int8), scales)
