from collections.abc import Mapping
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica import ops
from replica.codec import (
    SALT_BYTES,
    WHOLE_AMOUNT,
    decode_payload,
    encode_payload,
    pack,
    payload_hash,
    read_place,
    unpack,
    wire_place,
)
from replica.errors import InvalidOp, TooLarge
from replica.fields import INT_MAX, INT_MIN, MS_MAX
from replica.ids import DeviceId, MemoryId, OpRef, Origin
from replica.limits import (
    ACCESSES_MAX,
    FIELD_STRING_BYTES_MAX,
    NAMES_MAX,
    PAYLOAD_BYTES_MAX,
    SIGNALS_MAX,
    TEXT_BYTES_MAX,
)
from replica.ops import KIND_OF, Body, OpKind
from tests.support.published import published

SALT = bytes(range(SALT_BYTES))
PLACE = OpRef(Origin(DeviceId(b"d" * 32), b"incarnat"), 41, b"eight by")
RID = MemoryId(b"r" * 16)
OTHER = MemoryId(b"s" * 16)

# One body of each kind, and the plain values that its payload holds.
BODIES: Mapping[OpKind, tuple[Body, Any]] = {
    OpKind.REMEMBER: (
        ops.Remember("a", {"b": 1, "a": [], "c": {"y": 1, "x": 2}}),
        ["a", {"a": [], "b": 1, "c": {"x": 2, "y": 1}}],
    ),
    OpKind.EDIT: (ops.Edit(b"8 bytes.", b"\0\0"), [b"8 bytes.", b"\0\0"]),
    OpKind.SET: (ops.Set("importance", 0.5), ["importance", 0.5]),
    OpKind.FORGET: (ops.Forget((RID,)), [RID]),
    OpKind.ERASE: (ops.Erase((RID,)), [RID]),
    OpKind.RELATE: (ops.Relate("Ann", "knows", "Ben", 1.0), ["Ann", "knows", "Ben", 1.0]),
    OpKind.ACCESS: (ops.Access(((RID, 3, 5),)), [[RID, 3, 5]]),
    OpKind.CLAIM: (
        ops.Claim("Ann", "lives in", "Lisbon", (PLACE,), 7),
        ["Ann", "lives in", "Lisbon", [wire_place(PLACE)], 7],
    ),
    OpKind.RESOLVE: (ops.Resolve((ops.ClaimVerdict(RID, PLACE, True),)), [[RID, wire_place(PLACE), True]]),
    OpKind.PROPOSE: (ops.Propose((RID,)), [RID]),
    OpKind.WITHDRAW: (ops.Withdraw((PLACE,)), [wire_place(PLACE)]),
    OpKind.TRIGGER: (ops.Trigger(RID, 3, "reminder", (RID,)), [RID, 3, "reminder", [RID]]),
    OpKind.RECEIPT: (ops.Receipt((RID,)), [RID]),
    OpKind.FEEDBACK: (ops.Feedback(RID, (("words", -5),)), [RID, [["words", -5]]]),
    OpKind.SAYS_SAME: (ops.SaysSame((RID, OTHER), 90), [RID, OTHER, 90]),
    OpKind.UNLINK: (ops.Unlink((PLACE,)), [wire_place(PLACE)]),
    OpKind.SAME_SLOT: (
        ops.SameSlot((RID, OTHER), (PLACE, PLACE), False, 4, 100),
        [RID, wire_place(PLACE), OTHER, wire_place(PLACE), False, 4, 100],
    ),
    OpKind.TAG: (ops.Tag(("a", "b")), ["a", "b"]),
    OpKind.UNTAG: (ops.Untag(("a",)), ["a"]),
}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(INT_MIN, INT_MAX)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.binary(max_size=40)
)
VALUES = (
    SCALARS
    | st.lists(st.text(max_size=9), max_size=5)
    | st.dictionaries(st.text(max_size=9), SCALARS, max_size=5)
)
NAMES = st.text(min_size=1, max_size=40).filter(str.strip)
RIDS = st.binary(min_size=16, max_size=16).map(MemoryId)
SORTED_RIDS = st.sets(RIDS, min_size=1, max_size=5).map(lambda rids: tuple(sorted(rids)))
PLACES = st.builds(
    OpRef,
    st.builds(Origin, st.binary(min_size=32, max_size=32).map(DeviceId), st.binary(min_size=8, max_size=8)),
    st.integers(1, 2**53),
    st.binary(min_size=8, max_size=8),
)
UNKNOWN_FIELDS = st.dictionaries(NAMES.map(lambda name: "x" + name), VALUES, max_size=5)
ANY_BODY: st.SearchStrategy[Body] = st.one_of(
    st.builds(ops.Remember, NAMES, UNKNOWN_FIELDS),
    st.builds(ops.Edit, st.binary(min_size=8, max_size=8), st.binary(max_size=40)),
    st.builds(ops.Set, NAMES.map(lambda name: "x" + name), VALUES),
    st.builds(ops.Forget, SORTED_RIDS),
    st.builds(ops.Erase, SORTED_RIDS),
    st.builds(ops.Relate, NAMES, NAMES, NAMES, st.none() | st.floats(0, 1)),
    st.builds(
        lambda rids, count, last: ops.Access(tuple((rid, count, last) for rid in rids)),
        SORTED_RIDS,
        st.integers(0, ACCESSES_MAX),
        st.integers(0, MS_MAX),
    ),
    st.builds(
        ops.Claim,
        NAMES,
        NAMES,
        NAMES,
        st.lists(PLACES, max_size=3).map(tuple),
        st.none() | st.integers(-MS_MAX, MS_MAX),
    ),
    st.builds(
        lambda verdicts: ops.Resolve(tuple(verdicts)),
        st.lists(st.builds(ops.ClaimVerdict, RIDS, PLACES, st.booleans()), min_size=1, max_size=3),
    ),
    st.builds(ops.Propose, SORTED_RIDS),
    st.builds(ops.Withdraw, st.lists(PLACES, max_size=3).map(tuple)),
    st.builds(
        ops.Trigger, st.binary(min_size=16, max_size=16), st.integers(0, 3), NAMES, st.just(()) | SORTED_RIDS
    ),
    st.builds(ops.Receipt, SORTED_RIDS),
    st.builds(
        lambda rid, amounts: ops.Feedback(rid, tuple(sorted(amounts.items()))),
        RIDS,
        st.dictionaries(NAMES, st.integers(-WHOLE_AMOUNT, WHOLE_AMOUNT), min_size=1, max_size=4),
    ),
    st.builds(
        lambda rids, sureness: ops.SaysSame((min(rids), max(rids)), sureness),
        st.sets(RIDS, min_size=2, max_size=2),
        st.integers(1, 100),
    ),
    st.builds(ops.Unlink, st.lists(PLACES, max_size=3).map(tuple)),
    st.builds(
        lambda named, same, by, sureness: ops.SameSlot.of(named[0], named[1], same, by=by, sureness=sureness),
        st.sets(st.tuples(RIDS, PLACES), min_size=2, max_size=2).map(sorted),
        st.none() | st.booleans(),
        st.integers(1, 4),
        st.integers(1, 100),
    ),
)


def decode(kind: int, plain: Any) -> Body:
    return decode_payload(kind, SALT + pack(plain))


@given(body=ANY_BODY)
def test_every_body_comes_back_from_its_bytes(body: Body) -> None:
    payload = encode_payload(SALT, body)
    again = decode_payload(KIND_OF[type(body)], payload)
    assert again == body
    assert encode_payload(SALT, again) == payload


@pytest.mark.parametrize("kind", OpKind, ids=lambda kind: kind.name)
def test_each_kind_has_the_shape_that_the_protocol_says(kind: OpKind) -> None:
    body, plain = BODIES[kind]
    assert encode_payload(SALT, body) == SALT + pack(plain)
    assert decode(kind, plain) == body


@given(kind=st.sampled_from(OpKind), data=st.binary(max_size=80))
def test_arbitrary_bytes_are_no_body_or_the_one_spelling_of_it(kind: OpKind, data: bytes) -> None:
    try:
        body = decode_payload(kind, SALT + data)
    except InvalidOp:
        return
    assert encode_payload(SALT, body) == SALT + data


@given(body=ANY_BODY, data=st.data())
def test_a_payload_with_one_byte_changed_is_no_body_or_the_one_spelling_of_another(
    body: Body, data: st.DataObject
) -> None:
    payload = bytearray(encode_payload(SALT, body))
    payload[data.draw(st.integers(SALT_BYTES, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        again = decode_payload(KIND_OF[type(body)], bytes(payload))
    except InvalidOp:
        return
    assert encode_payload(SALT, again) == payload


SPELLINGS = {
    "keys out of order": b"\x92\xa1a\x82\xa1b\x01\xa1a\x01",
    "one key twice": b"\x92\xa1a\x82\xa1a\x01\xa1a\x01",
    "an integer wider than need be": b"\x92\xa1a\x81\xa1a\xd2\x00\x00\x00\x01",
    "a string header wider than need be": b"\x92\xd9\x01a\x80",
    "an array header wider than need be": b"\xdc\x00\x02\xa1a\x80",
    "a float of 32 bits": b"\x92\xa1a\x81\xa1a\xca\x3f\x00\x00\x00",
    "something behind it": b"\x92\xa1a\x80\x00",
    "less than it announces": b"\x92\xa1a",
    "nothing": b"",
    "a byte that msgpack never uses": b"\xc1",
    "bytes that are no UTF-8": b"\x92\xa1\xff\x80",
    "a lone surrogate": b"\x92\xa3\xed\xa0\x80\x80",
    "not a number": b"\x92\xa1a\x81\xa1a\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00",
    "an extension type": b"\x92\xa1a\x81\xa1a\xd4\x05\x00",
    "a timestamp": b"\x92\xa1a\x81\xa1a\xd6\xff\x00\x00\x00\x01",
    "an integer of more than 63 bits": b"\x92\xa1a\x81\xa1a\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
    "a number for a key": b"\x92\xa1a\x81\x01\x01",
    "bytes for a text": b"\x92\xc4\x01a\x80",
    "an array of more than it holds": b"\xdd\xff\xff\xff\xff",
}


@pytest.mark.parametrize("data", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_another_spelling_of_a_body_is_refused(data: bytes) -> None:
    """One value, one encoding: or two devices would hash what they call the same to different ids."""
    with pytest.raises(InvalidOp, match="expected"):
        decode_payload(OpKind.REMEMBER, SALT + data)
    assert decode_payload(OpKind.REMEMBER, SALT + b"\x92\xa1a\x81\xa1a\x01") == ops.Remember("a", {"a": 1})


WRONG: list[tuple[OpKind, Any]] = [
    (OpKind.REMEMBER, ["", {}]),
    (OpKind.REMEMBER, [" \n", {}]),
    (OpKind.REMEMBER, ["a"]),
    (OpKind.REMEMBER, ["a", {}, 1]),
    (OpKind.REMEMBER, ["a", {"importance": 2}]),
    (OpKind.EDIT, [b"7 bytes", b""]),
    (OpKind.EDIT, ["8 bytes.", b""]),
    (OpKind.SET, ["", 1]),
    (OpKind.SET, ["type", 3]),
    (OpKind.FORGET, []),
    (OpKind.FORGET, [b"short"]),
    (OpKind.FORGET, [RID, RID]),
    (OpKind.FORGET, [b"s" * 16, RID]),
    (OpKind.FORGET, RID),
    (OpKind.ERASE, []),
    (OpKind.RELATE, ["Ann", "knows", "Ben", 2.0]),
    (OpKind.RELATE, ["Ann", "knows", "Ben", -0.1]),
    (OpKind.RELATE, ["Ann", "knows", "Ben", 1]),
    (OpKind.RELATE, ["Ann", "knows", "Ben", True]),
    (OpKind.RELATE, ["Ann", "knows", "", 1.0]),
    (OpKind.RELATE, ["Ann", " ", "Ben", None]),
    (OpKind.ACCESS, [[RID, -1, 0]]),
    (OpKind.ACCESS, [[RID, 0, -1]]),
    (OpKind.ACCESS, [[RID, ACCESSES_MAX + 1, 0]]),
    (OpKind.ACCESS, [[RID, 0, MS_MAX + 1]]),
    (OpKind.ACCESS, [[RID, True, 0]]),
    (OpKind.ACCESS, [[RID, 1.0, 0]]),
    (OpKind.ACCESS, [[RID, 1, 0], [RID, 2, 0]]),
    (OpKind.ACCESS, []),
    (OpKind.ACCESS, 5),
    (OpKind.CLAIM, ["Ann", "lives in", "", [], None]),
    (OpKind.CLAIM, ["Ann", "lives in", "Lisbon", [[b"", b"", 1, b""]], None]),
    (OpKind.CLAIM, ["Ann", "lives in", "Lisbon", [], True]),
    (OpKind.CLAIM, ["Ann", "lives in", "Lisbon", [], MS_MAX + 1]),
    (OpKind.RESOLVE, []),
    (OpKind.RESOLVE, [[RID, wire_place(PLACE), 1]]),
    (OpKind.RESOLVE, [[b"short", wire_place(PLACE), True]]),
    (OpKind.PROPOSE, [RID, RID]),
    (OpKind.WITHDRAW, [RID]),
    (OpKind.WITHDRAW, 1),
    (OpKind.UNLINK, [RID]),
    (OpKind.TAG, []),
    (OpKind.TAG, "a"),
    (OpKind.TAG, ["b", "a"]),
    (OpKind.TAG, ["a", "a"]),
    (OpKind.TAG, [""]),
    (OpKind.TAG, [1]),
    (OpKind.TAG, ["x" * 16_385]),
    (OpKind.TAG, [f"{n:03}" for n in range(65)]),
    (OpKind.UNTAG, []),
    (OpKind.SAYS_SAME, [RID, RID, 90]),
    (OpKind.SAYS_SAME, [OTHER, RID, 90]),
    (OpKind.SAYS_SAME, [RID, OTHER]),
    (OpKind.SAYS_SAME, [RID, OTHER, 0]),
    (OpKind.SAYS_SAME, [RID, OTHER, 101]),
    (OpKind.SAYS_SAME, [RID, OTHER, True]),
    (OpKind.SAYS_SAME, [b"short", OTHER, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), RID, wire_place(PLACE), True, 1, 90]),
    (OpKind.SAME_SLOT, [OTHER, wire_place(PLACE), RID, wire_place(PLACE), True, 1, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), 1, 1, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), True, 0, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), True, 5, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), True, True, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), True, 1, 101]),
    (OpKind.SAME_SLOT, [RID, b"no place", OTHER, wire_place(PLACE), True, 1, 90]),
    (OpKind.SAME_SLOT, [RID, wire_place(PLACE), OTHER, wire_place(PLACE), True, 1]),
    (OpKind.TRIGGER, [b"short", 1, "reminder", []]),
    (OpKind.TRIGGER, [RID, 4, "reminder", []]),
    (OpKind.TRIGGER, [RID, -1, "reminder", []]),
    (OpKind.TRIGGER, [RID, True, "reminder", []]),
    (OpKind.TRIGGER, [RID, 1, "", []]),
    (OpKind.TRIGGER, [RID, 1, "reminder", [b"short"]]),
    (OpKind.TRIGGER, [RID, 1, "reminder", [RID, RID]]),
    (OpKind.TRIGGER, [RID, 1]),
    (OpKind.FEEDBACK, [RID, []]),
    (OpKind.FEEDBACK, [b"short", [["words", 1]]]),
    (OpKind.FEEDBACK, [RID, [["words", True]]]),
    (OpKind.FEEDBACK, [RID, [["words", 1.0]]]),
    (OpKind.FEEDBACK, [RID, [["", 1]]]),
    (OpKind.FEEDBACK, [RID, [["words", WHOLE_AMOUNT + 1]]]),
    (OpKind.FEEDBACK, [RID, [["words", -WHOLE_AMOUNT - 1]]]),
    (OpKind.FEEDBACK, [RID, [["words", 1], ["words", 1]]]),
    (OpKind.FEEDBACK, [RID, [["words", 1], ["meaning", 1]]]),
    (OpKind.FEEDBACK, [RID, [[str(n), 1] for n in range(10, 10 + SIGNALS_MAX + 1)]]),
    (OpKind.RECEIPT, None),
]


@pytest.mark.parametrize(("kind", "plain"), WRONG)
def test_a_body_that_breaks_a_rule_is_refused(kind: OpKind, plain: Any) -> None:
    with pytest.raises(InvalidOp, match="expected"):
        decode(kind, plain)


@pytest.mark.parametrize("seq", [0, -1, True, 1.0, "1"])
def test_a_place_has_a_whole_number_from_one_on(seq: Any) -> None:
    assert read_place(wire_place(PLACE)) == PLACE
    with pytest.raises(InvalidOp, match="expected a place"):
        read_place([PLACE.origin.device, PLACE.origin.incarnation, seq, PLACE.id8])


@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_place_has_names_of_their_one_length(at: int) -> None:
    plain = wire_place(PLACE)
    plain[at] += b"!"
    with pytest.raises(InvalidOp, match="expected a place"):
        read_place(plain)


def test_limits_are_inclusive_and_in_bytes() -> None:
    encode_payload(SALT, ops.Remember("x" * TEXT_BYTES_MAX, {}))
    encode_payload(SALT, ops.Remember("é" * (TEXT_BYTES_MAX // 2), {}))
    many = tuple(MemoryId(n.to_bytes(16)) for n in range(NAMES_MAX + 1))
    encode_payload(SALT, ops.Forget(many[:-1]))
    encode_payload(SALT, ops.Relate("x" * FIELD_STRING_BYTES_MAX, "r", "y", None))
    for body in (
        ops.Remember("x" * (TEXT_BYTES_MAX + 1), {}),
        ops.Remember("é" * (TEXT_BYTES_MAX // 2 + 1), {}),
        ops.Forget(many),
        ops.Withdraw((PLACE,) * (NAMES_MAX + 1)),
        ops.Relate("x" * (FIELD_STRING_BYTES_MAX + 1), "r", "y", None),
        ops.Edit(b"8 bytes.", bytes(PAYLOAD_BYTES_MAX)),
    ):
        with pytest.raises(TooLarge, match="expected"):
            encode_payload(SALT, body)


@pytest.mark.parametrize(
    "body",
    [
        ops.Remember("a lone \ud800", {}),
        ops.Remember("a lone \ud800" * 99_999, {}),
        ops.Remember("a", {"domain": "\udfff"}),
        ops.Remember("a", {"domain": "\udfff" * 9_999}),
        ops.Set("\ud800", 1),
        ops.Relate("\ud800", "r", "y", None),
        ops.Claim("a", "b", "\ud800", (), None),
    ],
)
def test_a_lone_surrogate_is_refused_when_it_is_written(body: Body) -> None:
    with pytest.raises(InvalidOp, match="lone surrogate"):
        encode_payload(SALT, body)


def test_a_weight_written_as_a_whole_number_is_read_as_the_same_weight() -> None:
    """What the author folds and what everybody else folds must be one value."""
    payload = encode_payload(SALT, ops.Relate("Ann", "knows", "Ben", 1))
    assert payload == encode_payload(SALT, ops.Relate("Ann", "knows", "Ben", 1.0))
    assert decode_payload(OpKind.RELATE, payload) == ops.Relate("Ann", "knows", "Ben", 1.0)


def test_the_hash_of_a_payload_says_nothing_about_its_text() -> None:
    """The salt keeps whoever holds the hash of an erased payload from trying out guesses."""
    body = ops.Remember("a guess", {})
    assert payload_hash(encode_payload(SALT, body)) != payload_hash(encode_payload(bytes(16), body))


@published("YD-58")
def test_no_payload_holds_a_vector() -> None:
    """Every device makes its own: a body of any kind is names, numbers and words, and no list of numbers."""
    assert not any(
        isinstance(each, float) for _, plain in BODIES.values() for each in _within(plain, depth=2)
    )
    with pytest.raises(InvalidOp):
        encode_payload(SALT, ops.Set("vector", [0.5, 0.25]))  # type: ignore[list-item]
    assert len(encode_payload(SALT, ops.Remember("x" * 60, {}))) < 90


def _within(plain: Any, depth: int) -> list[Any]:
    if depth == 0 or not isinstance(plain, list):
        return []
    return [item for each in plain if isinstance(each, list) for item in [*each, *_within(each, depth - 1)]]


def test_the_packer_and_the_reader_are_msgpack_that_others_read() -> None:
    assert msgpack.unpackb(pack([1, b"a", "b", None, 0.5])) == [1, b"a", "b", None, 0.5]
    assert unpack(msgpack.packb([1, b"a", "b"])) == [1, b"a", "b"]
