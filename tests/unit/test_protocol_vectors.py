"""This implementation makes, and reads, what docs/protocol says, byte for byte."""

import re
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from replica.codec import decode_payload, encode_payload, header_hash, pack, payload_hash, unpack
from replica.erasure import read_proof
from replica.fields import FIELDS
from replica.frame import decode_frame
from replica.ids import device_id
from replica.membership import Membership, read_member, read_revocation
from replica.ops import NEEDS_RID, TEXT_KINDS, UNDERSTOOD, OpKind
from replica.signing import verify_commit
from replica.snapshot import absorb, read_snapshot
from replica.state.text import EditedText
from sync.carrier.cargo import Taking, check, messages
from sync.errors import Untrusted
from sync.identity import certificate_key
from sync.wire.messages import decode_message, encode_message
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, core_of, group, take
from tests.support.vectors import BODIES, FOLDER, VECTORS, dump, load
from tests.support.vectors_of_links import member

DOCS = FOLDER.parents[1]


def test_every_file_of_vectors_is_one_that_is_made() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == VECTORS.keys()


@pytest.mark.parametrize("name", VECTORS)
def test_what_is_made_here_is_what_the_vectors_say(name: str) -> None:
    """If this is meant to change, it is a new version of the protocol: `python -m tests.support.vectors`."""
    assert dump(name) == (FOLDER / f"{name}.json").read_text()


def test_identities_follow_from_their_keys() -> None:
    for each in load("identities")["devices"]:
        assert certificate_key(each["certificate"]) == each["public_key"]
        assert device_id(each["public_key"]) == each["device_id"]


def test_payloads_headers_and_signatures_are_read_as_the_vectors_say() -> None:
    vectors = load("ops")
    assert [each["kind"] for each in vectors["ops"]] == list(OpKind)
    key = identity("ann").public_key
    for each in vectors["ops"]:
        body = decode_payload(each["kind"], each["payload"])
        assert body == BODIES[OpKind(each["kind"])]
        assert encode_payload(each["payload"][:16], body) == each["payload"]
        assert payload_hash(each["payload"]) == each["payload_hash"]
        assert unpack(each["header"])[-1] == each["payload_hash"]
        assert header_hash(each["header"]) == each["op_id"]
        assert verify_commit(key, each["op_id"], each["commit_signature"])


def test_frames_are_read_and_folded_as_the_vectors_say() -> None:
    vectors = load("frames")
    frame = decode_frame(zstandard.compress(vectors["columns"]))
    assert [op.id for op in frame.ops] == vectors["op_ids"]
    core, _ = group("ann", "ben")
    assert take(core, frame).ops == len(frame.ops)
    assert core.frontier().plain() == vectors["heads"]
    assert core.frontier().digest() == vectors["frontier_digest"]
    assert core.digests().visible == vectors["digest"]
    assert core.digests().state == vectors["state_digest"]
    assert read_proof(zstandard.compress(vectors["proof_columns"])).id == vectors["proof_id"]


def test_introductions_and_revocations_are_read_and_believed() -> None:
    vectors = load("groups")
    told, out = read_member(vectors["introduction"]), read_revocation(vectors["revocation"])
    assert Membership([member("ann", "ann")]).news([told], [out]) == ([told], [out])


def test_messages_are_read_and_written_again() -> None:
    for each in load("messages"):
        message = decode_message(each["bytes"])
        assert type(message).__name__ == each["message"]
        assert encode_message(message) == each["bytes"]


def test_a_snapshot_is_merged_as_the_vectors_say() -> None:
    vectors = load("snapshots")
    new = core_of("cleo")
    acquaint(new, "cleo", "ann", "ben")
    whole = zstandard.compress(pack([vectors["signature"], vectors["body"]]))
    assert absorb(new, read_snapshot(whole, new), NOW_MS)
    assert (new.digests().visible, new.digests().state) == (vectors["digest"], vectors["state_digest"])
    assert new.frontier().plain() == vectors["heads"]


@pytest.mark.parametrize(("name", "ops"), [("carrying", 2), ("carrying-2", 1), ("carrying-1", 1)])
def test_a_carrier_file_that_the_page_alone_made_is_opened_and_taken(name: str, ops: int) -> None:
    """The vector is written without a line of ours: here it has to be believed."""
    vectors = load(name)
    ben = core_of("ben")
    acquaint(ben, "ben", "ann")
    header = check(ben, identity("ben"), BytesIO(vectors["file"]))
    taking = Taking(header)
    for message in messages(identity("ben"), BytesIO(vectors["file"])):
        taking.take(ben, message, NOW_MS)
    taking.done(ben, NOW_MS)
    assert taking.brought.ops == ops
    held = [(head.origin.device[:8], *head[0][1:], *head[1:]) for head in ben.frontier().heads]
    assert list(map(tuple, header.held)) == held
    with pytest.raises(Untrusted):
        check(core_of("cleo"), identity("cleo"), BytesIO(vectors["file"]))


def test_documents_read_as_the_vectors_say_in_either_order() -> None:
    vectors = load("documents")
    for edits in (vectors["edits"], vectors["edits"][::-1]):
        document = EditedText(vectors["base_update"])
        for edit in edits:
            document.apply(edit)
        assert document.show() == vectors["shows"]


# -- what the pages say ----------------------------------------------------------------------------------------


def page(*names: str) -> str:
    return Path(DOCS, *names).read_text()


def test_the_page_on_kinds_lists_every_kind_as_the_code_has_it() -> None:
    rows = re.findall(
        r"^\| (\d+) \| `(\w+)` \| (\d+) \| (yes|no) \| (yes|no) \|",
        page("reference", "op-kinds.md"),
        re.MULTILINE,
    )
    assert rows == [
        (
            str(int(kind)),
            kind.name,
            str(UNDERSTOOD[kind]),
            "yes" if kind in NEEDS_RID else "no",
            "yes" if kind in TEXT_KINDS else "no",
        )
        for kind in OpKind
    ]


def test_the_page_on_kinds_lists_every_field_with_its_meaning() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|$", page("reference", "op-kinds.md"), re.MULTILINE)
    assert rows == [(field.name, field.meaning) for field in FIELDS.values()]


def test_the_page_on_kinds_shows_each_body_as_the_vectors_spell_it() -> None:
    """The shape in the table has as many parts as the plain values have."""
    shapes = dict(
        re.findall(
            r"^\| \d+ \| `(\w+)` \|.*\| `(\[.*?\])` \|", page("reference", "op-kinds.md"), re.MULTILINE
        )
    )
    assert shapes.keys() == OpKind.__members__.keys()
    for each in load("ops")["ops"]:
        shape = shapes[each["name"]]
        if not shape.endswith("…]"):
            assert shape.count(",") + 1 == len(each["body"]), each["name"]


def test_the_protocol_states_every_limit_with_its_value() -> None:
    text = page("protocol", "log.md")
    for name, value in load("limits").items():
        assert f"| `{name}` | {value:,} |" in text, name
