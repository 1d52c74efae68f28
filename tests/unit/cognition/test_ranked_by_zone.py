"""What a question's days bring, and prefer, is read by the clock of who asks: told to `rank` once."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from cognition import Filters
from cognition.days import DAY_MS
from cognition.ranking.events import event_in
from cognition.ranking.query import Query
from cognition.recall.stages import Ranked, find_anchor, rank
from replica.fields import Value
from tests.support.recalling import Memory

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOS_ANGELES = ZoneInfo("America/Los_Angeles")


def ms(moment: str) -> int:
    return (datetime.fromisoformat(moment) - EPOCH) // timedelta(milliseconds=1)


# Six in the evening of the 29th.
EVENING_MS = ms("2026-11-30T02:00Z")


def told(memory: Memory, text: str, at: str, **fields: Value) -> None:
    memory.home.remember(text, told_at=ms(at), **fields)


def ranked(memory: Memory, text: str, zone: tzinfo) -> Ranked:
    return rank(
        memory.home.connection,
        Query(text),
        vector=None,
        index=None,
        now_ms=EVENING_MS,
        lexicon=None,
        filters=Filters(),
        limit=10,
        zone=zone,
    )


def by_time(memory: Memory, text: str, zone: tzinfo) -> set[str]:
    found = ranked(memory, text, zone)
    numbers = {number for number, _ in found.lists.get("times", ())}
    return {row.text for row in found.pool.rows if row.id in numbers}


def test_the_search_for_a_time_brings_the_days_of_who_asks() -> None:
    memory = Memory()
    told(memory, "planted garlic", "2026-11-28T17:00Z")  # on the 28th at nine there
    told(memory, "planted leeks", "2026-11-29T20:00Z")  # on the 29th at noon there
    assert by_time(memory, "what did I do yesterday?", LOS_ANGELES) == {"planted garlic"}
    assert by_time(memory, "what did I do yesterday?", UTC) == {"planted leeks"}


def test_it_brings_what_was_imported_by_days_of_utc_too() -> None:
    memory = Memory()
    start_ms = ms("2026-11-28T00:00Z")
    told(memory, "fair", "2026-01-01T08:01Z", event_start=start_ms, event_end=start_ms + DAY_MS)
    assert by_time(memory, "what was on yesterday?", LOS_ANGELES) == {"fair"}


def test_the_past_is_that_of_who_asks() -> None:
    question = "where was I on 29 November 2026?"
    assert ranked(Memory(), question, UTC).of_past
    assert not ranked(Memory(), question, LOS_ANGELES).of_past


def test_an_event_is_dated_by_the_clock_of_who_asks() -> None:
    memory = Memory()
    told(memory, "we made the move to Bakery Lane yesterday", "2026-11-30T01:00Z")
    event = event_in("where was my bike before the move to Bakery Lane?")
    assert event is not None
    for zone, day in ((LOS_ANGELES, "2026-11-28T08:00Z"), (UTC, "2026-11-29T00:00Z")):
        anchor = find_anchor(ranked(memory, event.words, zone), event)
        assert anchor is not None
        assert anchor.time.start_ms == ms(day)
