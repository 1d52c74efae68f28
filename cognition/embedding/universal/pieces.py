"""Take a text apart into the pieces of the multilingual encoder: sentencepiece's normaliser and its unigram model.

No piece reaches across the start of a word, and no rule of the normaliser across a space, so words are taken apart one
by one, and those of ordinary talk are remembered. What comes out is held to the package's own code by a test.
"""

import zlib
from functools import lru_cache
from typing import Final

from cognition.embedding.universal.unpacking import BUCKETS, Arrays

UNKNOWN: Final = 0
BEGIN: Final = 1
END: Final = 2
# What stands before every word.
START: Final = "\u2581"
# Text between spaces that is remembered: some 2 MB. Longer text is hardly a word, and seldom comes again.
_KEPT: Final = 8_192
_KEPT_CHARACTERS_MAX: Final = 32
# A character that is no piece costs so much more than the rarest piece.
_UNKNOWN_COSTS: Final = 10.0
# In the normaliser's table: which bits of a unit are its label, and which say where its children are.
_LABEL: Final = 0x800000FF
_VALUE: Final = 0x7FFFFFFF
_SPACES: Final = frozenset("\t\n\f\r")


class UnigramPieces:
    """The vocabulary. Any thread may use it."""

    def __init__(self, arrays: Arrays) -> None:
        # Python reads these quicker than numpy's arrays.
        self._units = arrays["units"].data
        self._texts = arrays["texts"].tobytes()
        self._spelled = arrays["pieces"].data
        self._ends, self._first, self._other = (arrays[name].data for name in ("ends", "first", "other"))
        self._scores = arrays["scores"].data
        self._unknown = float(arrays["scores"].min()) - _UNKNOWN_COSTS
        self._longest = 16
        self._remembered = lru_cache(_KEPT)(self._apart)

    def of(self, text: str) -> list[int]:
        """Return the pieces of a text, by number; none where it says nothing."""
        found: list[int] = []
        for chunk in text.split(" "):
            if chunk:
                short = len(chunk) <= _KEPT_CHARACTERS_MAX
                found += self._remembered(chunk) if short else self._apart(chunk)
        return found

    def _apart(self, chunk: str) -> tuple[int, ...]:
        """Return the pieces of text without a plain space in it; what it is normalised to may have some."""
        if not chunk.isascii() or not _SPACES.isdisjoint(chunk):
            chunk = self._normalised(chunk.encode())
        found: list[int] = []
        for word in chunk.split(" "):
            for at, part in enumerate(word.split(START)):
                if part or (word and at):
                    found += self._best(START + part)
        return tuple(found)

    def _normalised(self, raw: bytes) -> str:
        out, at = bytearray(), 0
        while at < len(raw):
            told, length = self._replaced(raw, at)
            out += told
            at += length
        return out.decode()

    def _replaced(self, raw: bytes, at: int) -> tuple[bytes, int]:
        """Return what stands for the longest run from here on that the table knows, and how long that is."""
        units, texts = self._units, self._texts
        length, value = 0, 0
        unit = units[0]
        node = (unit >> 10) << ((unit & 0x200) >> 6)
        for stop in range(at, len(raw)):
            node ^= raw[stop]
            unit = units[node]
            if unit & _LABEL != raw[stop]:
                break
            node ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & 0x100:
                length, value = stop - at + 1, units[node] & _VALUE
        if length and value < len(texts):
            return texts[value : texts.index(b"\0", value)], length
        length = 1
        while at + length < len(raw) and raw[at + length] & 0xC0 == 0x80:
            length += 1
        return raw[at : at + length], length

    def _number(self, piece: bytes) -> int | None:
        at = self._first[zlib.crc32(piece) & (BUCKETS - 1)]
        while at:
            if self._spelled[self._ends[at - 1] : self._ends[at]] == piece:
                return int(at) - 1
            at = self._other[at]
        return None

    def _best(self, word: str) -> list[int]:
        """Return the likeliest pieces of a word (Viterbi); of two alike, the one whose last piece begins earlier."""
        letters = [letter.encode() for letter in word]
        count = len(letters)
        best = [0.0] + [-1e38] * count
        begin, piece = [0] * (count + 1), [UNKNOWN] * (count + 1)
        for i in range(count):
            spelled = b""
            for j in range(i + 1, min(i + self._longest, count) + 1):
                spelled += letters[j - 1]
                number = self._number(spelled)
                if number is None and j > i + 1:
                    continue
                score = best[i] + (self._unknown if number is None else self._scores[number])
                if score > best[j]:
                    best[j], begin[j], piece[j] = score, i, UNKNOWN if number is None else number
        found, at = [], count
        while at:
            found.append(piece[at])
            at = begin[at]
        return found[::-1]
