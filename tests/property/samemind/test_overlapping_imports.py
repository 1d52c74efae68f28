"""Two devices import overlapping parts of one source while apart: they end with what one import of all gives."""

import json
import sqlite3
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from replica import Core, SqliteStore, connect
from samemind.commands.portable import _importing
from tests.support.minds import derived_tables
from tests.support.replicas import NOW_MS, group, settle

CONNECTIONS: weakref.WeakKeyDictionary[SqliteStore, sqlite3.Connection] = weakref.WeakKeyDictionary()
# What an import asks of a device beside its core.
DEVICE: Any = SimpleNamespace(now_ms=lambda: NOW_MS, newer=False)
PEOPLE = ("Ann", "Bob", "Cleo")
SAID = (
    "I live in {place} now, near the old harbour. {other} works at {firm}, and likes it a lot.",
    "I moved to {place}. My dog Rex loves long walks along the river over there.",
    "{other} lives in {place}. She plays the violin, as far as I have heard of it.",
    "I left {firm}. It was time for something else, after all of these long years.",
    "I work at {firm}. Since 2019 I live in {place}, and I like the sea very much.",
    "Nothing much to tell today, it rains.",
)


def make_store() -> SqliteStore:
    connection = connect(":memory:")
    store = SqliteStore(connection, derived_tables())
    CONNECTIONS[store] = connection
    weakref.finalize(store, connection.close)
    return store


def take(core: Core, lines: Sequence[str], size: int) -> None:
    """Import lines of JSON with their facts, as the verb does it, some at a time; no line may fail."""
    assert isinstance(core.store, SqliteStore)
    connection = CONNECTIONS[core.store]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("\n".join(lines))
        file.flush()
        survey = _importing.survey_files([Path(file.name)], "jsonl")
        records = _importing.records_of([Path(file.name)], "jsonl")
        while page := _importing.next_page(records, size, None):
            good, bad = _importing.sift(page)
            assert not bad
            taken = _importing.take_apart(good, survey.parents, NOW_MS)
            _importing.write_page(DEVICE, good, taken, {}, set(), core, connection)


@st.composite
def sources(draw: st.DrawFn) -> list[str]:
    """Turns of a talk that state facts, some at odds with others, each with an id of its own; and edges."""
    lines: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 9))):
        person, other = draw(st.permutations(PEOPLE))[:2]
        said = draw(st.sampled_from(SAID)).format(
            other=other,
            place=draw(st.sampled_from(["Lisbon", "Oslo"])),
            firm=draw(st.sampled_from(["Google", "Stripe"])),
        )
        lines.append({"id": number, "text": said, "speaker": person, "session": "chat", "position": number,
                      "at": f"2024-03-{1 + number:02}T10:00Z"})  # fmt: skip
    lines += [
        {"kind": "edge", "source": "Ann", "relation": "knows", "target": draw(st.sampled_from(PEOPLE))}
        for _ in range(draw(st.integers(0, 2)))
    ]
    return [json.dumps(line) for line in lines]


@settings(max_examples=15)  # three stores each, and dozens of commits: a fifth of a second
@given(source=sources(), data=st.data())
def test_any_overlapping_parts_in_any_order_give_the_digest_of_the_whole(
    source: list[str], data: st.DataObject
) -> None:
    """Parts are drawn with repetition, so a line may stand in both, and more than once in one."""
    line = st.sampled_from(source)
    one = data.draw(st.lists(line, max_size=12), label="the laptop's part")
    other = data.draw(st.lists(line, max_size=12), label="the phone's part")
    rest = [each for each in source if each not in one and each not in other]
    one += rest
    whole = data.draw(st.permutations(source), label="the whole, on one device")
    size = st.integers(1, 5)
    laptop, phone, alone = group("laptop", "phone", "alone", make_store=make_store)
    take(laptop, one, data.draw(size))
    take(phone, other, data.draw(size))
    take(alone, whole, data.draw(size))
    settle([laptop, phone])
    assert laptop.digests() == phone.digests()
    assert laptop.digests().visible == alone.digests().visible
