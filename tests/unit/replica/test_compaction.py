"""Ops leave the log only when everybody under a lease has folded them, and nothing changes for anyone."""

from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Any

import pytest
import zstandard

from replica import Forget, MemoryId, Remember, Set, Write
from replica.codec import pack
from replica.compaction import LEASE_MS, CompactionOutlook, compact, compactable, leased, outlook
from replica.core import Core
from replica.errors import InvalidOp, StoreFailed
from replica.history import history
from replica.hlc import HLC_MAX, OWN_AHEAD_MS_MAX
from replica.ids import derived_memory_id
from replica.membership import revoke
from replica.oplog import LogRow
from replica.ops import Untag
from replica.refold import refold_after_upgrade
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from replica.storage.memory_store import MemoryStore
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from replica.verify import verify_replica
from tests.support.published import published
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    Hand,
    MakeStore,
    acquaint,
    core_of,
    edit,
    group,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
    take,
)


def log_length(core: Core) -> int:
    return len(list(core.store.rows()))


def test_a_lone_device_may_fold_everything_and_stays_what_it_was() -> None:
    (ann,) = group("ann")
    rids = remember(ann, "one", "two", "three")
    edit(ann, rids[0], "one and a half")
    say(ann, Forget((rids[1],)))
    before = ann.digests()
    assert compact(ann, NOW_MS) == 5
    assert log_length(ann) == 0
    assert ann.digests() == before
    assert verify_replica(ann).ok
    say(ann, Set("topic", "numbers"), rids[2])
    assert verify_replica(ann).ok
    assert compact(ann, NOW_MS) == 1


def test_ops_that_a_member_has_not_confirmed_stay_in_the_log() -> None:
    cores = ann, ben = group("ann", "ben")
    remember(ann, "one")
    settle(cores)
    remember(ann, "two")
    assert leased(ann, NOW_MS) == [ben.device]
    sync(ann, ben)
    remember(ann, "three")
    sync(ann, ben)  # now ben said that it holds the second
    remember(ann, "four")
    left = {row.seq for row in ann.store.rows()} - {
        row.seq for row in compactable(ann, [ann.contacts[ben.device].folded])
    }
    assert 4 in left
    compact(ann, NOW_MS)
    assert 4 in {row.seq for row in ann.store.rows()}


def test_what_one_of_two_members_lacks_stays_in_the_log_and_the_one_that_lacks_most_is_named() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ben, "one of ben's", "another", "a third")
    sync(ben, ann)
    remember(ann, "one of ann's")
    remember(ann, "another")
    theirs, ours = (feed.no for feed in ann.feeds)
    ann.heard(ben.device, {theirs: 0, ours: 1}, NOW_MS)
    ann.heard(eve.device, {theirs: 3, ours: 0}, NOW_MS)
    assert compact(ann, NOW_MS) == 0
    assert outlook(ann, NOW_MS) == CompactionOutlook(0, ben.device), "it lacks four, and the other two"
    ann.heard(ben.device, {theirs: 3, ours: 2}, NOW_MS)
    assert outlook(ann, NOW_MS) == CompactionOutlook(3, eve.device)
    assert compact(ann, NOW_MS) == 3


def test_no_more_leave_at_once_than_are_wished_for() -> None:
    (ann,) = group("ann")
    for n in range(5):
        remember(ann, f"word {n}")
    assert compact(ann, NOW_MS, ops_max=2) == 2
    assert compact(ann, NOW_MS, ops_max=4) == 3


def test_the_horizon_never_goes_back_where_older_ops_leave_later() -> None:
    ann, ben = group("ann", "ben")
    remember(ben, "older", now_ms=NOW_MS)
    remember(ann, "newer", now_ms=NOW_MS + DAY_MS)
    assert compact(ann, NOW_MS + 2 * DAY_MS) == 1
    sync(ben, ann)
    ann.contacts.clear()
    assert compact(ann, NOW_MS + 2 * DAY_MS) == 1
    assert ann.horizon_ms == NOW_MS + DAY_MS


@pytest.mark.parametrize("ahead_ms", [OWN_AHEAD_MS_MAX + 1, 400 * DAY_MS, (HLC_MAX >> 16) - NOW_MS])
def test_a_stamp_from_the_future_keeps_nothing_in_the_log(ahead_ms: int) -> None:
    """One op of a wrong clock, or a bad member, did so with all that had seen it, for as long as the group lives."""
    ann, _ = group("ann", "eve")
    first, second = remember(ann, "before")[0], bytes(range(16))
    eve = Hand("eve")
    stamp = NOW_MS + 100 * DAY_MS + ahead_ms << 16
    take(ann, eve.frame(eve.write(Remember("from the future", {}), second, hlc=min(stamp, HLC_MAX))))
    later = NOW_MS + 100 * DAY_MS
    assert compact(ann, later, before_ms=NOW_MS + DAY_MS) == 1, "when it came is not known yet"
    edit(ann, first, "behind it", now_ms=NOW_MS + 3 * DAY_MS)
    assert compact(ann, later, before_ms=NOW_MS + 2 * DAY_MS) == 0
    before = ann.digests()
    assert compact(ann, later, before_ms=NOW_MS + 4 * DAY_MS) == 2
    assert ann.digests() == before
    assert ann.horizon_ms <= NOW_MS + 4 * DAY_MS, "what was shown since then can still be told"
    assert verify_replica(ann).ok


def test_many_stamps_from_the_future_cost_one_look_behind_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ann, _ = group("ann", "eve")
    eve = Hand("eve")
    ops = [
        eve.write(Remember(f"no {n}", {}), bytes([n]) * 16, hlc=HLC_MAX - 100 + n, ends=n == 49)
        for n in range(50)
    ]
    take(ann, eve.frame(*ops))
    remember(ann, "behind them")
    looks: list[int] = []
    rows = ann.store.rows

    def counting(*, after: int = 0, limit: int | None = None) -> Any:
        looks.append(after)
        return rows(after=after, limit=limit)

    monkeypatch.setattr(ann.store, "rows", counting)
    assert compact(ann, NOW_MS + 100 * DAY_MS, before_ms=NOW_MS) == 51
    assert len(looks) <= 4


def test_what_is_stamped_in_the_last_millisecond_that_may_leave_leaves() -> None:
    (ann,) = group("ann")
    for _ in range(2):
        remember(ann, "of that millisecond", now_ms=NOW_MS)
    remember(ann, "of the next", now_ms=NOW_MS + 1)
    assert compact(ann, NOW_MS + DAY_MS, before_ms=NOW_MS) == 2


def test_a_compaction_that_the_disk_refuses_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (ann,) = group("ann")
    remember(ann, "one")
    digests, held = ann.digests(), [(feed.base_seq, feed.base_head) for feed in ann.feeds]
    with monkeypatch.context() as patched:
        patched.setattr(ann.store, "write", _full)
        with pytest.raises(StoreFailed):
            compact(ann, NOW_MS)
    assert (ann.horizon_ms, ann.digests()) == (0, digests)
    assert [(feed.base_seq, feed.base_head) for feed in ann.feeds] == held
    assert compact(ann, NOW_MS) == 1
    assert verify_replica(ann).ok


def _full(*_: object) -> None:
    raise StoreFailed("database or disk is full")


def test_a_lapsed_member_holds_nothing_back_and_loses_nothing() -> None:
    cores = ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    settle(cores)
    for i in range(10):
        say(ann, Set("topic", str(i)), rid, now_ms=NOW_MS + i)
    say(ben, Set("project", "mine"), rid)
    later = NOW_MS + LEASE_MS
    assert leased(ann, later) == []
    assert compact(ann, later) == 11
    sync(ann, ben, later)
    assert ann.digests() == ben.digests()
    memory = ann.store.load([key for key, _ in ann.store.all_cells()])
    assert memory
    assert verify_replica(ann).ok
    assert verify_replica(ben).ok


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_a_base_without_what_is_in_mine_is_merged_while_i_hold_more_in_the_log(make_store: MakeStore) -> None:
    ann, ben = group("ann", "ben", make_store=make_store)
    (rid,) = remember(ann, "known to both, and compacted here")
    settle((ann, ben))
    assert compact(ann, NOW_MS)
    remember(ann, "in the log of both")
    sync(ann, ben)
    later = NOW_MS + LEASE_MS + 1
    say(ben, Forget((rid,)), now_ms=later)
    assert compact(ben, later)
    sync(ann, ben, later)
    assert ann.digests() == ben.digests()
    assert verify_replica(ann).ok


def test_two_halves_that_compacted_while_apart_merge_and_lose_nothing() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a memory of both")
    sync(ann, ben)
    later = NOW_MS + LEASE_MS
    (here,) = remember(ann, "only here", now_ms=later)
    (there,) = remember(ben, "only there", now_ms=later)
    say(ann, Set("topic", "ann's"), rid, now_ms=later)
    say(ben, Set("topic", "ben's"), rid, now_ms=later + 1)
    say(ben, Forget((remember(ben, "a slip", now_ms=later)[0],)), now_ms=later)
    assert compact(ann, later)
    assert compact(ben, later)
    sync(ann, ben, later)
    sync(ann, ben, later)
    assert ann.digests() == ben.digests()
    shown = {key.name for key, _ in ann.store.all_cells()}
    assert {rid, here, there} <= shown
    assert verify_replica(ann).ok
    assert verify_replica(ben).ok


def test_a_new_device_gets_the_base_and_then_the_log_above_it() -> None:
    (ann,) = group("ann")
    remember(ann, *(f"memory {i}" for i in range(50)))
    compact(ann, NOW_MS)
    remember(ann, "above the base")
    new = core_of("new")
    acquaint(ann, "ann", "new")
    acquaint(new, "new", "ann")
    sync(new, ann)
    assert new.digests() == ann.digests()
    assert log_length(new) == 1
    assert verify_replica(new).ok
    remember(new, "and on")
    sync(new, ann)
    assert new.digests() == ann.digests()


def test_a_snapshot_of_kinds_that_are_not_understood_waits_for_the_upgrade() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    compact(ann, NOW_MS)
    older = {kind: version for kind, version in ben.understood.items() if kind != 1}
    old = Core(ben.store, device=ben.device, sign=ben.sign, random=ben._random, understood=older)
    data = make_snapshot(ann)
    assert not absorb(old, read_snapshot(data, old), NOW_MS)
    assert absorb(ben, read_snapshot(data, ben), NOW_MS)


def test_a_snapshot_that_a_later_version_lays_out_otherwise_waits_for_the_upgrade() -> None:
    """It is told from a damaged one by its maker's signature, and by the kinds that every version begins with."""
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    compact(ann, NOW_MS)
    body = pack([ann.device, {**ann.understood, 0: 4}, "what comes after", ["is another matter"]])
    signature = ann.sign(b"samemind snapshot 1\0" + sha256(body).digest())
    snapshot = read_snapshot(zstandard.compress(pack([signature, body])), ben)
    assert snapshot.maker == ann.device
    assert not absorb(ben, snapshot, NOW_MS)
    with pytest.raises(InvalidOp, match="nobody here did"):
        read_snapshot(zstandard.compress(pack([bytes(64), body])), ben)


def test_ops_that_an_older_program_kept_are_folded_after_its_upgrade() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    say(ann, Set("topic", "numbers"), rid)
    older = {kind: version for kind, version in ben.understood.items() if kind != 3}
    old = Core(ben.store, device=ben.device, sign=ben.sign, random=ben._random, understood=older)
    sync(ann, old)
    assert not old.has_folded_all
    assert old.digests().visible != ann.digests().visible
    sync(ann, old)
    assert not ann.contacts[old.device].folded, "what it holds and does not understand, it has not folded"
    new = Core(old.store, device=ben.device, sign=ben.sign, random=ben._random)
    assert refold_after_upgrade(new, NOW_MS)
    assert not refold_after_upgrade(new, NOW_MS), "once is enough"
    assert new.digests() == ann.digests()
    assert verify_replica(new).ok


def test_what_is_not_understood_holds_compaction_back() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    older = {kind: version for kind, version in ben.understood.items() if kind != 3}
    old = Core(MemoryStore(), device=ben.device, sign=ben.sign, random=ben._random, understood=older)
    old.adopt(ben.membership)
    sync(ann, old)  # by itself, so that its signature came along
    say(ann, Set("topic", "numbers"), rid)
    remember(ann, "two")
    sync(ann, old)
    old.contacts.clear()
    assert compact(old, NOW_MS) == 1, "only what comes before the op that is not understood"


def test_a_branch_stays_in_the_log_with_the_op_that_it_leaves() -> None:
    (ann, _) = group("ann", "ben")
    ben = Hand("ben")
    rid = derived_memory_id("test", "one")
    one = ben.write(Remember("one", {}), rid)
    newer = ben.write(Set("topic", "numbers"), rid, version=200)
    clone = ben.fork()
    take(ann, ben.frame(one))  # by itself, so that its signature came along
    take(ann, ben.frame(newer, ben.write(Set("topic", "letters"), rid)))
    take(ann, clone.frame(clone.write(Set("topic", "words"), rid)))
    assert len(ann.feeds) == 2
    assert compact(ann, NOW_MS) == 1, "a base that holds the branch holds all that its writer had seen"


def test_a_base_ends_where_its_author_signed() -> None:
    (ann, _) = group("ann", "ben")
    ben = Hand("ben")
    one, two = (ben.write(Remember(text, {}), derived_memory_id("test", text)) for text in ("one", "two"))
    take(ann, ben.frame(one, two))  # two commits, and one signature
    assert compactable(ann, [{0: 1}]) == []
    assert len(compactable(ann, [{0: 2}])) == 2


def test_the_vector_of_a_branch_in_the_base_covers_its_stem_up_to_the_fork() -> None:
    (ann, _) = group("ann", "ben")
    ben = Hand("ben")
    rid = derived_memory_id("test", "one")
    one = ben.write(Remember("one", {}), rid)
    clone = ben.fork()
    take(ann, ben.frame(one, ben.write(Set("topic", "letters"), rid)))
    take(ann, clone.frame(clone.write(Set("topic", "words"), rid)))
    assert compact(ann, NOW_MS) == 3
    assert [feed.base_vector for feed in ann.feeds] == [{0: 2}, {0: 1, 1: 2}]


def test_who_lacks_what_has_left_already_lets_no_more_leave_and_not_less_than_none() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one", "two", "three")
    assert compact(ann, NOW_MS + LEASE_MS)
    remember(ann, "four")
    ann.heard(ben.device, {}, NOW_MS)
    assert outlook(ann, NOW_MS) == CompactionOutlook(0, ben.device)
    ann.heard(ben.device, ann.feeds.held(), NOW_MS)
    assert outlook(ann, NOW_MS) == CompactionOutlook(1, None)


def test_who_was_heard_of_by_a_clock_that_was_years_ahead_holds_nothing_back() -> None:
    ann, ben = group("ann", "ben")
    for ahead_ms, held_back in ((DAY_MS, True), (LEASE_MS, False)):
        ann.heard(ben.device, ann.feeds.held(), NOW_MS + ahead_ms)
        assert (leased(ann, NOW_MS) == [ben.device]) is held_back


def test_who_was_put_out_holds_nothing_back() -> None:
    ann, ben = group("ann", "ben")
    sync(ann, ben)
    assert leased(ann, NOW_MS) == [ben.device]
    ann.learn([], [revoke(ann.sign, ann.device, ben.device)])
    assert leased(ann, NOW_MS) == []


@published("ML-10")
def test_what_is_younger_than_the_horizon_is_told_in_full_and_the_horizon_is_known() -> None:
    (ann,) = group("ann")
    day = 86_400_000
    (old,) = remember(ann, "v1 of long ago", now_ms=NOW_MS)
    edit(ann, old, "v2 of long ago", now_ms=NOW_MS + day)
    (new,) = remember(ann, "of today", now_ms=NOW_MS + 100 * day)
    edit(ann, new, "of today, later", now_ms=NOW_MS + 100 * day + 1)
    before = ann.digests()
    assert ann.horizon_ms == 0, "everything is told"
    assert compact(ann, NOW_MS + 101 * day, before_ms=NOW_MS + 11 * day) == 2
    assert ann.horizon_ms == NOW_MS + day
    assert ann.digests() == before
    told = [happened.text for happened in history(new, ann.store.memory_rows(new))]
    assert told == ["of today", "of today, later"]
    assert compact(ann, NOW_MS + 101 * day, before_ms=NOW_MS + 11 * day) == 0
    assert verify_replica(ann).ok


def test_a_newcomer_learns_from_a_snapshot_up_to_when_nothing_is_told() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "folded long ago")
    compact(ann, NOW_MS)
    sync(ann, ben)
    assert ben.horizon_ms == ann.horizon_ms == NOW_MS


def test_a_stamp_of_the_future_hides_nothing_that_is_yet_to_come() -> None:
    (ann,) = group("ann")
    remember(ann, "by a clock that is a year ahead", now_ms=NOW_MS + 366 * 86_400_000)
    compact(ann, NOW_MS)
    assert ann.horizon_ms == NOW_MS


def test_of_a_long_log_little_leaves_at_once_and_of_a_long_batch_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes meanwhile waits for one step."""
    monkeypatch.setattr("replica.compaction._FOLDED_AT_ONCE", 10)
    (ann,) = group("ann")
    for _ in range(5):
        remember(ann, *(f"note {m}" for m in range(4)))
    ann.commit(
        [Write(Remember(f"one of many {m}", {}), MemoryId(bytes([m]) * 16)) for m in range(30)], NOW_MS
    )
    moved = []
    while step := compact(ann, NOW_MS):
        moved.append(step)
        assert verify_replica(ann).ok
    assert moved == [12, 38]


def test_a_long_log_leaves_some_at_a_time_and_every_step_holds() -> None:
    ann, ben = group("ann", "ben")
    for n in range(6):
        remember(ann, *(f"note {n} {m}" for m in range(7)))
        remember(ben, f"ben {n}")
        sync(ann, ben)
    sync(ann, ben)
    before = ann.digests()
    moved = []
    while step := compact(ann, NOW_MS, ops_max=10):
        moved.append(step)
        assert ann.digests() == before
        assert verify_replica(ann).ok
    assert max(moved) <= 10
    assert sum(moved) == 48
    assert log_length(ann) == 0


def test_what_one_member_lacks_is_not_read_by_each_step_that_lets_the_rest_leave() -> None:
    read: list[int] = []

    class Counted(SqliteStore):
        def rows(self, *, after: int = 0, limit: int | None = None) -> Iterator[LogRow]:
            for row in super().rows(after=after, limit=limit):
                read.append(row.pos)
                yield row

    ann = core_of("ann", Counted(connect(":memory:")))
    ben, dan = core_of("ben"), core_of("dan")
    for core, name in ((ann, "ann"), (ben, "ben"), (dan, "dan")):
        acquaint(core, name, "ann", "ben", "cat", "dan")
    remember(ben, *(f"what cat lacks {n}" for n in range(50)))
    sync(ben, ann)
    remember(dan, *(f"what all hold {n}" for n in range(20)))
    sync(dan, ann)
    (feed,) = (feed for feed in ann.feeds if feed.origin.device == dan.device)
    read.clear()
    assert [row.pos for row in compactable(ann, [{feed.no: feed.seq}])] == [*range(51, 71)]
    assert min(read) == 51


def test_the_short_ids_of_a_base_are_read_in_one_piece() -> None:
    for store in (MemoryStore(), sqlite_store()):
        ann = core_of("ann", store)
        for n in range(3):
            remember(ann, f"one {n}", f"two {n}")
            compact(ann, NOW_MS)
        feed = ann.feeds[0]
        ids = b"".join(ann.feeds.id8(0, seq) for seq in range(1, feed.base_seq + 1))
        assert store.spine(0) == ids
        assert len(ids) == 48
        assert store.spine(7) == b""


def test_a_long_log_on_few_memories_comes_to_no_more_than_a_snapshot_of_them() -> None:
    """Forty ops on each, as 200,000 on 5,000: what is kept of the log is the base, and eight bytes for each op."""
    store = sqlite_store()
    ann = core_of("ann", store)
    acquaint(ann, "ann")
    rids = remember(ann, *(f"note {n} of fifty, none of them like another: {n * n}" for n in range(50)))
    chance = Random(4)
    for at in range(1, 40):
        writes = [Write(Set("topic", f"topic {chance.random()}"), rid) for rid in rids]
        if at % 10 == 0:
            writes = [
                write for rid in rids for write in ann.edits_of(rid, f"note {chance.random()} of fifty")
            ]
        ann.commit(writes, NOW_MS + at)
    before = ann.digests()
    assert log_length(ann) == 2_000
    assert compact(ann, NOW_MS) == 2_000
    assert log_length(ann) == 0
    assert ann.digests() == before
    ((base,),) = store.connection.execute(
        "SELECT sum(length(name) + length(CASE WHEN base = x'' THEN state ELSE base END)) FROM cell"
    )
    ((spine,),) = store.connection.execute("SELECT sum(length(ids)) FROM spine")
    _, snapshot = unseal(make_snapshot(ann))
    assert base + spine <= 1.5 * len(snapshot)


def test_memories_that_were_only_added_take_little_more_than_their_words() -> None:
    """Beside the words: random bytes of ids, eight of each op in the spine, and what few numbers differ."""
    ann, ben = group("ann", "ben", make_store=sqlite_store)
    chance = Random(5)
    words = [f"note of {chance.randbytes(20).hex()}" for _ in range(2_000)]
    remember(ann, *words[:1_000])
    remember(ann, *words[1_000:], now_ms=NOW_MS + 60_000)
    compact(ann, NOW_MS + 60_000)
    snapshot = make_snapshot(ann)
    random_bytes = 8 + 10
    assert len(snapshot) < len(zstandard.compress("".join(words).encode())) + 2_000 * (random_bytes + 6)
    assert absorb(ben, read_snapshot(snapshot, ben), NOW_MS)
    assert ben.digests() == ann.digests()
    assert ben.store.check(ben.store.all_cells()) == []


def test_added_memories_of_many_writers_keep_their_fields_and_their_makers() -> None:
    """What comes in columns has another number on every device that knew somebody before."""
    ann, ben, cleo = group("ann", "ben", "cleo", make_store=sqlite_store)
    for n in range(3):
        for core in (ben, ann):
            said = Remember(f"by {core.device.hex()[:4]}, {n}", {"topic": "t", "tags": [str(n)]} if n else {})
            say(core, said, derived_memory_id("test", f"{core.device.hex()} {n}"), now_ms=NOW_MS - n)
    sync(ann, ben)
    sync(ann, ben)
    (known,) = remember(cleo, "known before")
    assert compact(ann, NOW_MS) == 6
    assert absorb(cleo, read_snapshot(make_snapshot(ann), cleo), NOW_MS)
    sync(cleo, ann)
    sync(cleo, ann)
    assert cleo.digests() == ann.digests()
    assert verify_replica(cleo).ok
    assert known in {key.name for key, _ in ann.store.all_cells()}


def live(make_store: MakeStore, seed: int) -> list[Core]:
    """Have two devices do this and that, together and apart, and compact some of it now and then."""
    chance = Random(seed)
    cores = group("ann", "ben", make_store=make_store)
    known: list[MemoryId] = []
    for step in range(40):
        core, now_ms = chance.choice(cores), NOW_MS + step
        match chance.randrange(10 if known else 5):
            case 0 | 1 | 2 | 3 | 4:
                known += remember(core, *(f"{step} {n}" for n in range(chance.randint(1, 4))))
            case 5:
                say(core, Set("topic", str(step)), chance.choice(known), now_ms=now_ms)
            case 6:
                say(core, Forget((chance.choice(known),)), now_ms=now_ms)
            case 7:
                say(core, Untag(("nobody put it on",)), chance.choice(known), now_ms=now_ms)
            case 8:
                settle(cores)
            case _:
                compact(core, now_ms, ops_max=chance.randint(3, 30))
    settle(cores)
    for core in cores:
        compact(core, NOW_MS + 100)
    return cores


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
@pytest.mark.parametrize("seed", range(12))
def test_what_was_only_added_comes_into_the_base_as_if_it_were_folded_again(
    make_store: MakeStore, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived = live(make_store, seed)
    for store in (MemoryStore, SqliteStore):
        monkeypatch.setattr(store, "bare_adds", lambda self, first, last: frozenset[int]())
    folded = live(make_store, seed)
    for core, other in zip(lived, folded, strict=True):
        assert [*core.store.packed_base()] == [*other.store.packed_base()]
        assert dict(core.store.all_cells()) == dict(other.store.all_cells())
        assert core.store.base_tombstones() == other.store.base_tombstones()
        assert core.digests() == other.digests()
        assert verify_replica(core).ok


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
def test_bare_adds_are_those_of_which_nothing_else_is_known(make_store: MakeStore) -> None:
    (ann,) = group("ann", make_store=make_store)
    rids = remember(ann, "left alone", "changed", "forgotten", "alone as well")
    say(ann, Set("topic", "numbers"), rids[1])
    say(ann, Forget((rids[2],)))
    assert ann.store.bare_adds(1, ann.position) == {1, 4}
    assert ann.store.bare_adds(2, 3) == frozenset()
    compact(ann, NOW_MS)
    (told,) = remember(ann, "in the log")
    assert {ann.store.bare_adds(1, ann.position) == {row.pos} for row in ann.store.rows()} == {True}
    say(ann, Set("topic", "more"), told)
    assert ann.store.bare_adds(1, ann.position) == frozenset()
