"""What is written from the declarations of commands is as they are, and says what they say."""

import inspect
from dataclasses import replace

import pytest

from samemind._tools import generate
from samemind.catalog import verb_named
from samemind.declaring import Method, declared
from samemind.library.mind import Mind


@pytest.mark.parametrize("path", generate.outputs(), ids=lambda path: path.name)
def test_no_generated_file_is_behind(path: object) -> None:
    behind = [one.name for one, text in generate.outputs().items() if one == path and one.read_text() != text]
    assert behind == [], "python -m samemind._tools.generate"


def test_an_option_is_a_parameter_of_the_method_and_is_passed_on() -> None:
    method = Method("differing", "Say.", by_place=("since",))
    told = " ".join(" ".join(generate._method(verb_named("diff"), method)).split())
    assert "( self, since: When, *, until: When | None = None, seen_by: str | None = None, limit:" in told
    assert '( "diff", since=when_of(since), until=when_of(until), seen_by=seen_by, limit=limit,' in told


def test_an_option_that_is_hidden_from_the_library_is_no_parameter() -> None:
    assert "follow" in {one.name for one in declared(verb_named("log").options)}
    assert list(inspect.signature(Mind.log).parameters) == ["self", "limit", "after", "wait"]


def test_a_command_without_a_method_is_in_neither_library(monkeypatch: pytest.MonkeyPatch) -> None:
    without = [replace(one, library=None) if one.name == "diff" else one for one in generate.commands()]
    monkeypatch.setattr(generate, "commands", lambda: without)
    assert "diff" not in generate._methods()
    assert "Mind.diff" not in generate._blocking_methods()
    assert "Difference" not in generate._with_exports(generate.PACKAGE.joinpath("__init__.py").read_text())
