"""A member that fills the calendar which programs subscribe to: the reminders of the other devices stay in it.

One text of a megabyte that repeats left no room for any other entry, and so did four thousand short ones.
"""

import icalendar
import pytest

from cognition.reminding.repeating import REPEATS
from cognition.triggers.told_once import known_reminders
from replica import Core, SqliteStore, Write, nearest_to_come, new_memory_id
from replica.limits import TEXT_BYTES_MAX
from replica.ops import Remember
from samemind.commands.keeping import calendar
from samemind.commands.keeping.calendar import FEED_BYTES_MAX, feed_reminders, feed_text
from samemind.commands.keeping.triggers_list import _coming
from tests.security.test_floods_of_reminders import tell, with_tables
from tests.support.replicas import DAY_MS, NOW_MS, group, settle

HONEST = ["take the medicine", "call the doctor", "pay the rent"]


def flooded(*texts: str) -> SqliteStore:
    """Ann, who has something to do in some days; Eve has these, each day from now on."""
    ann, eve = group("ann", "eve", make_store=with_tables)
    for day, text in enumerate(HONEST, 1):
        tell(ann, [text], NOW_MS + day * DAY_MS)
    repeat(eve, *texts)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    return ann.store


def repeat(core: Core, *texts: str) -> None:
    fields = {"type": "prospective", "event_start": NOW_MS, "meta": {REPEATS: "FREQ=DAILY"}}
    for start in range(0, len(texts), 1_000):
        some = texts[start : start + 1_000]
        core.commit(
            [Write(Remember(text, fields), new_memory_id(NOW_MS, core._random)) for text in some],  # type: ignore[arg-type]
            NOW_MS,
        )


def titles(store: SqliteStore) -> list[str]:
    made = feed_text(feed_reminders(store.connection, NOW_MS), NOW_MS)
    assert len(made.encode()) <= FEED_BYTES_MAX
    return [str(entry["summary"]) for entry in icalendar.Calendar.from_ical(made).walk("VEVENT")]


def test_a_text_as_long_as_a_calendar_leaves_room_in_it() -> None:
    shown = titles(flooded("x" * TEXT_BYTES_MAX))
    assert shown[0].startswith("xxx")
    assert shown[1:] == HONEST


def test_a_calendar_holds_reminders_of_each_device_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendar, "_FEED_ENTRIES_MAX", 5)
    store = flooded(*(f"call number {number}" for number in range(9)))
    shown = titles(store)
    assert len(shown) == 5
    assert {*HONEST[:2]} <= {*shown}
    monkeypatch.setattr(calendar, "_FEED_ENTRIES_MAX", 100)
    monkeypatch.setattr(calendar, "FEED_BYTES_MAX", 2_400)
    assert {*HONEST[:2]} < {*titles(store)} < {*HONEST, *(f"call number {number}" for number in range(9))}


def test_of_each_device_what_repeats_and_is_near_is_read_first() -> None:
    ann, eve = group("ann", "eve", make_store=with_tables)
    for text, due_ms in (("over", NOW_MS - 1), ("far", NOW_MS + 9), ("near", NOW_MS + 1)):
        tell(ann, [text], due_ms)
    repeat(ann, "often")
    tell(eve, ["of eve"], NOW_MS + 5)
    settle([ann, eve])
    assert isinstance(ann.store, SqliteStore)
    texts = dict(ann.store.connection.execute("SELECT id, text FROM memory"))
    read = [texts[number] for number in nearest_to_come(ann.store.connection, NOW_MS, 5)]
    assert sorted(read[:2]) == ["of eve", "often"]
    assert read[2:] == ["near", "far", "over"]


def test_what_else_shows_reminders_holds_little_of_each() -> None:
    store = flooded("x" * TEXT_BYTES_MAX)
    found = known_reminders(store.connection, characters=10)
    assert [len(it.memory.text) for it in found] == [11, *[11] * 3]
    assert all(it.memory.fields.keys() <= {"event_start", "event_end", "meta"} for it in found)
    coming = _coming(store.connection, NOW_MS)
    assert {each.text for each in coming} == {*HONEST[:2], "x" * TEXT_BYTES_MAX}, "and those shown are whole"
