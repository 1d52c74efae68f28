"""What is a maximum, whichever of two concurrent ops comes first."""

from random import Random

import pytest

from replica.core import Core
from replica.frame import Frame
from replica.ids import MemoryId
from replica.ops import Access, Edit, Remember, Trigger
from replica.state.memories import Memory
from replica.state.text import EditedText, base_name
from tests.support.replicas import NOW_MS, Hand, agree, group, memories, sqlite_store, take

RID = MemoryId(bytes(range(16)))
TEXT = "it began so"


def shown(core: Core) -> Memory:
    """What shows of the memory, less the number of a feed, which is local."""
    return memories(core)[RID]._replace(feed=0)


def in_both_orders(first: Frame, one: Frame, other: Frame) -> Memory:
    """What two devices show that took two concurrent commits in opposite orders."""
    (ann, *_), (ben, *_) = (group(name, "cleo", "dan", make_store=sqlite_store) for name in ("ann", "ben"))
    for core, frames in ((ann, (first, one, other)), (ben, (first, other, one))):
        for frame in frames:
            assert take(core, frame).ops == 1
    assert shown(ann) == shown(ben)
    assert ann.digests() == ben.digests()
    return shown(ann)


@pytest.fixture
def cleo() -> Hand:
    return Hand("cleo")


@pytest.fixture
def first(cleo: Hand) -> Frame:
    return cleo.frame(cleo.write(Remember(TEXT, {}), RID))


def test_two_clones_totals_are_one_origins_and_the_higher_of_each_counts(cleo: Hand, first: Frame) -> None:
    clone = cleo.fork()
    one = cleo.frame(cleo.write(Access(((RID, 5, NOW_MS),))))
    other = clone.frame(clone.write(Access(((RID, 3, NOW_MS + 9),))))
    memory = in_both_orders(first, one, other)
    assert (memory.accesses, memory.last_access) == (5, NOW_MS + 9)


def test_totals_of_two_devices_add_up(cleo: Hand, first: Frame) -> None:
    dan = Hand("dan")
    one = cleo.frame(cleo.write(Access(((RID, 5, NOW_MS),))))
    other = dan.frame(dan.write(Access(((RID, 3, NOW_MS + 9),)), seen=[first.ops[0].place]))
    memory = in_both_orders(first, one, other)
    assert (memory.accesses, memory.last_access) == (8, NOW_MS + 9)


def test_a_trigger_that_was_acted_on_is_not_pending_again(cleo: Hand, first: Frame) -> None:
    dan = Hand("dan")
    trigger = bytes(16)
    one = cleo.frame(cleo.write(Trigger(trigger, 3, "reminder", ()), RID))
    other = dan.frame(dan.write(Trigger(trigger, 1, "reminder", ()), RID, seen=[first.ops[0].place]))
    in_both_orders(first, one, other)
    acted, also = group("ann", "cleo", "dan")[0], group("ann", "cleo", "dan")[0]
    for core, frames in ((acted, (first, one)), (also, (first, one, other))):
        for frame in frames:
            take(core, frame)
    assert acted.digests().visible == also.digests().visible
    assert not agree(acted, also)


def test_a_text_was_changed_last_when_the_later_of_two_edits_was_made(cleo: Hand, first: Frame) -> None:
    dan = Hand("dan")
    document = EditedText.from_base(RID, TEXT)

    def edit(hand: Hand, text: str, hlc: int) -> Frame:
        body = Edit(base_name(RID, TEXT), document.edit(text, Random(text)))
        seen = [] if hand is cleo else [first.ops[0].place]
        return hand.frame(hand.write(body, RID, hlc=hlc, seen=seen))

    late = (NOW_MS + 60_000) << 16
    memory = in_both_orders(
        first, edit(cleo, "it began so, late", late), edit(dan, "so it began so", late - 999)
    )
    assert memory.updated == late
    assert memory.created == first.ops[0].hlc
