"""Find the vectors nearest to one, among all or among some.

Up to `ALL_MAX` vectors every one is multiplied with the question. Beyond, a first pass looks at signs only: a vector's
signature is a bit a number, whether that number is above the middle of all vectors, and the signatures that differ
least from the question's name a shortlist, whose vectors are multiplied as they are. So every cosine that is returned
is exact; what may be missed is a vector whose signs look less like the question than its numbers do. With 256 bits and
a shortlist of some thousands that is less than one in a hundred of the nearest 120, and none of the nearest 10
(`tests/bench/nearest.py`). There is no graph to build, to save or to find damaged: signatures of 100,000 vectors are
made in a fiftieth of a second, by the first search that wants them.

A filter that keeps some rows is a product over those rows.

Up to `ALL_MAX` the numbers are held in 32 bits, beyond in the 16 that the store keeps of them: half the memory, and
nothing to convert while they are read. A product makes 32 bits of a few hundred rows at a time (`_widened`).

The product is `vecdot`, not `@`: BLAS would share a product of this size among its threads, which costs 10
to 20 times its own time whenever the cores have anything else to do. `vecdot` goes row by row on one thread, always
in the same way, and takes two thirds of the time of `einsum`.

An index belongs to whoever made it and takes no locks: callers use it from one thread at a time.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors
from cognition.errors import IndexStale

Numbers = NDArray[np.int64]
Signatures = NDArray[np.uint64]
# As the store keeps them.
Halves = NDArray[np.float16]

# How many vectors say what cosines a question has with the memories of a store: below twice as many, all of them.
SAMPLED: Final = 512
# A few memories say little of that: they are taken together with so many that have a usual cosine with a question.
USUAL: Final = 8
USUAL_MIDDLE: Final = 0.1
USUAL_SPREAD: Final = 0.12
# A first block of rows; from there the matrix doubles, so that adding one costs no copy of all.
ROWS_MIN: Final = 256
# As many are multiplied in a millisecond; from here on two passes are quicker.
ALL_MAX: Final = 16_384
# The shortlist: this many at least, and for each one that is wanted.
SHORTLIST_MIN: Final = 4_096
SHORTLIST_EACH: Final = 40
# Rows whose signatures are made at a time, so that no second matrix stands beside the first.
_BLOCK: Final = 4_096
# Rows of a shortlist that are copied out at a time: half the time of copying all of it.
_COPIED: Final = 256
_WORD_BITS: Final = 64
# The fraction of a number of 16 bits has ten bits, of one of 32 bits 23; between sign and exponent are three more.
_FRACTION_BITS_MORE: Final = 13
_SIGN_AND_REST: Final = np.int32(-0x70000001)
# And exponents count from 15 and from 127: what bits alone make of a number is so much smaller than it is.
_EXPONENTS_APART: Final = np.float32(2.0**112)


class VectorIndex:
    """A matrix, a column of numbers beside it, where each number stands, and beyond `ALL_MAX` the signatures."""

    def __init__(self, width: int, *, room: int = 0) -> None:
        """`room`: for so many vectors at once; it takes no memory before they come."""
        self._width = width
        self._matrix = _room(room, width)
        self._ids: Numbers = np.zeros(room, np.int64)
        self._at: dict[int, int] = {}
        self._middle: Vectors | None = None  # None: no signatures yet, or none that fit
        self._signatures: Signatures = np.zeros((0, 0), np.uint64)  # a row for every 64 numbers of a vector
        self._sample: Vectors | None = None

    def __len__(self) -> int:
        """How many vectors are here."""
        return len(self._at)

    def add(self, ids: Sequence[int], vectors: Vectors | Halves) -> None:
        """Take vectors in, in place of those that had the same number; `IndexStale` if the width is another."""
        if vectors.shape != (len(ids), self._width):
            raise IndexStale(f"expected {len(ids)} vectors of width {self._width}, got {vectors.shape}")
        self._sample = None
        fresh = [number for number in dict.fromkeys(ids) if number not in self._at]
        start, stop = len(self._at), len(self._at) + len(fresh)
        self._reserve(stop)
        self._ids[start:stop] = fresh
        self._at.update(zip(fresh, range(start, stop), strict=True))
        if len(fresh) == len(ids):  # as when all are loaded: where they go is one piece
            rows: slice | Numbers = slice(start, stop)
        else:
            rows = np.fromiter(map(self._at.__getitem__, ids), np.int64, len(ids))
        self._matrix[rows] = vectors
        if self._middle is not None:
            self._signatures[:, rows] = self._signed(self._rows(rows), self._middle)

    def remove(self, ids: Sequence[int]) -> None:
        """Drop vectors; the last row moves into the gap. Numbers that are not here are no error."""
        for number in ids:
            row = self._at.pop(number, None)
            if row is not None:
                self._sample = None
                last = len(self._at)
                if row != last:
                    self._matrix[row] = self._matrix[last]
                    self._ids[row] = self._ids[last]
                    self._at[int(self._ids[row])] = row
                    if self._middle is not None:
                        self._signatures[:, row] = self._signatures[:, last]

    def search(
        self, query: Vectors, k: int, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `k` (number, cosine), the nearest first; with `among`, of these numbers only.

        Equal cosines go by number.
        """
        self._check(query)
        count = len(self._at)
        ids = self._ids[:count]
        rows: Numbers | None = None
        if among is not None:
            rows = np.array([row for number in among if (row := self._at.get(number)) is not None], np.int64)
        elif count > max(ALL_MAX, shortlist := max(SHORTLIST_MIN, SHORTLIST_EACH * k)):
            rows = self._shortlist(query, shortlist)
        elif self._matrix.dtype == np.float16:
            rows = np.arange(count)
        if rows is None:
            cosines = np.vecdot(self._matrix[:count], query)
        else:
            ids, cosines = ids[rows], self._cosines_of(query, rows)
        return _in_order(ids, cosines, k) if k > 0 and len(ids) else []

    def cosines(self, query: Vectors, among: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these numbers that is here."""
        self._check(query)
        here = [number for number in among if number in self._at]
        rows = np.fromiter(map(self._at.__getitem__, here), np.int64, len(here))
        return dict(zip(here, self._cosines_of(query, rows).tolist(), strict=True))

    def vectors(self, among: Sequence[int]) -> dict[int, Vectors]:
        """Return the vectors of those of these numbers that are here."""
        return {
            number: self._matrix[self._at[number]].astype(np.float32, copy=False)
            for number in among
            if number in self._at
        }

    def spread(self, query: Vectors) -> tuple[float, float]:
        """Return the middle and the spread of a question's cosines with what is here, or with a sample of it.

        Which vectors are the sample follows from their numbers alone, so that the same store says the same.
        """
        self._check(query)
        if self._sample is None:
            count = len(self._at)
            step = 1 << max(0, (count // SAMPLED).bit_length() - 1)
            ids = self._ids[:count]
            rows = np.flatnonzero(ids % step == 0)
            self._sample = self._rows(rows[np.argsort(ids[rows])])
        cosines = np.vecdot(self._sample, query)
        whole = len(cosines) + USUAL
        middle = (float(cosines.sum()) + USUAL * USUAL_MIDDLE) / whole
        apart = float(np.square(cosines - middle).sum()) + USUAL * USUAL_SPREAD**2
        return middle, (apart / whole) ** 0.5

    def _cosines_of(self, query: Vectors, rows: Numbers) -> Vectors:
        """Return the cosine of each of these rows: copied out so few at a time that they stay near the processor."""
        cosines = np.empty(len(rows), np.float32)
        halves = self._matrix.dtype == np.float16
        matrix = self._matrix.view(np.int16) if halves else self._matrix
        copied = np.empty((min(len(rows), _COPIED), self._width), matrix.dtype)
        # Of both sides of a product one may be scaled: by a power of two it comes to the same, to the last bit.
        asked = query * _EXPONENTS_APART if halves else query
        for start in range(0, len(rows), _COPIED):
            some = rows[start : start + _COPIED]
            np.take(matrix, some, axis=0, out=copied[: len(some)], mode="clip")
            block = _widened(copied[: len(some)]) if halves else copied[: len(some)]
            np.vecdot(block, asked, out=cosines[start : start + len(some)])
        return cosines

    def _rows(self, rows: slice | Numbers) -> Vectors:
        """Return some rows in 32 bits."""
        some = self._matrix[rows]
        if some.dtype == np.float16:
            widened: Vectors = _widened(some.view(np.int16))
            widened *= _EXPONENTS_APART
            return widened
        return some  # type: ignore[return-value]

    def _check(self, query: Vectors) -> None:
        if query.shape != (self._width,):
            raise IndexStale(f"expected a vector of width {self._width}, got {query.shape}")

    def _shortlist(self, query: Vectors, wanted: int) -> Numbers:
        """Return the rows whose signs differ least from the question's: so many, and all that differ no more."""
        count = len(self._at)
        if self._middle is None:
            self._sign(count)
        # The question is not taken from the middle: a cosine to it is the same for all, whatever the middle is.
        (asked,) = self._signed(query[None, :], np.zeros(self._width, np.float32)).T
        apart = np.zeros(count, np.uint16)
        for row, word in zip(self._signatures, asked, strict=True):
            apart += np.bitwise_count(row[:count] ^ word)
        farthest = int(np.searchsorted(np.cumsum(np.bincount(apart)), wanted))
        return np.flatnonzero(apart <= farthest)

    def _sign(self, count: int) -> None:
        """Make the signatures of all rows, from their middle as it is now."""
        total = np.zeros(self._width)
        for start in range(0, count, _BLOCK):
            total += self._rows(slice(start, min(start + _BLOCK, count))).sum(axis=0)
        self._middle = middle = (total / count).astype(np.float32)
        words = -(-self._width // _WORD_BITS)
        self._signatures = np.zeros((words, len(self._matrix)), np.uint64)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            self._signatures[:, start:stop] = self._signed(self._rows(slice(start, stop)), middle)

    def _signed(self, vectors: Vectors, middle: Vectors) -> Signatures:
        """Return a column for each vector: a bit for each of its numbers that is above the middle."""
        bits = np.packbits(vectors > middle, axis=1)
        padded = np.zeros((len(bits), -(-self._width // _WORD_BITS) * 8), np.uint8)
        padded[:, : bits.shape[1]] = bits
        return padded.view(np.uint64).T

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            grown = max(ROWS_MIN, rows, 2 * len(self._matrix))
            if rows <= ALL_MAX:
                grown = min(grown, ALL_MAX)
            matrix = _room(grown, self._width)
            matrix[: len(self._at)] = self._matrix[: len(self._at)]
            ids = np.zeros(grown, np.int64)
            ids[: len(self._at)] = self._ids[: len(self._at)]
            self._matrix, self._ids = matrix, ids
            self._middle = None  # a store that doubled may have another middle


def _room(rows: int, width: int) -> Vectors | Halves:
    """Return room for so many vectors: beyond one pass, in 16 bits."""
    if rows > ALL_MAX:
        return np.zeros((rows, width), np.float16)
    return np.zeros((rows, width), np.float32)


def _widened(halves: NDArray[np.int16]) -> Vectors:
    """Return what 16 bits say in 32 bits, each number smaller by `_EXPONENTS_APART`; quicker than `astype`."""
    bits = np.left_shift(halves, _FRACTION_BITS_MORE, dtype=np.int32)
    bits &= _SIGN_AND_REST
    return bits.view(np.float32)


def _in_order(ids: Numbers, cosines: Vectors, k: int) -> list[tuple[int, float]]:
    """Return the best `k`, the nearest first; equal cosines go by number."""
    if k < len(ids):
        kth = np.partition(cosines, len(ids) - k)[len(ids) - k]
        best = np.flatnonzero(
            cosines >= kth
        )  # ties at the edge come along, so that numbers decide among them
        ids, cosines = ids[best], cosines[best]
    order = np.lexsort((ids, -cosines))[:k]
    return list(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))
