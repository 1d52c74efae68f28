"""Verbs as they are declared, and options as they come from outside."""

import inspect
from typing import Any

import pytest

from replica import FIELDS
from samemind._catalog import FAMILIES, SHORT_FOR
from samemind.catalog import NAMES, verb_named
from samemind.declaring import declared, read_options
from samemind.errors import Usage
from samemind.formats.fields import DOOR_NAMES


def test_every_verb_is_performed_by_a_function_that_takes_its_options_and_gives_its_result() -> None:
    for name in NAMES:
        verb = verb_named(name)
        if name == "up":
            continue  # it is not asked of a device: it is one
        function = verb.run
        assert inspect.iscoroutinefunction(function) != verb.alone, name
        hints = inspect.get_annotations(function)  # what is imported for types alone stays a string
        assert hints["options"] is verb.options, name
        assert hints["return"] is verb.result, name
        assert ("say" in hints) == verb.streams, name
        assert ("home" in hints) == verb.alone, name


def test_every_verb_and_every_option_is_explained() -> None:
    for name in NAMES:
        verb = verb_named(name)
        assert verb.help.endswith("."), name
        for one in declared(verb.options):
            assert one.word.help, (name, one.name)


def test_names_are_listed_once_and_short_forms_lead_to_them() -> None:
    assert len(NAMES) == len(set(NAMES)) == sum(map(len, FAMILIES.values()))
    assert all(verb_named(short).name == name for short, name in SHORT_FOR.items())
    with pytest.raises(Usage, match="rember"):
        verb_named("rember")


def test_every_field_of_a_memory_can_be_shown() -> None:
    from samemind.formats.memory_view import MemoryView

    shown = set(inspect.signature(MemoryView).parameters)
    assert {DOOR_NAMES.get(name, name) for name in FIELDS} <= shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "TEXT, which is missing"),
        ({"text": None}, "got nothing"),
        ({"text": 5}, "expected text for text"),
        ({"text": "x", "colour": "red"}, "got colour"),
        ({"text": "x", "importance": "high"}, "expected a number for importance"),
        ({"text": "x", "importance": True}, "expected a number for importance"),
        ({"text": "x", "importance": float("nan")}, "finite"),
        ({"text": "x", "importance": 10**400}, "expected a number"),
        ({"text": "x", "importance": float("-inf")}, "finite"),
        ({"text": "x", "pin": 1}, "expected true or false for pin"),
        ({"text": "x", "tag": "a"}, "expected a list of texts for tag"),
        ({"text": "x", "tag": ["a", 5]}, "expected text for tag"),
        ({"text": "x", "type": "mood"}, "expected one of"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(Usage, match=message):
        read_options(verb_named("remember"), given)


def test_a_whole_number_may_come_with_a_point_as_json_has_no_other_numbers() -> None:
    assert read_options(verb_named("recall"), {"query": "x", "k": 3.0}).k == 3
    with pytest.raises(Usage, match="expected a whole number for k, got"):
        read_options(verb_named("recall"), {"query": "x", "k": 2.5})


def test_options_that_are_left_out_are_as_declared() -> None:
    options = read_options(verb_named("remember"), {"text": "x", "importance": 1, "tag": ["a"], "type": None})
    assert (options.importance, options.tag, options.type, options.pin) == (1.0, ("a",), None, False)
    assert isinstance(options.importance, float)


def test_null_stands_for_what_is_left_out() -> None:
    assert read_options(verb_named("list"), {"limit": None, "tag": None}) == read_options(
        verb_named("list"), {}
    )


def test_a_number_that_no_store_can_hold_is_refused() -> None:
    assert read_options(verb_named("list"), {"offset": 2**63 - 1}).offset == 2**63 - 1
    for number in (2**63, -(2**63), 2**70):
        with pytest.raises(Usage, match="for offset, got a larger one"):
            read_options(verb_named("list"), {"offset": number})


@pytest.mark.parametrize("name", NAMES)
def test_a_number_beyond_its_bounds_is_refused_before_anything_is_opened(name: str) -> None:
    """The bounds stand in the declaration, where every interface reads them."""
    verb = verb_named(name)
    given: dict[str, Any] = {one.name: "x" for one in declared(verb.options) if one.required and not one.many}
    given |= {one.name: ["x"] for one in declared(verb.options) if one.required and one.many}
    for one in declared(verb.options):
        for bound, beyond in ((one.word.least, -1), (one.word.most, 1)):
            if bound is not None:
                assert getattr(read_options(verb, given | {one.name: bound}), one.name) == bound
                with pytest.raises(
                    Usage, match=f"{verb.name}: expected .* for {one.name}, got {bound + beyond}"
                ):
                    read_options(verb, given | {one.name: bound + beyond})


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("remember", {"text": "half \ud83d"}, "remember: expected text for text, got half of a letter at 5"),
        ("list", {"tag": ["\udc00"]}, "list: expected text for tag, got half of a letter at 0"),
        ("backup", {"file": "a\0b"}, "backup: expected a path for file, got one with a NUL in it"),
        ("backup", {"file": "a\ud800b"}, "backup: expected text for file, got half of a letter at 1"),
    ],
)
def test_characters_that_nothing_can_hold_are_named_by_their_option(
    name: str, options: dict[str, Any], said: str
) -> None:
    """What met them later said that a codec failed, and not where."""
    with pytest.raises(Usage, match=said):
        read_options(verb_named(name), options)


def test_a_file_may_be_called_by_bytes_that_are_no_text() -> None:
    read = read_options(verb_named("backup"), {"file": "caf\udce9.db"})
    assert read.file == "caf\udce9.db"
