"""Decide what goes into a carrier file, and take what came in one.

Inside are the messages of a link: who belongs to the group, a snapshot where the receiver may lack what left the log,
and frames of ops. A header in front says from what the file goes on and how far it reaches; the exporter signs
everything at the end. A file is checked whole before anything of it is taken, so one that was altered, cut off, or
made by somebody outside of the group changes nothing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple

from replica.codec import pack, unpack
from replica.core import Core
from replica.errors import InvalidOp
from replica.frame import decode_frame, encode_frame
from replica.frontier import Frontier
from replica.ids import DEVICE_ID_BYTES, DeviceId, Place
from replica.outbox import Outbox
from replica.signing import SIGNATURE_BYTES, verify
from replica.snapshot import absorb, make_snapshot, not_understood, read_snapshot
from sync.carrier.sealing import Sealer, open_sealed
from sync.errors import RemoteProtocolError, Untrusted
from sync.identity import Identity
from sync.parts import parts_of
from sync.wire.messages import (
    Base,
    Message,
    Ops,
    Trust,
    decode_message,
    encode_message,
)

_CONTEXT: Final = b"samemind carry 1\0"


class Header(NamedTuple):
    """What a file says of itself. It goes on from `since`, and whoever took it holds `covers`.

    `recipients` may read it; `proofs` are the erasures that its maker knew; `folded`: it understood all it held.
    """

    maker: DeviceId
    made_ms: int
    recipients: tuple[DeviceId, ...]
    proofs: tuple[bytes, ...]
    since: tuple[Place, ...]
    covers: tuple[Place, ...]
    folded: bool


@dataclass(slots=True)
class Exported:
    """What went into a file."""

    ops: int = 0
    has_base: bool = False


@dataclass(slots=True)
class Brought:
    """What came of a file: ops that were new, and why others were refused."""

    ops: int = 0
    refused: tuple[str, ...] = ()


def recipients_of(core: Core) -> tuple[DeviceId, ...]:
    """Return the members for whom a file is sealed: all that are not put out, this device too."""
    return tuple(sorted(core.membership.members.keys() - core.membership.revoked))


def header_of(core: Core, known: dict[int, int], now_ms: int) -> Header:
    """Return the header of a file for whoever holds what `known` covers."""
    return Header(
        core.device,
        now_ms,
        recipients_of(core),
        tuple(sorted(core.proofs)),
        tuple(sorted(core.feeds.places(known))),
        core.frontier().heads,
        core.has_folded_all,
    )


def export(core: Core, header: Header, known: dict[int, int], sealer: Sealer) -> Exported:
    """Write everything that goes beyond `known`."""
    exported, digest = Exported(), hashlib.sha256()

    def add(data: bytes) -> None:
        digest.update(hashlib.sha256(data).digest())
        sealer.add(data)

    add(_encode_header(header))
    membership, proofs = core.membership, core.proofs
    trust = Trust(
        tuple(membership.members.values()),
        membership.revocations,
        tuple(proofs[each] for each in sorted(proofs)),
    )
    add(encode_message(trust))
    outbox = Outbox(known, parted={feed.origin: None for feed in core.feeds})
    if outbox.lacks_base(core):
        exported.has_base = True
        for part in parts_of(make_snapshot(core)):
            add(encode_message(part))
        outbox.sent_base(core)
    while (frame := outbox.next_frame(core)) is not None:
        exported.ops += len(frame.ops)
        add(encode_message(Ops(encode_frame(frame), last=False)))
    sealer.add(core.sign(_CONTEXT + digest.digest()), last=True)
    return exported


def check(core: Core, identity: Identity, file: BinaryIO) -> Header:
    """Read a file from its start to its end, and return its header if a member made it and it is whole."""
    digest, header, keys = hashlib.sha256(), None, dict[DeviceId, bytes]()
    signature = b""
    for number, (data, last) in enumerate(open_sealed(file, identity.private_key.private_bytes_raw())):
        if last:
            signature = data
            continue
        digest.update(hashlib.sha256(data).digest())
        if number == 0:
            header = _read_header(data)
        elif number == 1:
            keys = _keys(core, _message(data))
    key = None if header is None else keys.get(header.maker)
    if header is None or key is None:
        raise Untrusted(
            "the file was made by a device that is not a member of this group, or was put out of it"
        )
    if len(signature) != SIGNATURE_BYTES or not verify(key, _CONTEXT + digest.digest(), signature):
        raise Untrusted("the file is not signed by the device that it says made it")
    return header


def messages(identity: Identity, file: BinaryIO) -> Iterator[Message]:
    """Return the messages of a file that was checked."""
    for number, (data, last) in enumerate(open_sealed(file, identity.private_key.private_bytes_raw())):
        if number and not last:
            yield _message(data)


class Taking:
    """Takes the messages of one file, one call a message, so that nobody waits for long."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._parts: list[bytes] = []
        self.brought = Brought()

    def take(self, core: Core, message: Message, now_ms: int) -> None:
        """Take one message, durably."""
        match message:
            case Trust():
                core.learn(message.members, message.revocations, message.proofs, now_ms)
            case Base():
                self._take_part(core, message, now_ms)
            case Ops(data):
                try:
                    taken = core.take(decode_frame(data), now_ms)
                except InvalidOp as error:
                    raise RemoteProtocolError(f"a frame of ops could not be read: {error}") from error
                self.brought.ops += taken.ops
                self._refuse(*(refusal.reason for refusal in taken.refusals))
            case _:
                raise RemoteProtocolError(f"{type(message).__name__} has no place in a file")

    def done(self, core: Core, now_ms: int) -> None:
        """Note what the file's maker held when it made it: that lets ops leave the log, as after a link."""
        header = self._header
        if header.folded and header.maker != core.device and not self.brought.refused:
            core.heard(header.maker, core.feeds.vector_of(header.covers), min(header.made_ms, now_ms))

    def _take_part(self, core: Core, part: Base, now_ms: int) -> None:
        if part.index != len(self._parts):
            raise RemoteProtocolError(
                f"expected part {len(self._parts)} of a snapshot, got part {part.index}"
            )
        self._parts.append(part.part)
        if part.index < part.count - 1:
            return
        try:
            snapshot = read_snapshot(b"".join(self._parts), core)
        except InvalidOp as error:
            raise RemoteProtocolError(f"a snapshot could not be read: {error}") from error
        self._parts = []
        if snapshot.maker != self._header.maker:
            raise RemoteProtocolError(
                "expected a snapshot of the file's own maker, got one of another device"
            )
        heads = [Place(feed.origin, feed.seq, feed.head[:8]) for feed in snapshot.feeds]
        if heads and all(core.feeds.locate(head) is not None for head in heads):
            return  # all of it is held: merging it would change nothing, and fold the whole log anew
        try:
            if not absorb(core, snapshot, now_ms):
                self._refuse(not_understood(snapshot))
        except InvalidOp as error:
            raise RemoteProtocolError(f"a snapshot of its maker's could not be read: {error}") from error

    def _refuse(self, *reasons: str) -> None:
        self.brought.refused += reasons


def _message(data: bytes) -> Message:
    return decode_message(data)


def _keys(core: Core, message: Message) -> dict[DeviceId, bytes]:
    """Return the keys of the members known here, and of those that they introduce in the file.

    Nobody introduces anybody once they were put out: on a link they could tell it to no one, and a file needs no link.
    """
    if not isinstance(message, Trust):
        raise RemoteProtocolError(f"expected a file to begin with its group, got {type(message).__name__}")
    fresh, out = core.membership.news(message.members, message.revocations)
    revoked = core.membership.revoked | {revocation.device for revocation in out}
    keys = {
        each.device: each.public_key
        for each in core.membership.members.values()
        if each.device not in revoked
    }
    for each in fresh:  # introducers before those whom they introduce
        if each.introduced_by in keys and each.device not in revoked:
            keys[each.device] = each.public_key
    return keys


def _encode_header(header: Header) -> bytes:
    return pack(
        [
            header.maker,
            header.made_ms,
            list(header.recipients),
            list(header.proofs),
            Frontier.of(header.since).plain(),
            Frontier.of(header.covers).plain(),
            header.folded,
        ]
    )


def _read_header(data: bytes) -> Header:
    try:
        plain: Any = unpack(data)
        match plain:
            case [
                bytes(maker),
                int(made_ms),
                list(recipients),
                list(proofs),
                since,
                covers,
                bool(folded),
            ] if len(maker) == DEVICE_ID_BYTES:
                return Header(
                    DeviceId(maker),
                    made_ms,
                    tuple(recipients),
                    tuple(proofs),
                    Frontier.read(since).heads,
                    Frontier.read(covers).heads,
                    folded,
                )
    except InvalidOp as error:
        raise RemoteProtocolError(f"expected the header of a file: {error}") from error
    raise RemoteProtocolError("expected the header of a file, got something else")
