"""Derived tables follow what is told one after the other, and nobody ever sees that they came later."""

import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from cognition.ingest.gate import NewTelling, TellingReader
from cognition.tables import TABLES_VERSION, CognitionTables
from replica import (
    AsyncioHost,
    Core,
    Erase,
    Forget,
    MemoryId,
    Remember,
    Replica,
    Set,
    Value,
    Write,
    new_memory_id,
    open_replica,
)
from replica.errors import StoreCorrupt, StoreFailed
from replica.ids import show_memory_id
from replica.ops import Body, Claim, Relate, Withdraw
from replica.purging import purge
from replica.state.cells import memory_key
from replica.storage.schema import MIGRATIONS
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.storage.told import move
from replica.verify import verify_replica
from simulations.disk import Crash, Failure, SqliteDisk
from tests.support.devices import run
from tests.support.links import identity
from tests.support.minds import NOW_MS, Home
from tests.support.replicas import acquaint, core_of, settle

WORDS = ["ann", "bob", "lisbon", "moved", "likes", "tea", "trees", "boat"]


def begin_a_feed(core: Core) -> None:
    """Commit a device's first op, which is never kept aside: it brings the row of its feed."""
    if not core.position:
        core.commit([Write(Set("topic", "tea"))], NOW_MS)


class Teller:
    """A device that thinks, on a disk that can be copied; `follows`: whether its tables may follow what it tells."""

    def __init__(
        self, disk: SqliteDisk | None = None, *, follows: bool = True, random: Random | None = None
    ) -> None:
        self.disk = SqliteDisk(thinks=True) if disk is None else disk
        self.random = Random(7) if random is None else random
        self.follows = follows
        self.core = core_of("laptop", self.disk.store)
        acquaint(self.core, "laptop")
        self.core.begin(NOW_MS)
        begin_a_feed(self.core)
        self.reader = TellingReader(self.disk.store.local, lambda: NOW_MS, newer=False)
        self.reader.open(self.disk.connection)

    def tell(self, text: str, fields: Mapping[str, Value] | None = None, *, facts: bool = True) -> MemoryId:
        """Tell one thing that nobody waits for."""
        rid = new_memory_id(NOW_MS, self.random)
        told = NewTelling(rid, text, fields or {}, NOW_MS, is_fresh=True)
        self.reader.tell(self.core, self.disk.connection, told, facts=facts, may_follow=self.follows)
        return rid

    def commit(self, *writes: Write) -> None:
        self.core.commit(writes, NOW_MS)

    def lags(self) -> bool:
        return self.core.store.lags

    def died(self) -> "Teller":
        """Return what a program finds that opens what this one left when it was killed."""
        return Teller(self.disk.image(), follows=self.follows, random=self.random)

    def filed(self) -> list[tuple[str, int]]:
        """Return each place of each word: twice where it was filed twice."""
        return self.disk.connection.execute("SELECT term, doc FROM memory_word_at ORDER BY 1, 2").fetchall()

    def queued(self) -> dict[str, list[int]]:
        """Return what waits to be embedded and read, by queue."""
        queues = ("embed_queue", "entity_queue", "claim_unread", "pattern_queue", "telling")
        return {
            queue: [no for (no,) in self.disk.connection.execute(f"SELECT id FROM {queue} ORDER BY id")]
            for queue in queues
        }

    def named(self, numbers: Sequence[int]) -> list[bytes]:
        """Return the memories that bear these numbers; one that is gone may leave its number to another."""
        rids = dict(self.disk.connection.execute("SELECT id, rid FROM memory"))
        return [rids[number] for number in numbers if number in rids]

    def shown(self) -> list[str]:
        return [text for (text,) in self.disk.connection.execute("SELECT text FROM memory ORDER BY id")]

    def unread(self) -> int:
        ((count,),) = self.disk.connection.execute("SELECT count(*) FROM told_unread")
        return int(count)


def places(text: str, number: int) -> list[tuple[str, int]]:
    return sorted((word, number) for word in text.split())


def test_what_is_told_is_committed_and_filed_by_whoever_asks_next() -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.tell("bob tea")
    assert teller.lags()
    assert (teller.filed(), teller.unread(), teller.shown()) == ([], 0, [])
    teller.core.store.follow()
    assert not teller.lags()
    assert (teller.unread(), teller.shown()) == (2, ["ann boat", "bob tea"])
    assert teller.filed() == sorted([*places("ann boat", 1), *places("bob tea", 2)])
    assert teller.queued() == {queue: [1, 2] for queue in teller.queued()} | {"telling": []}
    teller.core.store.follow()
    assert len(teller.filed()) == 4


def test_what_was_told_lags_until_the_write_that_shows_it_is_on_the_disk() -> None:
    """Who reads on another connection meanwhile waits for it; before, nothing shows there."""
    teller = Teller()
    teller.tell("ann boat")
    lagged: list[tuple[str, bool]] = []
    rid = new_memory_id(NOW_MS, teller.random)
    teller.disk.connection.set_trace_callback(lambda sql: lagged.append((sql, teller.lags())))
    teller.core.commit([Write(Remember("bob tea", {}), rid)], NOW_MS, fresh={rid})
    teller.disk.connection.set_trace_callback(None)
    assert [lags for sql, lags in lagged if sql == "COMMIT"] == [True]
    assert not teller.lags()


def test_what_is_told_without_its_facts_is_noted_so() -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.tell("bob tea", facts=False)
    assert not teller.lags()
    notes = teller.disk.connection.execute("SELECT facts FROM told_unread ORDER BY no").fetchall()
    assert notes == [(1,), (0,)]


def test_tables_of_every_kind_hear_of_what_shows_later() -> None:
    teller = Teller()
    teller.tell("call bob", {"type": "prospective", "event_start": NOW_MS + 1})
    teller.core.store.follow()
    assert teller.disk.connection.execute("SELECT id FROM due").fetchall() == [(1,)]


def test_a_program_that_was_killed_in_between_left_nothing_out_and_nothing_twice() -> None:
    teller = Teller()
    for text in ("ann boat", "bob tea"):
        teller.tell(text)
    again = teller.died()
    assert not again.lags()
    assert again.filed() == sorted([*places("ann boat", 1), *places("bob tea", 2)])
    assert again.unread() == 2
    third = again.died()
    assert (third.filed(), third.queued()) == (again.filed(), again.queued())


@pytest.mark.parametrize("failure", Failure)
def test_a_write_that_failed_leaves_what_was_told_before_to_be_followed(failure: Failure) -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.disk.failing = failure
    with pytest.raises((StoreFailed, Crash)):
        teller.commit(Write(Set("topic", "tea"), new_memory_id(NOW_MS, teller.random)))
    now = teller if failure is Failure.FULL else teller.died()
    now.core.store.follow()
    assert now.filed() == places("ann boat", 1)


def changed(teller: Teller, rid: MemoryId) -> None:
    teller.commit(Write(Set("speaker", "bob"), rid))


def forgotten(teller: Teller, rid: MemoryId) -> None:
    teller.commit(Write(Forget((rid,))))


def erased(teller: Teller, rid: MemoryId) -> None:
    teller.commit(Write(Erase((rid,))))
    purge(teller.core, NOW_MS)


@pytest.mark.parametrize(
    ("change", "left"), [(changed, ["ann", "boat", "bob"]), (forgotten, []), (erased, [])]
)
def test_what_happens_to_a_memory_that_is_not_filed_yet(
    change: Callable[[Teller, MemoryId], None], left: list[str]
) -> None:
    teller = Teller()
    change(teller, teller.tell("ann boat"))
    assert not teller.lags()
    assert [word for word, _ in teller.filed()] == left
    teller.disk.connection.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")


def test_a_word_that_was_erased_before_it_was_filed_is_in_no_page_of_the_file() -> None:
    teller = Teller()
    rid = teller.tell("zyzzyva boat")
    assert b"zyzzyva" in teller.disk.raw()
    erased(teller, rid)
    assert b"zyzzyva" not in teller.disk.raw()


@pytest.mark.parametrize(
    "marker",
    ["UPDATE cognition SET value = 0 WHERE name = 'version'", "UPDATE telling_version SET version = 0"]
    + [f"UPDATE {name}_version SET version = 0" for name in ("claim", "pattern", "entity", "wording")],
)
def test_tables_that_another_version_makes_anew_hold_each_word_once(marker: str) -> None:
    """What was told shows after they were filled from all that shows."""
    teller = Teller()
    for text in ("ann boat", "bob tea"):
        teller.tell(text)
    teller.disk.connection.execute(marker)
    again = teller.died()
    assert again.filed() == sorted([*places("ann boat", 1), *places("bob tea", 2)])
    assert again.queued() == {queue: [1, 2] for queue in again.queued()} | {"telling": []}
    assert again.disk.connection.execute("SELECT value FROM cognition WHERE name = 'version'").fetchone() == (
        TABLES_VERSION,
    )


def test_who_keeps_no_derived_tables_leaves_them_to_who_does() -> None:
    teller = Teller()
    teller.tell("ann boat")
    connection = connect(":memory:")
    connection.deserialize(teller.disk.raw())
    bare = SqliteStore(connection)
    assert bare.lags
    core = core_of("laptop", bare)
    core.commit([Write(Remember("bob tea", {}), new_memory_id(NOW_MS, teller.random))], NOW_MS)
    again = Teller(SqliteDisk(connection.serialize(), thinks=True))
    assert again.filed() == sorted([*places("ann boat", 1), *places("bob tea", 2)])


def test_a_full_disk_keeps_nobody_from_opening_a_store_that_lags(tmp_path: Path) -> None:
    home = Home(path=str(tmp_path / "memory.db"))
    begin_a_feed(home.core)
    home.core.commit(
        [Write(Remember("ann boat", {}), new_memory_id(NOW_MS, home.random))], NOW_MS, may_follow=True
    )
    assert home.core.store.lags
    home.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFailed):
        home.core.store.follow()
    assert home.core.store.lags
    home.connection.execute("PRAGMA query_only = OFF")
    home.core.store.follow()
    assert home.connection.execute("SELECT count(*) FROM memory_text_docsize").fetchone() == (1,)


READS: dict[str, Callable[[SqliteStore, MemoryId], object]] = {
    "load": lambda store, rid: [*store.load([memory_key(rid)])] == [memory_key(rid)],
    "all_cells": lambda store, rid: memory_key(rid) in [key for key, _ in store.all_cells()],
    "all_memories": lambda store, rid: store.all_memories() == {rid},
    "bare_adds": lambda store, rid: store.bare_adds(0, 9) == {2},
    "check": lambda store, rid: (
        f"memory {show_memory_id(rid)} shows, but was never folded" in store.check([])
    ),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_store_that_is_read_without_a_replica_shows_what_was_told(
    read: Callable[[SqliteStore, MemoryId], object],
) -> None:
    teller = Teller()
    rid = teller.tell("ann boat")
    assert read(teller.disk.store, rid)
    assert not teller.lags()


def log_of(store: SqliteStore) -> tuple[object, ...]:
    """Return what a core reads of a store's log, one way and the other."""
    return (
        [*store.rows()],
        [*store.rows(after=2, limit=1)],
        [*store.feed_rows(0, 2, 3)],
        [*store.seen_rows(0, 1, 9)],
        store.feeds(),
        store.meta(),
        store.short_ids(0, 1, 3),
        store.id_at(0, 3),
    )


def test_the_log_reads_the_same_whether_its_end_is_kept_aside_or_not() -> None:
    """Peers are sent what was told before it shows, and a disk that takes nothing keeps nobody from it."""
    teller = Teller()
    rids = [teller.tell("ann boat"), teller.tell("bob tea")]
    store = teller.disk.store
    ((aside,),) = teller.disk.connection.execute("SELECT count(*) FROM op_aside")
    before, rows = log_of(store), [[*store.memory_rows(rid)] for rid in rids]
    assert (aside, teller.lags()) == (2, True)
    store.follow()
    assert teller.disk.connection.execute("SELECT count(*) FROM op_aside").fetchone() == (0,)
    assert log_of(store) == before
    assert [[*store.memory_rows(rid)] for rid in rids] == rows
    assert [len(each) for each in rows] == [1, 1]


def test_a_program_that_cannot_write_finds_all_that_was_told_in_the_log() -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.tell("bob tea")
    connection = connect(":memory:")
    connection.deserialize(teller.disk.raw())
    connection.execute("PRAGMA query_only = ON")
    again = core_of("laptop", SqliteStore(connection))
    assert (again.position, again.frontier()) == (teller.core.position, teller.core.frontier())
    assert again.digests() == teller.core.digests()
    connection.execute("PRAGMA query_only = OFF")
    again.commit([Write(Remember("cat", {}), new_memory_id(NOW_MS, teller.random))], NOW_MS)
    assert not verify_replica(again).problems
    assert again.position == teller.core.position + 1


def test_what_a_device_says_first_brings_its_feed_and_is_not_kept_aside() -> None:
    home = Home()
    rid = new_memory_id(NOW_MS, home.random)
    home.core.commit([Write(Remember("ann boat", {}), rid)], NOW_MS, fresh={rid}, may_follow=True)
    assert not home.core.store.lags
    assert [feed.seq for feed in home.core.store.feeds()] == [1]


def test_what_others_said_in_between_counts_as_seen_by_what_is_told_next() -> None:
    teller = Teller()
    other = core_of("phone")
    acquaint(teller.core, "laptop", "phone")
    acquaint(other, "phone", "laptop")
    other.commit([Write(Set("theme", "dark"))], NOW_MS)
    settle([teller.core, other])
    teller.tell("ann boat")
    assert teller.lags()
    assert teller.disk.connection.execute("SELECT seen != x'' FROM op_aside").fetchall() == [(1,)]
    teller.tell("bob tea")
    before = log_of(teller.disk.store)
    settle([teller.core, other])
    assert other.digests() == teller.core.digests()
    teller.core.store.follow()
    assert log_of(teller.disk.store) == before
    again = teller.died()
    assert again.core.frontier() == teller.core.frontier()
    assert not verify_replica(again.core).problems


def test_what_did_not_show_when_a_store_was_brought_over_shows_then() -> None:
    """An older store notes from which place of the log on memories do not show."""
    teller = Teller()
    for text in ("ann boat", "bob tea"):
        teller.tell(text)
    connection = connect(":memory:")
    connection.deserialize(teller.disk.raw())
    move(connection)
    connection.execute("DROP TABLE op_aside")
    connection.execute("CREATE TABLE unshown (first INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO unshown VALUES (2)")
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    again = Teller(SqliteDisk(connection.serialize(), thinks=True))
    assert again.shown() == ["ann boat", "bob tea"]
    assert again.core.frontier() == teller.core.frontier()
    assert not verify_replica(again.core).problems


def test_a_telling_writes_one_page(tmp_path: Path) -> None:
    """A fsync waits for each page; with the log and its indices there were five."""
    home = Home(path=str(tmp_path / "memory.db"))
    begin_a_feed(home.core)
    pages = []
    for number in range(8):
        home.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        rid = new_memory_id(NOW_MS, home.random)
        write = Write(Remember(f"ann boat {number}", {}), rid)
        home.core.commit([write], NOW_MS, fresh={rid}, may_follow=True)
        ((_, written, _),) = home.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        pages.append(written)
    assert sorted(pages)[4] == 1


def test_nothing_is_folded_onto_what_cannot_be_shown() -> None:
    """A change of a memory that was told, on a disk that takes nothing meanwhile."""
    teller = Teller()
    rid = teller.tell("ann boat")
    teller.disk.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFailed):
        teller.core.store.load([memory_key(rid)])
    with pytest.raises(StoreFailed):
        teller.commit(Write(Set("speaker", "bob"), rid))
    teller.disk.connection.execute("PRAGMA query_only = OFF")
    teller.commit(Write(Set("speaker", "bob"), rid))
    assert [word for word, _ in teller.filed()] == ["ann", "boat", "bob"]
    assert not teller.core.store.check(teller.core.store.all_cells())


def test_a_full_disk_is_no_damage_to_what_is_stored() -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.disk.connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreFailed):
        verify_replica(teller.core)
    teller.disk.connection.execute("PRAGMA query_only = OFF")
    assert verify_replica(teller.core).ok


def test_a_commit_that_adds_memories_and_says_something_else_shows_at_once() -> None:
    """What is shown later is told from the log alone, where each op adds a memory."""
    teller = Teller()
    rid = new_memory_id(NOW_MS, teller.random)
    teller.core.commit([Write(Remember("ann boat", {}), rid), Write(Withdraw(()))], NOW_MS, may_follow=True)
    assert not teller.lags()
    assert teller.shown() == ["ann boat"]


def test_a_log_that_tells_of_no_memory_where_one_was_told_is_damaged() -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.disk.connection.execute("UPDATE op_aside SET payload = x'00'")
    with pytest.raises(StoreCorrupt, match="position 2"):
        teller.core.store.follow()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE op_aside SET meta = x'c1'",
        "UPDATE op_aside SET meta = x'01'",
        "UPDATE op_aside SET meta = 5",
        "UPDATE op_aside SET seq = 1",
        "UPDATE op_aside SET feed = 7",
        "UPDATE op_aside SET feed = 'a'",
        "UPDATE op_aside SET payload = 'text'",
    ],
)
def test_damage_to_what_is_kept_aside_is_named(damage: str) -> None:
    teller = Teller()
    teller.tell("ann boat")
    teller.disk.connection.execute(damage)
    with pytest.raises(StoreCorrupt):
        teller.died()


@pytest.mark.parametrize(
    "beside", [Set("speaker", "Ann"), Claim("Ann", "likes", "tea", (), None), Relate("a", "b", "c", 1.0)]
)
def test_tables_are_told_at_once_of_a_commit_that_does_anything_else(beside: Body, tmp_path: Path) -> None:
    """To a memory that was there, or beside all memories: only what nobody has seen yet may wait."""
    home = Home(path=str(tmp_path / "memory.db"))
    first, second = (new_memory_id(NOW_MS + n, home.random) for n in range(2))
    home.core.commit([Write(Remember("ann boat", {}), first)], NOW_MS)
    rid = None if isinstance(beside, Relate) else first
    home.core.commit([Write(Remember("bob tea", {}), second), Write(beside, rid)], NOW_MS, may_follow=True)
    assert not home.core.store.lags
    assert home.connection.execute("SELECT count(*) FROM memory_text_docsize").fetchone() == (2,)


@pytest.mark.parametrize("labelled", [(), (0,), (3,), (5,), range(6)])
@pytest.mark.parametrize("follows", [True, False])
def test_many_at_once_are_filed_as_each_by_itself(follows: bool, labelled: Sequence[int]) -> None:
    """Under their words alone, or their speaker too; and under their new ones once they are changed."""
    together, singly = Home(), Home()
    rids = [new_memory_id(NOW_MS + n, Random(n)) for n in range(6)]
    writes = [
        Write(Remember(f"ann boat {n}", {"speaker": "bob"} if n in labelled else {}), rid)
        for n, rid in enumerate(rids)
    ]
    spoken = [Write(Set("speaker", "eve"), rid) for rid in rids]
    unspoken = [Write(Set("speaker", None), rid) for rid in rids]
    filed = []
    for step in (writes, spoken, unspoken):
        together.core.commit(step, NOW_MS, may_follow=follows)
        together.core.store.follow()
        for write in step:
            singly.core.commit([write], NOW_MS)
        words = [
            home.connection.execute(
                'SELECT term, doc, col, "offset" FROM memory_word_at ORDER BY 1, 2, 3, 4'
            ).fetchall()
            for home in (together, singly)
        ]
        assert words[0] == words[1]
        assert filed_in_all(together) == filed_in_all(singly)
        filed.append(len(words[0]))
    assert filed == [6 * 3 + len(labelled), 6 * 4, 6 * 3]


def filed_in_all(home: Home) -> bytes:
    """Return what full text has counted: rows and words, twice where they were filed twice."""
    ((counted,),) = home.connection.execute("SELECT block FROM memory_text_data WHERE id = 1")
    return bytes(counted)


@pytest.mark.parametrize("order", [1, -1])
def test_claims_of_many_that_were_edited_at_once_are_read_again_in_whatever_order(order: int) -> None:
    home = Home()
    rids = [new_memory_id(NOW_MS + n, Random(n)) for n in range(600)]
    home.core.commit([Write(Remember(f"ann {n}", {}), rid) for n, rid in enumerate(rids)], NOW_MS)
    home.connection.execute("DELETE FROM claim_unread")
    home.core.commit(
        [write for n, rid in enumerate(rids) for write in home.core.edits_of(rid, f"bob {n}")][::order],
        NOW_MS,
    )
    assert home.connection.execute("SELECT count(*) FROM claim_unread").fetchone() == (600,)


def test_many_that_are_filed_already_are_not_filed_twice() -> None:
    """Tables that were made anew are filled from all that shows, before what was told last follows."""
    home = Home()
    rids = [new_memory_id(NOW_MS + n, Random(n)) for n in range(6)]
    home.core.commit(
        [Write(Remember(f"ann {n}", {}), rid) for n, rid in enumerate(rids)], NOW_MS, may_follow=True
    )
    SqliteStore(home.connection).follow()  # it shows them, and keeps no derived tables
    home.connection.execute("DELETE FROM cognition WHERE name = 'version'")
    CognitionTables().migrate(home.connection)
    filed = filed_in_all(home)
    assert not SqliteStore(home.connection, [CognitionTables()]).lags
    assert filed_in_all(home) == filed
    assert home.connection.execute("SELECT count(*) FROM memory_word_at").fetchone() == (12,)


@given(seed=st.integers(0, 2**32), steps=st.integers(1, 30))
def test_tables_that_follow_equal_tables_that_were_told_at_once(seed: int, steps: int) -> None:
    """Whatever is told, changed, forgotten and read, and whenever a program is killed."""
    tellers = [Teller(follows=True), Teller(follows=False)]
    random = Random(seed)
    rids: list[MemoryId] = []
    for _ in range(steps):
        step, text = random.randrange(10), " ".join(random.choices(WORDS, k=3))
        rid = random.choice(rids) if rids else None
        if step < 5 or rid is None:
            one, _ = [each.tell(text) for each in tellers]
            rids.append(one)
        elif step == 5:
            for each in tellers:
                each.commit(Write(Set("speaker", text.split()[0]), rid))
        elif step == 6:
            rids.remove(rid)
            for each in tellers:
                each.commit(Write(Forget((rid,))))
        elif step == 7:
            for each in tellers:
                each.core.store.follow()
                each.reader.read_some(each.core, each.disk.connection, 60.0)
        elif step == 8:
            tellers[0].core.store.follow()
        else:
            tellers = [each.died() for each in tellers]
    follower, other = tellers
    follower.core.store.follow()
    filed, others_filed = [
        sorted((word, each.named([number])) for word, number in each.filed()) for each in (follower, other)
    ]
    assert filed == others_filed
    queued, others_queued = [
        {queue: each.named(numbers) for queue, numbers in each.queued().items()} for each in (follower, other)
    ]
    assert queued == others_queued
    assert follower.unread() == other.unread()
    assert not follower.core.store.check(follower.core.store.all_cells())


@asynccontextmanager
async def replica_of_ann(folder: Path) -> AsyncIterator[Replica]:
    who = identity("ann")
    async with (
        AsyncioHost.open() as host,
        open_replica(
            folder / "store.db",
            host=host,
            device=who.device_id,
            sign=who.sign,
            derived=[CognitionTables()],
            clock=lambda: NOW_MS,
        ) as replica,
    ):
        yield replica


def test_whoever_reads_or_writes_has_what_was_told_followed_first(tmp_path: Path) -> None:
    """But for whoever tells more; and a disk that takes nothing keeps nobody from reading all of it."""

    def filed(connection: sqlite3.Connection) -> int:
        ((count,),) = connection.execute("SELECT count(*) FROM memory_text_docsize")
        return int(count)

    def tell(core: Core, connection: sqlite3.Connection) -> int:
        rid = new_memory_id(NOW_MS, Random(core.position))
        core.commit([Write(Remember("ann boat", {}), rid)], NOW_MS, fresh={rid}, may_follow=True)
        return filed(connection)

    def refuse(core: Core, connection: sqlite3.Connection) -> None:
        tell(core, connection)
        connection.execute("PRAGMA query_only = ON")

    def allow(core: Core, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = OFF")

    async def main() -> None:
        async with replica_of_ann(tmp_path) as replica:
            await replica.run(lambda core, connection: begin_a_feed(core))
            assert await replica.run(tell, tells=True) == 0
            assert await replica.run(tell, tells=True) == 0
            assert await replica.read(filed) == 2
            assert await replica.run(tell, tells=True) == 2
            assert await replica.run(lambda core, connection: filed(connection)) == 3

            def told_by_a_thread() -> tuple[int, int]:
                return (
                    replica.run_from_thread(tell, tells=True),
                    replica.run_from_thread(lambda core, connection: filed(connection)),
                )

            def read_by_a_thread() -> int:
                replica.run_from_thread(tell, tells=True)
                return replica.read_from_thread(filed)

            assert await trio.to_thread.run_sync(told_by_a_thread) == (3, 4)
            assert await trio.to_thread.run_sync(read_by_a_thread) == 5
            await replica.run(refuse, tells=True)
            assert await replica.read(filed) == 6
            await replica.run(allow, tells=True)
            assert await replica.read(filed) == 6

    run(main)


def test_who_reads_takes_no_lock_of_writers_where_something_is_told_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what a full disk keeps from showing is followed by the reading connection itself."""
    monkeypatch.setattr(SqliteStore, "lags", property(lambda store: True))  # each time that anybody asks

    async def main() -> None:
        async with replica_of_ann(tmp_path) as replica:
            assert not await replica.read(lambda connection: connection.in_transaction)
            within = await trio.to_thread.run_sync(
                replica.read_from_thread, lambda connection: connection.in_transaction
            )
            assert not within

    run(main)
