"""An hour that is told with its time zone is due by the clock of that zone, wherever this machine is."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from cognition.reminding import zones
from cognition.reminding.due_fields import with_reminder
from samemind.errors import Usage
from samemind.formats.times import read_later, read_when

# A Saturday, ten past nine in Amsterdam.
TOLD_MS = int(datetime.fromisoformat("2026-11-28T08:10Z").timestamp() * 1_000)


@pytest.fixture(autouse=True)
def in_amsterdam(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Amsterdam")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def due(text: str) -> str | None:
    due_ms = with_reminder(text, {}, TOLD_MS).due_ms
    return None if due_ms is None else datetime.fromtimestamp(due_ms / 1_000).isoformat()[:16]  # noqa: DTZ006


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("Call with Bea on 3 December at 14:00", "2026-12-03T14:00"),
        ("Call with Bea on 3 December at 14:00 UTC", "2026-12-03T15:00"),
        ("Call with Bea on 3 December, 14:00-15:00 GMT", "2026-12-03T15:00"),
        ("Meeting at 3pm PST on 3 December", "2026-12-04T00:00"),
        ("Meeting at 3 p.m. (PT) on 3 December", "2026-12-04T00:00"),
        ("Remind me tomorrow at 9am EST to call New York", "2026-11-29T15:00"),
        ("Remind me on 3 July at 9am EST to call New York", "2027-07-03T15:00"),
        ("Zahnarzt am 3. Dezember um 9 Uhr MEZ", "2026-12-03T09:00"),
        ("позвонить маме 3 декабря в 14:00 МСК", "2026-12-03T12:00"),
        ("Remind me on 2026-12-03T14:00Z to call Bea", "2026-12-03T15:00"),
        ("Remind me on 2026-12-03T14:00:00.000Z to call Bea", "2026-12-03T15:00"),
        ("Remind me on 2026-12-03T14:00:00+0300 to call Bea", "2026-12-03T12:00"),
        ("Remind me on 2026-12-03 14:00-05:00 to call Bea", "2026-12-03T20:00"),
        ("Remind me on 3 December at 14:00 UTC+05:30 to call Priya", "2026-12-03T09:30"),
        ("Remind me on 3 December at 14:00 UTC-5 to call Lima", "2026-12-03T20:00"),
        ("Remind me on 3 December at 14:00 UTC+530 to call Priya", "2026-12-03T09:30"),
        ("Remind me on 3 December at 14:00 UTC+14 to call Kiritimati", "2026-12-03T01:00"),
        ("Remind me on 3 December at 14:00 UTC+5:59 to call", "2026-12-03T09:01"),
        ("Rappelle-moi le 3 décembre à 9h et pas plus tard", "2026-12-03T09:00"),
        ("Remind me on 3 December at 15:00 New York time to call", "2026-12-03T21:00"),
        ("Remind me on 3 December at 15:00 (New York time) to call", "2026-12-03T21:00"),
        ("Remind me on 3 July at 9am Tokyo time to call", "2027-07-03T02:00"),
        ("Remind me on 3 December at 9am Tokyo time to call", "2026-12-03T01:00"),
        ("Webinar on 3 December, 18:00 London time", "2026-12-03T19:00"),
        ("Remind me on 3 December at 10:00 Europe/London to call", "2026-12-03T11:00"),
        ("Remind me on 3 December at 9 am America/Argentina/Salta to call", "2026-12-03T13:00"),
    ],
)
def test_an_hour_is_of_the_zone_that_stands_behind_it(text: str, local: str) -> None:
    """The zone was passed over: at 15:00 in Amsterdam somebody was reminded of a call at midnight."""
    assert due(text) == local


@pytest.mark.parametrize("zone", ["CST", "IST", "UTC+15", "GMT+5:60"])
def test_a_zone_that_is_uncertain_makes_no_reminder_and_says_so(zone: str) -> None:
    found = with_reminder(f"Remind me tomorrow at 14:00 {zone} to call", {}, TOLD_MS)
    assert (found.due_ms, found.lacks_time) == (None, True)


def test_a_zone_that_this_machine_does_not_know_is_uncertain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zones, "_PLACE_OF", {"EST": "America/Nowhere"})
    assert due("Remind me tomorrow at 14:00 EST to call") is None


@pytest.mark.parametrize(
    ("text", "local", "rule", "zone"),
    [
        # On Thursdays at 23:00 in London it is Friday here.
        ("every Thursday at 23:00 GMT", "2026-12-04T00:00", "FREQ=WEEKLY;BYDAY=TH", "UTC"),
        ("every Thursday at 23:00 BST", "2026-12-04T00:00", "FREQ=WEEKLY;BYDAY=TH", "Europe/London"),
        (
            "every Tuesday at 3pm New York time",
            "2026-12-01T21:00",
            "FREQ=WEEKLY;BYDAY=TU",
            "America/New_York",
        ),
        ("every Thursday at 23:00 CET", "2026-12-03T23:00", "FREQ=WEEKLY;BYDAY=TH", "Europe/Berlin"),
        # At ten past nine here it is ten past three there, and eight o'clock is still to come.
        ("every day at 8am EST", "2026-11-28T14:00", "FREQ=DAILY", "America/New_York"),
        ("every day at 9am Tokyo time", "2026-11-29T01:00", "FREQ=DAILY", "Asia/Tokyo"),
        # An offset is no zone: by UTC its hour stays, and its days are sure where they are those of this machine.
        ("every Thursday at 14:00 UTC+1", "2026-12-03T14:00", "FREQ=WEEKLY;BYDAY=TH", None),
        ("every Thursday at 14:00 UTC+3", None, None, None),
        ("every Thursday at 14:00 CST", None, None, None),
        ("every Thursday at 14:00", "2026-12-03T14:00", "FREQ=WEEKLY;BYDAY=TH", "Europe/Amsterdam"),
        ("on Thursday at 14:00", "2026-12-03T14:00", None, None),
    ],
)
def test_what_repeats_does_so_by_the_clock_of_its_zone(
    text: str, local: str | None, rule: str | None, zone: str | None
) -> None:
    asked = f"Remind me {text} to call"
    found = with_reminder(asked, {}, TOLD_MS, own_zone=lambda: "Europe/Amsterdam")
    told = rule if zone is None else f"{rule};TZID={zone}"
    assert (due(asked), found.repeats) == (local, told)
    assert found.fields.get("meta", {}).get("repeats") == told


@pytest.mark.parametrize(
    "name",
    # The clocks of these differ from this machine's in summer, in winter, always; and there are none such.
    ["Africa/Algiers", "Africa/Johannesburg", "Asia/Tokyo", "Europe/Atlantis", "../../etc/passwd", None],
)
def test_a_zone_that_is_not_of_this_machines_clock_is_left_out(name: str | None) -> None:
    for month in ("July", "December"):
        found = with_reminder(
            f"Remind me every year on 3 {month} at 14:00 to call", {}, TOLD_MS, own_zone=lambda: name
        )
        assert found.repeats == "FREQ=YEARLY"


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("Reminder: 3 December at 9 CT scan", "2026-12-03T09:00"),
        ("Remind me on 3 December at 3pm PT session with Jo", "2026-12-03T15:00"),
        ("Rappelle-moi le 3 décembre à 9h ET à 10h d'appeler", "2026-12-03T09:00"),
        ("Remind me on 3 December at 9 Springfield time", "2026-12-03T09:00"),
        ("Remind me on 3 December at 9 Wake time", "2026-12-03T09:00"),
        ("Remind me on 3 December at 15:00 Nowhere/London to call", "2026-12-03T15:00"),
        ("Remind me on 3 December at 15:00 America/Indiana to call", "2026-12-03T15:00"),
        ("Remind me on 3 December at 9am to prepare for the 3pm EST call", "2026-12-03T09:00"),
        ("Remind me on 3 December at 16:00 of the call at 17:00 UTC", "2026-12-03T16:00"),
        ("Remind me on 3 December at 15:30 of the call at 17:00 UTC", "2026-12-03T15:30"),
    ],
)
def test_what_is_no_zone_of_the_hour_moves_nothing(text: str, local: str) -> None:
    """A scan at nine came up at four in the afternoon, and what precedes a call by the clock of the call."""
    assert due(text) == local


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("Remind me tomorrow at half past 9 UTC to call", "2026-11-29T10:30"),
        ("Erinnere mich am 3. Dezember um halb 9 Uhr GMT an den Anruf", "2026-12-03T09:30"),
        ("Zahnarzt am 3. Dezember nachmittags um halb 3 GMT", "2026-12-03T15:30"),
        ("Remind me on 3 December 2pm-4pm EST to listen", "2026-12-03T20:00"),
    ],
)
def test_a_zone_is_of_a_half_hour_and_of_both_ends(text: str, local: str) -> None:
    assert due(text) == local


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("Remind me at 2am EST to call", "2026-11-29T08:00"),
        ("Remind me at 5am EST to call", "2026-11-28T11:00"),
        ("Remind me at 11:00 JST to call", "2026-11-29T03:00"),
        ("Remind me at 09:00 GMT to call", "2026-11-28T10:00"),
    ],
)
def test_an_hour_without_a_day_is_the_next_one_of_its_zone(text: str, local: str) -> None:
    """At ten past nine in Amsterdam it is ten past three in New York: five o'clock there is still to come."""
    assert due(text) == local


def test_times_that_are_typed_are_of_the_zone_that_they_name() -> None:
    """`triggers snooze --until "tomorrow at 9am UTC"` took nine o'clock here."""

    def later(text: str) -> str:
        later_ms = read_later(text, name="until", now_ms=TOLD_MS)
        assert read_when(text, name="at", now_ms=TOLD_MS) == later_ms
        return datetime.fromtimestamp(later_ms / 1_000).isoformat()[:16]  # noqa: DTZ006

    assert later("tomorrow at 9am") == "2026-11-29T09:00"
    assert later("tomorrow at 9am UTC") == "2026-11-29T10:00"
    assert later("tomorrow at 15:00 New York time") == "2026-11-29T21:00"
    assert later("3 July 2027 at 10:00 Europe/London") == "2027-07-03T11:00"
    with pytest.raises(Usage, match="expected a time to come"):
        read_later("tomorrow at 3pm IST", name="until", now_ms=TOLD_MS)


def test_what_is_due_at_this_very_moment_is_past() -> None:
    assert due("Remind me at 8:10 UTC to call") == "2026-11-29T09:10", "the next such hour there"
    asked = "Remind me on 2026-12-03T14:00Z to call"
    due_ms = with_reminder(asked, {}, TOLD_MS).due_ms
    assert due_ms is not None
    for now_ms, told in ((due_ms - 1, due_ms), (due_ms, None)):
        assert with_reminder(asked, {"told_at": TOLD_MS}, now_ms).due_ms == told
