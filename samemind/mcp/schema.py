"""Describe what a tool takes and returns as JSON Schema, from the declaration of its verb.

What a command line spells as words is plain JSON for an agent: metadata is an object, and so are the fields that
`set` writes. `words_of` turns them back into the words that the verb knows.
"""

import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from samemind.arguments import assignments_of, pairs_of
from samemind.declaring import Declared
from samemind.errors import Usage

Schema = dict[str, Any]

# Options that are `K=V` words on a line, and an object here; and what makes the words.
_OBJECTS: Final = {"meta": pairs_of, "values": assignments_of}
# What an agent is told of an option whose words for people speak of a terminal.
_SAID: Final[Mapping[str, str]] = {
    "text": "one idea in plain words",
    "tag": "labels",
    "tags": "labels",
    "meta": "anything else worth keeping, by name",
    "values": "fields and their new values; null clears one",
    "rid": "the memory's id",
    "rids": "the memories' ids",
}
_PLAIN: Final[Mapping[type, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def input_schema(options: Iterable[Declared], hidden: frozenset[str] = frozenset()) -> Schema:
    """Return what a tool takes: the options that an agent is shown, without those that are `hidden` from it here."""
    shown = [one for one in options if one.name not in hidden]
    schema: Schema = {
        "type": "object",
        "properties": {one.name: _option(one) for one in shown},
        "additionalProperties": False,
    }
    required = [one.name for one in shown if one.required]
    if required:
        schema["required"] = required
    return schema


def words_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a verb from the arguments of a tool."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in _OBJECTS and value is not None:
            if not isinstance(value, dict):
                raise Usage(f"{name}: expected an object, got {value!r:.60}", code="invalid")
            value = _OBJECTS[name](value)
        found[name] = value
    return found


def output_schema(result: type[Any]) -> Schema:
    """Return what a result looks like as JSON."""
    hints = get_type_hints(result)
    properties: Schema = {}
    required: list[str] = []
    for one in fields(result):
        key = one.metadata.get("key", one.name)
        properties[key] = _type(hints[one.name])
        if one.default is MISSING and one.default_factory is MISSING:
            required.append(key)
    # Later versions say more, and a client that checks should not mind.
    return {"type": "object", "properties": properties, "required": required}


def _option(one: Declared) -> Schema:
    said = _SAID.get(one.name, one.word.help)
    described: Schema = {"description": said} if said else {}
    if one.name in _OBJECTS:
        return {"type": "object", **described}
    plain: Schema = {"type": _PLAIN[one.type]}
    if one.word.choices:
        plain["enum"] = list(one.word.choices)
    if one.many:
        return {"type": "array", "items": plain, **described}
    if not one.required and one.default not in (None, False, MISSING):
        described["default"] = one.default
    return {**plain, **described}


def _type(hint: Any) -> Schema:
    origin = get_origin(hint)
    if origin in (types.UnionType, Union):
        (inner,) = (each for each in get_args(hint) if each is not type(None))
        return {"anyOf": [_type(inner), {"type": "null"}]}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if origin in (list, tuple):
        return {"type": "array", "items": _type(get_args(hint)[0])}
    if is_dataclass(hint) and isinstance(hint, type):
        return output_schema(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    return {"type": "object"} if origin is not None and issubclass(origin, Mapping) else {}
