"""A question for what was so before, during or after an event prefers what lies there, and says by which event."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samemind
from cognition.background.worker import EmbeddingWorker
from cognition.days import DAY_MS
from cognition.ranking.events import EventPhrase, EventSide
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.recall.anchoring import SURE_MIN, Anchor, anchor_among, preferred, time_of
from cognition.search import passes
from cognition.times import Window
from replica import MemoryId

NOW = "2026-11-25T09:00:00Z"
NOW_MS = round(datetime.fromisoformat(NOW).timestamp() * 1_000)
MOVED = EventPhrase(EventSide.BEFORE, "the move")
CELLAR, SHED = "The bike is in the cellar, behind the boiler", "The bike is in the shed, locked to the bench"
MOVE, REHEARSAL = "We moved to Bakery Lane, all boxes are in", "Choir rehearsal every Tuesday at 19:30"
TRIP = "Lisbon: the trip went from 3 to 9 August, by train"
SEEN = "Had grilled sardines with Teresa on a roof"
TOLD = (
    (CELLAR, "2026-02-03"),
    ("Ann rode her bike to the office", "2026-04-20"),
    (MOVE, "2026-05-02"),
    (SHED, "2026-06-20"),
    (REHEARSAL, "2026-07-01"),
    (SEEN, "2026-08-05"),
    (TRIP, "2026-08-20"),
    ("Had dinner with Teresa and Paul at home", "2026-10-01"),
)


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[samemind.BlockingMind]:
    folder: Path = tmp_path_factory.mktemp("anchored")
    with samemind.open_blocking(folder) as mind:
        for text, day in TOLD:
            mind.remember(text, at=f"{day}T09:00:00Z", wait=True)
        yield mind


def found(mind: samemind.BlockingMind, question: str) -> list[str]:
    return [hit.text for hit in mind.recall(question, k=len(TOLD), now=NOW).results]


def test_what_was_so_before_the_event_comes_first_and_nothing_is_hidden(mind: samemind.BlockingMind) -> None:
    before = found(mind, "where did I keep my bike before we moved to Bakery Lane?")
    after = found(mind, "where did I keep my bike after we moved to Bakery Lane?")
    assert before.index(CELLAR) < before.index(SHED)
    assert after.index(SHED) < after.index(CELLAR)
    assert {before[0], after[0]} == {MOVE}, "whose words the question has"
    assert {CELLAR, SHED, MOVE} <= set(before) & set(after)


def test_it_says_which_event_was_taken_and_when_that_was(mind: samemind.BlockingMind) -> None:
    (event,) = mind.recall("where was my bike before the move to Bakery Lane?", now=NOW).events
    assert (event.side, event.words, event.text) == ("before", "the move to Bakery Lane", MOVE)
    assert event.begins is not None
    assert event.begins.date().isoformat() == "2026-05-02", "as it says none, when it was told"
    traced = mind.recall("where was my bike before the move to Bakery Lane?", now=NOW, explain=True).trace
    assert traced[0]["event"] == {"side": "before", "words": "the move to Bakery Lane", "found": True}


def test_the_time_that_the_memory_names_is_the_event_s(mind: samemind.BlockingMind) -> None:
    recalled = mind.recall("who did I see during the trip to Lisbon?", k=len(TOLD), now=NOW)
    (event,) = recalled.events
    assert event.begins is not None
    assert event.ends is not None
    days = event.begins.astimezone().date().isoformat(), event.ends.astimezone().date().isoformat()
    assert days == ("2026-08-03", "2026-08-09"), "by the clock of this machine"
    texts = [hit.text for hit in recalled.results]
    assert texts.index(SEEN) < texts.index(TOLD[-1][0])


def test_filters_say_what_may_answer_and_not_when_the_event_was(mind: samemind.BlockingMind) -> None:
    question = "where did I keep my bike after we moved to Bakery Lane?"
    recalled = mind.recall(question, since="2026-06-01", now=NOW)
    assert [event.text for event in recalled.events] == [MOVE]
    assert MOVE not in [hit.text for hit in recalled.results]
    elsewhere = mind.recall(question, workspace="another", now=NOW)
    assert elsewhere.events == [], "another workspace knows of no move"


def test_what_was_remembered_then_is_asked_by_an_event_as_well(mind: samemind.BlockingMind) -> None:
    question = "where did I keep my bike before we moved to Bakery Lane?"
    recalled = mind.recall(question, as_of=datetime.now(UTC).isoformat())
    assert [event.text for event in recalled.events] == [MOVE]


def test_what_was_told_during_an_event_is_found_whatever_its_words_are(tmp_path: Path) -> None:
    """As where a date is named: more memories share a word with the question than are looked at."""
    told = [
        {"text": f"Who I saw: number {n} of the trip club", "told_at": "2025-03-01T09:00:00Z"}
        for n in range(400)
    ]
    with samemind.open_blocking(tmp_path) as mind:
        mind.remember_many([*told, *({"text": text, "told_at": f"{day}T09:00:00Z"} for text, day in TOLD)])
        mind.warmup()
        recalled = mind.recall("who did I see during the trip to Lisbon?", now=NOW, explain=True)
        assert [event.text for event in recalled.events] == [TRIP]
        (hit,) = [hit for hit in recalled.results if hit.text == SEEN]
        assert "times" in [each["channel"] for each in (hit.why or {})["found"]]


@pytest.mark.parametrize(
    "question",
    [
        "where was my bike before the zeppelin landed in Oslo?",
        "where is my bike?",
    ],
)
def test_no_event_is_taken_that_no_memory_surely_tells_of(mind: samemind.BlockingMind, question: str) -> None:
    recalled = mind.recall(question, now=NOW, explain=True)
    assert recalled.events == []
    named = recalled.trace[0].get("event")
    assert named is None or not named["found"]
    assert all("anchored" not in (hit.why or {})["signals"] for hit in recalled.results)


def row(text: str, number: int = 1, **fields: Any) -> CandidateRow:
    known = {"speaker": None, "conversation": None, "position": None, "importance": None, "accesses": 0}
    return CandidateRow(
        number, bytes([number] * 16), number, text, **{"time_ms": NOW_MS, "last_access": 0, **known, **fields}
    )


def taken(*rows: CandidateRow, sure: float = 1.0) -> Anchor | None:
    zero = np.zeros(len(rows))
    pool = Pool(Query("the move"), rows, zero, zero, NOW_MS, None)
    return anchor_among(pool, range(len(rows)), lambda: np.full(len(rows), sure), MOVED)


@pytest.mark.parametrize(
    "other",
    [
        row(MOVE, conversation="chat", position=3),
        row(MOVE, event_start=NOW_MS, repeats="FREQ=WEEKLY"),
        row("Before the move, empty the freezer"),
    ],
    ids=["a turn of talk", "what repeats", "what tells of the time before it"],
)
def test_only_what_tells_of_one_event_is_taken_for_it(other: CandidateRow) -> None:
    """In talk, what came before and after an event is told beside it, in the same conversation."""
    assert taken(other) is None
    anchor = taken(row(MOVE))
    assert anchor is not None
    assert anchor.time == Window(NOW_MS, NOW_MS)
    assert taken(row(MOVE), sure=SURE_MIN - 0.01) is None
    assert taken() is None


def test_how_sure_a_memory_is_is_not_asked_of_one_that_is_no_event() -> None:
    def unasked() -> NoReturn:
        raise AssertionError("expected not to be asked")

    turn, zero = row(MOVE, conversation="chat", position=3), np.zeros(1)
    assert anchor_among(Pool(Query("the move"), [turn], zero, zero, NOW_MS), [0], unasked, MOVED) is None


def test_when_an_event_was_is_what_happens_then_what_is_named_then_when_it_was_told() -> None:
    day = Window(NOW_MS - 9 * DAY_MS, NOW_MS - 8 * DAY_MS)
    named = "We move on 24 December"
    assert time_of(row(named, event_start=day.start_ms, event_end=day.end_ms)) == day
    christmas = time_of(row(named))
    assert christmas.holds(NOW_MS + 29 * DAY_MS), "the nearest of those that it may mean"
    long = row(named, event_start=NOW_MS, event_end=NOW_MS + 365 * DAY_MS)
    assert time_of(long) == christmas, "a year says of no event when it was"
    assert time_of(row("We moved in 2019")) == Window(NOW_MS, NOW_MS)


def test_what_tells_of_the_event_is_on_neither_side_of_it() -> None:
    rows = [row(MOVE, event_start=NOW_MS), row("told before", 2, time_ms=NOW_MS - DAY_MS)]
    zero = np.zeros(2)
    pool = Pool(Query("the move"), rows, zero, zero, NOW_MS, None)

    def given(side: EventSide) -> list[float]:
        event = Window(NOW_MS, NOW_MS)
        anchor = Anchor(EventPhrase(side, "it"), 1, MemoryId(bytes(16)), MOVE, event)
        column: list[float] = preferred(pool, anchor).tolist()
        return column

    assert given(EventSide.BEFORE) == given(EventSide.UNTIL) == [0.0, 1.0]
    assert given(EventSide.AFTER) == given(EventSide.SINCE) == [0.0, 0.0]
    assert given(EventSide.DURING) == [1.0, 1.0], "what was told a day beside it may be of it"


def test_what_names_a_time_on_the_side_that_is_asked_for_is_there() -> None:
    rows = [row("it begins on 2026-12-03", 2), row("it began on 2026-11-03", 3)]
    zero = np.zeros(2)
    pool = Pool(Query("the move"), rows, zero, zero, NOW_MS, None)
    event = Window(NOW_MS - DAY_MS, NOW_MS + DAY_MS)
    for side, column in ((EventSide.BEFORE, [0.0, 1.0]), (EventSide.AFTER, [1.0, 0.0])):
        anchor = Anchor(EventPhrase(side, "it"), 1, MemoryId(bytes(16)), MOVE, event)
        assert preferred(pool, anchor).tolist() == column


def test_only_a_question_that_names_an_event_is_embedded_twice(
    mind: samemind.BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    embed = EmbeddingWorker.embed_here

    def counted(self: EmbeddingWorker, texts: list[str]) -> Any:
        made.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(EmbeddingWorker, "embed_here", counted)
    plain, anchored = "where is the bike now?", "where was the bike before the move?"
    mind.recall(plain, now=NOW)
    assert len(made) == 1
    mind.recall(anchored, now=NOW)
    assert len(made) == 3
    assert "move" in made[-1]
    assert "bike" not in made[-1]


def test_rows_that_were_read_to_find_an_event_are_there_for_the_next_question(
    mind: samemind.BlockingMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[CandidateRow] = []
    made = passes._row

    def counted(values: tuple[Any, ...]) -> CandidateRow:
        read.append(made(values))
        return read[-1]

    def read_for(question: str) -> int:
        read.clear()
        mind.recall(question, now=NOW)
        return len(read)

    monkeypatch.setattr(passes, "_row", counted)
    # Whatever the mind writes by itself between two questions has their rows read anew.
    assert 0 in [read_for(f"where was the bike {side} the move?") for side in ("before", "after", "since")]


TIMES = st.integers(0, 1_000).map(lambda start: start * 1_000)
WINDOWS = st.builds(lambda start, length: Window(start, start + length), TIMES, st.integers(0, 200_000))


def sides(event: Window, time: Window) -> dict[str, bool]:
    return {
        side.value: Anchor(EventPhrase(side, "it"), 1, MemoryId(bytes(16)), "it", event).takes(time)
        for side in EventSide
    }


@given(WINDOWS, WINDOWS)
def test_the_sides_of_an_event_fit_together(event: Window, time: Window) -> None:
    taken = sides(event, time)
    assert not (taken["before"] and taken["after"])
    assert taken["until"] >= taken["before"]
    assert taken["since"] >= taken["after"]
    assert taken["until"] != taken["after"]
    assert taken["since"] != taken["before"]
    assert taken["during"] >= event.meets(time)
