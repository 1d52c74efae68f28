"""Ops taken in bulk come to what they come to one by one, whatever is among them.

Adds of memories of which nothing else is known are read and written together; everything else is folded op by op.
"""

import random
import sqlite3
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replica import ops
from replica.codec import SALT_BYTES, decode_payload, decode_remembers, encode_payload, pack
from replica.core import Core
from replica.errors import InvalidOp
from replica.folding import WorkingSet
from replica.frame import Frame
from replica.hlc import HLC_MAX
from replica.ids import MemoryId
from replica.limits import TEXT_BYTES_MAX
from replica.meaning import meaning_of, meanings_of
from replica.ops import Op, OpKind, Remember
from replica.state.adds import Add
from replica.state.cells import encode_cell
from replica.state.memories import BareMemory, show_added
from replica.state.reading import check_add, check_adds
from replica.state.register import Dot
from replica.state.text import EditedText, base_name
from replica.storage.memory_store import MemoryStore
from replica.storage.schema import INDEX_OF_CONTENTS
from replica.storage.shown import DerivedTables, NewRows, RowChange, Shown, new_and_others
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from samemind.config import Settings
from samemind.device import derived_tables
from tests.support.replicas import NOW_MS, Hand, acquaint, carry, core_of, frame_of_segments

RIDS = [MemoryId(bytes([n]) * 16) for n in range(1, 7)]
TEXTS = ("Ann lives in Porto", "Ben bakes bread", "the same words", "Ann moved to Lisbon")
FIELDS: tuple[dict[str, Any], ...] = (
    {},
    {"importance": 0.5, "topic": "sea"},
    {"meta": {"a": 1, "category": "identity"}, "speaker": "Ben"},
    {"tags": ["a", "b"], "told_at": NOW_MS},
)
# What no honest program writes, as the body of an op of kind REMEMBER.
CROOKED = (
    pack(["", {}]),
    pack([" \u2003\t", {}]),
    pack(["x" * (TEXT_BYTES_MAX + 1), {}]),
    pack(["é" * (TEXT_BYTES_MAX // 2 + 1), {}]),
    pack([b"no text", {}]),
    pack(["a list", []]),
    pack(["nothing", None]),
    pack(["one"]),
    pack(["three", {}, 3]),
    pack({"a": "map"}),
    pack(["bytes", {b"key": 1}]),
    pack(["deep", {"meta": {"a": {"b": 1}}}]),
    pack(["a wrong value", {"importance": 7}]),
    pack(["ext", {"meta": {}}])[:-1] + b"\xd4\x05\x00",
    b"\x92\xd9\x05spelt\x80",  # a length in two bytes where one does
    b"\x92\xa5words\xde\x00\x00",
    b"\x92\xa3two\x82\xa1b\x01\xa1a\x02",  # keys in no order
    b"\x92\xa4same\x82\xa1a\x01\xa1a\x02",
    b"\x92\xa5float\x81\xaaimportance\xca\x3f\x00\x00\x00",
    b"\x92\xa4part",
    pack(["and one more", {}]) * 2,
    b"",
    b"\xc1",
    b"\x92\xa2\xff\xfe\x80",
    b"\x91" * 600 + b"\xc0",
    b"\x91" * 2_000 + b"\xc0",
    b"\x92\xa4deep\x81\xa1a" + b"\x91" * 505 + b"\xc0",
)


def payload(body: bytes) -> bytes:
    return bytes(SALT_BYTES) + body


@given(
    st.lists(
        st.sampled_from([*CROOKED, *(encode_payload(b"", Remember(t, f)) for t in TEXTS for f in FIELDS)])
    )
)
def test_bodies_are_read_together_as_one_by_one(bodies: list[bytes]) -> None:
    """None spoils another, also where two halves would make a whole, or one holds two."""
    read: list[ops.Body | None] = []
    for body in bodies:
        try:
            read.append(decode_payload(OpKind.REMEMBER, payload(body)))
        except InvalidOp:
            read.append(None)
    assert decode_remembers([payload(body) for body in bodies]) == read


def test_every_crooked_body_is_refused_among_good_ones() -> None:
    good = payload(encode_payload(b"", Remember("good", {})))
    for body in CROOKED:
        assert decode_remembers([good, payload(body), good]) == [
            Remember("good", {}),
            None,
            Remember("good", {}),
        ]


def test_halves_of_two_bodies_do_not_make_one() -> None:
    assert decode_remembers([payload(b"\x92\xa3one"), payload(b"\x80\x92\xa3two\x80")]) == [None, None]
    swapped = [payload(pack(["a", {}]) + b"\x92"), payload(pack(["b", {}])[1:])]
    assert decode_remembers(swapped) == [None, None]


_ERASES = 8
_CLONE = 3


# -- whole stores -------------------------------------------------------------------------------------------------


def _written(hand: Hand, seen: Sequence[Op], choice: int, rid: MemoryId, chance: random.Random) -> Op:
    """One more op of a hand: mostly an add, and else something that is done to one, or a crooked one."""
    text, fields = chance.choice(TEXTS), chance.choice(FIELDS)
    placed = [op.place for op in seen if op.origin != hand.origin]
    others = chance.choice((placed[-1:], placed[-1:], [], chance.choices(placed) if placed else []))
    memories = sorted({rid, chance.choice(RIDS)})
    made: dict[int, Callable[[], Op]] = {
        0: lambda: hand.write(ops.Forget(tuple(memories)), seen=others),
        1: lambda: hand.write(ops.Set("topic", "moving"), rid, seen=others),
        2: lambda: hand.write(ops.Claim("Ann", "lives in", "Porto", (), None), rid, seen=others),
        3: lambda: hand.write(
            ops.Edit(
                base_name(rid, TEXTS[0]),
                EditedText.from_base(rid, TEXTS[0]).edit("Ann still lives in Porto", random.Random(1)),
            ),
            rid,
            seen=others,
        ),
        4: lambda: hand.write(
            ops.Relate("Ann", "knows", "Ben", 0.5), rid
        ),  # names a memory, and is not about it
        5: lambda: hand.write(kind=OpKind.REMEMBER, plain=chance.choice(CROOKED[5:]), rid=rid),
        6: lambda: hand.write(kind=OpKind.REMEMBER, plain=pack([text, {}]), rid=rid, version=2),
        7: lambda: hand.write(
            kind=OpKind.REMEMBER, plain=pack([text, {}])
        ),  # adds nothing, since it names nothing
        _ERASES: lambda: hand.write(ops.Erase(tuple(memories)), seen=others),
        9: lambda: hand.write(ops.Access(((rid, 2, NOW_MS),)), seen=others),
        10: lambda: hand.write(ops.Tag(("dough",)), rid, seen=others),
        11: lambda: hand.write(ops.Set("theme", text), seen=others),
    }
    added = MemoryId(chance.choice((rid, chance.randbytes(16))))  # of most that is told nothing else is known
    return made.get(choice, lambda: hand.write(Remember(text, fields), added, seen=others))()


@st.composite
def histories(
    draw: st.DrawFn,
    *,
    erases: bool = True,
    begins: Sequence[tuple[str, bytes]] = (),
    with_fields: Sequence[dict[str, Any]] = ({},),
) -> list[tuple[int, Op]]:
    """Ops of two members, a stranger and a clone of the first, each with its author's number, as they may come.

    Without `erases`: an erasure has a proof where it is signed itself, so where frames end shows in what it leaves.
    `begins` are texts, with the ids of their memories, that the first member told before everything else, each with
    one of `with_fields`.
    """
    hands = {0: Hand("ann"), 1: Hand("ben"), 2: Hand("eve")}
    chance = random.Random(draw(st.integers(0, 2**32)))
    written = [
        (0, hands[0].write(Remember(text, draw(st.sampled_from(with_fields))), MemoryId(rid)))
        for text, rid in begins
    ]
    for by, choice, rid in draw(
        st.lists(
            st.tuples(st.sampled_from([0, 0, 1, 1, 2, _CLONE]), st.integers(0, 30), st.sampled_from(RIDS)),
            min_size=1,
        )
    ):
        if by == _CLONE and by not in hands:
            own = [op for at, op in written if at == 0]
            if len(own) < 2:
                continue  # it parts from the first where that has gone on already
            stem = own[-2]
            hands[by] = Hand("ann", seq=stem.seq, prev=stem.id, hlc=stem.hlc, salts=random.Random(by))
        for _ in range(chance.choice((1, 1, 4))):  # adds are taken a row at a time
            known = [op for at, op in written if at != 2 or by == 2]
            if erases or choice != _ERASES:
                written.append((by, _written(hands[by], known, choice, rid, chance)))
    return written or [(0, hands[0].write(Remember(TEXTS[0], {}), RIDS[0]))]


def receiver(*, in_sqlite: bool) -> tuple[Core, sqlite3.Connection | None]:
    """A device that knows both members, with everything that a device derives."""
    connection = connect(":memory:") if in_sqlite else None
    store = MemoryStore() if connection is None else SqliteStore(connection, derived_tables(Settings()))
    core = core_of("phone", store)
    if connection is not None:
        weakref.finalize(core, connection.close)
    acquaint(core, "phone", "ann", "ben")
    return core, connection


def taken(
    history: Sequence[tuple[int, Op]], *, at_once: int, in_sqlite: bool = True
) -> tuple[Core, dict[str, Any]]:
    """What a device comes to that gets a history so many ops at a time."""
    core, connection = receiver(in_sqlite=in_sqlite)
    for start in range(0, len(history), at_once):
        take(core, history[start : start + at_once])
    assert core.store.check(core.store.all_cells()) == []
    shown = {} if connection is None else shows(connection)
    return core, shown


def take(core: Core, some: Sequence[tuple[int, Op]], *, more_comes: bool = False) -> None:
    """Have a device take these ops in one frame."""
    hands = [Hand("ann"), Hand("ben"), Hand("eve"), Hand("ann")]
    authors = sorted({by for by, _ in some})
    whole = [(hands[by].segment(*own), own) for by in authors if (own := [op for at, op in some if at == by])]
    frame = frame_of_segments(*whole)._replace(
        ops=tuple(op for _, op in some), segment_of=tuple(authors.index(by) for by, _ in some)
    )
    core.take(carry(Frame(*frame)), NOW_MS, more_comes=more_comes)


# Every table with rows of the state, and of what is derived from it, without the numbers that rows have here.
_SHOWS = {
    "op": "SELECT pos, feed, seq, hlc, kind, version, ends, rid, seen, payload, payload_hash, id, status FROM op",
    "feed": "SELECT * FROM feed",
    "cell": "SELECT * FROM cell",
    "tombstone": "SELECT * FROM tombstone",
    "memory": "SELECT m.*, 0 AS id FROM memory m",
    "edge": "SELECT * FROM edge",
    "claim": "SELECT c.*, m.rid, 0 AS id FROM claim c JOIN memory m ON m.id = c.id",
    "raised_trigger": "SELECT * FROM raised_trigger",
    "setting": "SELECT * FROM setting",
    "proof": "SELECT * FROM proof",
    "word": "SELECT w.term, w.col, w.offset, m.rid FROM memory_word_at w JOIN memory m ON m.id = w.doc",
    "embed_queue": "SELECT m.rid FROM embed_queue q JOIN memory m ON m.id = q.id",
    "entity_queue": "SELECT m.rid FROM entity_queue q JOIN memory m ON m.id = q.id",
    "pattern_queue": "SELECT m.rid FROM pattern_queue q JOIN memory m ON m.id = q.id",
    "claim_unread": "SELECT m.rid FROM claim_unread q JOIN memory m ON m.id = q.id",
    "telling": "SELECT m.rid, t.class FROM telling t JOIN memory m ON m.id = t.id",
    "due": "SELECT m.rid FROM due d JOIN memory m ON m.id = d.id",
    "loose_topic": "SELECT topic, memories FROM loose_topic",
    "consolidation_due": "SELECT m.rid FROM consolidation_due d JOIN memory m ON m.id = d.id",
    "reading": "SELECT m.rid FROM reading r JOIN memory m ON m.id = r.id",
    "wording": "SELECT m.rid FROM wording w JOIN memory m ON m.id = w.id",
}


def shows(connection: sqlite3.Connection) -> dict[str, Any]:
    connection.row_factory = sqlite3.Row
    return {
        name: sorted(
            repr([(column, row[column]) for column in columns if column != "id" or name == "op"])
            for columns, row in [(each.keys(), each) for each in connection.execute(statement)]
        )
        for name, statement in _SHOWS.items()
    }


@given(histories(erases=False))
@settings(max_examples=60, deadline=None)
def test_bulk_comes_to_what_ops_come_to_one_by_one(history: list[tuple[int, Op]]) -> None:
    """Adds, edits, forgets, duplicates, what is crooked or not understood, and a stranger's ops."""
    whole, shown = taken(history, at_once=len(history))
    for at_once in (1, 3):
        other, shown_by_other = taken(history, at_once=at_once)
        assert whole.digests() == other.digests()
        # What was told twice for a while stays a class of its own, what was touched in vain has a cell, and what had
        # other labels for a while is looked at again.
        for name in ("telling", "cell", "consolidation_due"):
            shown[name] = shown_by_other[name] = []
        assert shown == shown_by_other
    in_memory = [taken(history, at_once=n, in_sqlite=False)[0] for n in (1, len(history))]
    cells = [{key: encode_cell(cell) for key, cell in core.store.all_cells()} for core in (whole, *in_memory)]
    assert cells[0] == cells[1] == cells[2]


def _adds(*by: tuple[int, tuple[int, ...]]) -> list[tuple[int, Op]]:
    """Adds of new memories: by whom each is, and which of those before it its author had seen."""
    hands, history = [Hand("ann"), Hand("ben")], list[tuple[int, Op]]()
    for n, (at, saw) in enumerate(by):
        seen = [history[each][1].place for each in saw]
        history.append((at, hands[at].write(Remember(f"told {n}", {}), MemoryId(bytes([n]) * 16), seen=seen)))
    return history


@pytest.mark.parametrize(
    ("history", "vectors"),
    [
        (_adds((0, ()), (1, ()), (0, ()), (1, ()), (1, ())), [{0: 2}, {1: 3}]),
        (_adds((1, ()), (0, ()), (0, (0,)), (0, ())), [{0: 1}, {1: 3, 0: 1}]),
        (_adds((0, ()), (0, ()), (0, ()), (1, ()), (1, (1,))), [{0: 3}, {1: 2, 0: 2}]),
    ],
    ids=["two who saw nothing of each other", "news within a row", "an op within a row was seen"],
)
def test_adds_that_follow_one_another_are_taken_together(
    history: list[tuple[int, Op]], vectors: list[dict[int, int]]
) -> None:
    whole, shown = taken(history, at_once=len(history))
    other, shown_by_other = taken(history, at_once=1)
    assert (whole.digests(), shown) == (other.digests(), shown_by_other)
    assert [feed.vector for feed in whole.feeds] == [feed.vector for feed in other.feeds] == vectors
    assert {row.rid for row in whole.store.rows()} == {op.rid for _, op in history}


@given(histories())
@settings(max_examples=40, deadline=None)
def test_what_is_not_folded_comes_to_what_folding_it_does(history: list[tuple[int, Op]]) -> None:
    """The same frames, with each op read by itself and folded."""
    bulk, shown = taken(history, at_once=len(history))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkingSet, "unknown", lambda self, said: set())
        patch.setattr(
            "replica.core.meanings_of", lambda some, understood: [meaning_of(op, understood) for op in some]
        )
        folded, shown_folded = taken(history, at_once=len(history))
    assert bulk.digests() == folded.digests()
    assert shown == shown_folded


def _one_by_one(
    right: Callable[[Shown, Sequence[BareMemory], Any], Sequence[RowChange]],
) -> Callable[[Shown, Sequence[BareMemory], Any], Sequence[RowChange]]:
    """Have derived tables look at each change, where they would be given `NewRows`."""
    return lambda self, added, inserts: [*right(self, added, inserts)]


_WITH_TOPICS = (
    {"topic": "sea", "type": "factual"},
    {"topic": "sea", "archived": True, "tags": []},
    {"of a later version": [], "topic": "hills"},
)
_FIRST = [(text, bytes([60 + n]) * 16) for n, text in enumerate((*TEXTS, *TEXTS[:2]))]


@given(
    st.one_of(
        histories(begins=_FIRST),
        histories(
            begins=_FIRST,
            with_fields=(*FIELDS, {"parent": RIDS[0]}, {"pinned": True}, {"event_start": 7}, *_WITH_TOPICS),
        ),
    ),
    st.integers(1, len(_FIRST)),
)
@settings(max_examples=40, deadline=None)
def test_new_rows_come_to_what_their_changes_come_to_one_by_one(
    history: list[tuple[int, Op]], first: int
) -> None:
    """New memories, of which derived tables hear by their numbers, and what is done to some of them then."""
    came = []
    for told_as in (lambda right: right, _one_by_one):
        core, connection = receiver(in_sqlite=True)
        assert connection is not None
        # As if a reranker and a model had come further than any row that is left.
        connection.execute("INSERT INTO reading (id, data) VALUES (1000, x'')")
        connection.execute("INSERT INTO wording (id, given) VALUES (1000, 0)")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Shown, "_show_added", told_as(Shown._show_added))
            patch.setattr("replica.storage.shown._BY_COLUMN_MIN", 1 if told_as is not _one_by_one else 100)
            patch.setattr("cognition.tables._FILED_BY_COLUMN_MIN", 1)  # as of many
            take(core, history[:first])
            told = shows(connection)
            take(core, history[first:] or history[:1])
        came.append((core.digests(), told, shows(connection)))
    assert len(came[0][1]["reading"]) == len(came[0][1]["entity_queue"]) == first
    assert came[0] == came[1]


def test_new_rows_are_a_sequence_of_changes() -> None:
    bare = [
        BareMemory(rid, Dot(0, n, bytes(8)), Add(NOW_MS << 16, text, FIELDS[n % len(FIELDS)]))
        for n, (text, rid) in enumerate(_FIRST)
    ]
    rows = NewRows(7, bare)
    changes = [RowChange(7 + n, one.rid, None, show_added(one)) for n, one in enumerate(bare)]
    assert [*rows] == changes
    assert (rows[0], rows[-1], rows[1:3], len(rows)) == (changes[0], changes[-1], changes[1:3], len(bare))
    assert new_and_others(rows) == ([*range(7, 7 + len(bare))], ())
    assert new_and_others(changes) == ([], changes)
    assert [*rows.said()] == [(each.id, each.after.text, each.after.fields) for each in changes if each.after]
    assert rows.having({"meta", "tags"}) == [
        each for each in changes if each.after and {"meta", "tags"} & each.after.fields.keys()
    ]
    assert [*rows.column("speaker", "nobody")] == [
        each.after.fields.get("speaker", "nobody") for each in changes if each.after
    ]
    assert [*rows.column("no field", "nothing")] == ["nothing"] * len(bare)
    assert rows.having({"no field"}) == []
    assert (rows.are_bare, NewRows(7, bare[:1]).are_bare) == (False, True)
    with pytest.raises(IndexError):
        rows[len(bare)]


@pytest.mark.parametrize("derived", [(), derived_tables(Settings())], ids=["no tables", "all tables"])
def test_indexes_are_as_they_were_when_much_has_come(
    derived: Sequence[DerivedTables], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replica.storage.shown._FILLING_ROWS_MIN", 1)
    dropped: list[str] = []
    with closing(connect(":memory:")) as connection:
        core = core_of("phone", SqliteStore(connection, derived))
        acquaint(core, "phone", "ann", "ben")
        before = _indexes(connection)
        connection.set_trace_callback(
            lambda sql: dropped.append(sql) if sql.startswith("DROP INDEX") else None
        )
        hand = Hand("ann")
        take(core, [(0, hand.write(Remember(text, {"told_at": 7}), rid)) for text, rid in _FIRST])
        assert _indexes(connection) == before
    assert ("DROP INDEX memory_by_time" in dropped) == bool(derived)
    assert "DROP INDEX memory_by_content" in dropped


@given(
    histories(begins=_FIRST),
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from([True, True, False])), min_size=1),
    st.sampled_from([1, 3]),
    st.sampled_from([1, 1_000]),
    st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_what_is_left_out_while_more_comes_is_there_when_all_has(
    history: list[tuple[int, Op]],
    frames: list[tuple[int, bool]],
    left_out_from: int,
    many: int,
    was_ended: bool,
) -> None:
    """Wherever frames end, whoever says that more comes, and also if a program was ended before it came."""
    came = []
    for leaves_out in (True, False):
        core, connection = receiver(in_sqlite=True)
        assert connection is not None
        indexes, rest, at = _indexes(connection), history, 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("replica.storage.shown._LEFT_OUT_ROWS_MIN", left_out_from)
            patch.setattr("cognition.tellings._MANY", many)
            while rest:
                size, more_comes = frames[at % len(frames)]
                some, rest, at = rest[:size], rest[size:], at + 1
                take(core, some, more_comes=leaves_out and more_comes)
            opened = core.store
            if was_ended:
                opened = SqliteStore(connection, derived_tables(Settings()))
            else:
                opened.all_came()
            assert _indexes(connection) == indexes
            assert opened.check(opened.all_cells()) == []
            assert not connection.in_transaction
        # What was told twice for a while stays a class of its own.
        connection.execute(
            """DELETE FROM telling WHERE class IN
               (SELECT class FROM telling GROUP BY class HAVING count(*) = 1)"""
        )
        came.append((core.digests(), shows(connection)))
    assert came[0] == came[1]


def test_an_index_is_left_out_of_most_of_a_store_alone_and_made_with_what_comes_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("replica.storage.shown._LEFT_OUT_ROWS_MIN", 2)
    core, connection = receiver(in_sqlite=True)
    assert connection is not None
    hand, indexes, there = Hand("ann"), _indexes(connection), []
    for count, more_comes in ((1, True), (2, True), (1, True), (1, False), (3, True), (5, True)):
        written = [
            (0, hand.write(Remember("words", {}), MemoryId(hand.salts.randbytes(16)))) for _ in range(count)
        ]
        take(core, written, more_comes=more_comes)
        there.append(_indexes(connection) == indexes)
    assert there == [True, False, False, True, True, True]
    take(core, [(0, hand.write(ops.Set("theme", "dark")))], more_comes=True)
    assert _indexes(connection) == indexes


def test_what_is_left_out_is_there_again_where_a_write_fails_and_made_when_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("replica.storage.shown._LEFT_OUT_ROWS_MIN", 1)
    core, connection = receiver(in_sqlite=True)
    assert connection is not None
    indexes = _indexes(connection)
    hand = Hand("ann")
    history = [(0, hand.write(Remember(text, {}), MemoryId(rid))) for text, rid in _FIRST]
    with monkeypatch.context() as patch:
        patch.setattr(Shown, "_tell", Mock(side_effect=RuntimeError("no more")))
        with pytest.raises(RuntimeError, match="no more"):
            take(core, history[:3], more_comes=True)
    assert _indexes(connection) == indexes
    take(core, history[:3], more_comes=True)
    take(core, history[3:], more_comes=True)
    assert [*{*indexes} - {*_indexes(connection)}] == [(INDEX_OF_CONTENTS,)]
    ((pages,),) = connection.execute("PRAGMA page_count")
    connection.execute("CREATE TABLE filled AS SELECT randomblob(100000) AS data")
    connection.execute("PRAGMA max_page_count = 1")  # which makes it as many as there are
    core.store.all_came()
    assert not connection.in_transaction
    assert _indexes(connection) != indexes
    connection.execute(f"PRAGMA max_page_count = {pages * 1_000}")
    core.store.all_came()
    assert _indexes(connection) == indexes
    assert core.store.check(core.store.all_cells()) == []


def _indexes(connection: sqlite3.Connection) -> list[tuple[str]]:
    return connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY sql").fetchall()


_STAMPS = (-1, 0, 1, NOW_MS << 16, HLC_MAX, HLC_MAX + 1)
_SAID = (
    *TEXTS,
    "",
    " \u2003\t",
    "x" * (TEXT_BYTES_MAX + 1),
    "\u00e9" * (TEXT_BYTES_MAX // 2 + 1),
    b"no text",
    None,
)
_MORE: tuple[Any, ...] = (*FIELDS, [], None, 0, {"importance": 7}, {"meta": {"a": {"b": 1}}})


_GOOD_ADD: tuple[int, str, dict[str, Any]] = (NOW_MS << 16, TEXTS[0], {})


@pytest.mark.parametrize(
    "odd",
    [
        *((stamp, *_GOOD_ADD[1:]) for stamp in _STAMPS),
        *((_GOOD_ADD[0], text, {}) for text in _SAID),
        *((*_GOOD_ADD[:2], more) for more in _MORE),
    ],
)
def test_adds_of_a_snapshot_are_judged_together_as_one_by_one(odd: tuple[int, Any, Any]) -> None:
    wrong = False
    try:
        check_add(*odd)
    except InvalidOp:
        wrong = True
    for adds in ([odd], [_GOOD_ADD, odd, _GOOD_ADD]):
        with pytest.raises(InvalidOp) if wrong else nullcontext():
            check_adds(*([*column] for column in zip(*adds, strict=True)))


def test_no_add_of_a_snapshot_is_judged() -> None:
    check_adds([], [], [])


@given(histories())
def test_meanings_together_are_those_one_by_one(history: list[tuple[int, Op]]) -> None:
    some = [op for _, op in history]
    for understood in (ops.UNDERSTOOD, {**ops.UNDERSTOOD, OpKind.REMEMBER: 2}, {}):
        singly = [meaning_of(op, understood) for op in some]
        assert [(body, [*keys]) for body, keys in meanings_of(some, understood)] == [
            (body, [*keys]) for body, keys in singly
        ]


@pytest.mark.parametrize(
    ("good", "odd"),
    [
        ({"importance": 0.5}, {"importance": 7.0}),
        ({"importance": 0.5}, {"importance": float("nan")}),
        ({"told_at": NOW_MS}, {"told_at": 2**62}),
        ({"told_at": NOW_MS}, {"told_at": -(2**62)}),
        ({"position": 0}, {"position": False}),
        ({"of a later version": 0}, {"of a later version": 2**63}),
        ({"speaker": "Ann"}, {"speaker": ""}),
        ({"speaker": "Ann"}, {"speaker": 1}),
        ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}),
        ({"tags": ["a", "b"]}, {"tags": ["a", 1]}),
        ({"tags": ["a", "b"]}, {"tags": [["a"]]}),
        ({"meta": {"a": 1, "b": 1}}, {"meta": {"b": 1, "a": 1}}),
        ({"meta": {"a": 1, "b": 1}}, {"meta": {"a": 1, "b": [1]}}),
        ({"speaker": "Ann", "topic": "sea"}, {"topic": "sea", "speaker": "Ann"}),
    ],
)
def test_a_field_that_no_op_can_say_is_refused_among_others_of_its_name(
    good: dict[str, Any], odd: dict[str, Any]
) -> None:
    stamps, texts = [NOW_MS << 16] * 3, [*TEXTS[:3]]
    check_adds(stamps, texts, [good, {**good}, {}])
    with pytest.raises(InvalidOp):
        check_add(NOW_MS << 16, TEXTS[0], odd)
    for fields in ([good, odd, {}], [odd, good, {}], [good, {}, odd]):
        with pytest.raises(InvalidOp):
            check_adds(stamps, texts, fields)
