"""Say when two values are one amount, told in other units: half an hour is 30 minutes, and 0.05 mg is 50 µg.

A value is an amount where all of it is: numbers with units of one dimension, added up ("1 h 30 min"). Of anything more
("5 mg in the morning") nothing is said here. Amounts are compared as precisely as the coarser of the two was told, but
never further apart than anybody rounds; a mass, a volume or a count of pieces may be a dose, and is compared exactly.

The units and their words are those by which texts are read (`cognition.grammar.attributes`).
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.grammar.attributes import ROUNDED_SHARE, digits_of, rounded, seconds_of, unit_alone
from cognition.grammar.lexicon import LANGUAGES, level, lists_of
from cognition.numerals import in_decimals
from cognition.times import folded, meanings

# Every claim of a slot is compared with each value in it, again with each new claim.
_AMOUNTS_KEPT: Final = 4_096
# Of a longer value an amount would be a part.
_CHARACTERS_MAX: Final = 40
_EXACT: Final = frozenset(["mass", "volume", "dose"])
_NUMBER: Final = r"\d{1,3}(?:[ .,]\d{3})+(?![\d.,])|\d+(?:[.,]\d+)?"
_SIGN_FIRST: Final = re.compile(r"([€$£₴₽])\s?(.+)")
_PART: Final = re.compile(rf"(?P<number>{_NUMBER}|[^\W\d_]+)\s?(?P<unit>[^\W\d_]+|[€$£₴₽%])\.?(?:\s|$)")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[ .,]\d{3})+")


class Amount(NamedTuple):
    """So much of a dimension, in its base unit, and how many digits were told of it."""

    dimension: str
    value: float
    digits: int


def same_amount(one: str, other: str) -> bool | None:
    """Say whether two amounts are one, as far as they were told; None where one of these values is no amount."""
    a, b = amount_of(one), amount_of(other)
    if a is None or b is None:
        return None
    most, apart = max(a.value, b.value), abs(a.value - b.value)
    if a.dimension != b.dimension or apart <= 1e-9 * most:
        return a.dimension == b.dimension
    if a.dimension.partition(" ")[0] in _EXACT or apart > ROUNDED_SHARE * most:
        return False
    digits = min(a.digits, b.digits)
    return rounded(a.value, digits) == rounded(b.value, digits)


@lru_cache(_AMOUNTS_KEPT)
def amount_of(value: str) -> Amount | None:
    """Return the amount that a value is; None where it is anything else."""
    told = " ".join(in_decimals(value).replace("’", "'").casefold().split()).strip(" .")
    if not told or len(told) > _CHARACTERS_MAX:
        return None
    if _is_half_an_hour(told):
        return Amount("duration", (seconds_of("hour") or 0) / 2, 1)
    if sign := _SIGN_FIRST.fullmatch(told):
        told = f"{sign[2]} {sign[1]}"
    total, at, found = 0.0, 0, ""
    digits = 0
    while at < len(told):
        part = _PART.match(told, at)
        number = _number(part["number"]) if part else None
        unit = unit_alone(folded(part["unit"])) if part and number is not None else None
        if part is None or unit is None or number is None or found not in ("", unit.dimension):
            return None
        found, at = unit.dimension, part.end()
        total += number * unit.times
        digits += digits_of(number)
    return Amount(found, total, digits)


def _is_half_an_hour(told: str) -> bool:
    if told[0].isdecimal():
        return False
    first, _, rest = told.partition(" ")
    plain = level(rest if meanings(folded(first)).get("number") == 1 else told)
    return lists_of(LANGUAGES)["half_hour"].fullmatch(plain) is not None


def _number(told: str) -> float | None:
    """Return a number in digits or as a word: "a week" and "eine Stunde" are one of them."""
    if not told[0].isdecimal():
        number = meanings(folded(told)).get("number")
        return float(number) if isinstance(number, int) else None
    if _GROUPED.fullmatch(told):
        return float(re.sub(r"[ .,]", "", told))
    return float(told.replace(",", "."))
