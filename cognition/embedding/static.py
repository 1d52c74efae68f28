"""Embed by looking words up in a table: the mean of wordllama's 256-wide token vectors.

The first run must work with no network, on a phone. The wheel of `wordllama` carries a table of vectors and
a tokenizer; both are read by path, the table as a memory map that is given back after some use: the system keeps it,
and a device that rests does not hold 16 MB for it. The package itself is never imported: its loader looks for files on
a model hub, and importing it configures logging for the whole process.

Embedding costs some 0.03 ms a text. A text without a single token has no direction: its vector is all zeros
(a mean of nothing would be NaN, which spreads through every comparison).
"""

import importlib.util
import json
import math
import mmap
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cognition.embedding.embedder import Vectors, unit
from cognition.embedding.pieces import WordPieces
from cognition.errors import ModelUnavailable

PACKAGE: Final = "wordllama"
WEIGHTS: Final = Path("weights/l2_supercat_256.safetensors")
TOKENIZER: Final = Path("tokenizers/l2_supercat_tokenizer_config.json")
WIDTH: Final = 256
# What is done to a text before the lookup; raise it when that changes, since vectors would.
RECIPE: Final = 1
# The mean of more tokens than this hardly moves, and a text of a megabyte would take a second.
TOKENS_MAX: Final = 2_048
# A token has at most 16 characters in practice; more text than this cannot change the first TOKENS_MAX
# tokens.
CHARACTERS_MAX: Final = TOKENS_MAX * 16
# safetensors: a little-endian length, that many bytes of JSON, then the tensors.
_LENGTH_BYTES: Final = 8
_HEADER_BYTES_MAX: Final = 1 << 20

# So many vectors are read before their pages are given back, at most 4 MB of them, since the system maps 64 KB around
# each: to give back and to find anew takes as long as all else that is done with the words of a question.
_KEPT_ROWS: Final = 64

# Says that what was mapped may leave this process's memory; where there is no such call, it stays.
_LET_GO: Final[int | None] = getattr(mmap, "MADV_DONTNEED", None)


class Table:
    """The vectors, as they lie in the file."""

    def __init__(self, mapped: mmap.mmap, start: int, count: int) -> None:
        self._mapped = mapped
        self._read = 0
        """How many rows were read since they were given back; exact as long as one thread reads."""
        self.rows: NDArray[np.float16] = np.frombuffer(mapped, "<f2", count * WIDTH, start).reshape(
            count, WIDTH
        )

    def let_go(self, read: int) -> None:
        """Give back what was read, once that is much: `read` rows more. Whoever reads on meanwhile finds it again."""
        self._read += read
        if _LET_GO is not None and self._read >= _KEPT_ROWS:
            self._read = 0
            self._mapped.madvise(_LET_GO)


class StaticEmbedder:
    """Wordllama's vectors without wordllama. Nothing is loaded before the first text."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._loaded: tuple[WordPieces, Table] | None = None

    @property
    def name(self) -> str:
        """The space: the wheel's version pins the table inside it."""
        from importlib import (
            metadata,
        )  # as long to load as the vectors, and most who use them ask for no name

        try:
            version = metadata.version(PACKAGE)
        except metadata.PackageNotFoundError:
            version = "absent"
        return f"{PACKAGE}-{version}/{WEIGHTS.stem}/{RECIPE}"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return WIDTH

    @property
    def costly(self) -> bool:
        """A text costs a look into a table."""
        return False

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of each text's token vectors, scaled to length 1."""
        pieces, table = self._load()
        rows = np.zeros((len(texts), WIDTH), np.float32)
        read = 0
        for row, text in zip(rows, texts, strict=True):
            clean = text[:CHARACTERS_MAX].encode(errors="replace").decode()
            if ids := pieces.of(clean)[:TOKENS_MAX]:
                read += len(ids)
                row[:] = (
                    table.rows[ids[0]] if len(ids) == 1 else table.rows[ids].sum(axis=0, dtype=np.float32)
                )
        table.let_go(read)
        return unit(rows)

    def weigh(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return how telling each word is: how long its tokens' vectors are, which training made short for small words.

        About 4 for "is", 6 for "go", 14 for "doctor", 20 for a rare name.
        """
        pieces, table = self._load()
        weights = np.zeros(len(words))
        read = 0
        for at, word in enumerate(words):
            ids = pieces.of(word.encode(errors="replace").decode())[:TOKENS_MAX]
            # As `np.linalg.norm` has it, without what that asks first.
            numbers = table.rows[ids].astype(np.float64).ravel()
            weights[at] = math.sqrt(numbers @ numbers)
            read += len(ids)
        table.let_go(read)
        return weights

    def knows(self, word: str) -> bool:
        """Say whether a word is one piece: the common words of many languages are, and hardly any slip is.

        `ModelUnavailable` where there is no vocabulary.
        """
        pieces, _ = self._load()
        return len(pieces.of(word)) == 1

    def _load(self) -> tuple[WordPieces, Table]:
        with self._loading:
            if self._loaded is None:
                folder = self._folder or _package_folder()
                self._loaded = _read_pieces(folder / TOKENIZER), _read_table(folder / WEIGHTS)
            return self._loaded


def _package_folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE)  # finds it without importing it
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(f"expected the package {PACKAGE} to be installed; run: pip install {PACKAGE}")
    return Path(spec.submodule_search_locations[0])


def _read_pieces(path: Path) -> WordPieces:
    try:
        with path.open("rb") as file:
            return WordPieces(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), path)
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"expected a tokenizer at {path}, got: {error}") from None


def _read_table(path: Path) -> Table:
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            if length > _HEADER_BYTES_MAX:
                raise ValueError(f"its header claims {length} bytes")
            tensor = json.loads(file.read(length))["embedding.weight"]
            rows, width = tensor["shape"]
            if tensor["dtype"] != "F16" or width != WIDTH:
                raise ValueError(f"it holds {tensor['dtype']} {tensor['shape']}")
            start = _LENGTH_BYTES + length + tensor["data_offsets"][0]
            return Table(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), start, rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"expected 16-bit vectors of width {WIDTH} at {path}, got: {error}") from None
