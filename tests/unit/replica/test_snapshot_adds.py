"""The added memories of a snapshot: what its columns say is what was laid in them, and nothing that no op can say."""

import tracemalloc
from collections import Counter
from random import Random
from typing import Any

import pytest
from msgpack import ExtType

from replica.codec import Reading, pack
from replica.errors import InvalidOp
from replica.ids import DeviceId, OpId, Origin
from replica.limits import TEXT_BYTES_MAX
from replica.snapshot_adds import AddColumns, Added, AddedRow, columns_of
from replica.snapshot_parts import Snapshot, SnapshotFeed
from replica.state.adds import Add
from replica.state.memories import BareMemory
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


def _laid(columns: list[Any]) -> AddColumns:
    return AddColumns.read(Reading(pack(columns)))


def _read(*rows: AddedRow, ops: int = 9) -> dict[bytes, BareMemory]:
    return {one.rid: one for one in Added(_laid(columns_of(rows)), _SNAPSHOT.ids, ops=ops)}


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
            {"later": ExtType(1, b"2")},
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
            Added(_laid(crooked), _SNAPSHOT.ids, ops=9)


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


def _many(rows: int, random: Random) -> list[AddedRow]:
    """Rows of two feeds, whose ids are in no order of their ops."""
    places = [(0, seq) for seq in range(1, rows // 2 + 1)] + [
        (1, seq) for seq in range(4, rows - rows // 2 + 4)
    ]
    rids = random.sample([bytes([i // 256, i % 256]) * 8 for i in range(rows)], rows)
    return [
        AddedRow(rid, *place, 1000 + i, f"memory {i}", {})
        for i, (rid, place) in enumerate(zip(rids, places, strict=True))
    ]


def _added(rows: list[AddedRow]) -> Added:
    snapshot = _SNAPSHOT._replace(feeds=(_feed(0, 0, len(rows)), _feed(1, 3, len(rows) + 3)))
    return Added(_laid(columns_of(rows)), snapshot.ids, ops=len(rows))


def _bare(row: AddedRow) -> BareMemory:
    rid, feed, seq, hlc, text, fields = row
    return BareMemory(rid, Dot(feed, seq, _id8(feed, seq)), Add(hlc, text, fields))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replica.snapshot_adds._BLOCK", 7)


@pytest.mark.usefixtures("small_blocks")
def test_memories_are_made_a_page_at_a_time_and_each_block_of_them_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = _many(100, Random(1))
    added = _added(rows)
    made = Counter[int]()
    block = Added._block
    monkeypatch.setattr(Added, "_block", lambda self, no: (made.update([no]), block(self, no))[1])
    pages = [added[start : start + 11] for start in range(0, len(added), 11)]
    assert [one for page in pages for one in page] == [*map(_bare, sorted(rows))]
    assert made == dict.fromkeys(range(15), 1)
    assert not added._blocks, "each is let go with its last row"


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("seed", range(5))
def test_memories_are_found_and_left_out_by_their_ids(seed: int) -> None:
    random = Random(seed)
    rows = _many(100, random)
    added, left = _added(rows), {row.rid: _bare(row) for row in rows}
    strangers = {bytes([200, i]) * 8 for i in range(9)}
    for _ in range(12):
        some = {*random.sample(sorted(left), 5), *random.sample([row.rid for row in rows], 5), *strangers}
        assert added.having(some) == some & left.keys()
        match random.randrange(3):
            case 0:
                assert {one.rid: one for one in added.taken_out(some)} == {
                    rid: left.pop(rid) for rid in some if rid in left
                }
            case 1:
                for rid in some:
                    assert added.pop(rid) == left.pop(rid, None)
            case _:
                feed, seq = random.randrange(2), random.randrange(60)
                added.drop(lambda dot, at=(feed, seq): dot[:2] == at)  # type: ignore[misc]
                left = {rid: one for rid, one in left.items() if one.dot[:2] != (feed, seq)}
        assert (len(added), [*added]) == (len(left), [left[rid] for rid in sorted(left)])
        assert added[len(left) // 2] == left[sorted(left)[len(left) // 2]]


def test_memories_have_the_numbers_of_whoever_takes_them() -> None:
    here = Added(
        _laid(columns_of(_ROWS)), _SNAPSHOT.ids, ops=9, dot_here=lambda dot: dot._replace(feed=dot.feed + 5)
    )
    assert {one.dot.feed for one in here} == {5, 6}
    here.drop(lambda dot: dot[:2] == (6, 7))
    assert bytes([1]) * 16 not in {one.rid for one in here}
    assert len(here) == len(_ROWS) - 1


@pytest.mark.parametrize("column", [1, 2, 3])
def test_numbers_have_64_bits(column: int) -> None:
    for number in (2**63, 2**64 - 1, -(2**63)):
        columns = [list(each) if type(each) is tuple else each for each in columns_of(_ROWS)]
        columns[column][2] = number
        with pytest.raises(InvalidOp):
            Added(_laid(columns), _SNAPSHOT.ids, ops=9)


def test_texts_stay_packed_but_for_a_few_blocks() -> None:
    """A million memories with fields took 1.4 GB while they were taken in."""
    words = "what somebody said at some length about something " * 8
    rows = [AddedRow(i.to_bytes(16), 0, i, i, f"{words}{i}", {}) for i in range(1, 60_001)]
    laid = _laid(columns_of(rows))
    snapshot = _SNAPSHOT._replace(feeds=(_feed(0, 0, 60_000),))
    del rows
    tracemalloc.start()
    try:
        added = Added(laid, snapshot.ids, ops=60_000)
        assert sum(1 for _ in added) == 60_000
        assert tracemalloc.get_traced_memory()[1] < len(laid.data)
    finally:
        tracemalloc.stop()
