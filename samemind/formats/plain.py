"""Show a result as JSON, and build it again on the other side of a socket.

A field's name is its JSON key, unless the field says another (`class` cannot be a name in Python). Times are aware UTC
datetimes in a result and ISO 8601 with milliseconds in JSON; ids are text, whole, as people see them. A program cannot
tell whether its call went through a daemon.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Result = TypeVar("Result")
Reader = Callable[[Any], Any]

# What JSON has by itself.
_PLAIN: Final = frozenset({type(None), bool, int, float, str})


def to_json(value: Any) -> Any:
    """Return a result as plain JSON values."""
    if type(value) in _PLAIN:  # nearly all that a result holds
        return value
    if isinstance(value, datetime):
        return show_time(value)
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {
            # Asked here too: a recall has 150 fields, and a call for each takes longer than to look.
            key: item if type(item := getattr(value, name)) in _PLAIN else to_json(item)
            for name, key in _keys(type(value))
        }
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    return value


def from_json(kind: type[Result], document: Mapping[str, Any]) -> Result:
    """Return the result that `to_json` described; keys that this version does not know are left out."""
    values: dict[str, Any] = {}
    for name, key, reader, required in _shape(cast(Any, kind)):
        if key in document:
            value = document[key]
            values[name] = value if reader is None or value is None else reader(value)
        elif required:
            raise ValueError(f"expected {kind.__name__} to have {key}, got {sorted(document)}")
    return kind(**values)


def as_received(result: Result) -> Result:
    """Return a result of this process as it would be had it come as a document: what a mapping holds is plain JSON.

    All else in a result is of types that a document gives back as they were, so only mappings are looked into, in
    place: a page of a thousand memories is not made twice.
    """
    _receive((result,), _looked_into(cast(Any, type(result))))
    return result


def _receive(results: Iterable[Any], fields: tuple[tuple[str, bool], ...]) -> None:
    """Make these fields of results, all of one type, what a document would give."""
    for result in results:
        for name, is_free in fields:
            value = getattr(result, name)
            if not value:
                continue
            if is_free:
                object.__setattr__(result, name, to_json(value))
            else:
                inner = value if isinstance(value, list) else [value]
                _receive(inner, _looked_into(cast(Any, type(inner[0]))))


@cache
def _looked_into(kind: type[Any]) -> tuple[tuple[str, bool], ...]:
    """Return the fields of a result that hold what is no plain value: whether it is free in shape, or results again."""
    if not is_dataclass(kind):
        return ()
    found = []
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) in (types.UnionType, Union):
            (hint,) = (one for one in get_args(hint) if one is not type(None))
        if get_origin(hint) is list:
            (hint,) = get_args(hint)
        if is_dataclass(hint):
            found.append((name, False))
        elif hint not in _PLAIN and hint is not datetime:
            found.append((name, True))
    return tuple(found)


def show_time(moment: datetime) -> str:
    """Return a time as ISO 8601 in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@cache
def _keys(kind: type[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.metadata.get("key", one.name)) for one in fields(kind))


@cache
def _shape(kind: type[Any]) -> tuple[tuple[str, str, Reader | None, bool], ...]:
    hints = get_type_hints(kind)
    return tuple(
        (
            one.name,
            one.metadata.get("key", one.name),
            _reader(hints[one.name]),
            one.default is MISSING and one.default_factory is MISSING,
        )
        for one in fields(kind)
    )


def _reader(hint: Any) -> Reader | None:
    """Return what makes a value of a type from JSON; None: JSON has it as it is."""
    if get_origin(hint) in (types.UnionType, Union):
        (hint,) = (one for one in get_args(hint) if one is not type(None))
    if hint is datetime:
        return datetime.fromisoformat
    if is_dataclass(hint) and isinstance(hint, type):
        return partial(from_json, hint)
    if get_origin(hint) is list:
        item = _reader(get_args(hint)[0])
        return None if item is None else lambda value: [None if one is None else item(one) for one in value]
    return None
