"""What became of a trigger is the same in whatever order devices hear of it, and however often."""

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from cognition.triggers.lattice import joined
from replica import HeldTrigger, MemoryId, ShownTrigger

RIDS = [MemoryId(bytes([n]) * 16) for n in range(3)]
HELD = st.builds(
    HeldTrigger,
    st.integers(0, 3),
    st.tuples(
        st.integers(1, 4),
        st.sampled_from(["reminder", "goal_progress"]),
        st.lists(st.sampled_from(RIDS), max_size=2, unique=True).map(lambda rids: tuple(sorted(rids))),
    ),
    st.none() | st.tuples(st.integers(1, 4), st.binary(min_size=2, max_size=2)),
)
ROWS = st.lists(
    st.builds(ShownTrigger, st.sampled_from(RIDS), st.just(b"t" * 16), HELD), min_size=1, max_size=5
)


@given(a=HELD, b=HELD, c=HELD)
def test_joining_is_a_least_upper_bound(a: HeldTrigger, b: HeldTrigger, c: HeldTrigger) -> None:
    assert a.joined(b) == b.joined(a)
    assert a.joined(b).joined(c) == a.joined(b.joined(c))
    assert a.joined(a) == a
    assert a.joined(b).joined(a) == a.joined(b)


@given(a=HELD, b=HELD)
def test_a_status_never_falls_and_the_first_delivery_stays(a: HeldTrigger, b: HeldTrigger) -> None:
    both = a.joined(b)
    assert both.status == max(a.status, b.status)
    assert both.raised <= a.raised
    if a.delivered is not None:
        assert both.delivered is not None
        assert both.delivered <= a.delivered


@given(rows=ROWS, data=st.data())
def test_rows_in_any_order_and_twice_are_one_trigger(rows: list[ShownTrigger], data: st.DataObject) -> None:
    (one,) = joined(rows)
    again = data.draw(st.permutations([*rows, *data.draw(st.lists(st.sampled_from(rows), max_size=3))]))
    assert joined(again) == [one]
    assert one.held == reduce(HeldTrigger.joined, (row.held for row in rows))
    assert one.rid == min(row.rid for row in rows)
    assert one.rid not in one.about
