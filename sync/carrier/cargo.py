"""Decide what goes into a carrier file, and take what came in one.

Inside are the messages of a link: who belongs to the group, where readers may not know it yet, a snapshot where they
may lack what left the log, and frames of ops. A header in front says who made the file, for whom, and what its maker
knew and held; the maker signs everything at the end. A file is checked whole before anything of it is taken, so one
that was altered, cut off, or made by somebody outside of the group changes nothing.

How far a file reaches is not what it says of itself: it is what was found in it while it was taken.
"""

import hashlib
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import IO, NamedTuple

from replica.core import Core
from replica.errors import InvalidOp
from replica.evidence import Fault
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.ids import ID8_BYTES, DeviceId, OpRef, Origin
from replica.membership import IntroducedMember, lineage, marks
from replica.ops import Op
from replica.outbox import Outbox
from replica.proving import give_way
from replica.quotas import paced, told_over
from replica.signing import SIGNATURE_BYTES, verify
from replica.snapshot import absorb, charge, make_snapshot, may_begin, not_understood, read_snapshot
from sync.carrier.header import (
    CONTEXT,
    CONTEXT_1,
    VECTORS_BEGIN,
    FeedHead,
    Header,
    KnownState,
    Vectors,
    encode_header,
    encode_vectors,
    held_at,
    known_of,
    less_vectors,
    read_header,
    read_vectors,
    short,
    vector_of,
)
from sync.carrier.sealing import Entropy, Sealer, open_sealed
from sync.errors import MakerUnknown, RemoteProtocolError, Untrusted
from sync.group_news import at_fault
from sync.identity import Identity
from sync.parts import parts_of
from sync.trust import certified
from sync.wire.messages import (
    CLOCK_MS_MAX,
    Base,
    Message,
    Ops,
    Trust,
    decode_message,
    encode_message,
)


class Reach(NamedTuple):
    """A range of a feed that a file has all ops of: those behind seq `after`, up to and with `last`.

    `prev`: the short id of the op that it follows, where that is known; by it ranges are put together.
    """

    origin: Origin
    after: int
    prev: bytes
    last: OpRef


@dataclass(slots=True)
class CargoFile:
    """What went into a file. `whole`: there was room for everything that was lacking."""

    header: Header
    ops: int = 0
    has_base: bool = False
    whole: bool = True
    reaches: list[Reach] = field(default_factory=list)
    needs: tuple[OpRef, ...] = ()
    """What its ops have seen, in the file or out of it: the last op of each feed."""


@dataclass(slots=True)
class Brought:
    """What came of a file: ops that were new, and why others were refused."""

    ops: int = 0
    refused: tuple[str, ...] = ()


def readers_of(core: Core) -> tuple[DeviceId, ...]:
    """Return the members for whom a file is sealed: all that were not revoked, this device too."""
    return tuple(sorted(core.membership.standing))


def known_to(core: Core) -> KnownState:
    """Return what this device knows besides ops."""
    membership = core.membership
    out = (revocation.device + revocation.by for revocation in membership.revocations)
    return known_of(core.proofs, marks(membership.told()), out)


def header_of(core: Core, now_ms: int, *, tells_group: bool = True) -> Header:
    """Return the header of a file that is made now."""
    heads = core.frontier().heads
    return Header(
        core.device,
        min(max(0, now_ms), CLOCK_MS_MAX),
        frozenset(map(short, readers_of(core))),
        known_to(core),
        tells_group,
        tuple(map(held_at, heads)),
        core.has_folded_all,
    )


def export(
    core: Core,
    known: dict[int, int],
    now_ms: int,
    file: IO[bytes],
    *,
    tells_group: bool = True,
    bytes_max: int | None = None,
    entropy: Entropy = secrets.token_bytes,
) -> CargoFile:
    """Write a file of what goes beyond `known`, sealed for the group; it ends with what passes `bytes_max`."""
    members = core.membership.members
    sealer = Sealer(file, [members[each].public_key for each in readers_of(core)], entropy)
    return fill(core, header_of(core, now_ms, tells_group=tells_group), known, sealer, bytes_max=bytes_max)


def fill(
    core: Core, header: Header, known: dict[int, int], sealer: Sealer, *, bytes_max: int | None = None
) -> CargoFile:
    """Write under this header what goes beyond `known`."""
    exported, digest = CargoFile(header), hashlib.sha256()

    def add(data: bytes) -> None:
        digest.update(hashlib.sha256(data).digest())
        sealer.add(data)

    add(encode_header(header))
    if header.tells_group:
        for part in _trust_of(core).parts():
            add(encode_message(part))
    outbox = Outbox(known, parted={feed.origin: None for feed in core.feeds})
    seen = set[OpRef]()
    if outbox.lacks_base(core):
        exported.has_base = True
        for each in parts_of(make_snapshot(core)):
            add(encode_message(each))
        exported.reaches += base_reaches(core, outbox.sent_base(core))
    while (frame := outbox.next_frame(core)) is not None:
        exported.ops += len(frame.ops)
        exported.reaches += reaches_of(frame)
        seen |= seen_in(frame)
        frame, vectors = less_vectors(header, frame)
        if any(vectors.vectors):
            add(encode_vectors(vectors))
        add(encode_message(Ops(encode_frame(frame), last=False)))
        if bytes_max is not None and sealer.size >= bytes_max:
            exported.whole = outbox.is_empty(core)
            break
    sealer.add(core.sign(CONTEXT + digest.digest()))
    sealer.end()
    exported.needs = core.feeds.held_of(seen)
    return exported


def reaches_of(frame: Frame) -> list[Reach]:
    """Return which ranges of feeds a frame has."""
    ends = dict(zip(frame.segment_of, frame.ops, strict=True))
    return [
        Reach(segment.origin, segment.first_seq - 1, (segment.prev or b"")[:ID8_BYTES], ends[at].place)
        for at, segment in enumerate(frame.segments)
        if at in ends
    ]


def seen_in(frame: Frame) -> set[OpRef]:
    """Return what the ops of a frame say that they have seen."""
    return {place for op in frame.ops for place in op.seen}


def from_where_it_is_news(core: Core, frame: Frame) -> Frame:
    """Return a frame without the ops that each of its chains begins with and that are held here.

    On a link the two find out where chains of one origin part, so each branch begins with its first op. A file is for
    whoever reads it: a branch may leave in the middle of a chain, below the reader's base, where only the file still
    tells what the writer had seen.
    """
    by_segment: list[list[Op]] = [[] for _ in frame.segments]
    for op, at in zip(frame.ops, frame.segment_of, strict=True):
        by_segment[at].append(op)
    skip = [bisect_left(ops, True, key=partial(_is_lacking, core)) for ops in by_segment]
    skip = [held if held < len(ops) else 0 for held, ops in zip(skip, by_segment, strict=True)]
    if not any(skip):
        return frame
    segments = tuple(
        segment._replace(
            first_seq=ops[held].seq, prev=ops[held].prev, vector=_seen_before(segment, ops[:held])
        )
        if held
        else segment
        for segment, ops, held in zip(frame.segments, by_segment, skip, strict=True)
    )
    kept = [
        (op, at)
        for op, at in zip(frame.ops, frame.segment_of, strict=True)
        if not skip[at] or op.seq >= segments[at].first_seq
    ]
    return Frame(segments, tuple(op for op, _ in kept), tuple(at for _, at in kept))


def _is_lacking(core: Core, op: Op) -> bool:
    return core.feeds.locate(op.place) is None


def _seen_before(segment: Segment, ops: list[Op]) -> tuple[OpRef, ...] | None:
    """Return what the writer of the last of these ops had seen; None where the file does not tell."""
    if segment.prev is not None and segment.vector is None:
        return None
    return tuple(dict.fromkeys([*(segment.vector or ()), *(place for op in ops for place in op.seen)]))


def base_reaches(core: Core, reaches: dict[int, int]) -> list[Reach]:
    """Return which ranges of feeds a snapshot has that reaches so far; what lies below is in it too."""
    return [
        Reach(core.feeds[no].origin, core.feeds[no].fork, b"", core.feeds.place(no, seq))
        for no, seq in sorted(reaches.items())
    ]


def check(core: Core, identity: Identity, file: IO[bytes]) -> Header:
    """Read a file from its start to its end, and return its header if a member made it and it is whole."""
    digest, header, context = hashlib.sha256(), None, CONTEXT
    group: list[Trust] = []
    signature = b""
    for number, (data, last) in enumerate(open_sealed(file, identity.private_key.private_bytes_raw())):
        if last:
            signature = data
            continue
        digest.update(hashlib.sha256(data).digest())
        if number == 0:
            header, context = read_header(data)
        elif header is not None and header.tells_group and (not group or group[-1].more):
            message = _message(data)
            if not isinstance(message, Trust):
                raise RemoteProtocolError(f"expected a file to state its group, got {type(message).__name__}")
            group.append(message)
    if header is None:
        raise RemoteProtocolError("expected the header of a file, got only a signature")
    key = _keys(core, group, header.maker).get(header.maker)
    if key is None:
        raise MakerUnknown("the file was made by a device that is not a member of this group, or was revoked")
    if len(signature) != SIGNATURE_BYTES or not verify(key, context + digest.digest(), signature):
        raise Untrusted("the file is not signed by the device that it says made it")
    if context == CONTEXT_1:  # whose header names erasures, and not who belongs to the group
        header = header._replace(known=_told_in(group, header.known))
    return header


def messages(identity: Identity, file: IO[bytes]) -> Iterator[Message | Vectors]:
    """Return the messages of a file that was checked."""
    for number, (data, last) in enumerate(open_sealed(file, identity.private_key.private_bytes_raw())):
        if number and not last:
            yield _message(data)


class Taking:
    """Takes the messages of one file, one call a message, so that nobody waits for long."""

    def __init__(self, header: Header, *, is_handed_over: bool = False) -> None:
        """`is_handed_over`: the owner brings it, and wants all of it now; else its maker's quotas hold, as on a link.

        How many chains may begin, and who is introduced how fast, is bounded either way.
        """
        self._header = header
        self._has_room_for_all = is_handed_over
        self._parts: list[bytes] = []
        self._left_out: list[IntroducedMember] = []
        self.brought = Brought()
        self.reaches: list[Reach] = []
        """What was found in the file; where nothing was refused, it is held here now."""
        self._seen = set[OpRef]()
        self._vectors: Vectors | None = None

    def needs(self, core: Core) -> tuple[OpRef, ...]:
        """Return what the ops in the file have seen, in it or out of it: the last op of each feed."""
        return core.feeds.held_of(self._seen)

    def take(self, core: Core, message: Message | Vectors, now_ms: int) -> None:
        """Take one message, durably."""
        match message:
            case Vectors():
                self._vectors = message
            case Trust():
                self._learn(core, message, now_ms)
            case Base():
                self._take_part(core, message, now_ms)
            case Ops(data):
                try:
                    frame = decode_frame(data)
                    self._let_in(core, (each.origin.device for each in frame.segments))
                    frame = self._with_vectors(core, frame)
                    core.keep_late(frame, now_ms)
                    self._take(core, frame, len(data), now_ms)
                except InvalidOp as error:
                    raise RemoteProtocolError(f"a frame of ops could not be read: {error}") from error
            case _:
                raise RemoteProtocolError(f"{type(message).__name__} has no place in a file")

    def _take(self, core: Core, frame: Frame, size: int, now_ms: int) -> None:
        """Take a frame of `size` bytes, unless its maker's quota is used up: then the file waits as it is."""
        news = from_where_it_is_news(core, frame)
        over = self._over(core, now_ms)
        if over is not None and any(_is_lacking(core, op) for op in news.ops):
            self._refuse(over)
            return
        taken = core.take(
            news, now_ms, peer=self._peer(core), packed=size, is_charged=not self._has_room_for_all
        )
        for fault in {each.fault for each in taken.refusals if each.fault is not None}:
            core.accuse(self._header.maker, fault, now_ms)
        self.brought.ops += taken.ops
        self.reaches += reaches_of(frame)
        self._seen |= seen_in(frame)
        self._refuse(*(refusal.reason for refusal in taken.refusals))

    def _peer(self, core: Core) -> DeviceId | None:
        """Return whose quotas the file counts against: nobody's, where this device made it before it lost it."""
        return None if self._header.maker == core.device else self._header.maker

    def _over(self, core: Core, now_ms: int) -> str | None:
        """Return why nothing more is taken of its maker now, if that is so."""
        peer = self._peer(core)
        over = None if peer is None or self._has_room_for_all else core.quotas.over(peer, now_ms)
        if over is None:
            return None
        core.accuse(self._header.maker, Fault.QUOTA, now_ms)
        return told_over(*over)

    def _learn(self, core: Core, trust: Trust, now_ms: int) -> None:
        """Take what the file says of the group; of introductions that are news only as many as come over a link."""
        told, peer = certified(trust.members), self._peer(core)
        roots, others = core.membership.unknown(told)
        members, waiting = (others, []) if peer is None else paced(core.quotas, peer, others, now_ms)
        core.learn([*roots, *members], trust.revocations, trust.proofs, now_ms, by=self._header.maker)
        self._left_out += (each for each in told if each.device not in core.membership.members)
        for device in at_fault(core, self._header.maker, waiting):
            core.accuse(device, Fault.INTRODUCTIONS, now_ms)
        if waiting:
            self._refuse(f"{len(waiting)} introductions come faster than devices are paired: they wait there")

    def done(self, core: Core, now_ms: int) -> None:
        """Note what the file's maker held when it made it: that lets ops leave the log, as after a link."""
        give_way(core, now_ms)
        core.keep_evidence(now_ms)
        header = self._header
        if header.folded and header.maker != core.device and not self.brought.refused:
            vector = core.feeds.vector_of(_places(core, header.held))
            heard_ms, contact = min(header.made_ms, now_ms), core.contacts.get(header.maker)
            if contact is not None and heard_ms < contact.heard_ms <= now_ms:  # files come in any order
                heard_ms = contact.heard_ms
            core.heard(header.maker, vector, heard_ms)

    def _let_in(self, core: Core, authors: Iterable[DeviceId]) -> None:
        """Take introductions beyond all bounds of those whose ops are in the file."""
        if self._left_out:
            found = lineage(self._left_out, authors, core.membership.members)
            core.learn(found.values(), [], needed=found.keys())

    def _with_vectors(self, core: Core, frame: Frame) -> Frame:
        """Return a frame with what writers had seen, as far as those whom it names are known here."""
        vectors, self._vectors = self._vectors, None
        if vectors is None:
            return frame
        if len(vectors.vectors) != len(frame.segments):
            raise InvalidOp(
                f"expected what writers had seen of {len(frame.segments)} segments, got {len(vectors.vectors)}"
            )
        held = _named(core, self._header.held)
        found = [vector_of(each, held) for each in vectors.vectors]
        pairs = zip(frame.segments, found, strict=True)
        return frame._replace(
            segments=tuple(each if seen is None else each._replace(vector=seen) for each, seen in pairs)
        )

    def _take_part(self, core: Core, part: Base, now_ms: int) -> None:
        if part.index != len(self._parts):
            raise RemoteProtocolError(
                f"expected part {len(self._parts)} of a snapshot, got part {part.index}"
            )
        self._parts.append(part.part)
        if part.index < part.count - 1:
            return
        whole, self._parts = b"".join(self._parts), []
        with core.taking():
            self._take_whole(core, whole, now_ms)

    def _take_whole(self, core: Core, whole: bytes, now_ms: int) -> None:
        try:
            snapshot = read_snapshot(whole, core)
        except InvalidOp as error:
            raise RemoteProtocolError(f"a snapshot could not be read: {error}") from error
        if snapshot.maker != self._header.maker:
            raise RemoteProtocolError(
                "expected a snapshot of the file's own maker, got one of another device"
            )
        heads = [OpRef(feed.origin, feed.seq, feed.head[:8]) for feed in snapshot.feeds]
        self.reaches += [
            Reach(feed.origin, feed.fork, b"", head) for feed, head in zip(snapshot.feeds, heads, strict=True)
        ]
        self._let_in(core, (origin.device for origin in snapshot.origins))
        if heads and all(core.feeds.locate(head) is not None for head in heads):
            return  # all of it is held: merging it would change nothing, and fold the whole log anew
        over, peer = self._over(core, now_ms), self._peer(core)
        if over is not None:
            self._refuse(over)
            return
        try:
            if not may_begin(core, snapshot, peer, now_ms):
                self._refuse("it begins more chains of writes than are taken at a time: it waits there")
                return
            known = len(core.vouched)
            if not absorb(core, snapshot, now_ms):
                self._refuse(not_understood(snapshot))
            elif peer is not None and not self._has_room_for_all:
                charge(core, peer, core.vouched[known:], whole, now_ms)
        except InvalidOp as error:
            raise RemoteProtocolError(f"a snapshot of its maker's could not be read: {error}") from error

    def _refuse(self, *reasons: str) -> None:
        self.brought.refused += reasons


def _message(data: bytes) -> Message | Vectors:
    return read_vectors(data) if data.startswith(VECTORS_BEGIN) else decode_message(data)


def _trust_of(core: Core) -> Trust:
    membership, proofs = core.membership, core.proofs
    return Trust(
        membership.told(),
        membership.revocations,
        tuple(proofs[each] for each in sorted(proofs)),
    )


def _keys(core: Core, group: list[Trust], maker: DeviceId) -> dict[DeviceId, bytes]:
    """Return the keys of the members known here, and of those that they introduce in the file.

    Nobody introduces anybody once they were revoked: on a link they could tell it to no one, and a file needs no link.
    A device that awaits its maker's word on who the root is judges by that root, or a thief's revocation would count.
    """
    members = [member for each in group for member in each.members]
    revocations = [revocation for each in group for revocation in each.revocations]
    fresh, out = core.membership.news(certified(members), revocations, by=maker)
    then = core.membership.without(())
    then.add(fresh, out)
    if core.membership.root is not None or (core.membership.awaits == maker and then.root is not None):
        return {each: then.members[each].public_key for each in then.standing}
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


def _places(core: Core, held: tuple[FeedHead, ...]) -> list[OpRef]:
    """Return what was held as places, as far as these feeds are known here."""
    return [place for place in _named(core, held) if place is not None and core.feeds.of(place.origin)]


def _named(core: Core, held: tuple[FeedHead, ...]) -> list[OpRef | None]:
    """Return what was held as places; None for each whose device is unknown here."""
    devices = {short(device): device for device in core.membership.members}
    devices |= {short(feed.origin.device): feed.origin.device for feed in core.feeds}
    return [
        OpRef(Origin(devices[each.device], each.incarnation), each.seq, each.id8)
        if each.device in devices
        else None
        for each in held
    ]


def _told_in(group: list[Trust], known: KnownState) -> KnownState:
    members = marks(member for each in group for member in each.members)
    out = {revocation.device + revocation.by for each in group for revocation in each.revocations}
    proofs = {proof.id for each in group for proof in each.proofs}
    return known_of(proofs, members, out)._replace(erasures=known.erasures, erased=known.erased)
