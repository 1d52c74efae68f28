"""The protocol's test vectors: what any implementation must make, and must read, byte for byte.

`python -m tests.support.vectors` writes docs/protocol/vectors anew; tests/unit/test_protocol_vectors.py holds this
implementation to what is committed there.
"""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import zstandard

from replica import hlc, limits, ops
from replica.codec import encode_payload, header, payload_hash, unpack
from replica.erasure import proof_of
from replica.frame import encode_frame
from replica.ids import OpId, derived_memory_id, op_uuid
from replica.ops import Body, OpKind, Remember, Set
from replica.signing import sign_commit
from replica.state.register import Dot, Register, winner, write
from replica.state.text import EditedText, base_name
from sync.identity import device_id_of, fingerprint, shared_words
from sync.words import WORDS
from tests.support.history import told
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, frame_of_segments, group, take
from tests.support.vectors_of_links import (
    OTHER,
    PLACE,
    RID,
    alongside,
    carrying,
    carrying_1,
    carrying_2,
    groups,
    messages,
    pairing,
    sha256,
    snapshots,
)
from tests.support.vectors_of_web_links import web_links

FOLDER = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"
SALT = bytes(range(16))

# One body of each kind, with the plain values that its payload spells.
BODIES: dict[OpKind, Body] = {
    OpKind.REMEMBER: Remember(
        "Ann moved to Lisbon", {"speaker": "Ann", "importance": 0.5, "tags": ["a", "b"]}
    ),
    OpKind.EDIT: ops.Edit(base_name(RID, "one"), EditedText.from_base(RID, "one").edit("one two", Random(1))),
    OpKind.SET: Set("importance", 0.75),
    OpKind.FORGET: ops.Forget((RID, OTHER)),
    OpKind.ERASE: ops.Erase((RID,)),
    OpKind.RELATE: ops.Relate("Ann", "lives in", "Lisbon", 1.0),
    OpKind.ACCESS: ops.Access(((RID, 3, NOW_MS),)),
    OpKind.CLAIM: ops.Claim("Ann", "lives in", "Lisbon", (PLACE,), NOW_MS),
    OpKind.RESOLVE: ops.Resolve((ops.ClaimVerdict(RID, PLACE, keep=False),)),
    OpKind.PROPOSE: ops.Propose((RID, OTHER)),
    OpKind.WITHDRAW: ops.Withdraw((PLACE,)),
    OpKind.TRIGGER: ops.Trigger(OTHER, 2, "decay_review", (OTHER,)),
    OpKind.RECEIPT: ops.Receipt((RID,)),
    OpKind.FEEDBACK: ops.Feedback(RID, (("meaning", 400_000_000), ("words", -100_000_000))),
    OpKind.SAYS_SAME: ops.SaysSame((RID, OTHER), 90),
    OpKind.UNLINK: ops.Unlink((PLACE,)),
    OpKind.TAG: ops.Tag(("home", "travel")),
    OpKind.UNTAG: ops.Untag(("home",)),
    OpKind.SAME_SLOT: ops.SameSlot((RID, OTHER), (PLACE, PLACE), True, 3, 90),
}


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
        digest, seen = payload_hash(payload), (PLACE,) if kind == OpKind.SET else ()
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


def bounds() -> Any:
    """Every limit of the log and its frames."""
    return {name: value for name, value in sorted(vars(limits).items()) if name.isupper()}


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
    "carrying-1": carrying_1,
    "carrying-2": carrying_2,
    "registers": registers,
    "documents": documents,
    "pairing": pairing,
    "web-links": web_links,
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
