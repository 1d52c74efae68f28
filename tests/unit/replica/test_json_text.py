"""JSON of others is a value or a `ValueError`, whatever it holds."""

import json

import pytest

from replica.json_text import NESTED_MAX, parse_json


@pytest.mark.parametrize(("text", "value"), [("[1, {}]", [1, {}]), (b'"\xc3\xa9"', "é"), ("null", None)])
def test_what_is_json_is_its_value(text: str | bytes, value: object) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "[] []", b"\xff", "[" * 100_000, '{"a":' * 100_000, "1" * 5_000],
    ids=lambda text: repr(text)[:12],
)
def test_whatever_is_none_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_an_error_of_json_keeps_its_place() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        parse_json('{"a": nil}')
    assert caught.value.pos == 6


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}"), ('[1, {"a": 2, "b": ', "}, 3]")])
def test_depth_is_bounded_by_a_number_and_not_by_who_calls(opened: str, closed: str) -> None:
    times = NESTED_MAX // (opened.count("[") + opened.count("{"))
    parse_json(opened * times + "0" + closed * times)
    parse_json(f"[{', '.join(['[]'] * 2 * NESTED_MAX)}]")
    for more in (1, 2, 20 * NESTED_MAX):
        with pytest.raises(ValueError, match=f"at most {NESTED_MAX} deep"):
            parse_json(opened * (times + more) + "0" + closed * (times + more))
