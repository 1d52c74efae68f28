import ctypes
import sqlite3
import sys
from contextlib import closing
from importlib import import_module
from itertools import chain, combinations, product
from pathlib import Path
from random import Random

import pytest

from cognition.tables import TABLES_VERSION, CognitionTables, WordTables, indexed
from replica import (
    Edit,
    Forget,
    MemoryId,
    Remember,
    Set,
    SqliteStore,
    Write,
    connect,
    connect_beside,
    new_memory_id,
)
from replica.fields import MS_MAX, Value
from replica.past import rebuild
from replica.storage import picture
from tests.support.minds import NOW_MS, Home
from tests.support.published import published
from tests.support.replicas import core_of, edit, say


def found(home: Home, query: str) -> list[int]:
    """Return the rows whose words match, smallest first."""
    rows = home.connection.execute(
        "SELECT rowid FROM memory_text WHERE memory_text MATCH ? ORDER BY rowid", (query,)
    )
    return [number for (number,) in rows]


def queued(home: Home) -> list[int]:
    return [number for (number,) in home.connection.execute("SELECT id FROM embed_queue ORDER BY id")]


@pytest.fixture
def home() -> Home:
    return Home()


def test_a_memory_is_found_by_its_words_as_soon_as_it_is_committed(home: Home) -> None:
    rid = home.remember("Ann moved to Lisbon")
    assert found(home, "lisbon") == [home.number(rid)]


@published("YD-06")
def test_morphology_does_not_matter(home: Home) -> None:
    rid = home.remember('We deployed it, with a state-of-the-art café "quote"')
    for query in ("deploying", "deploys", '"state of the art"', "cafe", "quotes"):
        assert found(home, query) == [home.number(rid)], query


def test_speaker_date_and_labels_are_words_of_a_memory(home: Home) -> None:
    told_at = 1_683_500_000_000  # 7 May 2023
    rid = home.remember(
        "hello", speaker="Caroline", told_at=told_at, topic="kafka", meta={"caption": "a red boat"}
    )
    for query in ("caroline", '"7 may 2023"', "kafka", "boat"):
        assert found(home, query) == [home.number(rid)], query


def test_of_many_that_come_with_labels_at_once_each_is_found_by_its_own(home: Home) -> None:
    """They are filed by statements of a thousand rows, and the rest one by one."""
    count = 2_300
    rids = [new_memory_id(NOW_MS, home.random) for _ in range(count)]
    home.commit(*(Write(Remember(f"note{n}", {"speaker": f"teller{n}"}), rid) for n, rid in enumerate(rids)))
    ((first,),) = home.connection.execute("SELECT min(id) FROM memory")
    for n in (0, 1, 999, 1_000, 1_999, 2_000, count - 1):
        assert found(home, f"note{n}") == found(home, f"teller{n}") == [first + n]
    assert home.connection.execute("SELECT count(*) FROM memory_text").fetchone() == (count,)
    assert len(queued(home)) == count
    home.commit(Write(Forget((rids[1_000],))))
    assert found(home, "note1000 OR teller1000") == []
    home.connection.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")


@published("PM-51")
def test_a_write_enqueues_and_nothing_is_embedded_on_its_way(home: Home) -> None:
    """The tables know no embedder: what a write costs does not depend on one, or on how much waits."""
    writes = [Write(Remember(f"fact {n}", {}), new_memory_id(NOW_MS, home.random)) for n in range(100)]
    home.commit(*writes)
    assert len(queued(home)) == 100
    assert home.connection.execute("SELECT count(*) FROM vector").fetchone() == (0,)


def test_a_memory_is_queued_once_however_often_it_changes(home: Home) -> None:
    rid = home.remember("hello")
    for topic in ("one", "two", "three"):
        home.commit(Write(Set("topic", topic), rid))
    assert queued(home) == [home.number(rid)]
    assert found(home, "one OR two") == []
    assert found(home, "three") == [home.number(rid)]


def test_a_field_that_is_not_indexed_leaves_words_vector_and_queue_alone(home: Home) -> None:
    rid = home.remember("hello")
    number = home.number(rid)
    home.connection.execute("DELETE FROM embed_queue")
    home.connection.execute("INSERT INTO vector VALUES (?, 1, x'00')", (number,))
    home.commit(Write(Set("importance", 0.5), rid))
    assert queued(home) == []
    assert home.connection.execute("SELECT id FROM vector").fetchall() == [(number,)]


def test_a_changed_memory_loses_its_old_words_and_its_vector(home: Home) -> None:
    rid = home.remember("the wizard", topic="old")
    number = home.number(rid)
    home.connection.execute("DELETE FROM embed_queue")
    home.connection.execute("INSERT INTO vector VALUES (?, 1, x'00')", (number,))
    home.commit(Write(Set("topic", "new"), rid))
    assert found(home, "old") == []
    assert found(home, "wizard") == [number]
    assert queued(home) == [number]
    assert home.connection.execute("SELECT id FROM vector").fetchall() == []


def test_a_forgotten_memory_leaves_nothing_behind(home: Home) -> None:
    rid, other = home.remember("the wizard of oz"), home.remember("the witch")
    home.connection.execute("INSERT INTO vector VALUES (?, 1, x'00')", (home.number(rid),))
    home.commit(Write(Forget((rid,))))
    assert found(home, "wizard OR oz OR witch") == [home.number(other)]
    assert queued(home) == [home.number(other)]
    assert home.connection.execute("SELECT id FROM vector").fetchall() == []
    home.connection.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")


@published("YD-58")
def test_ops_carry_no_vectors(home: Home) -> None:
    home.remember("hello")
    ((payload,),) = home.connection.execute("SELECT payload FROM op WHERE payload IS NOT NULL")
    assert len(payload) < 64
    assert Edit.__slots__ == ("base", "update")
    assert Remember.__slots__ == ("text", "fields")


@published("YD-01")
def test_dropped_tables_come_back_the_same(home: Home) -> None:
    """What an older program left is thrown away, and filled again from the memories."""
    for n in range(30):
        home.remember(f"number {n} of many", topic=f"topic {n}", tags=[f"tag{n}"], speaker="Ann")
    home.remember("nothing beside its text")
    home.remember("a field that it is not filed under", importance=0.5)
    home.remember("nothing but a day", told_at=NOW_MS)
    queries = ("many", "7", "topic", "tag3", "ann", "nothing", "filed", "November")
    before = {query: found(home, query) for query in queries}
    assert all(before.values())
    home.connection.execute("UPDATE cognition SET value = 0 WHERE name = 'version'")
    home.connection.execute("INSERT INTO memory_text (memory_text) VALUES ('delete-all')")
    CognitionTables().migrate(home.connection)
    assert {query: found(home, query) for query in before} == before
    assert len(queued(home)) == 33
    row = home.connection.execute("SELECT value FROM cognition WHERE name = 'version'").fetchone()
    assert row == (TABLES_VERSION,)


def test_tables_filled_at_once_file_each_word_where_a_commit_files_it(home: Home) -> None:
    values: dict[str, list[Value]] = {
        "speaker": ["Ann O'Neill"],
        "told_at": [0, -1, 1_683_500_000_000, MS_MAX, -MS_MAX, -62_135_596_800_000],
        "topic": ["boats", "rive gauche"],
        "project": ["harbour"],
        "tags": [["one"], ['a "quote"', "two words", "Ärger"], ["to-do", "you, me", "\u0301x"]],
        "meta": [{"caption": "a red boat", "count": 3, "share": 0.5}],
    }
    for names in chain.from_iterable(combinations(values, size) for size in range(len(values) + 1)):
        for fields in product(*(values[name] for name in names)):
            home.remember("said here", **dict(zip(names, fields, strict=True)))
    words = "SELECT * FROM memory_word_at ORDER BY doc, col, offset, term"
    before = home.connection.execute(words).fetchall()
    home.connection.execute("UPDATE cognition SET value = 0 WHERE name = 'version'")
    CognitionTables().migrate(home.connection)
    assert home.connection.execute(words).fetchall() == before
    assert {term for term, *_ in before} >= {"neill", "mai", "gauch", "quot", "arger", "red"}


def test_no_temporary_table_is_made_for_words(home: Home) -> None:
    """SQLite reads the schema anew in the next large commit after one, be it gone: 1.5 ms of a first sync."""
    home.commit(
        *(
            Write(Remember(f"note{n}", {"told_at": n}), new_memory_id(NOW_MS, home.random))
            for n in range(1_000)
        )
    )
    assert "temp" not in {name for _, name, _ in home.connection.execute("PRAGMA database_list")}


def test_tables_of_a_picture_that_nobody_searches_are_made_and_stay_empty(home: Home) -> None:
    """To file the words of all there was took longer than to copy it."""
    home.remember("hello")
    home.connection.execute("UPDATE cognition SET value = 0 WHERE name = 'version'")
    CognitionTables(fills=False).migrate(home.connection)
    assert queued(home) == []
    assert found(home, "hello") == []


def test_tables_that_are_current_are_left_as_they_are(home: Home) -> None:
    home.remember("hello")
    home.connection.execute("DELETE FROM embed_queue")
    CognitionTables().migrate(home.connection)
    assert queued(home) == []


def test_a_date_that_no_calendar_holds_is_left_out() -> None:
    assert indexed("x", {"told_at": 2**48}).about == ""
    assert indexed("x", {"told_at": -1}).about == "31 December 1969"


def _defend(connection: sqlite3.Connection) -> None:
    """Make a connection defensive, as all are on macOS; Python 3.11 has no call for it."""
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)
    else:
        library, defensive = ctypes.CDLL(import_module("_sqlite3").__file__), 1_010
        handle = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__)
        assert library.sqlite3_db_config(handle, defensive, ctypes.c_int(1), ctypes.c_void_p(None)) == 0
    with pytest.raises(sqlite3.OperationalError, match="may not be modified"):
        connection.execute("DELETE FROM memory_text_data")


@pytest.mark.parametrize("opened", ["plain", "encrypted", "defensive"])
@pytest.mark.parametrize("carried_part", [1, picture._CARRIED_PART])
def test_words_of_a_picture_of_the_past_are_those_that_are_filed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, carried_part: int, opened: str
) -> None:
    """The index of the store is copied, and what something happened to since is taken out and filed as it was."""
    if opened == "encrypted":
        pytest.importorskip("sqlcipher3")
    if opened == "defensive" and sqlite3.sqlite_version_info < (3, 40):
        pytest.skip("this SQLite is defensive of less than of the schema's version")
    monkeypatch.setattr(picture, "_WHOLE_PART", 1)
    monkeypatch.setattr(picture, "_CARRIED_PART", carried_part)
    words = WordTables(embeds=False)
    path, key, random = str(tmp_path / "memory.db"), bytes(48) if opened == "encrypted" else None, Random(27)
    kept = connect(path, key=key)
    core = core_of("ann", SqliteStore(kept, [CognitionTables()]))
    kinds: list[dict[str, Value]] = [
        {},
        {"speaker": "Ann", "told_at": 1_683_500_000_000},
        {"tags": ['a "quote"', "two words"], "topic": "boats"},
        {"meta": {"caption": "a red boat", "count": 3}, "project": "harbour"},
    ]
    rids = list[MemoryId]()

    def tell(at_ms: int, *, may_follow: bool = False) -> None:
        text = " ".join(random.choice(["Ann", "told", "boats", "in", "a harbour"]) for _ in range(6))
        rids.append(new_memory_id(at_ms, random))
        core.commit([Write(Remember(text, random.choice(kinds)), rids[-1])], at_ms, may_follow=may_follow)

    for at_ms in range(NOW_MS, NOW_MS + 40):
        for _ in range(4):
            tell(at_ms)
        if at_ms % 5 == 0:
            say(core, Set("topic", f"topic {at_ms}"), random.choice(rids), now_ms=at_ms)
            edit(core, random.choice(rids), f"edited at {at_ms}", now_ms=at_ms)
            say(core, Forget((rids.pop(random.randrange(len(rids))),)), now_ms=at_ms)
    tell(NOW_MS + 40, may_follow=True)
    SqliteStore(kept).follow()  # as a program that keeps no words: it shows and is not filed
    assert kept.execute("SELECT count(*) FROM memory_text_docsize").fetchone() < (len(rids),)
    parts = [
        "SELECT * FROM memory_word_at ORDER BY doc, col, offset, term",
        "SELECT * FROM memory_text_docsize ORDER BY id",
        "SELECT hex(block) FROM memory_text_data WHERE id = 1",
    ]
    for at_ms in range(NOW_MS, NOW_MS + 41):
        made = connect_beside(path, key=key, migrations=[words.migrate])
        with closing(made), closing(connect(path, key=key, read_only=True)) as reading:
            if opened == "defensive":
                _defend(made)
            rebuild(SqliteStore(reading), [(made, at_ms)], derived=[words])
            before = [made.execute(part).fetchall() for part in parts]
            made.execute("UPDATE cognition SET value = 0 WHERE name = 'version'")
            words.migrate(made)
            assert [made.execute(part).fetchall() for part in parts] == before, at_ms - NOW_MS
            made.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")
    kept.close()
