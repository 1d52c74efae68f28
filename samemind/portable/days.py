"""Read a day as people and programs write it, in any of ten languages: "Sunday 14 April 2024", "2 avr. 2025".

A text is a day or it is none: what says more, or less, as "March 2024" and "Trip May 2-5 2024" do, is none. Names of
months and weekdays are known by their beginnings, as calendars and programs shorten them.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

_CHARACTERS_MAX: Final = 40
# So many letters begin a name of a month, and of a weekday.
_MONTH_LETTERS_MIN: Final = 3
_WEEKDAY_LETTERS_MIN: Final = 2
# What stands in a day and means nothing by itself.
_SMALL_WORDS: Final = (
    "the of on st nd rd th day der den dem am le er el de del dia il di o em no op w dn dnia r rok roku"
    " в во у г год года р рік року"
)
_SMALL: Final = frozenset(_SMALL_WORDS.split())
_MONTH_COUNT: Final = 12
_CENTURY: Final = 100
_SINCE: Final = 2_000
_MONTHS: Final = (
    "january januar janvier enero gennaio janeiro januari styczen stycznia январь января січень січня",
    "february februar fevrier febrero febbraio fevereiro februari luty lutego февраль февраля лютий лютого",
    "march marz mars marzo marco maart mrt marzec marca март марта березень березня",
    "april avril abril aprile kwiecien kwietnia апрель апреля квітень квітня",
    "may mai mayo maggio maio mei maj maja май мая травень травня",
    "june juni juin junio giugno junho czerwiec czerwca июнь июня червень червня",
    "july juli juillet julio luglio julho lipiec lipca июль июля липень липня",
    "august aout agosto augustus sierpien sierpnia август августа серпень серпня",
    "september septembre septiembre setiembre settembre setembro wrzesien wrzesnia сентябрь сентября вересень вересня",
    "october oktober octobre octubre ottobre outubro pazdziernik pazdziernika октябрь октября жовтень жовтня",
    "november novembre noviembre novembro listopad listopada ноябрь ноября листопад листопада",
    "december dezember decembre diciembre dicembre dezembro grudzien grudnia декабрь декабря грудень грудня",
)
_WEEKDAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miercoles jueves viernes sabado domingo",
    "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    "segunda terca quarta quinta sexta feira",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "poniedzialek wtorek sroda czwartek piatek sobota niedziela pn wt sr cz pt nd",
    "понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс",
    "понеділок вівторок середа четвер пятниця субота неділя нд",
)
_NAMES_OF_MONTHS: Final = tuple(tuple(names.split()) for names in _MONTHS)
_NAMES_OF_WEEKDAYS: Final = tuple(name for names in _WEEKDAYS for name in names.split())
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HOUR: Final = re.compile(r"(?:[T,]\s*|\s+)\d{1,2}[:.h]\d\d(?::\d\d)?(?:\s?[ap]m)?$", re.IGNORECASE)
_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_NUMERIC: Final = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d\d)(?!\d)")
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBERS_OF_A_DAY: Final = 3
# What is left out of letters to compare them: not what makes "й" of "и".
_ACCENTS: Final = frozenset("\u0300\u0301\u0302\u0303\u0304\u0308\u0327\u0328\u030c")


def says_more_than_a_weekday(text: str) -> bool:
    """Say whether a text has words, and is not one weekday, written in full in any of the languages."""
    words = _words(text)
    return bool(words) and not (len(words) == 1 and words[0] in _NAMES_OF_WEEKDAYS)


def day_of(text: str, *, month_first: bool | None = None, short_years: bool = False) -> int | None:
    """Return the day that a text is, in ms since 1970; None where it is none, or says more or less.

    `month_first` says how 4/3/2024 is meant, where that is known: otherwise it is no day, since it may be two.
    `short_years` takes 3.4.24 for a day, which as a heading may be a version.
    """
    rest = text.strip()
    if len(rest) > _CHARACTERS_MAX or _NUMBER.search(rest) is None:
        return None
    rest = _HOUR.sub("", rest).replace("_", "-")
    months: list[int] = []
    unsure: list[int] = []  # "mar." is the third month, and a Tuesday in three languages
    for word in _words(rest):
        month = _month(word)
        if month is not None:
            months.append(month)
            unsure += [month] if _is_weekday(word) else []
        elif word not in _SMALL and not _is_weekday(word):
            return None
    if len(months) > 1:
        months = [month for month in months if month not in unsure] or months[:1]
    numbers = _NUMBER.findall(rest)
    if (iso := _ISO.search(rest)) is not None:
        parts = (int(iso[1]), int(iso[2]), int(iso[3])) if len(numbers) == _NUMBERS_OF_A_DAY else None
    elif (numeric := _NUMERIC.search(rest)) is not None:
        parts = (
            _of_numbers(numeric, month_first, short_years=short_years)
            if len(numbers) == _NUMBERS_OF_A_DAY
            else None
        )
    else:
        parts = _of_words(months, numbers)
    if parts is None:
        return None
    try:
        return int(datetime(*parts, tzinfo=UTC).timestamp()) * 1_000
    except ValueError:
        return None


def _of_words(months: Sequence[int], numbers: Sequence[str]) -> tuple[int, int, int] | None:
    years = [int(number) for number in numbers if _YEAR.fullmatch(number)]
    days = [int(number) for number in numbers if not _YEAR.fullmatch(number)]
    if len(years) != 1 or len(days) != 1 or len(months) != 1:
        return None
    return years[0], months[0], days[0]


def _of_numbers(
    found: re.Match[str], month_first: bool | None, *, short_years: bool
) -> tuple[int, int, int] | None:
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if year < _CENTURY:
        if not short_years:
            return None
        year += _SINCE
    if found[2] == "." or first > _MONTH_COUNT:
        month_first = False
    elif second > _MONTH_COUNT:
        month_first = True
    if month_first is None:
        return None
    return (year, first, second) if month_first else (year, second, first)


def month_first_in(texts: Iterable[str]) -> bool | None:
    """Return whether days in numbers with slashes have the month first, as all of them say; None: nothing tells.

    A number above twelve is a day. Where there is none, time goes on: the order in which it goes back less often.
    """
    days = [
        (int(found[1]), int(found[3]), int(found[4]))
        for text in texts
        if (found := _NUMERIC.search(text[:_CHARACTERS_MAX])) is not None and found[2] != "."
    ]
    if any(first > _MONTH_COUNT for first, _, _ in days):
        return False
    if any(second > _MONTH_COUNT for _, second, _ in days):
        return True
    as_days = _times_back([(year, second, first) for first, second, year in days])
    as_months = _times_back([(year, first, second) for first, second, year in days])
    return None if as_days == as_months else as_months < as_days


def _times_back(days: Sequence[tuple[int, ...]]) -> int:
    return sum(behind < before for before, behind in pairwise(days))


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFD", text.casefold().replace("ł", "l"))
    return _WORD.findall(
        unicodedata.normalize("NFC", "".join(each for each in plain if each not in _ACCENTS))
    )


def _month(word: str) -> int | None:
    """Return which month the beginning of a name is of; None: of none, or of two."""
    if len(word) < _MONTH_LETTERS_MIN:
        return None
    found = {
        number
        for number, names in enumerate(_NAMES_OF_MONTHS, 1)
        if any(each.startswith(word) for each in names)
    }
    return found.pop() if len(found) == 1 else None


def _is_weekday(word: str) -> bool:
    return len(word) >= _WEEKDAY_LETTERS_MIN and any(name.startswith(word) for name in _NAMES_OF_WEEKDAYS)
