"""Resolve the dates that a text names to stretches of time, given when it was told.

The words are found first, by each language's own table, and only they are read: a parser that is let loose on
a whole sentence takes "We" for Wednesday. A plain weekday or "the other day" is left alone: what it means
cannot be known.

Days are those of `zone`, the teller's; a whole day runs from its first to its last millisecond.
"""

import re
from calendar import isleap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final, TypeVar

from cognition.extraction.date_words import DAY, LANGUAGES, MONTH, WEEK, WEEKEND, YEAR, DateWords
from cognition.extraction.sentences import SENTENCES_KEPT
from cognition.extraction.values import When

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SATURDAY: Final = 5
WEEK_DAYS: Final = 7
# Not strftime's: those follow the machine's locale, and every device must tell a date alike.
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# A year must look like one: "in 300" is not the year 300.
_YEAR: Final = r"(?:1[89]\d\d|20\d\d)"
# More of a unit than this is not said by people who mean a date.
_COUNT_MAX: Final = 200

# What stands before, between and around the first and the last day of a stretch, in every language that is read: a
# Dutch note with an English month is read as English.
_FROM: Final = "(?:from|vom|del|desde|van|с|со|з|із|від)(?: the| el)? "
_TO: Final = r"(?: ?[-–—] ?| (?:to|till|until|through|thru|bis|al|hasta|tot|tot en met|t/m|по)(?: the| zum| den| el)? )"
_BETWEEN: Final = "(?:between|zwischen|entre|между|між)(?: the| dem| el)? "
_AND: Final = "(?:and|und|y|и|і|й|та)(?: the| dem| el)? "
# "10:30 - 31 May" and "2.3 - 4 May" begin with no day, and neither does a price.
_BEGINS: Final = r"(?<!\d[.:/])(?<![€$£])"
# No day behind a month is an hour, or a count of something: "May 3 - 10:30", "Dec 3 - 5 pm", "May 3 to 9 people".
_NO_HOUR: Final = r"(?![:.]\d| ?[ap]\.?m\b| ?(?:h|o'?clock)\b| \w*(?:people|percent|%|\d))"
# Whoever moved something "from 3 June to 10 June" names the last day alone. Other languages say that by words of their
# own: "vom 3. auf den 10. Juni", "с 3 на 10 июня".
_MOVED: Final = re.compile(
    r"\b(?:(?:mov|postpon|reschedul|shift|chang|push|delay)ed|put (?:back|off)|brought forward"
    r"|(?:cambi|aplaz|traslad|retras|adelant)(?:ó|aron|amos|ad[oa])|movi(?:ó|eron|mos|d[oa])|pospuso|pospusieron|pospuest[oa])"
    r"\b[^.,;:!?\n]{0,40}$",
    re.IGNORECASE,
)
_MOVED_CHARACTERS_MAX: Final = 64
_MOVED_FROM: Final = ("from ", "del ", "desde ")

# Where a pattern stands for no letters of its own, or for some that may be missing: groups, sets, classes, "s?".
_GROUP: Final = re.compile(r"\([^()]*\)\??")
_NO_LETTERS: Final = re.compile(r"\[[^]]*]\??|\\.(?:\{[^}]*\})?|.\?")
_GAP: Final = "\0"
# What a pattern without case takes for the same, and `lower` does not.
_SAME_LETTERS: Final = str.maketrans("İıſ", "iis")
_DIGIT: Final = re.compile(r"\d")
# A digit among words that a text holds, whichever it is.
_ANY_DIGIT: Final = frozenset("0")
Span = tuple[date, date]
_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class _Cue:
    """One way to name a time: its words, and what they mean on a day."""

    words: re.Pattern[str]
    means: Callable[[re.Match[str], date], Span | None]
    holds: tuple[frozenset[str], ...]
    """Every match holds one of each of these, in small letters."""


@lru_cache(SENTENCES_KEPT)
def find_dates(text: str, *, told_at_ms: int, language: str = "en", zone: tzinfo = UTC) -> tuple[When, ...]:
    """Return the stretches of time that a text names, in their order."""
    cues = _cues_for(text, language)
    if not cues:
        return ()
    try:
        told = (_EPOCH + timedelta(milliseconds=told_at_ms)).astimezone(zone).date()
    except OverflowError:
        return ()
    found: dict[int, When] = {}
    taken: list[tuple[int, int]] = []
    for cue in cues:
        for match in cue.words.finditer(text):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            try:
                span = cue.means(match, told)
                if span is not None:
                    found[start] = When(
                        _first_ms(span[0], zone),
                        _first_ms(span[1] + timedelta(days=1), zone) - 1,
                        match[0],
                        start,
                    )
                    taken.append((start, end))
            except (ValueError, OverflowError):
                continue  # the 31st of February, or a year that no calendar has
    return tuple(found[start] for start in sorted(found))


@lru_cache(len(LANGUAGES))
def _cues(language: str) -> tuple[_Cue, ...]:
    """Return a language's cues, longer ones first."""
    words = LANGUAGES[language]
    number = "|".join(["\\d{1,3}", *sorted(words.numbers, key=len, reverse=True)])
    unit = "|".join(words.units)
    day = "|".join(f"(?:{name})" for name in words.weekdays)
    month = "|".join(f"(?:{name})" for name in words.months)
    of = r"(?: de| of)?,?"
    dated = (_ANY_DIGIT, _held(*words.months))

    def on(match: re.Match[str], told: date) -> Span | None:
        return _on(words, match, told)

    def in_month(match: re.Match[str], told: date) -> Span | None:
        return _month_of(words, match, told)

    cues = [*_stretches(words, month, dated, english=language == "en")]
    cues += [
        _cue(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)", _on_iso, _ANY_DIGIT, frozenset("-")),
        _cue(
            rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of| de)? (?P<m>{month})\b(?:\.?{of} (?P<y>{_YEAR}))?",
            on,
            *dated,
            prefix=words.prefix,
        ),
    ]
    if language == "en":
        cues += [
            _cue(
                rf"(?P<m>{month})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>{_YEAR}))?",
                on,
                *dated,
                prefix=words.prefix,
            ),
            _cue(rf"(?:in|since|during|by) (?P<m>{month}),? (?P<y>{_YEAR})", in_month, *dated),
            _cue(
                rf"(?P<w>last|next) (?P<m>{month})(?! \d)",
                lambda match, told: _near_month(words, match, told),
                _held("last|next"),
                _held(*words.months),
                prefix="(?:in |since )?",
            ),
            _cue(rf"(?:back )?(?:in|since) (?P<y>{_YEAR})(?![\d'-])", _in_year, _ANY_DIGIT),
        ]
    elif language == "es":
        cues.append(_cue(rf"en (?P<m>{month}) de (?P<y>{_YEAR})", in_month, *dated))
        cues.append(_cue(rf"(?:en|desde) (?P<y>{_YEAR})", _in_year, _ANY_DIGIT))
    elif language == "de":
        cues.append(_cue(rf"(?:im |seit )(?P<m>{month}) (?P<y>{_YEAR})", in_month, *dated))
        cues.append(_cue(rf"(?:im jahre? |seit |in )(?P<y>{_YEAR})", _in_year, _ANY_DIGIT))
    else:
        cues.append(_cue(rf"[ву] (?P<y>{_YEAR}) (?:году|році)", _in_year, _ANY_DIGIT))
    for templates, sign in ((words.ago, -1), (words.ahead, 1)):
        for template in templates:
            pattern = template.replace("N", f"(?P<n>{number})").replace("U", f"(?P<u>{unit})")
            held = _held(template.replace("N", _GAP).replace("U", _GAP)), _held(*words.units)
            cues.append(_cue(pattern, _counted(words, sign), *held, prefix="(?:about |around |just |over )?"))
    for templates, going in ((words.last, -1), (words.next, 1)):
        for template in templates:
            pattern = template.replace("D", f"(?P<day>{day})")
            held = _held(template.replace("D", _GAP)), _held(*words.weekdays)
            cues.append(_cue(pattern, _weekday(words, going), *held, prefix=words.prefix))
    for phrase, (unit_name, count) in words.phrases.items():
        cues.append(_cue(f"(?:{phrase})", _fixed(unit_name, count), _held(phrase), prefix=words.prefix))
    return tuple(cues)


def _stretches(
    words: DateWords, month: str, dated: tuple[frozenset[str], ...], *, english: bool
) -> Iterator[_Cue]:
    """Give the cues of several days on end: "19 to 27 December", "vom 28. April bis zum 3. Mai", "Dec 19 - Dec 27"."""

    def day(number: int, *, whole: bool) -> str:
        named = rf"(?: of| de)? (?P<m{number}>{month})\b(?:\.?(?: of| de)?,? (?P<y{number}>{_YEAR}))?"
        return rf"(?P<d{number}>\d{{1,2}})(?:st|nd|rd|th|\.)?" + (named if whole else f"(?:{named})?")

    def means(match: re.Match[str], told: date) -> Span | None:
        return _days_on_end(words, match, told)

    first, last = _BEGINS + day(1, whole=False), day(2, whole=True)
    yield _cue(rf"{first}{_TO}{last}", means, *dated, prefix=rf"(?:{_FROM})?")
    yield _cue(rf"{_FROM}{first} до {last}", means, *dated, _held("до"))  # alone it says "before"
    yield _cue(rf"{_BETWEEN}{first} {_AND}{last}", means, *dated, _held("between|zwischen|entre|между|між"))
    if english:
        numbers = (rf"(?P<d{each}>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y{each}>{_YEAR}))?" for each in (1, 2))
        from_day, to_day = numbers
        yield _cue(
            rf"(?P<m1>{month})\.? {from_day}{_TO}(?:(?P<m2>{month})\.? )?{to_day}{_NO_HOUR}",
            means,
            *dated,
            prefix=rf"(?:{_FROM})?",
        )


def _days_on_end(words: DateWords, match: re.Match[str], told: date) -> Span | None:
    """Return a stretch of at least two days; without a year it is the one whose first day is nearest.

    Of what was moved from one day to another, return the other.
    """
    month1, month2 = (_index(words.months, said) + 1 if said else None for said in (match["m1"], match["m2"]))
    first, last = (month1 or month2 or 0, int(match["d1"])), (month2 or month1 or 0, int(match["d2"]))
    year1, year2 = (int(said) if said else None for said in (match["y1"], match["y2"]))
    if _is_moved(match):
        day = _nearest(told, year2, last)
        return day, day
    if first > last and not (month1 and month2):
        return None  # "28 to 3 May" names nothing
    years = year2 - year1 if year1 and year2 else int(first > last)
    begins = _nearest(told, year1 or (year2 and year2 - years), first, last)
    span = begins, date(begins.year + years, *last)
    return span if span[0] < span[1] else None


def _is_moved(match: re.Match[str]) -> bool:
    end = match.start()
    before = match.string[max(0, end - _MOVED_CHARACTERS_MAX) : end]
    return match[0].lower().startswith(_MOVED_FROM) and _MOVED.search(before) is not None


def _nearest(told: date, year: int | None, day: tuple[int, int], *others: tuple[int, int]) -> date:
    """Return a month's day in a year, or without one the nearest, of a year that has the others too.

    ValueError where there is none.
    """
    if year is not None:
        return date(year, *day)
    needs_leap_day = (2, 29) in (day, *others)
    years = [each for each in range(told.year - 1, told.year + 2) if isleap(each) or not needs_leap_day]
    return min((date(each, *day) for each in years), key=lambda each: abs(each - told))


def _cues_for(text: str, language: str) -> list[_Cue]:
    """Return those cues of a language, in their order, whose words a text holds: most texts name no time.

    To look for letters is a hundred times faster than a pattern, and each text told is looked at several times.
    """
    small = text.translate(_SAME_LETTERS).lower()
    held = set(filter(small.__contains__, _held_by_cues(language)))
    if _DIGIT.search(small) is not None:
        held |= _ANY_DIGIT
    if not held:
        return []
    return [each for each in _cues(language) if not any(map(held.isdisjoint, each.holds))]


@lru_cache(len(LANGUAGES))
def _held_by_cues(language: str) -> tuple[str, ...]:
    words = frozenset[str]().union(*(each for cue in _cues(language) for each in cue.holds))
    return tuple(sorted(words - _ANY_DIGIT))


def _held(*patterns: str) -> frozenset[str]:
    """Return for each way of some patterns the longest run of letters that always stands in it.

    They are of the kind that the tables hold: in a group stands nothing that all ways have to share.
    """
    found = set()
    for pattern in patterns:
        plain, groups = pattern, 1
        while groups:
            plain, groups = _GROUP.subn(_GAP, plain)
        for way in plain.split("|"):
            found.add(max(_NO_LETTERS.sub(_GAP, way).split(_GAP), key=len).strip())
    return frozenset(found)


def _cue(
    pattern: str,
    means: Callable[[re.Match[str], date], Span | None],
    *holds: frozenset[str],
    prefix: str = "",
) -> _Cue:
    return _Cue(re.compile(rf"(?<![\w-]){prefix}{pattern}(?![\w])", re.IGNORECASE), means, holds)


def _fixed(unit: str, count: int) -> Callable[[re.Match[str], date], Span]:
    return lambda match, told: _span(unit, count, told)


def _span(unit: str, count: int, told: date) -> Span:
    if unit == DAY:
        day = told + timedelta(days=count)
        return day, day
    if unit == WEEK:
        monday = told - timedelta(days=told.weekday()) + timedelta(weeks=count)
        return monday, monday + timedelta(days=6)
    if unit == WEEKEND:
        saturday = told - timedelta(days=told.weekday() - _SATURDAY) + timedelta(weeks=count)
        return saturday, saturday + timedelta(days=1)
    if unit == MONTH:
        return _month(*_months_on(told, count))
    assert unit == YEAR, unit
    return date(told.year + count, 1, 1), date(told.year + count, 12, 31)


def _counted(words: DateWords, sign: int) -> Callable[[re.Match[str], date], Span | None]:
    def means(match: re.Match[str], told: date) -> Span | None:
        said = match["n"]
        number = int(said) if said.isdecimal() else _looked_up(words.numbers, said)
        if not 0 < number <= _COUNT_MAX:
            return None
        unit = _looked_up(words.units, match["u"])
        if unit == WEEK:  # "two weeks ago" is a day, and people mean it roughly: that week
            return _span(WEEK, sign * number, told)
        return _span(unit, sign * number, told)

    return means


def _looked_up(table: Mapping[str, _V], said: str) -> _V:
    return next(value for pattern, value in table.items() if re.fullmatch(pattern, said, re.IGNORECASE))


def _weekday(words: DateWords, going: int) -> Callable[[re.Match[str], date], Span]:
    def means(match: re.Match[str], told: date) -> Span:
        wanted = _index(words.weekdays, match["day"])
        if going < 0:
            back = (told.weekday() - wanted - 1) % 7 + 1
            day = told - timedelta(days=back)
        else:
            day = told + timedelta(days=(wanted - told.weekday() - 1) % 7 + 1)
        return day, day

    return means


def _index(patterns: tuple[str, ...], said: str) -> int:
    # As the cue was found, whatever the case: "APRİL" is no "april" to `casefold`.
    return next(i for i, pattern in enumerate(patterns) if re.fullmatch(pattern, said, re.IGNORECASE))


def _on_iso(match: re.Match[str], told: date) -> Span:
    day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    return day, day


def _on(words: DateWords, match: re.Match[str], told: date) -> Span:
    year = None if match["y"] is None else int(match["y"])
    found = _nearest(told, year, (_index(words.months, match["m"]) + 1, int(match["d"])))
    return found, found


def _month_of(words: DateWords, match: re.Match[str], told: date) -> Span:
    return _month(int(match["y"]), _index(words.months, match["m"]) + 1)


def _near_month(words: DateWords, match: re.Match[str], told: date) -> Span:
    month = _index(words.months, match["m"]) + 1
    if match["w"].casefold() == "last":
        return _month(told.year if month < told.month else told.year - 1, month)
    return _month(told.year if month > told.month else told.year + 1, month)


def _in_year(match: re.Match[str], told: date) -> Span:
    year = int(match["y"])
    return date(year, 1, 1), date(year, 12, 31)


def _months_on(told: date, count: int) -> tuple[int, int]:
    month = told.year * 12 + told.month - 1 + count
    return month // 12, month % 12 + 1


def _month(year: int, month: int) -> Span:
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following - timedelta(days=1)


def _first_ms(day: date, zone: tzinfo) -> int:
    return int((datetime(day.year, day.month, day.day, tzinfo=zone) - _EPOCH) / timedelta(milliseconds=1))


def show_when(when: When, *, zone: tzinfo = UTC, language: str = "en") -> str:
    """Return a stretch of time as a person would write it: a day, a week, a month or a year."""
    first = (_EPOCH + timedelta(milliseconds=when.start_ms)).astimezone(zone).date()
    last = (_EPOCH + timedelta(milliseconds=when.end_ms)).astimezone(zone).date()
    days = (last - first).days + 1
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
        return f"{first.year}"
    if language != "en":
        return f"{first}" if days == 1 else f"{first} – {last}"
    if (first, last) == _month(first.year, first.month):
        return f"{_MONTHS[first.month - 1]} {first.year}"
    if days == 1:
        return _day_in_words(first)
    if (days, first.weekday()) in ((WEEK_DAYS, 0), (2, _SATURDAY)):
        return f"{'week' if days == WEEK_DAYS else 'weekend'} of {_day_in_words(first)}"
    return f"{_day_in_words(first)} to {_day_in_words(last)}"


def _day_in_words(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
