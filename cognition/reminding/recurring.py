"""Read how what is told repeats: "every second Tuesday", "jeden ersten Montag im Monat", "по будням", "cada 15 días".

What repeats in a way that a rule here cannot say ("twice a week", "every third Monday", "every two hours") is `UNREAD`,
and then there is no reminder: one that comes at other times than was asked is worse than none.
"""

import re
from collections.abc import Sequence, Set
from typing import Final, NamedTuple

from cognition.reminding.words import DAYS_MAX, TOKEN, find, number_of, table, weekday_of
from cognition.times import meanings

_BYDAY: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_WORKDAYS: Final = (0, 1, 2, 3, 4)
_SATURDAY: Final = (5,)
_WEEKEND: Final = (5, 6)
# "Every second weekend" is every other one; "every third" may be one of three, or the third of a month.
_EVERY_OTHER: Final = 2
_FREQUENCIES: Final = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
# Nobody asks to be reminded every hundred days.
_INTERVAL_MAX: Final = 60
_ORDINAL_ENDS: Final = frozenset(
    ["st", "nd", "rd", "th", "e", "er", "eme", "o", "a", "й", "и", "го", "ого", "ту", "ую"]
)
_LAST: Final = -1
# "todos os dias 15": a day of the month, and no hour.
_EVERY_DAY: Final = re.compile(
    r" (?:dias?|giorno|jour|dag|tag) (?:[12]?\d|3[01])(?![\w:]|[.,]\d| ?(?:am|pm)\b) *"
)
_DATED: Final = re.compile(r"(?<![\w:.,])(?:[12]?\d|3[01])(?![\d:])")
_OF_DATE: Final = _ORDINAL_ENDS | {"de", "of", "do", "del", "di"}
_DE_EM: Final = re.compile(r"(?<!\w)de ([^\W\d_]+|\d+) em \1 ")
_SUR_DEUX: Final = re.compile(r"(?<!\w)(?:une? )?(\w+)(?: matin| soir| midi)? sur (?:deux|2)(?!\w)")


class Repeat(NamedTuple):
    """How something repeats: every `interval` of a unit, on these weekdays, or on the n-th of one in a month."""

    frequency: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    nth: int = 0
    is_last_day: bool = False

    @property
    def rule(self) -> str:
        """As RFC 5545 writes it."""
        interval = f";INTERVAL={self.interval}" if self.interval > 1 else ""
        nth = str(self.nth) if self.nth else ""
        days = ",".join(f"{nth}{_BYDAY[day]}" for day in self.weekdays)
        by_day = f";BYDAY={days}" if days else ""
        return f"FREQ={self.frequency}{interval}{by_day}{';BYMONTHDAY=-1' if self.is_last_day else ''}"


UNREAD: Final = Repeat("")
"""Something repeats, and nobody here knows how."""


def read_repeat(said: str, words: Set[str]) -> Repeat | None:
    """Return how what a spelled text tells repeats; None where it tells of one time, `UNREAD` where it is not clear."""
    if find("unclear_repeats", said, words) is not None:
        return UNREAD
    if find("workdays", said, words) is not None or _is_working_week(said):
        return Repeat("WEEKLY", 1, _WORKDAYS)
    every = () if table().firsts["every"].isdisjoint(words) else table().lists["every"].finditer(said)
    for match in every:
        found = _behind_every(said, match)
        if found is not None:
            return _of_week(found, said)
    weekends = find("weekends", said, words)
    if weekends is not None:
        before = TOKEN.findall(said[: weekends.start()])[-1:]
        is_counted = any((number_of(word) or 0) > 1 for word in before)
        return UNREAD if is_counted else Repeat("WEEKLY", 1, _WEEKEND)
    return _alternating(said, words) or _named(said, words)


def _is_working_week(said: str) -> bool:
    """Read "Monday to Friday", "du lundi au vendredi", "с понедельника по пятницу"."""
    words = TOKEN.findall(said)
    return any(
        weekday_of(first) == 0
        and between in table().single["until_day"]
        and (weekday_of(last) == _WORKDAYS[-1] or (last == "feira" and _friday_behind(words, at)))
        for at, (first, between, last) in enumerate(zip(words, words[1:], words[2:], strict=False))
    )


def _friday_behind(words: Sequence[str], at: int) -> bool:
    return any(weekday_of(word) == _WORKDAYS[-1] for word in words[at + 2 : at + 5])


def _behind_every(said: str, every: "re.Match[str]") -> Repeat | None:
    """Read what follows "every": an ordinal or a number, and a unit, weekdays or a day of the month."""
    words = TOKEN.findall(said, every.end())[:8]
    dated = _on_date(said, every, words)
    if dated is not None:
        return dated
    count, nth = 1, 0
    if words and (table().lists["other"].fullmatch(words[0]) is not None):
        count, words = 2, words[1:]
    elif words and table().lists["last"].fullmatch(words[0]) is not None:
        nth, words = _LAST, words[1:]
    elif words:
        ordinal = table().ordinals_spelled.get(words[0])
        number = number_of(words[0])
        is_suffixed = len(words) > 1 and words[0].isdecimal() and words[1] in _ORDINAL_ENDS
        # "toda quinta" is every Thursday; "ogni quinta settimana" is every fifth week.
        if weekday_of(words[0]) is not None and not _is_counted(words[1:2]):
            pass
        elif ordinal is not None or is_suffixed:
            nth, words = ordinal or number or 0, words[1 + is_suffixed :]
        elif number is not None and number > 1:
            count, words = number, words[1:]
    if not words:
        return None
    behind = next((word for word in words if word not in table().single["of_words"]), "")
    if (nth > 0 or count > 1) and behind != words[0] and table().lists["of_month"].fullmatch(behind):
        return Repeat("MONTHLY")  # "every 15th of the month"
    unit = "day" if words[0] in table().single["parts_of_days"] else meanings(words[0]).get("unit")
    weekdays = _weekdays(words)
    named = [table().lists[name].match(" ".join(words)) for name in ("weekend", "weekends")]
    if unit == "weekend" or any(named):
        # The first of a month begins on its first Saturday, whichever Sunday follows that.
        weekdays = _SATURDAY if table().lists["of_month"].search(said) or nth in (1, _LAST) else _WEEKEND
        count, nth = (nth, 0) if nth == _EVERY_OTHER and weekdays == _WEEKEND else (count, nth)
    if weekdays:
        return _on_weekdays(weekdays, count, nth, said)
    frequency = _FREQUENCIES.get(unit) if isinstance(unit, str) else None
    if frequency is None:
        is_time = table().lists["hours"].fullmatch(words[0]) is not None and count == 1 and not nth
        return UNREAD if is_time or table().lists["short_units"].fullmatch(words[0]) is not None else None
    interval = nth or count
    # "every 15th of the month" is no interval, nor is it one where the text names its ordinal before a month.
    if frequency == "MONTHLY" and every.start() and (found := _nth_before(said[: every.start()])):
        return found if interval == 1 else UNREAD
    return Repeat(frequency, interval) if 1 <= interval <= _INTERVAL_MAX else UNREAD


def _on_date(said: str, every: "re.Match[str]", words: Sequence[str]) -> Repeat | None:
    """Read "todo dia 8", "кожного 20 числа", "cada 12 de mayo": a day of every month, or of every year."""
    day = _EVERY_DAY.match(said, every.end())
    if day is not None and table().lists["hours"].match(said, day.end()) is None:
        return Repeat("MONTHLY")
    if not words or not words[0].isdecimal() or not 1 <= int(words[0]) <= DAYS_MAX:
        return None
    behind = next((word for word in words[1:4] if word not in _OF_DATE), "")
    if behind in table().single["days_of_month"]:
        return Repeat("MONTHLY")
    return Repeat("YEARLY") if "month" in meanings(behind) else None


def _is_counted(words: Sequence[str]) -> bool:
    return any(weekday_of(word) is not None or meanings(word).get("unit") in _FREQUENCIES for word in words)


def _weekdays(words: Sequence[str]) -> tuple[int, ...]:
    """Return the weekdays that words begin with: "monday and thursday", "lundi et jeudi", "segunda feira e quinta"."""
    found: list[int] = []
    at = 0
    while at < len(words):
        word = words[at].removeprefix("що") if found else words[at]
        weekday = weekday_of(word)
        if weekday is None:
            if not found or word not in table().single["between_days"]:
                break
        else:
            found.append(weekday)
        at += 1
    return tuple(sorted(set(found)))


def _on_weekdays(weekdays: tuple[int, ...], count: int, nth: int, said: str) -> Repeat:
    of_month = table().lists["of_month"].search(said) is not None
    if nth and (of_month or nth in (1, _LAST)):
        return Repeat("MONTHLY", 1, weekdays, nth) if nth <= 4 and len(weekdays) == 1 else UNREAD
    if nth > 2 or (nth and len(weekdays) > 1):
        return UNREAD  # every three weeks, or the third of a month
    return Repeat("WEEKLY", nth or count, weekdays)


def _nth_before(said: str) -> Repeat | None:
    """Read "the first Monday of" before "every month", and "the last day of"."""
    words = [word for word in TOKEN.findall(said) if word not in table().single["of_words"]][-4:]
    for at, word in enumerate(words[:-1]):
        elided = word.removeprefix("l")
        nth = table().ordinals_spelled.get(word)
        if nth is None and word.isdecimal() and words[at + 1] in _ORDINAL_ENDS:
            nth, words = int(word), [*words[: at + 1], *words[at + 2 :]]
        if any(table().lists["last"].fullmatch(each) is not None for each in (word, elided)):
            nth = _LAST
        if nth is None or nth > 4 or at + 1 >= len(words):
            continue
        weekday = weekday_of(words[at + 1])
        if weekday is not None:
            return Repeat("MONTHLY", 1, (weekday,), nth)
        if nth == _LAST and (meanings(words[at + 1]).get("unit") == "day" or words[at + 1] == "dnia"):
            return Repeat("MONTHLY", is_last_day=True)
    return None


def _of_week(found: Repeat, said: str) -> Repeat:
    """Add the weekday that stands beside "every two weeks", and refuse what stands beside it unread."""
    if found.frequency != "WEEKLY" or found.weekdays:
        return found
    for at in TOKEN.finditer(said):
        if weekday_of(at[0]) is not None:
            return found._replace(weekdays=_weekdays(TOKEN.findall(said, at.start())[:6]))
    return found


def _alternating(said: str, told: Set[str]) -> Repeat | None:
    """Read "un mardi sur deux", "de duas em duas semanas", "om de week", "un martes sí y otro no"."""
    of = _DE_EM.search(said)
    if of is not None:
        words, count = TOKEN.findall(said, of.end()), number_of(of[1])
        unit = meanings(words[0]).get("unit") if words else None
        if isinstance(unit, str) and unit in _FREQUENCIES and count is not None and count > 1:
            return _of_week(Repeat(_FREQUENCIES[unit], count), said)
    half = _SUR_DEUX.search(said)
    word = None if half is None else half[1]
    other = find("alternating", said, told)
    if other is not None:
        before = TOKEN.findall(said[: other.start()])
        word = before[-1] if before else None
    om = find("every_other", said, told)
    if om is not None:
        words = TOKEN.findall(said, om.end())
        word = words[0] if words else None
        number = None if word is None else number_of(word)
        if number is not None and len(words) > 1:
            unit = meanings(words[1]).get("unit")
            if isinstance(unit, str) and unit in _FREQUENCIES and 1 < number <= _INTERVAL_MAX:
                return _of_week(Repeat(_FREQUENCIES[unit], number), said)
            return None
    if word is None:
        return None
    weekday = weekday_of(word)
    if weekday is not None:
        return Repeat("WEEKLY", 2, (weekday,))
    unit = meanings(word).get("unit")
    return _of_week(Repeat(_FREQUENCIES[unit], 2), said) if unit in ("day", "week", "month") else None


def _named(said: str, told: Set[str]) -> Repeat | None:
    """Read "daily", "wöchentlich", "dienstags", "los lunes y jueves", "по понедельникам"."""
    days = (
        () if table().firsts["weekly_days"].isdisjoint(told) else table().lists["weekly_days"].finditer(said)
    )
    for match in days:
        # The weekday is the last word of the phrase.
        start = match.start() + match[0].rfind(" ") + 1
        words = TOKEN.findall(said, start)[:6]
        weekdays = _weekdays([words[0].removeprefix("що"), *words[1:]])
        if weekdays:
            fortnightly = find("fortnightly", said, told) is not None
            return Repeat("WEEKLY", 2 if fortnightly else 1, weekdays)
    if find("always", said, told) is not None and find("of_month", said, told) and _DATED.search(said):
        return Repeat("MONTHLY")
    for name, found in (
        ("fortnightly", Repeat("WEEKLY", 2)),
        ("daily", Repeat("DAILY")),
        ("weekly", Repeat("WEEKLY")),
        ("monthly", Repeat("MONTHLY")),
        ("yearly", Repeat("YEARLY")),
    ):
        if find(name, said, told) is not None:
            if name == "monthly" and find("month_end", said, told) is not None:
                return found._replace(is_last_day=True)
            return _of_week(found, said)
    return None
