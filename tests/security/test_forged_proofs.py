"""Proofs of erasure travel ahead of their ops and act at once: not without a trace, and not for just anybody."""

from random import Random

import pytest

from replica.codec import pack
from replica.compaction import LEASE_MS, compact
from replica.core import Core
from replica.erasure import PROOFS_AN_HOUR_MAX, PROOFS_WAITING_MAX, Proof, proof_of
from replica.ids import MemoryId
from replica.limits import NAMES_MAX
from replica.membership import revoke
from replica.ops import Erase, Op, Write
from replica.outbox import Outbox
from replica.purging import erasure_status, purge
from replica.signing import sign_commit
from replica.storage.memory_store import MemoryStore
from replica.verify import verify_replica
from sync.errors import RemoteProtocolError
from sync.wire.messages import Trust, decode_message, encode_message
from tests.support.links import identity
from tests.support.replicas import (
    NOW_MS,
    Hand,
    MakeStore,
    agree,
    carry,
    edit,
    group,
    memories,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
    texts,
)

STORES = pytest.mark.parametrize("make_store", [MemoryStore, sqlite_store])


def proof_by(name: str, *rids: MemoryId) -> Proof:
    """A proof whose op its author keeps back."""
    hand = Hand(name)
    op = hand.write(Erase(tuple(sorted(rids))))
    return proof_of(op, sign_commit(identity(name).sign, op.id))


def revoked(core: Core, by: Core, device: Core) -> None:
    core.learn([], [revoke(by.sign, by.device, device.device)], now_ms=NOW_MS)


@STORES
@pytest.mark.parametrize("heard_first", [True, False])
def test_what_one_member_erased_by_a_proof_all_erase_whenever_they_hear_of_a_revocation(
    make_store: MakeStore, heard_first: bool
) -> None:
    """Members hear of a revocation at different moments: if it decided, they would disagree for good."""
    ann, ben, eve = group("ann", "ben", "eve", make_store=make_store)
    gone, _ = remember(ann, "gone", "kept")
    settle((ann, ben))
    if heard_first:
        revoked(ann, ann, eve)
    ben.learn([], [], [proof_by("eve", gone)], NOW_MS)
    sync(ann, ben)
    revoked(ann, ann, eve)
    sync(ann, ben)
    assert texts(ann) == texts(ben) == {"kept"}
    assert ann.proofs.keys() == ben.proofs.keys()
    assert agree(ann, ben)
    for core in (ann, ben):
        assert purge(core, NOW_MS)
        assert {proof.author for proof in core.proofs.values()} == {eve.device}, "and who did it is known"
        assert verify_replica(core).ok


@STORES
def test_a_newcomer_takes_headers_without_payloads_on_a_proof_that_erases_nothing(
    make_store: MakeStore,
) -> None:
    """Who was revoked last year erased rightly the year before."""
    ann, ben, eve = group("ann", "ben", "eve", make_store=make_store)
    gone, _ = remember(ann, "gone", "kept")
    settle((ann, eve))
    eve_op = eve.commit([_write(Erase((gone,)))], NOW_MS)[0]
    sync(ann, eve)
    revoked(ann, ann, eve)
    sync(ann, ben)
    assert ben.idle | ben.proofs.keys() >= {eve_op.id}
    assert agree(ann, ben)
    assert gone in ben.erased, "the op came, and acts"
    assert ben.idle == set()
    assert verify_replica(ben).ok


@STORES
def test_a_proof_that_waits_acts_when_its_op_comes_in_the_midst_of_a_batch(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such an op has no signature of its own there: the words would have stayed in the log."""
    ann, ben, eve = group("ann", "ben", "eve", make_store=make_store)
    gone, kept = remember(ann, "gone", "kept")
    settle((ann, ben, eve))
    eve.commit([Write(Erase((gone,)))], NOW_MS)
    remember(eve, "after that")
    monkeypatch.setattr("replica.core.PROOFS_AN_HOUR_MAX", 0)
    ben.learn([], [], eve.proofs.values(), NOW_MS)
    assert (len(ben.idle), texts(ben)) == (1, {"gone", "kept"})
    frame = Outbox(eve.feeds.vector_of(ben.frontier().heads)).next_frame(eve)
    assert frame is not None
    assert len(frame.ops) > len(frame.segments)
    ben.take(carry(frame), NOW_MS)
    assert (ben.idle, gone in ben.erased) == (set(), True)
    assert [row.payload for row in ben.store.memory_rows(gone)] == [None]
    assert verify_replica(ben).ok
    assert kept not in ben.erased


@STORES
def test_more_than_a_person_erases_within_an_hour_waits_for_its_ops(make_store: MakeStore) -> None:
    """Twenty thousand were taken at once, and kept, and every later sync carried them."""
    ann, _ = group("ann", "ben", make_store=make_store)
    proofs = []
    for number in range(PROOFS_AN_HOUR_MAX + 5):
        op = Hand("ben", number.to_bytes(8)).write(Erase((MemoryId(number.to_bytes(16)),)))
        proofs.append(proof_of(op, sign_commit(identity("ben").sign, op.id)))
    ann.learn([], [], proofs, NOW_MS)
    assert (len(ann.ahead), len(ann.idle)) == (PROOFS_AN_HOUR_MAX, 5)
    assert not erasure_status(ann, proofs[-1].rids[0]).erased
    ann.take(carry(Hand("ben", (PROOFS_AN_HOUR_MAX + 4).to_bytes(8)).frame(_op(proofs[-1]))), NOW_MS)
    assert erasure_status(ann, proofs[-1].rids[0]).erased
    assert len(ann.idle) == 4
    ann.learn([], [], [proof_by("ben", MemoryId(bytes(16)))], NOW_MS + 3_600_000)
    assert len(ann.ahead) == PROOFS_AN_HOUR_MAX + 1


def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replica.core.PROOFS_AN_HOUR_MAX", 1)
    monkeypatch.setattr("replica.core.PROOFS_WAITING_MAX", 2)
    assert PROOFS_WAITING_MAX > 2
    ann, ben = group("ann", "ben")
    for number in range(5):
        op = Hand("ben", number.to_bytes(8)).write(Erase((MemoryId(number.to_bytes(16)),)))
        ann.learn([], [], [proof_of(op, sign_commit(ben.sign, op.id))], NOW_MS)
    assert (len(ann.ahead), len(ann.idle)) == (1, 2)


def packed(author: str, number: int) -> Proof:
    """A proof that names ten thousand memories which pack to next to nothing: its author chose their ids."""
    rids = tuple(MemoryId((number * NAMES_MAX + n).to_bytes(16)) for n in range(NAMES_MAX))
    op = Hand(author, number.to_bytes(8)).write(Erase(rids))
    return proof_of(op, sign_commit(identity(author).sign, op.id))


def test_the_memories_that_proofs_name_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred megabytes of proofs were six gigabytes of ids in the memory of everybody who started again."""
    monkeypatch.setattr("replica.core.NAMED_AN_HOUR_MAX", 15_000)
    monkeypatch.setattr("replica.core.NAMED_WAITING_MAX", 25_000)
    ann, _ = group("ann", "ben")
    ann.learn([], [], [packed("ben", number) for number in range(9)], NOW_MS)
    assert (len(ann.ahead), len(ann.idle)) == (2, 3)
    ann.learn([], [], [packed("ben", number) for number in range(9)], NOW_MS)
    assert (len(ann.ahead), len(ann.idle)) == (2, 3)
    ann.learn([], [], [packed("ben", 9)], NOW_MS + 3_600_000)
    assert len(ann.ahead) == 3


def test_a_message_of_proofs_that_name_too_much_is_refused_before_it_is_held() -> None:
    frames = [packed("ben", number).frame for number in range(30)]
    with pytest.raises(RemoteProtocolError, match="at most 200000 memories"):
        decode_message(pack([2, [], [], frames, False]))


def test_proofs_that_pack_well_are_said_in_parts_that_may_be_read() -> None:
    """One law both ways: what a member chose so is passed on."""
    proofs = tuple(packed("ben", number) for number in range(30))
    parts = list(Trust((), (), proofs).parts())
    assert len(parts) > 2
    assert tuple(proof for part in parts for proof in part.proofs) == proofs
    for part in parts:
        assert decode_message(encode_message(part)) == part


@STORES
def test_a_proof_is_ahead_until_its_op_has_come(make_store: MakeStore) -> None:
    ann, ben = group("ann", "ben", make_store=make_store)
    (rid,) = remember(ann, "gone")
    settle((ann, ben))
    ben.commit([_write(Erase((rid,)))], NOW_MS)
    assert ben.ahead == set()
    ann.learn([], [], ben.proofs.values(), NOW_MS)
    assert ann.ahead == ben.proofs.keys()
    frame = Outbox(ben.feeds.vector_of(ann.frontier().heads)).next_frame(ben)
    assert frame is not None
    ann.take(carry(frame), NOW_MS)
    assert ann.ahead == set()
    assert ann.store.proofs_ahead() == (set(), set())


@STORES
def test_a_proof_that_waits_acts_when_its_op_comes_within_a_base(
    monkeypatch: pytest.MonkeyPatch, make_store: MakeStore
) -> None:
    """Its op never comes then, and what it erased stayed on the device that had heard of too many at once."""
    monkeypatch.setattr("replica.core.PROOFS_AN_HOUR_MAX", 1)
    ann, ben = group("ann", "ben", make_store=make_store)
    rids = remember(ann, "gone", "gone as well", "kept")
    edit(ann, rids[1], "gone as well, in other words")
    sync(ann, ben)
    for rid in rids[:2]:
        say(ann, Erase((rid,)))
    later_ms = NOW_MS + LEASE_MS
    assert compact(ann, later_ms)
    sync(ann, ben, later_ms)
    assert memories(ben).keys() == {rids[2]}
    assert ben.idle == set()
    assert ben.erased == set(rids[:2])
    assert all(row.payload is None for row in ben.store.memory_rows(rids[1]))
    assert agree(ann, ben)
    assert verify_replica(ben).ok
    again = Core(ben.store, device=ben.device, sign=ben.sign, random=Random(1))
    assert (again.idle, again.erased) == (set(), ben.erased)


def _write(body: Erase) -> Write:
    return Write(body)


def _op(proof: Proof) -> Op:
    return proof.op()
