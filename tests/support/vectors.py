"""The protocol's test vectors: what any implementation must make, and must read, byte for byte.

`python -m tests.support.vectors` writes docs/protocol/vectors anew; tests/unit/test_protocol_vectors.py holds this
implementation to what is committed there.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import zstandard
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.public import Box, PrivateKey
from nacl.signing import VerifyKey

from cognition.tables import indexed
from replica import hlc, limits, ops
from replica.alongside import TEXT_HASH_BYTES, Wish
from replica.codec import encode_payload, header, pack, payload_hash, unpack, wire_place
from replica.compaction import LEASE_MS, compact
from replica.erasure import proof_of, read_proof
from replica.frame import encode_frame
from replica.ids import DeviceId, MemoryId, OpId, Origin, Place, derived_memory_id, op_uuid
from replica.membership import Member, introduce, plain_member, revoke
from replica.ops import Body, Kind, Remember, Set
from replica.signing import sign_commit
from replica.snapshot import absorb, make_snapshot, read_snapshot, unseal
from replica.state.register import Dot, Register, winner, write
from replica.state.text import EditedText, base_name
from sync.code import PairingCode
from sync.identity import device_id_of, fingerprint, shared_words
from sync.pairing import Introduction, Joiner, Offerer, PairingWindow
from sync.wire.messages import (
    Ack,
    Base,
    Bye,
    CaughtUp,
    Grant,
    Heads,
    Hello,
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
from sync.words import WORDS
from tests.support.history import told
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, acquaint, core_of, frame_of_segments, group, take

FOLDER = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"
SALT = bytes(range(16))
RID = MemoryId(bytes(range(0x10, 0x20)))
OTHER = MemoryId(bytes(range(0x20, 0x30)))
PLACE = Place(Origin(DeviceId(bytes(range(32))), b"incarnat"), 41, bytes(range(8)))

# One body of each kind, with the plain values that its payload spells.
BODIES: dict[Kind, Body] = {
    Kind.REMEMBER: Remember("Ann moved to Lisbon", {"speaker": "Ann", "importance": 0.5, "tags": ["a", "b"]}),
    Kind.EDIT: ops.Edit(base_name(RID, "one"), EditedText.from_base(RID, "one").edit("one two", Random(1))),
    Kind.SET: Set("importance", 0.75),
    Kind.FORGET: ops.Forget((RID, OTHER)),
    Kind.ERASE: ops.Erase((RID,)),
    Kind.RELATE: ops.Relate("Ann", "lives in", "Lisbon", 1.0),
    Kind.ACCESS: ops.Access(((RID, 3, NOW_MS),)),
    Kind.CLAIM: ops.Claim("Ann", "lives in", "Lisbon", (PLACE,), NOW_MS),
    Kind.RESOLVE: ops.Resolve((ops.Verdict(RID, PLACE, keep=False),)),
    Kind.PROPOSE: ops.Propose((RID, OTHER)),
    Kind.WITHDRAW: ops.Withdraw((PLACE,)),
    Kind.TRIGGER: ops.Trigger(OTHER, 2, "decay_review", (OTHER,)),
    Kind.RECEIPT: ops.Receipt((RID,)),
    Kind.FEEDBACK: ops.Feedback(RID, (("meaning", 400_000_000), ("words", -100_000_000))),
}


def member(by: str, name: str) -> Member:
    """One device's introduction of another."""
    who, other = identity(by), identity(name)
    return introduce(
        who.sign, who.device_id, public_key=other.public_key, certificate=other.certificate, name=name
    )


def identities() -> Any:
    """Key, id and certificate of two devices, and the words that they show each other."""
    ann, ben = identity("ann"), identity("ben")
    return {
        "devices": [
            {
                "private_key": each.private_key.private_bytes_raw(),
                "public_key": each.public_key,
                "device_id": device_id_of(each.certificate),
                "certificate": each.certificate,
                "fingerprint": fingerprint(each.certificate),
            }
            for each in (ann, ben)
        ],
        "words": shared_words(ann.certificate, ben.certificate),
        "word_list": list(WORDS),
        "derived_memory_id": {"source": "notes.md", "key": "7", "id": derived_memory_id("notes.md", "7")},
    }


def clocks() -> Any:
    """Stamps: (last, now) to the next one, and (last, remote, now) to the clock after it."""
    now = NOW_MS << 16
    return {
        "tick": [
            {"last": last, "now_ms": ms, "stamp": hlc.tick(hlc.Hlc(last), ms)}
            for last, ms in ((0, NOW_MS), (now, NOW_MS), (now + 5, NOW_MS - 9), (now | 0xFFFF, NOW_MS))
        ],
        "absorb": [
            {
                "last": now,
                "remote": remote,
                "now_ms": NOW_MS,
                "clock": hlc.absorb(hlc.Hlc(now), remote, NOW_MS),
            }
            for remote in (
                now - 1,
                now + 7,
                (NOW_MS + hlc.AHEAD_MS_MAX) << 16,
                ((NOW_MS + hlc.AHEAD_MS_MAX) << 16) + 1,
            )
        ],
    }


def bodies() -> Any:
    """One payload and one header of each kind, with their hashes."""
    found = []
    hand = Hand("ann")
    for kind, body in BODIES.items():
        payload = encode_payload(SALT, body)
        rid = RID if kind in ops.TEXT_KINDS else None
        digest, seen = payload_hash(payload), (PLACE,) if kind == Kind.SET else ()
        raw = header(hand.origin, 2, (NOW_MS << 16) + 1, seen, kind, 1, True, rid, b"p" * 32, digest)
        op_id = sha256(raw)
        found.append(
            {
                "kind": int(kind),
                "name": kind.name,
                "body": unpack(payload[16:]),
                "payload": payload,
                "payload_hash": digest,
                "header": raw,
                "op_id": op_id,
                "shown_id": str(op_uuid(op_id, (NOW_MS << 16) + 1)),
                "commit_signature": sign_commit(hand.who.sign, OpId(op_id)),
            }
        )
    return {"origin": list(hand.origin), "ops": found}


def frames() -> Any:
    """A log of two feeds and a branch as one frame; what it folds to."""
    ann, ben = Hand("ann"), Hand("ben")
    one = ann.write(Remember("Ann moved to Lisbon", {"importance": 0.5}), RID, ends=False)
    two = ann.write(Set("topic", "moving"), RID)
    clone = ann.fork()
    three = ben.write(Set("importance", 0.75), RID, seen=[two.place])
    four = ann.write(ops.Relate("Ann", "lives in", "Lisbon", 1.0))
    five = clone.write(Set("theme", "dark"))
    later = ben.write(kind=4000, version=7, plain=b"\xc0", rid=OTHER)
    frame = frame_of_segments((ann.segment(one, two, four), [one, two]), (ben.segment(three, later), [three]))
    frame = frame._replace(
        segments=(*frame.segments, clone.segment(five)),
        ops=(*frame.ops, four, five, later),
        segment_of=(*frame.segment_of, 0, 2, 1),
    )
    core, _ = group("ann", "ben")
    assert take(core, frame).ops == len(frame.ops)
    digests = core.digests()
    erase = ben.write(ops.Erase((OTHER,)))
    return {
        "columns": zstandard.decompress(encode_frame(frame)),
        "op_ids": [op.id for op in frame.ops],
        "heads": core.frontier().plain(),
        "frontier_digest": core.frontier().digest(),
        "digest": digests.visible,
        "state_digest": digests.state,
        "proof_columns": zstandard.decompress(proof_of(erase, ben.segment(erase).signature).frame),
        "proof_id": erase.id,
    }


def histories() -> Any:
    """A history of every kind, and what it folds to."""
    frame = told()
    core, _ = group("ann", "ben")
    assert take(core, frame).ops == len(frame.ops)
    return {
        "columns": zstandard.decompress(encode_frame(frame)),
        "op_ids": [op.id for op in frame.ops],
        "heads": core.frontier().plain(),
        "frontier_digest": core.frontier().digest(),
        "digest": core.digests().visible,
        "state_digest": core.digests().state,
    }


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
    theirs, once = VerifyKey(reader).to_curve25519_public_key(), PrivateKey(Random(seed).randbytes(32))
    nonce = blake2b(bytes(once.public_key) + bytes(theirs), digest_size=24).digest()
    return bytes(once.public_key) + Box(once, theirs).encrypt(key, nonce).ciphertext


def stored(data: bytes) -> bytes:
    """A frame of zstd that holds these bytes as they are, so that no version of it packs them otherwise."""
    assert len(data) < 1 << 16
    small = len(data) < 256
    size = len(data).to_bytes(1) if small else (len(data) - 256).to_bytes(2, "little")
    head = b"\x28\xb5\x2f\xfd" + (b"\x20" if small else b"\x60") + size
    return head + (len(data) << 3 | 1).to_bytes(3, "little") + data


def registers() -> Any:
    """Writes to one register, in a causal order: [device, seq, hlc, value, what its writer had seen]; and its heads."""
    history: list[tuple[int, int, int, str, dict[int, int]]] = [
        (0, 1, 30, "a", {0: 1}),
        (1, 1, 10, "b", {0: 1, 1: 1}),
        (2, 1, 20, "c", {2: 1}),
        (3, 1, 20, "d", {3: 1}),
    ]
    register: Register = {}
    for device, seq, stamp, value, vector in history:
        register = write(register, Dot(device, seq, bytes([device]) * 8), stamp, value, vector)
    return {
        "writes": [
            {
                "device": device,
                "seq": seq,
                "id8": bytes([device]) * 8,
                "hlc": stamp,
                "value": value,
                "seen": sorted(seen.items()),
            }
            for device, seq, stamp, value, seen in history
        ],
        "heads": sorted(dot.feed for dot in register),
        "value": winner(register)[2],
    }


def documents() -> Any:
    """The base document of a text, and two edits of it made apart."""
    text = "Ann lives in Porto"
    base = EditedText.from_base(RID, text)
    one = base.edit("Ann lives in Lisbon", Random(1))
    other = base.edit("Ann still lives in Porto", Random(2))
    both = EditedText.from_base(RID, text)
    both.apply(one)
    both.apply(other)
    return {
        "rid": RID,
        "text": text,
        "base": base_name(RID, text),
        "base_update": base.state(),
        "edits": [one, other],
        "shows": both.show(),
    }


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


def bounds() -> Any:
    """Every limit of the log and its frames."""
    return {name: value for name, value in sorted(vars(limits).items()) if name.isupper()}


def sha256(data: bytes) -> bytes:
    """The SHA-256 of some bytes."""
    return payload_hash(data)


VECTORS: dict[str, Callable[[], Any]] = {
    "identities": identities,
    "clocks": clocks,
    "ops": bodies,
    "frames": frames,
    "histories": histories,
    "groups": groups,
    "messages": messages,
    "snapshots": snapshots,
    "alongside": alongside,
    "carrying": carrying,
    "registers": registers,
    "documents": documents,
    "pairing": pairing,
    "limits": bounds,
}


def readable(value: Any) -> Any:
    """A value as JSON can hold it: bytes as {"hex": …}."""
    match value:
        case bytes():
            return {"hex": value.hex()}
        case dict():
            return {str(key): readable(each) for key, each in value.items()}
        case list() | tuple():
            return [readable(each) for each in value]
        case _:
            return value


def plain(value: Any) -> Any:
    """The value that `readable` showed."""
    match value:
        case {"hex": str(data)}:
            return bytes.fromhex(data)
        case dict():
            return {key: plain(each) for key, each in value.items()}
        case list():
            return [plain(each) for each in value]
        case _:
            return value


def load(name: str) -> Any:
    """One file of vectors."""
    return plain(json.loads((FOLDER / f"{name}.json").read_text()))


def dump(name: str) -> str:
    """One file of vectors as it should be."""
    return json.dumps(readable(VECTORS[name]()), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in VECTORS:
        (FOLDER / f"{each}.json").write_text(dump(each))
