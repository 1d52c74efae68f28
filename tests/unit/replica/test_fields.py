import math
from typing import Any

import pytest

from replica.errors import InvalidOp, TooLarge
from replica.fields import (
    FIELDS,
    MS_MAX,
    Value,
    check_field,
    check_fields,
    check_value,
    column_value,
    column_values,
)
from replica.limits import FIELD_STRING_BYTES_MAX, FIELDS_MAX, META_ENTRIES_MAX, TAGS_MAX
from replica.memory_types import MEMORY_TYPES
from tests.support.published import published

# For each known field: values it holds, and values it refuses.
EXAMPLES: dict[str, tuple[list[Value], list[Any]]] = {
    "type": ([*MEMORY_TYPES], ["", "Episodic", 3, ["episodic"], "olfactory"]),
    "importance": ([0, 0.0, 0.5, 1, 1.0], [-0.01, 1.01, math.nan, math.inf, True, "0.5"]),
    "valence": ([-1, 0, 1, -0.25], [-1.01, 1.01, math.nan, False]),
    "certainty": ([0, 1, 0.3], [-0.1, 1.1, "sure"]),
    "half_life": ([1, 0.001, 604_800.0], [0, -1, 1e13, math.inf]),
    "domain": (["work"], ["", 3, ["work"]]),
    "project": (["boat"], ["", b"boat"]),
    "topic": (["keel"], ["", True]),
    "speaker": (["Ann"], ["", 0]),
    "conversation": (["conv-26:session_1"], [""]),
    "turn": (["D1:3"], ["", 3]),
    "position": ([0, 7, 2**63 - 1], [-1, 0.5, True, 2**63]),
    "told_at": ([0, -MS_MAX, MS_MAX], [MS_MAX + 1, -MS_MAX - 1, 0.5, "now", False]),
    "event_start": ([0, -1], [0.5, 2**62]),
    "event_end": ([0, 1], ["then"]),
    "source": (["notes.md"], [""]),
    "workspace": (["crew"], ["", 1]),
    "parent": ([bytes(16)], [bytes(15), "0" * 16, b""]),
    "tags": ([[], ["a"], ["a", "b"]], ["a", ["b", "a"], ["a", "a"], [""], [1], {"a": 1}]),
    "meta": (
        [{}, {"a": None, "b": True, "c": 1, "d": 0.5, "e": "x"}],
        [[], "a", {"a": b"bytes"}, {"a": [1]}, {"a": {"b": 1}}, {1: "a"}, {"a": math.nan}],
    ),
    "pinned": ([True, False], [0, 1, "yes"]),
    "goal": (["open", "done"], ["", "lost", 1]),
    "block": (["persona"], ["", 5]),
    "archived": ([True, False], [0, "no"]),
    "apart": ([True, False], ["yes"]),
}


@published("YD-07")
def test_every_known_field_has_examples_of_both_kinds() -> None:
    assert EXAMPLES.keys() == FIELDS.keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, good) for name, (goods, _) in EXAMPLES.items() for good in goods]
)
def test_a_field_holds_what_it_is_for(name: str, value: Value) -> None:
    check_field(name, value)
    check_field(name, None)


@pytest.mark.parametrize(
    ("name", "value"), [(name, bad) for name, (_, bads) in EXAMPLES.items() for bad in bads]
)
def test_a_field_refuses_the_rest_and_says_which_field(name: str, value: Any) -> None:
    with pytest.raises(InvalidOp, match=f"^{name}: expected"):
        check_field(name, value)


def test_a_time_beyond_all_stamps_is_named_by_its_year() -> None:
    with pytest.raises(InvalidOp, match=r"between the years -2490 and 6429, .* got the year 9000"):
        check_field("told_at", 221_845_392_000_000)


@published("YD-08")
def test_the_three_types_of_the_paper_are_among_our_eight() -> None:
    assert len(MEMORY_TYPES) == 8
    assert {"episodic", "semantic", "procedural"} <= set(MEMORY_TYPES)


def test_a_field_that_this_version_does_not_know_may_hold_any_plain_value() -> None:
    values: list[Value] = [None, True, 3, 0.5, "x", b"x", ["x"], {"x": b"y"}]
    for value in values:
        check_field("invented later", value)


def test_a_word_that_only_a_later_version_lists_is_read_and_not_written() -> None:
    for name in ("type", "goal"):
        check_field(name, "olfactory", by_any=True)
        check_fields({name: "olfactory"}, by_any=True)
        for wrong in ("", 3, b"open", ["open"]):
            with pytest.raises(InvalidOp, match=f"^{name}: expected text"):
                check_field(name, wrong, by_any=True)
    with pytest.raises(InvalidOp, match=r"^importance: expected a number"):
        check_field("importance", 1.5, by_any=True)


@pytest.mark.parametrize(
    "value",
    [2**63, -(2**63) - 1, math.nan, -math.inf, [1], [["a"]], {"a": {}}, {1: 1}, object(), (1,), {"a"}],
)
def test_no_register_holds_what_is_not_plain(value: Any) -> None:
    with pytest.raises(InvalidOp):
        check_value(value)


def test_limits_are_in_bytes_and_inclusive() -> None:
    check_field("domain", "x" * FIELD_STRING_BYTES_MAX)
    check_field("domain", "é" * (FIELD_STRING_BYTES_MAX // 2))
    check_field("tags", [f"{n:03}" for n in range(TAGS_MAX)])
    check_field("meta", {str(n): n for n in range(META_ENTRIES_MAX)})
    check_fields({str(n): n for n in range(FIELDS_MAX)})
    too_large: list[tuple[str, Value]] = [
        ("domain", "x" * (FIELD_STRING_BYTES_MAX + 1)),
        ("domain", "é" * (FIELD_STRING_BYTES_MAX // 2 + 1)),
        ("any", b"x" * (FIELD_STRING_BYTES_MAX + 1)),
        ("any", ["x" * (FIELD_STRING_BYTES_MAX + 1)]),
        ("any", {"x" * (FIELD_STRING_BYTES_MAX + 1): 1}),
        ("any", {"x": "x" * (FIELD_STRING_BYTES_MAX + 1)}),
        ("tags", [f"{n:03}" for n in range(TAGS_MAX + 1)]),
        ("meta", {str(n): n for n in range(META_ENTRIES_MAX + 1)}),
    ]
    for name, value in too_large:
        with pytest.raises(TooLarge, match=f"^{name}: expected"):
            check_field(name, value)
    with pytest.raises(TooLarge, match="expected at most 512 fields, got 513"):
        check_fields({str(n): n for n in range(FIELDS_MAX + 1)})


@pytest.mark.parametrize("name", ["", "x" * (FIELD_STRING_BYTES_MAX + 1)])
def test_a_field_has_a_name_of_some_length(name: str) -> None:
    with pytest.raises(InvalidOp, match="expected a field name"):
        check_field(name, 1)


@pytest.mark.parametrize(
    "values",
    [
        [["sea", "sun"], None, [], ["sea", "sun"], ['"']],
        [{"a": 1}, None],
        [["sea"], {"a": 1}, 1, True],
        [1, 1.0, True, None, "1"],
        [],
    ],
)
def test_a_column_of_many_memories_is_what_each_value_comes_to(values: list[Any]) -> None:
    assert [*map(repr, column_values(values))] == [*map(repr, map(column_value, values))]
