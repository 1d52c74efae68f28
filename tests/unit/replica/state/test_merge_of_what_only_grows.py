"""When a base is merged, what its unheld ops can have done is joined, and nothing else changes what is held."""

from collections.abc import Mapping, Sequence, Set
from random import Random

import pytest

from replica.ids import DeviceId, MemoryId, OpRef, Origin
from replica.state.adds import Add
from replica.state.cells import (
    Cell,
    Key,
    Lesson,
    Proposal,
    Receipts,
    State,
    TellingLink,
    feedback_key,
    link_key,
    memory_key,
    proposal_key,
    receipt_key,
    setting_key,
)
from replica.state.labels import TAGS
from replica.state.memories import HeldClaim, HeldTrigger, MemoryCell
from replica.state.merge import News, merge_states
from replica.state.register import Dot, Register
from replica.state.text import EditedText, SignedEdit, base_name

RID = MemoryId(bytes(range(16)))
DOT = Dot(0, 1, b"8 bytes.")
PLACE = OpRef(Origin(DeviceId(b"d" * 32), b"incarnat"), 41, b"eight by")


def merged(
    mine: Mapping[Key, Cell],
    theirs: Mapping[Key, Cell],
    *,
    held: bool,
    by: bytes = b"",
    taken_back: Set[OpRef] = frozenset(),
) -> dict[Key, Cell]:
    """What becomes of mine by a base that covers every op, all of which were `held` here, or none; `by` wrote more."""
    news = News(
        lambda dot: True,
        lambda dot: held,
        lambda place: not held,
        {0, 1} if by else set(),
        {by},
        set(),
        taken_back=taken_back,
    )
    return merge_states(State(dict(mine)), State(dict(theirs)), news).cells


def memory(**triggers: HeldTrigger) -> MemoryCell:
    held = {name.encode().ljust(16): trigger for name, trigger in triggers.items()}
    return MemoryCell(adds={DOT: Add(5, "one", {})}, triggers=held)


def test_triggers_of_two_bases_join() -> None:
    ours = HeldTrigger(2, (7, "reminder", ()), None)
    theirs = HeldTrigger(1, (5, "reminder", (RID,)), (6, b"phone"))
    alone = HeldTrigger(0, (9, "reminder", ()), None)
    both = HeldTrigger(2, (5, "reminder", (RID,)), (6, b"phone"))
    here, there = {memory_key(RID): memory(a=ours)}, {memory_key(RID): memory(a=theirs, b=alone)}
    assert merged(here, there, held=False, by=b"phone")[memory_key(RID)] == memory(a=both, b=alone)


def test_a_delivery_counts_where_there_is_news_of_who_delivered() -> None:
    ours = HeldTrigger(2, (7, "reminder", ()), None)
    theirs = HeldTrigger(1, (5, "reminder", ()), (6, b"phone"))
    here, there = {memory_key(RID): memory(a=ours)}, {memory_key(RID): memory(a=theirs)}
    (cell,) = merged(here, there, held=True, by=b"another").values()
    assert isinstance(cell, MemoryCell)
    assert [held.delivered for held in cell.triggers.values()] == [None]


def test_receipts_count_where_there_is_news_of_who_confirmed() -> None:
    here = {receipt_key(RID): Receipts(frozenset({b"laptop"}))}
    there = {receipt_key(RID): Receipts(frozenset({b"phone", b"tablet"}))}
    assert merged(here, there, held=True, by=b"phone") == {
        receipt_key(RID): Receipts(frozenset({b"laptop", b"phone"}))
    }
    assert merged({}, there, held=True, by=b"another") == {}


@pytest.mark.parametrize("held", [True, False])
def test_a_lesson_of_an_op_that_was_not_held_is_learnt_and_none_is_lost(held: bool) -> None:
    lesson = Lesson(RID, (("recency", 5),))
    key = feedback_key(PLACE)
    assert merged({key: lesson}, {}, held=held) == {key: lesson}
    assert merged({key: lesson}, {key: lesson}, held=held) == {key: lesson}
    assert merged({}, {key: lesson}, held=held) == ({} if held else {key: lesson})


def test_of_totals_the_larger_stays_and_no_edit_is_taken_on_a_members_word() -> None:
    ours = MemoryCell(adds={DOT: Add(5, "one", {})}, edited_hlc=4, accesses={0: (3, 20), 1: (1, 1)})
    theirs = MemoryCell(adds={DOT: Add(5, "one", {})}, edited_hlc=9, accesses={0: (2, 30)})
    here, there = {memory_key(RID): ours}, {memory_key(RID): theirs}
    for mine, other in ((here, there), (there, here)):
        cell = merged(mine, other, held=False, by=b"phone")[memory_key(RID)]
        assert isinstance(cell, MemoryCell)
        held = mine[memory_key(RID)]
        assert isinstance(held, MemoryCell)
        assert (cell.edited_hlc, cell.accesses) == (held.edited_hlc, {0: (3, 30), 1: (1, 1)})


def test_totals_of_an_origin_all_of_whose_ops_are_held_stay_as_they_are() -> None:
    ours = MemoryCell(adds={DOT: Add(5, "one", {})}, accesses={0: (3, 20)})
    theirs = MemoryCell(adds={DOT: Add(5, "one", {})}, accesses={0: (1 << 40, 1 << 40)})
    (cell,) = merged({memory_key(RID): ours}, {memory_key(RID): theirs}, held=True).values()
    assert isinstance(cell, MemoryCell)
    assert cell.accesses == {0: (3, 20)}


def test_an_edit_that_is_told_of_late_makes_no_text_older() -> None:
    """When a text was last edited only grows: the edit that came was made before the one that is held."""
    base = base_name(RID, "one")
    update = EditedText.from_base(RID, "one").edit("one or two", Random(1))
    told = EditedText.from_base(RID, "one")
    told.apply(update)
    ours = MemoryCell(adds={DOT: Add(5, "one", {})}, edited_hlc=9)
    theirs = MemoryCell(adds={DOT: Add(5, "one", {})}, edits={base: told}, edited_hlc=7)
    for hlc, latest in ((7, 9), (12, 12)):
        news = News(
            lambda dot: True,
            lambda dot: True,
            lambda place: False,
            set(),
            set(),
            set(),
            {RID: [SignedEdit(PLACE, hlc, base, update)]},
        )
        mine, others = State({memory_key(RID): ours}), State({memory_key(RID): theirs})
        (cell,) = merge_states(mine, others, news).cells.values()
        assert isinstance(cell, MemoryCell)
        assert cell.edits[base].show() == "one or two"
        assert cell.edited_hlc == latest


def test_no_verdict_stays_on_a_claim_that_is_not_held() -> None:
    """The op that a liar calls a claim is held, and is none; others refuse a base with a verdict and no claim."""
    claim = Dot(1, 1, b"a claim.")
    later = Dot(1, 2, b"verdict.")
    theirs = MemoryCell(
        adds={DOT: Add(5, "one", {})},
        claims={claim: HeldClaim(5, "ann", "lives in", "Porto", (), None)},
        verdicts={claim: {later: (6, True)}},
    )
    news = News(lambda dot: True, {DOT, claim}.__contains__, lambda place: False, set(), set(), set())
    ours = State({memory_key(RID): MemoryCell(adds={DOT: Add(5, "one", {})})})
    (cell,) = merge_states(ours, State({memory_key(RID): theirs}), news).cells.values()
    assert isinstance(cell, MemoryCell)
    assert (cell.claims, cell.verdicts) == ({}, {})


@pytest.mark.parametrize(
    ("key", "cell"),
    [(proposal_key(PLACE), Proposal(DOT, (RID, RID))), (link_key(PLACE), TellingLink(DOT, (RID, RID), 90))],
)
def test_what_is_taken_back_is_gone_where_the_base_has_the_signed_op_that_did_it(
    key: Key, cell: Cell
) -> None:
    assert merged({key: cell}, {key: cell}, held=True) == {key: cell}
    assert merged({key: cell}, {}, held=True) == {key: cell}, "it was left out, says nobody"
    signed = frozenset({PLACE})
    assert merged({key: cell}, {}, held=True, taken_back=signed) == {}
    assert merged({key: cell}, {key: cell}, held=True, taken_back=signed) == {key: cell}, (
        "its writer had not seen it"
    )
    assert merged({}, {key: cell}, held=True) == {}
    assert merged({}, {key: cell}, held=False) == {key: cell}


def test_a_value_goes_for_a_later_one_and_for_nothing_less() -> None:
    key, later = setting_key("name"), Dot(1, 1, b"another.")
    ours, theirs = {DOT: (5, "v")}, {later: (6, "w")}

    def heads(mine: Register, theirs: Register, *held: Dot) -> Cell | None:
        news = News(lambda dot: True, held.__contains__, lambda place: False, set(), set(), set())
        return merge_states(State({key: mine}), State({key: theirs} if theirs else {}), news).cells.get(key)

    assert heads(ours, {}, DOT) == ours
    assert heads(ours, theirs, DOT) == theirs
    assert heads(ours, theirs, DOT, later) == ours, "I hold that op, and it did not win here"
    assert heads({}, theirs, later) is None
    assert heads(ours, {**ours, **theirs}, DOT) == {**ours, **theirs}, "neither had seen the other"


def test_a_memory_goes_under_a_deletion_that_is_proven() -> None:
    cell = MemoryCell(adds={DOT: Add(5, "one", {})})
    for proven in (set[bytes](), {bytes(RID)}):
        news = News(lambda dot: True, lambda dot: True, lambda place: False, set(), set(), proven)
        state = merge_states(State({memory_key(RID): cell}), State(tombstones={RID}), news)
        assert (memory_key(RID) in state.cells, RID in state.tombstones) == (not proven, bool(proven))
        assert merge_states(State(), State(tombstones={RID}), news).tombstones == {RID}


LATER = Dot(1, 1, b"another.")
LAST = Dot(1, 2, b"the last")


def joined(mine: MemoryCell, theirs: MemoryCell, *held: Dot, edits: Sequence[SignedEdit] = ()) -> MemoryCell:
    """What becomes of my memory by a base that covers every op, of which these were `held` here."""
    news = News(
        lambda dot: True, held.__contains__, lambda place: False, set(), set(), set(), {RID: [*edits]}
    )
    (cell,) = merge_states(
        State({memory_key(RID): mine}), State({memory_key(RID): theirs}), news
    ).cells.values()
    assert isinstance(cell, MemoryCell)
    return cell


def test_what_was_forgotten_here_stays_forgotten() -> None:
    news = News(lambda dot: True, lambda dot: False, lambda place: False, set(), set(), set())
    for theirs in (State(), State({memory_key(RID): memory()})):
        assert merge_states(State(tombstones={RID}), theirs, news) == State(tombstones={RID})


def test_what_an_op_proposed_that_is_held_is_not_told_otherwise() -> None:
    key, other = proposal_key(PLACE), MemoryId(bytes(16))
    ours, theirs = Proposal(DOT, (RID, RID)), Proposal(DOT, (RID, other))
    assert merged({key: ours}, {key: theirs}, held=True) == {key: ours}


def test_what_a_base_does_not_cover_stays() -> None:
    news = News(lambda dot: dot == LATER, {DOT}.__contains__, lambda place: False, set(), set(), set())
    proposal, value = proposal_key(PLACE), setting_key("name")
    mine: dict[Key, Cell] = {proposal: Proposal(DOT, (RID, RID)), value: {DOT: (5, "v")}}
    theirs: dict[Key, Cell] = {value: {LATER: (6, "w")}}
    assert merge_states(State({**mine}), State(theirs), news).cells == {
        **mine,
        value: {DOT: (5, "v"), LATER: (6, "w")},
    }


def test_no_memory_comes_of_an_op_that_is_held_and_added_none() -> None:
    assert merged({}, {memory_key(RID): memory()}, held=True) == {}
    theirs = MemoryCell(adds={DOT: Add(5, "one", {}), LATER: Add(6, "more", {})})
    assert joined(memory(), theirs, DOT, LATER) == memory()


def test_fields_and_labels_come_from_both_and_none_without_a_value() -> None:
    adds = {DOT: Add(5, "one", {})}
    ours = MemoryCell(adds=adds, fields={"kind": {DOT: (5, "fact")}}, labels={"home": {DOT: (5, True)}})
    theirs = MemoryCell(
        adds=adds,
        fields={"importance": {LATER: (6, 3)}, "title": {DOT: (5, "told falsely")}},
        labels={"work": {LATER: (6, True)}},
    )
    cell = joined(ours, theirs, DOT)
    assert cell.fields == {"kind": {DOT: (5, "fact")}, "importance": {LATER: (6, 3)}}
    assert cell.labels == {"home": {DOT: (5, True)}, "work": {LATER: (6, True)}}


def test_a_label_goes_off_an_add_that_is_held_where_there_is_news_of_that_label() -> None:
    adds = {DOT: Add(5, "one", {})}
    on = {LATER: (6, True), LAST: (7, True)}
    theirs = MemoryCell(adds=adds, labels={"home": {**on}}, untagged={DOT: ("home", "work")})
    for held, gone in (((LATER,), {DOT: ("home",)}), ((LATER, LAST), {})):
        assert joined(MemoryCell(adds=adds), theirs, DOT, *held).untagged == gone


def test_what_was_taken_off_an_add_or_a_whole_write_that_comes_is_off() -> None:
    adds = {DOT: Add(5, "one", {}), LATER: Add(6, "one", {})}
    whole: dict[str, Register] = {TAGS: {LAST: (7, ["home"])}}
    theirs = MemoryCell(adds=adds, fields=whole, untagged={LATER: ("work",), LAST: ("home",)})
    assert joined(memory(), theirs, DOT).untagged == {LATER: ("work",), LAST: ("home",)}


def edited(text: str, *, by: int, start: str = "one") -> bytes:
    return EditedText.from_base(RID, start).edit(text, Random(by))


def document(*updates: bytes) -> EditedText:
    text = EditedText.from_base(RID, "one")
    for update in updates:
        text.apply(update)
    return text


def test_edits_of_a_text_that_comes_come_with_it() -> None:
    base = base_name(RID, "one")
    theirs = MemoryCell(adds={DOT: Add(5, "one", {})}, edits={base: document(edited("one, two", by=1))})
    for here, there in ((9, 7), (7, 9)):
        mine = MemoryCell(adds={LATER: Add(6, "another", {})}, edited_hlc=here)
        theirs.edited_hlc = there
        cell = joined(mine, theirs, LATER)
        assert (cell.edits[base].show(), cell.edited_hlc) == ("one, two", 9)


def test_a_signed_edit_counts_where_the_base_has_it_in_the_text_that_it_edits() -> None:
    base, two = base_name(RID, "one"), base_name(RID, "two")
    here, elsewhere = edited("one here", by=1), edited("two elsewhere", by=2, start="two")
    ours, told = memory(), MemoryCell(adds=memory().adds, edits={base: document(elsewhere)})
    for signed in (SignedEdit(PLACE, 7, base, here), SignedEdit(PLACE, 7, two, elsewhere)):
        cell = joined(ours, told, DOT, edits=[signed])
        assert (cell.edits, cell.edited_hlc) == ({}, 0)


def test_a_signed_edit_joins_those_that_are_held_and_leaves_the_document_here_as_it_was() -> None:
    base, theirs = base_name(RID, "one"), edited("one and more", by=2)
    mine = MemoryCell(adds=memory().adds, edits={base: document(edited("not one", by=1))}, edited_hlc=6)
    told = MemoryCell(adds=memory().adds, edits={base: document(theirs)}, edited_hlc=7)
    cell = joined(mine, told, DOT, edits=[SignedEdit(PLACE, 7, base, theirs)])
    assert cell.edits[base].show() == "not one and more"
    assert mine.edits[base].show() == "not one"
