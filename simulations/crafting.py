"""Sign ops that this version of the product would not write: newer kinds and versions, and bodies made wrong.

Both are written by members of the group with their real keys, so every device must take, keep and forward them. They
stand on a feed of their own (an incarnation drawn for the purpose), and enter through `Core.take` like anybody's.
"""

from random import Random
from typing import Final

from replica.codec import SALT_BYTES, encode_payload, header, header_hash, pack, payload_hash
from replica.frame import Frame, Segment, decode_frame, encode_frame
from replica.hlc import HLC_MAX
from replica.ids import INCARNATION_BYTES, DeviceId, MemoryId, OpId, Origin
from replica.ops import KIND_OF, Body, Op, OpKind, Set
from replica.signing import sign_commit
from simulations.device import Device

# A kind that no version of the product has ever had.
UNHEARD_OF: Final = 4000
# What every shape of body is made wrong by: an integer where each of them has something else.
_NO_BODY: Final = 7


def craft(
    device: Device,
    *,
    feed: str,
    kind: int,
    version: int,
    rid: bytes | None,
    payload: bytes,
    hlc: int,
    author: DeviceId | None = None,
) -> Frame:
    """Return one signed commit of one op, on the device's side feed of that name.

    `author`: whose op it claims to be, where that is another; the signature is the device's all the same.
    """
    core = device.core
    origin = Origin(author or device.key.device, Random(feed).randbytes(INCARNATION_BYTES))
    own = [each for each in core.feeds.of(origin) if each.parent is None]
    vector = own[0].vector if own else {}
    seq, prev = (own[0].seq, own[0].head) if own else (0, None)
    seen = tuple(sorted(other.head_place for other in core.feeds if other.seq > vector.get(other.no, 0)))
    hlc = min(HLC_MAX, hlc)
    digest = payload_hash(payload)
    op_id = header_hash(header(origin, seq + 1, hlc, seen, kind, version, True, rid, prev, digest))
    target = None if rid is None else MemoryId(rid)
    op = Op(origin, seq + 1, hlc, seen, kind, version, True, target, prev, digest, payload, op_id)
    segment = Segment(origin, seq + 1, prev, sign_commit(device.key.private.sign, OpId(op_id)), None)
    return decode_frame(encode_frame(Frame((segment,), (op,), (0,))))


def newer_payload(body: Body, random: Random) -> tuple[int, bytes]:
    """Return the kind and payload of an op that a newer version wrote, and that reads as `body` there."""
    return KIND_OF[type(body)], encode_payload(random.randbytes(SALT_BYTES), body)


def wrong_bodies(random: Random, rid: bytes, base: bytes = b"8 bytes.") -> tuple[int, bytes | None, bytes]:
    """Return (kind, rid, payload) of an op that keeps the rules of headers and breaks those of bodies.

    `base` names the document that edits are about: one that exists makes it worse.
    """
    salt = random.randbytes(SALT_BYTES)
    return random.choice(
        [
            (OpKind.REMEMBER, rid, salt + pack(_NO_BODY)),
            (OpKind.REMEMBER, rid, salt + pack(["", {}])),
            (OpKind.REMEMBER, None, salt + pack(["nowhere to hang this", {}])),
            (OpKind.REMEMBER, rid, salt + pack(["wrong field", {"importance": 7.5}])),
            (OpKind.EDIT, rid, salt + pack([base, b"this is not a Yjs update"])),
            (OpKind.EDIT, rid, salt + pack([base, b""])),
            (OpKind.EDIT, None, salt + pack([b"8 bytes.", b"\0\0"])),
            (OpKind.SET, rid, salt + pack(["importance", "very"])),
            (OpKind.SET, None, salt + b"\xc1"),
            (OpKind.FORGET, None, salt + pack([])),
            (OpKind.FORGET, None, salt + pack([b"short"])),
            (OpKind.RELATE, None, salt + pack(["Ann", "knows", "Ben", 2.0])),
            (OpKind.ACCESS, None, salt + pack([[rid, 2**64 - 1, 2**64 - 1]])),
            (OpKind.ACCESS, None, salt + pack([[rid, 2**63 - 1, 2**63 - 1]])),
            (OpKind.CLAIM, rid, salt + pack(["Ann", "lives_in", "", [], None])),
            (OpKind.RESOLVE, None, salt + pack([[rid, [], True]])),
            (OpKind.PROPOSE, None, salt + pack([rid, rid])),
            (OpKind.WITHDRAW, None, salt + pack([[b"", b"", 0, b""]])),
            (OpKind.TRIGGER, rid, salt + pack([b"short", 9])),
            (OpKind.TRIGGER, None, encode_payload(salt, Set("a", 1))),
        ]
    )
