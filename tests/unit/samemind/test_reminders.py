"""Telling something that asks to be reminded makes it fall due, and shows when."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import samemind
from samemind.blocking import BlockingMind


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "m.db") as opened:
        yield opened


def test_what_asks_to_be_reminded_is_due_and_says_when(mind: BlockingMind) -> None:
    told = mind.remember("Remind me to call the dentist tomorrow at 9")
    assert told.reminder is not None
    wall = datetime.now().astimezone()
    assert told.reminder.due.astimezone().replace(tzinfo=None) == (
        (wall + timedelta(days=1)).replace(hour=9, minute=0, second=0, microsecond=0, tzinfo=None)
    )
    held = mind.get(told)
    assert (held.type, held.event_start) == ("prospective", told.reminder.due)
    assert held.text == "Remind me to call the dentist tomorrow at 9"


def test_what_repeats_says_how(mind: BlockingMind) -> None:
    told = mind.remember("Water the plants every Tuesday", meta={"place": "balcony"})
    assert told.reminder is not None
    assert told.reminder.repeats == "FREQ=WEEKLY;BYDAY=TU"
    assert mind.get(told).meta == {"place": "balcony", "repeats": "FREQ=WEEKLY;BYDAY=TU"}


def test_what_was_said_otherwise_is_not_read_otherwise(mind: BlockingMind) -> None:
    text = "Remind me to call the dentist tomorrow at 9"
    due = datetime(2030, 1, 1, tzinfo=UTC)
    assert mind.remember(text, type="factual").reminder is None
    assert mind.get(mind.remember(text, event_start=due)).event_start == due
    assert mind.remember(text, at="2020-01-01").reminder is None  # told years ago: it would ring at once
    assert mind.remember("We met the dentist on Tuesday at 9").reminder is None


def test_a_reminder_comes_up_when_it_is_due(mind: BlockingMind) -> None:
    past = datetime.now(UTC) - timedelta(minutes=1)
    rid = mind.remember("call the dentist", type="prospective", event_start=past)
    mind.think()
    assert [(each.kind, each.rids) for each in mind.triggers()] == [("reminder", [rid.rid])]
