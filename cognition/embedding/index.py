"""Find the vectors nearest to one, among all or among some.

Up to `ALL_MAX` vectors every one is multiplied with the question. Beyond, a first pass looks at signs only: a vector's
signature is a bit a number, whether that number is above the middle of all vectors, and the signatures that differ
least from the question's name a shortlist, whose vectors are multiplied as they are. So every cosine that is returned
is exact; what may be missed is a vector whose signs look less like the question than its numbers do. With 256 bits and
a shortlist of some thousands that is less than one in a hundred of the nearest 120, and none of the nearest 10
(`tests/bench/nearest.py`). There is no graph to build, to save or to find damaged: signatures of 100,000 vectors are
made in a fiftieth of a second, by the first search that wants them.

Where a graph is attached (`cognition.near_graph`), it names the shortlist, and signatures are let go. What came since
it was made is multiplied beside that; where too much did, or the graph finds too few, signatures are made again.

A filter that keeps some rows is a product over those rows.

Up to `ALL_MAX` the numbers are held in 32 bits. Beyond, an index that can read vectors where they are kept holds them
in 8 bits and a scale a vector: these say of a shortlist which may be the nearest, to a thousandth, and only those few
are read and multiplied as they are (`_nearly`). One that cannot holds the 16 bits that a store keeps. A product makes
32 bits of a few hundred rows at a time (`_widened`).

The product is `vecdot`, not `@`: BLAS would share a product of this size among its threads, which costs 10
to 20 times its own time whenever the cores have anything else to do. `vecdot` goes row by row on one thread, always
in the same way, and takes two thirds of the time of `einsum`.

An index belongs to whoever made it and takes no locks: callers use it from one thread at a time. Only a product of all
may be made on another thread, while the caller does what needs no vectors (`multiply_beside`).
"""

import os
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors
from cognition.errors import IndexStale

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Numbers = NDArray[np.int64]
Rows = NDArray[np.int32]
Signatures = NDArray[np.uint64]
# As the store keeps them.
Halves = NDArray[np.float16]
Eighths = NDArray[np.int8]
# Reads vectors where they are kept: those that there are of these numbers, in ascending order.
Kept = Callable[[Sequence[int]], tuple[Sequence[int], Halves]]

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
# From here on a product takes several times as long as to have another thread begin it.
BESIDE_MIN: Final = 4_096
# As many another thread has multiplied by the time that words are looked up; of what is left then each takes half.
AHEAD: Final = 5_000
# The shortlist: this many at least, and for each one that is wanted.
SHORTLIST_MIN: Final = 4_096
SHORTLIST_EACH: Final = 40
# How many a graph names for each one that is wanted: with so many it finds as many of the nearest 120 as signatures do
# (`tests/bench/nearest.py`); and beyond which number it is asked no more, since signatures are as quick.
NAMED_EACH: Final = 10
NAMED_MAX: Final = 10_000
# As many vectors may stand beside a graph: they are multiplied at each search, in half a millisecond.
BESIDE_MAX: Final = 4_096
# Rows whose signatures are made at a time: what is made of them stays near the processor.
_BLOCK: Final = 512
# Signatures that are compared at a time: what differs stays near the processor.
_COUNTED: Final = 1 << 16
# Rows of a shortlist that are copied out at a time: half the time of copying all of it.
_COPIED: Final = 128
_WORD_BITS: Final = 64
# The largest number that 8 bits hold on both sides of nought: that of a vector which is furthest from it.
_EIGHTH_MAX: Final = 127
# Rounded to steps, two cosines are apart by another 0.4 of a step than they are, as a standard deviation. Six of these.
_STEPS_APART: Final = 2.5
# From so many rows taken evenly their middle is known to a hundredth of what they differ.
_MIDDLED: Final = 1 << 15
# Vectors read where they are kept at a time: a megabyte.
_READ: Final = 1_024
# The fraction of a number of 16 bits has ten bits, of one of 32 bits 23; between sign and exponent are three more.
_FRACTION_BITS_MORE: Final = 13
_SIGN_AND_REST: Final = np.int32(-0x70000001)
# And exponents count from 15 and from 127: what bits alone make of a number is so much smaller than it is.
_EXPONENTS_APART: Final = np.float32(2.0**112)


class NearNeighbours(Protocol):
    """Names numbers whose vectors are near: all it says is checked."""

    def held(self) -> tuple[Numbers, NDArray[np.uint64]]:
        """Return the numbers that it knows."""
        ...

    def add(self, numbers: Numbers, halves: Halves) -> None:
        """Take vectors in, in place of those that had the same number."""
        ...

    def erase(self, numbers: Sequence[int]) -> None:
        """Let vectors go."""
        ...

    def near(self, query: Vectors, count: int) -> list[int] | None:
        """Return about so many numbers of the nearest; None where it cannot."""
        ...


class VectorIndex:
    """A matrix, a column of numbers beside it, where each number stands, and beyond `ALL_MAX` the signatures."""

    def __init__(self, width: int, *, room: int = 0, kept: Kept | None = None) -> None:
        """`room`: for so many vectors at once; it takes no memory before they come.

        `kept`: reads vectors that were added, as they were; a number whose vector is gone there is still found here.
        """
        self._width = width
        self._kept = kept
        self._matrix = self._room(room)
        self._scales: Vectors = np.zeros(room, np.float32)  # what a step of each row is, where it has 8 bits
        self._count = 0
        self._ids: Numbers = np.zeros(room, np.int64)
        self._at: Rows = np.full(room + 1, -1, np.int32)  # the row of each number, -1: not here
        self._middle: Vectors | None = None  # None: no signatures yet, or none that fit
        self._signatures: Signatures = np.zeros((0, 0), np.uint64)  # a row for every 64 numbers of a vector
        self._sample: Vectors | None = None
        self._sampled: Numbers | None = None  # the numbers of the sample, known before its vectors are
        self._product: tuple[Vectors, Vectors] | None = None
        """The question that was last multiplied with all, and the cosines."""
        self._begun: tuple[Vectors, Future[Vectors]] | None = None
        """A question that is multiplied with the first rows on another thread, and what waits for the cosines."""
        self._graph: NearNeighbours | None = None
        self._beside: dict[int, None] = {}  # what is here and not in the graph as it is
        self._left: dict[int, None] = {}  # what is in the graph and not here
        self._touched: dict[int, None] | None = None  # what came or left while a graph is made

    def __len__(self) -> int:
        """How many vectors are here."""
        return self._count

    def add(self, ids: Sequence[int], vectors: Vectors | Halves) -> None:
        """Take vectors in, in place of those that had the same number; `IndexStale` if the width is another."""
        if vectors.shape != (len(ids), self._width):
            raise IndexStale(f"expected {len(ids)} vectors of width {self._width}, got {vectors.shape}")
        if not len(ids):
            return
        self._product = self._begun = None
        if self._touched is not None:
            self._touched.update(dict.fromkeys(ids))
        if self._graph is not None:
            self._beside.update(dict.fromkeys(ids))
            for number in ids:
                self._left.pop(number, None)
        numbers = np.fromiter(ids, np.int64, len(ids))
        self._number(int(numbers.max()))
        fresh = numbers[self._at[numbers] < 0]
        if not (fresh[1:] > fresh[:-1]).all():
            fresh = np.array([*dict.fromkeys(fresh.tolist())], np.int64)  # one may be here twice
        start, stop = self._count, self._count + len(fresh)
        self._reserve(stop)
        self._ids[start:stop] = fresh
        self._at[fresh] = np.arange(start, stop)
        self._count = stop
        # As when all are loaded: where they go is one piece.
        rows = slice(start, stop) if len(fresh) == len(ids) else self._at[numbers].astype(np.int64)
        if self._matrix.dtype == np.int8:
            self._matrix[rows], self._scales[rows] = _in_eighths(vectors.astype(np.float16, copy=False))
        else:
            self._matrix[rows] = vectors
        self._resample(start, ids)
        if self._middle is not None:
            self._signatures[:, rows] = self._signed(rows, self._middle)

    def remove(self, ids: Sequence[int]) -> None:
        """Drop vectors; the last row moves into the gap. Numbers that are not here are no error."""
        for number in ids:
            row = int(self._at[number]) if 0 <= number < len(self._at) else -1
            if row >= 0:
                self._product = self._begun = None
                self._at[number] = -1
                self._count -= 1
                self._resample(self._count + 1, (number,))
                if self._touched is not None:
                    self._touched[number] = None
                if self._graph is not None:
                    self._beside.pop(number, None)
                    self._left[number] = None
                last = self._count
                if row != last:
                    self._matrix[row] = self._matrix[last]
                    self._scales[row] = self._scales[last]
                    self._ids[row] = self._ids[last]
                    self._at[self._ids[row]] = row
                    if self._middle is not None:
                        self._signatures[:, row] = self._signatures[:, last]

    def multiply_beside(self, query: Vectors) -> None:
        """Begin to multiply a question with vectors on another thread, for the search for it that comes next.

        Only where that is one long product: numpy lets go of the interpreter for it, and hands over twice in all. The
        search multiplies the last rows itself, as many as that thread would still have before it.
        """
        self._check(query)
        if BESIDE_MIN <= self._count <= ALL_MAX and self._matrix.dtype == np.float32:
            begun = _thread.begin(self._matrix[: self._ahead], query)
            self._begun = None if begun is None else (query, begun)

    def search(
        self, query: Vectors, k: int, *, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return up to `k` (number, cosine), the nearest first; with `among`, of these numbers only.

        Equal cosines go by number.
        """
        self._check(query)
        count = self._count
        ids = self._ids[:count]
        rows: Numbers | None = None
        if among is not None:
            _, rows = self._here(among)
        elif count > max(ALL_MAX, shortlist := max(SHORTLIST_MIN, SHORTLIST_EACH * k)):
            rows = self._named(query, k)
            if rows is None:
                rows = self._shortlist(query, shortlist)
        elif self._matrix.dtype != np.float32:
            rows = np.arange(count)
        if rows is None:
            cosines = self._cosines_of_all(query)
            self._product = query, cosines
        else:
            if self._matrix.dtype == np.int8 and 0 < k < len(rows):
                rows = self._nearly(query, rows, k)
            ids, cosines = ids[rows], self._cosines_of(query, rows)
        return _in_order(ids, cosines, k) if k > 0 and len(ids) else []

    def cosines(self, query: Vectors, among: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these numbers that is here."""
        self._check(query)
        here, rows = self._here(among)
        return dict(zip(here.tolist(), self._cosines_of(query, rows).tolist(), strict=True))

    def vectors(self, among: Sequence[int]) -> dict[int, Vectors]:
        """Return the vectors of those of these numbers that are here."""
        here, held = self._held(among)
        return dict(zip(here.tolist(), held.astype(np.float32, copy=False), strict=True))

    def spread(self, query: Vectors) -> tuple[float, float]:
        """Return the middle and the spread of a question's cosines with what is here, or with a sample of it.

        Which vectors are the sample follows from their numbers alone, so that the same store says the same.
        """
        self._check(query)
        if self._sampled is None:
            ids = self._ids[: self._count]
            self._sampled = np.sort(ids[ids % _step(self._count) == 0])
        if self._product is not None and self._product[0] is query:
            cosines = self._product[1][self._at[self._sampled]]
        else:
            if self._sample is None:
                self._sampled, sample = self._held(self._sampled.tolist())
                self._sample = sample.astype(np.float32, copy=False)
            cosines = np.vecdot(self._sample, query)
        whole = len(cosines) + USUAL
        middle = (float(cosines.sum()) + USUAL * USUAL_MIDDLE) / whole
        apart = float(np.square(cosines - middle).sum()) + USUAL * USUAL_SPREAD**2
        return middle, (apart / whole) ** 0.5

    @property
    def has_graph(self) -> bool:
        """Whether a graph names what is near."""
        return self._graph is not None

    @property
    def beside(self) -> int:
        """How many vectors the graph does not hold as they are."""
        return len(self._beside)

    def begin(self) -> Numbers:
        """Return what is here, for a graph to be made of it; what comes or leaves from now on is noted."""
        self._touched = {}
        return self._ids[: self._count].copy()

    def halves(self, among: Sequence[int]) -> tuple[Numbers, Halves]:
        """Return those of these numbers that are here, and their vectors as the store keeps them."""
        here, held = self._held(among)
        return here, held.astype(np.float16, copy=False)

    def attach(self, graph: NearNeighbours) -> None:
        """Have a graph name what is near. It was made of what `begin` returned; what is not in it stands beside it."""
        held, _ = graph.held()
        here = self._ids[: self._count]
        touched, _ = self._here([*(self._touched or ())])
        self._beside = dict.fromkeys(here[~np.isin(here, held)].tolist())
        self._beside.update(dict.fromkeys(touched.tolist()))
        self._left = dict.fromkeys(held[~np.isin(held, here)].tolist())
        self._graph, self._touched = graph, None
        self._middle, self._signatures = None, np.zeros((0, 0), np.uint64)

    def detach(self) -> None:
        """Go on without a graph."""
        self._graph = self._touched = None
        self._beside, self._left = {}, {}

    def follow(self, count: int) -> int:
        """Let the graph take in up to `count` changes; return how many are left. Others may not change it meanwhile."""
        if self._graph is None:
            return 0
        gone = list(islice(self._left, count))
        self._graph.erase(gone)
        came = list(islice(self._beside, count - len(gone)))
        if came:
            self._graph.add(*self.halves(came))
        for number in gone:
            del self._left[number]
        for number in came:
            del self._beside[number]
        return len(self._left) + len(self._beside)

    def _cosines_of_all(self, query: Vectors) -> Vectors:
        """Return the cosines with all: of the first, those that another thread was given, unless it never got to it."""
        begun, self._begun = self._begun, None
        if begun is None or begun[0] is not query or begun[1].cancel():
            cosines: Vectors = np.vecdot(self._matrix[: self._count], query)
            return cosines
        last = np.vecdot(self._matrix[self._ahead : self._count], query)
        return np.concatenate([begun[1].result(), last])

    @property
    def _ahead(self) -> int:
        """How many rows another thread multiplies."""
        return min(self._count, (self._count + AHEAD) // 2)

    def _named(self, query: Vectors, k: int) -> Numbers | None:
        """Return the rows that the graph names, and what stands beside it; None where signatures are to name them."""
        wanted = NAMED_EACH * k
        if self._graph is None or wanted > NAMED_MAX or len(self._beside) > BESIDE_MAX:
            return None
        named = self._graph.near(query, wanted)
        if named is None:
            return None
        _, rows = self._here([*dict.fromkeys(chain(named, self._beside))])
        return np.sort(rows)

    def _resample(self, before: int, ids: Sequence[int]) -> None:
        """Let the sample go if some of these vectors, which came or left, are in it, or if its step is another now."""
        if self._sampled is not None:
            step = _step(self._count)
            if step != _step(before) or any(number % step == 0 for number in ids):
                self._sample = self._sampled = None

    def _here(self, among: Sequence[int]) -> tuple[Numbers, Numbers]:
        """Return those of some numbers that are here, and their rows."""
        numbers = np.fromiter(among, np.int64, len(among))
        numbers = numbers[(numbers >= 0) & (numbers < len(self._at))]
        rows = self._at[numbers]
        return numbers[rows >= 0], rows[rows >= 0].astype(np.int64)

    def _held(self, among: Sequence[int]) -> tuple[Numbers, Vectors | Halves]:
        """Return the vectors of some numbers as they are: of those that are here, and not gone where they are kept."""
        here, rows = self._here(among)
        if self._matrix.dtype != np.int8:
            return here, self._matrix[rows]  # type: ignore[return-value]
        found = [self._read(some) for some in _some(here)]
        numbers = np.concatenate([each for each, _ in found]) if found else here[:0]
        halves = [each for _, each in found]
        return numbers, np.concatenate(halves) if halves else np.zeros((0, self._width), np.float16)

    def _read(self, numbers: Numbers) -> tuple[Numbers, Halves]:
        assert self._kept is not None
        found, halves = self._kept(numbers.tolist())
        return np.fromiter(found, np.int64, len(found)), halves

    def _number(self, highest: int) -> None:
        """Have room for numbers up to this one: they are those of rows in the store, which follow one another."""
        if highest >= len(self._at):
            grown = np.full(max(highest + 1, 2 * len(self._at)), -1, np.int32)
            grown[: len(self._at)] = self._at
            self._at = grown

    def _cosines_of(self, query: Vectors, rows: Numbers) -> Vectors:
        """Return the cosine of each of these rows. Those of the question just multiplied with all are had already."""
        if self._product is not None and self._product[0] is query:
            return self._product[1][rows]
        if self._matrix.dtype != np.int8:
            return self._multiplied(query, rows)
        ids, back = np.unique(self._ids[rows], return_inverse=True)
        cosines = np.full(len(ids), np.nan, np.float32)
        for some in _some(ids):
            numbers, halves = self._read(some)
            cosines[np.searchsorted(ids, numbers)] = _product(halves, query)
        # Gone there, it is still found: whoever asked knows what became of the memory.
        gone = np.flatnonzero(np.isnan(cosines))
        cosines[gone] = self._multiplied(query, self._at[ids[gone]].astype(np.int64))
        return cosines[back]

    def _nearly(self, query: Vectors, rows: Numbers, k: int) -> Numbers:
        """Return those of some rows that may be the nearest `k`, as far as 8 bits tell."""
        cosines = self._multiplied(query, rows)
        kth = np.partition(cosines, len(rows) - k)[len(rows) - k]
        near: Numbers = rows[cosines >= kth - _STEPS_APART * self._scales[rows].max()]
        return near

    def _multiplied(self, query: Vectors, rows: Numbers) -> Vectors:
        """Return the product of some rows as they are held: so few at a time that copies stay near the processor."""
        cosines = np.empty(len(rows), np.float32)
        halves, eighths = self._matrix.dtype == np.float16, self._matrix.dtype == np.int8
        matrix = self._matrix.view(np.int16) if halves else self._matrix
        copied = np.empty((min(len(rows), _COPIED), self._width), matrix.dtype)
        bits = np.empty(copied.shape, np.int32)
        # Of both sides of a product one may be scaled: by a power of two it comes to the same, to the last bit.
        asked = query * _EXPONENTS_APART if halves else query
        for start in range(0, len(rows), _COPIED):
            some = rows[start : start + _COPIED]
            block, wide = copied[: len(some)], bits[: len(some)]
            np.take(matrix, some, axis=0, out=block, mode="clip")
            if halves:
                block = _widened(block, wide)
            elif eighths:
                np.copyto(wide.view(np.float32), block)
                block = wide.view(np.float32)
            np.vecdot(block, asked, out=cosines[start : start + len(some)])
        if eighths:
            cosines *= self._scales[rows]
        return cosines

    def _rows(self, rows: slice | Numbers) -> Vectors:
        """Return some rows in 32 bits, as far as they are held."""
        some = self._matrix[rows]
        if some.dtype == np.float16:
            widened: Vectors = _widened(some.view(np.int16), np.empty(some.shape, np.int32))
            widened *= _EXPONENTS_APART
            return widened
        if some.dtype == np.int8:
            return some * self._scales[rows, None]
        return some  # type: ignore[return-value]

    def _check(self, query: Vectors) -> None:
        if query.shape != (self._width,):
            raise IndexStale(f"expected a vector of width {self._width}, got {query.shape}")

    def _shortlist(self, query: Vectors, wanted: int) -> Numbers:
        """Return the rows whose signs differ least from the question's: so many, and all that differ no more."""
        count = self._count
        if self._middle is None:
            self._sign(count)
        # The question is not taken from the middle: a cosine to it is the same for all, whatever the middle is.
        (asked,) = self._packed(query[None, :] > 0).T
        apart = np.zeros(count, np.uint16)
        differing, bits = np.empty(_COUNTED, np.uint64), np.empty(_COUNTED, np.uint8)
        for start in range(0, count, _COUNTED):
            stop = min(start + _COUNTED, count)
            some, each, total = differing[: stop - start], bits[: stop - start], apart[start:stop]
            for row, word in zip(self._signatures, asked, strict=True):
                np.bitwise_xor(row[start:stop], word, out=some)
                np.bitwise_count(some, out=each)
                total += each
        farthest = np.partition(apart, wanted - 1)[wanted - 1]
        return np.flatnonzero(apart <= farthest)

    def _sign(self, count: int) -> None:
        """Make the signatures of all rows, from their middle as it is now."""
        total = np.zeros(self._width)
        looked_at = np.arange(0, count, -(-count // _MIDDLED))
        for start in range(0, len(looked_at), _BLOCK):
            total += self._rows(looked_at[start : start + _BLOCK]).sum(axis=0)
        self._middle = middle = (total / len(looked_at)).astype(np.float32)
        words = -(-self._width // _WORD_BITS)
        self._signatures = np.zeros((words, len(self._matrix)), np.uint64)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            self._signatures[:, start:stop] = self._signed(slice(start, stop), middle)

    def _signed(self, rows: slice | Numbers, middle: Vectors) -> Signatures:
        """Return a column for each of some rows: a bit for each of its numbers that is above the middle.

        Numbers of 16 bits are compared as whole ones, with the least that is above: a third of the time.
        """
        if self._matrix.dtype == np.int8:
            return self._packed(self._rows(rows) > middle)
        above = middle.astype(np.float16)
        above = np.where(above > middle, above, np.nextafter(above, np.float16(np.inf)))
        return self._packed(_ordered(self._matrix[rows].astype(np.float16, copy=False)) >= _ordered(above))

    def _packed(self, above: NDArray[np.bool_]) -> Signatures:
        bits = np.packbits(above, axis=1)
        padded = np.zeros((len(bits), -(-self._width // _WORD_BITS) * 8), np.uint8)
        padded[:, : bits.shape[1]] = bits
        return padded.view(np.uint64).T

    def _room(self, rows: int) -> Vectors | Halves | Eighths:
        """Return room for so many vectors."""
        if rows <= ALL_MAX:
            return np.zeros((rows, self._width), np.float32)
        if self._kept is None:
            return np.zeros((rows, self._width), np.float16)
        return np.zeros((rows, self._width), np.int8)

    def _reserve(self, rows: int) -> None:
        if rows > len(self._matrix):
            grown = max(ROWS_MIN, rows, 2 * len(self._matrix))
            if rows <= ALL_MAX:
                grown = min(grown, ALL_MAX)
            matrix, scales = self._room(grown), np.zeros(grown, np.float32)
            for start in range(0, self._count, _BLOCK):
                stop = min(start + _BLOCK, self._count)
                some = self._matrix[start:stop]
                if matrix.dtype == np.int8 and some.dtype != np.int8:
                    matrix[start:stop], scales[start:stop] = _in_eighths(some.astype(np.float16))
                else:
                    matrix[start:stop], scales[start:stop] = some, self._scales[start:stop]
            ids = np.zeros(grown, np.int64)
            ids[: self._count] = self._ids[: self._count]
            self._matrix, self._scales, self._ids = matrix, scales, ids
            self._middle = None  # a store that doubled may have another middle


def _step(count: int) -> int:
    """Return of how many vectors one is in the sample."""
    return 1 << max(0, (count // SAMPLED).bit_length() - 1)


def _some(numbers: Numbers) -> list[Numbers]:
    """Return numbers in parts of what is read at a time."""
    return [numbers[start : start + _READ] for start in range(0, len(numbers), _READ)]


def _in_eighths(halves: Halves) -> tuple[Eighths, Vectors]:
    """Return what vectors come to in 8 bits a number, and of each what a step is."""
    bits = halves.view(np.int16)
    # Without their signs, numbers of 16 bits stand in the order of their bits.
    scales = (bits & np.int16(0x7FFF)).max(axis=1).view(np.float16).astype(np.float32) / _EIGHTH_MAX
    scales[scales == 0] = 1
    steps = _widened(bits, np.empty(bits.shape, np.int32))
    steps *= (_EXPONENTS_APART / scales)[:, None]
    np.rint(steps, out=steps)
    return steps.astype(np.int8), scales


def _product(halves: Halves, query: Vectors) -> Vectors:
    """Return the cosine of each of some vectors, to the last bit as a row that is held has it."""
    asked = query * _EXPONENTS_APART
    found = np.empty(len(halves), np.float32)
    for start in range(0, len(halves), _COPIED):
        some = halves[start : start + _COPIED].view(np.int16)
        np.vecdot(_widened(some, np.empty(some.shape, np.int32)), asked, out=found[start : start + _COPIED])
    return found


def _ordered(halves: Halves) -> NDArray[np.int16]:
    """Return whole numbers that stand in the same order."""
    bits = halves.view(np.int16)
    return bits ^ ((bits >> 15) & np.int16(0x7FFF))


def _widened(halves: NDArray[np.int16], bits: NDArray[np.int32]) -> Vectors:
    """Return what 16 bits say in 32 bits, each number smaller by `_EXPONENTS_APART`, in the room of `bits`.

    A third of the time of `astype`. Widened first and shifted then, since numpy does both at once far more slowly.
    """
    np.copyto(bits, halves)
    np.left_shift(bits, _FRACTION_BITS_MORE, out=bits)
    np.bitwise_and(bits, _SIGN_AND_REST, out=bits)
    return bits.view(np.float32)


class _ProductThread:
    """A thread for products, which lasts; where none can be begun, as in a browser, callers make them."""

    def __init__(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self._has_none = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._let_go)

    def begin(self, matrix: Vectors | Halves | Eighths, query: Vectors) -> "Future[Vectors] | None":
        if self._has_none:
            return None
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor  # here: small stores have no need of it

            self._executor = ThreadPoolExecutor(1, "vectors")
        try:
            return self._executor.submit(np.vecdot, matrix, query)
        except RuntimeError:  # no thread can be begun; one that could be later would find this in its queue
            self._has_none = True
            self._let_go()
            return None

    def _let_go(self) -> None:
        """Drop the thread, and what waits for it: after a fork the child has none, and nobody would ever take that."""
        self._executor = None


_thread: Final = _ProductThread()


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
