"""Telling something that asks to be reminded makes it fall due, and shows when."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import samemind
from samemind.cli.printing import show
from samemind.commands.keeping import triggers_list
from samemind.formats.plain import to_json
from samemind.formats.rendering import repeated
from samemind.library.blocking import BlockingMind
from samemind.mcp.telling import tell
from tests.support.devices import run
from tests.support.doors import opened


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


def test_a_reminder_that_is_told_twice_comes_up_once_and_stays_settled(mind: BlockingMind) -> None:
    past = "2020-01-01"
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    first = mind.remember("Call the dentist", type="prospective", event_start=past)
    mind.remember("Call the dentist", type="prospective", event_start=past)
    mind.think()
    (due,) = mind.triggers()
    assert due.rids == [first.rid]
    mind.act(due)
    mind.remember("Call the dentist", type="prospective", event_start=past)
    mind.think()
    assert list(mind.triggers()) == []
    for days in (0, 0, 1):
        mind.remember("Pay the rent", type="prospective", event_start=soon + timedelta(days=days))
    assert [each.due for each in mind.triggers().coming] == [soon, soon + timedelta(days=1)]
    assert mind.calendar().count == 3


@pytest.mark.parametrize("which", [0, 1])
def test_a_reminder_that_was_told_twice_is_moved_as_one(mind: BlockingMind, which: int) -> None:
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    later = soon + timedelta(days=2)
    told = [mind.remember("Pay the rent", type="prospective", event_start=soon).rid for _ in range(2)]
    mind.remember("Pay the rent", type="prospective", event_start=soon + timedelta(days=1))
    mind.set(told[which], event_start=later)
    assert [each.due for each in mind.triggers().coming] == [soon + timedelta(days=1), later]
    mind.set(told[which], **{"meta.repeats": "FREQ=DAILY"})
    assert [(each.due, each.repeats) for each in mind.triggers().coming] == [
        (soon + timedelta(days=1), None),
        (later, "FREQ=DAILY"),
    ]
    mind.set(told[which], event_start=None)
    assert [each.due for each in mind.triggers().coming] == [soon + timedelta(days=1)]


def test_what_only_happened_twice_is_not_moved_as_one(mind: BlockingMind) -> None:
    first, second = (mind.remember("We met Ann", event_start="2026-03-01", no_dedup=True) for _ in range(2))
    mind.set(first, event_start="2026-03-02")
    assert mind.get(second).event_start != mind.get(first).event_start


def test_what_repeats_says_how(mind: BlockingMind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")  # a rule that is counted by UTC names no zone
    told = mind.remember("Water the plants every Tuesday", meta={"place": "balcony"})
    assert told.reminder is not None
    assert told.reminder.repeats == "FREQ=WEEKLY;BYDAY=TU"
    assert ", every week on Tuesday: tell the user so" in tell("remember", to_json(told))
    assert mind.get(told).meta == {"place": "balcony", "repeats": "FREQ=WEEKLY;BYDAY=TU"}


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Remind me on 31 November to celebrate", True),
        ("Erinnere mich daran, Oma anzurufen", True),
        ("Remind me to call the dentist on 3 March 2020", True),  # it is over
        ("Remind me tomorrow at 9 to call the dentist", False),
        ("I remember the dentist well", False),
        ("Ann moved to Lisbon", False),
    ],
)
def test_who_asks_to_be_reminded_at_no_certain_time_is_told_so(
    mind: BlockingMind, text: str, missing: bool
) -> None:
    told = mind.remember(text)
    assert told.reminder_missing == missing
    document = to_json(told)
    assert ("no reminder: it names no certain time to come" in show("remember", document)) == missing
    assert ("NO reminder" in tell("remember", document)) == missing
    if missing:  # as the command line says
        mind.set(told, type="prospective", event_start=datetime(2031, 3, 3, 14, tzinfo=UTC))
        assert told.rid in {each.rid for each in mind.triggers().coming}


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


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (None, ""),
        ("FREQ=WEEKLY;BYDAY=MO", ", every week on Monday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", ", every 2 weeks on Monday and Thursday"),
        ("FREQ=DAILY", ", every day"),
        ("FREQ=MONTHLY;BYDAY=2TU", ", every month on the second Tuesday"),
        ("FREQ=MONTHLY;BYDAY=-1FR", ", every month on the last Friday"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", ", every month on the last day"),
        ("FREQ=YEARLY;INTERVAL=3", ", every 3 years"),
        ("FREQ=WEEKLY;COUNT=3;WKST=MO", ", every week, 3 times"),
        ("FREQ=WEEKLY;UNTIL=20260714T220000Z;BYDAY=TU", ", every week on Tuesday, until 2026-07-14"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", ", every month on day 1 and day 15"),
        ("FREQ=DAILY;EXDATE=20260714T080000Z,20260716T080000Z", ", every day, not on 2026-07-14, 2026-07-16"),
        (
            "FREQ=DAILY;EXDATE=" + ",".join(f"202607{day}T080000Z" for day in range(10, 15)),
            ", every day, not on 2026-07-10, 2026-07-11, 2026-07-12 and 2 more",
        ),
        ("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", ", FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR"),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14", ", FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=14"),
        ("FREQ=DAILY;COUNT=0", ", FREQ=DAILY;COUNT=0"),
        ("FREQ=DAILY;UNTIL=soon", ", FREQ=DAILY;UNTIL=soon"),
        ("FREQ=MONTHLY;BYDAY=6MO", ", FREQ=MONTHLY;BYDAY=6MO"),
        ("FREQ=HOURLY", ", FREQ=HOURLY"),
        ("nonsense", ", nonsense"),
        (
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260714T220000Z;TZID=Asia/Tokyo",
            ", every week on Tuesday (Asia/Tokyo time), until 2026-07-15",
        ),
        (
            "FREQ=DAILY;UNTIL=20260715T035959Z;EXDATE=20260711T003000Z;TZID=America/New_York",
            ", every day (America/New_York time), until 2026-07-14, not on 2026-07-10",
        ),
        ("FREQ=DAILY;UNTIL=20260714;TZID=Asia/Tokyo", ", every day (Asia/Tokyo time), until 2026-07-14"),
        (
            "FREQ=DAILY;UNTIL=20261332T000000Z;TZID=Asia/Tokyo",
            ", every day (Asia/Tokyo time), until 2026-13-32",
        ),
        ("FREQ=DAILY;TZID=Mars/Olympus_Mons", ", every day"),
        ("FREQ=HOURLY;TZID=Asia/Tokyo", ", FREQ=HOURLY (Asia/Tokyo time)"),
        ("FREQ=HOURLY;TZID=\x1b[31m", ", FREQ=HOURLY"),
    ],
)
def test_how_something_repeats_is_said_in_words(rule: str | None, words: str) -> None:
    """A rule of a calendar by somebody else may say more than words do: then it is shown as it is."""
    assert repeated(rule) == words


def test_a_time_that_was_given_in_words_is_told_as_it_was_read(mind: BlockingMind) -> None:
    told = mind.remember("Buy milk", at="yesterday", event_start="tomorrow at 9")
    kept = mind.get(told)
    assert (told.told_at, told.event_start, told.event_end) == (kept.told_at, kept.event_start, None)
    assert told.told_at is not None
    assert told.event_start is not None
    said, happens = (f"{each.astimezone():%Y-%m-%d %H:%M}" for each in (told.told_at, told.event_start))
    assert show("remember", to_json(told))[1:] == [f"said: {said}", f"happens: {happens}"]
    digits = mind.remember("Ann sails", at="2026-03-01T10:00Z", event_start="2026-03-01")
    assert (digits.told_at, digits.event_start) == (None, None)
    assert show("remember", to_json(digits)) == [digits.rid]


def test_who_asks_what_comes_up_sees_the_next_reminders(mind: BlockingMind) -> None:
    """A reminder that was taken shows somewhere before it is due, and one that repeats shows its next time."""
    now = datetime.now(UTC)
    later = [now + timedelta(days=days) for days in (4, 3, 2, 1)]
    rids = [mind.remember(f"n {at:%d}", type="prospective", event_start=at).rid for at in later]
    over = now - timedelta(days=2)
    weekly = mind.remember("weekly", type="prospective", event_start=over, meta={"repeats": "FREQ=WEEKLY"})
    mind.remember("over", type="prospective", event_start=over)
    listed = mind.triggers()
    assert [each.rid for each in listed.coming] == [rids[3], rids[2], rids[1]]
    mind.forget(rids[2])
    assert weekly.rid not in {each.rid for each in mind.triggers().coming}
    mind.forget(rids[3], rids[1])
    coming = mind.triggers().coming
    assert [each.rid for each in coming] == [rids[0], weekly.rid]
    assert [each.repeats for each in coming if each.rid == weekly.rid] == ["FREQ=WEEKLY"]
    assert all(each.due > now for each in coming)
    lines = triggers_list.render(to_json(mind.triggers()))
    assert any(line.endswith(", every week  weekly") for line in lines)


@pytest.mark.parametrize(
    "options",
    [
        {"text": "Remind me to call the dentist tomorrow at 9"},
        {"text": "Remind me to call the dentist tomorrow at 9", "read": True},
        {"text": "Remind me to call the dentist"},
        {"text": "Ann sailed to Kyiv", "at": "2h ago", "event_start": "yesterday"},
    ],
)
def test_what_is_asked_again_a_day_later_is_answered_as_the_first_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """Whoever lost the first answer learned of no reminder, and no time."""
    rid = "01a2008e-fcbf-7fa0-80ee-8a77e4c2342d"

    async def main() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            first = await laptop.mind.remember(**options, rid=rid)
            assert first.reminder or first.reminder_missing or first.told_at
            tomorrow_ms = laptop.device.now_ms() + 86_400_000
            monkeypatch.setattr(laptop.device.replica, "now_ms", lambda: tomorrow_ms)
            assert await laptop.mind.remember(**options, rid=rid) == replace(first, op_id=None)

    run(main)
