"""One law, both ways: what a device sends is within what every device reads.

Of ops: whatever somebody asks this program to write is either refused to them, or taken and folded by everybody alike.
Of messages: the largest of each kind that this program makes is read again, and fits a frame.
"""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replica import ops
from replica.alongside import VECTOR_BYTES_MAX, Wish
from replica.erasure import proof_of
from replica.errors import ReplicaError
from replica.fields import MS_MAX
from replica.frontier import Frontier
from replica.ids import DeviceId, MemoryId, OpRef, Origin
from replica.limits import (
    ACCESSES_MAX,
    CHAINS_MAX,
    FIELD_STRING_BYTES_MAX,
    FRAME_BYTES_MAX,
    FRAME_OPS_MAX,
    META_ENTRIES_MAX,
    NAMES_MAX,
    REFUSALS_SAID_MAX,
    SIGNALS_MAX,
    TAGS_MAX,
    TEXT_BYTES_MAX,
)
from replica.membership import CERTIFICATE_BYTES_MAX, NAME_BYTES_MAX, IntroducedMember, Revocation
from replica.oplog import FoldStatus
from replica.ops import Body, Erase, OpKind, Remember, Write
from replica.verify import verify_replica
from sync.wire.limits import FRAME_BYTES_MAX as MESSAGE_BYTES_MAX
from sync.wire.messages import (
    BASE_PART_BYTES,
    BASE_PARTS_MAX,
    CLOCK_MS_MAX,
    CREDITS_MAX,
    FOUND_MAX,
    LOCATOR_PLACES_MAX,
    PROTOCOL,
    QUESTION_CHARACTERS_MAX,
    REASON_CHARACTERS_MAX,
    WISHES_MAX,
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
    decode_message,
    encode_message,
)
from tests.support.replicas import NOW_MS, Hand, agree, group, rows_of, sync

RID = MemoryId(bytes(range(16)))
OTHER = MemoryId(bytes(range(1, 17)))

# -- ops ---------------------------------------------------------------------------------------------------------------

anything = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["", "\x00", "\ud800", "a" * FIELD_STRING_BYTES_MAX, "é" * FIELD_STRING_BYTES_MAX]),
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.binary(max_size=8),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(
        st.text(max_size=3), st.integers() | st.text(max_size=3) | st.binary(max_size=3), max_size=3
    ),
)
texts = st.text(max_size=20) | st.sampled_from(
    ["", "\ud800", "\x00", "x" * FIELD_STRING_BYTES_MAX, "x" * 20_000]
)
names = texts | st.sampled_from(
    ["topic", "tags", "meta", "meta.k", "importance", "event_start", "type", "turn"]
)
numbers = st.integers(-5, 5) | st.sampled_from(
    [2**31, 2**47, 2**48, 2**53, 2**63, 2**64, MS_MAX, ACCESSES_MAX, -(2**63)]
)
rids = st.sampled_from([RID, OTHER, MemoryId(b""), MemoryId(bytes(15)), MemoryId(bytes(17))])
many_rids = st.lists(rids, max_size=3).map(tuple) | st.just(
    tuple(MemoryId(n.to_bytes(16)) for n in range(NAMES_MAX + 1))
)
wild_places = st.builds(
    OpRef,
    st.builds(
        Origin, st.just(DeviceId(bytes(32))) | st.just(DeviceId(b"x")), st.just(bytes(8)) | st.just(b"")
    ),
    numbers,
    st.just(bytes(8)) | st.just(b"1"),
)
many_places = st.lists(wild_places, max_size=2).map(tuple)

BODIES: dict[OpKind, st.SearchStrategy[Any]] = {
    OpKind.REMEMBER: st.builds(ops.Remember, texts, st.dictionaries(names, anything, max_size=3)),
    OpKind.EDIT: st.builds(ops.Edit, st.binary(max_size=9), st.binary(max_size=30)),
    OpKind.SET: st.builds(ops.Set, names, anything),
    OpKind.FORGET: st.builds(ops.Forget, many_rids),
    OpKind.ERASE: st.builds(ops.Erase, many_rids),
    OpKind.RELATE: st.builds(ops.Relate, texts, texts, texts, st.none() | st.floats() | st.integers(-1, 2)),
    OpKind.ACCESS: st.builds(ops.Access, st.lists(st.tuples(rids, numbers, numbers), max_size=2).map(tuple)),
    OpKind.CLAIM: st.builds(ops.Claim, texts, texts, texts, many_places, st.none() | numbers),
    OpKind.RESOLVE: st.builds(
        ops.Resolve,
        st.lists(st.builds(ops.ClaimVerdict, rids, wild_places, st.booleans()), max_size=2).map(tuple),
    ),
    OpKind.PROPOSE: st.builds(ops.Propose, many_rids),
    OpKind.WITHDRAW: st.builds(ops.Withdraw, many_places),
    OpKind.TRIGGER: st.builds(ops.Trigger, st.binary(max_size=17), numbers, texts, many_rids),
    OpKind.RECEIPT: st.builds(ops.Receipt, many_rids),
    OpKind.FEEDBACK: st.builds(
        ops.Feedback, rids, st.lists(st.tuples(texts, numbers), max_size=3).map(tuple)
    ),
    OpKind.SAYS_SAME: st.builds(ops.SaysSame, st.tuples(rids, rids), numbers),
    OpKind.UNLINK: st.builds(ops.Unlink, many_places),
    OpKind.SAME_SLOT: st.builds(
        ops.SameSlot,
        st.tuples(rids, rids),
        st.tuples(wild_places, wild_places),
        st.none() | st.booleans(),
        numbers,
        numbers,
    ),
    OpKind.TAG: st.builds(ops.Tag, st.lists(texts, max_size=3).map(tuple)),
    OpKind.UNTAG: st.builds(ops.Untag, st.lists(texts, max_size=3).map(tuple)),
}
REFUSED_TO_ITS_WRITER = (ReplicaError, ValueError, TypeError, OverflowError)


def test_every_kind_of_op_is_under_the_law() -> None:
    assert set(BODIES) == set(OpKind)


def check_law(body: Body, rid: MemoryId | None) -> bool:
    """Have one device write it and another hear of it; say whether it was written."""
    ann, ben = group("ann", "ben")
    ann.commit([Write(Remember("there before", {"tags": ["a"]}), RID)], NOW_MS)
    sync(ann, ben)
    before = ann.digests()
    try:
        ann.commit([Write(body, rid)], NOW_MS)
    except REFUSED_TO_ITS_WRITER:
        assert ann.digests() == before, "what is refused leaves nothing behind"
        return False
    _, theirs = sync(ann, ben)
    assert not theirs.refusals
    assert [row.status for row in rows_of(ann)] == [row.status for row in rows_of(ben)]
    assert all(row.status == FoldStatus.FOLDED for row in rows_of(ben)), (
        "its author folded what makes no sense"
    )
    assert agree(ann, ben)
    assert verify_replica(ben).ok
    return True


@pytest.mark.parametrize("kind", list(OpKind))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_what_may_be_written_is_folded_by_everybody(kind: OpKind, data: st.DataObject) -> None:
    check_law(data.draw(BODIES[kind]), data.draw(st.sampled_from([RID, None, OTHER])))


LARGEST: Sequence[Body] = (
    ops.Remember("x" * TEXT_BYTES_MAX, {"tags": [f"{n:03}" + "t" * 200 for n in range(TAGS_MAX)]}),
    ops.Remember(
        "𝄞" * (TEXT_BYTES_MAX // 4), {"meta": {f"k{n:03}": "v" * 200 for n in range(META_ENTRIES_MAX)}}
    ),
    ops.Set("topic", "x" * FIELD_STRING_BYTES_MAX),
    ops.Forget(tuple(MemoryId(n.to_bytes(16)) for n in range(2, NAMES_MAX + 2))),
    ops.Erase(tuple(MemoryId(n.to_bytes(16)) for n in range(2, NAMES_MAX + 2))),
    ops.Propose(tuple(MemoryId(n.to_bytes(16)) for n in range(NAMES_MAX))),
    ops.Relate("x" * FIELD_STRING_BYTES_MAX, "y" * FIELD_STRING_BYTES_MAX, "z" * FIELD_STRING_BYTES_MAX, 1.0),
    ops.Access(tuple((MemoryId(n.to_bytes(16)), ACCESSES_MAX, MS_MAX) for n in range(NAMES_MAX))),
    ops.Feedback(RID, tuple((f"signal {n:03}", -1) for n in range(SIGNALS_MAX))),
    ops.Tag(tuple(f"{n:03}" for n in range(TAGS_MAX))),
)


@pytest.mark.parametrize("body", LARGEST, ids=lambda body: type(body).__name__)
def test_the_largest_that_may_be_written_is_read(body: Body) -> None:
    rid = OTHER if isinstance(body, Remember) else RID
    assert check_law(body, rid if isinstance(body, ops.Remember | ops.Set | ops.Tag) else None)


# -- messages ----------------------------------------------------------------------------------------------------------

ID = bytes(32)
LONG = "𝄞" * 2 * REASON_CHARACTERS_MAX


def origin(number: int) -> Origin:
    return Origin(DeviceId(number.to_bytes(32)), bytes(8))


def places(count: int) -> tuple[OpRef, ...]:
    return tuple(OpRef(origin(number), 2**53, bytes(8)) for number in range(count))


def trust() -> Message:
    """A part of the largest statements there are: the first of two."""
    ids = [DeviceId(number.to_bytes(32)) for number in range(1, 1_200)]
    members = tuple(
        IntroducedMember(each, each, bytes(CERTIFICATE_BYTES_MAX), "n" * NAME_BYTES_MAX, ids[0], bytes(64))
        for each in ids
    )
    hand = Hand("ann")
    erase = Erase(tuple(MemoryId(number.to_bytes(16)) for number in range(NAMES_MAX)))
    proofs = tuple(proof_of(hand.write(erase), bytes(64)) for _ in range(3))
    return next(Trust(members, (Revocation(ids[0], ids[1], bytes(64)),), proofs).parts())


LARGEST_MESSAGES: dict[type, Callable[[], Message]] = {
    Hello: lambda: Hello(PROTOCOL, CLOCK_MS_MAX, ID, ID, True, CREDITS_MAX, ID),
    Trust: trust,
    Heads: lambda: Heads(Frontier.of(places(CHAINS_MAX)), ID, BASE_PARTS_MAX),
    Locator: lambda: Locator(places(LOCATOR_PLACES_MAX)),
    Known: lambda: Known(places(LOCATOR_PLACES_MAX)),
    Ops: lambda: Ops(bytes(FRAME_BYTES_MAX), True),
    Base: lambda: Base(bytes(BASE_PART_BYTES), BASE_PARTS_MAX - 1, BASE_PARTS_MAX, ID),
    Ack: lambda: Ack(
        FRAME_OPS_MAX,
        tuple(Refused(origin(number), 2**53, LONG, True) for number in range(REFUSALS_SAID_MAX)),
    ),
    CaughtUp: CaughtUp,
    Bye: lambda: Bye(LONG),
    Want: lambda: Want(tuple(Wish(bytes(16), bytes(16)) for _ in range(WISHES_MAX))),
    Grant: lambda: Grant((bytes(VECTOR_BYTES_MAX),) * WISHES_MAX),
    Inquiry: lambda: Inquiry("\U0001f600" * QUESTION_CHARACTERS_MAX, FOUND_MAX),
    Findings: lambda: Findings((bytes(16),) * FOUND_MAX),
}


def test_every_kind_of_message_is_under_the_law() -> None:
    assert set(LARGEST_MESSAGES) == set(get_args(Message))


@pytest.mark.parametrize("kind", LARGEST_MESSAGES, ids=lambda kind: kind.__name__)
def test_the_largest_message_of_each_kind_fits_and_is_read(kind: type) -> None:
    data = encode_message(LARGEST_MESSAGES[kind]())
    assert len(data) <= MESSAGE_BYTES_MAX
    assert encode_message(decode_message(data)) == data
