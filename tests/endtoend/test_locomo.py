"""Real conversations: the LoCoMo benchmark's development half, where it lies beside the repository."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import samemind

LOCOMO = Path(__file__).parents[3] / "shared" / "data" / "locomo-dev.json"


@pytest.mark.skipif(not LOCOMO.is_file(), reason="the LoCoMo data is not beside this copy of the tree")
def test_2960_turns_come_in_once_and_the_one_that_answers_is_among_the_first_ten(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        imported = mind.import_(LOCOMO)
        assert (imported.imported, imported.skipped, imported.failed) == (2960, 0, [])
        digest = mind.digest()
        again = mind.import_(LOCOMO)
        assert (again.imported, again.skipped) == (0, 2960)
        assert mind.digest() == digest
        mind.remember("something new", wait=True)
        hits = mind.recall("When did Caroline go to the LGBTQ support group?", k=10)
        (hit,) = [hit for hit in hits if (hit.session, hit.turn) == ("conv-26:session_1", "D1:3")]
        assert hit.told_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
        assert mind.verify().ok
