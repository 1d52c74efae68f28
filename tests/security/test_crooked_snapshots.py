"""A peer hands over a snapshot that is not its own, parts that never end, or nonsense that it signed itself."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
import zstandard

from replica.codec import pack, unpack
from replica.compaction import compact
from replica.core import Core
from replica.errors import InvalidOp
from replica.ids import MemoryId
from replica.ops import Forget, Set, Write
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import BASE_PART_BYTES, Base, decode_message, encode_message
from tests.support.links import identity
from tests.support.replicas import DAY_MS, NOW_MS, acquaint, core_of, remember, say, sync, texts


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
    """Its maker is believed about what is there, not about what another deletion that is held here took away."""
    ann = compacted("ann", "ben")
    (rid,) = [key.name for key, _ in ann.store.all_cells()]
    ben = core_of("ben")
    acquaint(ben, "ben", "ann")
    before = parts_of(make_snapshot(ann))
    ann.commit([Write(Forget((MemoryId(rid),)))], NOW_MS + 1)
    sync(ann, ben)
    assert texts(ben) == set()
    assert compact(ann, NOW_MS + 200 * DAY_MS) == 1, (
        "nobody was heard of for so long that anybody waits for them"
    )
    after = parts_of(make_snapshot(ann))
    after[4], after[5] = before[4], []
    with pytest.raises(InvalidOp, match="every deletion"):
        absorb(ben, read_snapshot(signed_by("ann", after), ben), NOW_MS + 200 * DAY_MS)
    assert texts(ben) == set()
