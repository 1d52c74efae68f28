"""A member that adds one memory thousands of times: what others' devices do for an op on it does not grow with that.

Each edit hashed every text that was added, and each label that was taken off went through all adds: a frame of some
hundred kilobytes kept every device of the group from answering for minutes to hours.
"""

import sys
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from replica import Core, Edit, MemoryId, Set, Untag, Write
from replica.ids import new_memory_id
from replica.ops import Body, Remember
from tests.support.replicas import NOW_MS, agree, group, memories, say, settle, sync

Flood = Callable[[Core, MemoryId, int], Body]

ADDS: Final = 100
OPS: Final = 100
LABELS: Final = ["a", "b", "c"]


def edit_of_nothing(core: Core, rid: MemoryId, number: int) -> Body:
    update = core.edits_of(rid, "Ann lives in Porto")[0].body
    assert isinstance(update, Edit)
    return Edit(number.to_bytes(8), update.update)


def label_off(core: Core, rid: MemoryId, number: int) -> Body:
    return Untag((LABELS[number % len(LABELS)],))


def field(core: Core, rid: MemoryId, number: int) -> Body:
    return Set("topic", f"market {number}")


def calls(work: Callable[[], object]) -> int:
    """Return how many calls some work takes."""
    count = 0

    def called(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def calls_for_an_op(adds: int, flood: Flood, by: int) -> float:
    """Return what one more op of a frame costs Ann, of a memory that was added so many times."""
    costs = []
    for ops in (OPS, 2 * OPS):
        ann, eve, *_ = cores = group("ann", "eve", "mal")
        rid = new_memory_id(NOW_MS, Random(1))
        say(ann, Remember("Ann lives in Lisbon", {}), rid)
        sync(ann, eve)
        eve.commit([Write(Remember(f"text {n}", {"tags": LABELS}), rid) for n in range(adds)], NOW_MS)
        sync(eve, ann)
        told = [Write(flood(ann, rid, number), rid) for number in range(ops)]
        cores[by].commit(told, NOW_MS)
        costs.append(calls(lambda ann=ann, by=cores[by]: sync(by, ann)))  # type: ignore[misc]
    return (costs[1] - costs[0]) / OPS


@pytest.mark.parametrize(
    ("flood", "by"), [(edit_of_nothing, 1), (label_off, 1), (field, 2)], ids=["edit", "label", "unseen"]
)
def test_an_op_on_a_memory_costs_no_more_where_a_member_added_it_many_times(flood: Flood, by: int) -> None:
    some, more = (calls_for_an_op(adds, flood, by) for adds in (ADDS, 4 * ADDS))
    assert more == pytest.approx(some, abs=ADDS / 2)


def test_of_many_adds_the_seen_ones_alone_lose_a_label_and_take_an_edit() -> None:
    """Ben takes off what he saw of two devices' adds; what was added later or apart keeps its label."""
    ann, ben, eve = cores = group("ann", "ben", "eve")
    rid = new_memory_id(NOW_MS, Random(1))
    say(ann, Remember("b", {"tags": ["a", "b"]}), rid)
    say(ann, Remember("c", {"tags": ["a"]}), rid)
    sync(ann, ben)
    say(ben, Untag(("a",)), rid)
    assert memories(ben)[rid].fields["tags"] == ["b"]
    say(eve, Remember("a", {"tags": ["a", "e"]}), rid)
    blind = eve.edits_of(rid, "a, and more")[0].body
    ann.commit([Write(Remember("d", {"tags": ["a", "d"]}), rid), Write(Untag(("d",)), rid)], NOW_MS)
    say(ben, blind, rid)
    settle(cores)
    assert agree(*cores)
    for core in cores:
        shown = memories(core)[rid]
        assert shown.text == "a", "an edit of an add that its author had not seen does nothing"
        assert shown.fields["tags"] == ["a", "b", "e"]
    say(ben, Untag(("a",)), rid)
    settle(cores)
    assert memories(ann)[rid].fields["tags"] == ["b", "e"]
    assert agree(*cores)
