"""Read numbers that somebody has one of: how many children or cats, how old, and for how many years.

What grows with time is claimed as the year from which it counts, "about 2016", so that "for seven years" and, a year
later, "for eight" say one thing.
"""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from cognition.contradictions.values import about, folded
from cognition.contradictions.wording import asks, thing_of
from cognition.extraction.clauses import Clause
from cognition.extraction.values import Statement

_WORDS: Final = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
NUMBERS: Final = {word: number for number, word in enumerate(_WORDS)}
_NUMBER: Final = rf"(?P<number>{'|'.join(_WORDS[2:])}|\d{{1,2}})"
_NAMES: Final = {
    "children": "kids", "kids": "kids", "sons": "sons", "daughters": "daughters", "grandchildren": "grandchildren", "grandkids": "grandchildren",
    "brothers": "brothers", "sisters": "sisters", "siblings": "siblings", "dogs": "dogs", "cats": "cats", "pets": "pets", "horses": "horses",
    "jobs": "jobs", "cars": "cars",
}  # fmt: skip
_NOUN: Final = rf"(?P<noun>{'|'.join(_NAMES)})"
_KIND: Final = r"(?:(?:lovely|wonderful|beautiful|amazing|great|adorable|cute|sweet|grown|little) )?"
_WHOSE: Final = re.compile(rf"\b(?:[Mm]y|[Oo]ur) {_NUMBER} {_KIND}{_NOUN}\b(?!['’])")
_OWNING: Final = ("my ", "My ", "our ", "Our ")
_ALREADY: Final = re.compile(
    rf"\b(?:I|we) (?:already|now) have {_NUMBER} {_KIND}{_NOUN}\b(?! (?:in|who|that|with|from)\b)"
)
_HAS: Final = re.compile(
    rf"(?:have|has|own|owns|have got|has got|’ve got)(?: now| only)? (?P<number>no|one|{'|'.join(_WORDS[2:])}|\d{{1,2}}) {_KIND}"
    rf"(?P<noun>{'|'.join(_NAMES)}|kid|child|son|daughter|brother|sister|sibling|dog|cat|pet)(?= now\b| already\b|: |,|$)"
)
# A number is a change where it is said to be one: "I left my two kids at school" is none.
_NOW: Final = re.compile(r"\b(?:now|already|these days|any ?more|no longer)\b", re.IGNORECASE)
# Longer than this is a story, and no number.
_PREDICATE_CHARACTERS_MAX: Final = 200
_HAS_NONE: Final = re.compile(rf"(?:don['’]t|doesn['’]t|do not|does not) have any {_NOUN}(?: any ?more)?$")
_SINGULAR: Final = {name.removesuffix("s"): name for name in _NAMES} | {"child": "children"}
_AGE: Final = re.compile(
    r"(?:am|is|turned|am turning) (?P<number>\d{1,3})(?P<old> years? old)?(?: now| today| already)?$"
)
AGES: Final = range(10, 111)
# Nobody tells of their own years before.
_YEARS_FROM: Final = 1_000
_ONE_OF_THEM: Final = re.compile(r"['’]s (?:wife|husband|mom|mum|mother|dad|father)$")
_FOR_YEARS: Final = re.compile(
    rf"(?:have|has) (?:been (?P<what>married|together|sober|vegan|vegetarian|[a-z]+ing(?: [\w' -]+?)?)|(?P<had>had [\w' -]+?)) for (?:about |around |almost |nearly |over |more than )?{_NUMBER} years(?: now| already)?$"
)


def numbers_of(entity: str, clause: Clause, told_at_ms: int, *, for_a_while: bool) -> Iterator[Statement]:
    """Return what a clause counts; nothing that is counted in a passing time (`for_a_while`)."""
    said = clause.predicate
    if len(said) > _PREDICATE_CHARACTERS_MAX:
        return
    own = "'s " not in entity
    changes = _NOW.search(clause.said) is not None
    if own and not for_a_while and (match := _HAS.match(said)):
        yield _count(entity, match["number"], match["noun"], changes)
    if own and (match := _HAS_NONE.match(said)):
        yield _count(entity, "no", match["noun"], changes)
    if (own or _ONE_OF_THEM.search(entity)) and (match := _AGE.match(said)) and int(match["number"]) in AGES:
        yield from _since(entity, "born", told_at_ms, int(match["number"]))
    if match := _FOR_YEARS.match(said):
        what = match["what"] or match["had"]
        if what in ("married", "together", "sober", "vegan", "vegetarian") or thing_of(what):
            years = NUMBERS.get(match["number"]) or int(match["number"])
            yield from _since(entity, f"since:{folded(what)}", told_at_ms, years)


def _since(entity: str, relation: str, told_at_ms: int, years: int) -> Iterator[Statement]:
    """Return since about when something holds; nothing where it was told at no time of our calendar."""
    try:
        began = datetime.fromtimestamp(told_at_ms / 1_000, UTC).year - years
    except (OverflowError, OSError, ValueError):  # told in the year -1199, says its author
        return
    if began >= _YEARS_FROM:
        yield Statement(entity, relation, about(began))


def counted(subject: str, sentence: str) -> Iterator[Statement]:
    """Return how many the speaker has of what a sentence names by the way: "I took my three dogs to the beach"."""
    if asks(sentence):
        return
    for pattern, hints in ((_WHOSE, _OWNING), (_ALREADY, (" have ",))):
        for match in pattern.finditer(sentence) if any(map(sentence.__contains__, hints)) else ():
            yield _count(subject, match["number"], match["noun"], changes=pattern is _ALREADY)


def _count(entity: str, number: str, noun: str, changes: bool) -> Statement:
    plural = noun if noun in _NAMES else _SINGULAR[noun]
    value = NUMBERS[number] if number in NUMBERS else int(number)
    return Statement(entity, f"number_of:{_NAMES[plural]}", str(value), changes)
