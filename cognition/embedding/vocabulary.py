"""Hold which pieces there are, and the number of each, in a sixth of the memory of a dictionary.

A dictionary of 32,000 pieces takes four megabytes: a string, a number and three words for each. Here all pieces stand
one behind the other as they lie in the file, in UTF-8, and are found by their hash: a bucket names one piece, and each
piece the next whose hash ends alike. A look costs a third of a microsecond, six times that of a dictionary.
"""

import json
import mmap
import re
from array import array
from typing import Final

import numpy as np

# Behind this come the pieces, in the file.
_BEFORE: Final = re.compile(rb'"vocab"\s*:\s*')
# Names what comes behind them: a list of joins, twice as long, that nobody needs.
_BEHIND: Final = b'"merges"'
# Begins a character that is spelled by its number.
_BY_NUMBER: Final = b"\\u"
# A character for each byte: text that is read so takes a quarter of the memory, where some characters need four bytes.
_BYTEWISE: Final = "latin-1"
# Twice as many as pieces, so that most hold one or none.
_BUCKETS: Final = 1 << 16
# A number is kept in 16 bits.
_PIECES_MAX: Final = (1 << 16) - 1


class TokenVocabulary:
    """The pieces of a tokenizer's file, each with its number. Any thread may use it."""

    def __init__(self, held: bytes | mmap.mmap) -> None:
        """`held`: what the file holds; ValueError where that is no vocabulary."""
        pieces = _pieces(held)
        self._text = b"".join(pieces)
        ends = np.zeros(len(pieces) + 1, np.uint32)
        np.cumsum(np.fromiter(map(len, pieces), np.uint32, len(pieces)), out=ends[1:])
        buckets = (np.fromiter(map(hash, pieces), np.int64, len(pieces)) & (_BUCKETS - 1)).astype(np.uint16)
        order = np.argsort(buckets, kind="stable")
        together = np.flatnonzero(np.diff(buckets[order]) == 0)
        # Pieces count from 1 here: 0 is none.
        first, other = np.zeros(_BUCKETS, np.uint16), np.zeros(len(pieces) + 1, np.uint16)
        first[buckets[order]] = order + 1  # of those in one bucket the last
        other[order[together + 1] + 1] = order[together] + 1
        # Python reads these arrays quicker than numpy's.
        self._ends = array("I", ends.tobytes())
        self._first = array("H", first.tobytes())
        self._other = array("H", other.tobytes())

    def __len__(self) -> int:
        """How many pieces there are."""
        return len(self._other) - 1

    def __contains__(self, piece: str) -> bool:
        return self.get(piece) is not None

    def get(self, piece: str) -> int | None:
        """Return the number of a piece; None for what is no piece."""
        spelled = piece.encode(errors="surrogatepass")
        at = self._first[hash(spelled) & (_BUCKETS - 1)]
        while at:
            if self._text[self._ends[at - 1] : self._ends[at]] == spelled:
                return at - 1
            at = self._other[at]
        return None


def _pieces(held: bytes | mmap.mmap) -> list[bytes]:
    """Return the pieces in UTF-8, each at its number.

    Only that part of the file is read: its list of joins is twice as long, and what Python takes for it once, it keeps.
    """
    found = _BEFORE.search(held)
    if found is None:
        raise ValueError("it has no vocabulary")
    behind = held.rfind(_BEHIND, found.end())
    raw = held[found.end() : len(held) if behind < 0 else behind]
    if _BY_NUMBER in raw:
        raise ValueError("expected characters in UTF-8, got some by their number")
    numbers, _ = json.JSONDecoder().raw_decode(raw.decode(_BYTEWISE))
    if not isinstance(numbers, dict) or list(numbers.values()) != list(range(len(numbers))):
        raise ValueError("expected a number for each piece, counted from 0")
    if len(numbers) > _PIECES_MAX:
        raise ValueError(f"expected at most {_PIECES_MAX} pieces, got {len(numbers)}")
    return [piece.encode(_BYTEWISE) for piece in numbers]
