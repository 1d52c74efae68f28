from random import Random

import pytest

from replica import ops
from replica.core import Core
from replica.errors import ClockDrift, InvalidOp, TooLarge
from replica.frame import encode_frame
from replica.hlc import COUNTER_BITS, HLC_MAX
from replica.ids import MemoryId, new_memory_id
from replica.limits import COMMIT_OPS_MAX, COMMIT_PAYLOAD_BYTES_MAX, FRAME_BYTES_MAX
from replica.oplog import FoldStatus
from replica.ops import Body, Write
from sync.wire.limits import FRAME_BYTES_MAX as LINK_FRAME_BYTES_MAX
from tests.support.published import published
from tests.support.replicas import NOW_MS, agree, everything, group, rows_of, say, settle, take

RID = MemoryId(bytes(16))


@pytest.fixture
def ann() -> Core:
    return group("ann", "ben")[0]


@pytest.mark.parametrize(
    "body",
    [
        ops.Remember("nowhere to hang this", {}),
        ops.Edit(b"8 bytes.", b"\0\0"),
        ops.Claim("Ann", "lives in", "Lisbon", (), None),
        ops.Trigger(RID, 1, "reminder", ()),
    ],
    ids=lambda body: type(body).__name__,
)
def test_an_op_that_needs_a_memory_is_not_written_without_one(ann: Core, body: Body) -> None:
    """Its author would fold it and nobody else."""
    with pytest.raises(ValueError, match="expected the memory that"):
        say(ann, body)
    assert ann.position == 0


def test_a_memory_id_of_another_length_is_not_written(ann: Core) -> None:
    """The frame that holds it could be read by nobody."""
    with pytest.raises(ValueError, match="expected a memory id of 16 bytes, got 5"):
        say(ann, ops.Remember("hello", {}), MemoryId(b"short"))
    assert ann.position == 0


def test_a_weight_given_as_a_whole_number_is_folded_alike_by_everybody() -> None:
    ann, ben = group("ann", "ben")
    say(ann, ops.Relate("Ann", "knows", "Ben", 1))
    settle([ann, ben])
    assert agree(ann, ben)


@published("PM-71")
def test_a_commit_of_a_hundred_is_one_in_order_and_atomic() -> None:
    ann, ben = group("ann", "ben")
    writes = [Write(ops.Remember(f"fact {n}", {}), new_memory_id(NOW_MS, Random(n))) for n in range(100)]
    written = ann.commit(writes, NOW_MS)
    assert [op.rid for op in written] == [write.rid for write in writes]
    assert [op.ends for op in written] == [False] * 99 + [True]
    assert sum(row.signature is not None for row in rows_of(ann)) == 1
    with pytest.raises(InvalidOp):
        ann.commit([*writes, Write(ops.Set("importance", 7), RID)], NOW_MS)
    assert ann.position == 100
    assert take(ben, everything(ann)).ops == 100
    assert agree(ann, ben)


def test_a_commit_has_a_length_and_a_size_that_a_link_can_carry(ann: Core) -> None:
    forget = Write(ops.Forget((RID,)))
    with pytest.raises(TooLarge, match=f"at most {COMMIT_OPS_MAX} changes"):
        ann.commit([forget] * (COMMIT_OPS_MAX + 1), NOW_MS)
    random = Random(1)
    novel = [
        Write(ops.Remember(random.randbytes(1 << 19).hex(), {}), new_memory_id(NOW_MS, random))
        for _ in range(8)
    ]
    with pytest.raises(TooLarge, match=f"at most {COMMIT_PAYLOAD_BYTES_MAX} bytes"):
        ann.commit(novel, NOW_MS)
    assert ann.position == 0
    ann.commit(novel[:-1], NOW_MS)
    assert len(encode_frame(everything(ann))) < FRAME_BYTES_MAX < LINK_FRAME_BYTES_MAX
    assert COMMIT_PAYLOAD_BYTES_MAX < FRAME_BYTES_MAX


def test_an_erase_stands_alone_in_its_commit(ann: Core) -> None:
    with pytest.raises(ValueError, match="a commit of its own"):
        ann.commit([Write(ops.Erase((RID,))), Write(ops.Forget((RID,)))], NOW_MS)


def test_a_clock_beyond_every_stamp_holds_the_write_back(ann: Core) -> None:
    with pytest.raises(ClockDrift, match="set the clock"):
        say(ann, ops.Forget((RID,)), now_ms=(HLC_MAX >> COUNTER_BITS) + 1)
    assert ann.position == 0
    say(ann, ops.Forget((RID,)))
    assert rows_of(ann)[0].status is FoldStatus.FOLDED


def test_nothing_to_write_writes_nothing(ann: Core) -> None:
    assert ann.commit([], NOW_MS) == []
    assert ann.position == 0


def test_each_commit_is_signed_once_and_chained_to_the_one_before(ann: Core) -> None:
    first, second = (say(ann, ops.Forget((MemoryId(bytes([n]) * 16),))) for n in range(2))
    assert second.prev == first.id
    assert (first.seq, second.seq) == (1, 2)
    assert second.hlc > first.hlc
    assert len({row.signature for row in rows_of(ann)}) == 2


def test_payloads_are_salted_each_with_its_own_random_bytes(ann: Core) -> None:
    one, other = ann.commit([Write(ops.Forget((RID,))), Write(ops.Forget((RID,)))], NOW_MS)
    assert one.payload is not None
    assert other.payload is not None
    assert one.payload[:16] != other.payload[:16]
    assert one.payload[16:] == other.payload[16:]
