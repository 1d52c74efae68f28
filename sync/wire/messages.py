"""What two devices can say to each other, as frozen values, and their bytes.

Every message is one frame on the link: a canonical msgpack list that begins with the message's number. `decode_message`
is the only place where a peer's bytes become messages; what does not fit is the peer's fault and says so.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, assert_never

from replica.alongside import TEXT_HASH_BYTES, VECTOR_BYTES_MAX, Wish
from replica.codec import pack, read_place, unpack
from replica.erasure import Proof, read_proof
from replica.errors import InvalidOp
from replica.frame import SEQ_MAX
from replica.frontier import Frontier
from replica.hlc import COUNTER_BITS, HLC_MAX
from replica.ids import DEVICE_ID_BYTES, INCARNATION_BYTES, MEMORY_ID_BYTES, DeviceId, OpRef, Origin
from replica.limits import FRAME_OPS_MAX, HEADS_MAX, REFUSALS_MAX, SNAPSHOT_BYTES_MAX
from replica.membership import (
    IntroducedMember,
    Revocation,
    introducers_first,
    marks,
    names_root,
    plain_member,
    read_member,
    read_revocation,
)
from sync.errors import OtherProtocol, RemoteProtocolError

# A change of anything in this file, in `replica.frame` or in `replica.limits` is a new number, but for what is said
# only where both agreed on it before the first message (`Inquiry` and `Findings`).
PROTOCOL: Final = 2
DIGEST_BYTES: Final = 32
# More frames ahead than this would only fill memory.
CREDITS_MAX: Final = 1000
# The last millisecond that a stamp can hold: the year 6429. What is worked out from it fits where it is stored.
CLOCK_MS_MAX: Final = HLC_MAX >> COUNTER_BITS
# A refusal is for a person to read in a log.
REASON_CHARACTERS_MAX: Final = 300
# A chain of 2^53 ops needs 54 places; ten times that for an origin with branches.
LOCATOR_PLACES_MAX: Final = 10_000
# A snapshot travels in parts, so that one link's memory and one frame's limit do not bound it.
BASE_PART_BYTES: Final = 1 << 20
# As much as a part of a snapshot: four thousand erasures, or two thousand introductions, and whoever takes them is not
# held up for long.
TRUST_BYTES_TARGET: Final = 1 << 20
# Memories that the proofs of one part may name. Ids pack to ten bytes at least, being drawn at random; ids that pack
# better would be a gigabyte of memory before anybody asked who signed them.
TRUST_NAMED_MAX: Final = 200_000
BASE_PARTS_MAX: Final = SNAPSHOT_BYTES_MAX // BASE_PART_BYTES
# A hundred kilobytes of vectors for a round trip; sixty-four answers that nobody reads are one frame's worth.
WISHES_MAX: Final = 128
# As long as a question that a page takes; a longer one is a text, of which the first words say what is asked.
QUESTION_CHARACTERS_MAX: Final = 1_000
# What a page shows at most; 3 KiB of ids.
FOUND_MAX: Final = 200
# Of the id of a memory, at least; so a part names 114,000 memories at most.
_NAMED_BYTES: Final = 10
# Two keys, or two ids, and a signature.
_STATEMENT_BYTES: Final = 160
_WISH_BYTES: Final = MEMORY_ID_BYTES + TEXT_HASH_BYTES


class _Number(IntEnum):
    HELLO = 1
    TRUST = 2
    HEADS = 3
    LOCATOR = 4
    KNOWN = 5
    OPS = 6
    ACK = 7
    CAUGHT_UP = 8
    BYE = 9
    BASE = 10
    WANT = 11
    GRANT = 12
    INQUIRY = 13
    FINDINGS = 14


# Every message is a list of at most fifteen fields, so that its number is the second byte.
_ALONGSIDE: Final = tuple(
    bytes([number]) for number in (_Number.WANT, _Number.GRANT, _Number.INQUIRY, _Number.FINDINGS)
)
_HEADS: Final = bytes([_Number.HEADS])


@dataclass(frozen=True, slots=True)
class Hello:
    """First words of both sides: what I speak, my clock, and hashes of whom I trust and what I hold.

    `folded`: I understand all that I hold. `space`: I hand vectors over, and take them, of this model (its hash).
    """

    protocol: int
    clock_ms: int
    trust: bytes
    frontier: bytes
    folded: bool
    credits: int
    space: bytes | None = None


@dataclass(frozen=True, slots=True)
class Trust:
    """Everybody I know to belong to the group or to be out of it, and proofs of everything that was erased."""

    members: tuple[IntroducedMember, ...]
    revocations: tuple[Revocation, ...]
    proofs: tuple[Proof, ...]
    more: bool = False
    """Whether the next message goes on with this: all of it is kept for ever, and must not outgrow a frame."""

    def parts(self) -> Iterator["Trust"]:
        """Cut it into statements that fit a frame each, introducers first; the last says that it is."""
        members: list[IntroducedMember] = []
        revocations: list[Revocation] = []
        proofs: list[Proof] = []
        size = 0
        is_ordered = any(map(names_root, self.members))  # as `Membership.told` has put them
        ordered = self.members if is_ordered else introducers_first(self.members)
        for each in (*ordered, *self.revocations, *self.proofs):
            if size >= TRUST_BYTES_TARGET:
                yield Trust(tuple(members), tuple(revocations), tuple(proofs), more=True)
                members, revocations, proofs, size = [], [], [], 0
            match each:
                case IntroducedMember():
                    members.append(each)
                    size += len(each.certificate) + len(each.name.encode()) + _STATEMENT_BYTES
                case Revocation():
                    revocations.append(each)
                    size += _STATEMENT_BYTES
                case Proof():
                    proofs.append(each)
                    size += max(len(each.frame), _NAMED_BYTES * len(each.rids))
        yield Trust(tuple(members), tuple(revocations), tuple(proofs))


@dataclass(frozen=True, slots=True)
class Heads:
    """The last op I hold of every feed: send me what I lack.

    `base`: a snapshot that you were sending, by its digest, of which I hold the first `parts` parts.
    """

    frontier: Frontier
    base: bytes | None = None
    parts: int = 0


@dataclass(frozen=True, slots=True)
class Locator:
    """Some of your heads are news to me: which of these places of mine do you hold?"""

    places: tuple[OpRef, ...]

    def parts(self) -> Iterator["Locator"]:
        """Cut it into questions that may be read each; none where it asks about nothing."""
        for start in range(0, len(self.places), LOCATOR_PLACES_MAX):
            yield Locator(self.places[start : start + LOCATOR_PLACES_MAX])


@dataclass(frozen=True, slots=True)
class Known:
    """Those of your places that I hold."""

    places: tuple[OpRef, ...]


@dataclass(frozen=True, slots=True)
class Ops:
    """A frame of ops (`replica.frame`). `last`: you then have everything that I hold now."""

    frame: bytes
    last: bool


@dataclass(frozen=True, slots=True)
class Base:
    """Part `index` of `count` of a snapshot (`replica.snapshot`): what my log no longer holds as ops."""

    part: bytes
    index: int
    count: int
    digest: bytes
    """SHA-256 of the whole."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Ops of one origin, from `seq` on, that were not taken. `gap`: something else must come first."""

    origin: Origin
    seq: int
    reason: str
    gap: bool


@dataclass(frozen=True, slots=True)
class Ack:
    """Your oldest frame is on my disk: `taken` of its ops were new. One more frame may come."""

    taken: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """You have everything that I hold now."""


@dataclass(frozen=True, slots=True)
class Bye:
    """Nothing more will come, because of this."""

    reason: str


@dataclass(frozen=True, slots=True)
class Want:
    """I lack the vectors of these (`replica.alongside`). One such question at a time."""

    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class Grant:
    """Those of them that I have, in the order of the question: 16-bit floats, small end first."""

    vectors: tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Find this in your memory, by its meaning. One such question at a time, where both agreed on questions."""

    question: str
    limit: int


@dataclass(frozen=True, slots=True)
class Findings:
    """The memories that answer it, the best first, by their ids, since you hold them yourself; None: I cannot tell."""

    rids: tuple[bytes, ...] | None


Message = (
    Hello
    | Trust
    | Heads
    | Locator
    | Known
    | Ops
    | Base
    | Ack
    | CaughtUp
    | Bye
    | Want
    | Grant
    | Inquiry
    | Findings
)


def trust_digest(trust: Trust) -> bytes:
    """Return 32 bytes that are equal exactly when two devices know the same members, revocations and proofs.

    Of a group that has a root, all introductions are counted, and not only whom they introduce.
    """
    members = marks(trust.members)
    revocations = sorted((revocation.device, revocation.by) for revocation in trust.revocations)
    proofs = sorted(proof.id for proof in trust.proofs)
    return hashlib.sha256(pack([members, revocations, proofs])).digest()


def encode_message(message: Message) -> bytes:
    """Return the message as the body of one frame."""
    return pack(_plain(message))


def is_alongside(data: bytes) -> bool:
    """Tell whether an encoded message concerns vectors or questions: no device waits for those to have everything."""
    return data[1:2] in _ALONGSIDE


def says_heads(data: bytes) -> bool:
    """Tell whether an encoded message is Heads."""
    return data[1:2] == _HEADS


def decode_message(data: bytes) -> Message:
    """Return the message that a peer sent; `RemoteProtocolError` when it is not one."""
    try:
        message = _read(unpack(data))
    except InvalidOp as error:
        raise RemoteProtocolError(str(error)) from None
    if message is None:
        raise RemoteProtocolError(
            f"expected a message of protocol {PROTOCOL}, got {len(data)} bytes that are none"
        )
    if encode_message(message) != data:
        raise RemoteProtocolError(f"expected one spelling of a {type(message).__name__}, got another")
    return message


def _plain(message: Message) -> list[Any]:
    match message:
        case Hello():
            head = [_Number.HELLO, message.protocol, message.clock_ms]
            return [*head, message.trust, message.frontier, message.folded, message.credits, message.space]
        case Trust():
            members = [plain_member(member) for member in message.members]
            revocations = [[each.device, each.by, each.signature] for each in message.revocations]
            proofs = [proof.frame for proof in message.proofs]
            return [_Number.TRUST, members, revocations, proofs, message.more]
        case Heads():
            return [_Number.HEADS, message.frontier.plain(), message.base, message.parts]
        case Locator():
            return [_Number.LOCATOR, _by_origin(message.places)]
        case Known():
            return [_Number.KNOWN, _by_origin(message.places)]
        case Ops():
            return [_Number.OPS, message.last, message.frame]
        case Base():
            return [_Number.BASE, message.index, message.count, message.digest, message.part]
        case Ack():
            refused = [
                [*each.origin, each.seq, each.reason[:REASON_CHARACTERS_MAX], each.gap]
                for each in message.refused
            ]
            return [_Number.ACK, message.taken, refused]
        case CaughtUp():
            return [_Number.CAUGHT_UP]
        case Bye():
            return [_Number.BYE, message.reason[:REASON_CHARACTERS_MAX]]
        case Want():
            return [_Number.WANT, b"".join(part for wish in message.wishes for part in wish)]
        case Grant():
            return [_Number.GRANT, list(message.vectors)]
        case Inquiry():
            return [_Number.INQUIRY, message.question, message.limit]
        case Findings():
            return [_Number.FINDINGS, None if message.rids is None else b"".join(message.rids)]
        case _:
            assert_never(message)


def _read(plain: object) -> Message | None:
    """Read what says who is who and who holds what; the rest is read by `_read_moving`."""
    match plain:
        case [_Number.HELLO, int(protocol), *_] if protocol != PROTOCOL:
            raise OtherProtocol(
                f"expected sync protocol {PROTOCOL}, got {protocol}: one of the two devices needs an upgrade"
            )
        case [
            _Number.HELLO,
            int(protocol),
            int(clock_ms),
            bytes(trust),
            bytes(frontier),
            bool(folded),
            int(credits),
            None | bytes() as space,
        ] if (
            len(trust) == len(frontier) == DIGEST_BYTES
            and _within(clock_ms, 0, CLOCK_MS_MAX)
            and _within(credits, 1, CREDITS_MAX)
            and (space is None or len(space) == DIGEST_BYTES)
        ):
            return Hello(protocol, clock_ms, trust, frontier, folded, credits, space)
        case [_Number.TRUST, list(members), list(revocations), list(proofs), bool(more)] if all(
            isinstance(proof, bytes) for proof in proofs
        ):
            return Trust(
                tuple(map(read_member, members)),
                tuple(map(read_revocation, revocations)),
                _read_proofs(proofs),
                more,
            )
        case [_Number.HEADS, list(heads), None, 0] if len(heads) <= HEADS_MAX:
            return Heads(_read_frontier(heads))
        case [_Number.HEADS, list(heads), bytes(base), int(parts)] if (
            len(heads) <= HEADS_MAX and len(base) == DIGEST_BYTES and _within(parts, 1, BASE_PARTS_MAX)
        ):
            return Heads(_read_frontier(heads), base, parts)
        case [_Number.LOCATOR, list(origins)]:
            return Locator(_read_by_origin(origins))
        case [_Number.KNOWN, list(origins)]:
            return Known(_read_by_origin(origins))
    return _read_moving(plain)


def _read_moving(plain: object) -> Message | None:
    """Read what carries ops, snapshots and vectors, or answers those who do; questions are read by `_read_asking`."""
    match plain:
        case [_Number.OPS, bool(last), bytes(frame)]:
            return Ops(frame, last)
        case [_Number.BASE, int(index), int(count), bytes(digest), bytes(part)] if (
            _within(count, 1, BASE_PARTS_MAX)
            and _within(index, 0, count - 1)
            and len(part) <= BASE_PART_BYTES
            and len(digest) == DIGEST_BYTES
        ):
            return Base(part, index, count, digest)
        case [_Number.ACK, int(taken), list(refused)] if (
            _within(taken, 0, FRAME_OPS_MAX) and len(refused) <= REFUSALS_MAX
        ):
            return Ack(taken, tuple(map(_read_refused, refused)))
        case [_Number.CAUGHT_UP]:
            return CaughtUp()
        case [_Number.BYE, str(reason)] if len(reason) <= REASON_CHARACTERS_MAX:
            return Bye(reason)
        case [_Number.WANT, bytes(named)] if (
            0 < len(named) <= WISHES_MAX * _WISH_BYTES and len(named) % _WISH_BYTES == 0
        ):
            return Want(
                tuple(
                    Wish(named[at : at + MEMORY_ID_BYTES], named[at + MEMORY_ID_BYTES : at + _WISH_BYTES])
                    for at in range(0, len(named), _WISH_BYTES)
                )
            )
        case [_Number.GRANT, list(vectors)] if 0 < len(vectors) <= WISHES_MAX and all(
            vector is None or (type(vector) is bytes and len(vector) <= VECTOR_BYTES_MAX)
            for vector in vectors
        ):
            return Grant(tuple(vectors))
    return _read_asking(plain)


def _read_asking(plain: object) -> Message | None:
    """Read a question about memories, or its answer."""
    match plain:
        case [_Number.INQUIRY, str(question), int(limit)] if 0 < len(
            question
        ) <= QUESTION_CHARACTERS_MAX and _within(limit, 1, FOUND_MAX):
            return Inquiry(question, limit)
        case [_Number.FINDINGS, None]:
            return Findings(None)
        case [_Number.FINDINGS, bytes(named)] if (
            len(named) <= FOUND_MAX * MEMORY_ID_BYTES and len(named) % MEMORY_ID_BYTES == 0
        ):
            return Findings(
                tuple(named[at : at + MEMORY_ID_BYTES] for at in range(0, len(named), MEMORY_ID_BYTES))
            )
    return None


def _read_proofs(frames: list[bytes]) -> tuple[Proof, ...]:
    proofs: list[Proof] = []
    named = 0
    for frame in frames:
        proof = read_proof(frame)
        named += len(proof.rids)
        if named > TRUST_NAMED_MAX:
            raise InvalidOp(f"expected proofs that name at most {TRUST_NAMED_MAX} memories in one message")
        proofs.append(proof)
    return tuple(proofs)


def _read_refused(plain: object) -> Refused:
    match plain:
        case [bytes(device), bytes(incarnation), int(seq), str(reason), bool(gap)] if (
            len(device) == DEVICE_ID_BYTES
            and len(incarnation) == INCARNATION_BYTES
            and _within(seq, 0, SEQ_MAX)
            and len(reason) <= REASON_CHARACTERS_MAX
        ):
            return Refused(Origin(DeviceId(device), incarnation), seq, reason, gap)
    raise InvalidOp("expected a refusal [device, incarnation, seq, reason, gap]")


def _within(number: int, low: int, high: int) -> bool:
    """Say whether a number from the wire is one, and not a boolean, and within its bounds."""
    return type(number) is int and low <= number <= high


def _read_frontier(heads: list[Any]) -> Frontier:
    return Frontier.of(map(_read_place, heads))


def _read_place(plain: object) -> OpRef:
    place = read_place(plain)
    if place.seq > SEQ_MAX:
        raise InvalidOp(f"expected a seq of at most {SEQ_MAX}, got {place.seq}")
    return place


def _by_origin(places: tuple[OpRef, ...]) -> list[Any]:
    """A locator is many places of few origins: name each origin once."""
    seqs: dict[Origin, list[Any]] = {}
    for place in places:
        seqs.setdefault(place.origin, []).append([place.seq, place.id8])
    return [[origin.device, origin.incarnation, named] for origin, named in seqs.items()]


def _read_by_origin(plain: list[Any]) -> tuple[OpRef, ...]:
    places: list[OpRef] = []
    for item in plain:
        match item:
            case [bytes(device), bytes(incarnation), list(named)] if (
                len(places) + len(named) <= LOCATOR_PLACES_MAX
            ):
                for pair in named:
                    if not isinstance(pair, list) or len(pair) != 2:
                        raise InvalidOp("expected places as [seq, id8]")
                    places.append(_read_place([device, incarnation, *pair]))
            case _:
                raise InvalidOp(f"expected at most {LOCATOR_PLACES_MAX} places by origin")
    return tuple(places)
