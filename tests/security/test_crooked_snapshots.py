"""A peer hands over a snapshot that is not its own, or parts that never end."""

from hashlib import sha256

import pytest

from replica.compaction import compact
from replica.core import Core
from replica.snapshot import make_snapshot
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import BASE_PART_BYTES, Base, decode_message, encode_message
from tests.support.replicas import NOW_MS, acquaint, core_of, remember, texts


def compacted(name: str, *others: str) -> Core:
    """A device that folded what it remembered into its base while it was alone, and then met others."""
    core = core_of(name)
    remember(core, f"by {name}")
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
