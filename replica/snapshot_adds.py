"""Lay in columns the memories of which nothing is known but that they were added: nearly all of a base.

Beside each other, values that are alike take little room, and what follows from others is not said at all: the short id
of the op that added a memory stands in the spine. What is left is words and random bytes. Reading a column costs a
fraction of reading as many cells, too.

Rows are in the order in which they were written, so that a number is mostly a little more than the one before it;
numbers travel as differences. A memory's id begins with its time, alike in many, and ends in random bytes: all the
beginnings come first.

Words are most of a base. They stay packed while it is taken in, but for the block of rows that is being judged, and the
few from which memories are being made.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from copy import copy
from itertools import accumulate, pairwise, repeat, starmap
from operator import eq, getitem, itemgetter, sub
from struct import Struct
from typing import Any, Final, NamedTuple, overload

from replica.codec import Reading, unpack_list
from replica.errors import InvalidOp
from replica.ids import MEMORY_ID_BYTES
from replica.state.adds import Add
from replica.state.memories import BareMemory
from replica.state.reading import check_adds
from replica.state.register import Dot

_TIME_BYTES: Final = 6
_REST_BYTES: Final = MEMORY_ID_BYTES - _TIME_BYTES
_STARTS: Final = Struct(f"{_TIME_BYTES}s")
_RESTS: Final = Struct(f"{_REST_BYTES}s")
# Rows of a block. So many lie in the processor's caches while they are judged a field at a time: all at once take half
# as long again.
_BLOCK: Final = 10_000
_SHAPE: Final = "expected columns of added memories: ids, feeds, seqs, stamps, texts, fields"
_tuple = tuple.__new__  # by name it takes three times as long, and there is one for each memory

IdsOf = Callable[[Sequence[int], Sequence[int]], Sequence[bytes]]
"""Returns the short ids of ops by their feeds and seqs, which are in order."""


class AddedRow(NamedTuple):
    """A memory and the op that added it, by the snapshot's own feed number."""

    rid: bytes
    feed: int
    seq: int
    hlc: int
    text: str
    fields: dict[str, Any]


def columns_of(rows: Iterable[AddedRow]) -> list[Any]:
    """Return the columns of these rows, as plain values."""
    ordered = sorted(rows, key=itemgetter(1, 2))
    rids, feeds, seqs, stamps, texts, fields = zip(*ordered, strict=True) if ordered else ((),) * 6
    starts = b"".join(rid[:_TIME_BYTES] for rid in rids)
    return [
        starts + b"".join(rid[_TIME_BYTES:] for rid in rids),
        *(list(map(sub, column, (0, *column))) for column in (feeds, seqs, stamps)),
        texts,
        fields,
    ]


class AddColumns(NamedTuple):
    """The columns of the added memories as they came. Of texts and fields it is known where each block of them lies."""

    data: bytes
    rids: bytes
    feeds: "array[int]"
    seqs: "array[int]"
    stamps: "array[int]"
    texts: Sequence[slice]
    fields: Sequence[slice]

    @classmethod
    def read(cls, reading: Reading) -> "AddColumns":
        """Read them where they begin; `InvalidOp` where they are none, or not of one length."""
        if reading.list_begins() != 6:
            raise InvalidOp(_SHAPE)
        rids = reading.value()
        feeds, seqs, stamps = (_numbers(reading.value()) for _ in range(3))
        rows = len(feeds)
        if (
            type(rids) is not bytes
            or len(rids) != rows * MEMORY_ID_BYTES
            or not rows == len(seqs) == len(stamps)
        ):
            raise InvalidOp(_SHAPE)
        blocks = []
        for _ in range(2):
            if reading.list_begins() != rows:
                raise InvalidOp(_SHAPE)
            blocks.append([reading.passed(min(_BLOCK, rows - start)) for start in range(0, rows, _BLOCK)])
        return cls(reading.data, rids, feeds, seqs, stamps, *blocks)

    def names(self, rows: slice = slice(None)) -> Iterator[bytes]:
        """Give the id of the memory in each of these rows, which follow one another."""
        start, stop, _ = rows.indices(len(self.feeds))
        tails = len(self.feeds) * _TIME_BYTES
        starts = self.rids[start * _TIME_BYTES : stop * _TIME_BYTES]
        rests = self.rids[tails + start * _REST_BYTES : tails + stop * _REST_BYTES]
        halves = zip(_STARTS.iter_unpack(starts), _RESTS.iter_unpack(rests), strict=True)
        return (start + rest for (start,), (rest,) in halves)

    def name(self, row: int) -> bytes:
        """Return the id of the memory in a row."""
        at, rest = row * _TIME_BYTES, len(self.feeds) * _TIME_BYTES + row * _REST_BYTES
        return self.rids[at : at + _TIME_BYTES] + self.rids[rest : rest + _REST_BYTES]

    def words(self, block: int) -> tuple[list[Any], list[Any]]:
        """Return the texts and the fields of a block, as nobody has judged them yet."""
        rows = min(_BLOCK, len(self.feeds) - block * _BLOCK)
        texts, fields = (unpack_list(rows, self.data[column[block]]) for column in (self.texts, self.fields))
        return texts, fields


class Added(Sequence[BareMemory]):
    """Memories and the add that made each, in the order of their ids; each is made when it is asked for.

    Whoever asks for one after the other has each block of rows made once, and held until its last row was asked for.
    """

    def __init__(
        self, columns: AddColumns, ids_of: IdsOf, *, ops: int, dot_here: Callable[[Dot], Dot] | None = None
    ) -> None:
        """Judge all of it; `InvalidOp` says what no op can say.

        `ids_of` returns the short ids of ops by their feeds and seqs, in order, or refuses; `ops` is how many there
        are. Rows that are alike take next to no room on a link, so how many come is judged before anything is made of
        them. `dot_here` returns a dot under the numbers of whoever takes them, where these are others.
        """
        if (rows := len(columns.feeds)) > ops:
            raise InvalidOp(
                f"expected at most one added memory for each of the {ops} ops of the snapshot, got {rows}"
            )
        pairs = zip(columns.feeds, columns.seqs, strict=True)
        if not all(feed > 0 or (feed == 0 and seq > 0) for feed, seq in pairs):
            raise InvalidOp("expected added memories in the order of their ops, one for each op")
        self._columns = columns
        self._ids_of, self._dot_here = ids_of, dot_here
        self._feeds, self._seqs, self._stamps = map(_summed, (columns.feeds, columns.seqs, columns.stamps))
        for block in range(len(columns.texts)):
            texts, fields = columns.words(block)
            feeds, seqs, stamps = self._places(block)
            check_adds(stamps, texts, fields)
            ids_of(feeds, seqs)
        names = [*columns.names()]
        self._rows = array("q", sorted(range(rows), key=names.__getitem__))
        """Rows of the columns in the order of their ids; some may have been taken out."""
        if any(starmap(eq, pairwise(map(names.__getitem__, self._rows)))):
            raise InvalidOp("expected each added memory once, got one twice")
        self._blocks: dict[int, list[BareMemory]] = {}
        self._last: dict[int, int] = {}
        """Of each block, at which place its last row is asked for."""

    def having(self, rids: Set[bytes]) -> Set[bytes]:
        """Return those of these ids under which there is a memory."""
        if not rids or not self._rows:
            return frozenset()
        found = frozenset(rids).intersection(self._columns.names())
        return (
            found
            if len(self._rows) == len(self._feeds)
            else {rid for rid in found if self._at(rid) is not None}
        )

    def without(self, rids: Set[bytes], goes: Callable[[Dot], bool] | None) -> "Added":
        """Return the same without the memories under these ids, and those of which this is so of their op."""
        others = copy(self)
        others._rows, others._blocks, others._last = self._rows[:], {}, {}
        if found := others.having(rids):
            names = self._columns.names()
            known = {row for row, name in enumerate(names) if name in found}
            others._leave([row for row in others._rows if row not in known])
        if goes is not None:
            others.drop(goes)
        return others

    def has_same_as(self, others: "Added") -> bool:
        """Say whether the same memories of the same columns are left in another."""
        return self._columns is others._columns and self._rows == others._rows

    def taken_out(self, rids: Set[bytes]) -> list[BareMemory]:
        """Return the memories that there are under these ids, and leave them out from now on."""
        if not (found := self.having(rids)):
            return []
        rows = [row for row, name in enumerate(self._columns.names()) if name in found]
        memories = self._made(rows)
        self._blocks.clear()
        gone = {*rows}
        self._leave([row for row in self._rows if row not in gone])
        return memories

    def pop(self, rid: bytes) -> BareMemory | None:
        """Return the memory under an id and leave it out from now on; None if there is none."""
        if (at := self._at(rid)) is None:
            return None
        one = self[at]
        del self._rows[at]
        self._last.clear()
        return one

    def drop(self, goes: Callable[[Dot], bool]) -> None:
        """Leave out those of which this is so of the op that added them."""
        here = self._dot_here or (lambda dot: dot)
        self._leave(
            [row for row in self._rows if not goes(here(Dot(self._feeds[row], self._seqs[row], b"")))]
        )

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> BareMemory: ...
    @overload
    def __getitem__(self, at: slice) -> list[BareMemory]: ...
    def __getitem__(self, at: int | slice) -> BareMemory | list[BareMemory]:
        if not isinstance(at, slice):
            (one,) = self._made([self._rows[at]])
            return one
        memories = self._made(self._rows[at])
        if not self._last:
            self._last = {row // _BLOCK: place for place, row in enumerate(self._rows)}
        stop = at.indices(len(self))[1]
        for block in [each for each in self._blocks if self._last.get(each, 0) < stop]:
            del self._blocks[block]
        return memories

    def __iter__(self) -> Iterator[BareMemory]:
        for start in range(0, len(self), _BLOCK):
            yield from self[start : start + _BLOCK]

    def _at(self, rid: bytes) -> int | None:
        at = bisect_left(self._rows, rid, key=self._columns.name)
        return at if at < len(self._rows) and self._columns.name(self._rows[at]) == rid else None

    def _leave(self, rows: Sequence[int]) -> None:
        self._rows = array("q", rows)
        self._last.clear()

    def _made(self, rows: Sequence[int]) -> list[BareMemory]:
        blocks = [row // _BLOCK for row in rows]
        for block in {*blocks} - self._blocks.keys():
            self._blocks[block] = self._block(block)
        return [*map(getitem, map(self._blocks.__getitem__, blocks), [row % _BLOCK for row in rows])]

    def _block(self, block: int) -> list[BareMemory]:
        feeds, seqs, stamps = self._places(block)
        names = self._columns.names(_rows_of(block))
        # By the million: no step of Python's own for each of them.
        dots: Iterable[Dot] = map(
            _tuple, repeat(Dot), zip(feeds, seqs, self._ids_of(feeds, seqs), strict=True)
        )
        if self._dot_here is not None:
            dots = map(self._dot_here, dots)
        adds = map(_tuple, repeat(Add), zip(stamps, *self._columns.words(block), strict=True))
        return [*map(_tuple, repeat(BareMemory), zip(names, dots, adds, strict=True))]

    def _places(self, block: int) -> list["array[int]"]:
        page = _rows_of(block)
        return [self._feeds[page], self._seqs[page], self._stamps[page]]


def _rows_of(block: int) -> slice:
    return slice(block * _BLOCK, (block + 1) * _BLOCK)


def _numbers(column: object) -> "array[int]":
    if type(column) is not list or not {*map(type, column)} <= {int}:
        raise InvalidOp(_SHAPE)
    return _array(column)


def _summed(differences: "array[int]") -> "array[int]":
    return _array(accumulate(differences))


def _array(numbers: Iterable[int]) -> "array[int]":
    try:
        return array("q", numbers)
    except OverflowError:
        raise InvalidOp("expected places and stamps of 64 bits, got a larger number") from None
