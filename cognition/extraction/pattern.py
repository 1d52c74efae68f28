"""What a fact pattern is, and how a table of them is written.

A pattern reads the predicate of one clause: what follows the subject, without leading adverbs. `verb` is what
is said of the subject, `value` the rest; the fact is the subject's name, the verb in the third person and the
value. Tables index their patterns by the first word of the predicate, so that a clause is tried against the
few that could match. An expression is compiled when it is first tried: a hundred of them would cost every program
that opens a memory a tenth of a second.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FactPattern:
    """One way to state a fact."""

    name: str
    kind: str
    type: str
    confidence: float
    predicate: str
    """An expression; groups: `verb`, `value`, and `object` where the triple's object is less than the whole value."""
    first: tuple[str, ...]
    """The words with which its predicates begin."""
    relation: str | None = None
    """The predicate of the triple, if the pattern gives one."""
    value: str | None = None
    """An expression for what the value must look like."""
    words_max: int = 14
    """Longer values are stories rather than facts."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A pattern of a language whose verbs are not taken apart: it reads a clause, and says how it is told.

    `told` names the groups of `clause`, and `s` the subject.
    """

    name: str
    kind: str
    type: str
    confidence: float
    clause: str
    told: str
    relation: str | None = None


def pattern(
    name: str,
    kind: str,
    type: str,
    confidence: float,
    predicate: str,
    *,
    relation: str | None = None,
    value: str | None = None,
    words_max: int = 14,
) -> FactPattern:
    """Return a pattern; `predicate` begins with `first|second|…` in angle brackets, the words it is found by."""
    found = _FIRST.match(predicate)
    assert found is not None, f"{name} does not say which words it begins with"
    first = tuple(found[1].split("|"))
    body = predicate[found.end() :]
    return FactPattern(
        name,
        kind,
        type,
        confidence,
        rf"(?P<verb>(?:{found[1]}){body}",
        tuple(dict.fromkeys(words.split(" ")[0] for words in first)),
        relation,
        value,
        words_max,
    )


def whole(
    name: str,
    kind: str,
    type: str,
    confidence: float,
    clause: str,
    told: str,
    *,
    relation: str | None = None,
) -> Whole:
    """Return a pattern over a whole clause."""
    return Whole(name, kind, type, confidence, clause, told, relation)


@functools.cache
def compiled(expression: str) -> re.Pattern[str]:
    """Return what an expression of a table compiles to; tables are never that long that all could not be kept."""
    return re.compile(expression)


def by_first_word(patterns: Iterable[FactPattern]) -> Mapping[str, tuple[FactPattern, ...]]:
    """Return the patterns by the words with which their predicates begin, in the table's order."""
    table: dict[str, tuple[FactPattern, ...]] = {}
    for each in patterns:
        for word in each.first:
            table[word] = (*table.get(word, ()), each)
    return table


_FIRST: Final = re.compile(r"<([^>]+)>")
