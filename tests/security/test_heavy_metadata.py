"""Memories with megabytes of metadata and labels: what questions, reminders and thinking read of them is bounded.

A hundred, of 4 MB each, made one question take 50 seconds and 17 GB, and each look for what is due as much as they had.
"""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import samemind
from cognition.memories import CHARACTERS_MAX
from cognition.patterns.tables import note_memories
from cognition.thinking.cycle import StepOutcome
from cognition.triggers.detect import LOOKED_AT, reminders
from cognition.triggers.kinds import Thresholds
from cognition.triggers.step import TriggerStep
from cognition.words import RANKED_CHARACTERS_MAX
from replica import Core, Value, Write, memories_of, new_memory_id
from replica.ops import Remember
from replica.reads import memories
from replica.storage.store import SqliteStore
from tests.security.test_floods_of_reminders import with_tables
from tests.support.compared import lengths_compared
from tests.support.replicas import NOW_MS, group

COUNT: Final = 12
VALUE: Final = "words and more words " * 500
ENTRIES: Final = {f"k{n}": VALUE for n in range(60)}
"""Of one memory: 630,000 characters; and as many of labels."""
TAGS: Final = tuple(f"{number} {VALUE}" for number in range(10, 70))
HELD_MAX: Final = 12_000_000
"""Bytes: what one read holds, and no more than that of two memories."""


@pytest.fixture
def core() -> Core:
    (eve,) = group("eve", make_store=with_tables)
    fields: dict[str, Value] = {
        "type": "prospective",
        "event_start": NOW_MS - 1,
        "meta": {**ENTRIES},
        "tags": [*TAGS],
    }
    for number in range(COUNT):
        body = Remember(f"Call the doctor of room {number}. {VALUE * 60}", fields)
        eve.commit([Write(body, new_memory_id(NOW_MS, eve._random))], NOW_MS)
    return eve


def held(work: Callable[[], object]) -> int:
    """Return how many bytes some work holds at its height."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def connection_of(core: Core) -> Any:
    assert isinstance(core.store, SqliteStore)
    return core.store.connection


def test_a_question_reads_of_the_labels_of_each_candidate_so_much_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = lengths_compared(monkeypatch)
    with samemind.open_blocking(tmp_path) as mind:
        for number in range(4):
            meta = ENTRIES | {"of": f"zeppelin{number}", "mentions": 3}
            mind.remember(f"Ann sold the old piano of room {number}", meta=meta)
        mind.remember("Ann sold the piano of Ben", meta={"of": "Lisbon"})
        hits = mind.recall("who sold the piano?")
        assert len(hits) == 5
        assert max(read) <= 5 * 2 * (RANKED_CHARACTERS_MAX + 100)
        heavy = [hit.text for hit in mind.recall("zeppelin2") if "room" in hit.text]
        assert heavy[0].endswith("room 2"), "full text finds it by that all the same"


def test_rows_are_read_until_they_have_so_many_characters(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "CHARACTERS_PER_READ", 3_000_000)
    assert held(lambda: sum(1 for _ in memories.all_memories(connection_of(core)))) < HELD_MAX
    assert [len(each.memory.text) for each in memories.all_memories(connection_of(core))] == [
        len(f"Call the doctor of room {number}. {VALUE * 60}") for number in range(COUNT)
    ]


def test_many_are_looked_at_by_the_beginning_of_their_texts(core: Core) -> None:
    numbers = range(1, COUNT + 1)
    for it in memories_of(connection_of(core), numbers, characters=50):
        assert len(it.memory.text) == 50
        assert it.memory.fields.keys() == {"type", "event_start"}
    for it in memories_of(connection_of(core), numbers, characters=1_000_000):
        assert it.memory.fields["meta"] == ENTRIES
        assert len(it.memory.fields["tags"]) == 60


def test_to_raise_what_is_due_on_many_holds_a_few_of_them_at_once(core: Core) -> None:
    """One commit held them all, each of 16 MB three times over."""
    raised: list[StepOutcome] = []
    step, connection = TriggerStep(), connection_of(core)
    assert held(lambda: raised.append(step.run(core, connection, NOW_MS))) < 3 * HELD_MAX
    assert [len(each.ids) for each in raised] == [COUNT]


@pytest.mark.parametrize(
    "look",
    [
        lambda connection: list(reminders(connection, NOW_MS, Thresholds())),
        lambda connection: note_memories(connection, range(1, COUNT + 1)),
    ],
    ids=["what is due", "what memories have in common"],
)
def test_a_look_at_many_holds_a_bounded_part_of_each(core: Core, look: Callable[[Any], object]) -> None:
    connection = connection_of(core)
    look(connection)  # what is loaded once, and kept
    assert held(lambda: look(connection)) < COUNT * 2 * CHARACTERS_MAX + HELD_MAX
    assert LOOKED_AT * 3 * CHARACTERS_MAX < 100_000_000


def test_what_is_due_of_heavy_memories_is_found(core: Core) -> None:
    assert len(list(reminders(connection_of(core), NOW_MS, Thresholds()))) == COUNT
