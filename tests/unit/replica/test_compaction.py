"""Ops leave the log only when everybody under a lease has folded them, and nothing changes for anyone."""

from replica import Forget, Set
from replica.compaction import LEASE_MS, compact, compactable, leased
from replica.core import Core
from replica.refold import refold_after_upgrade
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    acquaint,
    core_of,
    edit,
    group,
    remember,
    say,
    settle,
    sync,
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
    snapshot = read_snapshot(make_snapshot(ann), old)
    assert not absorb(old, snapshot, NOW_MS)
    assert absorb(ben, snapshot, NOW_MS)


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
