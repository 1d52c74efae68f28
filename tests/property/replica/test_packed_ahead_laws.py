"""A base whose memories are packed ahead comes to what it comes to otherwise, whatever others write in between."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replica.compaction import compact
from replica.core import Core
from replica.errors import InvalidOp
from replica.ids import MemoryId, new_memory_id
from replica.ops import Erase, Forget, Remember, Set, Write
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.storage.ahead import PackedRows
from replica.storage.cipher import make_key
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from samemind.config import Settings
from samemind.device import derived_tables
from tests.support.replicas import NOW_MS, acquaint, core_of, remember, say, sync, texts

PAGE = 4
LATER_MS = NOW_MS + 1_000
NAMES = ("laptop", "phone", "tablet")
FIELDS: tuple[dict[str, Any], ...] = (
    {},
    {"topic": "sea", "importance": 0.9},
    {"meta": {"a": 1, "category": "identity"}, "tags": ["b"]},
)
STEPS = ("add", "add many", "set", "forget", "erase", "phone hears", "phone adds", "both add", "tablet hears")
AMID = ("tell", "tell many", "show", "forget", "hear of ops", "introduce")


@contextmanager
def packing(*, at_least: int = 1) -> Iterator[None]:
    """Pack ahead what a base brings, however little, by small pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("replica.snapshot.PACKED_MIN", at_least)
        patch.setattr("replica.storage.ahead._PACKED_AT_ONCE", PAGE)
        patch.setattr("replica.storage.shown._ADDED_AT_ONCE", PAGE)
        patch.setattr("replica.storage.shown._FILLING_ROWS_MIN", 3 * PAGE)
        yield


def member(name: str, path: str = ":memory:") -> Core:
    core = core_of(name, SqliteStore(connect(path), derived_tables(Settings())))
    acquaint(core, name, *NAMES)
    return core


def connection_of(core: Core) -> sqlite3.Connection:
    assert isinstance(core.store, SqliteStore)
    return core.store.connection


@contextmanager
def members(*names: str) -> Iterator[list[Core]]:
    cores = [member(name) for name in names]
    try:
        yield cores
    finally:
        for core in cores:
            connection_of(core).close()


def tell(core: Core, *said: str, now_ms: int = LATER_MS) -> None:
    """Remember as whoever waits for no more than that does: it may show later."""
    rids = [new_memory_id(now_ms, Random(text)) for text in said]
    writes = [Write(Remember(text, {}), rid) for text, rid in zip(said, rids, strict=True)]
    core.commit(writes, now_ms, fresh=frozenset(rids), may_follow=True)


def step(what: str, number: int, laptop: Core, phone: Core, tablet: Core) -> None:
    """Do the next thing in the history of a group."""
    known = [MemoryId(rid) for rid in sorted(laptop.store.all_memories())]
    match what:
        case "add":
            fields = FIELDS[number % len(FIELDS)]
            say(
                laptop,
                Remember(f"the laptop's {number}", dict(fields)),
                new_memory_id(NOW_MS, Random(number)),
            )
        case "add many":
            remember(laptop, *(f"one of many {number} {i}" for i in range(2 * PAGE)), now_ms=NOW_MS + number)
        case "set" if known:
            say(laptop, Set("topic", f"topic {number}"), known[number % len(known)])
        case "forget" if known:
            say(laptop, Forget((known[number % len(known)],)))
        case "erase" if known:
            say(laptop, Erase((known[number % len(known)],)))
        case "phone hears":
            sync(phone, laptop)
        case "phone adds":
            remember(phone, f"the phone's {number}")
        case "both add":  # as when both imported the same before they met
            rid = MemoryId(bytes([number % 256]) * 16)
            for core in (laptop, phone):
                say(core, Remember("the same", {}), rid)
        case "tablet hears":
            sync(tablet, laptop)


def amid(what: str, number: int, phone: Core, tablet: Core) -> None:
    """Do something on the phone between two pages."""
    match what:
        case "tell":
            tell(phone, f"told amid {number}")
        case "tell many":  # so many go by other settings of the connection
            tell(phone, *(f"one of many told amid {number} {i}" for i in range(60)))
        case "show":
            phone.store.follow()
        case "forget":
            if known := sorted(phone.store.all_memories()):
                say(phone, Forget((MemoryId(known[number % len(known)]),)), now_ms=LATER_MS)
        case "hear of ops":
            sync(tablet, phone)
        case "introduce":
            acquaint(phone, "phone", "a device that nobody knew")


histories = st.lists(st.sampled_from(STEPS), min_size=1, max_size=12)


def compacted(laptop: Core) -> bytes:
    """Return a base of all that is held, as when nobody else was heard of for years."""
    while compact(laptop, LATER_MS + 10**12):
        pass
    return make_snapshot(laptop)


def built(steps: list[str], laptop: Core, phone: Core, tablet: Core) -> bytes:
    """Let a group have a history; return the laptop's base."""
    remember(laptop, "the first")
    for number, what in enumerate(steps):
        step(what, number, laptop, phone, tablet)
    return compacted(laptop)


def absorbs(core: Core, snapshot: bytes) -> bool:
    return absorb(core, read_snapshot(snapshot, core), LATER_MS)


@settings(max_examples=40, deadline=None)
@given(histories)
def test_what_is_packed_ahead_is_written_as_it_would_be_otherwise(steps: list[str]) -> None:
    """Not a byte of the store differs, derived tables and all."""
    dumps = []
    for gives_way in (False, True):
        with members("laptop", "phone", "tablet") as (laptop, phone, tablet), packing():
            snapshot = built(steps, laptop, phone, tablet)
            phone.give_way = (lambda: None) if gives_way else None
            assert absorbs(phone, snapshot)
            assert verify_replica(phone).problems == ()
            dumps.append([*connection_of(phone).iterdump()])
    assert dumps[0] == dumps[1]


@settings(max_examples=60, deadline=None)
@given(histories, st.dictionaries(st.integers(0, 5), st.sampled_from(AMID), max_size=4))
def test_what_others_write_in_between_counts_as_written_before(
    steps: list[str], wanted: dict[int, str]
) -> None:
    """Whatever it is: it may be what the base brings, or take the place of one of its feeds."""
    done: list[tuple[str, int]] = []
    with members("laptop", "phone", "tablet") as (laptop, phone, tablet), packing():
        snapshot, passed = built(steps, laptop, phone, tablet), count()

        def give_way() -> None:
            if what := wanted.get(number := next(passed)):
                done.append((what, number))
                amid(what, number, phone, tablet)

        phone.give_way = give_way
        assert absorbs(phone, snapshot)
        assert verify_replica(phone).problems == ()
        found = phone.digests(), texts(phone)
    with members("laptop", "phone", "tablet") as (laptop, phone, tablet):
        snapshot = built(steps, laptop, phone, tablet)
        for what, number in done:
            amid(what, number, phone, tablet)
        assert absorbs(phone, snapshot)
        assert (phone.digests(), texts(phone)) == found


def a_large_base(count: int = 5 * PAGE) -> tuple[Core, bytes]:
    laptop = member("laptop")
    remember(laptop, *(f"memory {number}" for number in range(count)))
    return laptop, compacted(laptop)


def is_packed_whole(phone: Core, snapshot: bytes) -> bool:
    """Take a base in; say whether all of it was packed when it was written."""
    written: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        write = PackedRows.write

        def note(it: PackedRows, last: int) -> None:
            written.append(last)
            write(it, last)

        patch.setattr(PackedRows, "write", note)
        assert absorbs(phone, snapshot)
    assert verify_replica(phone).problems == ()
    return bool(written)


def test_whoever_tells_in_between_does_not_keep_what_is_packed_from_being_written() -> None:
    """Else all of these tests might hold of a program that packs for nothing."""
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        remember(phone, "before")
        numbers = count()
        phone.give_way = lambda: tell(phone, f"told {next(numbers)}")
        assert is_packed_whole(phone, snapshot)
        assert {f"told {number}" for number in range(next(numbers))} | {"before"} < texts(phone)


def test_the_first_op_of_a_device_has_the_rest_packed_anew() -> None:
    """It begins a feed where one of the base was to begin: what was packed names another."""
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        passed = count()

        def give_way() -> None:
            if next(passed) == 2:
                tell(phone, "the first that this device tells")

        phone.give_way = give_way
        assert is_packed_whole(phone, snapshot)
        assert texts(phone) == {"the first that this device tells"} | texts(laptop)


def test_what_came_meanwhile_otherwise_is_not_written_twice() -> None:
    with members("laptop", "phone", "tablet") as (laptop, phone, tablet), packing():
        one, *_ = remember(laptop, *(f"memory {number}" for number in range(3 * PAGE)))
        sync(laptop, tablet)
        say(tablet, Forget((one,)))
        remember(laptop, *(f"later memory {number}" for number in range(2 * PAGE)))
        snapshot = compacted(laptop)
        passed = count()

        def give_way() -> None:
            if next(passed) == 3:
                sync(tablet, phone)

        phone.give_way = give_way
        assert not is_packed_whole(phone, snapshot)
        sync(laptop, tablet)
        assert phone.digests() == laptop.digests()


def test_a_memory_that_an_op_in_the_log_names_has_a_cell_of_its_own() -> None:
    """Its row is packed all the same: that an op names it shows when the log is folded on the base."""
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        rid = MemoryId(max(laptop.store.all_memories()))
        say(phone, Set("topic", "sea"), rid)  # before it heard of the memory
        phone.give_way = lambda: None
        assert not is_packed_whole(phone, snapshot)
        sync(laptop, phone)
        assert phone.digests() == laptop.digests()


def test_memories_that_are_held_are_not_packed() -> None:
    with members("laptop", "phone") as (laptop, phone), packing():
        for core in (laptop, phone):
            say(core, Remember("imported on both", {}), MemoryId(bytes(16)))
        sync(laptop, phone)
        for core in (laptop, phone):
            say(core, Remember("then apart", {}), MemoryId(bytes([1]) * 16))
        remember(laptop, *(f"memory {number}" for number in range(2 * PAGE)))
        phone.give_way = lambda: None
        assert is_packed_whole(phone, compacted(laptop))


def test_fields_are_told_of_the_memories_that_have_them() -> None:
    dumps = []
    for gives_way in (False, True):
        with members("laptop", "phone") as (laptop, phone), packing():
            for number in range(4 * PAGE):
                rid = MemoryId(bytes([number]) * 16)
                say(laptop, Remember(f"memory {number}", dict(FIELDS[(number // 3) % len(FIELDS)])), rid)
            phone.give_way = (lambda: None) if gives_way else None
            assert is_packed_whole(phone, compacted(laptop)) == gives_way
            dumps.append([*connection_of(phone).iterdump()])
    assert dumps[0] == dumps[1]


def test_less_than_is_worth_it_is_not_packed() -> None:
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), packing(at_least=5 * PAGE):
        with members("phone") as (phone,):
            phone.give_way = lambda: None
            assert is_packed_whole(phone, snapshot)
        with members("phone") as (phone,):
            phone.give_way = lambda: None
            sync(phone, laptop)
            remember(laptop, "one more")
            assert not is_packed_whole(phone, compacted(laptop))


def test_without_room_beside_the_store_a_base_is_taken_in_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laptop, snapshot = a_large_base(300)

    class Narrow(PackedRows):
        def __init__(self, connection: sqlite3.Connection) -> None:
            super().__init__(connection)
            connection.execute("PRAGMA ahead.max_page_count = 3")

    monkeypatch.setattr("replica.storage.ahead.PackedRows", Narrow)
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        phone.give_way = lambda: None
        assert not is_packed_whole(phone, snapshot)
        assert phone.digests() == laptop.digests()
        assert "ahead" not in {name for _, name, _ in connection_of(phone).execute("PRAGMA database_list")}


@pytest.mark.parametrize("fails_at", range(8))
def test_a_base_that_fails_while_it_is_packed_leaves_what_was_told_and_nothing_else(fails_at: int) -> None:
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        remember(phone, "before")
        passed = count()

        def give_way() -> None:
            if (now := next(passed)) == fails_at:
                raise OSError("told to fail")
            tell(phone, f"told {now}")

        phone.give_way = give_way
        if fails_at == 7:  # behind the last
            assert absorbs(phone, snapshot)
            assert next(passed) == fails_at
            return
        with pytest.raises(OSError, match="told to fail"):
            absorbs(phone, snapshot)
        assert verify_replica(phone).problems == ()
        assert texts(phone) == {"before"} | {f"told {now}" for now in range(fails_at)}
        phone.give_way = lambda: None
        assert is_packed_whole(phone, snapshot)
        assert texts(phone) == {"before"} | {f"told {now}" for now in range(fails_at)} | texts(laptop)


def test_whatever_ends_a_program_while_it_packs_leaves_what_was_told_and_nothing_else(tmp_path: Path) -> None:
    """The files as they are between two pages are what a killed program leaves."""
    laptop, snapshot = a_large_base()
    with closing(connection_of(laptop)), packing():
        phone = member("phone", str(tmp_path / "phone.db"))
        passed = count()

        def give_way() -> None:
            now = next(passed)
            tell(phone, f"told {now}")
            for each in ("phone.db", "phone.db-wal"):
                shutil.copy(tmp_path / each, tmp_path / each.replace("phone", f"killed-{now}"))

        with closing(connection_of(phone)):
            phone.give_way = give_way
            assert absorbs(phone, snapshot)
            whole = texts(phone)
        assert next(passed) > 5
        for now in range(5):
            killed = member("phone", str(tmp_path / f"killed-{now}.db"))
            with closing(connection_of(killed)):
                assert verify_replica(killed).problems == ()
                assert texts(killed) == {f"told {each}" for each in range(now + 1)}
                killed.give_way = lambda: None
                assert is_packed_whole(killed, snapshot)
                assert texts(killed) < whole


def test_a_crooked_base_is_refused_before_anything_is_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    laptop, snapshot = a_large_base()
    monkeypatch.setattr(PackedRows, "pack", lambda *_: pytest.fail("packed what is refused"))
    with closing(connection_of(laptop)), members("phone") as (phone,), packing():
        phone.give_way = lambda: None
        read = read_snapshot(snapshot, phone)
        (feed,) = read.feeds
        crooked = read._replace(feeds=(feed._replace(signature=bytes(64)),))
        with pytest.raises(InvalidOp, match="signed"):
            absorb(phone, crooked, LATER_MS)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux, which says what files are open")
@pytest.mark.parametrize("is_encrypted", [True, False])
def test_of_an_encrypted_store_no_word_is_packed_into_a_file(
    is_encrypted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another one it is: such a file has no name by then, and goes with the program."""
    if is_encrypted:
        pytest.importorskip("sqlcipher3.dbapi2", reason="no SQLCipher for this platform")

    class Little(PackedRows):
        def __init__(self, connection: sqlite3.Connection) -> None:
            super().__init__(connection)
            connection.execute("PRAGMA ahead.cache_size = 2")

    monkeypatch.setattr("replica.storage.ahead.PackedRows", Little)
    laptop, snapshot = a_large_base(300)
    key = make_key("a passphrase", bytes(16)) if is_encrypted else None
    connection = connect(str(tmp_path / "phone.db"), key=key)
    with closing(connection_of(laptop)), closing(connection), packing():
        phone = core_of("phone", SqliteStore(connection, derived_tables(Settings())))
        acquaint(phone, "phone", *NAMES)
        beside: set[str] = set()

        def give_way() -> None:
            files = {os.path.realpath(each.path) for each in os.scandir("/proc/self/fd")}
            beside.update(each for each in files if "etilqs_" in each)  # as SQLite calls its own

        phone.give_way = give_way
        assert is_packed_whole(phone, snapshot)
        assert phone.digests() == laptop.digests()
        assert bool(beside) != is_encrypted
