"""One contract for every store: what the core may rely on, wherever its replica is kept."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from replica import ops
from replica.compaction import compact
from replica.core import Core
from replica.errors import StoreFailed
from replica.folding import COUNTED_BESIDE_MIN
from replica.ids import DeviceId, MemoryId, derived_memory_id
from replica.oplog import Changes, PartRow, SpinePiece, Store
from replica.rows import row_of
from replica.state.cells import CellKind, memory_key, setting_key
from replica.state.memories import MemoryCell
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    agree,
    core_of,
    edit,
    everything,
    group,
    remember,
    rows_of,
    say,
    settle,
    sqlite_store,
    sync,
    take,
)

MakeStore = Callable[[], Store]


@pytest.fixture(params=["dictionaries", "SQLite in memory", "SQLite in a file"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    names = iter(range(100))
    match request.param:
        case "dictionaries":
            yield MemoryStore
        case "SQLite in memory":
            yield sqlite_store
        case _:
            yield lambda: sqlite_store(str(tmp_path / f"{next(names)}.db"))


def lived_in(make_store: MakeStore) -> tuple[Core, Core, list[MemoryId]]:
    """Two devices that have done a little of everything, together and apart."""
    ann, ben = group("ann", "ben", make_store=make_store)
    rids = remember(ann, "one", "two", "three", "four")
    settle([ann, ben])
    edit(ben, rids[0], "one and more")
    say(ann, ops.Set("importance", 0.5), rids[1])
    say(ben, ops.Set("importance", 0.75), rids[1])
    say(ben, ops.Relate("Ann", "knows", "Ben", 0.5))
    say(ben, ops.Set("theme", "dark"))
    say(ann, ops.Propose((rids[0], rids[1])))
    say(ann, ops.SaysSame((rids[0], rids[1]), 90))
    claims = [say(ben, ops.Claim("Ann", "lives in", "Lisbon", (), None), rid) for rid in rids[:2]]
    one, other = ((rid, claim.place) for rid, claim in zip(rids, claims, strict=False))
    say(ben, ops.SameSlot.of(one, other, True, by=1, sureness=70))
    say(ann, ops.Forget((rids[2],)))
    say(ben, ops.Erase((rids[3],)))
    settle([ann, ben])
    say(ann, ops.Receipt((rids[3],)))
    settle([ann, ben])
    return ann, ben, rids


def test_an_empty_store_is_empty(make_store: MakeStore) -> None:
    store = make_store()
    assert store.feeds() == []
    assert dict(store.meta()) == {}
    assert [*store.rows()] == [*store.memory_rows(bytes(16))] == []
    assert [*store.feed_rows(0, 1, 9)] == [*store.seen_rows(0, 1, 9)] == [*store.unknown_rows()] == []
    assert store.load([memory_key(bytes(16))]) == store.load_base([memory_key(bytes(16))]) == {}
    assert store.tombstoned([bytes(16)]) == store.all_tombstones() == store.base_tombstones() == set()
    assert [*store.all_cells()] == [*store.all_base_cells()] == []
    assert (store.proofs(), store.check(store.all_cells())) == ([], [])
    assert dict(store.membership().members) == {}
    assert store.membership().revocations == ()


def test_nothing_is_asked_for_and_nothing_returned(make_store: MakeStore) -> None:
    store = lived_in(make_store)[0].store
    assert store.load([]) == {}
    assert store.tombstoned([]) == set()


def test_two_devices_on_such_stores_agree_and_verify(make_store: MakeStore) -> None:
    ann, ben, _ = lived_in(make_store)
    assert agree(ann, ben)
    assert verify_replica(ann).problems == verify_replica(ben).problems == ()


def test_every_store_holds_the_same_after_the_same_ops(make_store: MakeStore) -> None:
    """Rows, cells, tombstones and digests, compared with the dictionaries'."""
    other, _, _ = lived_in(MemoryStore)
    ann = lived_in(make_store)[0]
    assert [tuple(row) for row in rows_of(ann)] == [tuple(row) for row in rows_of(other)]
    assert ann.store.all_tombstones() == other.store.all_tombstones()
    assert {key for key, _ in ann.store.all_cells()} == {key for key, _ in other.store.all_cells()}
    assert ann.digests() == other.digests()
    assert ann.store.feeds() == other.store.feeds()
    assert {p.id for p in ann.store.proofs()} == {p.id for p in other.store.proofs()}


def test_a_core_opened_anew_on_the_store_is_where_the_first_one_was(make_store: MakeStore) -> None:
    ann, _, _ = lived_in(make_store)
    again = core_of("ann", ann.store)
    assert again.origin == ann.origin
    assert again.position == ann.position
    assert again.digests() == ann.digests()
    assert again.frontier() == ann.frontier()
    assert again.membership.members == ann.membership.members
    op = say(again, ops.Set("theme", "light"))
    assert op.seq == max(feed.seq for feed in ann.feeds if feed.origin == ann.origin) + 1


def test_rows_come_in_commit_order_from_anywhere_and_as_many_as_asked(make_store: MakeStore) -> None:
    store = lived_in(make_store)[0].store
    rows = [*store.rows()]
    assert [row.pos for row in rows] == list(range(1, len(rows) + 1))
    for after in (0, 1, 5, len(rows), len(rows) + 5):
        assert [*store.rows(after=after)] == rows[after:]
        assert [*store.rows(after=after, limit=3)] == rows[after : after + 3]
    assert [*store.rows(limit=0)] == []


def test_what_somebody_lacks_is_the_log_less_what_they_know_in_commit_order(make_store: MakeStore) -> None:
    ann, _, _ = lived_in(make_store)
    store, origin_of = ann.store, ann.feeds.origin_of
    rows = [*store.rows()]
    known = {feed.no: feed.seq // 2 for feed in ann.feeds}
    assert len(known) > 1
    assert any(row.signature is None for row in rows)
    assert any(row.seen for row in rows)
    for after in (0, 5, rows[-1].pos):
        lacking = [row for row in rows if row.pos > after and row.seq > known[row.feed]]
        entries = [*store.entries(after, known, origin_of)]
        assert [row_of(each) for each in entries] == lacking
        assert all(each.op.origin == origin_of(each.feed) for each in entries)


def test_rows_are_found_by_feed_by_memory_and_by_kind(make_store: MakeStore) -> None:
    ann, _, rids = lived_in(make_store)
    store, rows = ann.store, rows_of(ann)
    for feed in ann.feeds:
        own = [row for row in rows if row.feed == feed.no]
        assert [row.seq for row in own] == list(range(1, feed.seq + 1))
        assert [*store.feed_rows(feed.no, 1, feed.seq)] == own
        assert [*store.feed_rows(feed.no, 2, 3)] == own[1:3]
        assert [*store.feed_rows(feed.no, 2, 10_000)] == own[1:]
        assert [*store.feed_rows(feed.no, 3, 2)] == []
        assert [*store.seen_rows(feed.no, 1, feed.seq)] == [row for row in own if row.seen]
        assert [store.id_at(feed.no, row.seq) for row in own] == [row.id for row in own]
        short = [row.id[:8] for row in own]
        assert store.short_ids(feed.no, 1, feed.seq) == b"".join(short)
        assert store.short_ids(feed.no, 2, 2) == short[1]
        assert store.short_ids(feed.no, 3, feed.seq + 1) == b"".join(short[2:]) + bytes(8)
        assert store.short_ids(feed.no, feed.seq + 1, feed.seq) == b""
    assert any(row.seen for row in rows)
    for rid in rids:
        assert [*store.memory_rows(rid)] == [row for row in rows if row.rid == rid]


def test_an_erased_payload_is_gone_and_its_hash_stays(make_store: MakeStore) -> None:
    ann, _, rids = lived_in(make_store)
    (row,) = ann.store.memory_rows(rids[3])
    assert row.payload is None
    assert row.payload_hash is not None
    assert len(row.payload_hash) == 32
    assert all(other.payload_hash is None for other in rows_of(ann) if other.payload is not None)


def test_cells_are_loaded_by_name_and_those_that_are_missing_are_left_out(make_store: MakeStore) -> None:
    ann, _, rids = lived_in(make_store)
    keys = [memory_key(rids[0]), setting_key("theme"), memory_key(bytes(16)), memory_key(rids[2])]
    loaded = ann.store.load(keys)
    assert loaded.keys() == {memory_key(rids[0]), setting_key("theme")}
    every = dict(ann.store.all_cells())
    assert every.keys() >= loaded.keys()
    assert {key.part for key in every} >= {
        CellKind.MEMORY,
        CellKind.EDGE,
        CellKind.SETTING,
        CellKind.PROPOSAL,
        CellKind.LINK,
    }


def test_many_thousands_of_names_are_loaded_at_once(make_store: MakeStore) -> None:
    """More than SQLite takes parameters in one statement."""
    ann, _, rids = lived_in(make_store)
    names = [derived_memory_id("x", str(n)) for n in range(40_000)]
    assert ann.store.load(map(memory_key, [*names, rids[0]])).keys() == {memory_key(rids[0])}
    assert ann.store.tombstoned([*names, rids[2]]) == {rids[2]}


def test_memories_are_found_at_either_end_of_those_asked_for_and_none_beside_them(
    make_store: MakeStore,
) -> None:
    """What a sync brings has ids that lie together, and is not looked for one by one where nothing is among them."""
    ann, _, rids = lived_in(make_store)
    held, below, above = map(memory_key, (rids[0], bytes(16), b"\xff" * 16))
    for asked in ([held, below], [above, held], [below, held, above]):
        assert ann.store.load(asked).keys() == {held}
    assert ann.store.load([below, memory_key(bytes(15) + b"\1")]) == {}


def test_what_a_store_gave_out_can_be_changed_without_changing_the_store(make_store: MakeStore) -> None:
    """The fold works on what it loaded; a batch that fails must leave no trace."""
    ann, _, rids = lived_in(make_store)
    before = ann.digests()
    cell = ann.store.load([memory_key(rids[0])])[memory_key(rids[0])]
    cell.adds.clear()  # type: ignore[union-attr]
    for feed in ann.store.feeds():
        feed.vector.clear()
        feed.seq = 0
    ann.reload()
    assert ann.digests() == before
    assert verify_replica(ann).ok


def test_a_write_with_nothing_in_it_changes_nothing(make_store: MakeStore) -> None:
    ann, _, _ = lived_in(make_store)
    before = (ann.digests(), rows_of(ann), dict(ann.store.meta()))
    ann.store.write(Changes(), NOW_MS)
    ann.reload()
    assert (ann.digests(), rows_of(ann), dict(ann.store.meta())) == before


def test_pos_never_goes_back_even_when_nothing_is_left_in_the_log(make_store: MakeStore) -> None:
    ann, ben, _ = lived_in(make_store)
    assert ann.position == len(rows_of(ann))
    remember(ben, "five")
    take(ann, everything(ben))
    assert ann.position == len(rows_of(ann))


def test_a_batch_that_fails_in_the_fold_leaves_all_as_it_was(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, rids = lived_in(make_store)
    before = (ann.digests(), rows_of(ann), ann.position, ann.origin)

    def refuse(changes: Changes, now_ms: int) -> None:
        raise StoreFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(ann.store, "write", refuse)
        for attempt in (
            lambda: remember(ann, "lost"),
            lambda: edit(ann, rids[0], "lost"),
            lambda: say(ann, ops.Erase((rids[0],))),
        ):
            with pytest.raises(StoreFailed):
                attempt()
            assert (ann.digests(), rows_of(ann), ann.position, ann.origin) == before
    remember(ann, "kept")
    assert verify_replica(ann).ok


def test_many_memories_are_counted_while_they_are_filed_and_before_that_is_kept(
    make_store: MakeStore,
) -> None:
    """It comes to the same as a few at a time, in memory and in what is read back."""
    ann, ben, cid = group("ann", "ben", "cid", make_store=make_store)
    for start in range(0, COUNTED_BESIDE_MIN, 100):
        remember(ann, *map(str, range(start, start + 100)))
    assert not take(ben, everything(ann)).refusals  # all of them in one batch
    sync(ann, cid)  # in several
    assert agree(ann, ben, cid)
    for core in (ben, cid):
        core.reload()
        assert core.digests() == ann.digests()
        assert verify_replica(core).ok


def test_many_memories_that_cannot_be_counted_leave_all_as_it_was(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, _ = lived_in(make_store)
    before = (ann.digests(), rows_of(ann), ann.position)
    many = [str(n) for n in range(COUNTED_BESIDE_MIN)]
    with monkeypatch.context() as patch:
        patch.setattr("replica.state.digest.pack", lambda plain: [][0])
        with pytest.raises(IndexError):
            remember(ann, *many)
    assert (ann.digests(), rows_of(ann), ann.position) == before
    remember(ann, *many)
    assert verify_replica(ann).ok


def test_a_cell_is_kept_as_it_was_written_when_the_op_at_its_dot_leaves_the_log(
    make_store: MakeStore,
) -> None:
    """A base that another device made may tell what it says otherwise."""
    core = core_of("ann", make_store())
    (rid,) = remember(core, "as the op says")
    key, (row,) = memory_key(rid), core.store.rows()
    cell = core.store.load([key])[key]
    assert isinstance(cell, MemoryCell)
    ((dot, add),) = cell.adds.items()
    told = MemoryCell.added(dot, add._replace(text="otherwise", hlc=add.hlc + 1))
    changes = Changes(cells={key: told}, base_cells={key: told}, compacted=[row.pos])
    changes.spine.append(SpinePiece(dot.feed, 1, dot.id8))
    core.store.write(changes, NOW_MS)
    assert core.store.load([key]) == core.store.load_base([key]) == {key: told}


def test_what_is_said_of_memories_in_the_base_changes_their_state_and_not_their_base(
    make_store: MakeStore,
) -> None:
    core = core_of("ann", make_store())
    rids = remember(core, "a plan", "a wish")
    for rid in rids:
        say(core, ops.Set("topic", "as it was"), rid)
    assert compact(core, NOW_MS) == 4
    plan, wish = (memory_key(rid) for rid in rids)
    base = core.store.load_base([plan, wish])
    assert base == core.store.load([plan, wish])
    say(core, ops.Set("topic", "as it is"), rids[0])
    say(core, ops.Forget((rids[1],)))
    assert core.store.load_base([plan, wish]) == base
    assert core.store.load([plan]) != {plan: base[plan]}
    assert core.store.load([wish]) == {}
    assert compact(core, NOW_MS) == 2
    assert core.store.load_base([plan, wish]) == core.store.load([plan])


def test_ops_that_came_late_lie_below_the_log_and_are_found_by_their_feed(make_store: MakeStore) -> None:
    """Their positions are below 1, in whatever order they came, and nobody who reads the log meets them."""
    ann, _, _ = lived_in(make_store)
    store = make_store()
    first, second, third, *_ = (
        entry for entry in ann.store.entries(0, {}, ann.feeds.origin_of) if entry.feed == 0
    )
    store.write(Changes(entries=[third]), NOW_MS)
    assert (store.last_late(), [*store.late_rows()]) == (None, [])
    store.write(Changes(entries=[second._replace(pos=-9)]), NOW_MS)
    store.write(Changes(entries=[first._replace(pos=-8)]), NOW_MS)
    assert store.last_late() == -8
    assert [row.seq for row in store.late_rows()] == [2, 1]
    assert [row.seq for row in store.rows()] == [3]
    assert [entry.op.seq for entry in store.entries(0, {}, ann.feeds.origin_of)] == [3]
    assert [row.seq for row in store.feed_rows(0, 1, 9)] == [1, 2, 3]
    assert [row.seq for row in store.feed_rows(0, 2, 2)] == [2]
    assert store.id_at(0, 1) == first.op.id
    store.write(Changes(compacted=[-9]), NOW_MS)
    assert [row.seq for row in store.late_rows()] == [1]
    assert [row.seq for row in store.feed_rows(0, 1, 9)] == [1, 3]


@pytest.mark.parametrize("count", [1, 1_024, 1_025, 3_000])
def test_short_ids_of_a_base_are_found_one_by_one_and_many_at_a_time(
    make_store: MakeStore, count: int
) -> None:
    """A store may cut them into rows as it likes; what is still in the log beside them is the same."""
    store = make_store()
    ids = [n.to_bytes(8) for n in range(1, count + 1)]
    store.write(Changes(spine=[SpinePiece(3, 5, b"".join(ids))]), NOW_MS)
    store.write(Changes(spine=[SpinePiece(3, 5 + count, b"\xff" * 8)]), NOW_MS)
    ids.append(b"\xff" * 8)
    for at in {0, 1, count // 2, 1_022, 1_023, 1_024, count - 1, count} & set(range(count + 1)):
        assert store.id_at(3, 5 + at) == ids[at]
        assert store.short_ids(3, 5 + at, 5 + count) == b"".join(ids[at:])
        assert store.short_ids(3, 4, 5 + at) == bytes(8) + b"".join(ids[: at + 1])
    assert store.spine(3) == b"".join(ids)
    assert store.short_ids(2, 5, 6) == bytes(16)


def test_what_waits_of_snapshots_is_counted_for_each_peer(make_store: MakeStore) -> None:
    store = make_store()
    one, other = DeviceId(bytes(32)), DeviceId(bytes([1]) * 32)
    assert store.parts_bytes() == {}
    for no, size in enumerate((3, 5)):
        store.write(Changes(part=PartRow(one, no, b"a" * 32, 9, bytes(size))), NOW_MS)
    store.write(Changes(part=PartRow(other, 0, b"b" * 32, 9, bytes(7))), NOW_MS)
    assert store.parts_bytes() == {one: 8, other: 7}
    store.write(Changes(part=PartRow(one, 0, b"c" * 32, 9, bytes(2))), NOW_MS)
    assert store.parts_bytes() == {one: 2, other: 7}
    store.write(Changes(parts_gone=one), NOW_MS)
    assert store.parts_bytes() == {other: 7}


def test_a_tombstone_goes_where_it_rested_on_a_word(make_store: MakeStore) -> None:
    store = make_store()
    one, other = bytes(16), bytes([1]) * 16
    store.write(Changes(base_tombstones={one, other}), NOW_MS)
    store.write(Changes(tombstones_gone={one}, base_tombstones={other}), NOW_MS)
    assert store.base_tombstones() == store.all_tombstones() == {other}
    store.write(Changes(tombstones_gone={other}, tombstones={other}), NOW_MS)
    assert (store.base_tombstones(), store.all_tombstones()) == (set(), {other})
