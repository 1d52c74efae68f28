"""Texts of a megabyte each by the score: what a question reads of them, and what thinking does, is bounded.

Forty of them once made a question take 1.7 GB and 3.6 seconds, and one call of thinking three seconds.
"""

import time
from pathlib import Path
from typing import Final

import pytest

import samemind
from cognition.extraction.names import names
from cognition.patterns.reading import TEXT_CHARACTERS_MAX
from cognition.patterns.words import theme_words
from cognition.ranking.query import Query
from cognition.words import RANKED_CHARACTERS_MAX, TERMS_MAX
from replica.limits import FIELD_STRING_BYTES_MAX
from tests.support.compared import lengths_compared

TEXTS: Final = 12
CHARACTERS: Final = 150_000
SECONDS_MAX: Final = 3.0


def long_text(number: int) -> str:
    sentence = f"Ann sold the old piano of room {number} in Lisbon. "
    return sentence * (CHARACTERS // len(sentence)) + f"Then came the zeppelin{number}."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with samemind.open_blocking(tmp_path) as mind:
        mind.remember_many([long_text(number) for number in range(TEXTS)])
    return tmp_path


def test_a_question_reads_of_each_candidate_so_much_and_no_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = lengths_compared(monkeypatch)
    with samemind.open_blocking(home) as mind:
        hits = mind.recall("who sold the piano?")
        assert len(hits) > 1
        assert hits[0].text in map(long_text, range(TEXTS)), "it is shown whole"
        assert max(read) <= TEXTS * (RANKED_CHARACTERS_MAX + 100)


def test_a_text_is_found_by_its_last_word(home: Path) -> None:
    with samemind.open_blocking(home) as mind:
        assert mind.recall("zeppelin7")[0].text == long_text(7)


def test_what_texts_have_in_common_is_looked_for_at_their_beginning(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[int]()

    def counting(text: str) -> tuple[str, ...]:
        read.append(len(text))
        return names(text)

    monkeypatch.setattr("cognition.patterns.words.names", counting)
    with samemind.open_blocking(home) as mind:
        while mind.think().more:
            pass
        theme_words([*map(long_text, range(TEXTS))])  # as a theme is told
    assert read, "twelve texts in almost the same words are a theme"
    assert max(read) <= TEXT_CHARACTERS_MAX


def test_a_name_of_thousands_of_words_is_looked_for_by_its_first(tmp_path: Path) -> None:
    """What is related to Anna is looked for in every text, and a member made that up: one question took 31 seconds."""
    with samemind.open_blocking(tmp_path) as mind:
        mind.remember_many(["My sister Anna lives in Bergen", "ab " * 20_000])
        mind.relate("Anna", "knows", "ab " * (FIELD_STRING_BYTES_MAX // 3))
        began = time.process_time()
        assert mind.recall("Where does Anna live?")[0].text == "My sister Anna lives in Bergen"
        assert mind.recall("Ab " * 6_000)
        assert time.process_time() - began < SECONDS_MAX


def test_a_page_of_names_asks_for_so_many_of_them_side_by_side() -> None:
    page = ". ".join(f"so Ann{chr(97 + n % 26)} Ben{chr(97 + n // 26)}" for n in range(600))
    asked = Query(page).phrases
    assert asked[0] == '"anna bena"'
    assert len(asked) == TERMS_MAX
