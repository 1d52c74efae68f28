"""Say when two names mean one thing, as far as their letters tell, and when two values cannot both hold.

Only plain rules: case, articles, punctuation and ordinals do not matter, and "Google" does not contradict "Google in
Zurich", nor "17 May" the "17th of May 1990". Two amounts are compared by arithmetic. Whether Leipzig is in Saxony is
not known here, so it is not asked.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import Final

from cognition.contradictions.amounts import same_amount
from cognition.extraction.values import Statement
from cognition.grammar.attributes import YEARS_APART_MAX
from cognition.numerals import in_decimals

# The value of a claim that something has ended ("I left Google"): it replaces, and contradicts nothing.
ENDED: Final = "(ended)"
SLOT_BYTES: Final = 16

_WORDS: Final = re.compile(r"[^\W_]+(?:[&+][^\W_]*)*")
# Every claim of a slot is compared with each value in it, again with each new claim.
_WORDS_KEPT: Final = 4_096
_ORDINAL: Final = re.compile(r"^(\d{1,2})(?:st|nd|rd|th)$")
_ABOUT: Final = re.compile(r"about (\d{4})")
_EMPTY_WORDS: Final = """
    a an the of in at on to my our his her their inc ltd llc gmbh corp company der die das el la los las le les
"""
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())


@lru_cache(maxsize=_WORDS_KEPT)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a value that tell it from others; an address is one word."""
    if "@" in text:
        return frozenset([folded(text)])
    found = [_ORDINAL.sub(r"\1", word) for word in _WORDS.findall(folded(in_decimals(text)))]
    telling = frozenset(word for word in found if word not in _EMPTY)
    return telling or frozenset(found)


def about(year: int) -> str:
    """Return the value of what began, or was born, in about this year."""
    return f"about {year}"


def compatible(one: str, other: str) -> bool:
    """Say whether two values may both hold: they say the same, one more precisely than the other."""
    years = _ABOUT.fullmatch(one), _ABOUT.fullmatch(other)
    if years[0] and years[1]:
        return abs(int(years[0][1]) - int(years[1][1])) <= YEARS_APART_MAX
    if one == other:
        return True
    amounts = same_amount(one, other)
    if amounts is not None:
        return amounts
    a, b = words_of(one), words_of(other)
    return a <= b or b <= a


def folded(text: str) -> str:
    """Return a name in the one spelling by which it is compared."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def slot_id(workspace: str | None, entity: str, relation: str) -> bytes:
    """Return the id of a slot, alike on every device: what a contradiction in it is known by."""
    named = "\0".join((folded(workspace or ""), folded(entity), folded(relation)))
    return hashlib.sha256(f"samemind slot\0{named}".encode()).digest()[:SLOT_BYTES]


def value_of(statement: Statement) -> str:
    """Return the value that a statement claims: none where something has ended."""
    return ENDED if statement.ends else statement.value
