"""Read the hour that a telling names: "at 9", "halb drei", "a las once y media", "в 8 вечера", "15 past noon"."""

import re
from collections.abc import Iterable
from datetime import time
from typing import Final

from cognition.reminding.words import TOKEN, find, is_english, number_of, span_seconds_of, table, weekday_of
from cognition.times import meanings

TONIGHT: Final = 20
NOON: Final = 12
_NIGHT_ENDS: Final = 5
# "10.30 uur", "um 10.30 Uhr", "om 10.30": a point is a clock's only beside a word of the clock.
_POINTED: Final = re.compile(r"(?<![\d.:,])([01]?\d|2[0-3])\.([0-5]\d)(?![\d.]|,\d)")
_NO_CLOCK: Final = frozenset(["bis", "by", "na", "a", "as"])
_CLOCK: Final = re.compile(r"(?<![\d.:/])([01]?\d|2[0-3]) ?(?:[:hч]|uhr|uur|u) ?([0-5]\d)(?!\d)")
# "7p", "7 p.m.", "7 am"; "am" behind a day is German.
_HALVES: Final = re.compile(
    r"(?<![\d.:/,])(\d{1,2})(?:[:h .]?([0-5]\d))? ?(?:(p)|(a)(?=\.? ?m))(?:\.? ?m)?(?!\w)"
)
_SPOKEN_HALVES: Final = re.compile(r"(?:(?<!\w)([^\W\d_]+) )?(?<!\w)(\d\d|[^\W\d_]+) (p|a)\.? ?m(?!\w)")
_NEXT_TOKEN: Final = re.compile(r" *(\d+|[^\W\d_]+)")


class Clock:
    """The hour that a text names: `hour`, and where it stands, as far as it is told in digits (`told`)."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._words = frozenset(TOKEN.findall(said))
        self.told: re.Match[str] | None = None
        self.midnight = self._has("midnight") is not None
        # Where "quarter to nine" stands, which in Polish and Ukrainian may look like "in a quarter of an hour".
        self.before: tuple[int, int] | None = None
        self.hour = self._read_hour()

    def _has(self, name: str) -> "re.Match[str] | None":
        return find(name, self._said, self._words)

    def _all(self, name: str) -> "Iterable[re.Match[str]]":
        known = table()
        return () if known.firsts[name].isdisjoint(self._words) else known.lists[name].finditer(self._said)

    def _read_hour(self) -> time | None:
        clock = _CLOCK.search(self._said) or self._pointed()
        if clock is not None:
            self.told = clock
            late = _HALVES.match(self._said, clock.start())
            hour = self._of_halves(late) if late is not None else None
            if hour is None and is_english(self._said) and not clock[1].startswith("0"):
                return self._waking(int(clock[1]), int(clock[2]), clock.end())
            return hour or self._afternoon(int(clock[1]), int(clock[2]), clock.end())
        for read in (self._minutes_beside, self._beside, self._halves, self._struck, self._in_part):
            found = read()
            if found is not None:
                return found
        return self._alone()

    def _alone(self) -> time | None:
        """Return the hour that stands for a part of the day without one."""
        if self.midnight:
            return time(0)
        noon = self._has("noon")
        if noon is not None:
            return _time(NOON * 60 + self._minutes_behind(noon.end()))
        if self._has("tonight"):
            return time(TONIGHT)
        said = self._said if self._has("no_parts") is None else table().lists["no_parts"].sub(" ", self._said)
        for words, hour, _ in table().parts:
            match = words.search(said)
            if (
                match is not None and match[0] != "дня" and not self._is_tomorrow(match)
            ):  # "три дня" are three days
                return time(hour)
        return None

    def _pointed(self) -> "re.Match[str] | None":
        """Return a time with a point: a word of the clock stands before or behind it."""
        lists = table().lists
        for match in _POINTED.finditer(self._said):
            behind = self._said[match.end() :].lstrip()
            before = TOKEN.findall(self._said[: match.start()])[-1:]
            named = (
                bool(before) and before[0] not in _NO_CLOCK and lists["at"].fullmatch(before[0]) is not None
            )
            if named or lists["hours"].match(behind) is not None:
                return match
        return None

    def _halves(self) -> time | None:
        """Read "7p", "730 p.m.", "three am", "seven thirty pm"."""
        for match in _HALVES.finditer(self._said):
            glued = match[4] is not None and self._said[match.start(4) - 1].isdecimal()
            if (match[3] or glued or is_english(self._said)) and (
                found := self._of_halves(match)
            ) is not None:
                return found
        if not is_english(self._said):
            return None
        for match in _SPOKEN_HALVES.finditer(self._said):
            first, second = number_of(match[1] or ""), number_of(match[2])
            hour, minute = (second, 0) if first is None or first > NOON else (first, second)
            if hour is not None and minute is not None and 1 <= hour <= NOON and minute < 60:
                return time(hour % NOON + (NOON if match[3] == "p" else 0), minute)
        return None

    def _of_halves(self, match: "re.Match[str]") -> time | None:
        hour = int(match[1])
        if not 1 <= hour <= NOON:
            return None
        return time(hour % NOON + (NOON if match[3] == "p" else 0), int(match[2] or 0))

    def _beside(self) -> time | None:
        """Read "half past eight", "halb neun", "kwart over acht", and "half eight" as English has it."""
        english = is_english(self._said)
        for name, minute, added in (
            ("half_past", 30, 0),
            ("quarter_past", 15, 0),
            ("half_to", 30, 0 if english else -1),
            ("quarter_to", 45, -1),
            ("quarter_into", 15, -1),
        ):
            match = self._has(name)
            noon = None if match is None else table().lists["noon"].match(self._said, match.end() + 1)
            if match is not None and noon is not None:
                return time(NOON + added, minute)
            hour = None if match is None else self._hour_at(match.end(), is_hour=True)
            if match is not None and hour is not None:
                self.before = match.span()
                return self._waking((hour[0] + added) % 24, minute, hour[1])
        return None

    def _minutes_beside(self) -> time | None:
        """Read "15 minutes past 3", "10 voor half 4", "15 po trzeciej", "без пяти восемь"."""
        for name, sign in (("past", 1), ("to", -1)):
            for match in self._all(name):
                words = TOKEN.findall(self._said[: match.start()])[-2:]
                if words and table().lists["minutes"].fullmatch(words[-1]):
                    words.pop()
                minutes = number_of(words[-1]) if words else None
                hour = self._hour_or_half(match.end())
                if minutes is not None and 0 < minutes < 60 and hour is not None:
                    return self._waking_minutes(hour[0] + sign * minutes, hour[1])
        for match in _MINUTES_OF.finditer(self._said):
            minutes, hour = number_of(match[1]), self._hour_at(match.start(2))
            if minutes is not None and 0 < minutes < 60 and hour is not None:
                return self._waking_minutes((hour[0] - 1) * 60 + minutes, hour[1])
        for match in self._all("less_before"):
            less = self._hour_at(match.end())
            hour = None if less is None else self._hour_at(less[1])
            if less is not None and hour is not None and less[0] % 5 == 0:
                self.before = match.span()
                return self._waking_minutes(hour[0] * 60 - less[0], hour[1])
        return None

    def _hour_or_half(self, start: int) -> tuple[int, int] | None:
        """Return the minutes of the day that an hour, its half or noon come to, and where that ends."""
        start = self._word_at(start)
        noon = table().lists["noon"].match(self._said, start)
        if noon is not None:
            return NOON * 60, noon.end()
        half = table().lists["half_to"].match(self._said, start)
        hour = self._hour_at(start if half is None else half.end())
        if hour is None or self._is_counted(hour[1]):
            return None
        return hour[0] * 60 - (30 if half is not None else 0), hour[1]

    def _waking_minutes(self, minutes: int, end: int) -> time:
        return self._waking(minutes // 60 % 24, minutes % 60, end)

    def _struck(self) -> time | None:
        """Read "9 uhr", "at 9", "a las 5 de la tarde", "в 8 вечера", "alle tre e venti"."""
        for match in re.finditer(r"(?<![\w.:,/])(\d{1,2}|[^\W\d_]+)(?![\w:/]|[.,]\d)", self._said):
            start = self._word_at(match.end())
            struck = number_of(match[1]) if table().lists["hours"].match(self._said, start) else None
            if struck is not None and (match[1].isdecimal() or struck > 1) and struck <= 24:
                minutes = struck % 24 * 60 + self._minutes_behind(match.end())
                # "5h" is written by the clock of a day; "5 Uhr" is spoken.
                literal = match[1].isdecimal() and _MARK.match(self._said, start) is not None
                late = _part_near(self._said[start : start + _NEAR], after=True)
                return _time(minutes) if literal and not late else self._waking_minutes(minutes, match.end())
        for match in self._all("at"):
            hour = self._hour_at(
                match.end() + (self._said[match.end() : match.end() + 1] == ".")
            )  # "godz. 15"
            if hour is not None and not self._is_counted(hour[1]):
                return self._waking_minutes(hour[0] % 24 * 60 + self._minutes_behind(hour[1]), hour[1])
        return self._by_hour()

    def _by_hour(self) -> time | None:
        """Read "Friday before 12", "в пятницу до 18", "entro le 18": a number by itself may be a day of the month."""
        for match in self._all("by_hour"):
            token = TOKEN.match(self._said, self._word_at(match.end()))
            hour = self._hour_at(match.end())
            if token is None or hour is None or self._is_counted(hour[1]) or _OF_DAYS.search(token[0]):
                continue
            if match[0] in _OF_CLOCK_ONLY or _names_day(self._said):
                return self._waking_minutes(hour[0] % 24 * 60 + self._minutes_behind(hour[1]), hour[1])
        return None

    def _in_part(self) -> time | None:
        """Read an hour before the part of the day that it is of: "6 da manhã", "dziewiata wieczorem"."""
        for match in TOKEN.finditer(self._said):
            hour = number_of(match[0])
            if hour is None or not 2 <= hour <= NOON or self._is_ahead(match.start()):
                continue
            start = self._word_at(match.end())
            between = _BETWEEN.match(self._said, start)
            start = start if between is None else between.end()
            if start > match.end() and any(words.match(self._said, start) for words, _, _ in table().parts):
                return self._waking(hour, 0, match.end())
        return None

    def _is_ahead(self, start: int) -> bool:
        """Say whether a number is how long something takes: "через три дня" is no three in the afternoon."""
        before = TOKEN.findall(self._said[:start])[-1:]
        return bool(before) and table().lists["ahead"].fullmatch(before[0]) is not None

    def _minutes_behind(self, end: int) -> int:
        """Return the minutes that are told behind an hour, before or past it: "y media", "menos cinco", "e venti"."""
        lists = table().lists
        start = self._skipping(end)
        mark = lists["hours"].match(self._said, start)  # "huit heures et demie", "3 Uhr 15"
        start = start if mark is None else self._skipping(mark.end())
        for name, minutes in (("and_half", 30), ("and_quarter", 15), ("less_quarter", -15)):
            if lists[name].match(self._said, start):
                return minutes
        for name, sign in (("and", 1), ("less", -1)):
            match = lists[name].match(self._said, start)
            found = None if match is None else self._minutes_at(match.end())
            if found is not None:
                return sign * found
        found = self._minutes_at(start)
        # "trzynastej trzydzieści": nothing is counted by such an hour.
        is_hour = (
            not self._said[:end].rstrip()[-1:].isdecimal() or _STRUCK.search(self._said, 0, end) is not None
        )
        return (
            found
            if found is not None and found >= 10 and (mark or is_hour or self._ends_behind(start))
            else 0
        )

    def _word_at(self, start: int) -> int:
        """Return where the next word begins."""
        return len(self._said) - len(self._said[start:].lstrip())

    def _skipping(self, start: int) -> int:
        """Return where the next word of the same line begins."""
        return start + len(self._said[start:]) - len(self._said[start:].lstrip(" "))

    def _minutes_at(self, start: int) -> int | None:
        match = _NEXT_TOKEN.match(self._said, start)
        minutes = None if match is None else number_of(match[1])
        if (
            match is None
            or minutes is None
            or not 5 <= minutes < 60
            or _DIGITS_ON.match(self._said, match.end())
        ):
            return None
        behind = _NEXT_TOKEN.match(self._said, match.end())
        if behind is not None and (
            table().lists["minutes"].fullmatch(behind[1]) or _part_near(behind[1], after=True)
        ):
            return minutes
        counts = behind is not None and (
            span_seconds_of(behind[1]) is not None or "month" in meanings(behind[1])
        )
        return None if counts else minutes

    def _ends_behind(self, start: int) -> bool:
        """Say whether nothing is counted by a number: "at 3 15", and not "at 3 15 guests"."""
        number = _NEXT_TOKEN.match(self._said, start)
        behind = None if number is None else self._said[number.end() :]
        return behind is not None and (
            not behind.strip() or behind[:1] in ".,:;!?" or behind[:2] in (" :", " -")
        )

    def _hour_at(self, start: int, *, is_hour: bool = False) -> tuple[int, int] | None:
        match = TOKEN.match(self._said, self._word_at(start))
        if match is None or (not is_hour and self._is_ordinal(match)):
            return None
        other = match[0] in _COUNTS or (match[0] == "ten" and not is_english(self._said))  # Polish: this
        number = None if other else number_of(match[0])
        if match[0] in table().single["one_oclock"] and (is_hour or self._is_part(match.end())):
            return 1, match.end()
        if (
            number is None
            or not 0 <= number <= 24
            or (number < 2 and not is_hour and not self._is_one(match[0], start))
        ):
            return None
        return number, match.end()

    def _is_ordinal(self, number: "re.Match[str]") -> bool:
        """Say whether the point behind a number makes it a day ("bis 3.", "8. Dezember") and ends no sentence."""
        behind = self._said[number.end() :]
        if not number[0].isdecimal() or not behind.startswith("."):
            return False
        before = TOKEN.findall(self._said[: number.start()])[-1:]
        led = bool(before) and before[0] in _LEADS_DAY and not is_english(self._said)
        return led or behind[1:2].isdecimal() or "month" in meanings((TOKEN.findall(behind) or [""])[0])

    def _is_part(self, end: int) -> bool:
        """Say whether a part of the day stands behind an hour: "в час дня"."""
        start = self._word_at(end)
        return any(words.match(self._said, start) for words, _, _ in table().parts)

    def _is_one(self, word: str, start: int) -> bool:
        """Say whether "one" is an hour: it is an article in most languages, and a number behind few words."""
        before = TOKEN.findall(self._said[:start])[-1:]
        behind = self._said[start:].lstrip().removeprefix(word).lstrip()
        parts = any(words.match(behind) for words, _, _ in table().parts)
        named = (
            parts or table().lists["hours"].match(behind) is not None or before in (["la"], ["alle"], ["a"])
        )
        return word.isdecimal() or word in _ONES or (word in _ARTICLES_OR_ONE and named)

    def _is_counted(self, end: int) -> bool:
        """Say whether a number counts something, or is a day: "in 3 days", "on 3 march"."""
        behind = TOKEN.search(self._said, end)
        if behind is None:
            return False
        glued = self._said[end : behind.start()].strip(" ")
        ordinal = behind.start() == end and behind[0] != "h"
        return (
            ordinal
            or (
                not glued
                and not _is_hours(behind[0])
                and (span_seconds_of(behind[0]) is not None or "month" in meanings(behind[0]))
            )
            or behind[0] in ("числа", "число")
            or (
                behind[0] == "de"
                and "month" in meanings((TOKEN.findall(self._said, behind.end()) or [""])[0])
            )
        )

    def _afternoon(self, hour: int, minute: int, end: int) -> time:
        """Return an hour behind noon where the words behind it say so."""
        behind = self._said[end : end + _NEAR]
        if hour == NOON and _AT_MIDNIGHT.match(behind.lstrip(" uhr")):
            self.midnight = True
            return time(0, minute)
        if hour <= _NIGHT_ENDS and _NIGHT.match(behind.lstrip()):
            return time(hour, minute)
        if 0 < hour < NOON:
            tonight = hour > _NIGHT_ENDS and (self._has("tonight") or self._has("evenings")) is not None
            beside = _part_beside(self._said[max(0, end - _NEAR) : end], behind)
            if tonight if beside is None else beside:
                hour += NOON
        return time(hour % 24, minute)

    def _waking(self, hour: int, minute: int, end: int) -> time:
        """Return an hour of a clock with twelve: nobody wants to be reminded between one and six at night."""
        at = self._afternoon(hour, minute, end)
        near = self._said[max(0, end - _NEAR) : end + _NEAR]
        morning = _part_near(near, after=False)
        if not at.hour and minute and _NIGHT.search(near) is None and not self.midnight:
            return at.replace(hour=NOON)  # "quarter to one"
        return at.replace(hour=at.hour + NOON) if 1 <= at.hour <= _NIGHT_ENDS and not morning else at

    def _is_tomorrow(self, match: "re.Match[str]") -> bool:
        """Say whether a part of the day is no such: "mañana" and "morgen" by themselves are tomorrow."""
        return table().lists["tomorrow"].fullmatch(match[0]) is not None


def _names_day(said: str) -> bool:
    return any(
        {"weekday", "month"} & meanings(word).keys()
        or weekday_of(word) is not None
        or table().lists["tomorrow"].fullmatch(word)
        for word in TOKEN.findall(said)
    )


def _part_near(said: str, *, after: bool) -> bool:
    """Say whether a part of the day is named: one behind noon, or the morning."""
    return any(words.search(said) for words, _, behind in table().parts if behind is after)


def _part_beside(before: str, behind: str) -> bool | None:
    """Say whether the part of the day that stands nearest an hour is behind noon; None where none is named.

    "Tomorrow morning at 8:30 to plan the evening" is of the morning. `before` ends with the hour.
    """
    ahead = len(_LAST_WORD.sub("", before))
    gaps = [
        (gap, late)
        for words, _, late in table().parts
        for gap in (
            *(match.start() for match in words.finditer(behind)),
            *(ahead - match.end() for match in words.finditer(before, 0, ahead)),
        )
    ]
    return min(gaps)[1] if gaps else None


def _time(minutes: int) -> time:
    return time(minutes // 60 % 24, minutes % 60)


_MARK: Final = re.compile(r"[hч](?!\w)")
# "десять минут пятого": so many minutes of the fifth hour.
_MINUTES_OF: Final = re.compile(r"(?<!\w)([^\W\d_]+|\d+) минут[аы]? ([^\W\d_]+[ое]го)(?!\w)")
# "до пятого", "do piątego": a day, and no hour.
_OF_DAYS: Final = re.compile(r"(?:ого|его|ego)$")
_OF_CLOCK_ONLY: Final = frozenset(
    ["entro le", "prima delle", "antes das", "antes de las", "antes de la", "ate as"]
)
# Hours that are said as ordinals: "o trzynastej", "о шістнадцятій".
_STRUCK: Final = re.compile(r"(?<!\w)(?:[^\W\d_]+(?:ej|іи)|o (?:1[3-9]|2\d)|о (?:1[3-9]|2\d)) ?$")
# "9 tomorrow evening", "8 this evening".
_BETWEEN: Final = re.compile(r"(?:tomorrow|this|today|morgen|demain|domani|jutro|завтра) ")
# "12 nachts" is none of noon.
_AT_MIDNIGHT: Final = re.compile(
    r"nachts|abends|at night|s nachts|de la noche|della notte|da noite|w nocy|ночи|ночі"
)
# "2 nachts" is behind midnight.
_NIGHT: Final = re.compile(
    r"nachts|at night|w nocy|noca|nocy|di notte|de la noche|da noite|du matin|ночи|ночі"
)
# "15:30" is no 15 minutes.
_DIGITS_ON: Final = re.compile(r"[:/.]\d")
_LAST_WORD: Final = re.compile(r"[\w:.]+$")
# So near to an hour stands the part of the day that it is of.
_NEAR: Final = 24
# These are numbers of something.
_COUNTS: Final = frozenset(["fortnight", "couple"])
_ONES: Final = frozenset(["eins", "pierwszej", "першіи"])
# "um 7 an den Müll": these are units of other languages, or of the clock.
_HOUR_OR_ELSE: Final = frozenset(["an", "ans", "h", "года", "a", "s"])
# Before an hour as before a day: only behind a day is there a point, but where it ends the sentence.
_LEADS_DAY: Final = frozenset(["bis", "ab", "vor", "do", "na"])
_ARTICLES_OR_ONE: Final = frozenset(["une", "una", "uma", "ein", "een"])


def _is_hours(word: str) -> bool:
    """Say whether a word behind a number is of a clock, or one that is a unit in another language."""
    return word in _HOUR_OR_ELSE or table().lists["hours"].fullmatch(word) is not None
