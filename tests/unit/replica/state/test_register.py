from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from replica.state.register import Dot, Register, Vector, saw, winner, write
from tests.support.published import published


def dot(feed: int, seq: int = 1, id8: bytes = b"") -> Dot:
    return Dot(feed, seq, id8 or bytes([feed, seq]) * 4)


def test_a_write_that_saw_the_other_wins_whatever_the_clocks_say() -> None:
    first = write({}, dot(0), 1_000_000, "yesterday, by a clock a year ahead", {0: 1})
    second = write(first, dot(1), 5, "today", {0: 1, 1: 1})
    assert winner(second)[2] == "today"
    assert len(second) == 1


def test_writes_that_did_not_know_of_each_other_are_both_kept_and_the_later_stamp_shows() -> None:
    both = write(write({}, dot(0), 7, "a", {0: 1}), dot(1), 6, "b", {1: 1})
    assert len(both) == 2
    assert winner(both)[2] == "a"


def test_equal_stamps_are_decided_by_the_ids_of_the_ops_not_by_local_numbers() -> None:
    """Feed numbers follow the order of arrival, so they differ from device to device."""
    high, low = b"\xff" * 8, b"\x00" * 8
    here = write(write({}, dot(0, id8=high), 7, "high", {0: 1}), dot(1, id8=low), 7, "low", {1: 1})
    there = write(write({}, dot(0, id8=low), 7, "low", {0: 1}), dot(1, id8=high), 7, "high", {1: 1})
    assert winner(here)[2] == winner(there)[2] == "high"


@published("D-11")
def test_seen_then_stamp_pair_by_pair_is_not_transitive_and_the_set_of_heads_is() -> None:
    """The trap: a saw nothing, b saw a but has an older stamp, c saw neither and lies between.

    Compared in pairs: b beats a (it saw it), a beats c (stamp), c beats b (stamp). Whoever folds pair by pair ends with
    whatever came last; the set of unseen writes is {b, c} in every order.
    """
    writes = {
        "a": (dot(0), 30, {0: 1}),
        "b": (dot(1), 10, {0: 1, 1: 1}),
        "c": (dot(2), 20, {2: 1}),
    }
    ends = set()
    for order in permutations("abc"):
        if order.index("b") < order.index("a"):
            continue  # b has seen a, so it is delivered after it
        register: Register = {}
        for name in order:
            register = write(register, writes[name][0], writes[name][1], name, writes[name][2])
        ends.add((frozenset(register), winner(register)[2]))
    assert ends == {(frozenset({dot(1), dot(2)}), "c")}


def test_seen_is_up_to_and_including() -> None:
    assert saw({3: 5}, dot(3, 5))
    assert not saw({3: 5}, dot(3, 6))
    assert not saw({}, dot(3, 1))


def test_a_write_leaves_the_register_that_it_was_given_as_it_was() -> None:
    """Cells are compared before and after: a digest would move by the wrong difference."""
    before = write({}, dot(0), 1, "a", {0: 1})
    write(before, dot(1), 2, "b", {0: 1, 1: 1})
    assert winner(before)[2] == "a"


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Dot, int, int, Vector]]:
    """Writes by four devices, each of which has heard of some writes before it; any clocks."""
    known: list[Vector] = [{} for _ in range(4)]
    made = []
    for n in range(draw(st.integers(1, 8))):
        who = draw(st.integers(0, 3))
        for other in draw(st.sets(st.integers(0, 3), max_size=2)):
            for feed, seq in known[other].items():
                known[who][feed] = max(known[who].get(feed, 0), seq)
        seq = known[who].get(who, 0) + 1
        known[who][who] = seq
        made.append((dot(who, seq), draw(st.integers(1, 5)), n, dict(known[who])))
    return made


@given(history=histories(), random=st.randoms())
def test_any_causal_order_ends_with_the_same_heads(
    history: list[tuple[Dot, int, int, Vector]], random: Random
) -> None:
    """Delivered in any order in which nobody meets an op before what it has seen."""
    ends = set()
    for _ in range(4):
        waiting, register = list(history), Register()
        held: Vector = {}
        while waiting:
            ready = [
                each
                for each in waiting
                if all(held.get(feed, 0) >= seq - (feed == each[0].feed) for feed, seq in each[3].items())
                and held.get(each[0].feed, 0) == each[0].seq - 1
            ]
            each = random.choice(ready)
            waiting.remove(each)
            held[each[0].feed] = each[0].seq
            register = write(register, each[0], each[1], each[2], each[3])
        ends.add((frozenset(register.items()), winner(register)))
    assert len(ends) == 1
