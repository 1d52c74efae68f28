"""A trigger that was put off: it is quiet until then, comes up once, and not for who has dealt with it."""

import pytest

from cognition.days import DAY_MS
from cognition.memories import read_memories
from cognition.triggers.kinds import HOUR_MS
from cognition.triggers.lattice import TriggerStatus
from cognition.triggers.raised import Described, described, put_off_until, read_raised
from cognition.triggers.snoozing import Snooze, snoozes_of
from cognition.triggers.step import TriggerStep
from replica import Access, Set, Trigger, Write
from replica.fields import MS_MAX
from tests.support.minds import NOW_MS, Home


@pytest.fixture
def home() -> Home:
    return Home()


def think(home: Home) -> list[Described]:
    """Think, and return what waits."""
    TriggerStep().run(home.core, home.connection, home.now_ms)
    return [
        one
        for one in described(home.connection, home.now_ms)
        if one.reason is not None and one.status is TriggerStatus.PENDING
    ]


def put_off(home: Home, one: Described, until_ms: int) -> None:
    raised = one.raised
    snooze = Snooze(raised.kind, raised.id, until_ms)
    home.commit(
        Write(Set(snooze.field, snooze.told), raised.rid),
        Write(Trigger(raised.id, int(TriggerStatus.DISMISSED), raised.kind, raised.about), raised.rid),
    )


def move(home: Home, one: Described, status: TriggerStatus) -> None:
    raised = one.raised
    home.commit(Write(Trigger(raised.id, int(status), raised.kind, raised.about), raised.rid))


def test_a_reminder_that_was_put_off_is_quiet_and_comes_up_once(home: Home) -> None:
    home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    (one,) = think(home)
    put_off(home, one, NOW_MS + 2 * HOUR_MS)
    assert put_off_until(home.connection, one.raised) == NOW_MS + 2 * HOUR_MS
    home.now_ms += HOUR_MS
    assert think(home) == []
    home.now_ms += HOUR_MS
    (again,) = think(home)
    assert again.raised.id != one.raised.id
    assert again.reason is not None
    assert again.reason.text == "“call the dentist” is due"
    move(home, again, TriggerStatus.ACTED)
    home.now_ms += 30 * DAY_MS
    assert think(home) == []


def test_what_was_put_off_can_be_put_off_again(home: Home) -> None:
    home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    for hours in range(1, 5):
        (one,) = think(home)
        put_off(home, one, home.now_ms + hours * HOUR_MS)
        assert think(home) == []
        home.now_ms += hours * HOUR_MS
    assert len(think(home)) == 1


def test_a_repeating_reminder_that_was_put_off_comes_up_by_its_rule_too(home: Home) -> None:
    home.remember("water the plants", type="prospective", event_start=NOW_MS, meta={"repeats": "FREQ=WEEKLY"})
    (one,) = think(home)
    put_off(home, one, NOW_MS + HOUR_MS)
    home.now_ms = NOW_MS + HOUR_MS
    (again,) = think(home)
    move(home, again, TriggerStatus.ACTED)
    home.now_ms = NOW_MS + 7 * DAY_MS
    (next_week,) = think(home)
    assert next_week.raised.id not in (one.raised.id, again.raised.id)


def test_who_acted_on_it_elsewhere_is_not_asked_again(home: Home) -> None:
    home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    (one,) = think(home)
    put_off(home, one, NOW_MS + HOUR_MS)
    move(home, one, TriggerStatus.ACTED)  # on another device, which did not know yet
    home.now_ms += 2 * HOUR_MS
    assert think(home) == []


def test_a_review_is_put_off_beyond_its_cool_down_and_is_moot_once_recalled(home: Home) -> None:
    rid = home.remember("the safe is behind the picture", importance=0.8)
    home.now_ms += 100 * DAY_MS
    (one,) = think(home)
    put_off(home, one, home.now_ms + DAY_MS)
    home.now_ms += DAY_MS
    (again,) = think(home)
    assert (again.raised.kind, again.raised.rid) == ("decay_review", rid)
    put_off(home, again, home.now_ms + DAY_MS)
    home.commit(Write(Access(((rid, 1, home.now_ms),))))
    home.now_ms += DAY_MS
    known = len(read_raised(home.connection))
    assert think(home) == []
    assert len(read_raised(home.connection)) == known


def test_two_kinds_of_one_memory_are_put_off_apart(home: Home) -> None:
    home.remember("renew the passport", type="prospective", event_start=NOW_MS, importance=0.9)
    home.now_ms += 400 * DAY_MS
    found = think(home)
    assert sorted(one.raised.kind for one in found) == ["decay_review", "reminder"]
    for hours, one in enumerate(sorted(found, key=lambda each: each.raised.kind), start=1):
        put_off(home, one, home.now_ms + hours * HOUR_MS)
    home.now_ms += HOUR_MS
    assert [one.raised.kind for one in think(home)] == ["decay_review"]
    home.now_ms += HOUR_MS
    assert sorted(one.raised.kind for one in think(home)) == ["decay_review", "reminder"]


@pytest.mark.parametrize("until_ms", [0, MS_MAX])
def test_any_time_that_a_row_can_hold_puts_off_until_then(home: Home, until_ms: int) -> None:
    rid = home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    snooze = Snooze("reminder", bytes(16), until_ms)
    home.commit(Write(Set(snooze.field, snooze.told), rid))
    (shown,) = read_memories(home.connection, [home.number(rid)])
    assert [*snoozes_of(shown.memory)] == [snooze]


def test_an_entry_that_somebody_wrote_by_hand_is_passed_over(home: Home) -> None:
    rid = home.remember("call the dentist", type="prospective", event_start=NOW_MS)
    home.commit(Write(Set("meta.note", f"{'00' * 16}@5"), rid))
    for told in ("soon", "zz@5", "00@later", "00@-1", f"00@{MS_MAX + 1}", f"00@{'9' * 5_000}", "", 5, True):
        home.commit(Write(Set("meta.snoozed.reminder", told), rid))
        assert think(home)
        (shown,) = read_memories(home.connection, [home.number(rid)])
        assert [*snoozes_of(shown.memory)] == []
    assert len(read_raised(home.connection)) == 1
