"""The pages in docs/protocol are enough to write another implementation: one that was written from them agrees."""

import json
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
import zstandard
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.support.second.carrying import open_file
from tests.support.second.folding import Replica
from tests.support.second.frames import Op, Refused, pack, read_frame, sha256, unpack
from tests.support.second.messages import MESSAGES, read_message
from tests.support.second.snapshots import merge_snapshot
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
    both = b"".join(sorted(each["fingerprint"] for each in vectors["devices"]))
    drawn = sha256(b"samemind words 1\0" + both)[:4]
    assert [vectors["word_list"][byte] for byte in drawn] == vectors["words"]
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


def test_it_reads_clocks_as_the_vectors_do() -> None:
    ahead_ms = 24 * 3_600_000
    for each in load("clocks")["tick"]:
        assert max(each["now_ms"] << 16, each["last"] + 1) == each["stamp"]
    for each in load("clocks")["absorb"]:
        far = each["remote"] > (each["now_ms"] + ahead_ms) << 16
        assert (each["last"] if far else max(each["last"], each["remote"])) == each["clock"]


def test_it_reads_a_message_of_every_number_field_by_field_as_the_vectors_do() -> None:
    vectors = load("messages")
    assert {each["message"] for each in vectors} == {name for name, _ in MESSAGES.values()}
    for each in vectors:
        assert read_message(each["bytes"]) == (each["message"], each["values"])
        for at in range(len(each["bytes"])):
            with pytest.raises(Refused):
                read_message(each["bytes"][:at])
    (proof,) = [proof for each in vectors for proof in each["values"].get("proofs", [])]
    ((op,),) = [read_frame(zstandard.decompress(proof), KEYS)]
    assert op.kind == 5


def test_it_reads_a_base_and_shows_what_the_device_showed_that_folded_it() -> None:
    vectors = load("snapshots")
    replica = Replica()
    merge_snapshot(replica, vectors["signature"], vectors["body"], dict(KEYS))
    assert replica.digest() == vectors["digest"]
    assert replica.state_digest() == vectors["state_digest"]
    assert replica.heads() == vectors["heads"]
    spoilt = vectors["body"].replace(b"Lisbon", b"London")
    with pytest.raises(InvalidSignature):
        merge_snapshot(Replica(), vectors["signature"], spoilt, dict(KEYS))


def test_it_opens_a_carrier_file_and_finds_who_made_it_and_what_is_in_it() -> None:
    vectors = load("carrying")
    ann, ben = load("identities")["devices"]
    assert vectors["reader"] == ben["device_id"]
    *said, _ = vectors["messages"]
    assert open_file(vectors["file"], ben["private_key"], dict(KEYS)) == said
    version, maker, _, readers, devices, known, tells_group, held, folded = unpack(said[0])
    assert (version, maker) == (3, ann["device_id"])
    shorts = [devices[i : i + 8] for i in range(0, len(devices), 8)]
    assert shorts[:readers] == sorted(device[:8] for device in KEYS)
    assert known == [0, sha256(pack([]))[:16], sha256(pack([sorted(KEYS), [], []]))[:16]]
    assert tells_group
    assert folded
    _, group = read_message(said[1])
    assert {sha256(key) for key, *_ in group["introductions"]} == set(KEYS)
    found = [read_message(said[n])[1]["frame"] for n in (2, 4)]
    (first,), (second,) = [read_frame(zstandard.decompress(each), KEYS) for each in found]
    (device,), incarnation, (seq,), id8 = held
    assert [shorts[device], incarnation, seq, id8] == [second.place[0][:8], *second.place[1:]]
    kind, ((same, ((index, *other),)),) = unpack(said[3])
    assert (kind, same, index) == ("seen", b"", 0)
    assert other == list(first.place[2:])


def test_it_opens_a_file_of_the_second_format() -> None:
    vectors = load("carrying-2")
    ben = load("identities")["devices"][1]
    *said, _ = vectors["messages"]
    assert open_file(vectors["file"], ben["private_key"], dict(KEYS)) == said
    version, _, _, _, devices, _, _, ((device, *held),), _ = unpack(said[0])
    (op,) = read_frame(zstandard.decompress(read_message(said[2])[1]["frame"]), KEYS)
    assert version == 2
    assert [devices[device * 8 : device * 8 + 8], *held] == [op.place[0][:8], *op.place[1:]]


def test_it_opens_a_file_of_the_first_format() -> None:
    vectors = load("carrying-1")
    ann, ben = load("identities")["devices"]
    *said, _ = vectors["messages"]
    assert open_file(vectors["file"], ben["private_key"], dict(KEYS)) == said
    maker, _, readers, proofs, since, covers, folded = unpack(said[0])
    assert maker == ann["device_id"]
    assert readers == sorted(KEYS)
    assert (proofs, since, folded) == ([], [], True)
    _, ops = read_message(said[2])
    (op,) = read_frame(zstandard.decompress(ops["frame"]), KEYS)
    assert covers == [op.place]


def test_it_names_the_words_of_a_vector_as_the_vectors_do() -> None:
    vectors = load("alongside")
    for each in vectors["texts"]:
        fields, about = each["fields"], []
        if (told := fields.get("told_at")) is not None:
            day = datetime.fromtimestamp(told // 86_400_000 * 86_400, UTC)
            about.append(f"{day.day} {day:%B} {day.year}")
        about += [fields[name] for name in ("topic", "project") if name in fields]
        about += fields.get("tags", [])
        about += [str(one) for one in fields.get("meta", {}).values() if isinstance(one, str | int | float)]
        speaker = f"{fields['speaker']}: " if "speaker" in fields else ""
        whole = " ".join([speaker + each["text"], *about])
        assert (whole, sha256(whole.encode())[:16]) == (each["embedded"], each["hash"])
    assert sha256(vectors["space"]["model"].encode()) == vectors["space"]["hash"]
    numbers = struct.unpack(f"<{len(vectors['vector']['numbers'])}e", vectors["vector"]["bytes"])
    assert numbers == pytest.approx(vectors["vector"]["numbers"], abs=1e-3)
