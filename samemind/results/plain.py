"""Show a result as JSON, and build it again on the other side of a socket.

A field's name is its JSON key, unless the field says another (`class` cannot be a name in Python). Times are aware UTC
datetimes in a result and ISO 8601 with milliseconds in JSON; ids are text, whole, as people see them. A program cannot
tell whether its call went through a daemon.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Result = TypeVar("Result")


def to_json(value: Any) -> Any:
    """Return a result as plain JSON values."""
    if isinstance(value, datetime):
        return show_time(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.metadata.get("key", one.name): to_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value


def from_json(kind: type[Result], document: Mapping[str, Any]) -> Result:
    """Return the result that `to_json` described; keys that this version does not know are left out."""
    values: dict[str, Any] = {}
    for name, key, hint, required in _shape(cast(Any, kind)):
        if key in document:
            values[name] = _read(hint, document[key])
        elif required:
            raise ValueError(f"expected {kind.__name__} to have {key}, got {sorted(document)}")
    return kind(**values)


def show_time(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@cache
def _shape(kind: type[Any]) -> tuple[tuple[str, str, Any, bool], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (
            one.name,
            one.metadata.get("key", one.name),
            hints[one.name],
            one.default is MISSING and one.default_factory is MISSING,
        )
        for one in fields(kind)
    )


def _read(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(hint) in (types.UnionType, Union):
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    if hint is datetime:
        return datetime.fromisoformat(value)
    if is_dataclass(hint) and isinstance(hint, type):
        return from_json(hint, value)
    if get_origin(hint) is list:
        return [_read(get_args(hint)[0], item) for item in value]
    return value
