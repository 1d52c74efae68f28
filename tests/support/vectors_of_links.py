"""The vectors of what devices say to each other: the group, messages, pairing, snapshots, vectors, carrier files."""

from collections.abc import Callable
from dataclasses import asdict
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np
import zstandard
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.public import Box, PrivateKey, PublicKey
from nacl.signing import VerifyKey

from cognition.tables import indexed
from replica import ops
from replica.alongside import TEXT_HASH_BYTES, Wish
from replica.codec import pack, payload_hash, wire_place
from replica.compaction import LEASE_MS, compact
from replica.erasure import proof_of, read_proof
from replica.frame import encode_frame
from replica.ids import DeviceId, MemoryId, OpRef, Origin
from replica.membership import IntroducedMember, introduce, plain_member, revoke
from replica.ops import Set
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from sync.code import PairingCode
from sync.pairing import Introduction, Joiner, Offerer, PairingWindow
from sync.wire.messages import (
    Ack,
    Base,
    Bye,
    CaughtUp,
    Findings,
    Grant,
    Heads,
    Hello,
    Inquiry,
    Known,
    Locator,
    Message,
    Ops,
    Refused,
    Trust,
    Want,
    encode_message,
    trust_digest,
)
from tests.support.history import told
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, acquaint, core_of, group, take

RID = MemoryId(bytes(range(0x10, 0x20)))
OTHER = MemoryId(bytes(range(0x20, 0x30)))
PLACE = OpRef(Origin(DeviceId(bytes(range(32))), b"incarnat"), 41, bytes(range(8)))


def sha256(data: bytes) -> bytes:
    """The SHA-256 of some bytes."""
    return payload_hash(data)


def member(by: str, name: str) -> IntroducedMember:
    """One device's introduction of another."""
    who, other = identity(by), identity(name)
    return introduce(
        who.sign, who.device_id, public_key=other.public_key, certificate=other.certificate, name=name
    )


def groups() -> Any:
    """An introduction and a revocation, and the hash by which two devices find that they know the same."""
    told, out = (
        member("ann", "ben"),
        revoke(identity("ann").sign, identity("ann").device_id, identity("ben").device_id),
    )
    own = member("ann", "ann")
    return {
        "introduction": plain_member(told),
        "revocation": list(out),
        "trust_digest": trust_digest(Trust((own, told), (out,), ())),
    }


def messages() -> Any:
    """One message of each number."""
    told = member("ann", "ben")
    out = revoke(identity("ann").sign, identity("ann").device_id, identity("ben").device_id)
    core, _ = group("ann", "ben")
    hand = Hand("ben")
    take(core, hand.frame(hand.write(Set("theme", "dark"))))
    erased = hand.write(ops.Erase((OTHER,)))
    proof = proof_of(erased, hand.segment(erased).signature)
    frontier = core.frontier()
    said: list[Message] = [
        Hello(2, NOW_MS, bytes(32), frontier.digest(), True, 4),
        Trust((told,), (out,), ()),
        Trust((), (), (read_proof(stored(zstandard.decompress(proof.frame))),), more=True),
        Heads(frontier),
        Heads(frontier, bytes(range(32)), 3),
        Locator((PLACE, PLACE._replace(seq=39))),
        Known((PLACE,)),
        Ops(b"a frame of ops", True),
        Ack(3, (Refused(PLACE.origin, 41, "why", True),)),
        CaughtUp(),
        Bye("why"),
        Base(b"a part", 0, 2, bytes(32)),
        Hello(2, NOW_MS, bytes(32), frontier.digest(), True, 4, bytes(32)),
        Want((Wish(bytes(range(16)), bytes(16)),)),
        Grant((bytes(4), None)),
        Inquiry("where did I park?", 20),
        Findings((bytes(range(16)), bytes(16))),
        Findings(None),
    ]
    return [
        {"message": type(each).__name__, "bytes": encode_message(each), "values": stated(each)}
        for each in said
    ]


def stated(message: Message) -> dict[str, Any]:
    """What a message says, by the names of the page, in plain values."""
    match message:
        case Trust():
            return {
                "introductions": [plain_member(each) for each in message.members],
                "revocations": [list(each) for each in message.revocations],
                "proofs": [each.frame for each in message.proofs],
                "more": message.more,
            }
        case Heads():
            return {"frontier": message.frontier.plain(), "snapshot": message.base, "parts": message.parts}
        case Locator() | Known():
            return {"places": [wire_place(place) for place in message.places]}
        case Ack():
            refused = [[*each.origin, each.seq, each.reason, each.gap] for each in message.refused]
            return {"taken": message.taken, "refused": refused}
        case Findings():
            return {"rids": None if message.rids is None else list(message.rids)}
        case Want():
            return {"wishes": [list(wish) for wish in message.wishes]}
        case _:
            return asdict(message)


def snapshots() -> Any:
    """A history that was folded away whole, as the base that a newcomer gets, and what that shows."""
    core, _ = group("ann", "ben")
    frame = told(later=False)
    assert take(core, frame).ops == len(frame.ops)
    before = core.digests()
    assert compact(core, NOW_MS + 2 * LEASE_MS) == len(frame.ops)
    assert core.digests() == before
    sealed = make_snapshot(core)
    new = core_of("cleo")
    acquaint(new, "cleo", "ann", "ben")
    assert absorb(new, read_snapshot(sealed, new), NOW_MS)
    assert new.digests() == before
    signature, body = unseal(sealed)
    return {
        "signature": signature,
        "body": body,
        "heads": core.frontier().plain(),
        "digest": before.visible,
        "state_digest": before.state,
    }


def alongside() -> Any:
    """Memories as they are embedded, the hash by which their vectors are wanted, and a vector as it travels."""
    day_ms = 1_683_504_000_000
    fields: list[dict[str, Any]] = [
        {},
        {"speaker": "Ann"},
        {
            "speaker": "Ann", "told_at": day_ms + 5, "topic": "tea", "project": "home", "tags": ["b", "a"],
            "meta": {"caption": "a cup", "n": 2, "off": None},
        },
        {"told_at": -1},
    ]  # fmt: skip
    vector = np.array([0.6, 0.0, -0.8, 0.0], "<f2")
    model = "wordllama-0.4.0.post1/l2_supercat_256/1"
    return {
        "texts": [
            {
                "text": "I like it",
                "fields": each,
                "embedded": (whole := indexed("I like it", each).whole()),
                "hash": sha256(whole.encode())[:TEXT_HASH_BYTES],
            }
            for each in fields
        ],
        "space": {"model": model, "hash": sha256(model.encode())},
        "vector": {"numbers": [0.6, 0.0, -0.8, 0.0], "bytes": vector.tobytes()},
    }


def carrying() -> Any:
    """A carrier file as the page has it made, with keys that are known, and what is sealed in it."""
    core, ben = group("ann", "ben")
    hand = Hand("ann")
    frames, places = list[bytes](), list[OpRef]()
    for theme in ("dark", "light"):
        op = hand.write(Set("theme", theme))
        take(core, hand.frame(op))
        frames.append(stored(zstandard.decompress(encode_frame(hand.frame(op)))))
        places.append(op.place)
    shorts = sorted([core.device[:8], ben.device[:8]])
    (head,) = core.frontier().heads
    assert head == places[1]
    held = [[shorts.index(core.device[:8])], head.origin.incarnation, [head.seq], head.id8]
    said = [
        pack(
            [3, core.device, NOW_MS, 2, b"".join(shorts), _known(core.device, ben.device), True, held, True]
        ),
        encode_message(Trust((member("ann", "ann"), member("ann", "ben")), (), ())),
        encode_message(Ops(frames[0], last=False)),
        pack(["seen", [[b"", [[0, places[0].seq, places[0].id8]]]]]),
        encode_message(Ops(frames[1], last=False)),
    ]
    said.append(identity("ann").sign(b"samemind carry 3\0" + sha256(b"".join(map(sha256, said)))))
    key, once = bytes(range(32)), PrivateKey(bytes([9]) * 32)
    readers = [VerifyKey(identity(name).public_key).to_curve25519_public_key() for name in ("ann", "ben")]
    boxes = bytes(once.public_key) + b"".join(_box(key, each, once)[32:] for each in readers)
    boxes += bytes(range(96))  # two that nobody can open
    front = b"samemind carry 3\n" + (4).to_bytes(4, "big") + boxes
    return {"file": _sealed(front, boxes, key, said), "reader": ben.device, "key": key, "messages": said}


def carrying_2() -> Any:
    """A carrier file of the second format."""
    core, ben = group("ann", "ben")
    hand = Hand("ann")
    op = hand.write(Set("theme", "dark"))
    take(core, hand.frame(op))
    shorts = sorted([core.device[:8], ben.device[:8]])
    (head,) = core.frontier().heads
    held = [[shorts.index(core.device[:8]), head.origin.incarnation, head.seq, head.id8]]
    frame = stored(zstandard.decompress(encode_frame(hand.frame(op))))
    said = [
        pack(
            [2, core.device, NOW_MS, 2, b"".join(shorts), _known(core.device, ben.device), True, held, True]
        ),
        encode_message(Trust((member("ann", "ann"), member("ann", "ben")), (), ())),
        encode_message(Ops(frame, last=False)),
    ]
    said.append(identity("ann").sign(b"samemind carry 2\0" + sha256(b"".join(map(sha256, said)))))
    key = bytes(range(32))
    nobody = [PrivateKey(bytes([n]) * 32).public_key for n in (7, 8)]
    boxes = b"".join(boxed(key, identity(name).public_key, seed) for seed, name in enumerate(("ann", "ben")))
    boxes += b"".join(_box(bytes(32), each, _drawn(seed)) for seed, each in enumerate(nobody, start=2))
    front = b"samemind carry 2\n" + (4).to_bytes(4, "big") + boxes
    return {"file": _sealed(front, boxes, key, said), "reader": ben.device, "key": key, "messages": said}


def _known(*members: bytes) -> list[Any]:
    return [0, sha256(pack([]))[:16], sha256(pack([sorted(members), [], []]))[:16]]


def _sealed(front: bytes, boxes: bytes, key: bytes, said: list[bytes]) -> bytes:
    """A file of one record, filled up to the least size."""
    stream = b"".join(len(message).to_bytes(4, "big") + message for message in said)
    stream += bytes(4_096 - len(front) - 16 - len(stream))
    return front + ChaCha20Poly1305(key).encrypt(bytes(11) + b"\1", stream, sha256(boxes))


def carrying_1() -> Any:
    """A carrier file of the first format."""
    core, ben = group("ann", "ben")
    hand = Hand("ann")
    op = hand.write(Set("theme", "dark"))
    take(core, hand.frame(op))
    heads = core.frontier()
    header = [core.device, NOW_MS, sorted([core.device, ben.device]), [], [], heads.plain(), True]
    frame = stored(zstandard.decompress(encode_frame(hand.frame(op))))
    said = [
        pack(header),
        encode_message(Trust((member("ann", "ann"), member("ann", "ben")), (), ())),
        encode_message(Ops(frame, last=False)),
    ]
    signed = b"samemind carry 1\0" + sha256(b"".join(map(sha256, said)))
    said.append(identity("ann").sign(signed))
    key = bytes(range(32))
    boxes = b"".join(boxed(key, identity(name).public_key, seed) for seed, name in enumerate(("ann", "ben")))
    file = b"samemind carry 1\n" + (2).to_bytes(4, "big") + boxes
    for number, message in enumerate(said):
        nonce = number.to_bytes(11, "big") + bytes([number == len(said) - 1])
        sealed = ChaCha20Poly1305(key).encrypt(nonce, message, sha256(boxes))
        file += len(sealed).to_bytes(4, "big") + sealed
    return {"file": file, "reader": ben.device, "key": key, "messages": said}


def boxed(key: bytes, reader: bytes, seed: int) -> bytes:
    """A box of libsodium's for the owner of an Ed25519 key, under a key that is drawn from a seed."""
    return _box(key, VerifyKey(reader).to_curve25519_public_key(), _drawn(seed))


def _drawn(seed: int) -> PrivateKey:
    return PrivateKey(Random(seed).randbytes(32))


def _box(key: bytes, theirs: PublicKey, once: PrivateKey) -> bytes:
    nonce = blake2b(bytes(once.public_key) + bytes(theirs), digest_size=24).digest()
    return bytes(once.public_key) + Box(once, theirs).encrypt(key, nonce).ciphertext


def stored(data: bytes) -> bytes:
    """A frame of zstd that holds these bytes as they are, so that no version of it packs them otherwise."""
    assert len(data) < 1 << 16
    small = len(data) < 256
    size = len(data).to_bytes(1) if small else (len(data) - 256).to_bytes(2, "little")
    head = b"\x28\xb5\x2f\xfd" + (b"\x20" if small else b"\x60") + size
    return head + (len(data) << 3 | 1).to_bytes(3, "little") + data


def pairing() -> Any:
    """A whole pairing with known randomness: every frame, and who holds whose certificate."""

    def entropy(seed: int) -> Callable[[int], bytes]:
        return Random(seed).randbytes

    ann, ben = identity("ann"), identity("ben")
    window = PairingWindow(now_ms=NOW_MS, entropy=entropy(1))
    code = window.current(now_ms=NOW_MS)
    offerer = Offerer(
        window, certificate=ann.certificate, introduction=Introduction("ann", b"ann's"), entropy=entropy(2)
    )
    joiner = Joiner(
        PairingCode.parse(str(code)),
        certificate=ben.certificate,
        offerer=ann.certificate,
        introduction=Introduction("ben", b"ben's"),
        entropy=entropy(3),
    )
    said = [("joiner", joiner.start())]
    (reply,) = offerer.receive(said[-1][1], now_ms=NOW_MS)
    (proof,) = joiner.receive(reply)
    (answer,) = offerer.receive(proof, now_ms=NOW_MS)
    (done,) = joiner.receive(answer)
    assert offerer.receive(done, now_ms=NOW_MS) == []
    assert offerer.paired is not None
    said += [("offerer", reply), ("joiner", proof), ("offerer", answer), ("joiner", done)]
    return {
        "code": str(code),
        "offerer": ann.certificate,
        "joiner": ben.certificate,
        "frames": [{"from": side, "bytes": data} for side, data in said],
        "words": offerer.paired.words,
    }
