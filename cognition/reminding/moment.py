"""Read when: the day, the hour and the repeating that words name, on the teller's clock.

Every way of naming a day is one method (`_dated`, `_weekday`, `_counted`, …), asked in order until one of them reads
it. What is read has to hold of everything else that the words say, or it is not believed: another weekday, another
month.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple

from cognition.reminding.clock import NOON, Clock
from cognition.reminding.recurring import UNREAD, Repeat, read_repeat
from cognition.reminding.words import (
    DAYS_MAX,
    ISO,
    MONTHS,
    TOKEN,
    find,
    is_english,
    number_of,
    span_seconds_of,
    table,
    weekday_of,
)
from cognition.times import meanings

MORNING: Final = 9
_WEEK: Final = 7
# More of a unit is not said by people who want to be reminded.
_COUNT_MAX: Final = 400
# Without a point behind it the month has two digits, and no money or measure follows.
_UNDOTTED: Final = re.compile(
    r"(?<![\d.:])(\d{1,2})\.(0[1-9]|1[0-2])()(?![\d.]|[,:]\d| ?[€$£%]| ?(?:eur|usd|kg|km|m|l|g)\b)"
)
_DOTTED: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)?(?![\d])")
_DIGIT: Final = re.compile(r"\d")
_CLAUSE: Final = re.compile(r"[,;:–—()](?!\d)|(?<=[^\W\d])\. ")
_DAY_S: Final = 86_400
# "im März an den Zaun": an article behind a month is no day.
_ONE: Final = frozenset(
    ["an", "a", "one", "ein", "eine", "einen", "un", "une", "una", "uno", "um", "uma", "een", "i"]
)
_MONTH_S: Final = 2_629_800
_SATURDAY: Final = 5
_WORKDAYS: Final = 5
# "15 of each month", "jeden 15. des monats", "15 każdego miesiąca"
_DAY_OF_EACH: Final = re.compile(
    r"(?<![\d.:,])(\d{1,2})(?:\.|st|nd|rd|th|e|er|go|го|число|числа)?(?= |$)(?! ?(?:h|uhr|uur)(?!\w))"
)
# In these languages "next" is of the next week; the coming one has a word of its own.
_OF_NEXT_WEEK: Final = frozenset(["przyszly", "przyszla", "przyszlym"])
# Where "el próximo viernes" and "el viernes que viene" are the coming one.
_SPANISH: Final = frozenset(["lunes", "martes", "miercoles", "jueves", "viernes"])
# Words of other things that are also weekdays: a fair, a fourth, a fifth.
_NO_WEEKDAYS: Final = frozenset(["feira", "segunda", "quarta", "quinta", "sexta", "terca"])
_BEFORE_MORNING: Final = frozenset(["la", "am", "jeden", "elke", "s", "de"])
_MONTH_OF_ONLY_WORDS: Final = """
    of the de da do di del dell des du d la le el il l von van
    im this a diesen dieses deste este questo ce deze
"""
_MONTH_OF_ONLY: Final = frozenset(_MONTH_OF_ONLY_WORDS.split())
# "через неделю": behind these a unit by itself is one of it.
_ALONE: Final = frozenset(["через", "за", "za"])
_WITHIN: Final = frozenset(["within", "innerhalb von", "binnen", "entro", "w ciagu"])
# Every weekday falls on every day of a month within fourteen months.
_WEEKS_LOOKED_AT: Final = 61
_LEADING: Final = frozenset(["the", "der", "den", "dem", "le", "el", "il", "de", "dia", "dnia"])
# "lundi en huit", "mardi en quinze": so many weeks behind the coming one.
_EN_HUIT: Final = {"huit": 1, "8": 1, "quinze": 2, "15": 2}
# "kwart over twee uur" is a time of day.
_OF_CLOCK: Final = re.compile(r"(?:kwart|minuten|minuut|\d|vijf|tien|twintig) $")
# Between "in" and how long it is: "in about an hour".
_SOME_WORDS: Final = """
    about around more zirka circa ca etwa ungefahr environ aproximadamente cerca de ongeveer okolo jakies jeszcze
    примерно около приблизно
"""
_SOME: Final = frozenset(_SOME_WORDS.split())
_AFTER: Final = frozenset(["after", "nach", "apres", "despues", "dopo", "depois", "после", "після"])
# The few words of one clause that stand before or behind another: there its hour is.
_BEFORE: Final = re.compile(r"(?:[\w:.]*(?:\w|m\.) +){1,4}$")
_BEHIND: Final = re.compile(r"(?: +[\w:.]+){1,4}")
# With one of these, "hier" is "here".
_HERE: Final = frozenset(["uhr", "uur", "um", "om", "erinnere", "erinner", "herinner"])
_MONTH_OF_WORDS: Final = """
    of in the de do da del della di dell d des du la le l el im von vom des van w u в у o no em
"""
_MONTH_OF: Final = frozenset(_MONTH_OF_WORDS.split())
_OF_WORDS: Final = """
    te giorno tag jour dag dzien day день ter ten tego ego ty szy szego ci ciego gi giego е ое го of de
    do del st nd rd th er e the le o d go dia
"""
_OF: Final = frozenset(_OF_WORDS.split())
_OF_MONTH: Final = frozenset(
    ["pierwszego", "drugiego", "trzeciego", "piatego", "dziesiatego", "pietnastego", "dwudziestego"]
)


class Reminder(NamedTuple):
    """When something is due, on the teller's clock, and how it repeats: an RRULE of RFC 5545 without its name."""

    due: datetime
    repeats: str | None = None


class TextTime:
    """What a text says of a time: the day, the hour, and how it repeats."""

    def __init__(self, said: str, now: datetime, *, plainly: bool = False) -> None:
        self._said = said
        self._now = now
        self._plainly = plainly
        self._exact: datetime | None = None
        self._clock = Clock(said)
        told = self._clock.told
        # The minutes of "12:30 December 27th" are no day.
        self._words = TOKEN.findall(said if told is None else said[: told.start()] + " " + said[told.end() :])
        self.hour = self._clock.hour
        self._said_words = frozenset(TOKEN.findall(said))
        self._repeat = read_repeat(said, self._said_words)
        self.is_vague = False
        self.is_from_now = False
        self.begins = False
        self.day = self._read_day()

    @property
    def repeats(self) -> bool:
        """Whether it is told that something comes again."""
        return self._repeat is not None

    @property
    def has_time(self) -> bool:
        """Whether any time is named."""
        return self._exact is not None or self.day is not None or self.hour is not None

    @property
    def has_day(self) -> bool:
        """Whether a day is named, or how long it is until then."""
        return self._exact is not None or self.day is not None

    def reminder(self) -> Reminder | None:
        """Return when it is due: at an hour without a day the next time that it strikes.

        There is none where the text names something that does not hold of it: another weekday, another month.
        """
        if self._exact is not None:
            return Reminder(self._exact, None) if self._holds(self._exact.date()) else None
        if (self._repeat is not None and self.day is None) or self._is_over():
            return None
        at = self.hour or time(MORNING)
        day = self._now.date() if self.day is None else self.day
        midnight = timedelta(days=self._clock.midnight and self.day is not None)  # the end of that day
        due = datetime.combine(day, at, self._now.tzinfo) + midnight
        if due <= self._now and self.day is None:
            due += timedelta(days=1)
        if due <= self._now or not self._holds(due.date() - midnight):
            return None
        return Reminder(due, None if self._repeat is None else self._repeat.rule)

    def _has(self, name: str) -> "re.Match[str] | None":
        return find(name, self._said, self._said_words)

    def _is_over(self) -> bool:
        """Say whether the hour stands beside a day that is over: "yesterday at 5", "ieri sera", "um 17 Uhr gestern"."""
        if self.hour is None:
            return False
        for match in TOKEN.finditer(self._said):
            if meanings(match[0]).get("relative") not in (-1, -2):
                continue
            if match[0] == "hier" and not _HERE.isdisjoint(self._said_words):
                continue
            before, behind = (
                _BEFORE.search(self._said, 0, match.start()),
                _BEHIND.match(self._said, match.end()),
            )
            if (before is not None and _names_hour(before[0], -1)) or (
                behind is not None and _names_hour(behind[0], 0)
            ):
                return True
        return False

    # --- the day

    def _read_day(self) -> date | None:
        if self._repeat is not None:
            return self._first(self._repeat)
        for read in (
            self._beside_day,
            self._nth,
            self._dated,
            self._counted,
            self._relative,
            self._feast,
            self._weekday,
            self._of_month,
            self._month,
            self._weekend,
            self._next,
        ):
            day = read()
            if day is not None or self._exact is not None:
                return day
        return None

    def _beside_day(self) -> date | None:
        """Read "two days before Christmas", "drei Wochen nach Ostern", "3 dagen vanaf dinsdag"."""
        for name, sign in (("after_day", 1), ("before_day", -1), ("weeks_on", 1)):
            for match in table().lists[name].finditer(self._said):
                words = list(TOKEN.finditer(self._said[: match.start()]))[-2:]
                span = self._span(words[0].start(), alone=False) if len(words) == 2 else None
                if span is None or span[1] < _DAY_S or (name == "weeks_on" and span[1] != _WEEK * _DAY_S):
                    continue
                base = TextTime(self._said[match.end() :], self._now).day
                if base is not None:
                    found = _later(datetime.combine(base, time()), sign * int(span[0]), span[1])
                    return found if found is not None and found >= self._now.date() else None
        return None

    def _nth(self) -> date | None:
        """Read "first Wednesday of October", "last day of the month", "letzter Montag im März 2027"."""
        for at, word in enumerate(self._words[:-1]):
            behind = self._words[at + 1]
            weekday = weekday_of(behind)
            is_last = table().lists["last"].fullmatch(word) is not None
            nth = -1 if is_last else table().ordinals_spelled.get(word)
            if nth is None and word.isdecimal() and 1 <= int(word) <= 5:
                nth = int(word)
                if behind in _OF:
                    at += 1
                    behind = self._words[at + 1] if at + 1 < len(self._words) else ""
                weekday = weekday_of(behind)
            is_day = meanings(behind).get("unit") == "day"
            if nth is None or nth > 5 or (weekday is None and not is_day):
                continue
            month = self._month_behind(at + 2)
            if month is not None:
                return self._in_month(*month, nth, weekday)
        return None

    def _month_behind(self, at: int) -> tuple[int, int] | None:
        """Return the year and the month that words name: "of October 2027", "of next month", "of the month"."""
        words = self._words[at : at + 5]
        while words and words[0] in _MONTH_OF:
            words = words[1:]
        if not words:
            return None
        if meanings(words[0]).get("unit") == "month":
            named = [word for word in words[1:] if word not in _MONTH_OF]
            words = named if named and "month" in meanings(named[0]) else words
        elided = words[0].removeprefix("dell").removeprefix("d")
        month = meanings(words[0]).get("month", meanings(elided).get("month"))
        if isinstance(month, int):
            year = next((int(each) for each in words[1:2] if len(each) == 4 and each.isdecimal()), None)
            return (self._now.year + (month < self._now.month) if year is None else year), month
        if any(meanings(word).get("unit") == "month" for word in words[:2]):
            return self._months_on(1 if self._says_next(words) else 0)
        return None

    def _months_on(self, count: int) -> tuple[int, int]:
        month = self._now.year * MONTHS + self._now.month - 1 + count
        return month // MONTHS, month % MONTHS + 1

    def _in_month(self, year: int, month: int, nth: int, weekday: int | None) -> date | None:
        """Return the n-th of a weekday in a month, or of its days; the last for -1."""
        first = _date(year, month, 1)
        if first is None:
            return None
        days = [
            day
            for number in range(DAYS_MAX)
            if (day := first + timedelta(days=number)).month == month and weekday in (None, day.weekday())
        ]
        found = days[nth - 1 if nth > 0 else nth] if len(days) >= nth else None
        return found if found is not None and found >= self._now.date() else None

    def _day_of_next_month(self) -> int | None:
        """Read "the 20th of next month", "am 5. nächsten Monats"."""
        if "month" not in self._next_units():
            return None
        for at, word in enumerate(self._words):
            if meanings(word).get("unit") != "month":
                continue
            for before in reversed(self._words[max(0, at - 6) : at]):
                if before.isdecimal():
                    return int(before)
        return None

    def _next_units(self) -> Iterator[object]:
        """Give the units that a text names the next of, in their order: "next week", "el mes que viene"."""
        for at, word in enumerate(self._words):
            unit = meanings(word).get("unit")
            if unit in ("week", "month") and self._says_next(
                [*self._words[max(0, at - 1) : at], *self._words[at + 1 : at + 3]]
            ):
                yield unit

    def _says_next(self, words: Sequence[str]) -> bool:
        return table().lists["next"].search(" ".join(words)) is not None

    def _feast(self) -> date | None:
        """Read a feast that is on one day in every year: "Christmas Eve", "Silvester", "ferragosto"."""
        for month, day, words in (
            table().feasts if not table().firsts["feasts"].isdisjoint(self._said_words) else ()
        ):
            match = words.search(self._said)
            if match is not None:
                before = TOKEN.findall(self._said[: match.start()])[-1:]
                return None if not _AFTER.isdisjoint(before) else self._on(month, day, None)
        return None

    def _next(self) -> date | None:
        """Read "next week", "nächsten Monat", "este fin de semana": their first day."""
        today = self._now.date()
        match next(self._next_units(), None):
            case "week":
                return today + timedelta(days=_WEEK - today.weekday())
            case "month":
                return _date(*self._months_on(1), 1)
        return None

    def _dated(self) -> date | None:
        """Read "2027-03-03", "3.3.2027", "3 March", "March 3rd", "3. März", "el 3 de marzo de 2027"."""
        iso = ISO.search(self._said)
        if iso is not None:
            return _date(int(iso[1]), int(iso[2]), int(iso[3]))
        dotted = _DOTTED.search(self._said)
        if dotted is None and not is_english(self._said):
            dotted = _UNDOTTED.search(self._said)
        if dotted is not None and (self._clock.told is None or dotted.start() != self._clock.told.start()):
            year = int(dotted[3]) if dotted[3] else None
            return self._on(int(dotted[2]), int(dotted[1]), 2000 + year if year and year < 100 else year)
        for at, word in enumerate(self._words):
            month = meanings(word).get("month")
            if not isinstance(month, int):
                continue
            before = [each for each in self._words[max(0, at - 3) : at] if each not in _OF]
            behind = [each for each in self._words[at + 1 : at + 4] if each not in _OF]
            day = self._number(before[-1:]) or self._number([each for each in behind[:1] if each not in _ONE])
            year = next((int(each) for each in behind[:2] if len(each) == 4 and each.isdecimal()), None)
            if (
                year is None
                and self._number(before[-1:])
                and behind[:1]
                and self._is_short_year(word, behind[0])
            ):
                year = 2000 + int(behind[0])
            if day:
                return self._on(month, day, year)
        return None

    def _is_short_year(self, month: str, word: str) -> bool:
        """Say whether two digits behind a month are a year to come: "14 April 27"."""
        this = self._now.year % 100
        ends = re.search(rf"{month} {word}(?! ?[:h]|[\w.]| +\w)", self._said) is not None
        return len(word) == 2 and word.isdecimal() and this <= int(word) <= this + 20 and ends

    def _number(self, words: Sequence[str]) -> int | None:
        """Return the day of a month that a word is, in digits or as an ordinal."""
        for word in words:
            number = (
                int(word) if word.isdecimal() else table().ordinals.get(word, meanings(word).get("number"))
            )
            if isinstance(number, int) and 1 <= number <= 31:
                return number
        return None

    def _on(self, month: int, day: int, year: int | None) -> date | None:
        """Return a day of this year, or the next one where it is past."""
        if year is not None:
            return _date(year, month, day)
        found = _date(self._now.year, month, day)
        return (
            found
            if found is not None and found >= self._now.date()
            else _date(self._now.year + 1, month, day)
        )

    def _counted(self) -> date | None:
        """Read "in two weeks", "dans une demi-heure", "daqui a duas semanas", "за дві години", "two hours from now"."""
        for match in table().lists["ahead"].finditer(self._said):
            if (
                self._clock.before is not None
                and match.start() < self._clock.before[1]
                and match.end() > self._clock.before[0]
            ):
                continue
            if match[0] == "over" and _OF_CLOCK.search(self._said[: match.start()]):
                continue
            start = self._behind_some(match.end())
            found = self._span(start, alone=match[0] in _ALONE)
            if found is not None and match[0] in _WITHIN and self._is_counted_to(start):
                continue
            if found is not None:
                before = self._said[: match.start()]
                day = self._ahead(*found, before=before)
                sure = table().lists["surely_ahead"].fullmatch(match[0]) is not None
                self.is_from_now = self._exact is not None and (
                    not before.strip() or (sure and not is_english(self._said))
                )
                return day
        behind = self._has("from_now")
        if behind is not None:
            words = list(TOKEN.finditer(self._said[: behind.start()]))
            for word in words[-5:]:
                found = self._span(word.start(), alone=False)
                if found is not None:
                    day = self._ahead(*found)
                    self.is_from_now = self._exact is not None and word is words[0]
                    return day
        return None

    def _ahead(self, count: float, seconds: float, before: str = "") -> date | None:
        """Return the day so far ahead; "Monday in two weeks" is two weeks behind the coming one."""
        weekday = next(
            (day for word in TOKEN.findall(before)[-1:] if (day := weekday_of(word)) is not None), None
        )
        if weekday is not None and seconds == _WEEK * _DAY_S:
            return self._from_today(weekday, int(count))
        if seconds < _DAY_S:
            until = self._now + timedelta(seconds=count * seconds)
            self._exact = until.replace(second=0, microsecond=0)
            return None
        return _later(self._now, int(count), seconds)

    def _is_counted_to(self, start: int) -> bool:
        """Say whether a length of time is counted back from something else: "six weeks before shipping"."""
        behind = [match.start() for match in TOKEN.finditer(self._said, start)][2:3]
        return any(table().lists["before_day"].match(self._said, at) is not None for at in behind)

    def _behind_some(self, start: int) -> int:
        """Return where a length of time begins, behind "about" and the like."""
        for match in TOKEN.finditer(self._said, start):
            if match[0] not in _SOME:
                return match.start()
        return len(self._said)

    def _span(self, start: int, *, alone: bool) -> tuple[float, float] | None:
        """Return how many of a unit a length of time is, and the unit in seconds."""
        known = table()
        named = [(match.end(), n) for n, words in known.spans if (match := words.match(self._said, start))]
        if named:
            return 1, max(named)[1]
        words = TOKEN.findall(self._said[start:])[:6]
        if not words:
            return None
        count = number_of(words[0])
        joined = next((end for end in known.single["joined_halves"] if words[0].endswith(end)), None)
        whole = None if joined is None else number_of(words[0].removesuffix(joined))
        if whole is not None and len(words) > 1 and (unit := span_seconds_of(words[1])) is not None:
            return (whole + 0.5, unit) if unit < _DAY_S else None
        if count is None:
            unit = span_seconds_of(words[0])
            return (1, unit) if alone and unit is not None else None
        said = self._said[start + len(words[0]) :].lstrip()
        part = re.match(r"[.,](\d{1,2})(?!\d)", said)
        half = known.lists["halves"].match(said)
        if part is not None:
            said, fraction = said[part.end() :], float(f"0.{part[1]}")
        elif half is not None:
            said, fraction = said[half.end() :], 0.5
        else:
            fraction = 0.0
        unit = span_seconds_of((TOKEN.findall(said) or [""])[0])
        if half is None and unit is not None:
            behind = TOKEN.search(said)
            half = None if behind is None else known.lists["halves"].match(said[behind.end() :].lstrip())
            fraction += 0.5 if half is not None and unit < _DAY_S else 0.0
        if unit is None or not 0 < count + fraction <= _COUNT_MAX or (fraction and unit >= _DAY_S):
            return None
        return count + fraction, unit

    def _first(self, repeat: Repeat) -> date | None:
        """Return the first day of what repeats; None where the text does not say it, or says when it ends."""
        if repeat is UNREAD or self._ends_repeating():
            return None
        begins = self._beginning()
        self.begins = begins is not None or self._has("begins") is not None
        first = begins or self._now.date()
        if repeat.nth:
            return self._nth_from(first, repeat)
        if repeat.weekdays:
            if begins is not None:
                return min(
                    begins + timedelta(days=(day - begins.weekday()) % _WEEK) for day in repeat.weekdays
                )
            return min(self._coming(day) for day in repeat.weekdays)
        if repeat.is_last_day:
            return self._last_of(first.year, first.month)
        match repeat.frequency:
            case "DAILY":
                return begins or self._relative() or self._now.date() + timedelta(days=self._is_past())
            case "WEEKLY":
                if begins is not None or repeat.interval > 1:
                    return begins
                return self._now.date() + timedelta(days=_WEEK * self._is_past())
            case "MONTHLY":
                return self._dated() or self._of_month() or self._day_beside_every() or begins
        return self._dated() or self._feast() or begins

    def _beginning(self) -> date | None:
        """Return the day on which what repeats begins: "from 3 March", "diesen Freitag gehts los"."""
        begins = self._has("begins")
        if begins is not None:
            start = max((match.end() for match in _CLAUSE.finditer(self._said, 0, begins.start())), default=0)
            clause = _CLAUSE.search(self._said, begins.end())
            end = len(self._said) if clause is None else clause.start()
            for part in (self._said[begins.end() : end], self._said[start : begins.start()]):
                day = TextTime(part, self._now, plainly=True).day
                if day is not None:
                    return day
        starting = self._has("starting")
        return (
            None if starting is None else TextTime(self._said[starting.end() :], self._now, plainly=True).day
        )

    def _is_past(self) -> bool:
        """Say whether the hour of today is past."""
        return (self.hour or time(MORNING)) <= self._now.time()

    def _ends_repeating(self) -> bool:
        """Say whether it is told until when something repeats: behind "until" stands a day, and not an hour."""
        until = self._has("ends_repeat")
        if (
            until is None
            or self._repeat is None
            or (self._repeat.weekdays and len(self._repeat.weekdays) == _WORKDAYS)
        ):
            return False
        return TextTime(self._said[until.end() :], self._now, plainly=True).has_day

    def _day_beside_every(self) -> date | None:
        """Read "every 15th", "jeden 15. des Monats", "15 de cada mes"."""
        match = _DAY_OF_EACH.search(self._said)
        day = None if match is None else int(match[1])
        return None if day is None else self._next_day_of_month(day)

    def _nth_from(self, first: date, repeat: Repeat) -> date | None:
        for ahead in range(3):
            month = first.year * MONTHS + first.month - 1 + ahead
            found = self._in_month(month // MONTHS, month % MONTHS + 1, repeat.nth, repeat.weekdays[0])
            if found is not None and found >= first and not (found == self._now.date() and self._is_past()):
                return found
        return None

    def _last_of(self, year: int, month: int) -> date:
        return date(year + month // MONTHS, month % MONTHS + 1, 1) - timedelta(days=1)

    def _month(self) -> date | None:
        """Read "in March", "Anfang November", "mi-avril", "at the end of the month": the first, 15th or last day."""
        lists, words = table().lists, self._words
        for at, word in enumerate(words):
            means = meanings(word)
            month = means.get("month")
            is_mid = (
                word.startswith("mi") and month is None and "month" in meanings(word[2:].removeprefix("d"))
            )  # "mi-mars"
            month = meanings(word[2:].removeprefix("d")).get("month") if is_mid else month
            if (
                not isinstance(month, int)
                and means.get("unit") != "month"
                and not lists["ends_of_month"].fullmatch(word)
            ):
                continue
            before = [each for each in words[max(0, at - 5) : at] if each not in _MONTH_OF_ONLY][-2:]
            part = next(
                (
                    part
                    for part in ("month_start", "month_middle", "month_end")
                    for each in before
                    if lists[part].fullmatch(each.removeprefix("all"))
                ),
                None,
            )
            if lists["ends_of_month"].fullmatch(word):
                part = "month_end"
            part = "month_middle" if is_mid else part
            year = self._now.year
            if isinstance(month, int):
                if part is None and (not at or words[at - 1] not in table().single["in_month"]):
                    continue
                told = next(
                    (int(each) for each in words[at + 1 : at + 2] if len(each) == 4 and each.isdecimal()),
                    None,
                )
                year = told or year + (month < self._now.month)
            elif part is None:
                continue
            else:
                around = [*words[max(0, at - 1) : at], *words[at + 1 : at + 3]]
                year, month = self._months_on(1 if self._says_next(around) else 0)
            last = self._last_of(year, month)
            found = {None: 1, "month_start": 1, "month_middle": 15, "month_end": last.day}[part]
            day = last.replace(day=found)
            self.is_vague = True
            return day if day > self._now.date() else None
        return None

    def _weekend(self) -> date | None:
        """Read "this weekend": its Saturday, unless it has begun; the next one may be two."""
        match = self._has("weekend")
        if match is None or self._now.weekday() >= _SATURDAY:
            return None
        around = [
            *TOKEN.findall(self._said[: match.start()])[-2:],
            *TOKEN.findall(self._said[match.end() :])[:2],
        ]
        return None if self._says_next(around) else self._coming(_SATURDAY)

    def _holds(self, due: date) -> bool:
        """Say whether what the text names of a day is true of this one."""
        if self._plainly:
            return True
        if self._has("moving_feasts") is not None or self._is_hours_before():
            return False
        lists, words = table().lists, self._words
        weekdays = (due.weekday(), *(() if self._repeat is None else self._repeat.weekdays))
        for at, word in enumerate(words):
            weekday = weekday_of(word)
            if weekday is None and word.startswith("що"):
                weekday = weekday_of(word[2:])
            if weekday is None or weekday in weekdays or word in _NO_WEEKDAYS:
                continue
            if (
                words[at - 1 : at]
                and words[at - 1] in table().single["until_day"]
                and at > 1
                and weekday_of(words[at - 2]) is not None
            ):
                continue  # "from Monday to Wednesday"
            if not self._is_counted_from(at):
                return False
        for at, word in enumerate(words):
            month = meanings(word).get("month")
            beside = [*words[max(0, at - 2) : at], *words[at + 1 : at + 2]]
            if (
                isinstance(month, int)
                and month != due.month
                and any(self._number([each]) for each in beside if each.isdecimal())
                and not self._is_counted_from(at)
            ):
                return False
        tomorrow = self._now.date() + timedelta(days=1)
        for match in lists["tomorrow"].finditer(self._said):
            if (
                self._is_tomorrow(match)
                and due != tomorrow
                and lists["after_tomorrow"].search(self._said) is None
                and self._repeat is None
                and not self._is_counted_from_said(match.start())
            ):
                return False
        either = table().single["either"]
        return not any(
            word in either
            and (
                weekday_of(words[at + 1]) is not None
                or (at + 2 < len(words) and weekday_of(words[at + 2]) is not None)
            )
            and self._names_day_before(at)
            for at, word in enumerate(words[:-1])
        )

    def _relative(self) -> date | None:
        today = self._now.date()
        if self._has("after_tomorrow"):
            return today + timedelta(days=2)
        for match in table().lists["tomorrow"].finditer(self._said):
            if self._is_tomorrow(match):
                return today + timedelta(days=1 + self._days_beside(match))
        week = self._has("today")
        if week is not None and (days := self._days_beside(week)):
            return today + timedelta(days=days)
        return today if self._has("today") or self._has("tonight") or self._has("today_part") else None

    def _days_beside(self, match: "re.Match[str]") -> int:
        """Return how many days more are told in English: "a week tomorrow", "two weeks today"."""
        words = list(TOKEN.finditer(self._said[: match.start()]))[-2:] if is_english(self._said) else []
        span = self._span(words[0].start(), alone=False) if len(words) == 2 else None
        return 0 if span is None or span[1] != _WEEK * _DAY_S else int(span[0]) * _WEEK

    def _is_tomorrow(self, match: "re.Match[str]") -> bool:
        """Say whether a word is tomorrow, and not the morning."""
        before = TOKEN.findall(self._said[: match.start()])[-1:]
        return match[0] not in ("manana", "morgen") or not before or before[0] not in _BEFORE_MORNING

    def _is_hours_before(self) -> bool:
        """Say whether it is due some time before something else: "an hour before the party at nine"."""
        for match in table().lists["before_day"].finditer(self._said):
            if self._clock.before is None or match.start() >= self._clock.before[1]:
                unit = span_seconds_of((TOKEN.findall(self._said[: match.start()])[-1:] or [""])[0])
                if (
                    unit is not None
                    and unit < _DAY_S
                    and number_of((TOKEN.findall(self._said, match.end()) or [""])[0]) is None
                ):
                    return True
        return False

    def _is_counted_from(self, at: int) -> bool:
        """Say whether a day is only counted from: "a week from Friday", "three days before Christmas"."""
        before = self._words[max(0, at - 2) : at]
        return any(
            table().lists[name].fullmatch(each)
            for name in ("after_day", "before_day", "from_now")
            for each in before
        )

    def _is_counted_from_said(self, start: int) -> bool:
        before = TOKEN.findall(self._said[:start])[-2:]
        return any(
            table().lists[name].fullmatch(each) for name in ("after_day", "before_day") for each in before
        )

    def _names_day_before(self, at: int) -> bool:
        """Say whether a day stands before a word: "tomorrow or on Friday"."""
        words = self._words[max(0, at - 3) : at]
        return any(
            weekday_of(each) is not None or table().lists["tomorrow"].fullmatch(each) for each in words
        )

    def _weekday(self) -> date | None:
        """Read "on Friday", "next Monday", "vendredi prochain".

        Next Friday, on a Wednesday, is for some people in two days and for others in nine; so it is read where both
        are the same day, or where a language has another word for the coming one.
        """
        for at, word in enumerate(self._words):
            weekday = weekday_of(word)
            if weekday is None:
                continue
            if self._is_unread(word, at):
                return None
            day, certain = self._day_behind(at)
            if day is not None:
                found = self._weekday_on(weekday, day)
                return found if certain or found == self._coming(weekday) else None
            behind = self._words[at + 1 : at + 3]
            if behind[:1] == ["week"] and is_english(self._said):  # "Tuesday week"
                return self._coming(weekday) + timedelta(weeks=1)
            if len(behind) == 2 and behind[0] == "en" and behind[1] in _EN_HUIT:
                return self._from_today(weekday, _EN_HUIT[behind[1]])
            if self._has("after_next"):
                return self._coming(weekday) + timedelta(weeks=1)
            count = number_of(self._words[at - 1]) if at and self._has("from_now") else None
            if count is not None and count > 1:
                return self._coming(weekday) + timedelta(weeks=count - 1)
            around = (*self._words[max(0, at - 2) : at], *behind)
            coming = self._coming(weekday)
            monday = self._now.date() - timedelta(days=self._now.weekday()) + timedelta(weeks=1)
            if "week" in self._next_units():
                return monday + timedelta(days=weekday)
            if self._says_next(around):
                of_next_week = monday + timedelta(days=weekday)
                if (
                    coming == of_next_week
                    or coming <= self._now.date() + timedelta(days=1)
                    or self._is_of_next_week(around)
                ):
                    return of_next_week
                return coming if word in _SPANISH else None
            return coming
        return None

    def _is_of_next_week(self, around: Sequence[str]) -> bool:
        """Say whether "next" can only be of the next week, as in Polish, Russian and Ukrainian."""
        return any(word in _OF_NEXT_WEEK or not word.isascii() for word in around if self._says_next([word]))

    def _day_behind(self, at: int) -> tuple[int | None, bool]:
        """Return the day of the month behind a weekday, and whether it can be no hour: "Friday the 23rd"."""
        words = self._words[at + 1 : at + 4]
        led = bool(words) and words[0] in _LEADING
        words = words[led:]
        if not words or not words[0].isdecimal() or not 1 <= int(words[0]) <= DAYS_MAX:
            return None, False
        behind = words[1] if len(words) > 1 else ""
        suffixed = re.search(rf"{words[0]}(?:st|nd|rd|th|e|er|o|\.)(?!\w)", self._said) is not None
        if "month" in meanings(behind) or (not led and not suffixed and _is_of_hours(behind)):
            return None, False
        named = self.hour is not None and f" {words[0]}:" not in self._said
        return int(words[0]), led or suffixed or int(words[0]) > NOON or named

    def _weekday_on(self, weekday: int, day: int) -> date | None:
        """Return the next day that is both this weekday and this day of a month."""
        coming = self._coming(weekday)
        weeks = (coming + timedelta(weeks=number) for number in range(_WEEKS_LOOKED_AT))
        return next((found for found in weeks if found.day == day), None)

    def _is_unread(self, word: str, at: int) -> bool:
        """Say whether a weekday stands beside more than was understood: the third one, or one after a feast."""
        beside = [*self._words[max(0, at - 1) : at]]
        return any(
            table().ordinals_spelled.get(each) is not None
            or table().lists["last"].fullmatch(each) is not None
            or each in _AFTER
            for each in beside
        )

    def _from_today(self, weekday: int, weeks: int) -> date:
        """Return a weekday so many weeks behind the coming one, or behind today where it is that."""
        ahead = (weekday - self._now.weekday()) % _WEEK
        return self._now.date() + timedelta(days=ahead, weeks=weeks)

    def _coming(self, weekday: int) -> date:
        ahead = (weekday - self._now.weekday()) % _WEEK
        if not ahead and (self.hour is None or self.hour <= self._now.time()):
            ahead = _WEEK
        return self._now.date() + timedelta(days=ahead)

    def _of_month(self) -> date | None:
        """Read "on the 1st", "am 1.", "le 1er", "el día 1", "pierwszego", "1 числа"."""
        day = None
        for pattern in table().month_days if _DIGIT.search(self._said) is not None else ():
            match = pattern.search(self._said)
            if match is not None and TOKEN.match(self._said, match.end()) is None:
                day = int(match["n"])
                break
        if day is None:
            day = self._day_of_next_month()
        if day is None:
            day = next((table().ordinals[word] for word in self._words if word in _OF_MONTH), None)
        return None if day is None else self._next_day_of_month(day)

    def _next_day_of_month(self, day: int) -> date | None:
        """Return the next such day of a month; of the next month where that is named."""
        if not 1 <= day <= DAYS_MAX:
            return None
        year, month = self._months_on(1 if "month" in self._next_units() else 0)
        for _ in range(MONTHS):
            found = _date(year, month, day)
            if found is not None and found > self._now.date():
                return found
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return None


def _names_hour(words: str, place: int) -> bool:
    """Say whether words name an hour, or a part of the day, of which the one at this place is part."""
    word = TOKEN.findall(words)[place]
    is_part = (
        number_of(word) is not None
        or word in table().single["parts_of_days"]
        or table().lists["at" if place == 0 else "hours"].fullmatch(word) is not None
        or (place != 0 and word in ("m", "am", "pm"))
    )
    return is_part and Clock(words).hour is not None


def _is_of_hours(word: str) -> bool:
    """Say whether a word behind a number makes it an hour, or a length of time."""
    of_clock = word in ("am", "pm", "p", "a") or table().lists["hours"].fullmatch(word) is not None
    return of_clock or span_seconds_of(word) is not None or any(it.match(word) for it, _, _ in table().parts)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _later(now: datetime, count: int, seconds: float) -> date | None:
    """Return a day so many days, weeks, months or years ahead."""
    day = now.date()
    if seconds < _MONTH_S - _DAY_S:
        return day + timedelta(seconds=count * seconds)
    month = day.year * 12 + day.month - 1 + round(count * seconds / _MONTH_S)
    for back in range(4):  # the 31st of a short month
        found = _date(month // 12, month % 12 + 1, day.day - back)
        if found is not None:
            return found
    return None
