"""Labels are an add-wins set and entries are registers, also where version 0.1.0 wrote both whole."""

from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from replica import limits
from replica.codec import pack
from replica.compaction import compact
from replica.core import Core
from replica.errors import InvalidOp, TooLarge
from replica.frame import Frame
from replica.ids import MemoryId, OpRef, derived_memory_id
from replica.labelling import check_room, field_writes, label_writes, within_an_add
from replica.ops import Erase, Op, OpKind, Remember, Set, Tag, Untag, Write
from replica.refold import refold_after_upgrade
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.state.adds import Add
from replica.state.cells import State, decode_cell, encode_cell, memory_key, renumber
from replica.state.labels import shown_entries, shown_labels
from replica.state.memories import MemoryCell
from replica.state.merge import News, merge_states
from replica.state.reading import CellReader
from replica.state.register import Dot, Register
from replica.verify import verify_replica
from tests.support.links import identity
from tests.support.replicas import NOW_MS, Hand, acquaint, agree, core_of, group, memories, sqlite_store, take

RID = MemoryId(bytes(range(16)))
FROZEN = Path(__file__).parents[3] / "data" / "labels-0.1.0.db.zst"


def fields(core: Core) -> dict[str, Any]:
    return memories(core)[RID].fields


class Telling:
    """Devices that write apart; what they wrote is taken in every order in which causes come first."""

    def __init__(self, **first: Any) -> None:
        self.ann, self.ben = Hand("ann"), Hand("ben")
        self.add = self.ann.write(Remember("Milk is in the fridge", first), RID)
        self.first = self.ann.frame(self.add)
        self.frames: list[Frame] = []

    def by(self, hand: Hand, body: Any, *, seen: Op | None = None) -> Op:
        op = hand.write(body, RID, seen=[(seen or self.add).place])
        self.frames.append(hand.frame(op))
        return op

    def shown(self) -> dict[str, Any]:
        """What shows, alike in every order, after compaction, and on a device that got a snapshot."""
        found: list[Core] = []
        for order in permutations(self.frames):
            (core, *_) = group("ann", "ben", "cleo", make_store=sqlite_store)
            take(core, self.first)
            waiting = list(order)
            while waiting:
                left = [frame for frame in waiting if not take(core, frame).ops]
                assert len(left) < len(waiting)
                waiting = left
            found.append(core)
        assert agree(*found)
        first = fields(found[0])
        for core in found:
            assert fields(core) == first
            assert verify_replica(core).problems == ()
        assert compact(found[0], NOW_MS)
        new = core_of("dan", sqlite_store())
        acquaint(new, "dan", "ann", "ben", "cleo")
        assert absorb(new, read_snapshot(make_snapshot(found[0]), new), NOW_MS)
        assert new.digests() == found[-1].digests()
        assert fields(new) == first
        assert verify_replica(found[0]).problems == verify_replica(new).problems == ()
        return first


def test_two_devices_that_label_a_memory_at_the_same_time_both_keep_their_labels() -> None:
    told = Telling(tags=["kitchen"])
    told.by(told.ann, Tag(("from-a",)))
    told.by(told.ben, Tag(("from-b",)))
    told.by(told.ann, Set("meta.a", 1))
    told.by(told.ben, Set("meta.b", 2))
    assert told.shown() == {"tags": ["from-a", "from-b", "kitchen"], "meta": {"a": 1, "b": 2}}


def test_a_label_that_is_put_on_while_another_device_takes_it_off_stays() -> None:
    told = Telling(tags=["kitchen", "old"])
    told.by(told.ann, Tag(("kitchen",)))
    told.ben.hlc += 1 << 20  # whatever the stamps say
    told.by(told.ben, Untag(("kitchen", "old")))
    assert told.shown() == {"tags": ["kitchen"]}


def test_a_label_goes_when_somebody_takes_it_off_who_knew_of_it() -> None:
    told = Telling(tags=["kitchen"])
    put = told.by(told.ann, Tag(("a", "b")))
    told.by(told.ben, Untag(("a", "kitchen")), seen=put)
    assert told.shown() == {"tags": ["b"]}


def test_what_0_1_0_wrote_apart_counts_together_and_takes_off_what_it_had_seen() -> None:
    told = Telling(tags=["kitchen"], meta={"shelf": 1, "door": 1})
    told.by(told.ann, Set("tags", ["from-a"]))
    told.by(told.ben, Set("tags", ["from-b", "kitchen"]))
    told.by(told.ann, Set("meta", {"a": 1}))
    told.by(told.ben, Set("meta", {"b": "two", "shelf": 2}))
    assert told.shown() == {
        "tags": ["from-a", "from-b", "kitchen"],
        "meta": {"a": 1, "b": "two", "shelf": 2},
    }


def test_a_whole_write_of_0_1_0_takes_off_nothing_that_it_could_not_show() -> None:
    told = Telling(tags=["kitchen"], meta={"shelf": 1})
    put = told.by(told.ann, Tag(("new",)))
    noted = told.by(told.ann, Set("meta.shelf", 2))
    told.by(told.ben, Set("tags", ["kitchen", "old"]), seen=noted)
    told.by(told.ben, Set("meta", {"shelf": 1, "more": 3}), seen=noted)
    assert put.seq < noted.seq
    assert told.shown() == {"tags": ["kitchen", "new", "old"], "meta": {"shelf": 2, "more": 3}}


def test_a_label_of_a_whole_write_is_taken_off_and_stays_off_until_it_is_written_again() -> None:
    told = Telling()
    whole = told.by(told.ann, Set("tags", ["a", "b"]))
    off = told.by(told.ben, Untag(("a",)), seen=whole)
    assert told.shown() == {"tags": ["b"]}
    told.by(told.ann, Set("tags", ["a", "c"]), seen=off)
    assert told.shown() == {"tags": ["a", "c"]}


def test_labels_of_two_imports_of_one_item_count_together() -> None:
    told = Telling(tags=["from-a"], meta={"k": 1})
    told.frames.append(
        told.ben.frame(
            told.ben.write(Remember("Milk is in the fridge", {"tags": ["from-b"], "meta": {"j": 2}}), RID)
        )
    )
    told.by(told.ann, Untag(("from-a", "from-b")))
    assert told.shown() == {"tags": ["from-b"], "meta": {"j": 2, "k": 1}}


def test_an_entry_that_was_taken_out_stays_out_and_one_written_at_the_same_time_has_the_later_stamp() -> None:
    told = Telling(meta={"k": 1, "j": 2})
    told.by(told.ann, Set("meta.k", None))
    told.by(told.ben, Set("meta.j", "ben"))
    assert told.shown() == {"meta": {"j": "ben"}}


def test_a_register_with_an_entrys_name_that_no_entry_can_hold_stays_an_unknown_field() -> None:
    told = Telling(meta={"k": 1})
    told.by(told.ann, Set("meta.k", ["a", "list"]))
    told.by(told.ben, Set("meta.b", b"bytes"))
    assert told.shown() == {"meta": {"k": 1}, "meta.k": ["a", "list"], "meta.b": b"bytes"}


def test_a_memory_changed_when_its_labels_did() -> None:
    told = Telling()
    told.ben.hlc += 1 << 20
    off = told.by(told.ben, Untag(("none",)))
    assert off.hlc > told.add.hlc
    (core, *_) = group("ann", "ben")
    for frame in (told.first, *told.frames):
        take(core, frame)
    assert memories(core)[RID].updated == off.hlc


def test_labels_are_words_and_go_when_the_memory_is_erased() -> None:
    told = Telling()
    told.by(told.ann, Tag(("secretlabel",)))
    told.by(told.ben, Untag(("secretlabel",)))
    (core, *_) = group("ann", "ben")
    for frame in (told.first, *told.frames):
        take(core, frame)
    take(core, told.ann.frame(told.ann.write(Erase((RID,)))))
    assert [row.payload for row in core.store.rows() if row.kind in (OpKind.TAG, OpKind.UNTAG)] == [
        None,
        None,
    ]
    assert core.store.all_cells() is not None
    assert verify_replica(core).problems == ()


def test_a_store_of_0_1_0_shows_after_its_upgrade_what_was_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(zstandard.decompress(FROZEN.read_bytes()))
    who = identity("ann")

    def opened() -> Core:
        return Core(sqlite_store(str(path)), device=who.device_id, sign=who.sign, random=Random(1))

    core = opened()
    assert refold_after_upgrade(core, NOW_MS)
    assert not refold_after_upgrade(core, NOW_MS), "once"
    rids = [derived_memory_id("labels 0.1.0", str(n)) for n in range(3)]
    shown = [memories(core)[rid].fields for rid in rids]
    assert shown == [
        {"tags": ["from-a", "from-b", "kitchen"], "meta": {"a": 1, "b": "two", "shelf": 3}},
        {"tags": [], "meta": {"later": "kept for others"}},
        {"tags": ["compacted"]},
    ]
    assert verify_replica(core).problems == ()
    core.commit(label_writes(rids[2], on=["new"], off=["compacted"]), NOW_MS + 100)
    again = opened()
    assert memories(again)[rids[2]].fields == {"tags": ["new"]}
    assert not refold_after_upgrade(again, NOW_MS)
    assert verify_replica(again).problems == ()


def test_a_label_is_put_on_again_also_where_it_shows() -> None:
    """Else whoever takes it off meanwhile would take off what they never saw."""
    assert [each.body for each in field_writes(RID, {"tags": ["a", "b"]}, {"tags": ["a", "c"]})] == [
        Tag(("a", "b")),
        Untag(("c",)),
    ]
    assert [
        each.body
        for each in field_writes(RID, {"tags": None, "meta": None}, {"tags": ["a"], "meta": {"k": 1}})
    ] == [
        Untag(("a",)),
        Set("meta.k", None),
    ]
    held = {"meta": {"same": 1, "other": 2}}
    assert [
        each.body for each in field_writes(RID, {"meta": {"same": 1, "other": 3}, "topic": "t"}, held)
    ] == [
        Set("meta.other", 3),
        Set("topic", "t"),
    ]


def test_one_device_labels_within_bounds_and_what_shows_is_bounded_too() -> None:
    check_room(map(str, range(64)), map(str, range(256)))
    with pytest.raises(TooLarge, match="tags: expected at most 64"):
        check_room(map(str, range(65)), ())
    with pytest.raises(TooLarge, match="meta: expected at most 256"):
        check_room((), map(str, range(257)))
    many = [(hlc, [f"{hlc:04}-{n}" for n in range(60)]) for hlc in range(1, 7)]
    shown = shown_labels({"0000": {Dot(0, 1, b"8" * 8): (9, True)}}, reversed(many))
    assert len(shown) == limits.LABELS_SHOWN_MAX
    assert "0000" not in shown, "a flood hides nothing that was there before it"
    assert shown == sorted(shown)
    assert shown_labels({"a": {Dot(0, 1, b"8" * 8): (9, False)}}, []) == []
    entries = shown_entries(
        [(5, b"", {f"{n:04}": n for n in range(2_000)})], {"zz": {Dot(0, 1, b"8" * 8): (1, 7)}}
    )
    assert len(entries) == limits.ENTRIES_SHOWN_MAX
    assert entries["zz"] == 7


def test_what_is_more_than_an_add_may_hold_is_said_beside_it() -> None:
    labels = [f"{n:03}" for n in range(200)]
    entries: dict[str, Any] = {f"{n:04}": n for n in range(300)}
    kept, beyond = within_an_add({"tags": labels, "meta": entries, "topic": "t"}, RID)
    (core,) = group("ann")
    core.commit([Write(Remember("much", kept), RID), *beyond], NOW_MS)
    assert fields(core) == {"tags": labels, "meta": entries, "topic": "t"}
    assert within_an_add({"tags": labels[:64]}, RID) == ({"tags": labels[:64]}, [])


ADDED, PUT, TOOK = Dot(0, 1, b"a" * 8), Dot(0, 2, b"b" * 8), Dot(1, 1, b"c" * 8)


def labelled(labels: dict[str, Register], untagged: dict[Dot, tuple[str, ...]] | None = None) -> MemoryCell:
    add = Add(5, "Milk", {"tags": ["kitchen"]})
    return MemoryCell(adds={ADDED: add}, labels=labels, untagged=untagged or {})


def merged(theirs: MemoryCell, *, news: set[Dot]) -> MemoryCell:
    """What is here is one label put on; the other base covers it all, and what is `news` was not held here."""
    key = memory_key(RID)
    mine = labelled({"new": {PUT: (6, True)}})
    told = News(
        covers=lambda dot: True,
        held=lambda dot: dot not in news,
        is_new=lambda place: False,
        origins=frozenset(),
        devices=frozenset(),
        proven=frozenset(),
    )
    cell = merge_states(State({key: mine}), State({key: theirs}), told).cells[key]
    assert isinstance(cell, MemoryCell)
    return cell


def test_a_base_takes_labels_off_only_with_the_op_that_did_so() -> None:
    """Whoever made the base may lie: without an op that is not held here, nothing goes that is."""
    theirs = labelled(
        {"kitchen": {TOOK: (9, False)}, "new": {TOOK: (9, False)}}, untagged={ADDED: ("kitchen",)}
    )
    assert merged(theirs, news={TOOK}) == theirs
    lied = merged(labelled({"other": {PUT: (6, False)}}, untagged={ADDED: ("kitchen",)}), news=set())
    assert lied == labelled({"new": {PUT: (6, True)}})


def test_labels_are_told_by_the_numbers_of_another_device() -> None:
    cell = labelled({"new": {PUT: (6, True)}}, untagged={ADDED: ("kitchen",)})
    moved = renumber(cell, lambda dot: dot._replace(feed=dot.feed + 7), lambda origin: origin)
    assert moved.untagged == {ADDED._replace(feed=7): ("kitchen",)}  # type: ignore[union-attr]
    assert moved.labels == {"new": {PUT._replace(feed=7): (6, True)}}  # type: ignore[union-attr]


DOT, HEAD = [0, 1, b"a" * 8], [0, 2, b"b" * 8]
ADD = [*DOT, 5, "one", {"tags": ["a", "b"]}]
ON = {"c": [[*HEAD, 7, True]]}


@pytest.mark.parametrize(
    "labels",
    [
        [{}, []],
        [{"a": []}, []],
        [{"": [[*HEAD, 5, True]]}, []],
        [{b"a": [[*HEAD, 5, True]]}, []],
        [{"a": [[*HEAD, 5, 1]]}, []],
        [{"a": [[*HEAD, 0, True]]}, []],
        [{"a": [[*HEAD, 5, True], [*HEAD, 5, True]]}, []],
        [{"a": [[9, 9, b"a" * 8, 5, True]]}, []],
        [ON, [[*DOT, ["c"]]]],
        [ON, [[*HEAD, ["a"]]]],
        [ON, [[*DOT, []]]],
        [ON, [[*DOT, ["a"]], [*DOT, ["b"]]]],
        [ON, [[*DOT, 5]]],
        [ON],
        5,
    ],
)
def test_a_cell_whose_labels_no_op_could_have_made_is_refused(labels: Any) -> None:
    def read(labels: Any) -> MemoryCell:
        origin = Hand("ann").origin
        known = {(0, 1): OpRef(origin, 1, b"a" * 8), (0, 2): OpRef(origin, 2, b"b" * 8)}
        reader = CellReader(lambda dot: known.get(dot[:2]), frozenset({0}), frozenset({origin.device}))
        _, cell = reader.read(0, RID, pack([[ADD], {}, {}, 0, [], [], [], {}, labels]))
        assert isinstance(cell, MemoryCell)
        return cell

    good = read([ON, [[*DOT, ["a"]]]])
    assert decode_cell(0, encode_cell(good)) == good
    assert good.labels == {"c": {Dot(*HEAD): (7, True)}}  # type: ignore[arg-type]
    assert memory_key(RID).name == RID
    with pytest.raises(InvalidOp):
        read(labels)
