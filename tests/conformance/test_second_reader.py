"""The pages in docs/protocol are enough to write another implementation: one that was written from them agrees."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.support.second.folding import Replica
from tests.support.second.frames import Op, Refused, pack, read_frame, sha256, unpack
from tests.support.vectors import FOLDER, load, plain

KEYS: Mapping[bytes, bytes] = {
    each["device_id"]: each["public_key"] for each in load("identities")["devices"]
}


def history(name: str) -> Any:
    """A history that ops tell, with what it folds to: of the vectors, or frozen."""
    if name in ("frames", "histories"):
        return load(name)
    return plain(json.loads((FOLDER.parent / "frozen" / f"{name}.json").read_text("utf-8")))


def told(vectors: Any) -> Replica:
    """A second implementation that took a whole history."""
    replica = Replica()
    for proof in vectors.get("proofs", []):
        replica.prove(read_frame(proof, KEYS))
    for op in read_frame(vectors["columns"], KEYS):
        replica.take(op)
    return replica


@pytest.mark.parametrize("name", ["frames", "histories", "build-1"])
def test_another_implementation_names_and_folds_a_history_alike(name: str) -> None:
    vectors = history(name)
    assert [op.id for op in read_frame(vectors["columns"], KEYS)] == vectors["op_ids"]
    replica = told(vectors)
    assert replica.digest() == vectors["digest"]
    assert replica.state_digest() == vectors["state_digest"]
    if "heads" in vectors:
        assert replica.heads() == vectors["heads"]
        assert replica.frontier_digest() == vectors["frontier_digest"]


@pytest.mark.parametrize("seed", range(5))
def test_it_comes_to_the_same_in_any_order_in_which_causes_come_first(seed: int) -> None:
    vectors = load("histories")
    waiting: list[Op] = read_frame(vectors["columns"], KEYS)
    replica, chance = Replica(), Random(seed)

    def ready(op: Op) -> bool:
        held = [each.place for each in replica.ops.values()]
        return (op.prev is None or op.prev in replica.ops) and all(place in held for place in op.seen)

    while waiting:
        op = chance.choice([each for each in waiting if ready(each)])
        waiting.remove(op)
        replica.take(op)
    assert replica.digest() == vectors["digest"]
    assert replica.state_digest() == vectors["state_digest"]


def test_a_changed_byte_anywhere_in_a_frame_is_refused() -> None:
    """Or it is in a column that says nothing: there is none."""
    columns = load("histories")["columns"]
    wrong = (IndexError, KeyError, TypeError, ValueError, Refused)
    for at in range(0, len(columns), 7):
        with pytest.raises(wrong):
            read_frame(columns[:at] + bytes([columns[at] ^ 1]) + columns[at + 1 :], KEYS)


def test_it_believes_the_introduction_and_the_revocation_of_the_vectors() -> None:
    vectors = load("groups")
    key, certificate, name, introducer, signature = vectors["introduction"]
    said = b"samemind member 1\0" + pack([key, certificate, name, introducer])
    Ed25519PublicKey.from_public_bytes(KEYS[introducer]).verify(signature, said)
    out, by, signature = vectors["revocation"]
    said = b"samemind revocation 1\0" + by + out
    Ed25519PublicKey.from_public_bytes(KEYS[by]).verify(signature, said)
    members = sorted([introducer, sha256(key)])
    assert sha256(pack([members, [[out, by]], []])) == vectors["trust_digest"]


def test_it_names_devices_memories_and_ops_as_the_vectors_do() -> None:
    vectors = load("identities")
    for each in vectors["devices"]:
        assert sha256(each["public_key"]) == each["device_id"]
        assert sha256(each["certificate"]) == each["fingerprint"]
    derived = vectors["derived_memory_id"]
    name = f"samemind import\0{derived['source']}\0{derived['key']}".encode()
    assert _uuid(sha256(name)[:16], version=8) == derived["id"]
    for each in load("ops")["ops"]:
        stamp = unpack(each["header"])[4]
        shown = _uuid((stamp >> 16).to_bytes(6) + each["op_id"][:10], version=7)
        assert shown.hex() == each["shown_id"].replace("-", "")


def _uuid(raw: bytes, *, version: int) -> bytes:
    """Sixteen bytes with the version and the variant written over them."""
    found = bytearray(raw)
    found[6] = found[6] & 0x0F | version << 4
    found[8] = found[8] & 0x3F | 0x80
    return bytes(found)


def test_it_reads_clocks_and_messages_as_the_vectors_do() -> None:
    ahead_ms = 24 * 3_600_000
    for each in load("clocks")["tick"]:
        assert max(each["now_ms"] << 16, each["last"] + 1) == each["stamp"]
    for each in load("clocks")["absorb"]:
        far = each["remote"] > (each["now_ms"] + ahead_ms) << 16
        assert (each["last"] if far else max(each["last"], each["remote"])) == each["clock"]
    numbers = {
        "Hello": 1,
        "Trust": 2,
        "Heads": 3,
        "Locator": 4,
        "Known": 5,
        "Ops": 6,
        "Ack": 7,
        "CaughtUp": 8,
    }
    numbers |= {"Bye": 9, "Base": 10, "Want": 11, "Grant": 12}
    for each in load("messages"):
        assert unpack(each["bytes"])[0] == numbers[each["message"]]
