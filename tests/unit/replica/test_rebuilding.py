"""A new group out of a log: what stays is signed as it was, and what goes leaves no trace."""

from random import Random

import pytest

from replica.codec import pack
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.errors import InvalidOp
from replica.ids import DeviceId
from replica.membership import (
    admits_nobody,
    introduce,
    name_author,
    name_root,
    names_author,
    reach_of,
    revoke,
)
from replica.ops import Erase, Forget, Remember, Set, Tag
from replica.rebuilding import (
    Carried,
    authors_of,
    carry_over,
    found,
    holds_of,
    joined_holds,
    mend_texts,
    tell_again,
    told_by,
)
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.verify import verify_replica
from tests.support import replicas
from tests.support.devices import introduced
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    Hand,
    acquaint,
    agree,
    core_of,
    edit,
    everything,
    memories,
    remember,
    rows_of,
    say,
    settle,
    sqlite_store,
    sync,
    take,
    texts,
)


def group(*names: str) -> list[Core]:
    """Devices of one group, with stores that keep ops as rows."""
    return replicas.group(*names, make_store=sqlite_store)


def device(name: str) -> DeviceId:
    return identity(name).device_id


def fresh(name: str) -> Core:
    """An empty store of a device that has another one: it never goes on where that stopped."""
    who = identity(name)
    return Core(sqlite_store(), device=who.device_id, sign=who.sign, random=Random(f"{name} anew"))


def rebuilt(old: Core, name: str, *bad: str, until_ms: int | None = None) -> tuple[Core, Carried]:
    """The group of a device without bad ones."""
    gone = {device(each) for each in bad}
    stay = old.membership.standing - gone - {old.device}
    reaches = authors_of(old, stay, gone, until_ms=until_ms)
    new = fresh(name)
    found(old, new, identity(name).sign, reaches, gone, NOW_MS)
    carried = carry_over(old, new, holds_of(reaches), NOW_MS)
    mend_texts(old, new, holds_of(reaches), carried, NOW_MS)
    return new, carried


def moved(old: Core, name: str, into: Core, host: str) -> tuple[Core, Carried]:
    """A device that moves into a rebuilt group, with what it wrote meanwhile."""
    new = core_of(name, sqlite_store(), seed=" moved")
    new.expect_root(into.device, None)
    acquaint(into, host, name)
    acquaint(new, name, host)
    sync(into, new)
    carried = carry_over(old, new, joined_holds(new), NOW_MS)
    tell_again(old, new, told_by(old, old.device), carried, NOW_MS)
    sync(into, new)
    return new, carried


def ids(core: Core) -> set[bytes]:
    return {op.id for op in everything(core).ops}


def test_ops_of_those_who_stay_are_carried_over_as_they_were_signed() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    (milk,) = remember(ann, "milk")
    settle([ann, ben, eve])
    say(eve, Tag(("hers",)), milk)
    remember(eve, "a lie")
    settle([ann, ben, eve])
    remember(ben, "bread")
    settle([ann, ben, eve])
    new, carried = rebuilt(ann, "ann", "eve")
    assert not carried.refused
    assert texts(new) == {"milk", "bread"}
    assert "tags" not in memories(new)[milk].fields
    honest = {op.id for op in everything(ann).ops if op.origin.device != device("eve")}
    assert ids(new) == honest
    assert carried.dropped == 2


def test_what_only_a_bad_one_forgot_is_back_and_what_others_forgot_is_not() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    milk, bread, salt = remember(ann, "milk", "bread", "salt")
    settle([ann, ben, eve])
    say(eve, Forget((milk, bread)))
    say(ben, Forget((bread,)))
    say(ben, Erase((salt,)))
    settle([ann, ben, eve])
    new, carried = rebuilt(ann, "ann", "eve")
    assert not carried.refused
    assert texts(new) == {"milk"}
    assert new.store.tombstoned([bread, salt]) == {bread, salt}
    assert [proof.author for proof in new.proofs.values()] == [device("ben")]


def test_what_a_bad_one_forgot_is_back_with_whoever_still_has_it_also_where_that_left_the_log() -> None:
    """The founder knew it as gone, and no more of why, so its author's own words were gone there and everywhere."""
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ann, "milk")
    settle([ann, ben, eve])
    bread, salt = remember(ben, "bread", "salt")
    say(eve, Forget((bread, salt)))
    sync(ann, eve)
    say(ann, Forget((salt,)))
    assert compact(ann, NOW_MS + LEASE_MS)
    new, _ = rebuilt(ann, "ann", "eve")
    assert new.store.base_tombstones() == {bread, salt}
    inside, _ = moved(ben, "ben", new, "ann")
    assert texts(inside) == texts(new) == {"milk", "bread"}
    assert agree(new, inside)
    assert verify_replica(new).ok


def test_words_that_a_bad_one_erased_stay_gone_under_a_proof_of_the_founder() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    milk, _ = remember(ann, "milk", "bread")
    settle([ann, ben, eve])
    say(eve, Erase((milk,)))
    settle([ann, ben, eve])
    new, carried = rebuilt(ann, "ann", "eve")
    assert carried.erased == [milk]
    assert texts(new) == {"bread"}
    assert {proof.author for proof in new.proofs.values()} == {device("ann")}
    assert not carried.refused


def test_a_value_that_a_bad_one_overwrote_shows_again_and_one_that_overwrote_it_stays() -> None:
    ann, eve = group("ann", "eve")
    (milk,) = remember(ann, "milk")
    say(ann, Set("place", "kitchen"), milk)
    say(ann, Set("kind", "food"), milk)
    settle([ann, eve])
    say(eve, Set("place", "nowhere"), milk)
    say(eve, Set("kind", "poison"), milk)
    settle([ann, eve])
    say(ann, Set("kind", "drink"), milk)
    new, _ = rebuilt(ann, "ann", "eve")
    fields = memories(new)[milk].fields
    assert (fields["place"], fields["kind"]) == ("kitchen", "drink")


def test_a_text_reads_as_those_left_it_who_stay() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    milk, bread = remember(ann, "milk is white", "bread is brown")
    settle([ann, ben, eve])
    edit(eve, milk, "milk is really white")
    edit(eve, bread, "bread is poison")
    settle([ann, ben, eve])
    edit(ben, milk, "milk is really very white")
    settle([ann, ben, eve])
    edit(eve, milk, "milk is black")
    settle([ann, ben, eve])
    new, carried = rebuilt(ann, "ann", "eve")
    assert texts(new) == {"milk is really very white", "bread is brown"}
    assert carried.texts == [milk]


def test_memories_that_only_bad_ones_told_go_unless_they_are_asked_for() -> None:
    ann, eve = group("ann", "eve")
    lie, truth = remember(eve, "lie", "truth")
    settle([ann, eve])
    say(ann, Tag(("checked",)), truth)
    new, carried = rebuilt(ann, "ann", "eve")
    assert not texts(new)
    tell_again(ann, new, [truth], carried, NOW_MS)
    assert carried.told == [truth]
    (memory,) = memories(new).values()
    assert (memory.rid, memory.text, memory.fields["tags"]) == (truth, "truth", ["checked"])
    tell_again(ann, new, [truth], carried, NOW_MS)
    assert carried.told == [truth], "what is there is not told twice"
    assert lie not in memories(new)


def test_what_a_bad_one_wrote_before_it_turned_bad_is_told_by_who_had_read_it_then() -> None:
    ann, eve = group("ann", "eve")
    remember(eve, "of old", now_ms=NOW_MS)
    sync(ann, eve)
    remember(ann, "seen by then", now_ms=NOW_MS + 10)
    remember(eve, "backdated", now_ms=NOW_MS + 1)  # nobody had seen it by then, whatever it says of itself
    sync(ann, eve)
    remember(ann, "at that moment", now_ms=NOW_MS + 50)
    remember(ann, "much later", now_ms=NOW_MS + 100)
    new, carried = rebuilt(ann, "ann", "eve", until_ms=NOW_MS + 50)
    assert not carried.refused
    honest = {"seen by then", "at that moment", "much later"}
    assert texts(new) == {"of old", *honest}
    assert texts(rebuilt(ann, "ann", "eve")[0]) == honest


def test_of_what_left_the_log_behind_the_moment_nobody_knows_who_had_read_it_by_then() -> None:
    ann, eve = group("ann", "eve")
    remember(eve, "of old", now_ms=NOW_MS)
    sync(ann, eve)
    remember(ann, "mine", now_ms=NOW_MS + 10)
    ann.contacts.clear()
    assert compact(ann, NOW_MS + 20) == 2
    assert texts(rebuilt(ann, "ann", "eve", until_ms=NOW_MS + 10)[0]) == {"mine"}
    assert texts(rebuilt(ann, "ann", "eve", until_ms=NOW_MS + 11)[0]) == {"of old", "mine"}


@pytest.mark.parametrize("limit", ["COMMIT_OPS_MAX", "_BYTES_AT_ONCE"])
def test_many_that_are_told_again_are_told_once_each_and_in_commits_that_may_be_made(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    ann, eve = group("ann", "eve")
    rids = remember(eve, *(f"note {n}" for n in range(5)))
    sync(ann, eve)
    new, carried = rebuilt(ann, "ann", "eve")
    before = len(rows_of(new))
    monkeypatch.setattr(f"replica.rebuilding.{limit}", {"COMMIT_OPS_MAX": 2, "_BYTES_AT_ONCE": 8}[limit])
    tell_again(ann, new, rids, carried, NOW_MS)
    assert texts(new) == {f"note {n}" for n in range(5)}
    assert [row.ends for row in rows_of(new)[before:]] == [False, True, False, True, True]


def test_what_was_forgotten_in_the_new_group_is_not_told_again() -> None:
    ann, eve = group("ann", "eve")
    (lie,) = remember(eve, "lie")
    sync(ann, eve)
    new, carried = rebuilt(ann, "ann", "eve")
    say(new, Forget((lie,)))
    tell_again(ann, new, [lie], carried, NOW_MS)
    assert not carried.told


def test_devices_move_in_with_what_they_wrote_meanwhile_and_agree() -> None:
    ann, ben, cleo, eve = group("ann", "ben", "cleo", "eve")
    remember(ann, "milk")
    settle([ann, ben, cleo, eve])
    new, _ = rebuilt(ann, "ann", "eve")
    (late,) = remember(eve, "late lie")
    sync(ben, eve)
    say(ben, Tag(("seen a lie",)), late)
    remember(ben, "unsynced")
    remember(new, "in the new group")
    ben2, carried = moved(ben, "ben", new, "ann")
    assert not carried.refused
    cleo2, _ = moved(cleo, "cleo", new, "ann")
    settle([new, ben2, cleo2])
    assert agree(new, ben2, cleo2)
    assert texts(new) == {"milk", "unsynced", "in the new group"}
    assert not any(op.origin.device == device("eve") for op in everything(cleo2).ops)


def test_a_bad_one_cannot_come_back_in() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(eve, "before")
    settle([ann, ben, eve])
    new, _ = rebuilt(ann, "ann", "eve")
    before = new.digests()
    taken = take(new, everything(eve))
    assert taken.ops == 0
    assert all("rebuilt without it" in each.reason for each in taken.refusals)
    (rid,) = remember(ann, "milk")
    erase = say(eve, Erase((rid,)))
    new.learn(eve.membership.told(), eve.membership.revocations, eve.proofs.values())
    assert erase.id not in new.proofs
    assert new.digests() == before
    assert device("eve") not in new.membership.standing
    assert new.membership.revoked >= {device("eve")}
    acquaint(new, "ann", "eve")
    assert device("eve") not in new.membership.standing, "also if it is paired again under its key"


def test_no_snapshot_of_a_member_brings_in_what_was_left_out() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(eve, "a lie")
    settle([ann, ben, eve])
    compact(ben, NOW_MS)
    new, _ = rebuilt(ann, "ann", "eve")
    moved(ben, "ben", new, "ann")
    with pytest.raises(InvalidOp, match="rebuilt without"):
        absorb(new, read_snapshot(make_snapshot(ben), new), NOW_MS)
    assert not texts(new)


def test_where_chains_of_a_bad_one_part_nothing_behind_that_is_kept() -> None:
    """By its seq alone nobody knows which of two ops is meant, and one of them may end no commit."""
    ann, _ = group("ann", "eve")
    hand = Hand("eve")
    take(ann, hand.frame(hand.write(Remember("before", {}), bytes(16))))
    clone = hand.fork()
    stem = [hand.write(Remember(f"stem {n}", {}), bytes(15) + bytes([n]), ends=n == 2) for n in (1, 2)]
    branch = [
        clone.write(Remember(f"branch {n}", {}), bytes(14) + bytes([n, n]), ends=n == 3) for n in (1, 2, 3)
    ]
    take(ann, hand.frame(*stem))
    take(ann, clone.frame(*branch))
    remember(ann, "seen all", now_ms=NOW_MS + 10)
    new, carried = rebuilt(ann, "ann", "eve", until_ms=NOW_MS + 1_000)
    assert not carried.refused
    assert texts(new) == {"before", "seen all"}


def test_devices_that_left_long_ago_keep_what_they_wrote_and_write_no_more() -> None:
    ann, old, eve = group("ann", "old", "eve")
    remember(old, "by an old phone")
    settle([ann, old, eve])
    ann.learn([], [revoke(identity("ann").sign, device("ann"), device("old"))])
    new, carried = rebuilt(ann, "ann", "eve")
    assert not carried.refused
    assert texts(new) == {"by an old phone"}
    remember(old, "more")
    assert take(new, everything(old)).ops == 0
    acquaint(new, "ann", "ben")
    new.learn([introduced("old", by="ben"), introduced("eve", by="ben")], [])
    assert new.membership.standing == {device("ann"), device("ben")}


def test_only_the_root_names_authors() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    settle([ann, ben, eve])
    new, _ = rebuilt(ann, "ann", "eve")
    ben2, _ = moved(ben, "ben", new, "ann")
    who = identity("ben")
    forged = name_author(who.sign, who.device_id, public_key=identity("ann").public_key, name="ann", reach={})
    new.learn([forged], [])
    ben2.learn([forged], [])
    for each in (new, ben2):
        assert each.membership.allows(new.origin, 1)
        assert forged not in (*each.membership.members.values(), *each.membership.further), (
            "nor are they kept"
        )
    remember(new, "still heard")
    sync(new, ben2)
    assert agree(new, ben2)


def test_a_root_that_takes_over_goes_by_what_the_one_before_said_of_authors() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(eve, "a lie")
    settle([ann, ben, eve])
    new, _ = rebuilt(ann, "ann", "eve")
    ben2, _ = moved(ben, "ben", new, "ann")
    code, who = identity("code"), identity("ann")
    heir = [
        name_root(code.sign, code.device_id, public_key=code.public_key, name="code"),
        name_root(who.sign, who.device_id, public_key=code.public_key, name="code"),
        introduce(
            code.sign,
            code.device_id,
            public_key=who.public_key,
            certificate=who.certificate,
            name="ann",
        ),
    ]
    new.learn(heir, [])
    ben2.learn(heir, [], by=new.device)
    for each in (new, ben2):
        assert each.membership.root == code.device_id
        assert take(each, everything(eve)).ops == 0
    cleo = core_of("cleo")
    cleo.expect_root(new.device, None)
    acquaint(new, "ann", "cleo")
    acquaint(cleo, "cleo", "ann")
    eves = name_author(code.sign, code.device_id, public_key=identity("eve").public_key, name="eve", reach={})
    new.learn([eves], [])
    sync(new, cleo)
    assert cleo.membership.root == code.device_id
    assert take(cleo, everything(eve)).ops == 0


def test_two_that_rebuild_at_once_become_one_group_when_one_moves_to_the_other() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    remember(ann, "milk")
    settle([ann, ben, eve])
    by_ann, _ = rebuilt(ann, "ann", "eve")
    by_ben, _ = rebuilt(ben, "ben", "eve")
    remember(by_ann, "at ann's")
    remember(by_ben, "at ben's")
    ben2, carried = moved(by_ben, "ben", by_ann, "ann")
    assert not carried.refused
    assert agree(by_ann, ben2)
    assert texts(by_ann) == {"milk", "at ann's", "at ben's"}


@pytest.mark.parametrize("plain", [{}, [[b"short", 3]], [[bytes(8), "three"]], 7])
def test_a_statement_of_an_author_that_cannot_be_read_allows_nothing(plain: object) -> None:
    who = identity("ann")
    statement = introduce(
        who.sign,
        who.device_id,
        public_key=who.public_key,
        certificate=b"samemind author 1\0" + pack(plain),
        name="x",
    )
    assert names_author(statement)
    assert admits_nobody(statement)
    assert not reach_of(statement)


def test_ops_that_left_the_log_are_carried_over_with_the_base() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    milk, bread = remember(ann, "milk", "bread")
    settle([ann, ben, eve])
    lie = remember(eve, "lie")[0]
    say(eve, Set("place", "nowhere"), milk)
    say(eve, Tag(("hers",)), bread)
    edit(eve, bread, "bread is poison")
    settle([ann, ben, eve])
    edit(ben, milk, "milk is white")
    settle([ann, ben, eve])
    assert compact(ann, NOW_MS) > 0
    remember(ann, "after")
    new, carried = rebuilt(ann, "ann", "eve")
    assert not carried.refused
    assert texts(new) == {"milk is white", "bread", "after"}
    assert "place" not in memories(new)[milk].fields
    assert lie not in memories(new)
    assert not new.vouched
    ben2, carried = moved(ben, "ben", new, "ann")
    assert not carried.refused
    assert agree(new, ben2)
