"""The added memories of a snapshot: what its columns say is what was laid in them, and nothing that no op can say."""

from typing import Any

import pytest

from replica.codec import pack, unpack
from replica.errors import InvalidOp
from replica.ids import DeviceId, OpId, Origin
from replica.limits import TEXT_BYTES_MAX
from replica.snapshot_adds import AddedRow, columns_of, read_columns
from replica.snapshot_parts import Snapshot, SnapshotFeed
from replica.state.memories import Add, BareMemory
from replica.state.register import Dot

_ORIGIN = Origin(DeviceId(b"d" * 32), b"i" * 16)


def _id8(feed: int, seq: int) -> bytes:
    return bytes([feed]) * 4 + seq.to_bytes(4)


def _feed(no: int, fork: int, seq: int) -> SnapshotFeed:
    spine = b"".join(_id8(no, each) for each in range(fork + 1, seq + 1))
    return SnapshotFeed(_ORIGIN, None, fork, {}, seq, OpId(bytes(32)), b"", {}, spine)


# Of the second, which branches, the snapshot lists what comes after its third op.
_SNAPSHOT = Snapshot(_ORIGIN.device, {}, feeds=(_feed(0, 0, 5), _feed(1, 3, 7)))


def _row(rid: int, feed: int, seq: int, **fields: Any) -> AddedRow:
    return AddedRow(bytes([rid]) * 16, feed, seq, 1000 + rid, f"memory {rid}", fields)


_ROWS = (
    _row(9, 0, 1),
    _row(2, 0, 2, speaker="Ann"),
    _row(7, 0, 5),
    _row(5, 1, 4),
    _row(1, 1, 7, tags=["boat"]),
)


def _read(*rows: AddedRow, ops: int = 9) -> dict[bytes, BareMemory]:
    return read_columns(unpack(pack(columns_of(rows))), _SNAPSHOT.ids, ops=ops)


def test_columns_say_what_was_laid_in_them_in_the_order_of_ids() -> None:
    read = _read(*_ROWS)
    assert list(read.items()) == [
        (rid, BareMemory(rid, Dot(feed, seq, _id8(feed, seq)), Add(hlc, text, fields)))
        for rid, feed, seq, hlc, text, fields in sorted(_ROWS)
    ]
    assert {type(each) for one in read.values() for each in (one, one.dot, one.add)} == {BareMemory, Dot, Add}


def test_a_word_that_only_a_later_version_lists_is_read() -> None:
    row = _row(3, 1, 5, type="of a later version")
    assert _read(*_ROWS, row)[row.rid].add.fields == row.fields


def test_no_columns_say_nothing() -> None:
    assert _read() == {}


@pytest.mark.parametrize(
    ("feed", "seq"), [(0, 0), (0, 6), (1, 3), (1, 8), (2, 1), (0, -1), (1, -4), (-1, 4)], ids=str
)
def test_an_op_that_the_snapshot_does_not_list_adds_nothing(feed: int, seq: int) -> None:
    with pytest.raises(InvalidOp):
        _SNAPSHOT.ids([feed], [seq])
    with pytest.raises(InvalidOp):
        _read(_row(3, feed, seq))
    with pytest.raises(InvalidOp):
        _read(*_ROWS, _row(3, feed, seq))


def test_each_op_adds_one_memory_and_each_memory_comes_once() -> None:
    with pytest.raises(InvalidOp, match="one for each op"):
        _read(*_ROWS, _row(3, 1, 7))
    with pytest.raises(InvalidOp, match="once"):
        _read(*_ROWS, _row(9, 1, 5))
    with pytest.raises(InvalidOp, match="at most one"):
        _read(*_ROWS, ops=4)


@pytest.mark.parametrize(
    "fields",
    [
        *(
            None,
            0,
            "",
            [],
            {"speaker": 5},
            {5: "Ann"},
            {"later": 1.5j},
            {"later": [["nested"]]},
            {"later": "x" * 70_000},
        ),
        *({"topic": "first", "speaker": "then"}, {"meta": {"b": 1, "a": 2}}, {"meta": {1: "b", "a": 2}}),
    ],
    ids=lambda fields: repr(fields)[:40],
)
def test_fields_are_what_an_op_can_say(fields: Any) -> None:
    columns = columns_of(_ROWS)
    for at in range(len(_ROWS)):
        *others, said = columns
        crooked = [*others, [*said[:at], fields, *said[at + 1 :]]]
        with pytest.raises(InvalidOp):
            read_columns(
                [list(each) if type(each) is tuple else each for each in crooked], _SNAPSHOT.ids, ops=9
            )


@pytest.mark.parametrize(
    "text", ["", " ", None, 5, "x" * (TEXT_BYTES_MAX + 1)], ids=lambda text: repr(text)[:9]
)
def test_texts_are_what_an_op_can_say(text: Any) -> None:
    with pytest.raises(InvalidOp):
        _read(*_ROWS, _row(3, 1, 5)._replace(text=text))


def test_a_text_of_many_characters_is_judged_by_its_bytes() -> None:
    fits = "ü" * (TEXT_BYTES_MAX // 2)
    assert _read(*_ROWS, _row(3, 1, 5)._replace(text=fits))[bytes([3]) * 16].add.text == fits
    with pytest.raises(InvalidOp):
        _read(*_ROWS, _row(3, 1, 5)._replace(text=fits + "x"))
