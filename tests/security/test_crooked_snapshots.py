"""A peer hands over a snapshot that is not its own, parts that never end, or nonsense that it signed itself."""

import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
import zstandard

from replica.codec import pack, unpack
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.errors import InvalidOp
from replica.evidence import Fault
from replica.ids import MemoryId
from replica.limits import SNAPSHOT_BYTES_FREE
from replica.oplog import Store
from replica.ops import Forget, Set, Write
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import BASE_PART_BYTES, Base, decode_message, encode_message
from tests.support.links import identity
from tests.support.replicas import (
    DAY_MS,
    NOW_MS,
    acquaint,
    agree,
    core_of,
    group,
    remember,
    say,
    sqlite_store,
    sync,
    texts,
)


def compacted(name: str, *others: str) -> Core:
    """A device that folded what it remembered into its base while it was alone, and then met others."""
    core = core_of(name)
    (rid,) = remember(core, f"by {name}")
    say(core, Set("topic", "being edited"), rid)  # or it would stand in the columns
    compact(core, NOW_MS)
    acquaint(core, name, *others)
    return core


def hand_over(taker: Core, peer: Core, snapshot: bytes) -> None:
    """Hold a conversation in which the peer sends this snapshot where it would send its own."""
    ours, theirs = Exchange(taker, peer.device, NOW_MS), Exchange(peer, taker.device, NOW_MS)
    to_them, to_us = ours.more(NOW_MS), theirs.more(NOW_MS)
    while to_them or to_us:
        if to_them:
            to_us += theirs.receive(to_them.pop(0), NOW_MS)
        if to_us:
            message = to_us.pop(0)
            if isinstance(decode_message(message), Base):
                message = encode_message(Base(snapshot, 0, 1, sha256(snapshot).digest()))
            to_them += ours.receive(message, NOW_MS)


def test_a_snapshot_is_taken_from_its_maker_only() -> None:
    """An old one of a device that was revoked since would be believed like a member's."""
    ann, ben = compacted("ann", "ben", "cleo"), compacted("ben", "ann", "cleo")
    cleo = core_of("cleo")
    acquaint(cleo, "cleo", "ann", "ben")
    with pytest.raises(RemoteProtocolError, match="of the peer's own making"):
        hand_over(cleo, ben, make_snapshot(ann))
    assert texts(cleo) == set()
    hand_over(cleo, ann, make_snapshot(ann))
    assert texts(cleo) == {"by ann"}


def test_a_part_larger_than_a_part_is_no_message() -> None:
    largest = Base(bytes(BASE_PART_BYTES), 0, 2, bytes(32))
    assert decode_message(encode_message(largest)) == largest
    with pytest.raises(RemoteProtocolError, match="bytes that are none"):
        decode_message(encode_message(Base(bytes(BASE_PART_BYTES + 1), 0, 2, bytes(32))))


def signed_by(name: str, parts: list[Any]) -> bytes:
    """A snapshot of these parts, with a member's real signature."""
    body = pack(parts)
    return zstandard.compress(
        pack([identity(name).sign(b"samemind snapshot 1\0" + sha256(body).digest()), body])
    )


def parts_of(snapshot: bytes) -> list[Any]:
    """What a snapshot states, as plain values."""
    parts: list[Any] = unpack(unseal(snapshot)[1])
    return parts


def nothing_said(parts: list[Any]) -> None:
    """A memory that was never added."""
    parts[4][0][2] = pack([[]])


def a_text_that_is_none(parts: list[Any]) -> None:
    """A number where the words are."""
    (add,), *more = unpack(parts[4][0][2])
    parts[4][0][2] = pack([[[*add[:4], 7, {}]], *more])


def an_op_that_is_not_in_it(parts: list[Any]) -> None:
    """A dot in a feed that the snapshot does not list."""
    (add,), *more = unpack(parts[4][0][2])
    parts[4][0][2] = pack([[[9, *add[1:]]], *more])


def added(parts: list[Any]) -> list[Any]:
    """The columns of the memories that were only added, with one in them."""
    (add,), *_ = unpack(parts[4][0][2])
    (_, rid, _) = parts[4].pop(0)
    feed, seq, _, hlc, text, fields = add
    columns: list[Any] = parts[7]
    columns[:] = [rid, [feed], [seq], [hlc], [text], [fields]]
    return columns


def a_column_that_is_too_short(parts: list[Any]) -> None:
    """More ids than texts."""
    added(parts)[0] += bytes(16)


def a_column_of_no_numbers(parts: list[Any]) -> None:
    """Words where a difference is."""
    added(parts)[2] = ["1"]


def an_add_before_the_first_op(parts: list[Any]) -> None:
    """A place below the beginning of a chain."""
    added(parts)[2] = [-1]


def an_add_in_no_feed(parts: list[Any]) -> None:
    """A feed that the snapshot does not list."""
    added(parts)[1] = [9]


def an_add_without_words(parts: list[Any]) -> None:
    """A memory that says nothing."""
    added(parts)[4] = [" "]


def an_add_with_fields_that_are_none(parts: list[Any]) -> None:
    """A number where the fields are."""
    added(parts)[5] = [7]


def an_add_that_was_forgotten(parts: list[Any]) -> None:
    """A memory and its tombstone."""
    parts[5].append(added(parts)[0])


def an_add_twice(parts: list[Any]) -> None:
    """One op that added one memory two times."""
    columns = added(parts)
    columns[:] = [
        columns[0][:6] * 2 + columns[0][6:] * 2,
        *([*column, 0] for column in columns[1:4]),
        *columns[4:],
    ]
    columns[4], columns[5] = columns[4] * 2, columns[5] * 2


def two_adds(parts: list[Any]) -> list[Any]:
    """Columns with an add for each of the two ops."""
    columns = added(parts)
    other = bytes(16)
    columns[0] = columns[0][:6] + other[:6] + columns[0][6:] + other[6:]
    columns[2] = [1, 1]
    for i in (1, 3):
        columns[i].append(0)
    for i in (4, 5):
        columns[i] *= 2
    return columns


def two_adds_of_one_op(parts: list[Any]) -> None:
    """No op adds two memories."""
    two_adds(parts)[2] = [1, 0]


def adds_out_of_order(parts: list[Any]) -> None:
    """The later op first."""
    two_adds(parts)[2] = [2, -1]


def a_memory_that_two_rows_add(parts: list[Any]) -> None:
    """One memory under two ops: what two adds make stands in a cell."""
    columns = two_adds(parts)
    rid = columns[0][:6] + columns[0][12:22]
    columns[0] = rid[:6] * 2 + rid[6:] * 2


def a_memory_in_the_columns_and_a_cell(parts: list[Any]) -> None:
    """Two states of one memory."""
    cell = list(parts[4][0])
    added(parts)
    parts[4].append(cell)


def a_cell_twice(parts: list[Any]) -> None:
    """Two states of one memory."""
    parts[4].append(parts[4][0])


def a_cell_of_what_was_only_added(parts: list[Any]) -> None:
    """A second way to say the same."""
    parts[4][0][2] = pack(unpack(parts[4][0][2])[:1])


def an_add_twice_in_a_cell(parts: list[Any]) -> None:
    """Any number of them would take no room on a link."""
    adds, *more = unpack(parts[4][0][2])
    parts[4][0][2] = pack([adds * 2, *more])


def a_head_twice(parts: list[Any]) -> None:
    """Any number of them would take no room on a link."""
    adds, fields, *more = unpack(parts[4][0][2])
    parts[4][0][2] = pack([adds, {name: heads * 2 for name, heads in fields.items()}, *more])


def a_tombstone_twice(parts: list[Any]) -> None:
    """Any number of them would take no room on a link."""
    parts[5] += [bytes(16)] * 2


def an_unknown_part(parts: list[Any]) -> None:
    """A kind of cell that there is none of."""
    parts[4][0][0] = 99


def a_branch_of_nothing(parts: list[Any]) -> None:
    """A feed that leaves another that is not there."""
    parts[2][0][2:4] = [5, 1]


def a_vector_into_nowhere(parts: list[Any]) -> None:
    """What the writer had seen reaches beyond what there is."""
    parts[2][0][7] = {0: 10**6}


@pytest.mark.parametrize(
    "spoil",
    [
        nothing_said,
        a_text_that_is_none,
        an_op_that_is_not_in_it,
        a_column_that_is_too_short,
        a_column_of_no_numbers,
        an_add_before_the_first_op,
        an_add_in_no_feed,
        an_add_without_words,
        an_add_with_fields_that_are_none,
        an_add_that_was_forgotten,
        an_add_twice,
        two_adds_of_one_op,
        adds_out_of_order,
        a_memory_that_two_rows_add,
        a_memory_in_the_columns_and_a_cell,
        a_cell_twice,
        a_cell_of_what_was_only_added,
        an_add_twice_in_a_cell,
        a_head_twice,
        a_tombstone_twice,
        an_unknown_part,
        a_branch_of_nothing,
        a_vector_into_nowhere,
    ],
)
def test_a_member_who_signs_nonsense_is_named_and_nothing_of_it_stays(
    spoil: Callable[[list[Any]], None],
) -> None:
    """It ends the link with the one who made it, as any other broken message does, and not the program."""
    ann = compacted("ann", "ben", "cleo")
    cleo = core_of("cleo")
    acquaint(cleo, "cleo", "ann", "ben")
    before = cleo.digests()
    parts = parts_of(make_snapshot(ann))
    spoil(parts)
    with pytest.raises(RemoteProtocolError, match="a snapshot of the peer's could not be read: expected"):
        hand_over(cleo, ann, signed_by("ann", parts))
    assert cleo.digests() == before
    hand_over(cleo, ann, make_snapshot(ann))
    assert texts(cleo) == {"by ann"}


def test_a_snapshot_cannot_bring_back_what_was_forgotten() -> None:
    """Its maker is believed about what is not held, not about what a deletion that is held here took away."""
    ann = compacted("ann", "ben")
    (rid,) = [key.name for key, _ in ann.store.all_cells()]
    ben = core_of("ben")
    acquaint(ben, "ben", "ann")
    before = parts_of(make_snapshot(ann))
    ann.commit([Write(Forget((MemoryId(rid),)))], NOW_MS + 1)
    sync(ann, ben)
    assert texts(ben) == set()
    remember(ann, "later")
    assert compact(ann, NOW_MS + 200 * DAY_MS) == 2, (
        "nobody was heard of for so long that anybody waits for them"
    )
    after = parts_of(make_snapshot(ann))
    after[4], after[5], after[8] = before[4], [], []
    assert absorb(ben, read_snapshot(signed_by("ann", after), ben), NOW_MS + 200 * DAY_MS)
    assert texts(ben) == {"later"}
    assert verify_replica(ben).ok


def test_two_adds_in_order_are_taken() -> None:
    """Or what is refused above might be refused for another reason."""
    ann, ben = compacted("ann", "ben"), core_of("ben")
    acquaint(ben, "ben", "ann")
    parts = parts_of(make_snapshot(ann))
    two_adds(parts)
    assert absorb(ben, read_snapshot(signed_by("ann", parts), ben), NOW_MS)


def test_a_snapshot_that_is_far_larger_than_what_came_is_not_unpacked() -> None:
    """A member sent a hundred kilobytes, which took a gigabyte here."""
    ann, ben = compacted("ann", "ben"), core_of("ben")
    acquaint(ben, "ben", "ann")
    bomb = zstandard.compress(bytes(20 * SNAPSHOT_BYTES_FREE))
    assert len(bomb) < 50_000
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError, match=f"at most {SNAPSHOT_BYTES_FREE} bytes in"):
            hand_over(ben, ann, bomb)
        assert tracemalloc.get_traced_memory()[1] < SNAPSHOT_BYTES_FREE
    finally:
        tracemalloc.stop()


def test_repeats_that_take_no_room_on_a_link_are_refused_before_anything_is_made_of_them() -> None:
    """A million rows for one memory came in 2,637 bytes, and cost 17 seconds and 290 MB."""
    ann, ben = compacted("ann", "ben"), core_of("ben")
    acquaint(ben, "ben", "ann")
    parts = parts_of(make_snapshot(ann))
    columns, count = added(parts), 100_000
    rid = columns[0]
    columns[0] = rid[:6] * count + rid[6:] * count
    for i in (1, 2, 3):
        columns[i] += [0] * (count - 1)
    for i in (4, 5):
        columns[i] *= count
    sealed = signed_by("ann", parts)
    assert len(sealed) < 4_000
    with pytest.raises(InvalidOp, match="at most one added memory for each of the 2 ops"):
        absorb(ben, read_snapshot(sealed, ben), NOW_MS)
    assert texts(ben) == set()


def in_other_words(parts: list[Any]) -> None:
    """What the author signed, changed by who compacted it."""
    parts[7][4] = ["what nobody said", *parts[7][4][1:]]


def at_another_time(parts: list[Any]) -> None:
    """The stamp of another op."""
    parts[7][3][0] += 1


def with_other_fields(parts: list[Any]) -> None:
    """A field that its author did not give it."""
    parts[7][5] = [{"domain": "work"}, *parts[7][5][1:]]


def under_another_id(parts: list[Any]) -> None:
    """The same words under the id of no memory."""
    ids = parts[7][0]
    parts[7][0] = bytes(6) + ids[6:]


@pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])
@pytest.mark.parametrize("news", [False, True])
@pytest.mark.parametrize("spoil", [in_other_words, at_another_time, with_other_fields, under_another_id])
def test_a_memory_stays_as_its_op_says_where_that_is_held(
    spoil: Callable[[list[Any]], None], news: bool, make_store: Callable[[], Store]
) -> None:
    ann, ben = group("ann", "ben", make_store=make_store)
    remember(ann, "one", "two")
    sync(ann, ben)
    if news:
        remember(ann, "three")
    assert compact(ann, NOW_MS + LEASE_MS) > 0
    honest = make_snapshot(ann)
    parts = parts_of(honest)
    spoil(parts)
    assert absorb(ben, read_snapshot(signed_by("ann", parts), ben), NOW_MS)
    assert texts(ben) == ({"one", "two", "three"} if news else {"one", "two"})
    assert [(accused.device, accused.fault) for accused in ben.evidence] == [
        (ann.device, Fault.SNAPSHOT_DENIES)
    ]
    assert verify_replica(ben).ok
    assert absorb(ben, read_snapshot(honest, ben), NOW_MS)
    if not news:
        assert agree(ann, ben)
