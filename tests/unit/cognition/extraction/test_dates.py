"""Relative dates, told on a Wednesday."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from cognition.extraction import find_dates
from cognition.extraction.date_words import LANGUAGES
from cognition.extraction.dates import show_when
from tests.support.published import published

TOLD = datetime(2023, 7, 12, 20, 30, tzinfo=UTC)
TOLD_AT_MS = int(TOLD.timestamp() * 1_000)

DAY = [
    ("en", "I went yesterday.", "2023-07-11"),
    ("en", "We met last night at the pub", "2023-07-11"),
    ("en", "See you tomorrow morning!", "2023-07-13"),
    ("en", "today is fine", "2023-07-12"),
    ("en", "last Friday was fun", "2023-07-07"),
    ("en", "last Wednesday", "2023-07-05"),
    ("en", "next Monday", "2023-07-17"),
    ("en", "this Saturday", "2023-07-15"),
    ("en", "two days ago", "2023-07-10"),
    ("en", "3 days ago", "2023-07-09"),
    ("en", "in ten days", "2023-07-22"),
    ("en", "on May 7th", "2023-05-07"),
    ("en", "on 7 May, 2021", "2021-05-07"),
    ("en", "due 2024-02-29.", "2024-02-29"),
    ("en", "on March 3", "2023-03-03"),
    ("en", "the day before yesterday", "2023-07-10"),
    ("en", "on 12 APRİL", "2023-04-12"),
    ("en", "last FRİDAY", "2023-07-07"),
    ("en", "sİx days ago", "2023-07-06"),
    ("es", "hace 3 DİAS", "2023-07-09"),
    ("de", "letzten DİENſTAG", "2023-07-11"),
    ("es", "Fui al cine ayer", "2023-07-11"),
    ("es", "el viernes pasado", "2023-07-07"),
    ("es", "hace dos días", "2023-07-10"),
    ("es", "pasado mañana", "2023-07-14"),
    ("es", "el 7 de mayo de 2021", "2021-05-07"),
    ("de", "Letzten Freitag war ich müde", "2023-07-07"),
    ("de", "vorgestern", "2023-07-10"),
    ("de", "vor drei Tagen", "2023-07-09"),
    ("de", "Wir sehen uns übermorgen", "2023-07-14"),
    ("de", "am 7. Mai 2021", "2021-05-07"),
    ("ru", "Вчера мы гуляли", "2023-07-11"),
    ("ru", "в прошлую пятницу", "2023-07-07"),
    ("ru", "два дня назад", "2023-07-10"),
    ("ru", "7 мая 2021", "2021-05-07"),
    ("uk", "Учора ми гуляли", "2023-07-11"),
    ("uk", "минулої п'ятниці", "2023-07-07"),
    ("uk", "три дні тому", "2023-07-09"),
    ("uk", "післязавтра", "2023-07-14"),
    ("en", "28 to 3 May", "2023-05-03"),
    ("en", "on May 3 to 9 people", "2023-05-03"),
    ("en", "Feb 28 - Feb 30", "2023-02-28"),
    ("en", "3 to 3 May", "2023-05-03"),
    ("ru", "купить 3 до 9 мая", "2023-05-09"),
    ("en", "The launch was postponed from 31 May to 14 June", "2023-06-14"),
    ("en", "They moved the dentist from June 10 to June 3", "2023-06-03"),
    ("en", "pushed back from 28 December to 3 January 2025", "2025-01-03"),
    ("es", "Apertura aplazada del 1 al 22 de mayo", "2023-05-22"),
    ("en", "Doors 10:30 - 31 May", "2023-05-31"),
    ("en", "Release 2.3 - 4 May", "2023-05-04"),
    ("en", "Tickets €20 - 25 May", "2023-05-25"),
    ("en", "Talk on May 3 - 10:30", "2023-05-03"),
    ("en", "Dinner on May 3 - 5 pm", "2023-05-03"),
    ("en", "open on May 3 to 14:00", "2023-05-03"),
    ("en", "the fee is due on 29 February", "2024-02-29"),
]
SPANS = [
    ("en", "last week", "2023-07-03", "2023-07-09"),
    ("en", "last weekend", "2023-07-08", "2023-07-09"),
    ("en", "this weekend", "2023-07-15", "2023-07-16"),
    ("en", "two weeks ago", "2023-06-26", "2023-07-02"),
    ("en", "last month", "2023-06-01", "2023-06-30"),
    ("en", "next month", "2023-08-01", "2023-08-31"),
    ("en", "last year", "2022-01-01", "2022-12-31"),
    ("en", "three years ago", "2020-01-01", "2020-12-31"),
    ("en", "in 2016", "2016-01-01", "2016-12-31"),
    ("en", "in May 2021", "2021-05-01", "2021-05-31"),
    ("en", "last October", "2022-10-01", "2022-10-31"),
    ("en", "We stay in Lisbon from 19 to 27 December", "2023-12-19", "2023-12-27"),
    ("en", "Trip 3rd to the 9th of May, 2024", "2024-05-03", "2024-05-09"),
    ("en", "skiing 28 December to 3 January", "2023-12-28", "2024-01-03"),
    ("en", "skiing 28 December 2024 – 3 January 2025", "2024-12-28", "2025-01-03"),
    ("en", "28 December to 3 January 2025", "2024-12-28", "2025-01-03"),
    ("en", "Fair: Aug 19 - Aug 27", "2023-08-19", "2023-08-27"),
    ("en", "Fair August 19-27, 2021", "2021-08-19", "2021-08-27"),
    ("en", "some time between 3 and 9 May", "2023-05-03", "2023-05-09"),
    ("en", "vakantie van 19 t/m 27 december", "2023-12-19", "2023-12-27"),
    ("es", "Estamos en Lisboa del 3 al 9 de mayo", "2023-05-03", "2023-05-09"),
    ("es", "entre el 3 y el 9 de mayo", "2023-05-03", "2023-05-09"),
    ("de", "Urlaub vom 28. April bis zum 3. Mai 2021", "2021-04-28", "2021-05-03"),
    ("de", "zwischen dem 3. und 9. Mai", "2023-05-03", "2023-05-09"),
    ("ru", "в отпуске с 3 по 9 мая", "2023-05-03", "2023-05-09"),
    ("uk", "у відпустці з 3 до 9 травня", "2023-05-03", "2023-05-09"),
    ("en", "The movie runs from 3 to 9 May", "2023-05-03", "2023-05-09"),
    ("en", "We moved. My parents stay from 3 to 9 May", "2023-05-03", "2023-05-09"),
    ("en", "sailing 27 to 29 February", "2024-02-27", "2024-02-29"),
    ("es", "la semana pasada", "2023-07-03", "2023-07-09"),
    ("de", "letztes Jahr", "2022-01-01", "2022-12-31"),
    ("ru", "на прошлой неделе", "2023-07-03", "2023-07-09"),
    ("uk", "минулого місяця", "2023-06-01", "2023-06-30"),
]
NOTHING = [
    ("en", "We are glad, and I may come on a sunny day."),
    ("en", "I saw it on Friday."),
    ("en", "The 31 February meeting, 12345 items, version 2.0"),
    ("en", "900 years ago"),
    ("en", "Today's paper? No: in 300 words."),
    ("es", "Buenos días, la mañana es bonita"),
    ("de", "Guten Morgen, am Morgen ist es kalt"),
]


def days(language: str, text: str) -> list[tuple[str, str]]:
    """Return the first and last day of every stretch that a text names."""
    return [
        (day_of(when.start_ms), day_of(when.end_ms))
        for when in find_dates(text, told_at_ms=TOLD_AT_MS, language=language)
    ]


def day_of(ms: int) -> str:
    """Return the day on which a moment lies."""
    return str((datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).date())


@published("ML-54")
@pytest.mark.parametrize(("language", "text", "day"), DAY)
def test_words_for_a_day_are_that_day(language: str, text: str, day: str) -> None:
    assert days(language, text) == [(day, day)]


@published("ML-54")
@pytest.mark.parametrize(("language", "text", "first", "last"), SPANS)
def test_words_for_a_stretch_are_its_first_and_last_day(
    language: str, text: str, first: str, last: str
) -> None:
    assert days(language, text) == [(first, last)]


@pytest.mark.parametrize(("language", "text"), NOTHING)
def test_what_names_no_certain_day_is_left_alone(language: str, text: str) -> None:
    found = days(language, text)
    assert [each for each in found if each != ("2023-07-12", "2023-07-12")] == []


def spelled_out(pattern: str) -> set[str]:
    """Return all that a pattern of alternatives, and of what may be left out, stands for."""
    group = re.search(r"\(\?:([^()]*)\)(\??)", pattern)
    if group is not None:
        before, behind = pattern[: group.start()], pattern[group.end() :]
        chosen = group[1].split("|") + [""] * (group[2] == "?")
        return {each for one in chosen for each in spelled_out(before + one + behind)}
    either = pattern.replace("['’]", "'").split("|")
    return {re.sub(r"(\w)\?", kept, each) for each in either for kept in ("", r"\1")}


def test_english_finds_each_time_that_is_told_without_a_digit() -> None:
    """Texts without one of a few words are not searched; every way to tell a time has to hold one of them."""
    words = LANGUAGES["en"]
    told = [
        template.replace("N", number).replace("U", f"(?:{unit})")
        for template in (*words.ago, *words.ahead)
        for number in words.numbers
        for unit in words.units
    ]
    told += [
        template.replace("D", f"(?:{day})")
        for template in (*words.last, *words.next)
        for day in words.weekdays
    ]
    told += [f"(?:last|next) (?:{month})" for month in words.months]
    every = {each for pattern in (*told, *words.phrases) for each in spelled_out(pattern)}
    assert len(every) > 800
    assert [each for each in sorted(every) if not days("en", each)] == []


def test_several_dates_come_in_their_order_with_their_words() -> None:
    text = "I left two days ago, and come back next Monday."
    found = find_dates(text, told_at_ms=TOLD_AT_MS)
    assert [when.words for when in found] == ["two days ago", "next Monday"]
    assert [text[when.at : when.at + len(when.words)] for when in found] == [when.words for when in found]


@pytest.mark.parametrize(("told_at_ms", "finds"), [(-(2**47), False), (2**47 - 1, True), (0, True)])
def test_a_clock_out_of_all_calendars_finds_no_date_and_any_other_does(told_at_ms: int, finds: bool) -> None:
    for words in ("last year", "yesterday", "2023-01-01", "200 years ago"):
        found = find_dates(words, told_at_ms=told_at_ms)
        assert [when.words for when in found] == [words] * finds


@pytest.mark.parametrize(
    ("text", "shown"),
    [("yesterday", "11 July 2023"), ("last weekend", "weekend of 8 July 2023"), ("last week", "week of 3 July 2023"),
     ("last month", "June 2023"), ("last year", "2022"), ("from 3 to 9 May", "3 May 2023 to 9 May 2023"),
     ("3 April to 9 July", "3 April 2023 to 9 July 2023")],
)  # fmt: skip
def test_a_stretch_is_shown_as_people_write_it(text: str, shown: str) -> None:
    (when,) = find_dates(text, told_at_ms=TOLD_AT_MS)
    assert show_when(when) == shown


def test_a_day_is_whole() -> None:
    (when,) = find_dates("yesterday", told_at_ms=TOLD_AT_MS)
    assert when.end_ms - when.start_ms + 1 == 86_400_000
    assert date.fromisoformat(day_of(when.end_ms + 1)) == TOLD.date()
