"""Read JSON that somebody else wrote: a person, another program, a server, a model."""

import json
from typing import Any, Final

# No record, export or settings file goes half as deep. How deep the interpreter can go depends on who calls: without a
# bound far below that, a value that was read could not be written again a few calls further on.
NESTED_MAX: Final = 100
_CONTAINERS: Final = (dict, list)


def parse_json(text: str | bytes) -> Any:
    """Return the value that `text` holds.

    `ValueError` where it holds none (mostly `json.JSONDecodeError`, which says at which character), or where its lists
    and objects are nested more than `NESTED_MAX` deep.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    # To count brackets is quick, and few records have that many.
    opened = (
        text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    )
    if opened > NESTED_MAX:
        check_nesting(value)
    return value


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
