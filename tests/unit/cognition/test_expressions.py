"""Expressions that are compiled when they are first used behave as if they had been compiled at once."""

import re

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


@pytest.mark.parametrize("module", [habits, reading, clauses], ids=lambda module: str(module.__name__))
def test_every_late_expression_is_one(module: object) -> None:
    held = [value for value in vars(module).values() if isinstance(value, expressions._Late)]
    assert len(held) > 5
    for one in held:
        assert isinstance(re.compile(one.pattern), re.Pattern)
