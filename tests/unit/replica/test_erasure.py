"""What is erased is gone from every log, and a payload is missed only under proof."""

import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from replica import Erase, Forget, InvalidOp, MemoryId, Set, Write
from replica.core import Core
from replica.erasure import proof_of, read_proof
from replica.frame import decode_frame, encode_frame
from replica.ids import new_memory_id
from replica.limits import NAMES_MAX
from replica.membership import revoke
from replica.ops import TEXT_KINDS
from replica.outbox import Outbox
from replica.purging import ErasureStatus, erasure_status, purge
from replica.storage.sql import connect
from replica.verify import verify_replica
from tests.support.replicas import (
    NOW_MS,
    Hand,
    core_of,
    edit,
    group,
    remember,
    say,
    settle,
    sqlite_store,
    sync,
)


def words_left(core: Core, word: bytes) -> int:
    """How many payloads in the log still hold a word."""
    return sum(word in (row.payload or b"") for row in core.store.rows())


def test_an_erasure_takes_the_words_out_of_every_log_and_leaves_the_chain_whole() -> None:
    cores = ann, ben, eve = group("ann", "ben", "eve")
    (rid,) = remember(ann, "the zanzibar plan")
    edit(ann, rid, "the zanzibar plan, twice zanzibar")
    settle(cores)
    say(ben, Set("topic", "zanzibar"), rid)
    say(eve, Erase((rid,)))
    settle(cores)
    for core in cores:
        assert words_left(core, b"zanzibar") == 0
        assert verify_replica(core).ok
    assert len({core.digests().state for core in cores}) == 1


def test_a_device_that_was_away_learns_of_the_erasure_before_it_can_spread_the_words() -> None:
    ann, ben, eve = group("ann", "ben", "eve")
    (rid,) = remember(ann, "the zanzibar plan")
    sync(ann, ben)
    sync(ann, eve)
    say(ann, Erase((rid,)))
    sync(ann, eve)
    sync(eve, ben)  # ben still held it
    assert words_left(ben, b"zanzibar") == 0
    assert words_left(eve, b"zanzibar") == 0
    assert rid in ben.erased


def test_words_written_on_another_device_meanwhile_are_erased_when_they_arrive() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a plan")
    sync(ann, ben)
    say(ann, Erase((rid,)))
    edit(ben, rid, "a zanzibar plan")
    sync(ann, ben)
    assert words_left(ann, b"zanzibar") == words_left(ben, b"zanzibar") == 0
    assert ann.digests() == ben.digests()


def test_a_payload_that_is_missing_without_proof_counts_as_not_delivered() -> None:
    ann, ben = group("ann", "ben")
    remember(ann, "a plan")
    frame = Outbox({}).next_frame(ann)
    assert frame is not None
    withheld = frame._replace(
        ops=tuple(
            op._replace(payload=None) if op.kind in TEXT_KINDS else op
            for op in decode_frame(encode_frame(frame)).ops
        )
    )
    taken = ben.take(decode_frame(encode_frame(withheld)), NOW_MS)
    assert taken.ops == 0
    (refusal,) = taken.refusals
    assert refusal.gap
    assert "without proof" in refusal.reason
    assert ben.take(decode_frame(encode_frame(frame)), NOW_MS).ops == 1


def test_a_proof_that_its_author_did_not_sign_proves_nothing() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a plan")
    op = say(ann, Erase((rid,)))
    forged = proof_of(op, bytes(64))
    ben.learn([], [], [forged])
    assert rid not in ben.erased
    ben.learn([], [], ann.proofs.values())
    assert rid in ben.erased


def test_only_an_erase_that_is_a_commit_of_its_own_is_a_proof() -> None:
    (ann,) = group("ann")
    (rid,) = remember(ann, "a plan")
    frame = Outbox({}).next_frame(ann)
    assert frame is not None
    with pytest.raises(InvalidOp, match="one erase op"):
        read_proof(encode_frame(frame))
    hand = Hand("ann")
    begun = hand.write(Erase((rid,)), ends=False)
    with pytest.raises(InvalidOp, match="a commit of its own"):
        read_proof(encode_frame(hand.frame(begun)))
    with pytest.raises(ValueError, match="commit of its own"):
        ann.commit([Write(Erase((rid,))), Write(Forget((rid,)))], NOW_MS)


def test_neither_two_erasures_at_once_nor_one_that_does_not_say_of_what_are_a_proof() -> None:
    hand = Hand("ann")
    first, second = (hand.write(Erase((MemoryId(each * 16),))) for each in (b"1", b"2"))
    with pytest.raises(InvalidOp, match="one erase op"):
        read_proof(encode_frame(hand.frame(first, second)))
    with pytest.raises(InvalidOp):
        read_proof(encode_frame(hand.frame(first._replace(payload=None))))


def test_the_status_names_who_has_not_confirmed_and_a_receipt_changes_that() -> None:
    cores = ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a plan")
    settle(cores)
    assert erasure_status(ann, rid) == ErasureStatus(False, (), ()), "nobody has to confirm anything"
    say(ann, Erase((rid,)))
    assert purge(ann, NOW_MS)
    assert erasure_status(ann, rid).confirmed == (ann.device,)
    assert erasure_status(ann, rid).outstanding == (ben.device,)
    settle(cores)
    assert ben.has_unpurged
    assert purge(ben, NOW_MS)
    settle(cores)
    assert erasure_status(ann, rid).outstanding == ()
    assert set(erasure_status(ann, rid).confirmed) == {ann.device, ben.device}
    before = ann.position
    assert purge(ann, NOW_MS), "there is nothing left to do"
    assert ann.position == before


def test_nobody_waits_for_the_receipt_of_who_was_put_out() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a plan")
    sync(ann, ben)
    say(ann, Erase((rid,)))
    ann.learn([], [revoke(ann.sign, ann.device, ben.device)])
    assert erasure_status(ann, rid).outstanding == (ann.device,)


def test_no_receipt_is_written_while_a_reader_keeps_old_pages(tmp_path: Path) -> None:
    store = sqlite_store(str(tmp_path / "store"))
    # Ten minutes: no machine is so busy that the rest takes a tenth of them.
    waits_ms = store.connection.execute("PRAGMA busy_timeout = 600000").fetchone()
    core = core_of("ann", store)
    (rid,) = remember(core, "a plan")
    with closing(connect(str(tmp_path / "store"))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM op").fetchone()
        say(core, Erase((rid,)))
        began_s = time.monotonic()
        assert not purge(core, NOW_MS)
        assert time.monotonic() - began_s < waits_ms[0] / 10_000, "each write meanwhile would wait so long"
        assert core.has_unpurged
        assert erasure_status(core, rid).confirmed == ()
    assert store.connection.execute("PRAGMA busy_timeout").fetchone() == waits_ms
    assert purge(core, NOW_MS)
    assert erasure_status(core, rid).confirmed == (core.device,)


def test_proofs_that_name_more_than_one_op_can_are_confirmed_all_the_same() -> None:
    """An import of twelve thousand was taken back: every write on every device failed from then on."""
    cores = ann, ben = group("ann", "ben")
    rids = sorted(new_memory_id(NOW_MS, Random(number)) for number in range(NAMES_MAX + 2_000))
    for start in (0, NAMES_MAX):
        say(ann, Erase(tuple(rids[start : start + NAMES_MAX])))
    ben.learn([], [], ann.proofs.values(), NOW_MS)
    for core in cores:
        assert purge(core, NOW_MS)
        assert not core.has_unpurged
        assert core.store.unpurged() == set()
    settle(cores)
    for rid in (rids[0], rids[-1]):
        assert erasure_status(ann, rid).outstanding == ()


def test_a_restart_remembers_what_was_erased() -> None:
    ann, ben = group("ann", "ben")
    (rid,) = remember(ann, "a plan")
    sync(ann, ben)
    say(ann, Erase((rid,)))
    again = Core(ann.store, device=ann.device, sign=ann.sign, random=Random(2))
    assert rid in again.erased
    assert again.has_unpurged
    sync(again, ben)
    assert rid in ben.erased
