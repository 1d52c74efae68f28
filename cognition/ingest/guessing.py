"""Guess of a memory what nobody said of it: its type, how it feels, which people and which places it names. Pure.

A guess is computed when a memory is shown and is written by nobody, so it is no field of the memory: what its teller
said stands in its place, and a better guess of a later version needs no change.
"""

# ruff: noqa: E501 - lists of words are easier to read in long lines

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from cognition.contradictions.relations import RelationKind, relation_of
from cognition.contradictions.values import folded
from cognition.extraction.names import NAME, names
from cognition.extraction.values import beginning
from cognition.places import COUNTRIES, REGIONS
from cognition.ranking.sentiment import mood_of

TEXT_CHARACTERS_MAX: Final = 4_000
NAMES_MAX: Final = 12
# How a memory feels whose words say that it feels well or badly: as far as a person would say who is not moved.
FELT: Final = 0.5
_PLACES: Final = frozenset(
    {"lives_in", "lives_in_region", "lives_in_country", "comes_from", "born_in", "address"}
)
_PEOPLE: Final = frozenset({"spouse", "friends_with", "relationship_status"})
# What stands before the name of a place, and before that of a person.
_IN: Final = re.compile(
    rf"\b(?:in|near|from|to|at|nach|bei|aus|en|à|au|de|desde|a|em|no|na|naar|uit|te|w|do|z|в|во|из|до|у|біля) (?P<name>{NAME})"
)
_WITH: Final = re.compile(
    rf"\b(?:with|met|and|called|told|my \w+|mit|und|mein\w* \w+|avec|et|m(?:on|a) \w+|con|y|mi \w+|com|e|met|z|i|с|и|з|і) (?P<name>{NAME})"
)
_DOES: Final = re.compile(
    rf"(?P<name>{NAME})(?:['’]s\b| (?:is|was|has|had|lives|works|likes|loves|moved|said|told|went|got|ist|hat|wohnt|arbeitet|mag|est|habite|travaille|es|vive|trabaja|tiene|abita|lavora|mora|trabalha|woont|werkt)\b)"
)


class Guess(NamedTuple):
    """What was guessed; None and nothing where there is no telling."""

    type: str | None
    valence: float | None
    people: tuple[str, ...]
    places: tuple[str, ...]


def guess(text: str, fields: Mapping[str, Any], claimed: Iterable[tuple[str, str, str]]) -> Guess:
    """Return what a memory probably is; `claimed` are (entity, relation, value) of what it, or a fact in it, claims."""
    text = beginning(text, TEXT_CHARACTERS_MAX)
    claims = list(claimed)
    mood = mood_of(text)
    named = names(text)[:NAMES_MAX]
    places = {folded(value): value for _, relation, value in claims if relation in _PLACES}
    for name in named:
        if folded(name) in COUNTRIES | REGIONS:
            places[folded(name)] = name
    people = {folded(entity.partition("'s ")[0]) for entity, _, _ in claims}
    people |= {folded(match["name"]) for pattern in (_WITH, _DOES) for match in pattern.finditer(text)}
    places |= {
        folded(match["name"]): match["name"]
        for match in _IN.finditer(text)
        if match["name"] in named and folded(match["name"]) not in people
    }
    return Guess(
        None if fields.get("type") is not None else _type(fields, {each for _, each, _ in claims}, mood),
        FELT * mood if mood and fields.get("valence") is None else None,
        tuple(name for name in named if folded(name) in people and folded(name) not in places),
        tuple(places.values()),
    )


def _type(fields: Mapping[str, Any], relations: Iterable[str], mood: int) -> str | None:
    found = set(relations)
    if found & _PLACES:
        return "spatial"
    if any(relation_of(each).kind is RelationKind.PREFERENCE for each in found):
        return "affective"
    if found & _PEOPLE:
        return "social"
    if found:
        return "factual"
    if mood:
        return "affective"
    return "episodic" if fields.get("event_start") is not None else None
