"""A member hands over snapshots that say what no op said, to devices that hold the ops themselves.

The victim held every op, signed, in its log; one snapshot of 492 bytes emptied it, and its own base then emptied the
next device. Nothing that is held may go, or change, on anybody's word.
"""

import uuid
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from replica.codec import pack, payload_hash
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.errors import InvalidOp
from replica.evidence import Accused, Fault
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import DRAWN_WITHIN_MS, MemoryId, OpId, derived_memory_id, device_id, new_memory_id
from replica.late import may_ask
from replica.oplog import Store
from replica.ops import Edit, Erase, Forget, Propose, Remember, SaysSame, Set, Unlink, Withdraw
from replica.proving import give_way
from replica.purging import erasure_status
from replica.signing import sign_commit
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.snapshot_adds import AddedRow
from replica.state.cells import CellKind, Key, maker_of, memory_key
from replica.state.memories import Memory, MemoryCell
from replica.state.text import EditedText, base_name
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from replica.vouched import vouched_ops, voucher
from tests.support.links import identity
from tests.support.lying import LIES, Lie, wipe
from tests.support.lying import texts as rewritten
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
    sqlite_store,
    sync,
    texts,
)

LATER_MS = NOW_MS + LEASE_MS
MakeStore = Callable[[], Store]
STORES = pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])


def believed(make_store: MakeStore = MemoryStore) -> tuple[Core, Core, Core]:
    """Two honest devices and a liar, who hold everything, each in its log."""
    cores = ann, ben, eve = group("ann", "ben", "eve", make_store=make_store)
    remember(ann, "never take penicillin")
    remember(ben, "the code is 4711")
    remember(eve, "an innocent remark")
    settle(cores)
    return ann, ben, eve


def shown(core: Core) -> dict[bytes, Memory]:
    """What shows, without what each device numbers in its own way."""
    return {rid: each._replace(feed=0) for rid, each in memories(core).items()}


def handed(core: Core, snapshot: bytes, now_ms: int = LATER_MS) -> None:
    assert absorb(core, read_snapshot(snapshot, core), now_ms)


@STORES
@pytest.mark.parametrize("lie", LIES)
def test_what_covers_only_what_is_held_changes_nothing(lie: str, make_store: MakeStore) -> None:
    ann, ben, eve = believed(make_store)
    before, rows = ann.digests(), rows_of(ann)
    spoilt = Lie.of(eve)
    LIES[lie](spoilt, Random(1))
    handed(ann, spoilt.sealed())
    assert ann.digests() == before
    assert rows_of(ann) == rows
    denied = lie in ("wipe", "words")
    assert (Accused(eve.device, Fault.SNAPSHOT_DENIES) in ann.evidence) == denied
    assert verify_replica(ann).ok
    assert agree(ann, ben)


@STORES
@pytest.mark.parametrize("lie", LIES)
def test_what_comes_with_ops_that_are_news_takes_nothing_away(lie: str, make_store: MakeStore) -> None:
    """Invented ops on its own chain, which a member may sign as it likes, make no difference to what others wrote."""
    ann, ben, eve = believed(make_store)
    before, rows = memories(ann), rows_of(ann)
    spoilt = Lie.of(eve)
    LIES[lie](spoilt, Random(1))
    spoilt.invent(500, Random(2))
    handed(ann, spoilt.sealed())
    assert memories(ann).keys() == before.keys()
    if lie != "accesses":  # a member may say of itself how often it recalled something
        assert memories(ann) == before
    assert rows_of(ann) == rows, "held ops leave the log by compaction of one's own only"
    assert verify_replica(ann).ok
    handed(ben, make_snapshot(ann))
    sync(ann, ben, LATER_MS)
    assert agree(ann, ben)


def test_ops_that_were_invented_on_others_chains_are_refused() -> None:
    """They were what carried an empty base from its first victim to the next."""
    ann, _, eve = believed()
    before = ann.digests()
    spoilt = Lie.of(eve)
    wipe(spoilt, Random(1))
    spoilt.invent_for_all(500, Random(2))
    with pytest.raises(InvalidOp, match="its author signed"):
        handed(ann, spoilt.sealed())
    for feed in spoilt.feeds:
        feed[7] = sign_commit(eve.sign, OpId(feed[6]))
    with pytest.raises(InvalidOp, match="its author signed"):
        handed(ann, spoilt.sealed())
    assert ann.digests() == before


def test_ops_of_devices_that_nobody_introduced_are_refused() -> None:
    ann, _, eve = believed()
    before = ann.digests()
    who = identity("nobody")
    spoilt = Lie.of(eve)
    head = OpId(bytes(32))
    spoilt.feeds.append(
        [device_id(who.public_key), bytes(8), None, 0, {}, 1, head, sign_commit(who.sign, head), {}, head[:8]]
    )
    with pytest.raises(InvalidOp, match="a stranger's"):
        handed(ann, spoilt.sealed())
    spoilt.feeds.pop()
    spoilt.origins.append([device_id(who.public_key), bytes(8)])
    with pytest.raises(InvalidOp, match="members' ops"):
        handed(ann, spoilt.sealed())
    assert ann.digests() == before


def test_more_feeds_than_heads_may_name_are_refused() -> None:
    """Eleven thousand of them in one base, and nobody could read the heads of the victim any more."""
    ann, _, eve = believed()
    spoilt = Lie.of(eve)
    spoilt.knows_all = False
    head = OpId(bytes(32))
    signature = sign_commit(eve.sign, head)
    for number in range(11_000):
        spoilt.feeds.append([eve.device, number.to_bytes(8), None, 0, {}, 1, head, signature, {}, head[:8]])
    with pytest.raises(InvalidOp, match="feeds of one device"):
        handed(ann, spoilt.sealed())


@STORES
def test_a_base_of_ones_own_is_worth_as_much_as_the_log(make_store: MakeStore) -> None:
    """What was compacted here was folded here of signed ops."""
    ann, _, eve = believed(make_store)
    (rid,) = remember(ann, "after that")
    sync(ann, eve)
    spoilt = Lie.of(eve)
    wipe(spoilt, Random(1))
    spoilt.tombstones = [rid]
    spoilt.invent(3, Random(2))
    assert compact(ann, LATER_MS)
    before = memories(ann)
    handed(ann, spoilt.sealed(), LATER_MS + 1)
    assert memories(ann) == before
    assert verify_replica(ann).ok


@STORES
@pytest.mark.parametrize("meets_first", [True, False])
def test_a_memory_that_the_snapshot_does_not_cover_is_held_all_the_same(
    make_store: MakeStore, meets_first: bool
) -> None:
    """Nobody can have deleted it who had not seen it; and that cannot be left out of what had been seen."""
    ann, eve = group("ann", "eve", make_store=make_store)
    if not meets_first:
        remember(ann, "before")
        sync(ann, eve)
    remember(eve, "an innocent remark")
    spoilt = Lie.of(eve)
    (rid,) = remember(ann, "after that")
    spoilt.tombstones = [rid]
    handed(ann, spoilt.sealed())
    assert rid in memories(ann)
    assert verify_replica(ann).ok
    sync(ann, eve, LATER_MS)
    assert agree(ann, eve)


@pytest.mark.parametrize(
    "rid",
    [
        derived_memory_id("notes", "7"),
        MemoryId(uuid.UUID("9f1c24a6-51a3-4c53-9d0c-1a1b6a0f6b11").bytes),
        new_memory_id(NOW_MS - DRAWN_WITHIN_MS - 1, Random(3)),
    ],
    ids=["derived", "chosen", "from an export"],
)
def test_an_import_that_was_forgotten_elsewhere_before_stays_forgotten(rid: MemoryId) -> None:
    """0.1.0 kept no signed deletion in its base: there the word of a member is all that there is."""
    ann, eve = group("ann", "eve")
    for core in (ann, eve):
        say(core, Remember("an import", {}), rid)
    say(eve, Forget((rid,)))
    honest = Lie.of(eve)
    honest.layout = 2
    honest.adds.clear()
    honest.tombstones = [rid]
    handed(ann, honest.sealed())
    assert memories(ann) == {}
    sync(ann, eve, LATER_MS)
    assert agree(ann, eve)


def test_a_memory_that_was_said_to_be_gone_before_it_came_is_back_with_what_is_signed() -> None:
    """As if it had come first."""
    ann, ben, eve = group("ann", "ben", "eve")
    remember(eve, "an innocent remark")
    settle((ann, eve))
    spoilt = Lie.of(eve)
    spoilt.invent(1, Random(2))
    (rid,) = remember(ann, "after that")
    spoilt.tombstones = [rid]
    handed(ben, spoilt.sealed())
    sync(ann, ben, LATER_MS)
    assert rid in memories(ben)
    assert shown(ben) == shown(ann)
    assert verify_replica(ben).ok


def test_a_snapshot_as_0_1_0_laid_it_out_gets_no_further() -> None:
    ann, _, eve = believed()
    before = memories(ann)
    for lie in LIES:
        spoilt = Lie.of(eve)
        spoilt.layout = 2
        LIES[lie](spoilt, Random(1))
        handed(ann, spoilt.sealed())
    assert memories(ann) == before


@STORES
def test_a_device_that_was_away_lets_go_what_a_signed_op_deleted(make_store: MakeStore) -> None:
    """The op left the log, and came along within the snapshot."""
    ann, _, eve = believed(make_store)
    (rid,) = [rid for rid, each in memories(ann).items() if "4711" in each.text]
    say(eve, Forget((MemoryId(rid),)))
    compact(eve, LATER_MS)
    handed(ann, make_snapshot(eve))
    assert rid not in memories(ann)
    assert len(ann.store.remains()) == 1
    assert verify_replica(ann).ok
    sync(ann, eve, LATER_MS)
    assert agree(ann, eve)


@STORES
def test_the_deletion_is_of_use_only_as_its_author_signed_it(make_store: MakeStore) -> None:
    ann, ben, eve = believed(make_store)
    kept, other = (
        next(MemoryId(rid) for rid, each in memories(ann).items() if word in each.text)
        for word in ("4711", "penicillin")
    )
    say(eve, Forget((other,)))
    compact(eve, LATER_MS)
    spoilt = Lie.of(ben)  # to have the spines
    (frame,) = eve.store.remains()
    lies: list[tuple[list[Any], str]] = [
        ([frame[:-9] + bytes(9)], "expected"),
        ([frame], "covers, got one beside it"),  # the snapshot does not reach as far
        ([b""], "expected"),
        ([7], "as frames"),
    ]
    for lie, why in lies:
        spoilt.remains = list(lie)
        with pytest.raises(InvalidOp, match=why):
            handed(ann, spoilt.sealed())
    assert {kept, other} <= memories(ann).keys()


@STORES
def test_whoever_vouches_is_named_and_named_on(make_store: MakeStore) -> None:
    """Of what came within a snapshot there is its maker's word, which does not become that of who passes it on."""
    ann, ben, eve, fay = group("ann", "ben", "eve", "fay", make_store=make_store)
    remember(eve, "by eve", "more by eve")
    compact(eve, LATER_MS)
    handed(ann, make_snapshot(eve))
    remember(ann, "signed")
    compact(ann, LATER_MS + LEASE_MS)
    handed(ben, make_snapshot(ann), LATER_MS + LEASE_MS)
    assert vouched_ops(ann) == {eve.device: 2}
    assert vouched_ops(ben) == {eve.device: 2, ann.device: 1}
    (mine,) = [feed.no for feed in ben.feeds if feed.origin.device == eve.device]
    assert [voucher(ben, mine, seq) for seq in (1, 2, 3)] == [eve.device, eve.device, None]
    again = Core(ben.store, device=ben.device, sign=ben.sign, random=ben._random)
    assert vouched_ops(again) == vouched_ops(ben)
    handed(eve, make_snapshot(ben), LATER_MS + LEASE_MS)
    assert vouched_ops(eve) == {ann.device: 1}, "what is held here needs no voucher"
    handed(fay, make_snapshot(ben), LATER_MS + LEASE_MS)
    assert vouched_ops(fay) == vouched_ops(ben)
    found = verify_replica(ben)
    assert found.ok
    assert found.vouched == {eve.device: 2, ann.device: 1}, "what nobody could check is told with the rest"
    assert verify_replica(eve).vouched == {ann.device: 1}


def test_crooked_vouchers_are_refused() -> None:
    ann, _, eve = believed()
    spoilt = Lie.of(eve)
    crooked: list[Any] = [
        [0, 1, 10**6, eve.device],
        [0, 0, 1, eve.device],
        [9, 1, 1, eve.device],
        [0, 1, 1, b"x"],
        7,
    ]
    for each in crooked:
        spoilt.vouched = [each]
        with pytest.raises(InvalidOp, match="a voucher"):
            handed(ann, spoilt.sealed())


def test_a_deletion_that_is_put_into_anothers_mouth_is_refused() -> None:
    """What stands between two heads of a feed nobody signed for itself, so a liar can make room there."""
    ann, ben, eve = believed()
    rid = MemoryId(next(iter(memories(ann))))
    remember(ben, "two")
    remember(ben, "three")
    sync(ben, eve)
    spoilt = Lie.of(eve)
    (feed,) = [feed for feed in spoilt.feeds if feed[0] == ben.device]
    assert feed[5] == 3
    op = Hand("ben", feed[1], seq=1, prev=OpId(bytes(32))).write(Forget((rid,)))
    feed[9] = feed[9][:8] + op.id[:8] + feed[9][16:]
    spoilt.adds = [row for row in spoilt.adds if row.rid != rid]
    spoilt.tombstones = [rid]
    segment = Segment(op.origin, op.seq, op.prev, sign_commit(eve.sign, op.id), None)
    spoilt.remains = [encode_frame(Frame((segment,), (op,), (0,)))]
    with pytest.raises(InvalidOp, match="signed by the member who wrote"):
        handed(ann, spoilt.sealed())
    assert rid in memories(ann)


def test_a_memory_that_no_op_added_is_not_taken_for_an_op_that_is_held() -> None:
    ann, _, eve = believed()
    before = memories(ann)
    spoilt = Lie.of(eve)
    spoilt.adds[0] = spoilt.adds[0]._replace(rid=bytes(16), text="what nobody said")
    spoilt.invent(1, Random(1))
    handed(ann, spoilt.sealed())
    assert memories(ann) == before


def test_a_deletion_is_handed_on_by_whoever_got_it() -> None:
    ann, ben, eve = believed()
    (rid, *_) = memories(ann)
    say(ann, Forget((MemoryId(rid),)))
    compact(ann, LATER_MS)
    handed(eve, make_snapshot(ann))
    handed(ben, make_snapshot(eve))
    assert ben.store.remains() == ann.store.remains() != []
    assert rid not in memories(ben)


def test_receipts_count_of_devices_that_wrote_one_only() -> None:
    """Everybody seemed to have confirmed: one that was switched off, and one that does not exist."""
    ann, ben, eve = believed()
    rid = remember(ann, "a secret")[0]
    settle((ann, ben, eve))
    say(ann, Erase((rid,)))
    sync(ann, eve)
    spoilt = Lie.of(eve)
    spoilt.tombstones = [rid]
    spoilt.cells.append([4, rid, pack(sorted([ben.device, eve.device]))])
    handed(ann, spoilt.sealed())
    assert erasure_status(ann, rid).confirmed == ()
    spoilt.invent(1, Random(3))
    handed(ann, spoilt.sealed())
    assert erasure_status(ann, rid).confirmed == (eve.device,)
    assert ben.device in erasure_status(ann, rid).outstanding
    spoilt.cells[-1] = [4, rid, pack([bytes(32)])]
    with pytest.raises(InvalidOp, match="each by an op of the snapshot"):
        handed(ann, spoilt.sealed())


def test_fields_and_edits_that_were_made_meanwhile_come_to_a_device_that_was_away() -> None:
    """Or nothing would be merged at all, and all of the above would be easy."""
    ann, ben, eve = believed()
    rids = sorted(MemoryId(rid) for rid in memories(ann))
    edit(eve, rids[0], "edited meanwhile")
    say(eve, Set("topic", "meanwhile"), rids[1])
    say(ann, Set("topic", "here, knowing nothing of that"), rids[1])
    say(eve, Set("topic", "twice"), rids[1])
    say(ben, Set("topic", "mine"), rids[2])
    compact(eve, LATER_MS)
    handed(ann, make_snapshot(eve))
    sync(ann, eve, LATER_MS)
    sync(ann, ben, LATER_MS)
    sync(ann, eve, LATER_MS)
    assert agree(ann, ben, eve)
    assert "edited meanwhile" in texts(ann)


@STORES
def test_words_that_no_op_wrote_do_not_get_into_a_text_that_is_held(make_store: MakeStore) -> None:
    """Documents carry no dots, so of a text that is held nothing counts but edits as their authors signed them."""
    ann, ben, eve = believed(make_store)
    before = shown(ann)
    spoilt = Lie.of(eve)
    rewritten(spoilt, Random(1))
    spoilt.invent(1, Random(1))
    handed(ann, spoilt.sealed())
    assert shown(ann) == before
    handed(ben, make_snapshot(ann))
    assert shown(ben) == before


@STORES
def test_an_edit_of_0_1_0_comes_to_a_device_that_imported_the_same_before_the_two_met(
    make_store: MakeStore,
) -> None:
    """No signed edit is left of it, and what is held here was added by an op that the base does not cover.

    So there a document is believed: a liar who adds the same gets no more by it than by an edit in its own name.
    """
    ann, ben = group("ann", "ben", make_store=make_store)
    remember(ann, "before")
    sync(ann, ben)
    rid = derived_memory_id("notes", "7")
    for core in (ann, ben):
        say(core, Remember("the code is 4711", {}), rid)
    edit(ann, rid, "the code is 4712")
    old = Lie.of(ann)
    old.layout = 2
    old.rewrite(next(row for row in old.adds if row.rid == rid), "the code is 4712")
    handed(ben, old.sealed())
    assert texts(ben) == {"before", "the code is 4712"}
    assert verify_replica(ben).ok


def test_what_the_writer_of_an_op_had_seen_is_told_by_that_op_alone() -> None:
    ann, _, eve = believed()
    compact(ann, LATER_MS)
    before = [(feed.vector, feed.base_vector) for feed in ann.feeds]
    spoilt = Lie.of(eve)
    assert spoilt.knows_all
    spoilt.invent(1, Random(1))
    handed(ann, spoilt.sealed())
    for feed, told in zip(ann.feeds, before, strict=True):
        assert feed.origin.device == eve.device or (feed.vector, feed.base_vector) == told


@STORES
def test_a_text_is_edited_by_what_was_signed_and_by_nothing_beside_it(make_store: MakeStore) -> None:
    """A true edit that left the log comes along, and an invented one in the same document does not."""
    ann, ben, eve = believed(make_store)
    rid = next(MemoryId(rid) for rid, each in memories(ben).items() if "4711" in each.text)
    edit(ben, rid, "the code is 4712", now_ms=NOW_MS + 5)
    sync(ben, eve)
    spoilt = Lie.of(eve)
    (row,) = [row for row in spoilt.adds if row.rid == rid]
    cell = eve.store.load([memory_key(rid)])[memory_key(rid)]
    assert isinstance(cell, MemoryCell)
    ((base, document),) = cell.edits.items()
    document.apply(document.edit("the code is 0000, and nobody said so", Random(3)))
    spoilt.in_cell(row, edits={base: document.state()}, edited=row.hlc + (DAY_MS << 16))
    compact(ben, LATER_MS)
    spoilt.remains = ben.store.remains()
    handed(ann, spoilt.sealed())
    assert shown(ann) == shown(ben)
    assert "the code is 4712" in texts(ann)


@STORES
def test_an_edit_that_came_by_somebodys_word_is_made_good_by_its_author(make_store: MakeStore) -> None:
    """A snapshot left the edit out, and covered its op; the next one brings what was signed."""
    ann, ben, eve = believed(make_store)
    rid = next(MemoryId(rid) for rid, each in memories(ben).items() if "4711" in each.text)
    edit(ben, rid, "the code is 4712")
    sync(ben, eve)
    handed(ann, Lie.of(eve).sealed())
    assert "the code is 4711" in texts(ann)
    remember(ben, "and then")
    compact(ben, LATER_MS)
    handed(ann, make_snapshot(ben))
    assert "the code is 4712" in texts(ann)
    assert shown(ann) == shown(ben)


@STORES
def test_edits_are_handed_on_as_they_were_signed(make_store: MakeStore) -> None:
    """By a device that never held the op itself, to one that was away."""
    ann, ben, eve = believed(make_store)
    (fay,) = group("fay", make_store=make_store)
    for core in (ann, ben, eve):
        acquaint(core, "ann", "fay")
    acquaint(fay, "fay", "ann", "ben", "eve")
    rid = next(MemoryId(rid) for rid, each in memories(ann).items() if "4711" in each.text)
    edit(ann, rid, "the code is 4712")
    compact(ann, LATER_MS)
    handed(fay, make_snapshot(ann))
    handed(ben, make_snapshot(fay))
    assert shown(ben) == shown(ann)
    assert ben.store.remains() == ann.store.remains() != []


@pytest.mark.parametrize("erased", [False, True])
@STORES
def test_what_was_edited_into_a_memory_goes_with_it(make_store: MakeStore, erased: bool) -> None:
    """The signed edits that are kept hold words."""
    ann, ben, _ = believed(make_store)
    kept, rid = (
        next(MemoryId(rid) for rid, each in memories(ann).items() if word in each.text)
        for word in ("4711", "penicillin")
    )
    ann.commit([*ann.edits_of(rid, "never take XYZZY"), *ann.edits_of(kept, "the code is QUUX")], NOW_MS)
    compact(ann, LATER_MS)
    assert words_kept(ann) == {"XYZZY", "QUUX"}
    snapshot = make_snapshot(ann)
    say(ann, Erase((rid,)) if erased else Forget((rid,)), now_ms=LATER_MS)
    if not erased:
        compact(ann, LATER_MS + LEASE_MS)
    assert words_kept(ann) == {"QUUX"}
    if erased:
        ben.learn([], [], list(ann.proofs.values()))
    handed(ben, snapshot if erased else make_snapshot(ann))
    assert words_kept(ben) == {"QUUX"}
    assert verify_replica(ann).ok
    assert verify_replica(ben).ok


def words_kept(core: Core) -> set[str]:
    kept = b"".join(
        op.payload for data in core.store.remains() for op in decode_frame(data).ops if op.payload is not None
    )
    return {word for word in ("XYZZY", "QUUX") if word.encode() in kept}


@STORES
def test_an_edit_that_leaves_the_log_after_its_memory_was_deleted_leaves_no_words(
    make_store: MakeStore,
) -> None:
    """In one compaction with the deletion. In one before it, the base keeps the words, and their proof, until then."""
    for together in (True, False):
        ann, _, _ = believed(make_store)
        rid = MemoryId(next(iter(memories(ann))))
        edit(ann, rid, "nobody takes XYZZY")
        say(ann, Forget((rid,)))
        if not together:
            assert compact(ann, LATER_MS, ops_max=4) == 4
            assert words_kept(ann) != set()
        assert compact(ann, LATER_MS) == (5 if together else 1)
        assert words_kept(ann) == set()
        assert verify_replica(ann).ok


@STORES
def test_a_signed_edit_that_had_no_effect_has_none_by_way_of_a_snapshot(make_store: MakeStore) -> None:
    """Its author had not seen the text that it starts from, so those who fold all ops leave it aside."""
    ann, ben, _ = believed(make_store)
    rid, text = next((MemoryId(rid), each.text) for rid, each in memories(ann).items() if "4711" in each.text)
    document = EditedText.from_base(rid, text)
    blind = Hand("eve", b"blindly!")
    op = blind.write(Edit(base_name(rid, text), document.edit("nobody saw this", Random(1))), rid)
    taken = ben.take(blind.frame(op), NOW_MS)
    assert (taken.ops, taken.refusals) == (1, ())
    edit(ben, rid, "the code is 4712")
    assert "nobody saw this" not in texts(ben)
    compact(ben, LATER_MS)
    assert len(ben.store.remains()) == 2
    handed(ann, make_snapshot(ben))
    assert shown(ann) == shown(ben)
    sync(ann, ben, LATER_MS)
    assert agree(ann, ben)


@STORES
def test_remains_of_edits_are_of_use_only_as_they_were_signed(make_store: MakeStore) -> None:
    ann, ben, eve = believed(make_store)
    rid = next(MemoryId(rid) for rid, each in memories(ben).items() if "4711" in each.text)
    edit(ben, rid, "the code is 4712")
    compact(ben, LATER_MS)
    (frame,) = map(decode_frame, ben.store.remains())
    spoilt = Lie.of(eve)
    (op,) = frame.ops
    crooked: list[tuple[Frame, str]] = [
        (frame, "covers, got one beside it"),
        (
            frame._replace(ops=(op._replace(payload=None, payload_hash=payload_hash(op.payload or b"")),)),
            "neither",
        ),
        (frame._replace(segments=(frame.segments[0]._replace(signature=bytes(64)),)), "signed by the member"),
    ]
    for each, why in crooked:
        spoilt.remains = [encode_frame(each)]
        with pytest.raises(InvalidOp, match=why):
            handed(ann, spoilt.sealed())


def test_an_edit_by_hand_is_refused_among_remains() -> None:
    """What the text library spins on for ever gets in by no door."""
    ann, _, eve = believed()
    rid = MemoryId(next(iter(memories(ann))))
    hand = Hand("eve", b"crooked!")
    op = hand.write(Edit(bytes(8), bytes.fromhex("0101b9600101010474657874808080800800")), rid)
    spoilt = Lie.of(eve)
    signature = sign_commit(eve.sign, op.id)
    spoilt.feeds.append([*op.origin, None, 0, {}, 1, op.id, signature, {}, op.id[:8]])
    spoilt.origins.append(list(op.origin))
    segment = Segment(op.origin, op.seq, op.prev, signature, None)
    spoilt.remains = [encode_frame(Frame((segment,), (op,), (0,)))]
    with pytest.raises(InvalidOp, match="a Yjs update"):
        handed(ann, spoilt.sealed())


def met_the_liar_first(lie: str, make_store: MakeStore = MemoryStore) -> tuple[Core, Core, Core]:
    """A newcomer who knows the group by a liar's word, a device that holds what was signed, and the liar."""
    ann, ben, eve = believed(make_store)
    new = core_of("new", make_store())
    acquaint(new, "new", "ann", "ben", "eve")
    for core, name in ((ann, "ann"), (ben, "ben")):
        acquaint(core, name, "new")
    spoilt = Lie.of(eve)
    LIES[lie](spoilt, Random(1))
    spoilt.invent(5, Random(2))
    handed(new, spoilt.sealed())
    assert vouched_ops(new)[eve.device] == 8
    return new, ann, eve


@STORES
@pytest.mark.parametrize("lie", LIES)
def test_what_a_liar_said_gives_way_to_signed_ops_that_come_later(lie: str, make_store: MakeStore) -> None:
    """As if they had come first: it stood for good, in what the newcomer shows and in what it hands on."""
    new, ann, eve = met_the_liar_first(lie, make_store)
    sync(new, ann, LATER_MS)
    assert shown(new) == shown(ann)
    assert new.digests().visible == ann.digests().visible
    assert dict(vouched_ops(new)) == {eve.device: 5}, (
        "what the liar says of its own chain, nobody else can sign"
    )
    assert verify_replica(new).ok
    denied = lie in ("wipe", "words")
    assert (Accused(eve.device, Fault.SNAPSHOT_DENIES) in new.evidence) == denied
    last = core_of("last", make_store())
    acquaint(last, "last", "new", "ann", "ben", "eve")
    acquaint(new, "new", "last")
    sync(last, new, LATER_MS)
    assert shown(last) == shown(ann)


@STORES
def test_what_was_proven_is_so_after_a_restart_and_when_the_proof_has_left_the_log(
    make_store: MakeStore,
) -> None:
    new, ann, eve = met_the_liar_first("words", make_store)
    for frame in [everything(ann)]:
        new.take(frame, LATER_MS)
    assert shown(new) != shown(ann), "it is kept, and changes nothing before all of it has come"
    assert verify_replica(new).ok
    again = Core(new.store, device=new.device, sign=new.sign, random=Random(1))
    assert give_way(again, LATER_MS)
    assert not give_way(again, LATER_MS)
    assert shown(again) == shown(ann)
    proof = [row.id for row in again.store.late_rows()]
    again.heard(ann.device, again.feeds.held(), LATER_MS)
    again.heard(eve.device, {}, LATER_MS)
    assert compact(again, LATER_MS) == 0
    assert [row.id for row in again.store.late_rows()] == proof != [], "one who lacks it may still ask"
    again.heard(eve.device, again.feeds.held(), LATER_MS)
    assert compact(again, LATER_MS) > 0
    assert [*again.store.late_rows()] == []
    again = Core(new.store, device=new.device, sign=new.sign, random=Random(1))
    assert shown(again) == shown(ann)
    assert verify_replica(again).ok


def test_a_deletion_that_was_left_out_comes_with_its_op_and_its_words_go() -> None:
    ann, ben, eve = believed()
    (rid,) = remember(ann, "to be forgotten")
    edit(ann, rid, "to be forgotten soon")
    settle([ann, ben, eve])
    spoilt = Lie.of(eve)
    say(ann, Forget((rid,)))
    sync(ann, ben)
    spoilt.invent(1, Random(2))
    new = core_of("new")
    acquaint(new, "new", "ann", "ben", "eve")
    acquaint(ben, "ben", "new")
    handed(new, spoilt.sealed())
    assert "to be forgotten" in texts(new)
    sync(new, ben, LATER_MS)
    assert rid not in memories(new)
    assert shown(new) == shown(ben)
    assert verify_replica(new).ok


def test_a_peer_is_asked_once_and_the_one_who_vouches_never() -> None:
    """Whoever has no such ops any more sends its own base, for nothing."""
    new, ann, eve = met_the_liar_first("words")
    assert may_ask(new, ann.device)
    assert not may_ask(new, eve.device)
    sync(new, ann, LATER_MS)
    assert not may_ask(new, ann.device)
    again = Core(new.store, device=new.device, sign=new.sign, random=Random(1))
    assert not may_ask(again, ann.device)


def test_whoever_has_the_last_word_asks_for_what_was_signed_all_the_same() -> None:
    """It asked when a message came while nothing was left to say, and behind its own last word none comes."""
    ann, ben, eve = group("ann", "ben", "eve")
    remember(eve, "an innocent remark")
    sync(ann, eve)
    handed(ben, Lie.of(eve).sealed())
    remember(ann, "news")
    sync(ann, ben, LATER_MS)
    assert not may_ask(ben, ann.device)
    assert vouched_ops(ben) == {}


def test_what_nobody_signed_so_proves_nothing() -> None:
    new, ann, _ = met_the_liar_first("words")
    frame = everything(ann)
    forged = Frame(
        tuple(each._replace(signature=bytes(64)) for each in frame.segments), frame.ops, frame.segment_of
    )
    before = shown(new)
    new.take(forged, LATER_MS)
    assert new.store.last_late() is None
    assert not give_way(new, LATER_MS)
    assert shown(new) == before


def made(core: Core) -> set[Key]:
    """The proposals and the links that nobody has taken back."""
    return {key for key, _ in core.store.all_cells() if key.part in (CellKind.PROPOSAL, CellKind.LINK)}


def joined_up(make_store: MakeStore = MemoryStore) -> tuple[Core, Core, Core]:
    """Two honest devices and a liar, who hold a link between two memories, and a proposal to sum up three."""
    ann, ben, eve = believed(make_store)
    one, other, last = sorted(MemoryId(rid) for rid in memories(ann))
    say(ann, SaysSame((one, other), 90))
    say(ben, Propose((one, other, last)))
    settle((ann, ben, eve))
    return ann, ben, eve


@STORES
def test_proposals_and_links_that_a_snapshot_leaves_out_stay(make_store: MakeStore) -> None:
    """One went without a trace, and the base of its victim then took it from the next device."""
    ann, ben, eve = joined_up(make_store)
    before = made(ann)
    assert len(before) == 2
    spoilt = Lie.of(eve)
    spoilt.invent(2, Random(3))
    handed(ann, spoilt.sealed())
    assert made(ann) == before
    assert verify_replica(ann).ok
    sync(ann, ben, LATER_MS)
    assert made(ben) == before
    assert agree(ann, ben)


@STORES
def test_a_device_that_was_away_lets_go_of_what_signed_ops_took_back(make_store: MakeStore) -> None:
    """They left the log, and came along within the snapshot, also by way of a device that never held them."""
    ann, ben, eve = joined_up(make_store)
    for key in sorted(made(eve)):
        say(eve, (Withdraw if key.part is CellKind.PROPOSAL else Unlink)((maker_of(key),)))
    assert compact(eve, LATER_MS)
    handed(ann, make_snapshot(eve))
    assert made(ann) == set()
    assert verify_replica(ann).ok
    handed(ben, make_snapshot(ann))
    assert made(ben) == set()
    sync(ann, ben, LATER_MS)
    assert agree(ann, ben)


@STORES
def test_a_signed_op_takes_back_only_what_its_writer_had_seen_also_by_way_of_a_snapshot(
    make_store: MakeStore,
) -> None:
    ann, eve = group("ann", "eve", make_store=make_store)
    one, other = remember(ann, "one", "the same")
    link = say(ann, SaysSame((one, other), 90))
    say(eve, Unlink((link.place,)))
    sync(ann, eve)
    assert len(made(ann)) == 1
    say(eve, Set("theme", "dark"))
    assert compact(eve, LATER_MS)
    handed(ann, make_snapshot(eve))
    assert len(made(ann)) == len(made(eve)) == 1
    sync(ann, eve, LATER_MS)
    assert agree(ann, eve)


def test_what_took_nothing_back_here_proves_nothing_later() -> None:
    """A member signs that it takes back a link that it has not seen; all hold that, and keep the link."""
    ann, _, eve = joined_up()
    before = made(ann)
    hand = Hand("eve")
    op = hand.write(Unlink(tuple(sorted(maker_of(key) for key in before if key.part is CellKind.LINK))))
    for core in (ann, eve):
        core.take(hand.frame(op), NOW_MS)
    assert made(ann) == before
    spoilt = Lie.of(eve)
    spoilt.invent(1, Random(2))
    assert compact(eve, LATER_MS)
    spoilt.remains = eve.store.remains()
    assert len(spoilt.remains) == 1
    handed(ann, spoilt.sealed())
    assert made(ann) == before


def test_what_was_taken_back_stays_so_where_the_proof_of_the_rest_is_from_before() -> None:
    """A newcomer's base lacks the link, as a signed op in it says. Of whoever has not heard of that comes the link."""
    ann, _, eve = joined_up()
    for key in sorted(made(eve)):
        say(eve, (Withdraw if key.part is CellKind.PROPOSAL else Unlink)((maker_of(key),)))
    assert compact(eve, LATER_MS)
    new = core_of("new")
    acquaint(new, "new", "ann", "ben", "eve")
    acquaint(ann, "ann", "new")
    handed(new, make_snapshot(eve))
    new.take(everything(ann), LATER_MS)
    assert give_way(new, LATER_MS)
    assert made(new) == set()
    assert new.digests() == eve.digests()
    assert verify_replica(new).ok


def told_ahead(make_store: MakeStore, *, text: str | None) -> tuple[Core, Core, Core, MemoryId]:
    """A device that heard first, by a liar's word, what became of a memory that another has just remembered.

    Nobody can sign anything about it: the snapshot covers no op but one that the liar made up. It says that the memory
    reads `text`, or that it was forgotten.
    """
    ann, ben, eve = group("ann", "ben", "eve", make_store=make_store)
    spoilt = Lie.of(eve)
    spoilt.invent(1, Random(2))
    (rid,) = remember(ann, "the code is 4711")
    if text is None:
        spoilt.tombstones = [rid]
    else:
        row = AddedRow(rid, 0, 1, NOW_MS << 16, "the code is 4711", {})
        spoilt.adds = [row]
        spoilt.rewrite(row, text)
    handed(ben, spoilt.sealed())
    return ann, ben, eve, rid


@STORES
@pytest.mark.parametrize("folded_some", [False, True])
@pytest.mark.parametrize("text", [None, "the code is 0000"], ids=["forgotten", "edited"])
def test_what_was_told_of_a_memory_before_its_signed_op_came_does_not_outlive_that(
    text: str | None, folded_some: bool, make_store: MakeStore
) -> None:
    """The memory was lost there for good, or read as nobody had written, and nobody heard of either."""
    ann, ben, _, rid = told_ahead(make_store, text=text)
    if folded_some:
        remember(ben, "of its own")
        assert compact(ben, LATER_MS)
    sync(ann, ben, LATER_MS)
    for core in (ann, ben):
        assert memories(core)[rid].text == "the code is 4711"
        assert verify_replica(core).ok
    sync(ann, ben, LATER_MS)
    assert ann.digests().visible == ben.digests().visible
    again = Core(ben.store, device=ben.device, sign=ben.sign, random=Random(1))
    assert not again.denied
    assert memories(again)[rid].text == "the code is 4711"


def test_it_does_not_after_a_crash_between_the_op_and_the_mending() -> None:
    ann, ben, _, rid = told_ahead(sqlite_store, text=None)
    for frame in [everything(ann)]:
        ben.take(frame, LATER_MS)
    assert rid not in memories(ben)
    again = Core(ben.store, device=ben.device, sign=ben.sign, random=Random(1))
    assert give_way(again, LATER_MS)
    assert not give_way(again, LATER_MS)
    assert memories(again)[rid].text == "the code is 4711"


def test_a_signed_deletion_or_edit_that_came_within_a_snapshot_stands_also_if_the_memory_is_told_again() -> (
    None
):
    """By a device that had not heard of it, from an export of the same day."""
    ann, ben, eve = group("ann", "ben", "eve")
    gone, other = remember(ann, "gone", "other")
    say(ann, Forget((gone,)))
    edit(ann, other, "other words")
    assert compact(ann, LATER_MS)
    handed(ben, make_snapshot(ann))
    for rid, text in ((gone, "gone"), (other, "other")):
        say(eve, Remember(text, {}), rid)
    ben.take(everything(eve), LATER_MS)
    assert ben.denied
    assert not give_way(ben, LATER_MS), "there is nothing to fold anew"
    assert texts(ben) == {"other words"}
    sync(ann, ben, LATER_MS)
    assert agree(ann, ben)


@STORES
def test_a_document_beside_the_memory_that_is_held_is_no_way_around(make_store: MakeStore) -> None:
    """The liar adds the same memory in other words, which no op wrote either, and edits those."""
    ann, _, eve = believed(make_store)
    spoilt = Lie.of(eve)
    spoilt.invent(1, Random(2))
    rid = next(MemoryId(rid) for rid, each in memories(ann).items() if "4711" in each.text)
    row = next(row for row in spoilt.adds if row.rid == rid)
    (number,) = [at for at, feed in enumerate(spoilt.feeds) if feed[0] == eve.device]
    spoilt.adds.remove(row)
    false = AddedRow(rid, number, spoilt.feeds[number][5], row.hlc, "zzz", {})
    spoilt.adds.append(false)
    spoilt.rewrite(false, "the code is 0000")
    handed(ann, spoilt.sealed())
    assert "the code is 0000" not in texts(ann)
    assert "the code is 4711" in texts(ann)
    assert verify_replica(ann).ok
