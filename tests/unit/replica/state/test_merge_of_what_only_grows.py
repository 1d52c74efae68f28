"""When two bases meet, what grows is joined and what one gave up is gone, whichever is called mine."""

import pytest

from replica.ids import DeviceId, MemoryId, Origin, Place
from replica.state.cells import (
    Cell,
    Key,
    Lesson,
    Proposal,
    State,
    feedback_key,
    memory_key,
    proposal_key,
    setting_key,
)
from replica.state.memories import Add, HeldTrigger, MemoryCell
from replica.state.merge import merge_states
from replica.state.register import Dot

RID = MemoryId(bytes(range(16)))
DOT = Dot(0, 1, b"8 bytes.")
PLACE = Place(Origin(DeviceId(b"d" * 32), b"incarnat"), 41, b"eight by")


def merged(one: dict[Key, Cell], other: dict[Key, Cell], *, both_have: bool) -> dict[Key, Cell]:
    """Both merges, which must come to the same."""
    results = [
        merge_states(
            State(dict(mine)), State(dict(theirs)), lambda dot: both_have, lambda dot: both_have
        ).cells
        for mine, theirs in ((one, other), (other, one))
    ]
    assert results[0] == results[1]
    return results[0]


def memory(**triggers: HeldTrigger) -> MemoryCell:
    held = {name.encode().ljust(16): trigger for name, trigger in triggers.items()}
    return MemoryCell(adds={DOT: Add(5, "one", {})}, triggers=held)


@pytest.mark.parametrize("both_have", [True, False])
def test_triggers_of_two_bases_join(both_have: bool) -> None:
    ours = HeldTrigger(2, (7, "reminder", ()), None)
    theirs = HeldTrigger(1, (5, "reminder", (RID,)), (6, b"phone"))
    alone = HeldTrigger(0, (9, "reminder", ()), None)
    cells = merged(
        {memory_key(RID): memory(a=ours)}, {memory_key(RID): memory(a=theirs, b=alone)}, both_have=both_have
    )
    both = HeldTrigger(2, (5, "reminder", (RID,)), (6, b"phone"))
    assert cells[memory_key(RID)] == memory(a=both, b=alone)


@pytest.mark.parametrize("both_have", [True, False])
def test_a_lesson_that_one_base_holds_stays(both_have: bool) -> None:
    lesson = Lesson(RID, (("recency", 5),))
    key = feedback_key(PLACE)
    assert merged({key: lesson}, {}, both_have=both_have) == {key: lesson}
    assert merged({key: lesson}, {key: lesson}, both_have=both_have) == {key: lesson}


@pytest.mark.parametrize("both_have", [True, False])
def test_of_totals_and_of_the_last_edit_the_larger_stays(both_have: bool) -> None:
    ours = MemoryCell(adds={DOT: Add(5, "one", {})}, edited_hlc=4, accesses={0: (3, 20), 1: (1, 1)})
    theirs = MemoryCell(adds={DOT: Add(5, "one", {})}, edited_hlc=9, accesses={0: (2, 30)})
    cell = merged({memory_key(RID): ours}, {memory_key(RID): theirs}, both_have=both_have)[memory_key(RID)]
    assert isinstance(cell, MemoryCell)
    assert (cell.edited_hlc, cell.accesses) == (9, {0: (3, 30), 1: (1, 1)})


@pytest.mark.parametrize(
    ("key", "cell"),
    [(setting_key("name"), {DOT: (5, "v")}), (proposal_key(PLACE), Proposal(DOT, (RID, RID)))],
)
def test_what_only_one_base_holds_of_an_op_that_both_folded_was_given_up(key: Key, cell: Cell) -> None:
    assert merged({key: cell}, {key: cell}, both_have=True) == {key: cell}
    assert merged({key: cell}, {}, both_have=True) == {}
    assert merged({key: cell}, {}, both_have=False) == {key: cell}
