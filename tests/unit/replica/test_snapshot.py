"""What a merged base does to the device that takes it, beside what it brings."""

import sqlite3
import tracemalloc
from collections.abc import Sequence
from contextlib import closing
from operator import itemgetter

import pytest
import zstandard

import replica.beside
import replica.storage.shown
from replica.codec import pack
from replica.compaction import LEASE_MS, compact
from replica.core import Core, TakingIn
from replica.errors import InvalidOp
from replica.fields import Value
from replica.ids import derived_memory_id
from replica.incarnations import ChainEvent
from replica.oplog import Changes, Partial, PartRow
from replica.ops import Claim, Erase, Forget, Remember, Set, Write
from replica.partial import partial_from
from replica.quotas import What
from replica.snapshot import absorb, charge, make_snapshot, read_snapshot, unseal
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell
from replica.storage.claims import read_claims
from replica.storage.memory_store import MemoryStore
from replica.storage.shown import RowChange
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    MakeStore,
    acquaint,
    agree,
    core_of,
    edit,
    group,
    memories,
    remember,
    rows_of,
    say,
    sqlite_store,
    sync,
    texts,
    unproven_texts,
)


def absorbs(core: Core, snapshot: bytes, now_ms: int = NOW_MS) -> bool:
    return absorb(core, read_snapshot(snapshot, core), now_ms)


def row_numbers(core: Core) -> dict[bytes, int]:
    """By which numbers vectors and words know the memories, where they are in a table."""
    store = core.store
    return (
        dict(store.connection.execute("SELECT rid, id FROM memory")) if isinstance(store, SqliteStore) else {}
    )


def test_a_snapshot_is_read_only_where_the_member_that_it_names_signed_it_as_a_snapshot() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    assert compact(ann, NOW_MS + LEASE_MS)
    signature, body = unseal(make_snapshot(ann))
    assert read_snapshot(make_snapshot(ann), ben).maker == ann.device
    for crooked in (bytes(64), ben.sign(body), ann.sign(body), bytes([signature[0] ^ 1]) + signature[1:]):
        with pytest.raises(InvalidOp, match="nobody here did"):
            read_snapshot(zstandard.compress(pack([crooked, body])), ben)
    with pytest.raises(InvalidOp, match="nobody here did"):
        read_snapshot(make_snapshot(core_of("a stranger")), ben)


def test_who_finds_later_ops_of_its_own_in_a_base_goes_on_as_another() -> None:
    with closing(connect(":memory:")) as disk, closing(connect(":memory:")) as backup:
        laptop, phone = core_of("laptop", SqliteStore(disk)), core_of("phone")
        acquaint(laptop, "laptop", "phone")
        acquaint(phone, "phone", "laptop")
        remember(laptop, "before the backup")
        disk.backup(backup)
        remember(laptop, "after the backup")
        for _ in range(2):
            sync(laptop, phone)
        assert compact(phone, NOW_MS) == 2
        restored = core_of("laptop", SqliteStore(backup), seed="restored")
        assert absorbs(restored, make_snapshot(phone))
        assert restored.origin != laptop.origin
        assert [incident.why for incident in restored.incidents] == [ChainEvent.ECHO]
        assert texts(restored) == texts(laptop)


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_a_proof_of_erasure_acts_on_a_base_that_was_made_before_it(make_store: MakeStore) -> None:
    """The proof came ahead, and the snapshot holds the words: they must not come to rest in the base."""
    laptop, phone = group("laptop", "phone", make_store=make_store)
    erased, kept = remember(laptop, "erased soon", "kept")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 2
    snapshot = make_snapshot(laptop)
    say(laptop, Erase((erased,)))
    phone.learn([], [], laptop.proofs.values(), NOW_MS)
    assert absorbs(phone, snapshot)
    assert phone.store.load_base([memory_key(erased)]) == {}
    assert memory_key(kept) in phone.store.load_base([memory_key(kept)])
    assert erased in phone.store.base_tombstones()
    sync(laptop, phone)
    assert agree(laptop, phone)
    assert verify_replica(phone).ok


def test_a_base_folded_by_a_clock_that_is_ahead_hides_nothing_that_is_yet_to_come() -> None:
    laptop, phone = group("laptop", "phone")
    ahead = NOW_MS + 366 * DAY_MS
    remember(laptop, "by a clock that is a year ahead", now_ms=ahead)
    assert compact(laptop, ahead) == 1
    assert laptop.horizon_ms == ahead
    assert absorbs(phone, make_snapshot(laptop))
    assert phone.horizon_ms == NOW_MS


def test_an_earlier_horizon_of_another_device_does_not_set_back_ones_own() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "folded first")
    assert compact(laptop, NOW_MS) == 1
    remember(phone, "folded a day later", now_ms=NOW_MS + DAY_MS)
    assert compact(phone, NOW_MS + DAY_MS) == 1
    assert absorbs(phone, make_snapshot(laptop), NOW_MS + DAY_MS)
    assert phone.horizon_ms == NOW_MS + DAY_MS


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_the_log_says_of_a_memory_stays_out_of_a_base_that_is_taken_in(make_store: MakeStore) -> None:
    laptop, phone = group("laptop", "phone", make_store=make_store)
    (rid,) = remember(laptop, "in the base, and in the log of the phone")
    sync(laptop, phone)
    say(phone, Set("topic", "trains"), rid)
    remember(laptop, "unknown to the phone")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 2
    assert absorbs(phone, make_snapshot(laptop))
    assert memories(phone)[rid].fields["topic"] == "trains"
    base = phone.store.load_base([memory_key(rid)])[memory_key(rid)]
    assert isinstance(base, MemoryCell)
    assert base.fields == {}


def test_a_claim_that_a_snapshot_brings_is_listed_though_its_memory_shows_as_before() -> None:
    laptop, phone = group("laptop", "phone", make_store=sqlite_store)
    (rid,) = remember(laptop, "the bike is red")
    sync(laptop, phone)
    say(laptop, Claim("bike", "colour", "red", (), None), rid)
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 2
    assert absorbs(phone, make_snapshot(laptop))
    assert isinstance(phone.store, SqliteStore)
    assert len(read_claims(phone.store.connection, "")) == 1
    assert verify_replica(phone).ok


def test_a_merged_base_is_news_though_it_is_no_op() -> None:
    laptop, phone = group("laptop", "phone")
    remember(laptop, "one")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 1
    before = phone.news, phone.position
    assert absorbs(phone, make_snapshot(laptop))
    assert (phone.news, phone.position) == (before[0] + 1, before[1])


@pytest.mark.parametrize("odd", [(2, 4), (1, 5)])
def test_of_what_is_kept_of_a_snapshot_the_first_parts_of_one_are_used(odd: tuple[int, int]) -> None:
    laptop, phone = group("laptop", "phone")
    no, count = odd
    for row in (
        PartRow(laptop.device, 0, b"d" * 32, 4, b"first"),
        PartRow(laptop.device, no, b"d" * 32, count, b"odd"),
    ):
        phone.write(Changes(part=row), now_ms=0)
    partial = partial_from(phone, laptop.device)
    assert partial is not None
    assert (partial.digest, partial.count, partial.parts) == (b"d" * 32, 4, [b"first"])


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_a_base_brings_memories_that_are_new_here_beside_those_of_which_something_was_said(
    make_store: MakeStore,
) -> None:
    """Those that are new go past merging and folding into the tables: no other may, and none may be left out."""
    laptop, phone, tablet = group("laptop", "phone", "tablet", make_store=make_store)
    held, edited, forgotten = remember(laptop, "held here", "edited here", "forgotten here")
    sync(laptop, tablet)
    edit(tablet, edited, "edited on the tablet")
    say(tablet, Forget((forgotten,)))
    new, said, labelled = (
        remember(laptop, text)[0] for text in ("new there", "said of before it came", "labelled there")
    )
    say(laptop, Set("topic", "trains"), labelled)
    more: dict[str, Value] = {"importance": 0.5, "meta": {"b": 1, "a": 2}, "tags": ["x"], "invented later": 1}
    say(laptop, Remember("told with more", more), derived_memory_id("notes.md", "1"))
    say(tablet, Set("topic", "boats"), said)
    for _ in range(2):
        sync(laptop, phone)
    later = NOW_MS + 100 * DAY_MS  # the tablet's lease is over: it holds nothing back
    sync(laptop, phone, later)
    assert compact(laptop, later) == 8
    numbers = row_numbers(tablet)
    assert absorbs(tablet, make_snapshot(laptop), later)
    assert all(row_numbers(tablet).get(rid, number) == number for rid, number in numbers.items())
    shown = memories(tablet)
    assert {rid: (each.text, each.fields) for rid, each in shown.items()} == {
        held: ("held here", {}),
        edited: ("edited on the tablet", {}),
        new: ("new there", {}),
        said: ("said of before it came", {}),  # by a device that had not seen it
        labelled: ("labelled there", {"topic": "trains"}),
        derived_memory_id("notes.md", "1"): ("told with more", more),
    }
    assert sorted(tablet.store.packed_base()) == sorted(laptop.store.packed_base())
    assert tablet.store.all_memories() == set(shown)
    assert tablet.store.check(tablet.store.all_cells()) == []
    assert verify_replica(tablet).ok
    sync(laptop, tablet, later)
    assert agree(laptop, tablet)


PAGE = 3


class NoThreads:
    """Stands for the module that begins threads, where none can be begun."""

    def start_new_thread(self, *_: object) -> None:
        raise RuntimeError("can't start new thread")


class Told:
    """Derived tables that keep what they are told, and fail once they were told so much."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.changes: list[RowChange] = []
        self.fails_at = fails_at

    def migrate(self, connection: sqlite3.Connection) -> None:
        """There are no tables."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        self.changes += changes
        if self.fails_at is not None and len(self.changes) >= self.fails_at:
            raise OSError("told to fail")

    def purge(self, connection: sqlite3.Connection) -> None:
        """Nothing is kept."""


@pytest.mark.parametrize("has_threads", [True, False])
@pytest.mark.parametrize("count", [1, PAGE, PAGE + 1, 3 * PAGE, 4 * PAGE - 1])
def test_a_base_that_is_written_by_pages_is_whole(
    count: int, has_threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop = core_of("laptop")
    acquaint(laptop, "laptop", "phone")
    remember(laptop, *(f"memory {n}" for n in range(count)))
    compact(laptop, NOW_MS)
    monkeypatch.setattr(replica.storage.shown, "_ADDED_AT_ONCE", PAGE)
    if not has_threads:
        monkeypatch.setattr(replica.beside, "_thread", NoThreads())
    tables = Told()
    with closing(connect(":memory:")) as connection:
        phone = core_of("phone", SqliteStore(connection, [tables]))
        acquaint(phone, "phone", "laptop")
        assert absorbs(phone, make_snapshot(laptop))
        assert phone.digests() == laptop.digests()
        assert core_of("phone", SqliteStore(connection)).digests() == laptop.digests()
        assert verify_replica(phone).problems == ()
        assert [(change.id, change.rid) for change in tables.changes] == [
            (number, rid) for rid, number in sorted(row_numbers(phone).items(), key=itemgetter(1))
        ]
        assert len(tables.changes) == count


def test_a_base_that_could_not_be_written_to_its_end_leaves_everything_as_before() -> None:
    laptop = core_of("laptop")
    acquaint(laptop, "laptop", "phone")
    remember(laptop, *(f"memory {n}" for n in range(4 * PAGE)))
    compact(laptop, NOW_MS)
    tables = Told(fails_at=2 * PAGE)
    with closing(connect(":memory:")) as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica.storage.shown, "_ADDED_AT_ONCE", PAGE)
        phone = core_of("phone", SqliteStore(connection, [tables]))
        acquaint(phone, "phone", "laptop")
        dump, before = [*connection.iterdump()], (phone.digests(), phone.position, phone.frontier())
        with pytest.raises(OSError, match="told to fail"):
            absorbs(phone, make_snapshot(laptop))
        assert [*connection.iterdump()] == dump
        assert (phone.digests(), phone.position, phone.frontier()) == before
        tables.fails_at = None
        assert absorbs(phone, make_snapshot(laptop))
        assert phone.digests() == laptop.digests()
        assert verify_replica(phone).problems == ()
        assert sorted(row_numbers(phone).values()) == [*range(1, 4 * PAGE + 1)]


def test_how_far_a_base_is_taken_in_is_noted_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    laptop = core_of("laptop")
    acquaint(laptop, "laptop", "phone")
    remember(laptop, *(f"memory {n}" for n in range(4 * PAGE)))
    compact(laptop, NOW_MS)
    monkeypatch.setattr(replica.storage.shown, "_ADDED_AT_ONCE", PAGE)
    monkeypatch.setattr(replica.beside, "_thread", NoThreads())
    noted: list[tuple[int | None, int]] = []

    class Noting(Told):
        def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
            assert phone.taking_in is not None
            noted.append((phone.taking_in.memories, phone.taking_in.written))
            super().changed(connection, changes, now_ms)

    tables = Noting(fails_at=3 * PAGE)
    with closing(connect(":memory:")) as connection:
        phone = core_of("phone", SqliteStore(connection, [tables]))
        acquaint(phone, "phone", "laptop")

        def taken() -> TakingIn | None:
            return phone.taking_in

        with pytest.raises(OSError, match="told to fail"):
            absorbs(phone, make_snapshot(laptop))
        assert noted == [(4 * PAGE, page * PAGE) for page in (1, 2, 3)]
        assert taken() is None
        tables.fails_at = None
        with phone.taking() as around:
            assert (around.memories, around.written) == (None, 0)
            assert absorbs(phone, make_snapshot(laptop))
            assert taken() is around, "who began it ends it"
            assert (around.memories, around.written) == (4 * PAGE, 4 * PAGE)
        assert taken() is None


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_a_base_here_forgot_no_base_of_another_brings_back(make_store: MakeStore) -> None:
    laptop, tablet = group("laptop", "tablet", make_store=make_store)
    forgotten, _ = remember(laptop, "forgotten", "kept")
    sync(laptop, tablet)
    say(tablet, Forget((forgotten,)))
    later = NOW_MS + 100 * DAY_MS  # neither is waited for any more
    assert compact(tablet, later) == 3
    assert compact(laptop, later) == 2
    assert absorbs(tablet, make_snapshot(laptop), later)
    assert texts(tablet) == {"kept"}
    assert verify_replica(tablet).ok


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
@pytest.mark.parametrize("heard", [False, True])
def test_a_text_in_the_base_stays_proven_though_the_log_forgets_it(
    make_store: MakeStore, *, heard: bool
) -> None:
    """Who gets the base without the forgetting can check the edit, and lets go of no word that was signed."""
    laptop, phone, tablet = group("laptop", "phone", "tablet", make_store=make_store)
    draft, other = remember(laptop, "draft", "other")
    sync(laptop, phone)
    laptop.commit([*laptop.edits_of(draft, "edited draft"), Write(Forget((other,)))], NOW_MS)
    if heard:
        sync(laptop, phone)
    remember(laptop, "new to the phone")
    say(phone, Forget((draft,)))
    later = NOW_MS + 100 * DAY_MS  # neither is waited for any more
    compact(laptop, later)
    assert absorbs(phone, make_snapshot(laptop), later)
    assert texts(phone) == {"new to the phone"}
    assert memory_key(draft) in phone.store.load_base([memory_key(draft)])
    assert unproven_texts(phone) == set()
    assert absorbs(tablet, make_snapshot(phone), later)
    assert unproven_texts(tablet) == set()
    assert texts(tablet) == {"edited draft", "new to the phone"}
    compact(phone, later)
    assert phone.store.remains()
    assert not any(b"edited" in data for data in phone.store.remains())


def test_words_edited_into_a_memory_go_with_it_where_a_base_brings_its_forgetting() -> None:
    laptop, phone = group("laptop", "phone")
    (draft,) = remember(laptop, "draft")
    edit(laptop, draft, "edited draft")
    sync(laptop, phone)
    later = NOW_MS + 100 * DAY_MS  # neither is waited for any more
    compact(phone, later)
    assert any(b"edited" in data for data in phone.store.remains())
    say(laptop, Forget((draft,)))
    compact(laptop, later)
    assert absorbs(phone, make_snapshot(laptop), later)
    assert phone.store.remains()
    assert not any(b"edited" in data for data in phone.store.remains())


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_what_leaves_the_log_after_a_base_that_ends_before_it_is_proven_as_well(
    make_store: MakeStore,
) -> None:
    """The base of another ends between ops that came under one signature; what is proven by it comes in two parts."""
    laptop, phone, tablet, watch = group("laptop", "phone", "tablet", "watch", make_store=make_store)
    draft, other = remember(laptop, "draft", "other")
    sync(laptop, watch)
    edit(laptop, draft, "edited draft")
    edit(laptop, other, "XYZZY")  # in the first part, and goes with the second
    edited = edit(laptop, draft, "draft, edited twice", now_ms=NOW_MS + DAY_MS)
    forgotten = say(laptop, Forget((other,)), now_ms=NOW_MS + DAY_MS)
    remember(laptop, "last", now_ms=NOW_MS + DAY_MS)
    sync(laptop, phone)
    remember(tablet, "new to the phone")
    sync(laptop, tablet)
    later = NOW_MS + 100 * DAY_MS  # nobody is waited for any more
    assert compact(laptop, later, before_ms=NOW_MS)
    assert absorbs(phone, make_snapshot(laptop), later)
    assert {edited.id, forgotten.id} <= {row.id for row in rows_of(phone)}
    assert any(b"XYZZY" in data for data in phone.store.remains())
    compact(phone, later)
    assert not any(b"XYZZY" in data for data in phone.store.remains())
    assert not rows_of(phone)
    assert unproven_texts(phone) == set()
    assert absorbs(watch, make_snapshot(phone), later)
    assert texts(watch) == texts(phone) == {"draft, edited twice", "last", "new to the phone"}


def test_nobody_is_accused_of_a_base_that_forgot_what_the_log_here_holds() -> None:
    laptop, phone = group("laptop", "phone")
    forgotten, _ = remember(laptop, "forgotten", "kept")
    sync(laptop, phone)
    say(laptop, Forget((forgotten,)))
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 3
    assert absorbs(phone, make_snapshot(laptop))
    assert texts(phone) == {"kept"}
    assert not phone.evidence


def test_what_a_base_brings_counts_as_its_makers_own_and_as_passed_on() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, "mine")
    remember(phone, "others'", "also", "and this")
    sync(laptop, phone)
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 4
    data = make_snapshot(laptop)
    before = {
        what: tablet.quotas.left(laptop.device, what, NOW_MS) for what in (What.OPS, What.OPS_PASSED_ON)
    }
    assert absorbs(tablet, data)
    charge(tablet, laptop.device, tablet.vouched, data, NOW_MS)
    after = {what: tablet.quotas.left(laptop.device, what, NOW_MS) for what in before}
    assert {what: before[what] - after[what] for what in before} == {What.OPS: 1, What.OPS_PASSED_ON: 3}


def test_nothing_is_kept_of_parts_once_a_base_is_taken_in() -> None:
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(laptop, "one")
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 1
    phone.partials[tablet.device] = Partial(b"d" * 32, 4, [b"first"])
    assert absorbs(phone, make_snapshot(laptop))
    assert not phone.partials


def test_who_lost_its_store_vouches_for_nothing_that_comes_back_to_it() -> None:
    """Its word for what it had handed over is another's word now: it has never seen those ops signed."""
    laptop, phone, tablet = group("laptop", "phone", "tablet")
    remember(tablet, "told by the tablet")
    sync(tablet, laptop)
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == 1
    assert absorbs(phone, make_snapshot(laptop))
    assert [each.by for each in phone.vouched] == [laptop.device]
    emptied = core_of("laptop", seed="emptied")
    acquaint(emptied, "laptop", "phone", "tablet")
    assert absorbs(emptied, make_snapshot(phone))
    assert [each.by for each in emptied.vouched] == [phone.device]


def test_memories_that_a_base_brought_are_kept_in_little_room_by_who_checks_it() -> None:
    """`verify` after `compact` of a million memories took 2.8 GB: as values each took a kilobyte beside its text."""
    laptop, phone = group("laptop", "phone")
    count = 4_000
    for start in range(0, count, 500):
        remember(laptop, *(f"note {number}" for number in range(start, start + 500)))
    assert compact(laptop, NOW_MS + 100 * DAY_MS) == count
    snapshot = make_snapshot(laptop)
    tracemalloc.start()
    try:
        assert absorbs(phone, snapshot)
        assert tracemalloc.get_traced_memory()[0] < 600 * count
    finally:
        tracemalloc.stop()
    assert agree(laptop, phone)
