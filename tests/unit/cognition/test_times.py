"""Which times questions name, in the languages of the reader."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cognition.times import (
    _BEGIN_PAIRS,
    _BETWEEN_DAYS,
    _DECIMAL,
    _DIGIT,
    _EPOCH,
    _ISO,
    _PATTERNS,
    _words,
    meant_by,
    windows,
)

NOW_MS = int(datetime(2026, 6, 15, 10, tzinfo=UTC).timestamp() * 1_000)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WORDS = [
    *("last", "next", "two", "weeks", "of", "june", "31", "ago", "in", "vor", "drei", "tagen", "may", "2026"),
    *("early", "end", "the", "month", "to", "bis", "between", "and", "december", "3", "rd", "2025"),
]


def days(text: str) -> list[str]:
    """Return the first and last day of each stretch, as MM-DD, of the year that is first."""
    found = []
    for window in windows(text, NOW_MS):
        first, last = (EPOCH + timedelta(milliseconds=ms) for ms in window)
        found.append(
            f"{first:%Y-%m-%d}" if f"{first:%j}" == f"{last:%j}" else f"{first:%Y-%m-%d}/{last:%m-%d}"
        )
    return found


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what did I do last week?", "2026-06-08/06-14"),
        ("was war im März?", "2026-03-01/03-31"),
        ("the first two weeks of June", "2026-06-01/06-14"),
        ("where was I on Boxing Day?", "2025-12-26"),
        ("що було двадцять першого травня?", "2026-05-21"),
        ("what is due within three weeks?", "2026-06-15/07-09"),
        ("qu'est-ce qui est prévu dans les deux prochaines semaines ?", "2026-06-15/06-29"),
        ("où étions-nous début juin ?", "2026-06-01/06-10"),
        ("vor drei Tagen", "2026-06-12"),
        ("три дня назад", "2026-06-12"),
        ("onde passei o 25 de abril?", "2026-04-25"),
        ("¿qué hice hace tres días?", "2026-06-12"),
        ("chi viene tra due settimane?", "2026-06-26/07-02"),
        ("wat deed ik gisteren?", "2026-06-14"),
        ("co robiłem wczoraj?", "2026-06-14"),
        ("what did we do the day before yesterday?", "2026-06-13"),
        ("cosa ho fatto l'altro ieri?", "2026-06-13"),
        ("co kupiłem przez ostatnie dziesięć dni?", "2026-06-05/06-15"),
        ("am Ende des Monats", "2026-06-20/06-30"),
        ("on 2026-02-03", "2026-02-03"),
        ("last summer", "2025-06-01/08-31"),
        ("at Easter", "2026-04-03/04-06"),
        ("Trip from 3 to 9 May", "2026-05-03/05-09"),
        ("Rome 3-9 May 2027, with Ann", "2027-05-03/05-09"),
        ("Gotha 11.–28. Juni", "2026-06-11/06-28"),
        ("Urlaub vom 28. April bis zum 3. Mai", "2026-04-28/05-03"),
        ("closed from December 28th to January 3rd, 2025", "2024-12-28/01-03"),
        ("zwischen dem 3. und 9. Mai", "2026-05-03/05-09"),
        ("Mme Schmitt prend ses congés du 4 au 18 mai", "2026-05-04/05-18"),
        ("en Galicia, del 18 de abril al 2 de mayo", "2026-04-18/05-02"),
        ("dal 9 al 19 maggio", "2026-05-09/05-19"),
        ("férias de 3 a 9 de maio", "2026-05-03/05-09"),
        ("van 3 t/m 9 mei", "2026-05-03/05-09"),
        ("od 3 do 9 maja", "2026-05-03/05-09"),
        ("с 3 по 9 мая", "2026-05-03/05-09"),
        ("з 3 до 9 травня", "2026-05-03/05-09"),
        ("28 April – 3 May in Rome", "2026-04-28/05-03"),
        ("the 3rd to the 9th of May", "2026-05-03/05-09"),
        ("3 May 2025 to 9 June 2025", "2025-05-03/06-09"),
    ],
)
def test_a_time_is_read(text: str, named: str) -> None:
    assert days(text)[0] == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("open 9 to 17 on 3 May", "2026-05-03"),
        ("on 3 and 9 May", "2026-05-09"),
        ("seats 3 to 9 are ours in May", "2026-05-01/05-31"),
        ("2 to 3 months from 9 May", "2026-05-09"),
        ("back on 5 May to 12 people", "2026-05-05"),
        ("call 555-1234 on 3 May", "2026-05-03"),
        ("score 3-2 on 9 May", "2026-05-09"),
        ("9 to 5 May", "2026-05-05"),
        ("on May 3 a 20 percent discount", "2026-05-03"),
        ("May 3rd a 5 km run", "2026-05-03"),
        ("будинок 1. До 5 травня відповісти", "2026-05-05"),
    ],
)
def test_what_is_no_stretch_of_days_is_not_read_as_one(text: str, named: str) -> None:
    assert days(text) == [named]


@pytest.mark.parametrize(
    "text",
    [
        "may I come in?",
        "that march was long",
        "do I drink coffee these days?",
        "il a été vendu",
    ],
)
def test_what_is_no_time_is_not_read(text: str) -> None:
    assert days(text) == []


@given(text=st.text(max_size=80), now_ms=st.integers(-(10**14), 10**16))
def test_any_text_at_any_moment_gives_stretches_that_begin_before_they_end(text: str, now_ms: int) -> None:
    assert all(window.start_ms <= window.end_ms for window in windows(text, now_ms))


@given(
    words=st.lists(st.sampled_from(WORDS), max_size=8),
)
@example(words=["early", "last", "tagen"])
def test_any_run_of_such_words_gives_stretches_that_begin_before_they_end(words: list[str]) -> None:
    assert all(window.start_ms <= window.end_ms for window in windows(" ".join(words), NOW_MS))


@given(
    first=st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12),
    words=st.lists(
        st.sampled_from([*WORDS, "day", "eve", "night", "il", "christmas", "prochaine"]), max_size=6
    ),
)
def test_nothing_begins_with_a_word_that_means_no_time(first: str, words: list[str]) -> None:
    """So a text is read for times at few of its words."""
    read = _words(" ".join([first, *words]))
    today = (_EPOCH + timedelta(milliseconds=NOW_MS)).date()
    for at, word in enumerate(read):
        if not word.means and word.spelled not in _BEGIN_PAIRS:
            assert [pattern(read, at, today)[0] for pattern in _PATTERNS] == [[]] * len(_PATTERNS)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("what was on Tuesday 9 June?", ["2026-06-09"]),
        ("am Dienstag, dem 9. Juni", ["2026-06-09"]),
        ("во вторник, 7 июля 2026", ["2026-07-07"]),
        ("on Tuesday at 7", ["2026-06-09", "2026-06-16"]),
        ("Tuesday, and again on 7 July 2026", ["2026-07-07", "2026-06-09", "2026-06-16"]),
    ],
)
def test_the_weekday_of_a_date_names_no_other_day(text: str, named: list[str]) -> None:
    assert days(text) == named


@given(text=st.text(st.characters() | st.sampled_from(".,:/–-x "), max_size=40))
def test_a_text_without_a_digit_has_no_date_no_decimal_and_no_stretch_of_days(text: str) -> None:
    """So it is not looked through for them."""
    if _DIGIT.search(text) is None:
        assert not any(each.search(text) for each in (_ISO, _DECIMAL, _BETWEEN_DAYS))


@pytest.mark.parametrize("number", ["12.5", "١٢.٥", "⑫.⑤"])
def test_of_a_decimal_the_whole_ones_count_however_its_digits_are_written(number: str) -> None:
    assert days(f"{number} weeks ago") == days("12 weeks ago") != []


def test_words_that_mean_no_time_share_one_answer() -> None:
    """Four thousand words are remembered twice, and most of them mean none."""
    assert meant_by("boat") is meant_by("Lamp")
    assert meant_by("May")["month"] == 5
