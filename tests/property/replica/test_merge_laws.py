"""Merging folded states is commutative, associative and idempotent for every kind of data, and loses nothing."""

from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica.core import Core
from replica.ids import Place
from replica.state.cells import State, renumber
from replica.state.merge import merge_states
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
        found = whole.feeds.locate(Place(core.feeds.origin_of(dot.feed), dot.seq, dot.id8))
        assert found is not None
        return found

    def origin(number: int) -> int:
        return whole.feeds.origin_number(core.feeds.origin(number))

    def holds(dot: Dot) -> bool:
        return core.feeds.locate(Place(whole.feeds.origin_of(dot.feed), dot.seq, dot.id8)) is not None

    cells = {key: renumber(cell, moved, origin) for key, cell in core.store.all_cells()}
    return State(cells, core.store.all_tombstones()), holds


def merged(one: Held, other: Held) -> Held:
    state = merge_states(one[0], other[0], one[1], other[1])
    return state, lambda dot: one[1](dot) or other[1](dot)


def plain(held: Held) -> object:
    return held[0].cells, held[0].tombstones


@settings(max_examples=25)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_states_merge_in_any_order_any_grouping_and_any_number_of_times(
    history: list[Commit], order: Random
) -> None:
    whole = delivered(history, order)
    a, b, c = (part_of(history, order, whole) for _ in range(3))
    assert plain(merged(a, b)) == plain(merged(b, a))
    assert plain(merged(merged(a, b), c)) == plain(merged(a, merged(b, c)))
    assert plain(merged(a, a)) == plain(a)
    assert plain(merged(merged(a, b), b)) == plain(merged(a, b))


@settings(max_examples=25)
@given(history=op_histories(), order=st.randoms(use_true_random=False))
def test_two_parts_merge_to_what_a_replica_folds_that_took_both(history: list[Commit], order: Random) -> None:
    whole = delivered(history, order)
    part = part_of(history, order, whole)
    everything = folded(whole, whole)
    assert plain(merged(part, everything)) == plain(everything)
    assert plain(merged(everything, part)) == plain(everything)
