"""Expressions that are compiled when they are first used behave as if they had been compiled at once."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cognition import expressions
from cognition.contradictions import habits, reading
from cognition.expressions import late
from cognition.extraction import clauses


def test_a_late_expression_does_what_the_compiled_one_does() -> None:
    one = late(r"(?P<who>ann|bob)\b", re.IGNORECASE)
    found = one.search("Ask Ann")
    assert found is not None
    assert found["who"] == "Ann"
    assert one.sub("x", "bob, bobby") == "x, bobby"
    assert (one.pattern, one.flags & re.IGNORECASE) == (r"(?P<who>ann|bob)\b", re.IGNORECASE)


def test_nothing_is_compiled_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def watched(expression: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(expression)
        return real(expression, flags)

    monkeypatch.setattr(re, "compile", watched)
    one = late("tea")
    assert compiled == []
    assert one.match("tea")
    assert one.match("tea again")
    assert compiled == ["tea"]


def late_ones(held: object) -> Iterator[expressions._Late]:
    """Whatever is late in a value, in tuples, lists, sets and tables of any depth."""
    if isinstance(held, expressions._Late):
        yield held
    elif isinstance(held, dict):
        yield from late_ones(tuple(held.items()))
    elif isinstance(held, tuple | list | set | frozenset):
        for one in held:
            yield from late_ones(one)


@pytest.mark.parametrize("module", [habits, reading, clauses], ids=lambda module: str(module.__name__))
def test_every_late_expression_of_a_module_compiles(module: ModuleType) -> None:
    """A mistake in one would show only when somebody says what it reads."""
    held = list(late_ones(tuple(vars(module).values())))
    assert module.__file__ is not None
    assert len(held) >= Path(module.__file__).read_text().count("late(") > 5, (
        "some are where this does not look"
    )
    for one in held:
        assert one.pattern, one


def test_a_late_expression_says_which_it_is() -> None:
    assert repr(late("tea")) == "late('tea')"
