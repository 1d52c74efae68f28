"""Nominate texts that share much of their wording: MinHash over character trigrams, and bands to look them up by.

A signature keeps, for each of 200 permutations, the least of a text's hashed trigrams; two texts agree in about
as many places as the share of trigrams that they have in common. Five places make a band, and texts that
agree in a whole band of the forty are nominated: nearly all that share four fifths, about two thirds of those
that share half, one in eighty that share a fifth. Nomination decides nothing.

The permutations are fixed, so that a text has one signature everywhere.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS: Final = 200
NGRAM: Final = 3
ROWS_PER_BAND: Final = 5
BANDS: Final = PERMUTATIONS // ROWS_PER_BAND
# Trigrams beyond these change a signature of a long text hardly at all, and each costs 200 products.
CHARACTERS_MAX: Final = 4_000

Signature = NDArray[np.uint64]

# Odd multipliers and offsets modulo 2^64: any would do, as long as they never change.
_RANDOM: Final = np.random.Generator(np.random.PCG64(0x5A6D))
_FACTORS: Final = _RANDOM.integers(1, 2**63, PERMUTATIONS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_OFFSETS: Final = _RANDOM.integers(0, 2**63, PERMUTATIONS, dtype=np.uint64)
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)
_HIGH: Final = np.uint64(32)


def trigrams(text: str) -> frozenset[str]:
    """Return the trigrams of a text as it is compared: without case, with single spaces."""
    folded = " ".join(text[:CHARACTERS_MAX].casefold().split())
    if len(folded) <= NGRAM:
        return frozenset({folded} if folded else ())
    return frozenset(folded[start : start + NGRAM] for start in range(len(folded) - NGRAM + 1))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of trigrams that two texts have in common."""
    return len(one & other) / len(one | other) if one or other else 1.0


def signature(grams: frozenset[str]) -> Signature:
    """Return the signature of a set of trigrams."""
    if not grams:
        return np.full(PERMUTATIONS, np.iinfo(np.uint64).max, np.uint64)
    # Three characters of 21 bits each fill a number; longer ones cannot come up.
    numbers = np.array([_number(gram) for gram in grams], np.uint64)
    numbers = (numbers ^ (numbers >> _SHIFT)) * _MIX
    numbers ^= numbers >> _HIGH
    # Mixed well before, one product and one sum suffice; modulo 2^64, as numbers of this size wrap around.
    permuted = np.multiply.outer(_FACTORS, numbers)
    permuted += _OFFSETS[:, None]
    least: Signature = permuted.min(axis=1)
    return least


def bands(of: Signature) -> Signature:
    """Return a number for each band of a signature: equal where the band is."""
    rows = of.reshape(BANDS, ROWS_PER_BAND)
    mixed = np.zeros(BANDS, np.uint64)
    for column in range(ROWS_PER_BAND):
        mixed = (mixed ^ rows[:, column]) * _MIX
        mixed ^= mixed >> _HIGH
    return mixed


class NearTexts:
    """The newest texts by their bands. Takes no locks: callers use it from one thread at a time."""

    def __init__(self, kept_max: int) -> None:
        self._kept_max = kept_max
        self._ids: list[int] = []
        self._bands = np.zeros((0, BANDS), np.uint64)
        self._held = 0

    @property
    def first(self) -> int | None:
        """The number of the oldest text that is kept."""
        return self._ids[0] if self._ids else None

    def add(self, ids: Sequence[int], texts: Sequence[str]) -> None:
        """Take texts in, as the newest; the oldest make way."""
        ids, texts = ids[-self._kept_max :], texts[-self._kept_max :]
        fresh = np.array([bands(signature(trigrams(text))) for text in texts], np.uint64).reshape(-1, BANDS)
        room = len(self._bands) - self._held
        if len(fresh) > room:
            kept = min(self._held, self._kept_max - len(fresh))
            grown = np.zeros((min(self._kept_max, max(256, 2 * (kept + len(fresh)))), BANDS), np.uint64)
            grown[:kept] = self._bands[self._held - kept : self._held]
            self._bands, self._ids, self._held = grown, self._ids[len(self._ids) - kept :], kept
        self._bands[self._held : self._held + len(fresh)] = fresh
        self._ids += ids
        self._held += len(fresh)

    def nominate(self, text: str) -> list[int]:
        """Return the numbers of texts that share a band with this one, the newest first."""
        wanted = bands(signature(trigrams(text)))
        (rows,) = (self._bands[: self._held] == wanted).any(axis=1).nonzero()
        return [self._ids[row] for row in rows[::-1].tolist()]


def _number(gram: str) -> int:
    number = 0
    for letter in gram:
        number = number << 21 | ord(letter)
    return number
