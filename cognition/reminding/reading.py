"""Read a telling that asks to be reminded: when it is due, and how it repeats.

"Remind me to call the dentist tomorrow at 9", "Zahnarzt am 3. März 14 Uhr", "pay the rent on the 1st", "every Tuesday".
A time alone makes no reminder: "We met on Tuesday at 9" tells of the past. So a text is one only if it asks for it or
tells of a duty, or is a short note of a task or an appointment, in which nobody is told of.

The words are data (`words.toml`), ten languages in one table, since nobody says which language a note is in. Times are
those of the teller's clock; a day without an hour is due at nine.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from cognition.grammar.attributes import seconds_of
from cognition.ranking.times import folded, meanings

# A reminder is a line; a page that names a day is none.
CHARACTERS_MAX: Final = 300
# A note without a word of asking is no longer than this.
NOTE_WORDS_MAX: Final = 12
MORNING: Final = 9
TONIGHT: Final = 20
_NOON: Final = 12
_NIGHT_ENDS: Final = 5
_WEEK: Final = 7
# More of a unit is not said by people who want to be reminded.
_COUNT_MAX: Final = 400
_BYDAY: Final = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_TOKEN: Final = re.compile(r"\d+|[^\W\d_]+")
# "1er" is no German "er".
_WORD: Final = re.compile(r"(?<!\d)[^\W\d_]+")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_ISO: Final = re.compile(r"(?<![\d.-])(\d{4})[-.](\d\d)[-.](\d\d)(?![\d.-]\d|\d)")
_DOTTED: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)?(?![\d])")
# "10.30 uur", "um 10.30 Uhr", "om 10.30": a point is a clock's only beside a word of the clock.
_POINTED: Final = re.compile(r"(?<![\d.:,])([01]?\d|2[0-3])\.([0-5]\d)(?![\d.]|,\d)")
_NO_CLOCK: Final = frozenset(["bis", "by", "na", "a", "as"])
_CLOCK: Final = re.compile(r"(?<![\d.:])([01]?\d|2[0-3]) ?[:h] ?([0-5]\d)(?!\d)")


class Reminder(NamedTuple):
    """When something is due, on the teller's clock, and how it repeats: an RRULE of RFC 5545 without its name."""

    due: datetime
    repeats: str | None = None


@dataclass(frozen=True, slots=True)
class _Words:
    """The table, as it is asked."""

    lists: Mapping[str, "re.Pattern[str]"]
    single: Mapping[str, frozenset[str]]
    parts: Sequence[tuple["re.Pattern[str]", int, bool]]
    weekdays: Mapping[str, int]
    ordinals: Mapping[str, int]
    month_days: Sequence["re.Pattern[str]"]
    around: Sequence["re.Pattern[str]"]
    joined: Sequence[str]
    numbers: Mapping[str, int]
    units: Mapping[str, int]
    spans: Sequence[tuple[int, "re.Pattern[str]"]]


@lru_cache(1)
def _table() -> _Words:
    told: Mapping[str, Any] = tomllib.loads(
        Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    )
    lists = {name: _any_of(words) for name, words in told.items() if isinstance(words, list)}
    single = {name: frozenset(map(folded, told[name])) for name in ("tells", "tasks", "articles")}
    parts = [(_any_of(part["words"]), part["hour"], part["after"]) for part in told["parts"].values()]
    weekdays = {folded(word): int(day) for day, words in told["weekdays"].items() for word in words}
    ordinals = {folded(word): int(day) for day, words in told["ordinals"].items() for word in words}
    days = [
        re.compile(rf"(?<!\w)(?:{pattern.replace('N', '(?P<n>[0-9]{1,2})', 1)})")
        for pattern in told["month_day"]["patterns"]
    ]
    numbers, units = (
        {_plain(w): int(n) for n, ws in told[name].items() for w in ws} for name in ("numbers", "units")
    )
    spans = sorted(((int(n), _any_of(words)) for n, words in told["spans"].items()), reverse=True)
    around = [
        re.compile(rf"(?<!\w){_plain(before)}(?!\w).*(?<!\w){_plain(behind)}(?!\w)")
        for before, behind in told["asks_around"]["pairs"]
    ]
    joined = told["day_parts"]
    return _Words(lists, single, parts, weekdays, ordinals, days, around, joined, numbers, units, spans)


def _number_of(word: str) -> int | None:
    """Return the number that a word is, in digits or spelled."""
    if word.isdigit():
        return int(word) if len(word) <= 4 else None
    number = _table().numbers.get(word, meanings(word).get("number"))
    return number if isinstance(number, int) else None


def _seconds_of(word: str) -> float | None:
    return _table().units.get(word) or seconds_of(word)


def _any_of(words: Sequence[str]) -> "re.Pattern[str]":
    ordered = sorted({_plain(word) for word in words}, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)")


def _plain(text: str) -> str:
    """Return a text small and without accents; a date keeps its hyphens, which other words lose."""
    return folded(_ISO.sub(r"\1.\2.\3", text)).replace("…", " ")


@lru_cache(256)
def read_reminder(text: str, now: datetime) -> Reminder | None:
    """Return when a telling asks to be reminded; None where it does not, or names no time that comes.

    `now` is the time on the teller's clock at which it was told.
    """
    if not text or len(text) > CHARACTERS_MAX:
        return None
    said = _apart(_plain(text))
    if _table().lists["recalls"].search(said) is not None:
        return None
    if _table().lists["asks"].search(said) is not None or any(each.search(said) for each in _table().around):
        moment = _Moment(said, now)
        return moment.reminder() if moment.has_time else None
    for sentence in _SENTENCE.split(said):
        if _table().lists["duties"].search(sentence) is not None:
            moment = _Moment(sentence, now)
            if moment.has_day and (found := moment.reminder()) is not None:
                return found
    words = set(_WORD.findall(said))
    if not _is_note(said, words):
        return None
    moment = _Moment(said, now)
    return moment.reminder() if moment.has_day and (moment.hour is not None or _is_task(words)) else None


def read_moment(text: str, now: datetime) -> datetime | None:
    """Return the time to come that words name, on the teller's clock: "tomorrow at 9"; None where they name none."""
    if not text or len(text) > CHARACTERS_MAX:
        return None
    moment = _Moment(_apart(_plain(text)), now)
    found = moment.reminder() if moment.has_time else None
    return None if found is None else found.due


def _apart(said: str) -> str:
    """Return a text with days and their parts as two words: "zaterdagochtend", "Donnerstagabend"."""

    def split(match: "re.Match[str]") -> str:
        for part in _table().joined:
            day = match[0].removesuffix(part)
            if (
                day != match[0]
                and day.endswith("dag" if "dag" in day else "tag")
                and _weekday_of(day) is not None
            ):
                return f"{day} {part}"
        return match[0]

    return _WORD.sub(split, said.replace("alluna", "alle una"))


def _is_note(said: str, words: set[str]) -> bool:
    first = _TOKEN.search(said)
    if first is not None and first[0] in _table().single["articles"]:
        return False
    return len(_TOKEN.findall(said)) <= NOTE_WORDS_MAX and words.isdisjoint(_table().single["tells"])


def _is_task(words: set[str]) -> bool:
    return not words.isdisjoint(_table().single["tasks"])


class _Moment:
    """What a text says of a time: the day, the hour, and how it repeats."""

    def __init__(self, said: str, now: datetime) -> None:
        self._said = said
        self._now = now
        self._words = _TOKEN.findall(said)
        self.repeats: str | None = None
        self._exact: datetime | None = None
        self._clock: re.Match[str] | None = None
        self.hour = self._read_hour()
        self._day = self._read_day()

    @property
    def has_time(self) -> bool:
        """Whether any time is named."""
        return self._exact is not None or self._day is not None or self.hour is not None

    @property
    def has_day(self) -> bool:
        """Whether a day is named, or how long it is until then."""
        return self._exact is not None or self._day is not None

    def reminder(self) -> Reminder | None:
        """Return when it is due: at an hour without a day the next time that it strikes."""
        if self._exact is not None:
            return Reminder(self._exact, None)
        at = self.hour or time(MORNING)
        day = self._now.date() if self._day is None else self._day
        due = datetime.combine(day, at, self._now.tzinfo)
        if due <= self._now:
            if self.repeats is not None:
                due += timedelta(days=_step_days(self.repeats))
            elif self._day is None:
                due += timedelta(days=1)
            else:
                return None
        return Reminder(due, self.repeats)

    def _has(self, name: str) -> "re.Match[str] | None":
        return _table().lists[name].search(self._said)

    # --- the hour

    def _read_hour(self) -> time | None:
        clock = _CLOCK.search(self._said) or self._pointed()
        if clock is not None:
            self._clock = clock
            return self._afternoon(int(clock[1]), int(clock[2]), clock.end())
        if self._has("noon"):
            return time(_NOON)
        found = self._beside("half_past", 30, 0) or self._beside("quarter_past", 15, 0)
        found = found or self._beside("half_to", 30, -1) or self._beside("quarter_to", 45, -1)
        if found is not None:
            return found
        struck = self._struck()
        if struck is not None:
            return struck
        if self._has("tonight"):
            return time(TONIGHT)
        for words, hour, _ in _table().parts:
            match = words.search(self._said)
            if match is not None and not self._is_tomorrow(match):
                return time(hour)
        return None

    def _pointed(self) -> "re.Match[str] | None":
        """Return a time with a point: a word of the clock stands before or behind it."""
        table = _table()
        for match in _POINTED.finditer(self._said):
            behind = self._said[match.end() :].lstrip()
            before = _TOKEN.findall(self._said[: match.start()])[-1:]
            named = (
                bool(before)
                and before[0] not in _NO_CLOCK
                and table.lists["at"].fullmatch(before[0]) is not None
            )
            if named or table.lists["hours"].match(behind) is not None:
                return match
        return None

    def _beside(self, name: str, minute: int, added: int) -> time | None:
        match = self._has(name)
        hour = None if match is None else self._hour_at(match.end())
        if match is None or hour is None:
            return None
        return self._waking((hour[0] + added) % 24, minute, hour[1])

    def _struck(self) -> time | None:
        """Read "9 uhr", "2pm", "at 9", "a las 5 de la tarde", "в 8 вечера"."""
        marks = (_table().lists["hours"], re.compile(r"(?:am|pm)(?!\w)"))
        for match in re.finditer(r"(?<![\d.:,])([01]?\d|2[0-4])(?![\d:]|[.,]\d)", self._said):
            behind = self._said[match.end() :].lstrip()
            start = len(self._said) - len(behind)
            if any(mark.match(self._said, start) for mark in marks):
                return self._afternoon(int(match[1]) % 24, 0, match.end())
        for match in _table().lists["at"].finditer(self._said):
            hour = self._hour_at(match.end())
            if hour is not None and not self._is_counted(hour[1]):
                gap = _HALF_HOUR_GAP.match(self._said, hour[1])
                half = _table().lists["and_half"].match(self._said, gap.end() if gap else hour[1]) is not None
                return self._waking(hour[0] % 24, 30 if half else 0, hour[1])
        return None

    def _hour_at(self, start: int) -> tuple[int, int] | None:
        match = _TOKEN.match(self._said, start + len(self._said[start:]) - len(self._said[start:].lstrip()))
        if match is None or self._said[match.end() : match.end() + 1] == ".":
            return None
        number = _number_of(match[0])
        if number is None or not 0 <= number <= 24 or (number < 2 and not self._is_one(match[0], start)):
            return None
        return number, match.end()

    def _is_one(self, word: str, start: int) -> bool:
        """Say whether "one" is an hour: it is an article in most languages, and a number behind few words."""
        before = _TOKEN.findall(self._said[:start])[-1:]
        behind = self._said[start:].lstrip().removeprefix(word).lstrip()
        parts = any(words.match(behind) for words, _, _ in _table().parts)
        named = parts or _table().lists["hours"].match(behind) is not None or before in (["la"], ["alle"])
        return word.isdigit() or word in _ONES or (word in _ARTICLES_OR_ONE and named)

    def _is_counted(self, end: int) -> bool:
        """Say whether a number counts something, or is a day: "in 3 days", "on 3 march"."""
        behind = _TOKEN.search(self._said, end)
        if behind is None:
            return False
        glued = self._said[end : behind.start()].strip(" ")
        ordinal = behind.start() == end and behind[0] != "h"
        return (
            ordinal
            or (
                not glued
                and not _is_hours(behind[0])
                and (_seconds_of(behind[0]) is not None or "month" in meanings(behind[0]))
            )
            or (
                behind[0] in ("числа", "число", "de")
                and "month" in meanings((_TOKEN.findall(self._said, behind.end()) or [""])[0])
            )
        )

    def _afternoon(self, hour: int, minute: int, end: int) -> time:
        """Return an hour behind noon where the words behind it say so."""
        behind = self._said[end : end + _NEAR]
        if 0 < hour < _NOON and not _part_near(behind, after=False):
            before = self._said[max(0, end - _NEAR) : end]
            tonight = self._has("tonight") is not None and hour > _NIGHT_ENDS
            if tonight or _part_near(behind, after=True) or _part_near(before, after=True):
                hour += _NOON
        return time(hour % 24, minute)

    def _waking(self, hour: int, minute: int, end: int) -> time:
        """Return an hour of a clock with twelve: nobody wants to be reminded between one and six at night."""
        at = self._afternoon(hour, minute, end)
        morning = _part_near(self._said[max(0, end - _NEAR) : end + _NEAR], after=False)
        return at.replace(hour=at.hour + _NOON) if 1 <= at.hour <= _NIGHT_ENDS and not morning else at

    def _is_tomorrow(self, match: "re.Match[str]") -> bool:
        """Say whether a part of the day is no such: "mañana" and "morgen" by themselves are tomorrow."""
        return _table().lists["tomorrow"].fullmatch(match[0]) is not None

    # --- the day

    def _read_day(self) -> date | None:
        for read in (
            self._dated,
            self._counted,
            self._repeated,
            self._relative,
            self._weekday,
            self._of_month,
        ):
            day = read()
            if day is not None or self._exact is not None:
                return day
        return None

    def _dated(self) -> date | None:
        """Read "2027-03-03", "3.3.2027", "3 March", "March 3rd", "3. März", "el 3 de marzo de 2027"."""
        iso = _ISO.search(self._said)
        if iso is not None:
            return _date(int(iso[1]), int(iso[2]), int(iso[3]))
        dotted = _DOTTED.search(self._said)
        if dotted is not None and (self._clock is None or dotted.start() != self._clock.start()):
            year = int(dotted[3]) if dotted[3] else None
            return self._on(int(dotted[2]), int(dotted[1]), 2000 + year if year and year < 100 else year)
        for at, word in enumerate(self._words):
            month = meanings(word).get("month")
            if not isinstance(month, int):
                continue
            before = [each for each in self._words[max(0, at - 3) : at] if each not in _OF]
            behind = [each for each in self._words[at + 1 : at + 4] if each not in _OF]
            day = self._number(before[-1:]) or self._number(behind[:1])
            year = next((int(each) for each in behind[:2] if len(each) == 4 and each.isdigit()), None)
            if day:
                return self._on(month, day, year)
        return None

    def _number(self, words: Sequence[str]) -> int | None:
        """Return the day of a month that a word is, in digits or as an ordinal."""
        for word in words:
            number = (
                int(word) if word.isdigit() else _table().ordinals.get(word, meanings(word).get("number"))
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
        for match in _table().lists["ahead"].finditer(self._said):
            start = match.end() + len(self._said[match.end() :]) - len(self._said[match.end() :].lstrip())
            found = self._span(start, alone=match[0] in _ALONE)
            if found is not None:
                return self._ahead(*found)
        behind = self._has("from_now")
        if behind is not None:
            words = list(_TOKEN.finditer(self._said[: behind.start()]))
            for word in words[-5:]:
                found = self._span(word.start(), alone=False)
                if found is not None:
                    return self._ahead(*found)
        return None

    def _ahead(self, count: float, seconds: float) -> date | None:
        if seconds < _DAY_S:
            until = self._now + timedelta(seconds=count * seconds)
            self._exact = until.replace(second=0, microsecond=0)
            return None
        return _later(self._now, int(count), seconds)

    def _span(self, start: int, *, alone: bool) -> tuple[float, float] | None:
        """Return how many of a unit a length of time is, and the unit in seconds."""
        table = _table()
        named = [(match.end(), n) for n, words in table.spans if (match := words.match(self._said, start))]
        if named:
            return 1, max(named)[1]
        words = _TOKEN.findall(self._said[start:])[:6]
        if not words:
            return None
        count = _number_of(words[0])
        if count is None:
            unit = _seconds_of(words[0])
            return (1, unit) if alone and unit is not None else None
        said = self._said[start + len(words[0]) :].lstrip()
        part = re.match(r"[.,](\d)(?!\d)", said)
        half = table.lists["halves"].match(said)
        if part is not None:
            said, fraction = said[part.end() :], int(part[1]) / 10
        elif half is not None:
            said, fraction = said[half.end() :], 0.5
        else:
            fraction = 0.0
        unit = _seconds_of((_TOKEN.findall(said) or [""])[0])
        if half is None and unit is not None:
            behind = _TOKEN.search(said)
            half = None if behind is None else table.lists["halves"].match(said[behind.end() :].lstrip())
            fraction += 0.5 if half is not None and unit < _DAY_S else 0.0
        if unit is None or not 0 < count <= _COUNT_MAX or (fraction and unit >= _DAY_S):
            return None
        return count + fraction, unit

    def _repeated(self) -> date | None:
        """Read "every Tuesday", "jeden Tag", "toda terça", "щовівторка", "every month on the 1st"."""
        today = self._now.date()
        for name, rule in (("daily", "FREQ=DAILY"), ("weekly", "FREQ=WEEKLY"), ("monthly", "FREQ=MONTHLY")):
            if self._has(name):
                self.repeats = rule
        for match in _table().lists["every"].finditer(self._said):
            words = _TOKEN.findall(self._said, match.end())[:3]
            weekday = next((day for word in words[:2] if (day := _weekday_of(word)) is not None), None)
            if weekday is not None:
                return self._weekly(weekday)
            seconds = seconds_of(words[0]) if words else None
            unit = {86_400: "DAILY", 604_800: "WEEKLY", 2_629_800: "MONTHLY", 31_557_600: "YEARLY"}.get(
                int(seconds or 0)
            )
            if unit is not None:
                self.repeats = f"FREQ={unit}"
        for word in self._words:
            if word.startswith("що") and (weekday := _weekday_of(word[2:])) is not None:
                return self._weekly(weekday)
        if self.repeats is None:
            return None
        return self._weekday() or self._of_month() or today

    def _weekly(self, weekday: int) -> date | None:
        self.repeats = f"FREQ=WEEKLY;BYDAY={_BYDAY[weekday]}"
        return self._coming(weekday)

    def _relative(self) -> date | None:
        today = self._now.date()
        if self._has("after_tomorrow"):
            return today + timedelta(days=2)
        for match in _table().lists["tomorrow"].finditer(self._said):
            before = _TOKEN.findall(self._said[: match.start()])[-1:]
            if not (
                match[0] in ("manana", "morgen") and before and before[0] in ("la", "am", "jeden", "elke")
            ):
                return today + timedelta(days=1)
        return today if self._has("today") or self._has("tonight") else None

    def _weekday(self) -> date | None:
        """Read "on Friday", "next Monday", "vendredi prochain": next means of the next week."""
        for at, word in enumerate(self._words):
            weekday = _weekday_of(word)
            if weekday is None:
                continue
            around = " ".join((*self._words[max(0, at - 2) : at], *self._words[at + 1 : at + 3]))
            if _table().lists["next"].search(around):
                monday = self._now.date() - timedelta(days=self._now.weekday()) + timedelta(weeks=1)
                return monday + timedelta(days=weekday)
            return self._coming(weekday)
        return None

    def _coming(self, weekday: int) -> date | None:
        ahead = (weekday - self._now.weekday()) % _WEEK
        if not ahead and (self.hour is None or self.hour <= self._now.time()):
            ahead = _WEEK
        return self._now.date() + timedelta(days=ahead)

    def _of_month(self) -> date | None:
        """Read "on the 1st", "am 1.", "le 1er", "el día 1", "pierwszego", "1 числа"."""
        day = None
        for pattern in _table().month_days:
            match = pattern.search(self._said)
            if match is not None and _TOKEN.match(self._said, match.end()) is None:
                day = int(match["n"])
                break
        if day is None:
            day = next((_table().ordinals[word] for word in self._words if word in _OF_MONTH), None)
        if day is None or not 1 <= day <= 31:
            return None
        month, year = self._now.month, self._now.year
        for _ in range(_NOON):
            found = _date(year, month, day)
            if found is not None and found > self._now.date():
                return found
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return None


def _part_near(said: str, *, after: bool) -> bool:
    """Say whether a part of the day is named: one behind noon, or the morning."""
    return any(words.search(said) for words, _, behind in _table().parts if behind is after)


# So near to an hour stands the part of the day that it is of.
_NEAR: Final = 24
_DAY_S: Final = 86_400
# "через неделю": behind these a unit by itself is one of it.
_ALONE: Final = frozenset(["через", "за", "za"])
_ONES: Final = frozenset(["eins", "pierwszej", "першіи"])
# "um 7 an den Müll": these are units of other languages, or of the clock.
_HOUR_OR_ELSE: Final = frozenset(["an", "h", "года", "a"])
_ARTICLES_OR_ONE: Final = frozenset(["une", "una", "uma", "ein", "een"])
# Between an hour and its half: "huit heures et demie", "las once y media".
_HALF_HOUR_GAP: Final = re.compile(r" *(?:heures?|horas?)? ")


def _is_hours(word: str) -> bool:
    """Say whether a word behind a number is of a clock, or one that is a unit in another language."""
    return word in _HOUR_OR_ELSE or _table().lists["hours"].fullmatch(word) is not None


_OF: Final = frozenset(
    ["of", "de", "do", "del", "st", "nd", "rd", "th", "er", "e", "the", "le", "o", "d", "go", "го", "dia"]
)
_OF_MONTH: Final = frozenset(
    ["pierwszego", "drugiego", "trzeciego", "piatego", "dziesiatego", "pietnastego", "dwudziestego"]
)


def _weekday_of(word: str) -> int | None:
    weekday = meanings(word).get("weekday")
    return weekday if isinstance(weekday, int) else _table().weekdays.get(word)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _later(now: datetime, count: int, seconds: float) -> date | None:
    """Return a day so many days, weeks, months or years ahead."""
    day = now.date()
    if seconds < 2_600_000:
        return day + timedelta(seconds=count * seconds)
    months = count * (12 if seconds > 2_700_000 else 1)
    month = day.year * 12 + day.month - 1 + months
    for back in range(4):  # the 31st of a short month
        found = _date(month // 12, month % 12 + 1, day.day - back)
        if found is not None:
            return found
    return None


def _step_days(repeats: str) -> int:
    return 1 if "DAILY" in repeats else _WEEK
