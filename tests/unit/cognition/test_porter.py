"""Stems are those of SQLite, whatever the word."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.fulltext import TOKENIZER
from cognition.search.porter import LETTERS_MAX, porter_stem
from cognition.search.postings import stems_of

_BEGINNINGS = "a b y s buzz miss ba ay bat tree oyst hopp fall rely eas plast w wow"
BEGINNINGS = ["", *_BEGINNINGS.split()]
_ENDINGS = """
    ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti
    iviti biliti ical ness icate iciti ful ative alize al ance ence er ic able ible ant ement ment ent ion sion tion ou
    ism ate iti ous ive ize s ss sses ies eed ed ing e ll le y ly ying atted bled ized
"""
ENDINGS = _ENDINGS.split()


class SqliteStems:
    """SQLite's stems, as full text search files words."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute(
            f"CREATE VIRTUAL TABLE filed USING fts5(word, content='', tokenize=\"{TOKENIZER}\")"
        )
        connection.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(filed, 'instance')")

    def __call__(self, words: Sequence[str]) -> list[str]:
        self.connection.execute("INSERT INTO filed (filed) VALUES ('delete-all')")
        self.connection.executemany("INSERT INTO filed (rowid, word) VALUES (?, ?)", enumerate(words))
        return [stem for (stem,) in self.connection.execute("SELECT term FROM stem ORDER BY doc")]


@pytest.fixture(scope="module")
def sqlite_stems() -> Iterator[SqliteStems]:
    with closing(sqlite3.connect(":memory:")) as connection:
        yield SqliteStems(connection)


def test_words_of_every_ending_have_the_stems_that_sqlite_gives_them(sqlite_stems: SqliteStems) -> None:
    words = ["".join(parts) for parts in product(BEGINNINGS, ENDINGS)]
    words += ["".join(parts) for parts in product(BEGINNINGS, ENDINGS, ENDINGS)]
    assert [*map(porter_stem, words)] == sqlite_stems(words)


@given(
    st.lists(
        st.text("aeiouybstlzrne", min_size=1, max_size=12)
        | st.text(ascii_lowercase + digits, min_size=1, max_size=LETTERS_MAX),
        min_size=1,
    )
)
def test_any_word_has_the_stem_that_sqlite_gives_it(sqlite_stems: SqliteStems, words: list[str]) -> None:
    assert [*map(porter_stem, words)] == sqlite_stems(words)


def test_who_asks_for_stems_may_ask_for_anything(sqlite_stems: SqliteStems) -> None:
    words = [
        "Running",
        "ab",
        "e" * LETTERS_MAX,
        "e" * (LETTERS_MAX + 1),
        "Straße",
        "naïveté",
        "\u0131",
        "x2",
        "42",
    ]
    assert stems_of(words) == sqlite_stems(words)
    assert stems_of(["two words", "a-b", ""]) == [None, None, None]
