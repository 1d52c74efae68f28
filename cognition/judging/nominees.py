"""Name what somebody who understands the words should compare with a new telling: at most three older memories.

What is told twice, or otherwise than before, is nearly always among the memories nearest in meaning, or among those
that share a word which few others hold; but so is much that only sounds alike. So a logistic weighs five things: how
near the older memory is, which words of the new one it meets that others near it do not, how much of it these meet,
whether typed values cannot both hold, and how many memories there are, since of more some lie near by chance. The
likeliest decides whether anything is named; where it is, others that are half as likely as that takes are named beside
it, since whoever reads one reads three. This judges nothing. Whoever told it, an agent or a person, reads both and says
what they are to each other (`settle`).

Its numbers are fitted by `python -m tests.bench.nominating`, which also tells what they reach on whoever was left out
of the fit. Where no model is at hand, shared words, names and attributes stand for meaning, with weights set by hand.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.grammar.attributes import Attribute, attributes, differ
from cognition.grammar.pairing import disagree, first_of_each_kind
from cognition.grammar.typed import read_claims
from cognition.words import SILENT_WORDS, words

NOMINEES_MAX: Final = 3
# As many of the nearest are compared word by word: a word that was not met before takes a fifth of a millisecond.
LOOKED_AT: Final = 16


class PartnerEvidence(NamedTuple):
    """What speaks for naming an older memory."""

    cosine: float
    """How near it is in meaning."""
    met: float
    """Which of the new telling's words it meets, each as far as its nearest word is near (`MET_FROM`), and the more
    the fewer of those it is compared with meet it (`rarity`)."""
    covered: float
    """Which share of its own words the new telling meets."""
    against: float
    """1 where typed values of the two cannot both hold."""
    size: float
    """How many memories it is one of: the natural logarithm of that."""


# One for each part of the evidence, and what is added; `python -m tests.bench.nominating --write` writes them.
WEIGHTS: Final = PartnerEvidence(cosine=7.31, met=0.22, covered=4.19, against=4.06, size=-0.08)
ADDED: Final = -8.63
# How likely the first must be a partner to be named; fitted too: 45 of 100 memories without a partner name somebody.
CHANCE_MIN: Final = 0.0213
# Which share of that is enough for those beside it.
BESIDE_SHARE: Final = 0.5
# The least cosine of two words that says anything; what is above it counts, up to 1 for the same word.
MET_FROM: Final = 0.3
# Of whom a word is met, as a share of `LOOKED_AT`, at the least: what nobody meets is no rarer than a stray likeness.
MET_SHARE_MIN: Final = 0.03
# Words of a telling that are compared, from its beginning: a page would meet everything.
MET_WORDS_MAX: Final = 40

# Without a model: what a shared name and a shared attribute add to the share of words, each up to twice.
NAME: Final = 0.05
ATTRIBUTE: Final = 0.05
COUNTED_MAX: Final = 2
# What two typed values that cannot both hold add.
DISAGREES: Final = 0.15
# What labels leave behind makes all of a store a little more alike.
LABELLED: Final = 0.045
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

    `likeness`, 0 to 1, is how alike the texts are; `weight` orders: how likely the two are partners, from 0 to 1.
    """

    id: int
    weight: float
    relation: str
    values: tuple[ComparedValue, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    likeness: float


class MetWords(NamedTuple):
    """How far a new telling and an older one meet word by word: see `PartnerEvidence`."""

    met: float
    covered: float


class Near(NamedTuple):
    """An older memory that may be named, and how alike it is: the cosine, or None where no model says."""

    id: int
    text: str
    cosine: float | None
    labelled: bool = False
    """Whether its vector, or that of the new telling, was made of more than the text."""
    met: MetWords | None = None
    """None where words have no vectors, and only those count that both hold."""
    among: int = 1
    """How many memories there are."""


class _Read(NamedTuple):
    words: frozenset[str]
    names: frozenset[str]
    attributes: tuple[Attribute, ...]
    kinds: frozenset[str]


def nominees(text: str, near: Iterable[Near]) -> list[Nominee]:
    """Return at most `NOMINEES_MAX` of the near ones that a text is to be compared with, the likeliest first."""
    found = sorted(((_weight(text, each), each) for each in near), key=lambda one: (-one[0], -one[1].id))
    if not found:
        return []
    first, likeliest = found[0]
    if likeliest.cosine is None:
        least = WORDS_WEIGHT_MIN
    else:
        least = BESIDE_SHARE * CHANCE_MIN if first >= CHANCE_MIN else 1.0
    return [_compared(text, each, weight) for weight, each in found[:NOMINEES_MAX] if weight >= least]


def compared(text: str, each: Near) -> Nominee:
    """Return what two tellings both name and state."""
    return _compared(text, each, _weight(text, each))


def _compared(text: str, each: Near, weight: float) -> Nominee:
    told, known = _read(text), _read(each.text)
    kinds = told.kinds & known.kinds
    likeness = _overlap(told.words, known.words) if each.cosine is None else each.cosine
    values = _values(told.attributes, known.attributes)
    return Nominee(
        each.id,
        round(weight, 4),
        _relation(likeness, kinds, values, told, known),
        values,
        tuple(sorted(_shared_names(told, known))),
        tuple(sorted(kinds)),
        min(max(likeness, 0.0), 1.0),
    )


def evidence(text: str, each: Near) -> PartnerEvidence:
    """Return what speaks for naming what lies near."""
    cosine = (each.cosine or 0.0) - LABELLED * each.labelled
    met = each.met or _met_exactly(compared_words(text), compared_words(each.text))
    against = disagree(read_claims(each.text), read_claims(text), max(cosine, 0))
    return PartnerEvidence(
        cosine=cosine,
        met=met.met,
        covered=met.covered,
        against=float(against),
        size=math.log(max(1, each.among)),
    )


def rarity(met: float) -> float:
    """Return what a word counts that is met `met` times, in all, by those that a telling is compared with."""
    return -math.log(min(max(met / LOOKED_AT, MET_SHARE_MIN), 1.0))


def _met_exactly(told: Sequence[str], known: Sequence[str]) -> MetWords:
    both = len(set(told) & set(known))
    return MetWords(both * rarity(1), both / max(1, len(known)))


@lru_cache(_KEPT)
def compared_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that are compared with those of another, each once."""
    telling = dict.fromkeys(
        word
        for word in words(text)
        if word.isdecimal() or (len(word) >= _WORD_LETTERS_MIN and word not in SILENT_WORDS)
    )
    return tuple(telling)[:MET_WORDS_MAX]


def _weight(text: str, each: Near) -> float:
    if each.cosine is not None:
        told = sum(weight * part for weight, part in zip(WEIGHTS, evidence(text, each), strict=True))
        return 1 / (1 + math.exp(-told - ADDED))
    told_words, known = _read(text), _read(each.text)
    names, kinds = _shared_names(told_words, known), told_words.kinds & known.kinds
    weight = _overlap(told_words.words, known.words)
    weight += NAME * min(len(names), COUNTED_MAX) + ATTRIBUTE * min(len(kinds), COUNTED_MAX)
    if weight >= WORDS_WEIGHT_MIN - DISAGREES and disagree(read_claims(each.text), read_claims(text), weight):
        weight += DISAGREES
    return weight


def _shared_names(told: _Read, known: _Read) -> frozenset[str]:
    return (told.words & known.words) & (told.names | known.names)


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


@lru_cache(_KEPT)
def _read(text: str) -> _Read:
    stated = attributes(text)
    told = frozenset(
        word for word in words(text) if len(word) >= _WORD_LETTERS_MIN and word not in SILENT_WORDS
    )
    names = frozenset(word.casefold() for word in _NAME.findall(text) if word[0].isupper())
    return _Read(told, names, tuple(first_of_each_kind(stated)), frozenset(each.kind for each in stated))


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
