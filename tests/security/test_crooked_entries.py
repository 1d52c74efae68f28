"""What a member writes among a memory's metadata: it ends no reading of it, and of nothing beside it."""

import pytest

from tests.unit.cognition.test_relating import Read

NESTED = "[" * 15_000
TRIPLES = [NESTED, '["\\ud800", "b", "c"]', '[["a"], "b", "c"]', f'[{"9" * 400}, "b", "c"]', '{"a": 1}']


@pytest.mark.parametrize("told", TRIPLES, ids=range(len(TRIPLES)))
def test_a_triple_that_is_none_ends_no_reading_of_names(told: str) -> None:
    """One of them, and no text behind it was read for names any more; nor was anything related to another."""
    home = Read()
    home.remember("She went there.", meta={"triple": told})
    rid = home.remember("Alice lives in Berlin, and she likes it there. Nobody else does.")
    assert home.found("berlin") == [home.number(rid)]
