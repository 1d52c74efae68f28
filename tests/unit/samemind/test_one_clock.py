"""Strength and recency run from when something was told, also where it was told long before it came in."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import samemind
from cognition.ranking import signals
from tests.support.published import published


@published("YD-13", "YD-14")
def test_what_was_told_a_week_ago_has_faded_for_a_week(tmp_path: Path) -> None:
    """The row: importance 0.9, 7 days, half-life 30 days: 0.765600. Recency says 0.367879 of the same week (YD-14)."""
    week = (datetime.now(UTC) - timedelta(days=7)).isoformat()
    with samemind.open_blocking(tmp_path / "home") as mind:
        rid = mind.remember("The boiler was serviced", at=week, importance=0.9, half_life=30 * 86_400.0).rid
        (hit,) = mind.recall("boiler", explain=True)
        assert hit.why is not None
        shown = hit.why["signals"]
        assert shown["strength"] / signals.WEIGHTS["strength"] == pytest.approx(0.765600, abs=1e-4)
        assert shown["recency"] / signals.WEIGHTS["recency"] == pytest.approx(0.367879, abs=1e-4)
        fresh = mind.remember("The boiler was paid", importance=0.9, half_life=30 * 86_400.0).rid
        assert [memory.rid for memory in mind.list(fading=True)] == [rid, fresh]


def test_what_was_told_long_ago_is_not_hot_on_the_day_it_is_brought_in(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"text": "We painted the fence", "created_at": "2019-05-01T08:00:00Z"}\n')
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.import_(file)
        mind.remember("We painted the door")
        assert {name: count for name, count in mind.stats().by_tier.items() if count} == {"hot": 1, "warm": 1}
