"""Merging folded states is commutative, associative and idempotent for every kind of data, and loses nothing."""

from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica.core import Core
from replica.ids import OpRef
from replica.state.cells import CellKind, State, maker_of, renumber
from replica.state.merge import News, merge_states
from replica.state.register import Dot
from tests.property.replica.test_convergence_laws import Commit, delivered, newcomer, op_histories
from tests.support.replicas import take

Held = tuple[State, Callable[[Dot], bool]]
"""What somebody folded, and whether they hold an op; both in the feed numbers of one replica that holds everything."""


def part_of(history: list[Commit], order: Random, whole: Core) -> Held:
    """What a device folded that heard some of a history, as the replica that holds all of it names it."""
    core = newcomer("eve")
    for commit in order.sample(history, len(history)):
        if order.random() < 0.7:
            take(core, commit.frame)  # refused where something that it has seen did not come
    return folded(core, whole)


def folded(core: Core, whole: Core) -> Held:
    def moved(dot: Dot) -> Dot:
        found = whole.feeds.locate(OpRef(core.feeds.origin_of(dot.feed), dot.seq, dot.id8))
        assert found is not None
        return found

    def origin(number: int) -> int:
        return whole.feeds.origin_number(core.feeds.origin(number))

    def holds(dot: Dot) -> bool:
        return core.feeds.locate(OpRef(whole.feeds.origin_of(dot.feed), dot.seq, dot.id8)) is not None

    cells = {key: renumber(cell, moved, origin) for key, cell in core.store.all_cells()}
    return State(cells, core.store.all_tombstones()), holds


def merged(one: Held, other: Held, whole: Core) -> Held:
    """What `one` knows when the base of `other` was merged into its own."""
    mine, i_have = one
    theirs, they_have = other
    writers = {
        feed.no
        for feed in whole.feeds
        for seq in range(feed.fork + 1, feed.seq + 1)
        if they_have(dot := Dot(feed.no, seq, whole.feeds.id8(feed.no, seq))) and not i_have(dot)
    }

    def is_new(place: OpRef) -> bool:
        dot = whole.feeds.locate(place)
        return dot is not None and they_have(dot) and not i_have(dot)

    origins = {whole.feeds[no].origin_no for no in writers}
    devices = {whole.feeds.origin_of(no).device for no in writers}
    taken_back = {
        maker_of(key)
        for key in mine.cells.keys() - theirs.cells.keys()
        if key.part in (CellKind.PROPOSAL, CellKind.LINK)
    }
    news = News(they_have, i_have, is_new, origins, devices, theirs.tombstones, taken_back=taken_back)
    return merge_states(mine, theirs, news), lambda dot: i_have(dot) or they_have(dot)


def plain(held: Held) -> object:
    return held[0].cells, held[0].tombstones


@settings(max_examples=25)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_states_merge_in_any_order_any_grouping_and_any_number_of_times(
    history: list[Commit], order: Random
) -> None:
    whole = delivered(history, order)
    a, b, c = (part_of(history, order, whole) for _ in range(3))

    def join(one: Held, other: Held) -> Held:
        return merged(one, other, whole)

    assert plain(join(a, b)) == plain(join(b, a))
    assert plain(join(join(a, b), c)) == plain(join(a, join(b, c)))
    assert plain(join(a, a)) == plain(a)
    assert plain(join(join(a, b), b)) == plain(join(a, b))


@settings(max_examples=25)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_two_parts_merge_to_what_a_replica_folds_that_took_both(history: list[Commit], order: Random) -> None:
    whole = delivered(history, order)
    part = part_of(history, order, whole)
    everything = folded(whole, whole)
    assert plain(merged(part, everything, whole)) == plain(everything)
    assert plain(merged(everything, part, whole)) == plain(everything)
