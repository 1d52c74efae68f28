"""Say when two values are one amount, told in other units: half an hour is 30 minutes, and 0.05 mg is 50 µg.

A value is an amount where all of it is: numbers with units of one dimension, added up ("1 h 30 min"). Of anything more
("5 mg in the morning") nothing is said here. Amounts are compared as precisely as the coarser of the two was told, but
never further apart than anybody rounds; a mass or a volume may be a dose, and is compared exactly.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from cognition.numerals import in_decimals

# Every claim of a slot is compared with each value in it, again with each new claim.
_AMOUNTS_KEPT: Final = 4_096
# Of a longer value an amount would be a part.
_CHARACTERS_MAX: Final = 40
# Nobody rounds by more: 430 is not 455, though both are some 450.
ROUNDED_SHARE: Final = 0.03
# From here on zeros at the end may be rounding.
_ROUND_FROM: Final = 100
_EXACT: Final = frozenset(["mass", "volume"])

_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400
_SECONDS: Final = """
    s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi sekunda sekundy sekund
    секунда секунды секунд секунди
"""
_MINUTES: Final = """
    min mins minute minutes minuten minuto minutos minuti minuut minuta minuty minut мин минута минуты минут минуту хв
    хвилина хвилини хвилин хвилину
"""
_HOURS: Final = """
    h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren godzina godziny godzin godzinę godz
    ч час часа часов год година години годин годину
"""
_DAYS: Final = """
    d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen dzień dni день дня дней дні днів
"""
_WEEKS: Final = """
    wk week weeks woche wochen semaine semaines semana semanas settimana settimane weken tydzień tygodnie tygodni
    неделя недели недель неделю тиждень тижні тижнів
"""
_UNITS: Final = (
    ("time", 1, _SECONDS),
    ("time", _MINUTE, _MINUTES),
    ("time", _HOUR, _HOURS),
    ("time", _DAY, _DAYS),
    ("time", 7 * _DAY, _WEEKS),
    ("mass", 1e-6, "µg μg mcg ug мкг"),
    ("mass", 1e-3, "mg мг"),
    ("mass", 1, "g gr gram grams gramm gramme grammes gramos grammi gramas г гр"),
    ("mass", 1e3, "kg kilo kilos kilogram kilograms кг"),
    ("volume", 1e-3, "ml мл"),
    ("volume", 1e-2, "cl"),
    ("volume", 1, "l liter liters litre litres litro litros litri л"),
    ("length", 1e-3, "mm мм"),
    ("length", 1e-2, "cm см"),
    ("length", 1, "m meter meters metre metres metro metros metri м"),
    ("length", 1e3, "km км"),
    ("€", 1, "€ eur euro euros"),
    ("$", 1, "$ usd dollar dollars"),
    ("£", 1, "£ gbp pound pounds"),
)
_UNIT: Final = {word: (dimension, times) for dimension, times, words in _UNITS for word in words.split()}
_HALF_HOURS: Final = """
    half an hour, half hour, a half hour, halbe stunde, eine halbe stunde, demi-heure, une demi-heure, media hora,
    mezz'ora, mezza ora, meia hora, half uur, een half uur, pół godziny, полчаса, пол часа, пів години, півгодини
"""
_HALF_AN_HOUR: Final = frozenset(" ".join(each.split()) for each in _HALF_HOURS.split(","))
# "A week", "eine Stunde": one of them.
_ONES: Final = "a an one ein eine einen une un una uno um uma een jeden jedna один одна одну"
_ONE: Final = frozenset(_ONES.split())
_NUMBER: Final = r"\d{1,3}(?:[ .,]\d{3})+(?![\d.,])|\d+(?:[.,]\d+)?"
_SIGN_FIRST: Final = re.compile(r"([€$£])\s?(.+)")
_PART: Final = re.compile(rf"(?P<number>{_NUMBER}|[^\W\d_]+)\s?(?P<unit>[^\W\d_]+|[€$£])\.?(?:\s|$)")
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
    if a.dimension in _EXACT or apart > ROUNDED_SHARE * most:
        return False
    digits = min(a.digits, b.digits)
    return f"{a.value:.{digits}g}" == f"{b.value:.{digits}g}"


@lru_cache(_AMOUNTS_KEPT)
def amount_of(value: str) -> Amount | None:
    """Return the amount that a value is; None where it is anything else."""
    told = " ".join(in_decimals(value).replace("’", "'").casefold().split()).strip(" .")
    if len(told) > _CHARACTERS_MAX:
        return None
    if told in _HALF_AN_HOUR:
        return Amount("time", _HOUR / 2, 1)
    if sign := _SIGN_FIRST.fullmatch(told):
        told = f"{sign[2]} {sign[1]}"
    total, at, found = 0.0, 0, ""
    digits = 0
    while at < len(told):
        part = _PART.match(told, at)
        unit = _UNIT.get(part["unit"]) if part else None
        number = _number(part["number"]) if part else None
        if part is None or unit is None or number is None or found not in ("", unit[0]):
            return None
        found, at = unit[0], part.end()
        total += number * unit[1]
        digits += _digits(number)
    return Amount(found, total, digits) if found else None


def _number(told: str) -> float | None:
    if told in _ONE:
        return 1.0
    if not told[0].isdecimal():
        return None
    if _GROUPED.fullmatch(told):
        return float(re.sub(r"[ .,]", "", told))
    return float(told.replace(",", "."))


def _digits(number: float) -> int:
    """Return how many digits were told of a number: of round hundreds those before the zeros."""
    told = f"{number:.9g}".replace(".", "").lstrip("0")
    return max(1, len(told.rstrip("0") if number >= _ROUND_FROM and number == int(number) else told))
