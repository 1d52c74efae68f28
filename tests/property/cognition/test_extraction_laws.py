"""What holds for extraction whatever the text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.extraction import extract
from cognition.extraction.date_words import LANGUAGES
from cognition.extraction.dates import _cues, _cues_for
from cognition.extraction.names import names
from cognition.extraction.sentences import sentences
from cognition.extraction.values import FACTS_MAX
from tests.support.published import published

WORDS = """
    I live in Lisbon . My sister Mary works at Google and loves it ! We chose Postgres over MySQL , yesterday I
    met Bob Stone ? She moved to New York City last week ; because two days ago he was allergic to nuts …
"""
TEXTS = st.one_of(st.text(max_size=400), st.lists(st.sampled_from(WORDS.split()), max_size=60).map(" ".join))
PARTS = st.sampled_from(
    ["Ann", "Bob", "Élodie", "Олена", "Mary-Jane", "O'Brien", "Stone", "Evans", "Ivanova", "Grün"]
)


@given(TEXTS, st.none() | st.text(max_size=10).map(str.strip))
def test_facts_are_few_sure_enough_and_name_their_subject(text: str, speaker: str | None) -> None:
    found = extract(text, told_at_ms=1_700_000_000_000, speaker=speaker or None)
    assert len(found.facts) <= FACTS_MAX
    assert len({fact.content for fact in found.facts}) == len(found.facts)
    for fact in found.facts:
        assert 0.3 <= fact.confidence <= 1
        assert fact.triple is None or fact.triple.subject == fact.subject
    assert found == extract(text, told_at_ms=1_700_000_000_000, speaker=speaker or None)


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.data())
def test_whatever_a_cue_matches_holds_the_letters_by_which_the_cue_is_looked_for(
    language: str, data: st.DataObject
) -> None:
    cue = data.draw(st.sampled_from(_cues(language)))
    assert cue in _cues_for(data.draw(st.from_regex(cue.words)), language)


@given(TEXTS)
def test_sentences_lose_no_word(text: str) -> None:
    assert re.findall(r"\w+", " ".join(sentences(text))) == re.findall(r"\w+", text)


@published("ML-47")
@given(st.lists(PARTS, min_size=2, max_size=3, unique=True))
def test_a_name_of_several_words_is_found_as_it_was_written(parts: list[str]) -> None:
    name = " ".join(parts)
    assert names(f"yesterday we saw {name} in town") == (name,)
