"""Nominate texts that share much of their wording: MinHash over character trigrams, and bands to look them up by.

A signature keeps, for each of 200 permutations, the least of a text's hashed trigrams; two texts agree in about
as many places as the share of trigrams that they have in common. Five places make a band, and texts that
agree in a whole band of the forty are nominated: nearly all that share four fifths, about two thirds of those
that share half, one in eighty that share a fifth. Nomination decides nothing.

The permutations are fixed, so that a text has one signature everywhere.
"""

import hashlib
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS: Final = 200
NGRAM: Final = 3
ROWS_PER_BAND: Final = 5
BANDS: Final = PERMUTATIONS // ROWS_PER_BAND
# Trigrams beyond these change a signature of a long text hardly at all, and each costs 200 products.
CHARACTERS_MAX: Final = 4_000
# Texts whose bands are remembered between looking for them and adding them.
_LOOKED_FOR: Final = 8
# Texts whose bands are worked out at once, where many are added: they share what numpy takes for a call. Together they
# have no more characters than one may have.
_AT_ONCE: Final = 16
# Room for texts that is made at once, at the least.
_ROOM_MIN: Final = 256

# Half as wide as the trigrams, for which machines are four times as quick; by chance two are equal once in thousands
# of millions, and then nothing is lost but a look at them.
Signature = NDArray[np.uint32]

# Odd multipliers and offsets modulo 2^32: any would do, as long as they never change.
# Of a hash, since numpy's generators take 3 MB that nothing else here needs.
_DRAWN: Final = hashlib.shake_128(b"samemind minhash").digest(4 * (2 * PERMUTATIONS + ROWS_PER_BAND))
_FACTORS, _OFFSETS, _BAND_FACTORS = np.split(
    np.frombuffer(_DRAWN, "<u4").astype(np.uint32), [PERMUTATIONS, 2 * PERMUTATIONS]
)
_FACTORS |= np.uint32(1)
_BAND_FACTORS |= np.uint32(1)
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)
_HIGH: Final = np.uint64(32)
_CHARACTER_BITS: Final = np.uint64(21)


def trigrams(text: str) -> set[str]:
    """Return the trigrams of a text as it is compared."""
    folded = _folded(text)
    if len(folded) <= NGRAM:
        return {folded} if folded else set()
    return {folded[start : start + NGRAM] for start in range(len(folded) - NGRAM + 1)}


def jaccard(one: Set[str], other: Set[str]) -> float:
    """Return the share of trigrams that two texts have in common."""
    common = len(one & other)  # to count all of both takes as long as to make them
    return common / (len(one) + len(other) - common) if one or other else 1.0


def numbered(text: str) -> NDArray[np.uint64]:
    """Return the trigrams of a text as numbers, some of them more than once: a least one is the same."""
    codes = _codes(_folded(text))
    size = min(NGRAM, len(codes))
    count = len(codes) - size + 1 if size else 0
    numbers = codes[:count]
    for start in range(1, size):  # three characters of 21 bits each fill a number
        numbers = numbers << _CHARACTER_BITS | codes[start : start + count]
    return numbers


def signature(numbers: NDArray[np.uint64]) -> Signature:
    """Return the signature of a set of trigrams, given as numbers."""
    if not len(numbers):
        return np.full(PERMUTATIONS, np.iinfo(np.uint32).max, np.uint32)
    least: Signature = _permuted(numbers).min(axis=0)
    return least


def bands(of: Signature) -> Signature:
    """Return a number for each band of a signature: equal where the band is."""
    added: Signature = of.reshape(BANDS, ROWS_PER_BAND) @ _BAND_FACTORS
    return added


class NearTexts:
    """The newest texts by their bands. Takes no locks: callers use it from one thread at a time."""

    def __init__(self, kept_max: int) -> None:
        self._kept_max = kept_max
        self._ids: list[int] = []
        # A column for each text: a thousand of them are compared in the time that rows take for three hundred.
        self._bands = np.zeros((BANDS, 0), np.uint32)
        self._end = 0
        # What is looked for is mostly what is added next.
        self._bands_of = lru_cache(_LOOKED_FOR)(bands_of)

    @property
    def first(self) -> int | None:
        """The number of the oldest text that is kept."""
        return self._ids[0] if self._ids else None

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        """Take texts in, as the newest; the oldest make way."""
        ids, texts = ids[-self._kept_max :], texts[-self._kept_max :]
        if self._end + len(texts) > self._bands.shape[1]:
            kept = min(len(self._ids), self._kept_max - len(texts))
            room = min(2 * self._kept_max, max(_ROOM_MIN, 2 * (kept + len(texts))))
            moved = np.zeros((BANDS, room), np.uint32)
            moved[:, :kept] = self._bands[:, self._end - kept : self._end]
            self._bands, self._end = moved, kept
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            added = self._bands_of(some[0])[:, None] if len(some) == 1 else bands_of_some(some)
            self._bands[:, self._end : self._end + len(some)] = added
            self._end += len(some)
        self._ids = [*self._ids, *ids][-self._kept_max :]

    def nominate(self, text: str) -> list[int]:
        """Return the numbers of texts that share a band with this one, the newest first."""
        wanted = self._bands_of(text)
        kept = self._bands[:, self._end - len(self._ids) : self._end]
        (columns,) = (kept == wanted[:, None]).any(axis=0).nonzero()
        return [self._ids[column] for column in columns[::-1].tolist()]


def bands_of(text: str) -> Signature:
    """Return the bands of a text's signature."""
    return bands(signature(numbered(text)))


def bands_of_some(texts: Sequence[str]) -> Signature:
    """Return the bands of several texts, a column for each."""
    folded = [_folded(text) for text in texts]
    sizes = np.array([len(each) for each in folded])
    # The one number of a short text is made otherwise.
    if sizes.min() < NGRAM or sizes.sum() > CHARACTERS_MAX:
        return np.stack([bands_of(text) for text in texts], axis=1)
    codes = _codes("".join(folded))
    numbers = (codes[:-2] << _CHARACTER_BITS | codes[1:-1]) << _CHARACTER_BITS | codes[2:]
    within = np.ones(len(codes), np.bool_)
    for last in range(1, NGRAM):  # what begins there goes on into the next text
        within[sizes.cumsum() - last] = False
    counts = sizes - NGRAM + 1
    permuted = _permuted(numbers[within[: len(numbers)]])
    least = np.minimum.reduceat(permuted, counts.cumsum() - counts, axis=0)
    added: Signature = least.reshape(-1, BANDS, ROWS_PER_BAND) @ _BAND_FACTORS
    return added.T


def _permuted(numbers: NDArray[np.uint64]) -> Signature:
    """Return a row of hashes for each number."""
    mixed = ((numbers ^ (numbers >> _SHIFT)) * _MIX >> _HIGH).astype(np.uint32)
    # Mixed well before, one product and one sum suffice; modulo 2^32, as numbers of this size wrap around.
    permuted: Signature = np.multiply.outer(mixed, _FACTORS)
    permuted += _OFFSETS
    return permuted


def _codes(folded: str) -> NDArray[np.uint64]:
    return np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)


def _folded(text: str) -> str:
    """Return a text as it is compared: without case, with single spaces."""
    return " ".join(text[:CHARACTERS_MAX].casefold().split())
