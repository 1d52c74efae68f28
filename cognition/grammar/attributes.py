"""Read what a text states by number, unit, time or kind of relation: its attributes, each with a value that compares.

Two memories about one thing can only differ in an attribute that both have: a price and a price, a dose and a dose. So
this says which attributes a text has and with what values, in ten languages by one table of words (`words.toml`), since
nobody says which language a note is in. It reads, and judges nothing: whether two values contradict each other is for
whoever knows what they are values of.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from cognition.numerals import in_decimals
from cognition.times import folded, meanings

# A page says a hundred numbers; a telling says a few, and says them early.
CHARACTERS_MAX: Final = 2_000
# Texts whose attributes are remembered: the nearest are looked at again with each telling.
_KEPT: Final = 4_096
_DAY_MINUTES: Final = 24 * 60
_HOURS: Final = 24
_NOON: Final = 12
_DAYS_MAX: Final = 31
# From here on zeros at the end may be rounding.
_ROUND_FROM: Final = 100
# Nobody rounds by more: 430 is not 455, though both are some 450.
ROUNDED_SHARE: Final = 0.03
# Who counts in years is a year off at each end, and rounds.
YEARS_APART_MAX: Final = 2
# What is longer is no amount, and no float keeps it.
_DIGITS_MAX: Final = 15

# A number with a letter on it that is no unit ("0x44", "4e") is a name, and stays one token.
_TOKEN: Final = re.compile(r"\d[xX]\w+|\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[€£$₴₽%]")
# Seven digits and more name one thing: a phone, an account, a tax number.
_IDENTIFIER: Final = re.compile(r"(?<![\d.,:])\+?\d(?:[ \-/]?\d){6,}(?![\d.,:]*\d)")
_NUMERIC_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[/-]\d{1,2}[/-]\d{2,4}")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,]\d{3})+|\d{1,3}(?: \d{3})+")
_THOUSANDS: Final = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_CLOCK: Final = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)")
_HOUR_MARK: Final = re.compile(r"\b([01]?\d|2[0-4])\s?[hH]\s?([0-5]\d)?\b(?!/)")
# "0点" and "1月" are one sign each before they are folded, and no numbers.
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_SIGNS: Final = frozenset("€£$₴₽")

# Kinds of which each unit stands for itself.
_NAMED: Final = frozenset(["money", "dose"])
# A quarter past is not "about the hour", and Tuesday not about Monday.
_EXACT: Final = frozenset(["clock", "weekday"])


class Attribute(NamedTuple):
    """One thing that a text states: of what kind, with what value, and in which words it says so.

    A `value` is None where only the kind is known ("lives in …"): then nothing can be compared.
    """

    kind: str
    value: float | str | None
    told: str


class AmountUnit(NamedTuple):
    """So many of the base unit of a kind; `name` is its own."""

    kind: str
    name: str
    times: float

    @property
    def dimension(self) -> str:
        """What it measures: euros are no dollars, and tablets no drops."""
        return f"{self.kind} {self.name}" if self.kind in _NAMED else self.kind


class _Words(NamedTuple):
    """The table: units by their words, and what else tells a kind."""

    units: Mapping[str, AmountUnit]
    alone: Mapping[str, AmountUnit]
    after_hour: Mapping[str, int]
    before_hour: frozenset[str]
    kinds: Mapping[str, str]


@lru_cache(1)
def _table() -> _Words:
    import tomllib  # here: whoever only asks reads no words, and a phone loads this for each start from scratch

    told: Mapping[str, Any] = tomllib.loads(
        Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    )
    units: dict[str, AmountUnit] = {}
    for kind, of_kind in told["units"].items():
        for name, (times, *words) in of_kind.items():
            units |= {folded(word): AmountUnit(kind, name, times) for word in words}
    named = {unit.name: unit for unit in units.values()}
    alone = {folded(word): named[name] for name, words in told["alone"].items() for word in words}
    clock = told["clock"]
    after = {word: hours for name, hours in (("am", 0), ("pm", _NOON), ("sharp", 0)) for word in clock[name]}
    kinds = {
        folded(word): kind
        for kind in ("home", "work", "taste", "kin", "owner")
        for word in told[kind]["words"]
    }
    return _Words(units, units | alone, after, frozenset(map(folded, clock["at"])), kinds)


@lru_cache(_KEPT)
def attributes(text: str) -> tuple[Attribute, ...]:
    """Return what a text states, in its order; of a long text, its beginning."""
    told = in_decimals(text[:CHARACTERS_MAX])
    found = [
        Attribute("identifier", re.sub(r"\D", "", match[0]), match[0].strip())
        for match in _IDENTIFIER.finditer(told)
        if _is_identifier(match)
    ]
    rest = _IDENTIFIER.sub(lambda match: " " if _is_identifier(match) else match[0], told)
    rest = _THOUSANDS.sub("", rest)
    for hour in _HOUR_MARK.finditer(rest):
        minutes = int(hour[1]) * 60 + int(hour[2] or 0)
        found.append(Attribute("clock", float(minutes % _DAY_MINUTES), hour[0].strip()))
    rest = _HOUR_MARK.sub(" ", rest)
    words = _TOKEN.findall(rest)
    found += _stated(words, [folded(word) for word in words])
    return tuple(dict.fromkeys(found))


def _is_identifier(match: re.Match[str]) -> bool:
    """Say whether digits name something: a day does not, nor does an amount in groups of three."""
    if _NUMERIC_DAY.fullmatch(match[0]):
        return False
    behind = _TOKEN.match(match.string, match.end() + match.string[match.end() :].startswith(" "))
    return not (_GROUPED.fullmatch(match[0]) and behind and folded(behind[0]) in _table().units)


def seconds_of(word: str) -> float | None:
    """Return how long a folded word's unit of time is, in seconds; None where it is none."""
    unit = _table().units.get(word)
    return unit.times if unit is not None and unit.kind == "duration" else None


def unit_alone(word: str) -> AmountUnit | None:
    """Return the unit that a folded word is where nothing but an amount is told: "8 h" in a sentence is an hour."""
    return _table().alone.get(word)


def differ(one: Attribute, other: Attribute) -> bool:
    """Say whether two attributes of one kind have values that cannot be the same.

    Numbers are compared as precisely as the coarser of the two was told: 318,000 is 320,000, and 62 is not 68.
    """
    if one.value is None or other.value is None:
        return False
    if isinstance(one.value, str) or isinstance(other.value, str) or one.kind in _EXACT:
        return one.value != other.value
    digits = min(digits_of(one.value), digits_of(other.value))
    return rounded(one.value, digits) != rounded(other.value, digits)


def _stated(words: Sequence[str], small: Sequence[str]) -> Iterator[Attribute]:
    table = _table()
    for at, word in enumerate(small):
        kind = table.kinds.get(word)
        if kind is not None:
            yield Attribute(kind, None, words[at])
        means = meanings(word)
        weekday = means.get("weekday", meanings(word.removesuffix("s")).get("weekday"))
        if isinstance(weekday, int):
            yield Attribute("weekday", float(weekday), words[at])
        month = means.get("month")
        if isinstance(month, int) and (day := _day_beside(small, at)):
            yield Attribute("date", f"{month:02}-{day:02}", f"{day} {words[at]}")
        number = _number(small, at)
        if number is not None:
            yield from _counted(words, small, at, number)


def _counted(words: Sequence[str], small: Sequence[str], at: int, number: float) -> Iterator[Attribute]:
    """Return what a number counts: a price, an amount, a time of day."""
    table = _table()
    before = small[at - 1] if at else ""
    behind = small[at + 1] if at + 1 < len(small) else ""
    if before in _SIGNS:
        unit = table.units[before]
        yield Attribute(unit.dimension, number, f"{words[at - 1]}{words[at]}")
        return
    is_hour = behind in table.after_hour and before in table.before_hour  # "в 18 часов" is no stretch of time
    unit_behind = None if is_hour else table.units.get(behind)
    if behind == "k" and at + 2 < len(small) and small[at + 2] in _SIGNS:
        unit_behind, number = table.units[small[at + 2]], number * 1_000
    if unit_behind is not None:
        yield Attribute(
            unit_behind.dimension, round(number * unit_behind.times, 9), f"{words[at]} {words[at + 1]}"
        )
        return
    clock = _CLOCK.fullmatch(words[at])
    if clock is not None and (":" in words[at] or before in table.before_hour or behind in table.after_hour):
        minutes = int(clock[1]) * 60 + int(clock[2]) + 60 * _afternoon(int(clock[1]), behind)
        yield Attribute("clock", float(minutes % _DAY_MINUTES), words[at])
    elif number <= _HOURS and number == int(number) and behind in table.after_hour:
        hour = int(number) + _afternoon(int(number), behind)
        yield Attribute("clock", float(hour * 60 % _DAY_MINUTES), f"{words[at]} {words[at + 1]}")
    elif 1 <= number <= _HOURS and number == int(number) and before in table.before_hour:
        yield Attribute("clock", float(int(number) * 60 % _DAY_MINUTES), words[at])


def _afternoon(hour: int, behind: str) -> int:
    added = _table().after_hour.get(behind, 0)
    return added if hour < _NOON else 0


def _number(small: Sequence[str], at: int) -> float | None:
    """Return the number that stands here, in digits or as a word; an article is no number."""
    word = small[at]
    if word[:1].isdecimal():
        if len(word) > _DIGITS_MAX or _NUMBER.fullmatch(word) is None:
            return None
        if _CLOCK.fullmatch(word) and ":" in word:
            return float(word.partition(":")[0])
        if _GROUPED.fullmatch(word):
            return float(re.sub(r"[.,]", "", word))
        plain = word.replace(",", ".")
        return float(plain) if plain.count(".") <= 1 and ":" not in plain else None
    number = meanings(word).get("number")
    if not isinstance(number, int) or number <= 1:
        return None
    more = meanings(small[at + 1]).get("number") if at + 1 < len(small) else None
    if number >= 20 and isinstance(more, int) and 0 < more < 10 and not small[at + 1].isdecimal():
        return float(number + more)
    return float(number)


def _day_beside(small: Sequence[str], at: int) -> int | None:
    """Return the day of the month that stands before a month, or behind it."""
    for place in (at - 1, at - 2, at + 1):
        if 0 <= place < len(small):
            match = re.fullmatch(r"(\d{1,2})", small[place])
            day = int(match[1]) if match else meanings(small[place]).get("number")
            if isinstance(day, int) and 1 <= day <= _DAYS_MAX and (match or place != at - 2):
                return day
    return None


def digits_of(number: float) -> int:
    """Return how many digits were told of a number: of round hundreds those before the zeros."""
    digits = f"{number:.9g}".replace(".", "").replace("-", "").lstrip("0")
    told = digits.rstrip("0") if abs(number) >= _ROUND_FROM and number == int(number) else digits
    return max(1, len(told.partition("e")[0]))


def rounded(number: float, digits: int) -> str:
    """Return a number as it is told with so many digits, for comparing."""
    return f"{number:.{digits}g}"
