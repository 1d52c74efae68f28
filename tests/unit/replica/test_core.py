"""Writing, taking, and what becomes of a device that was copied, restored or set right."""

import socket
from copy import deepcopy
from random import Random

import pytest

from replica import ops
from replica.core import Core
from replica.errors import NameNotFound
from replica.hlc import milliseconds
from replica.ids import MemoryId, derived_memory_id, new_memory_id
from replica.incarnations import ChainEvent
from replica.oplog import Changes, FoldStatus
from replica.ops import Remember, Set, Write
from replica.state.cells import Proposal, TellingLink, edge_key, setting_key
from replica.state.register import winner
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from tests.support.published import published
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    Hand,
    acquaint,
    agree,
    core_of,
    edit,
    everything,
    group,
    memories,
    remember,
    rows_of,
    say,
    settle,
    sync,
    take,
    texts,
)

RID = derived_memory_id("notes.md", "1")


def weight(core: Core) -> object:
    return winner(core.store.load([edge_key("Ann", "knows", "Ben")])[edge_key("Ann", "knows", "Ben")])[2]  # type: ignore[arg-type]


def copy_of(core: Core, name: str) -> Core:
    """The same device on a copy of its disk, as a backup or a clone of the machine has it."""
    return core_of(name, deepcopy(core.store), seed="another start")


# -- the paper's rows ------------------------------------------------------------------------------------------


@published("YD-45")
def test_memories_added_apart_all_survive() -> None:
    cores = group("ann", "ben", "cleo")
    for core in cores:
        remember(core, *(f"{n}" for n in range(5)))
    settle(cores)
    assert agree(*cores)
    assert all(len(memories(core)) == 15 for core in cores)


@published("YD-46")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_an_edge_written_apart_has_one_winner_everywhere(order: tuple[int, ...]) -> None:
    cores = group("ann", "ben", "cleo")
    for n, core in enumerate(cores):
        say(core, ops.Relate("Ann", "knows", "Ben", n / 4), now_ms=NOW_MS + 10 * (n == 1))
    shuffled = [cores[n] for n in order]
    settle(shuffled)
    assert agree(*cores)
    assert {weight(core) for core in cores} == {0.25}, "the latest stamp, among writes that saw no other"


@published("YD-48")
def test_forgotten_stays_forgotten_whatever_else_is_done_to_it() -> None:
    cores = group("ann", "ben", "cleo")
    (rid,) = remember(cores[0], "one")
    settle(cores)
    say(cores[0], ops.Forget((rid,)))
    edit(cores[1], rid, "one, edited meanwhile")
    say(cores[2], Set("importance", 0.9), rid)
    say(cores[2], Remember("one again", {}), rid)
    settle(cores)
    assert agree(*cores)
    assert all(texts(core) == set() for core in cores)
    with pytest.raises(NameNotFound, match="there is no memory"):
        edit(cores[1], rid, "back")


@published("YD-48")
def test_an_old_backup_does_not_bring_it_back() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    backup = copy_of(ann, "ann")
    say(ann, ops.Forget((rid,)))
    settle([ann, ben])
    assert texts(backup) == {"one"}
    settle([backup, ben])
    assert texts(backup) == texts(ben) == set()
    assert agree(backup, ben)


@published("YD-48")
def test_an_importer_that_has_not_heard_does_not_bring_it_back() -> None:
    ann, ben = group("ann", "ben")
    say(ann, Remember("from a file", {}), RID)
    say(ann, ops.Forget((RID,)))
    say(ben, Remember("from a file", {}), RID)
    settle([ann, ben])
    assert texts(ann) == texts(ben) == set()
    assert agree(ann, ben)


@published("YD-49")
def test_proposals_made_apart_are_a_set() -> None:
    cores = group("ann", "ben", "cleo")
    a, b, c, d = sorted(remember(cores[0], "a", "b", "c", "d"))
    settle(cores)
    say(cores[0], ops.Propose((a, b, c)))
    say(cores[1], ops.Propose((b, c, d)))
    withdrawn = say(cores[2], ops.Propose((a, d)))
    say(cores[2], ops.Withdraw((withdrawn.place,)))
    settle(cores)
    settle(cores[::-1])
    assert agree(*cores)
    proposals = [
        {cell.rids for _, cell in core.store.all_cells() if isinstance(cell, Proposal)} for core in cores
    ]
    assert proposals == [{(a, b, c), (b, c, d)}] * 3


def test_links_made_apart_are_a_set_and_an_unlink_takes_what_it_saw() -> None:
    cores = group("ann", "ben", "cleo")
    a, b, c = sorted(remember(cores[0], "a", "b", "c"))
    settle(cores)
    said = say(cores[0], ops.SaysSame((a, b), 90))
    say(cores[1], ops.SaysSame((a, b), 80))
    say(cores[1], ops.SaysSame((b, c), 70))
    say(cores[0], ops.Unlink((said.place,)))
    settle(cores)
    settle(cores[::-1])
    assert agree(*cores)
    links = [
        {(cell.rids, cell.sureness) for _, cell in core.store.all_cells() if isinstance(cell, TellingLink)}
        for core in cores
    ]
    assert links == [{((a, b), 80), ((b, c), 70)}] * 3


@published("YD-50")
def test_the_log_only_grows() -> None:
    """No op is changed or taken away by anything but an erase, which leaves its header."""
    (ann,) = group("ann")
    (rid,) = remember(ann, "one")
    before = rows_of(ann)
    edit(ann, rid, "two")
    say(ann, ops.Forget((rid,)))
    assert rows_of(ann)[: len(before)] == before
    say(ann, ops.Erase((rid,)))
    after = rows_of(ann)
    assert [row.id for row in after[: len(before)]] == [row.id for row in before]
    assert [row.payload is None for row in after] == [True, True, False, False]


@published("YD-52")
def test_a_device_three_minutes_behind_stamps_after_what_it_has_seen() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    sync(ann, ben, NOW_MS - 180_000)
    op = say(ben, Set("importance", 0.5), rid, now_ms=NOW_MS - 180_000)
    assert op.hlc > rows_of(ann)[0].hlc
    assert milliseconds(op.hlc) == NOW_MS


@published("YD-52")
def test_a_stamp_a_year_ahead_drags_nobody_along_and_who_has_seen_it_still_wins() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one", now_ms=NOW_MS + 365 * DAY_MS)
    say(ann, Set("importance", 0.1), rid, now_ms=NOW_MS + 365 * DAY_MS)
    sync(ann, ben)
    op = say(ben, Set("importance", 0.9), rid)
    assert milliseconds(op.hlc) == NOW_MS
    sync(ann, ben)
    assert agree(ann, ben)
    assert memories(ann)[rid].fields == {"importance": 0.9}


@published("D-11")
def test_a_write_that_has_seen_the_other_wins_though_its_clock_is_an_hour_behind() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    say(ann, Set("topic", "first"), rid, now_ms=NOW_MS)
    sync(ann, ben, NOW_MS - 3_600_000)
    ben._clock = type(ben._clock)(0)  # a device that absorbs nothing: only `seen` can decide
    say(ben, Set("topic", "second"), rid, now_ms=NOW_MS - 3_600_000)
    say(ann, Set("theme", "dark"))
    settle([ann, ben])
    assert memories(ann)[rid].fields == memories(ben)[rid].fields == {"topic": "second"}


@published("ML-15")
def test_a_replica_makes_no_network_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("the core reached for the network")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "one")
    sync(ann, ben)
    edit(ben, rid, "two")
    sync(ann, ben)
    assert verify_replica(ann).ok
    assert texts(ann) == {"two"}


# -- who I am --------------------------------------------------------------------------------------------------


def test_a_device_is_one_origin_however_often_it_is_started() -> None:
    core = core_of("ann")
    remember(core, "one")
    origin = core.origin
    for n in range(5):
        core = core_of("ann", core.store)
        remember(core, f"and {n}")
    assert core.origin == origin
    assert len(core.feeds) == 1


def test_what_a_failed_write_was_to_keep_is_kept_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is new among the small facts is written: a write that came to nothing made nothing known."""
    (core,) = group("ann")
    remember(core, "one")

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr(core.store, "write", full)
        with pytest.raises(OSError, match="no space"):
            remember(core, "two")
        core.note(ChainEvent.ECHO, core.device, NOW_MS)
        with pytest.raises(OSError, match="no space"):
            core.write(Changes(), NOW_MS)
    assert len(core.incidents) == 1
    remember(core, "three")
    again = core_of("ann", deepcopy(core.store))
    assert (again.position, again.own_feed, again.incidents) == (2, core.own_feed, core.incidents)
    assert again.store.meta() == core.store.meta()
    remember(again, "four")
    assert again.feeds[0].seq == 3


def test_a_restored_device_that_hears_what_it_lost_becomes_a_new_incarnation_and_loses_nothing() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "before the backup")
    backup = copy_of(ann, "ann")
    remember(ann, "after the backup")
    sync(ann, ben)
    assert backup.heard_of_myself(ben.frontier().heads, ben.device, NOW_MS)
    assert backup.origin != ann.origin
    assert not backup.heard_of_myself(ben.frontier().heads, ben.device, NOW_MS)
    remember(backup, "written since")
    settle([backup, ben])
    assert texts(backup) == texts(ben) == {"before the backup", "after the backup", "written since"}
    assert agree(backup, ben)


def test_a_restored_device_that_writes_first_makes_a_branch_and_both_are_kept() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "before the backup")
    backup = copy_of(ann, "ann")
    remember(ann, "lost on this disk")
    sync(ann, ben)
    remember(backup, "written in its place")
    settle([backup, ben])
    assert texts(backup) == texts(ben) == {"before the backup", "lost on this disk", "written in its place"}
    assert agree(backup, ben)
    assert len([feed for feed in ben.feeds if feed.origin == ann.origin]) == 2
    remember(backup, "and on")
    settle([backup, ben])
    assert agree(backup, ben)


def test_a_restored_device_that_is_handed_its_lost_ops_does_not_go_on_with_that_chain() -> None:
    """By a file, say, where no conversation told it before: its next op must not take the place of one."""
    ann = core_of("ann")
    remember(ann, "before the backup")
    backup = copy_of(ann, "ann")
    remember(ann, "after the backup")
    assert take(backup, everything(ann)).ops == 1
    assert backup.origin != ann.origin
    assert remember(backup, "written since")
    assert take(ann, everything(backup)).ops == 1
    assert agree(ann, backup)


def test_a_restored_device_stamps_after_what_it_gets_back() -> None:
    """Its clock is three minutes behind; a new incarnation is no reason to forget what it has absorbed."""
    ann, ben = group("ann", "ben")
    remember(ann, "before the backup", now_ms=NOW_MS - DAY_MS)
    backup = copy_of(ann, "ann")
    remember(ann, "after the backup")
    sync(ann, ben)
    sync(backup, ben, NOW_MS - 180_000)
    assert backup.origin != ann.origin
    op = say(backup, Set("theme", "dark"), now_ms=NOW_MS - 180_000)
    assert op.hlc > max(row.hlc for row in rows_of(backup) if row.id != op.id)


def test_two_running_clones_of_one_device_converge_in_every_word() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "root")
    twin = copy_of(ann, "ann")
    for n in range(3):
        remember(ann, f"ann {n}")
        remember(twin, f"twin {n}")
        sync(ann, ben)
        sync(twin, ben)
    settle([ann, ben, twin])
    assert agree(ann, ben, twin)
    assert len(texts(ben)) == 7


def test_a_corrected_clock_begins_a_new_incarnation_only_when_no_peer_could_explain_the_old_one() -> None:
    core = core_of("ann")
    remember(core, "one", now_ms=NOW_MS + 25 * 3_600_000)
    origin = core.origin
    say(core, Set("theme", "dark"), now_ms=NOW_MS)
    assert core.origin == origin
    remember(core, "two", now_ms=NOW_MS + DAY_MS * 400)
    op = say(core, Set("theme", "light"), now_ms=NOW_MS)
    assert core.origin != origin
    assert milliseconds(op.hlc) == NOW_MS
    assert winner(core.store.load([setting_key("theme")])[setting_key("theme")])[2] == "light"  # type: ignore[arg-type]


def test_a_store_that_was_copied_to_another_device_is_gone_on_with_as_that_device() -> None:
    ann = core_of("ann")
    remember(ann, "one")
    ben = core_of("ben", deepcopy(ann.store))
    assert ben.origin.device == ben.device != ann.device
    remember(ben, "two")
    assert texts(ben) == {"one", "two"}
    assert len(ben.feeds) == 2


def test_a_wiped_device_gets_its_own_ops_back() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    sync(ann, ben)
    wiped = core_of("ann", seed="after the wipe")
    acquaint(wiped, "ann", "ben")
    sync(wiped, ben)
    assert texts(wiped) == {"one"}
    assert wiped.origin != ann.origin
    remember(wiped, "two")
    sync(wiped, ben)
    assert agree(wiped, ben)


# -- what is not understood ------------------------------------------------------------------------------------


def test_an_op_of_a_later_version_is_kept_forwarded_and_counted_and_folded_after_an_upgrade() -> None:
    ann, ben = group("ann", "ben")
    hand = Hand("cleo")
    for core, name in ((ann, "ann"), (ben, "ben")):
        acquaint(core, name, "cleo")
    known = hand.write(Remember("one", {}), RID)
    later = hand.write(Set("importance", 0.5), RID, version=2)
    unheard_of = hand.write(kind=4_000, plain=b"\xc0", rid=RID)
    before = ann.digests()
    assert take(ann, hand.frame(known, later, unheard_of)).ops == 3
    assert [row.status for row in rows_of(ann)] == [FoldStatus.FOLDED, FoldStatus.UNKNOWN, FoldStatus.UNKNOWN]
    assert ann.digests() != before
    assert ann.totals.unfolded != 0, "two devices differ in digest if one of them did not understand"
    assert memories(ann)[RID].fields == {}
    sync(ann, ben)
    assert agree(ann, ben)
    assert [row.id for row in rows_of(ben)] == [known.id, later.id, unheard_of.id]
    assert verify_replica(ann).ok


def test_an_op_that_its_author_made_wrong_has_no_effect_on_every_device_alike() -> None:
    ann, ben = group("ann", "ben")
    hand = Hand("ben")
    wrong = [
        hand.write(kind=ops.OpKind.REMEMBER, rid=RID, plain=b"\xc1"),
        hand.write(kind=ops.OpKind.REMEMBER, rid=None, plain=b"\x92\xa1a\x80"),
        hand.write(kind=ops.OpKind.EDIT, rid=RID, plain=b"\x92\xc4\x08base..ok\xc4\x02no"),
        hand.write(kind=ops.OpKind.ACCESS, plain=b"\x91\x93\xc4\x10" + RID + b"\xcf" + b"\xff" * 8 + b"\x01"),
    ]
    right = hand.write(Remember("one", {}), RID)
    assert take(ann, hand.frame(*wrong, right)).ops == 5
    assert [row.status for row in rows_of(ann)] == [FoldStatus.UNFOLDABLE] * 4 + [FoldStatus.FOLDED]
    assert texts(ann) == {"one"}
    sync(ann, ben)
    assert agree(ann, ben)


def test_a_fold_is_the_same_from_the_author_from_a_relay_and_from_the_log() -> None:
    random = Random(8)
    cores = group("ann", "ben", "cleo")
    rids: list[MemoryId] = []
    for n in range(40):
        core = random.choice(cores)
        writes = [Write(Remember(f"{n}", {}), new_memory_id(NOW_MS + n, random))]
        held = [rid for rid in rids if rid in memories(core)]
        if held:
            rid = random.choice(held)
            writes += [Write(Set("importance", n / 40), rid), *core.edits_of(rid, f"edited {n}")]
        core.commit(writes, NOW_MS + n)
        rids.append(writes[0].rid)  # type: ignore[arg-type]
        if n % 3 == 0:
            one, other = random.sample(cores, 2)
            sync(one, other, NOW_MS + n)
    settle(cores)
    assert agree(*cores)
    fresh = core_of("dan", MemoryStore())
    fresh.adopt(cores[2].membership)
    take(fresh, everything(cores[2]))
    assert fresh.digests() == cores[0].digests()
