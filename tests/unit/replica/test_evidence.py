"""What members did that no honest program does is kept, bounded, and durable; nobody honest is named."""

import pytest

from replica.core import Core
from replica.evidence import EVIDENCE_MAX, SENTENCES, Accused, Evidence, Fault, Seen, read_evidence, witnessed
from replica.frame import encode_frame
from replica.ids import DeviceId
from replica.membership import revoke
from replica.ops import OpKind
from samemind.commands.device._checks import member_checks
from samemind.formats.rendering import minute
from samemind.formats.times import at_stamp
from sync.errors import RemoteProtocolError
from sync.exchange import Exchange
from sync.wire.messages import CREDITS_MAX, DIGEST_BYTES, PROTOCOL, Hello, Ops, encode_message
from tests.support.hostile import crafted, said_by, writer
from tests.support.links import identity
from tests.support.replicas import NOW_MS, acquaint, core_of, group, remember, sqlite_store, sync, take

EVIL = DeviceId(bytes(32))


def test_each_fault_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Fault)


def test_what_is_seen_again_counts_and_only_doublings_are_worth_a_write() -> None:
    evidence: Evidence = {}
    worth = []
    for now_ms in range(1, 9):
        evidence, is_news = witnessed(evidence, Accused(EVIL, Fault.PROTOCOL), now_ms)
        worth.append(is_news)
    assert evidence == {Accused(EVIL, Fault.PROTOCOL): Seen(1, 8, 8)}
    assert worth == [True, True, False, True, False, False, False, True]


def test_a_flood_of_devices_does_not_push_out_the_first() -> None:
    evidence: Evidence = {}
    for n in range(EVIDENCE_MAX + 5):
        evidence, is_news = witnessed(evidence, Accused(DeviceId(n.to_bytes(32)), Fault.SNAPSHOT), 1)
        assert is_news == (n < EVIDENCE_MAX)
    assert len(evidence) == EVIDENCE_MAX
    assert Accused(EVIL, Fault.SNAPSHOT) in evidence


def test_a_fault_that_a_later_version_lists_is_left_out() -> None:
    assert read_evidence([[bytes(32), "of a later version", 1, 2, 3]]) == {}


def accused(core: Core) -> dict[Accused, int]:
    return {each: seen.times for each, seen in core.evidence.items()}


def greeted(core: Core, name: str) -> Exchange:
    """A conversation that the device of that name has opened."""
    exchange = Exchange(core, identity(name).device_id, NOW_MS)
    exchange.more(NOW_MS)
    same = exchange.session.hello
    hello = Hello(PROTOCOL, NOW_MS, same.trust, same.frontier, True, CREDITS_MAX, None)
    exchange.receive(encode_message(hello), NOW_MS)
    return exchange


def test_who_breaks_the_protocol_is_named_also_after_a_restart() -> None:
    store = sqlite_store()
    ann = core_of("ann", store)
    acquaint(ann, "ann", "evil")
    evil = identity("evil").device_id
    for _ in range(3):
        exchange = greeted(ann, "evil")
        with pytest.raises(RemoteProtocolError):
            exchange.receive(b"\xc1", NOW_MS)
    assert accused(ann) == {Accused(evil, Fault.PROTOCOL): 3}
    again = Core(store, device=ann.device, sign=ann.sign, random=ann._random)
    assert accused(again) == {Accused(evil, Fault.PROTOCOL): 2}  # the third was not worth a write of its own


def test_another_version_of_the_protocol_is_nobodys_fault() -> None:
    ann = core_of("ann")
    acquaint(ann, "ann", "evil")
    exchange = Exchange(ann, identity("evil").device_id, NOW_MS)
    exchange.more(NOW_MS)
    hello = Hello(PROTOCOL + 1, NOW_MS, bytes(DIGEST_BYTES), bytes(DIGEST_BYTES), True, 1, None)
    with pytest.raises(RemoteProtocolError, match="needs an upgrade"):
        exchange.receive(encode_message(hello), NOW_MS)
    assert not ann.evidence


def test_who_hands_over_a_forged_op_is_named_and_not_its_supposed_author() -> None:
    ann = core_of("ann")
    acquaint(ann, "ann", "evil", "ben")
    ben = writer("ben")
    frame = said_by(ben, ["send money"])
    forged = frame._replace(segments=(frame.segments[0]._replace(signature=bytes(64)),))
    exchange = greeted(ann, "evil")
    exchange.receive(encode_message(Ops(encode_frame(forged), True)), NOW_MS)
    assert accused(ann) == {Accused(identity("evil").device_id, Fault.FORGED_OP): 1}


def test_who_signs_an_op_that_makes_no_sense_is_named_whoever_brings_it() -> None:
    ann = core_of("ann")
    acquaint(ann, "ann", "evil")
    take(ann, crafted("evil", bytes(16) + b"no body", kind=OpKind.CLAIM))
    assert accused(ann) == {Accused(identity("evil").device_id, Fault.CROOKED_OP): 1}


def test_honest_devices_accuse_nobody() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "one")
    remember(ben, "two")
    sync(ann, ben)
    assert not ann.evidence
    assert not ben.evidence


def test_doctor_names_the_device_and_has_nothing_to_do_once_it_is_revoked() -> None:
    ann = core_of("ann")
    acquaint(ann, "ann", "evil")
    evil = identity("evil").device_id
    assert member_checks(ann) == []
    ann.accuse(evil, Fault.SNAPSHOT, NOW_MS)
    (check,) = member_checks(ann)
    assert not check.ok
    assert check.name == "member"
    assert check.detail == (
        f"'evil' ({evil.hex()[:12]}) signed a snapshot that breaks the rules; nothing of it was taken: once, "
        f"last at {minute(at_stamp(NOW_MS << 16))}"
    )
    assert f"peers revoke {evil.hex()[:12]}" in check.fix
    who = identity("ann")
    ann.learn([], [revoke(who.sign, who.device_id, evil)])
    (check,) = member_checks(ann)
    assert check.ok
    assert check.fix == ""
