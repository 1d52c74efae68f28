"""Hold a graph of near vectors (HNSW, by `hnswlib`) in memory and in a file, from which a vector can be erased.

The graph does not hold the vectors: it holds what is left of each when all of them are turned so that their numbers
fall in weight, and cut to the first `NARROW`. With the default embedder these hold 91 % of what real sentences say, in
two fifths of the memory and half the time of a build and of a search. What it names is then multiplied as it is
(`cognition.embedding.index`), so what the cut costs is made good by naming more.

In the file a vector stands at a place that follows from its order. Erasing one is writing zeros there: the file need
not be made anew, and what is left still leads to its neighbours. Beside it lies a second file that says what the first
should hold: of which store and space it is (`GraphStamp`), for each vector a sum of its bytes as they were in the
store, and a checksum for each part of the first. A file that was cut, spoiled or exchanged is found before the library
reads it, which trusts what it reads.
"""

import importlib.util
import json
import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors
from cognition.errors import IndexStale
from replica.file_system import open_descriptor, replace_file

Numbers = NDArray[np.int64]
Sums = NDArray[np.uint64]

# The extra `ann` of pyproject.toml, by a name that any index has.
PACKAGES: Final = "'hnswlib>=0.8,<0.9'"
# Raise it when the files, or what the graph is made of, change.
FORMAT: Final = 1
# Numbers of a vector that are kept.
NARROW: Final = 192
# Neighbours of each, and how many are looked at to find these: twice as many make a build twice as long and find a
# tenth of a hundredth more (`python -m tests.bench.nearest`).
NEIGHBOURS: Final = 16
LOOKED_AT: Final = 100
# Room beyond what is there, before all of it has to be copied.
_ROOM_MORE: Final = 8
_ROOM_MIN: Final = 1_024
# The part of the file that one checksum is of: erasing a vector reads and writes no more than that.
_PART: Final = 1 << 20
# What the library writes first: three numbers of how many, how long each is and where in it the label and the vector
# stand; the rest is its own business.
_HEAD: Final = np.dtype([(name, "<u8") for name in ("level", "room", "count", "each", "label", "vector")])
_HEAD_BYTES: Final = 96
_MIX: Final = 0x9E3779B97F4A7C15


class GraphStamp(NamedTuple):
    """Of what a file is: the generation that the store names, the space of its vectors, and how wide they are."""

    generation: int
    space: str
    width: int


def is_installed() -> bool:
    """Say whether the library is there; it is loaded when a graph is made."""
    return importlib.util.find_spec("hnswlib") is not None


def sums_of(halves: NDArray[np.float16]) -> Sums:
    """Return a number for each row that follows from all its bytes, and is not 0."""
    words = -(-halves.shape[1] // 4)
    padded = np.zeros((len(halves), words * 4), np.float16)
    padded[:, : halves.shape[1]] = halves
    each = np.arange(1, 2 * words, 2, dtype=np.uint64) * np.uint64(_MIX)
    mixed = padded.view(np.uint64) * each
    mixed ^= mixed >> np.uint64(29)
    sums: Sums = mixed.sum(axis=1, dtype=np.uint64) | np.uint64(1)
    return sums


def basis_of(sample: Vectors) -> Vectors:
    """Return the directions in which vectors differ most from nothing, the first ones: a column each."""
    rows = sample.astype(np.float64)
    _, directions = np.linalg.eigh(rows.T @ rows)
    return np.ascontiguousarray(directions[:, ::-1][:, :NARROW], np.float32)


class HnswGraph:
    """The graph, in memory: numbers of memories, each with its vector. One thread at a time changes it."""

    def __init__(self, basis: Vectors, room: int) -> None:
        """`basis`: see `basis_of`; `room`: for so many at once."""
        self._basis = basis
        self._hnsw = _library().Index("ip", basis.shape[1])
        room = max(room + room // _ROOM_MORE, _ROOM_MIN)  # no memory is taken before it is needed
        self._hnsw.init_index(room, M=NEIGHBOURS, ef_construction=LOOKED_AT)
        self._order: Numbers = np.zeros(room, np.int64)
        self._sums: Sums = np.zeros(len(self._order), np.uint64)  # 0: erased

    def __len__(self) -> int:
        """How many places it has; those of erased vectors too."""
        return int(self._hnsw.get_current_count())

    @property
    def erased(self) -> int:
        """How many of its places are of vectors that were erased."""
        return int(np.count_nonzero(self._sums[: len(self)] == 0))

    def held(self) -> tuple[Numbers, Sums]:
        """Return the numbers that are here, and the sum of each."""
        here = np.flatnonzero(self._sums[: len(self)])
        return self._order[here], self._sums[here]

    def add(self, numbers: Numbers, halves: NDArray[np.float16]) -> None:
        """Take vectors in, in place of those that had the same number."""
        count = len(self)
        known = np.isin(numbers, self._order[:count])
        fresh = numbers[~known]
        if count + len(fresh) > len(self._order):
            room = count + len(fresh) + max(_ROOM_MIN, count // _ROOM_MORE)
            self._hnsw.resize_index(room)
            self._order = np.append(self._order, np.zeros(room - len(self._order), np.int64))
            self._sums = np.append(self._sums, np.zeros(room - len(self._sums), np.uint64))
        # One thread: the order of places is that of the numbers then, and recalls have the other core.
        self._hnsw.add_items(self._narrowed(halves), numbers, num_threads=1)
        self._order[count : count + len(fresh)] = fresh
        sums = sums_of(halves)
        self._sums[count : count + len(fresh)] = sums[~known]
        for number, told in zip(numbers[known].tolist(), sums[known], strict=True):
            self._sums[self._place(number)] = told

    def erase(self, numbers: Sequence[int]) -> None:
        """Write nothing over vectors, and name them no more; numbers that are not here are no error."""
        for number in numbers:
            place = self._place(number)
            if place is not None and self._sums[place]:
                self._hnsw.add_items(np.zeros((1, self._basis.shape[1]), np.float32), [number], num_threads=1)
                self._hnsw.mark_deleted(number)
                self._sums[place] = 0

    def near(self, query: Vectors, count: int) -> list[int] | None:
        """Return about `count` numbers of the nearest; None where the graph cannot lead to as many."""
        self._hnsw.set_ef(count)
        try:
            found, _ = self._hnsw.knn_query(query @ self._basis, count, num_threads=1)
        except RuntimeError:  # fewer are left than that, or erased ones stand in the way
            return None
        numbers: list[int] = found[0].tolist()
        return numbers

    def save(self, path: Path, stamp: GraphStamp) -> None:
        """Write both files, each whole or not at all; without the second the first is nothing."""
        count = len(self)
        scratch, about = path.with_name(f"{path.name}.new"), about_file(path)
        try:
            _make_private(scratch)
            self._hnsw.save_index(os.fspath(scratch))
            checksums = _checksums(scratch)
            _GraphDescription(
                stamp, version(), self._basis, self._order[:count], self._sums[:count], checksums
            ).write(about)
            with scratch.open("rb+") as file:
                os.fsync(file.fileno())
            replace_file(scratch, path)
        finally:
            scratch.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path, stamp: GraphStamp) -> Self:
        """Read what was saved; `IndexStale` where that is of something else, or spoiled."""
        found = _GraphDescription.read(path)
        if found.stamp != stamp:
            raise IndexStale(f"expected a graph of {stamp}, got one of {found.stamp}")
        if found.library != version():
            raise IndexStale(f"expected a graph by hnswlib {version()}, got one by {found.library}")
        try:
            if not np.array_equal(_checksums(path), found.checksums):
                raise IndexStale("expected the checksums of the graph's file, got others")
        except OSError as error:
            raise IndexStale(f"expected the graph's file: {error}") from None
        graph = cls.__new__(cls)
        graph._basis = found.basis
        graph._hnsw = _library().Index("ip", found.basis.shape[1])
        count = len(found.order)
        room = count + max(_ROOM_MIN, count // _ROOM_MORE)
        graph._hnsw.load_index(os.fspath(path), max_elements=room)
        if graph._hnsw.get_current_count() != count:
            raise IndexStale(f"expected {count} places, got {graph._hnsw.get_current_count()}")
        graph._order, graph._sums = np.zeros(room, np.int64), np.zeros(room, np.uint64)
        graph._order[:count], graph._sums[:count] = found.order, found.sums
        for number in found.order[found.sums == 0].tolist():
            with suppress(RuntimeError):  # it was known before the file was written
                graph._hnsw.mark_deleted(number)
        return graph

    def _narrowed(self, halves: NDArray[np.float16]) -> Vectors:
        narrow: Vectors = halves.astype(np.float32) @ self._basis
        return narrow

    def _place(self, number: int) -> int | None:
        at = np.flatnonzero(self._order[: len(self)] == number)
        return int(at[0]) if len(at) else None


class _GraphDescription(NamedTuple):
    """What the second file says."""

    stamp: GraphStamp
    library: str
    basis: Vectors
    order: Numbers
    sums: Sums
    checksums: NDArray[np.uint32]

    @classmethod
    def read(cls, path: Path) -> Self:
        try:
            with about_file(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                told = json.loads(bytes(file["told"]))
                read = {name: file[name] for name in ("basis", "order", "sums", "checksums")}
            if told["format"] != FORMAT:
                raise IndexStale(f"expected a graph of format {FORMAT}, got {told['format']}")
            stamp = GraphStamp(int(told["generation"]), str(told["space"]), int(told["width"]))
            return cls(stamp, str(told["library"]), **read)
        except FileNotFoundError as error:  # as in most stores: what a spoiled file raises would load more
            raise IndexStale(f"expected what is said of the graph's file, got: {error}") from None
        except _unreadable() as error:
            raise IndexStale(f"expected what is said of the graph's file, got: {error}") from None

    def write(self, about: Path) -> None:
        told = {"format": FORMAT, "library": self.library, **self.stamp._asdict()}
        scratch = about.with_name(f"{about.name}.new")
        try:
            _make_private(scratch)
            with scratch.open("wb") as file:
                np.savez(
                    file,
                    told=np.frombuffer(json.dumps(told).encode(), np.uint8),
                    basis=self.basis,
                    order=self.order,
                    sums=self.sums,
                    checksums=self.checksums,
                )
                file.flush()
                os.fsync(file.fileno())
            replace_file(scratch, about)
        finally:
            scratch.unlink(missing_ok=True)


def _unreadable() -> tuple[type[Exception], ...]:
    """Return what reading a spoiled file raises."""
    from zipfile import BadZipFile  # here: every recall loads this module, and few files are spoiled

    return (OSError, EOFError, ValueError, LookupError, TypeError, BadZipFile, zlib.error)


def about_file(path: Path) -> Path:
    """Return the second file of a graph."""
    return path.with_name(f"{path.name}.about")


def remove(path: Path) -> None:
    """Leave nothing of a graph."""
    for file in (path, about_file(path)):
        file.unlink(missing_ok=True)
        file.with_name(f"{file.name}.new").unlink(missing_ok=True)


def stamp_of(path: Path) -> GraphStamp:
    """Return of what the files are; `IndexStale` where that cannot be read."""
    return _GraphDescription.read(path).stamp


def erase_in_file(path: Path, numbers: Sequence[int]) -> None:
    """Write zeros over the vectors of some memories; `IndexStale` where that cannot be done: remove the files then."""
    found = _GraphDescription.read(path)
    places = np.flatnonzero(np.isin(found.order, np.fromiter(numbers, np.int64)))
    places = places[found.sums[places] != 0]
    if not len(places):
        return
    try:
        with path.open("rb+") as file:
            head = np.frombuffer(file.read(_HEAD_BYTES), _HEAD, 1)[0]
            wide = found.basis.shape[1] * 4
            each, label, vector = int(head["each"]), int(head["label"]), int(head["vector"])
            fits = head["count"] == len(found.order) and vector + wide <= each and label + 8 <= each
            if not fits:
                raise IndexStale(f"expected {len(found.order)} places of {wide} bytes and more, got {head}")
            for place in places.tolist():
                start = _HEAD_BYTES + place * each
                file.seek(start + label)
                if int.from_bytes(file.read(8), "little") != found.order[place]:
                    raise IndexStale(f"expected memory {found.order[place]} at place {place}")
                file.seek(start + vector)
                file.write(b"\0" * wide)
                _sum_anew(file, found.checksums, start + vector, start + vector + wide)
            file.flush()
            os.fsync(file.fileno())
    except (OSError, ValueError, IndexError) as error:
        raise IndexStale(f"expected the graph's file: {error}") from None
    found.sums[places] = 0
    found.write(about_file(path))


def version() -> str:
    """Return which release of the library there is."""
    from importlib.metadata import version as of

    return of("hnswlib")


def _library() -> Any:
    import hnswlib  # here: most devices have no use for it

    return hnswlib


def _checksums(path: Path) -> NDArray[np.uint32]:
    found = []
    with path.open("rb") as file:
        while part := file.read(_PART):
            found.append(zlib.crc32(part))
    return np.array(found, np.uint32)


def _sum_anew(file: Any, checksums: NDArray[np.uint32], start: int, stop: int) -> None:
    file.flush()
    for part in range(start // _PART, (stop - 1) // _PART + 1):
        file.seek(part * _PART)
        checksums[part] = zlib.crc32(file.read(_PART))


def _make_private(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.close(open_descriptor(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
