"""A sentence of nothing but names, of as many characters as are read of a text: it took every device minutes."""

import time

import pytest

from cognition.extraction import extract
from cognition.extraction.other_languages import PATTERNS

CHARACTERS = 20_000
SECONDS_MAX = 3.0


@pytest.mark.parametrize("language", sorted(PATTERNS))
@pytest.mark.parametrize("words", [" May", " O'Neil", " Mr", " und Ann", " я", " 1"])
def test_an_endless_sentence_is_read_in_a_moment(language: str, words: str) -> None:
    began = time.process_time()
    extract(words * (CHARACTERS // len(words)), told_at_ms=1_700_000_000_000, language=language)
    assert time.process_time() - began < SECONDS_MAX


def test_what_an_endless_sentence_says_first_is_read_all_the_same() -> None:
    told = "Meine Schwester heißt Anna, sie wohnt in Berlin. Ich arbeite bei Siemens"
    found = extract(told + " und Ann" * 2_000, told_at_ms=1_700_000_000_000, language="de")
    assert {(fact.subject, fact.pattern) for fact in found.facts} >= {
        (fact.subject, fact.pattern)
        for fact in extract(f"{told}.", told_at_ms=1_700_000_000_000, language="de").facts
    }
    assert found.facts
