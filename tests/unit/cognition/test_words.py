import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.words import QUERY_CHARACTERS_MAX, TERMS_MAX, any_of, terms, words, words_of_each
from tests.support.published import published


@pytest.fixture
def table() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')"
    )
    return connection


def test_common_words_are_left_out_of_a_question() -> None:
    assert terms("When did Caroline go to the LGBTQ support group?") == [
        "caroline",
        "go",
        "lgbtq",
        "support",
        "group",
    ]


def test_a_question_of_common_words_only_keeps_them() -> None:
    assert terms("Who are you?") == ["who", "are", "you"]


def test_words_are_asked_for_once_and_not_endlessly() -> None:
    assert terms("deploy Deploy DEPLOY") == ["deploy"]
    assert len(terms(" ".join(f"w{n}" for n in range(10_000)))) == TERMS_MAX


@published("YD-06")
@pytest.mark.parametrize(
    "text",
    [
        'a "quoted" thing',
        "NEAR(a b)",
        "x AND NOT y OR",
        "text : foo",
        "col^2 - *",
        "(((",
        "';--",
        "{a} + b",
        "a\0b",
    ],
)
def test_operators_quotes_and_hyphens_mean_nothing(table: sqlite3.Connection, text: str) -> None:
    table.execute("INSERT INTO t VALUES (?)", (text,))
    query = any_of(terms(text))
    if query:
        assert table.execute("SELECT count(*) FROM t WHERE t MATCH ?", (query,)).fetchone() == (1,)


@given(st.text())
def test_any_text_becomes_a_query_that_sqlite_accepts(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61 remove_diacritics 2')"
    )
    query = any_of(terms(text))
    if query:
        connection.execute("SELECT count(*) FROM t WHERE t MATCH ?", (query,)).fetchone()
    connection.close()


def test_words_of_other_alphabets_are_words() -> None:
    assert words("Где живёт Анна? Ünal, O'Brien") == ["где", "живёт", "анна", "ünal", "o", "brien"]


@given(st.text(st.characters(max_codepoint=127)) | st.text())
def test_a_text_of_ascii_is_cut_as_any_other_text_is(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_]+", text.casefold())


@given(st.lists(st.text(st.sampled_from("aB1 _-\0\n\x1fß")) | st.text()))
def test_texts_that_are_cut_together_are_cut_as_each_by_itself(texts: list[str]) -> None:
    assert words_of_each(texts) == [*map(words, texts)]


def test_of_texts_that_are_cut_together_each_is_read_as_far_as_by_itself() -> None:
    long = "a " * QUERY_CHARACTERS_MAX
    assert words_of_each([long, "b", long + "ß"]) == [words(long), ["b"], words(long)]
