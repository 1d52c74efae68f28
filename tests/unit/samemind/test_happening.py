"""When something happens is part of the answer, and what happens at a time is found by it."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import samemind
from cognition.days import DAY_MS, happening
from samemind import BlockingMind
from samemind.cli.printing import show
from samemind.formats.plain import to_json
from samemind.mcp.structured import brief
from samemind.mcp.telling import tell

LETTERS = "abcdefghijklmnopqrst"
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//somebody's
BEGIN:VEVENT
UID:1
DTSTAMP:20250101T000000Z
DTSTART;TZID=Europe/Berlin:20260310T190000
DTEND;TZID=Europe/Berlin:20260310T210000
SUMMARY:Choir rehearsal
RRULE:FREQ=WEEKLY;BYDAY=TU
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTAMP:20250101T000000Z
DTSTART;VALUE=DATE:20260714
DTEND;VALUE=DATE:20260729
SUMMARY:Holiday in Brittany
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTAMP:20250101T000000Z
DTSTART:20251203T083000Z
SUMMARY:Physiotherapy with Ms Aydin
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingMind]:
    folder = tmp_path_factory.mktemp("calendar")
    calendar = folder / "mine.ics"
    calendar.write_text(CALENDAR)
    with samemind.open_blocking(folder / "m.db") as mind:
        mind.import_(calendar)
        mind.wait_for_queue()
        yield mind


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What do I have on 10 March 2026?", "Choir rehearsal"),
        ("What happens in July 2026?", "Holiday in Brittany"),
        ("What is on 20 July 2026?", "Holiday in Brittany"),
        ("What was on 2025-12-03?", "Physiotherapy with Ms Aydin"),
        ("Was ist am 3. Dezember 2025?", "Physiotherapy with Ms Aydin"),
    ],
)
def test_what_happens_at_a_time_is_found_by_that_time(mind: BlockingMind, question: str, text: str) -> None:
    assert mind.recall(question, k=1).results[0].text == text


def test_among_many_what_happens_at_a_time_is_brought_by_that_time(tmp_path: Path) -> None:
    day = datetime(2027, 5, 7, 9, tzinfo=UTC)
    with samemind.open_blocking(tmp_path / "m.db") as mind:
        others = [{"text": f"something happens at gate {a}{b}"} for a in LETTERS for b in LETTERS]
        mind.remember_many([*others, {"text": "Zahnreinigung", "event_start": day.isoformat()}])
        mind.wait_for_queue()
        (hit,) = (
            hit
            for hit in mind.recall("What do I have on 7 May 2027?", k=50, explain=True).results
            if hit.text == "Zahnreinigung"
        )
        assert hit.why is not None
        assert "times" in [reason["channel"] for reason in hit.why["found"]]


def test_an_answer_says_when_it_happens_and_not_only_when_it_was_told(mind: BlockingMind) -> None:
    (choir,) = mind.recall("When is choir?", k=1).results
    assert choir.event_start == datetime(2026, 3, 10, 18, tzinfo=UTC)
    assert choir.event_end == datetime(2026, 3, 10, 20, tzinfo=UTC)
    assert choir.repeats == "FREQ=WEEKLY;BYDAY=TU;TZID=Europe/Berlin"
    document = to_json(mind.recall("When is choir?", k=1))
    when = "when: 2026-03-10 18:00 to 20:00"
    assert f"{when} UTC, every week on Tuesday (Europe/Berlin time)" in tell("recall", document)
    assert brief("recall", document)["results"][0]["event_start"] == "2026-03-10T18:00:00.000Z"
    block = mind.context("When is choir?").text
    assert f"- Choir rehearsal (2025-01-01, {when} UTC, every week on Tuesday (Europe/Berlin time))" in block
    assert "(2025-01-01, when: 2026-07-14 to 2026-07-28)" in mind.context("the holiday in Brittany").text


def test_the_command_line_tells_when_something_happens_by_the_clock_of_this_machine(
    mind: BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        shown = show("recall", to_json(mind.recall("When is choir?", k=1)))
    finally:
        monkeypatch.undo()
        time.tzset()
    (when,) = [line for line in shown if "when:" in line]
    assert when.startswith("        when: 2026-03-10 19:00 to 21:00, every week on Tuesday")


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "said"),
    [
        (0, DAY_MS, "1970-01-01"),
        (0, DAY_MS - 1, "1970-01-01"),
        (0, 2 * DAY_MS, "1970-01-01 to 1970-01-02"),
        (0, None, "1970-01-01 00:00 UTC"),
        (0, 0, "1970-01-01 00:00 UTC"),
        (3_600_000, 7_200_000, "1970-01-01 01:00 to 02:00 UTC"),
        (3_600_000, DAY_MS, "1970-01-01 01:00 to 1970-01-02 00:00 UTC"),
        (3_600_000, 0, "1970-01-01 01:00 UTC"),
        (1 << 52, None, ""),
        (0, 1 << 52, ""),
        (-(1 << 52), 0, ""),
    ],
)
def test_a_stretch_of_time_is_told_as_days_or_to_the_minute(
    start_ms: int, end_ms: int | None, said: str
) -> None:
    assert happening(start_ms, end_ms) == said


def test_an_answer_says_which_event_was_taken_for_a_time_and_when_it_was(mind: BlockingMind) -> None:
    recalled = mind.recall("Which doctor did I see before the holiday in Brittany?")
    (event,) = recalled.events
    assert (event.side, event.text) == ("before", "Holiday in Brittany")
    document = to_json(recalled)
    line = f"  before the holiday in Brittany: 2026-07-14 to 2026-07-28  {event.rid}  Holiday in Brittany"
    assert line in show("recall", document)
    assert f"before the event that {event.rid} tells of: 2026-07-14 to 2026-07-28" in tell("recall", document)
    (told,) = brief("recall", document)["events"]
    assert (told["rid"], told["begins"]) == (event.rid, "2026-07-14T00:00:00.000Z")
    assert "events" not in brief("recall", to_json(mind.recall("When is choir?")))


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Auckland"])
def test_whole_days_of_this_machine_are_told_as_days_to_people_and_to_agents(
    zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        first, behind, hour = (
            round(datetime(2024, *day).timestamp() * 1_000)  # noqa: DTZ001
            for day in ((5, 3), (5, 5), (5, 3, 1))
        )
        for there in (UTC, None):
            assert happening(first, behind - 1, there) == "2024-05-03 to 2024-05-04"
            assert happening(first, behind, there) == "2024-05-03 to 2024-05-04"
            assert happening(0, DAY_MS - 1, there) == "1970-01-01"
        assert happening(first, None, None) == "2024-05-03 00:00"
        assert happening(first, hour, None) == "2024-05-03 00:00 to 01:00"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_memory_that_is_shown_says_when_it_happens_by_the_clock_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        with samemind.open_blocking(tmp_path) as mind:
            for start, end, when in (
                ("2026-07-01T10:00:00Z", "2026-07-01T11:30:00Z", "2026-07-01 12:00 to 13:30"),
                ("2026-07-01T10:00:00Z", None, "2026-07-01 12:00"),
                ("2026-07-14T22:00:00Z", "2026-07-16T22:00:00Z", "2026-07-15 to 2026-07-16"),
                ("2026-07-14T00:00:00Z", "2026-07-15T00:00:00Z", "2026-07-14"),
            ):
                told = mind.remember(f"fair {start} {end}", event_start=start, event_end=end)
                lines = [line.split(maxsplit=1) for line in show("get", to_json(mind.get(told.rid))) if line]
                assert ["when", when] in lines
                assert not [line for line in lines if line[0].startswith("event")]
            ended = mind.remember("it ended", event_end="2026-07-01T10:00:00Z")
            lines = [line.split(maxsplit=1) for line in show("get", to_json(mind.get(ended.rid))) if line]
            assert ["event_end", "2026-07-01 12:00"] in lines
    finally:
        monkeypatch.undo()
        time.tzset()
