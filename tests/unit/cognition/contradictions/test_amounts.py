"""Values that are amounts compare by arithmetic, whatever unit and language they are told in."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.contradictions.amounts import Amount, amount_of, same_amount
from cognition.contradictions.values import compatible
from replica import Claim, Remember, Write, new_memory_id
from tests.support.deciding import make_store, records
from tests.support.replicas import NOW_MS, group, settle


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half an hour", "1,800 s"),
        ("half an hour", "30 minutes"),
        ("eine halbe Stunde", "30 Min."),
        ("полчаса", "30 минут"),
        ("1 h 30 min", "90 minutes"),
        ("a week", "7 Tage"),
        ("2 weeks", "14 días"),
        ("0.05 mg", "50 µg"),
        ("0,05 mg", "50 mcg"),
        ("1.5 kg", "1500 g"),
        ("€1,420", "1.420 EUR"),
        ("318,000 €", "320,000 euros"),
        ("3,7 km", "3700 m"),
        ("½ h", "une demi-heure"),
        ("jedna godzina", "60 min"),
        ("2 uur", "two hours"),
        ("1 year", "12 Monate"),
        ("1½ tablets", "1.5 Tabletten"),
        ("5 %", "5 Prozent"),
        ("300 zł", "300 PLN"),
    ],
)
def test_one_amount_in_other_units_is_one_value(one: str, other: str) -> None:
    assert same_amount(one, other)
    assert compatible(one, other)
    assert compatible(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half an hour", "40 minutes"),
        ("430 €", "455 €"),
        ("455 €", "500 €"),
        ("430 €", "430 $"),
        ("50 µg", "75 µg"),
        ("100 mg", "101 mg"),
        ("5 mg", "5 ml"),
        ("5 min", "5 m"),
        ("1 h", "1 day"),
        ("1 h", "1 h 30 min"),
        ("10 drops", "10 tablets"),
        ("½ tablet", "1 tablet"),
        ("300 zł", "300 €"),
    ],
)
def test_other_amounts_are_other_values(one: str, other: str) -> None:
    assert not same_amount(one, other)
    assert not compatible(one, other)


@pytest.mark.parametrize(
    "value",
    ["", "30", "Oslo", "5 mg in the morning", "5 mg 3 min", "may", "an hour or two", "€", "8 am", "x" * 100],
)
def test_what_is_no_amount_is_none(value: str) -> None:
    assert amount_of(value) is None


def test_what_is_no_amount_is_compared_by_its_words() -> None:
    assert same_amount("30 minutes", "30 mornings") is None
    assert not compatible("30 minutes", "30 mornings")
    assert compatible("430 €", "430")


def test_the_amount_is_told_with_its_precision() -> None:
    assert amount_of("12,000 m") == Amount("length", 12_000.0, 2)


UNITS = st.sampled_from(["s", "min", "Stunden", "jours", "µg", "mg", "kg", "ml", "l", "€", "$", "km"])
AMOUNTS = st.builds(lambda number, unit: f"{number} {unit}", st.integers(1, 99_999), UNITS)


@given(AMOUNTS, AMOUNTS)
def test_whether_two_amounts_are_one_hangs_on_no_order(one: str, other: str) -> None:
    assert same_amount(one, one)
    assert same_amount(one, other) == same_amount(other, one)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_value_may_be_compared(one: str, other: str) -> None:
    assert same_amount(one, other) == same_amount(other, one)


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_devices_that_were_told_in_other_units_ask_nothing_and_of_another_amount_once(
    order: tuple[int, ...],
) -> None:
    cores = group("ann", "ben", "cleo", make_store=make_store)

    def tell(number: int, value: str) -> None:
        rid = new_memory_id(NOW_MS, Random(value))
        claim = Claim("the commute", "duration", value, (), None)
        cores[number].commit([Write(Remember(value, {}), rid), Write(claim, rid)], NOW_MS + number)

    for number, value in zip(order, ("half an hour", "30 minutes", "1800 s"), strict=True):
        tell(number, value)
    settle(cores, NOW_MS + 10)
    assert [records(core) for core in cores] == [[]] * 3
    tell(order[0], "45 Minuten")
    settle(cores, NOW_MS + 20)
    found = [records(core) for core in cores]
    assert found[0] == found[1] == found[2]
    assert [len(each) for each in found] == [1] * 3
