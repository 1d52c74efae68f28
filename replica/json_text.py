"""Read JSON that somebody else wrote: a person, another program, a server, a model."""

import json
import re
from itertools import accumulate
from typing import Any, Final

# No record, export or settings file goes half as deep. How deep the interpreter can go depends on who calls: without a
# bound far below that, a value that was read could not be written again a few calls further on.
NESTED_MAX: Final = 100
_CONTAINERS: Final = (dict, list)
# A string is passed over at once, also one that does not end: else each of its characters would be begun at anew.
_NO_BRACKETS: Final = re.compile(r'(?:"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[^"\[\]{}])+', re.DOTALL)
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


def parse_json(text: str | bytes) -> Any:
    """Return the value that `text` holds.

    `ValueError` where it holds none (mostly `json.JSONDecodeError`, which says at which character), or where its lists
    and objects are nested more than `NESTED_MAX` deep. That is found before it is parsed: in a browser the stack of
    whoever parsed it would overflow, and nobody can catch that.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    check_depth(text)
    return json.loads(text)


def check_depth(text: str) -> None:
    """Raise `ValueError` where a text that is not parsed yet is nested more than `NESTED_MAX` deep."""
    # To count brackets is quick, and few records have that many.
    if text.count("[") + text.count("{") > NESTED_MAX and _depth(text) > NESTED_MAX:
        raise _too_deep()


def _depth(text: str) -> int:
    """Return how deep a text is nested, or what a parser might go into before it finds that it is no JSON."""
    brackets = _NO_BRACKETS.sub("", text)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def check_nesting(value: object) -> None:
    """Raise `ValueError` where the lists and objects of a parsed value are nested more than `NESTED_MAX` deep."""
    level: list[Any] = [value] if type(value) in _CONTAINERS else []
    for _ in range(NESTED_MAX):
        if not level:
            return
        level = [
            inner
            for each in level
            for inner in (each.values() if type(each) is dict else each)
            if type(inner) in _CONTAINERS
        ]
    if level:
        raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"expected lists and objects nested at most {NESTED_MAX} deep, found them deeper")
