"""What asks to be reminded is read in ten languages, and what only names a time is not."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cognition.days import DAY_MS
from cognition.reminding.reading import CHARACTERS_MAX, read_reminder
from cognition.reminding.repeating import following, latest
from replica import Set, Write
from tests.support.minds import NOW_MS, Home
from tests.unit.cognition.triggers.test_step import home as home
from tests.unit.cognition.triggers.test_step import kinds, live, raise_all

# A Monday, ten in the morning.
TOLD = datetime(2026, 11, 23, 10)  # noqa: DTZ001 -- a clock on the wall
DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("name", ["reminders", "reminders_second"])
def test_a_hundred_sentences_in_ten_languages_are_read(name: str) -> None:
    """The first hundred was there before the reader; of the second, 89 were right when it was first tried."""
    sentences = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    assert len(sentences) == 100
    wrong = []
    for language, text, due, repeats in sentences:
        found = read_reminder(text, TOLD)
        read = (None, None) if found is None else (found.due.isoformat()[:16], found.repeats)
        if read != (due, repeats):
            wrong.append((language, text, read))
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "The meeting was moved to Friday at 3 in the afternoon",
        "132/78 this morning, pulse 66. Much better.",
        "She calls her mother every Sunday at noon",
        "Remind me",
        "Ann is 42 and lives in Lisbon",
        "Remind me on 31 February 2027",
        "pay 1st",
        "",
        "Remind me tomorrow " + "x" * CHARACTERS_MAX,
    ],
)
def test_what_asks_for_nothing_or_names_no_time_reminds_nobody(text: str) -> None:
    assert read_reminder(text, TOLD) is None


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Remind me at 9", "2026-11-24T09:00"),
        ("Remind me at 11", "2026-11-23T11:00"),
        ("Remind me on Monday at 9", "2026-11-30T09:00"),
        ("Remind me on Monday at 11", "2026-11-23T11:00"),
        ("Remind me on 23 November", None),  # nine o'clock is past
        ("Remind me on the 31st", "2026-12-31T09:00"),
        ("Remind me in a month", "2026-12-23T09:00"),
        ("Remind me in 1 month to pay", "2026-12-23T09:00"),
        ("Remind me in two hours", "2026-11-23T12:00"),
    ],
)
def test_the_time_is_the_next_one_that_comes(text: str, due: str | None) -> None:
    found = read_reminder(text, TOLD)
    assert (None if found is None else found.due.isoformat()[:16]) == due


def test_what_repeats_is_due_at_every_step_and_at_no_other_time() -> None:
    first = round(datetime(2026, 1, 31, 9, tzinfo=UTC).timestamp() * 1_000)
    weekly = "FREQ=WEEKLY;BYDAY=SA"
    assert latest(first, weekly, first - 1) == latest(first, weekly, first + 7 * DAY_MS - 1) == first
    assert latest(first, weekly, first + 7 * DAY_MS) == first + 7 * DAY_MS
    assert following(first, weekly, first) == first + 7 * DAY_MS
    assert following(first, weekly, first - 1) == first
    assert following(first, None, first) is None
    assert following(first, "FREQ=HOURLY", first) is None
    after = following(first, "FREQ=MONTHLY", first)
    assert after == round(datetime(2026, 2, 28, 9, tzinfo=UTC).timestamp() * 1_000)
    assert latest(first, "FREQ=MONTHLY", after + 5) == after
    assert following(first, "FREQ=YEARLY", first) == first + 365 * DAY_MS


def test_what_repeats_comes_up_each_time_once_and_only_the_last_time_counts(home: Home) -> None:
    rid = home.remember(
        "water the plants", type="prospective", event_start=NOW_MS, meta={"repeats": "FREQ=WEEKLY;BYDAY=TU"}
    )
    ids = set()
    for week in range(3):
        home.now_ms = NOW_MS + week * 7 * DAY_MS + 1
        assert kinds(raise_all(home)) == ["reminder"], week
        assert raise_all(home) == [], week
        (one,) = live(home)
        ids.add(one.raised.id)
    assert len(ids) == 3
    home.now_ms += 60 * DAY_MS  # nobody looked for two months
    assert kinds(raise_all(home)) == ["reminder"]
    assert len(live(home)) == 1
    home.commit(Write(Set("archived", True), rid))
    home.now_ms += 7 * DAY_MS
    assert raise_all(home) == []
