"""Rows that were read for one question are there for the next, as long as they hold."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cognition import Filters
from cognition.ranking.pool import CandidateRow
from cognition.search import passes
from cognition.search.passes import Candidates, KeptRows, read_near
from cognition.tables import indexed
from cognition.words import words
from replica import Forget, Set, Value, Write
from tests.support.minds import Home


def numbers_of(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT id FROM memory ORDER BY id")]


def _reads_rows(statement: str) -> bool:
    """Say whether a statement is the first of those that read what is not known yet."""
    return statement.startswith(passes._PLAIN)


def test_what_was_read_is_not_read_again_until_somebody_writes(tmp_path: Path) -> None:
    home, kept, read = Home(path=str(tmp_path / "memory.db")), KeptRows(), list[str]()
    home.remember("Ann rows the boat")
    home.remember("Bob sold his boat")
    with closing(sqlite3.connect(tmp_path / "memory.db")) as reader:
        reader.set_trace_callback(lambda it: read.append(it) if _reads_rows(it) else None)
        plain, of_ann, of_bob = Filters(), Filters(speaker="ann"), Filters(speaker="bob")
        # As many filters are kept as the bound says, those that were asked by last.
        for filters, reads in ((plain, 1), (of_ann, 2), (plain, 2), (of_bob, 3), (plain, 3), (of_ann, 4)):
            rows = Candidates(reader, filters, kept=kept).rows([1, 2])
            assert [row.text for row in rows.values()] == ["Ann rows the boat", "Bob sold his boat"]
            assert [bool(row.permitted) for row in rows.values()] == [filters == plain] * 2
            assert len(read) == reads
        home.remember("Carl swims")
        assert len(Candidates(reader, Filters(), kept=kept).rows([1, 2, 3])) == 3


def test_turns_beside_others_are_read_once_too(tmp_path: Path) -> None:
    home, kept, read = Home(path=str(tmp_path / "memory.db")), KeptRows(), list[str]()
    for position in range(3):
        home.remember(f"turn {position}", conversation="talk", position=position)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as reader:
        reader.set_trace_callback(lambda it: read.append(it) if _reads_rows(it) else None)
        for _ in range(2):
            candidates = Candidates(reader, Filters(), kept=kept)
            middle = candidates.rows([2]).values()
            assert [row.text for row in read_near(candidates, middle, middle)] == ["turn 0", "turn 2"]
        assert len(read) == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("conversation", "talk"),
        ("position", 3),
        ("told_at", 86_400_001),
        ("speaker", "Ann"),
        ("meta", {"mentions": 2}),
        ("meta", {"repeats": "FREQ=DAILY"}),
        ("tags", ["boats"]),
        ("topic", "boats"),
        ("project", "boats"),
        ("importance", 0.5),
        ("certainty", 0.5),
        ("valence", -0.5),
        ("half_life", 60.0),
        ("event_start", 86_400_001),
        ("event_end", 86_400_002),
        ("archived", True),
        ("block", "human"),
        ("type", "episodic"),
    ],
)
def test_a_row_is_the_same_however_it_is_read(
    field: str, value: Value, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home()
    home.remember("Ann rows the boat")
    home.remember("Bob sold his boat", **{field: value})
    for filters in (Filters(), Filters(include_archived=True), Filters(speaker="ann")):
        rows = Candidates(home.connection, filters).rows([1, 2])
        with monkeypatch.context() as patched:
            patched.setattr(passes, "_IS_PLAIN", "0")
            assert Candidates(home.connection, filters).rows([1, 2]) == rows
        assert {type(row) for row in rows.values()} == {CandidateRow}


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_as_if_nothing_were_kept_whatever_was_written(seed: int, tmp_path: Path) -> None:
    chance, home, kept = random.Random(seed), Home(path=str(tmp_path / "memory.db")), KeptRows()
    rids = [home.remember(f"memory {n}") for n in range(20)]
    with closing(sqlite3.connect(tmp_path / "memory.db")) as reader:
        for step in range(60):
            match chance.randrange(6):
                case 0:
                    rids.append(home.remember(f"another {step}"))
                case 1:
                    home.commit(Write(Forget((rids.pop(chance.randrange(len(rids))),))))
                case 2:
                    home.commit(Write(Set("speaker", f"Ann {step}"), chance.choice(rids)))
                case 3:
                    home.commit(Write(Set("archived", True), chance.choice(rids)))
                case _:
                    asked = chance.sample(numbers_of(reader), 9)
                    filters = Filters(include_archived=chance.choice([True, False]))
                    now = Candidates(reader, filters, kept=kept)
                    assert now.rows(asked) == Candidates(reader, filters).rows(asked)


def test_as_many_are_kept_as_the_bound_says_those_that_came_last(monkeypatch: pytest.MonkeyPatch) -> None:
    home, kept = Home(), KeptRows()
    for n in range(9):
        home.remember(f"memory {n}")
    monkeypatch.setattr(passes, "ROWS_KEPT", 5)
    Candidates(home.connection, Filters(), kept=kept).rows(range(1, 10))
    assert [*kept.now(home.connection, Filters())] == [5, 6, 7, 8, 9]
    # Of all filters together, first those of the one that was not asked by for longest.
    archived = Filters(include_archived=True)
    Candidates(home.connection, archived, kept=kept).rows(range(1, 5))
    assert [*kept.now(home.connection, archived)] == [1, 2, 3, 4]
    assert [*kept.now(home.connection, Filters())] == [9]


def test_how_often_a_memory_was_told_is_read_from_its_metadata_where_that_says_so() -> None:
    home = Home()
    home.remember("Ann rows", meta={"mentions": 4})
    home.remember("Bob rows", meta={"other": 4})
    home.remember("Carl rows")
    rows = Candidates(home.connection, Filters()).rows(numbers_of(home.connection))
    assert [row.mentions for row in rows.values()] == [4, None, None]


def test_a_row_tells_the_words_of_its_labels_and_of_its_day() -> None:
    home = Home()
    home.remember("Ann rows", topic="sport", tags=["boat", "lake"], told_at=86_400_000)
    home.remember("Bob rows")
    labelled, plain = Candidates(home.connection, Filters()).rows(numbers_of(home.connection)).values()
    assert (
        labelled.about
        == indexed(labelled.text, {"topic": "sport", "tags": ["boat", "lake"], "told_at": 86_400_000}).about
    )
    assert {"sport", "lake", "boat", "1970"} <= set(words(labelled.about))
    assert (labelled.permitted, plain.about, plain.permitted) == (1, "", 1)
