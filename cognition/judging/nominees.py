"""Name what somebody who understands the words should compare with a new telling: at most three older memories.

What is told twice, or otherwise than before, is nearly always among the memories nearest in meaning; but so is much
that only sounds alike. So nearness alone is not enough: names that both hold, attributes that both state (a price and
a price, a dose and a dose), and typed values that cannot both hold, weigh beside it. This judges nothing. Whoever told
it, an agent or a person, reads both and says what they are to each other (`settle`).

The weights were set on the four lives in which 32 pairs contradict and 19 repeat each other.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.grammar.attributes import Attribute, attributes, differ
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims
from cognition.words import SILENT_WORDS, words

NOMINEES_MAX: Final = 3
# As many of the nearest are compared; the partner is hardly ever behind them.
LOOKED_AT: Final = 24
# What a shared name and a shared attribute add to a cosine, each up to twice.
NAME: Final = 0.05
ATTRIBUTE: Final = 0.05
COUNTED_MAX: Final = 2
# What two typed values that cannot both hold add.
DISAGREES: Final = 0.15
# Below, six of ten that only sound alike would be named; from here on less than half of what has no partner names any.
WEIGHT_MIN: Final = 0.385
# What labels leave behind makes all of a store a little more alike.
LABELLED: Final = 0.045
# Where no model is at hand, shared words stand for meaning; they are fewer between tellings in other words.
WORDS_WEIGHT_MIN: Final = 0.19
# A repetition is at least so near; two prices of two things are not.
REPEATED_MIN: Final = 0.5
_WORD_LETTERS_MIN: Final = 3
_KEPT: Final = 4_096
# A word that begins large where no sentence does.
_NAME: Final = re.compile(r"(?<![.!?:…\n] )(?<!^)\b[^\W\d_]\w{2,}", re.MULTILINE)


class ComparedValue(NamedTuple):
    """One attribute that both tellings state: of what kind, as told before and as told now."""

    kind: str
    before: str
    now: str


class Nominee(NamedTuple):
    """An older memory to compare with. `relation` is a guess by values alone: repeats, differs or alike.

    `likeness`, 0 to 1, is how alike the texts are; `weight` orders, and what both name or state adds to it.
    """

    id: int
    weight: float
    relation: str
    values: tuple[ComparedValue, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    likeness: float


class Near(NamedTuple):
    """An older memory that may be named, and how alike it is: the cosine, or None where no model says."""

    id: int
    text: str
    cosine: float | None
    labelled: bool = False
    """Whether its vector, or that of the new telling, was made of more than the text."""


class _Read(NamedTuple):
    words: frozenset[str]
    names: frozenset[str]
    attributes: tuple[Attribute, ...]
    kinds: frozenset[str]


def nominees(text: str, near: Iterable[Near]) -> list[Nominee]:
    """Return at most `NOMINEES_MAX` of the near ones that a text is to be compared with, the weightiest first."""
    told, claims = _read(text), read_claims(text)
    found = []
    for each in near:
        known = _read(each.text)
        names = (told.words & known.words) & (told.names | known.names)
        kinds = told.kinds & known.kinds
        likeness = _overlap(told.words, known.words) if each.cosine is None else each.cosine
        weight = likeness + NAME * min(len(names), COUNTED_MAX) + ATTRIBUTE * min(len(kinds), COUNTED_MAX)
        least = _least(each)
        if weight >= least - DISAGREES:
            against = disagreements(
                read_claims(each.text), claims, max(likeness - LABELLED * each.labelled, 0)
            )
            weight += DISAGREES if against else 0
        if weight >= least:
            values = _values(told.attributes, known.attributes)
            relation = _relation(likeness, kinds, values, told, known)
            found.append(
                Nominee(
                    each.id,
                    round(weight, 4),
                    relation,
                    values,
                    tuple(sorted(names)),
                    tuple(sorted(kinds)),
                    min(max(likeness, 0.0), 1.0),
                )
            )
    found.sort(key=lambda one: (-one.weight, -one.id))
    return found[:NOMINEES_MAX]


def names_of(nominee: Nominee) -> tuple[str, ...]:
    """Return what both name, as an entity is called: the longest first, since it tells most."""
    return tuple(sorted(nominee.names, key=lambda name: (-len(name), name)))


def explained(nominee: Nominee) -> str:
    """Return in words why it is named."""
    shared = []
    if nominee.names:
        shared.append(f"both name {', '.join(nominee.names[:3])}")
    if nominee.kinds:
        shared.append(f"both state {', '.join(kind.partition(' ')[0] for kind in nominee.kinds[:3])}")
    return "; ".join([*shared, f"alike by {nominee.likeness:.2f}"])


def _least(each: Near) -> float:
    if each.cosine is None:
        return WORDS_WEIGHT_MIN
    return WEIGHT_MIN + LABELLED if each.labelled else WEIGHT_MIN


@lru_cache(_KEPT)
def _read(text: str) -> _Read:
    stated = attributes(text)
    told = frozenset(
        word for word in words(text) if len(word) >= _WORD_LETTERS_MIN and word not in SILENT_WORDS
    )
    names = frozenset(word.casefold() for word in _NAME.findall(text) if word[0].isupper())
    return _Read(told, names, stated, frozenset(each.kind for each in stated))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def _values(told: Sequence[Attribute], known: Sequence[Attribute]) -> tuple[ComparedValue, ...]:
    """Return what both state: of each kind the pair that differs, or else the pair that agrees."""
    found = {}
    for now in told:
        of_kind = [before for before in known if before.kind == now.kind and before.value is not None]
        if not of_kind or now.value is None:
            continue
        same = next((before for before in of_kind if not differ(before, now)), None)
        before = of_kind[0] if same is None else same
        if now.kind not in found or same is None:
            found[now.kind] = ComparedValue(now.kind, before.told, now.told)
    return tuple(found.values())


def _relation(
    likeness: float, kinds: frozenset[str], values: Sequence[ComparedValue], told: _Read, known: _Read
) -> str:
    apart = any(
        all(differ(before, now) for before in known.attributes if before.kind == kind)
        for kind in kinds
        for now in told.attributes
        if now.kind == kind and now.value is not None
    )
    if apart:
        return "differs"
    return "repeats" if likeness >= REPEATED_MIN or values else "alike"
