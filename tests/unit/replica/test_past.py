"""A store as it was at a moment: what is copied of it and what is folded anew come to what its log says by then."""

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replica import RowChange, Write, ops
from replica.chains import Chains
from replica.compaction import compact
from replica.core import Core
from replica.errors import StoreFailed
from replica.hlc import COUNTER_BITS
from replica.ids import DeviceId, MemoryId, new_memory_id
from replica.ops import UNDERSTOOD, Op
from replica.past import BeyondHorizon, _known_to, rebuild
from replica.refold import refold
from replica.state.cells import State
from replica.storage import picture, sql
from replica.storage.picture import Picture
from replica.storage.sql import connect, connect_beside, read_together
from replica.storage.store import SqliteStore
from tests.support.history import told
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    core_of,
    edit,
    group,
    remember,
    say,
    sqlite_store,
    sync,
    take,
)

STEP_MS = 1_000

# How to look at a store as it was at a moment, seen by somebody.
Pictured = Callable[[SqliteStore, int, DeviceId | None], SqliteStore]


class Heard:
    """Derived tables of what is said, which may hear of it later, and are copied with it (`CopiedTables`)."""

    of_memories: tuple[str, ...] = ("heard",)

    def migrate(self, connection: sqlite3.Connection) -> None:
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'heard'").fetchall():
            connection.execute("CREATE TABLE heard (id INTEGER PRIMARY KEY, text TEXT)")
            connection.execute("INSERT INTO heard SELECT id, text FROM shown_memory")

    def carry(self, connection: sqlite3.Connection, but: Sequence[int]) -> None:
        pass

    def fill(self, connection: sqlite3.Connection) -> None:
        pass

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        for number, _, _, after in changes:
            connection.execute("DELETE FROM heard WHERE id = ?", (number,))
            if after is not None:
                connection.execute("INSERT INTO heard VALUES (?, ?)", (number, after.text))

    def follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        self.changed(connection, changes, now_ms)

    def purge(self, connection: sqlite3.Connection) -> None:
        pass


def pictured(
    store: SqliteStore, until_ms: int, seen_by: DeviceId | None = None, since_ms: int | None = None
) -> SqliteStore:
    """Return a store as it was, in a database of its own, with tables that heard what is said there and no more."""
    heard = Heard()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/memory.db"
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA synchronous = OFF")
            store.connection.backup(file)
            heard.migrate(file)
            file.commit()
        with closing(connect(path, read_only=True)) as reading:
            made = connect_beside(path, migrations=[heard.migrate])
            rebuild(
                SqliteStore(reading),
                [(made, until_ms)],
                seen_by=seen_by,
                changed_since_ms=since_ms,
                derived=[heard],
            )
    said = "SELECT id, text FROM {} ORDER BY id"
    assert made.execute(said.format("heard")).fetchall() == made.execute(said.format("memory")).fetchall()
    return SqliteStore(made)


def folded(store: SqliteStore, until_ms: int, seen_by: DeviceId | None = None) -> State:
    """Return what a fold of every op of that time comes to: the slow way to the same."""
    feeds = Chains(store)
    known = None if seen_by is None else _known_to(store, feeds, seen_by, until_ms)
    rows = (
        row
        for row in store.rows()
        if row.hlc >> COUNTER_BITS <= until_ms
        and row.seq > feeds[row.feed].base_seq
        and (known is None or row.seq <= known.get(row.feed, 0))
    )
    base = State(dict(store.all_base_cells()), store.base_tombstones())
    return refold(base, rows, feeds, feeds.vector_at, understood=UNDERSTOOD).state


def rows(store: SqliteStore) -> dict[bytes, tuple[Any, ...]]:
    """Return all that the table of memories shows, without numbers."""
    return {rid: (rid, *row) for _, rid, *row in store.connection.execute("SELECT * FROM memory")}


def check_changes(
    store: SqliteStore,
    since_ms: int,
    until_ms: int,
    seen_by: DeviceId | None = None,
    *,
    look: Pictured = pictured,
) -> int:
    """Compare what is said to have changed between two moments with both whole; return how many memories did."""
    then, now = rows(look(store, since_ms, seen_by)), rows(look(store, until_ms, seen_by))
    before = rows(pictured(store, since_ms, seen_by, since_ms))
    after = rows(pictured(store, until_ms, seen_by, since_ms))
    assert before.items() <= then.items()
    assert after.items() <= now.items()
    changed = {rid for rid in then.keys() | now.keys() if then.get(rid) != now.get(rid)}
    for whole, part in ((then, before), (now, after)):
        assert {rid: row for rid, row in whole.items() if rid in changed}.items() <= part.items()
    return len(changed)


def check(
    store: SqliteStore,
    until_ms: int,
    seen_by: DeviceId | None = None,
    *,
    look: Pictured = pictured,
) -> int:
    """Compare all that shows with what was folded; return how many memories there were."""
    made, state = look(store, until_ms, seen_by), folded(store, until_ms, seen_by)
    assert made.check(state.cells.items()) == []
    assert made.all_tombstones() == state.tombstones
    assert made.feeds() == store.feeds()
    return len(made.all_memories())


@pytest.fixture
def _a_millisecond_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hands write one op in a millisecond, so that a moment can lie between any two.

    And none before the one that it wrote last, as no program does: a fold that leaves out what came in between cannot
    know what it had seen there, and the copy does.
    """
    write: Callable[..., Op] = Hand.write

    def slowly(self: Hand, *args: Any, **more: Any) -> Op:
        self.hlc += 1 << COUNTER_BITS
        more.pop("hlc", None)
        return write(self, *args, **more)

    monkeypatch.setattr(Hand, "write", slowly)


@pytest.mark.usefixtures("_a_millisecond_each")
def test_every_kind_of_op_is_in_the_past_from_its_moment_on() -> None:
    core = core_of("ann", store := sqlite_store())
    acquaint(core, "ann", "ben")
    assert not take(core, told()).refusals
    moments = sorted({row.hlc >> COUNTER_BITS for row in store.rows()})
    assert len(moments) >= 40
    counts = {check(store, moment) for moment in (0, *moments, moments[-1] + 1)}
    assert len(counts) > 3
    for name in ("ann", "ben"):
        for moment in moments[::5]:
            check(store, moment, core.device if name == "ann" else Hand("ben").who.device_id)


def changed(core: Core, chance: Random, now_ms: int, claims: list[Op]) -> None:
    """Commit something, on what lives here."""
    lives = sorted(core.store.all_memories())
    if len(lives) < 3 or chance.random() < 0.3:
        remember(core, *(f"note {now_ms} {n}" for n in range(chance.randrange(1, 4))), now_ms=now_ms)
        return
    rid, other = MemoryId(chance.choice(lives)), MemoryId(chance.choice(lives))
    match chance.randrange(12):
        case 0:
            edit(core, rid, f"told anew {now_ms}", now_ms=now_ms)
        case 1:
            body = ops.Set(chance.choice(["topic", "speaker", "importance"]), None)
            say(core, body, rid, now_ms=now_ms)
        case 2:
            say(core, ops.Set("topic", f"topic {now_ms}"), rid, now_ms=now_ms)
        case 3:
            say(core, ops.Forget((rid,)), now_ms=now_ms)
        case 4:
            claims.append(say(core, ops.Claim("Ann", "likes", f"{now_ms}", (), None), rid, now_ms=now_ms))
        case 5:
            weight = chance.choice([0.5, 1.0, None])
            say(core, ops.Relate("Ann", "knows", chance.choice("ab"), weight), now_ms=now_ms)
        case 6:
            say(core, ops.Access(((rid, chance.randrange(1, 9), now_ms),)), now_ms=now_ms)
        case 7:
            say(core, ops.Trigger(bytes(16), 1, "goal_check", (rid,)), rid, now_ms=now_ms)
        case 8:
            say(core, ops.Tag((f"label {now_ms % 3}",)), rid, now_ms=now_ms)
        case 9 if claims:
            named = chance.choice(claims)
            assert named.rid is not None
            verdict = ops.ClaimVerdict(MemoryId(named.rid), named.place, keep=chance.random() < 0.5)
            say(core, ops.Resolve((verdict,)), now_ms=now_ms)
        case 10 if rid != other:
            one, two = sorted((rid, other))
            say(core, ops.SaysSame((one, two), 90), now_ms=now_ms)
        case 11 if rid != other:
            one, two = sorted((rid, other))
            say(core, ops.Propose((one, two)), now_ms=now_ms)
        case _:
            say(core, ops.Set("theme", f"{now_ms}"), now_ms=now_ms)


@pytest.mark.parametrize("seed", range(6))
def test_any_moment_of_two_devices_that_meet_and_compact_is_what_a_fold_comes_to(seed: int) -> None:
    chance, claims = Random(seed), list[Op]()
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    store = ann.store
    assert isinstance(store, SqliteStore)
    now_ms = NOW_MS
    for step in range(90):
        now_ms += STEP_MS
        changed(chance.choice([ann, ben]), chance, now_ms, claims)
        if chance.random() < 0.15:
            sync(ann, ben, now_ms)
        if step == 40:
            for _ in range(2):
                sync(ann, ben, now_ms)
            assert compact(ann, now_ms, before_ms=NOW_MS + 30 * STEP_MS) > 0
    begins_ms = ann.horizon_ms
    assert begins_ms > NOW_MS
    with pytest.raises(BeyondHorizon):
        check(store, begins_ms - 1)
    counts = set[int]()
    look = cache(pictured)  # each moment is looked at by itself, as an earlier one, and as a later one
    for moment in range(begins_ms, now_ms + STEP_MS, 7 * STEP_MS):
        for seen_by in (None, ann.device, ben.device):
            counts.add(check(store, moment, seen_by, look=look))
            check_changes(store, moment, min(now_ms, moment + 14 * STEP_MS), seen_by, look=look)
    assert len(counts) > 3
    assert check_changes(store, begins_ms, now_ms) > 5


def test_what_was_told_and_does_not_show_yet_is_in_the_past_too(tmp_path: Path) -> None:
    kept = connect(str(tmp_path / "memory.db"))
    core = core_of("ann", SqliteStore(kept, [Heard()]))
    shown = remember(core, "one", "two")
    said = [(NOW_MS, "three"), (NOW_MS + STEP_MS, "four")]
    told = [new_memory_id(at_ms, Random(at_ms)) for at_ms, _ in said]
    for rid, (at_ms, text) in zip(told, said, strict=True):
        core.commit([Write(ops.Remember(text, {}), rid)], at_ms, may_follow=True)
    reading = connect(str(tmp_path / "memory.db"), read_only=True)
    store = SqliteStore(reading)
    assert store.lags, "else this tests nothing"
    assert pictured(store, NOW_MS).all_memories() == {*shown, told[0]}
    assert pictured(store, NOW_MS + STEP_MS).all_memories() == {*shown, *told}
    assert pictured(store, NOW_MS, core.device).all_memories() == {*shown, told[0]}
    reading.close()
    kept.close()


def test_derived_tables_of_a_picture_hear_what_those_of_the_store_have_not_heard(tmp_path: Path) -> None:
    kept = connect(str(tmp_path / "memory.db"))
    core = core_of("ann", SqliteStore(kept, [Heard()]))
    remember(core, "one", "two")
    core.commit([Write(ops.Remember("three", {}), new_memory_id(NOW_MS, Random(3)))], NOW_MS, may_follow=True)
    store = SqliteStore(kept)
    store.follow()
    heard = kept.execute("SELECT text FROM heard ORDER BY id").fetchall()
    assert heard == [("one",), ("two",)], "else this tests nothing"
    assert len(pictured(store, NOW_MS).all_memories()) == 3
    kept.close()


def test_what_was_erased_is_in_no_past() -> None:
    core = core_of("ann", store := sqlite_store())
    kept, erased = remember(core, "one", "two")
    say(core, ops.Erase((erased,)), now_ms=NOW_MS + STEP_MS)
    assert check(store, NOW_MS) == 1
    assert pictured(store, NOW_MS).all_memories() == {kept}


def test_what_nothing_happened_to_since_is_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand memories a fold of all took eight times as long as the copy."""
    core = core_of("ann", store := sqlite_store())
    (changed_later,) = remember(core, "told first")
    remember(core, *(f"note {n}" for n in range(100)))
    say(core, ops.Set("topic", "move"), changed_later, now_ms=NOW_MS + STEP_MS)
    rows = list[int]()
    to_fold = Picture.rows_to_fold

    def noted(self: Picture) -> Any:
        found = list(to_fold(self))
        rows.append(len(found))
        return iter(found)

    monkeypatch.setattr(Picture, "rows_to_fold", noted)
    assert check(store, NOW_MS) == 101
    assert rows == [1]


def test_of_two_moments_only_what_something_happened_to_is_made() -> None:
    core = core_of("ann", store := sqlite_store())
    told, forgotten, later = remember(core, "one", "two", "three")
    remember(core, *(f"note {n}" for n in range(100)))
    say(core, ops.Set("topic", "move"), told, now_ms=NOW_MS + STEP_MS)
    say(core, ops.Forget((forgotten,)), now_ms=NOW_MS + STEP_MS)
    (new,) = remember(core, "new", now_ms=NOW_MS + STEP_MS)
    say(core, ops.Set("topic", "later"), later, now_ms=NOW_MS + 2 * STEP_MS)
    until_ms = NOW_MS + STEP_MS
    assert pictured(store, NOW_MS, None, NOW_MS).all_memories() == {told, forgotten, later}
    assert pictured(store, until_ms, None, NOW_MS).all_memories() == {told, new, later}
    assert check_changes(store, NOW_MS, until_ms) == 3


def test_nothing_of_a_picture_stays_in_the_connection_that_read() -> None:
    core = core_of("ann", store := sqlite_store())
    remember(core, "one")
    for _ in range(2):
        check_changes(store, NOW_MS - 1, NOW_MS)
    for table in ("touched", "pictured", "wanted"):
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            store.connection.execute(f"SELECT * FROM temp.{table}")


def test_what_is_copied_and_what_is_read_are_of_one_moment(tmp_path: Path) -> None:
    core = core_of("ann", SqliteStore(writing := connect(str(tmp_path / "memory.db"))))
    remember(core, "one")
    path = str(tmp_path / "memory.db")
    reading, first, second = connect(path, read_only=True), connect_beside(path), connect_beside(path)
    late = ["two", "three"]

    def between(statement: str) -> None:
        """Write when some of the three have begun to read, and others not yet."""
        if statement == "BEGIN" and late:
            remember(core, late.pop())

    second.set_trace_callback(between)
    with read_together(reading, first, second):
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            for connection, table in ((reading, "memory"), (first, "now.memory"), (second, "now.memory"))
        ]
    assert counts == [(3,)] * 3
    assert not late
    for connection in (first, second, reading, writing):
        assert not connection.in_transaction
        connection.close()


def test_a_store_that_others_write_into_all_the_time_is_read_at_no_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_TRIES_MAX", 20)
    core = core_of("ann", SqliteStore(writing := connect(str(tmp_path / "memory.db"))))
    path = str(tmp_path / "memory.db")
    reading, made = connect(path, read_only=True), connect_beside(path)

    def always(statement: str) -> None:
        if statement == "BEGIN":
            remember(core, "more")

    made.set_trace_callback(always)
    with pytest.raises(StoreFailed, match="all the time"), read_together(reading, made):
        pass
    for connection in (made, reading, writing):
        assert not connection.in_transaction
        connection.close()


@pytest.mark.parametrize("name", ['it\'s "my" 100% a?b=c&d#e;f', "ünï 日本 😀", "file:x", "%41", "a\\b"])
@pytest.mark.parametrize("slashes", [1, 2, 3])
def test_a_store_is_read_wherever_it_lies(tmp_path: Path, name: str, slashes: int) -> None:
    folder = tmp_path / name
    folder.mkdir()
    path = "/" * slashes + str(folder / "memory.db").lstrip("/")
    core = core_of("ann", SqliteStore(writing := connect(path)))
    remember(core, "one")
    with closing(connect(path, read_only=True)) as reading, closing(connect_beside(path)) as made:
        rebuild(SqliteStore(reading), [(made, NOW_MS)])
        assert made.execute("SELECT text FROM memory").fetchall() == [("one",)]
    writing.close()


def test_memories_changed_since_among_many_are_left_out_of_what_is_copied() -> None:
    core = core_of("ann", store := sqlite_store())
    rids = remember(core, *(f"note {n}" for n in range(30)))
    for n in (0, 7, 8, 9, 20, 29):
        say(core, ops.Set("topic", "move"), rids[n], now_ms=NOW_MS + STEP_MS)
    say(core, ops.Forget((rids[12],)), now_ms=NOW_MS + STEP_MS)
    assert check(store, NOW_MS) == 30
    assert check_changes(store, NOW_MS, NOW_MS + STEP_MS) == 7


def test_memories_are_carried_over_whole_where_most_are_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """To copy spans of them took four times as long."""
    core = core_of("ann", store := sqlite_store())
    rids = remember(core, *(f"note {n}" for n in range(10)))
    copied = list[str]()
    copy_spans = picture._copy_spans

    def noted(target: sqlite3.Connection, table: str, columns: str) -> None:
        copied.append(table)
        copy_spans(target, table, columns)

    monkeypatch.setattr(picture, "_copy_spans", noted)
    for n, by_spans in ((0, False), (5, False), (6, True), (10, True)):
        for rid in rids[:n]:
            say(core, ops.Set("topic", "move"), rid, now_ms=NOW_MS + STEP_MS)
        copied.clear()
        assert check(store, NOW_MS) == 10
        assert ("memory" in copied) == by_spans, n


def test_columns_of_an_older_store_may_stand_in_another_order() -> None:
    """A field that a store was given later stands last in it."""
    core = core_of("ann", store := sqlite_store())
    for name, other in (("topic", "last"), ("domain", "topic"), ("last", "domain")):
        store.connection.execute(f"ALTER TABLE memory RENAME COLUMN {name} TO {other}")
    rids = remember(core, *(f"note {n}" for n in range(5)))
    say(core, ops.Set("topic", "move"), rids[1])
    say(core, ops.Set("domain", "work"), rids[3])
    assert check(store, NOW_MS) == 5
