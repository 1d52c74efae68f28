"""Regular expressions that are compiled when they are first used.

Reading facts and contradictions out of texts takes some hundred of them, and compiling all takes as long as opening a
store does. A program that recalls uses none.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

_ALL: "Final[list[_Late]]" = []


class _Late:
    """Has whatever its pattern has, from the first time that anything is asked of it.

    No `__slots__`: what was asked for stays in the `__dict__`, so that a match costs what it costs a pattern.
    """

    def __init__(self, expression: str, flags: int) -> None:
        self._expression = expression
        self._flags = flags
        self._made: re.Pattern[str] | None = None

    def __repr__(self) -> str:
        return f"late({self._expression!r})"

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = re.compile(self._expression, self._flags)
        found = getattr(self._made, name)
        setattr(self, name, found)  # and the next time it is found without coming here
        return found


def late(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what has the methods of the compiled expression; a mistake in it shows when one is called."""
    made = _Late(expression, flags)
    _ALL.append(made)
    return cast("re.Pattern[str]", made)


def compile_late() -> Iterator[None]:
    """Compile those of all modules that were imported, one at each step."""
    for each in _ALL:
        getattr(each, "search")  # noqa: B009 - asking is what compiles it
        yield
