"""Describe what a tool takes as JSON Schema, from the declaration of its verb.

What a command line spells as words is plain JSON for an agent: metadata is an object, and so are the fields that
`set` writes. `words_of` turns them back into the words that the verb knows.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from types import MappingProxyType
from typing import Any, Final

from replica.json_text import parse_json
from samemind.declaring import Declared, bounds_of
from samemind.errors import Usage
from samemind.formats.arguments import assignments_of, pairs_of

Schema = dict[str, Any]

# Options that are `K=V` words on a line, and an object here; and what makes the words.
_OBJECTS: Final = {"meta": pairs_of, "values": assignments_of}
# Lines of JSON, of which an agent writes the values.
_LINES: Final = "lines"
# What an agent is told of an option whose words for people speak of a terminal.
_SAID: Final[Mapping[str, str]] = {
    "text": "one idea in plain words",
    "tag": "labels",
    "tags": "labels",
    "meta": "anything else, by name",
    "values": "fields and their new values; null clears one",
    "lines": "texts, or objects with a `text` and what `remember` takes",
    "was": "refuse it unless this is the text now",
    "undo_s": "wait this long before anything is written; cancelling the call prevents it",
    "pin": "always in `context`",
    "id": "its id",
    "rid": "the memory's id",
    "rids": "the memories' ids",
    "workspace": "a shared space",
    "event_start": "when it happened; words too",
    "since": "a time, or words: 'last March'",
    # The tool's own description has these words already.
    "verdict": "",
}
_PLAIN: Final[Mapping[type, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def input_schema(
    options: Iterable[Declared],
    hidden: frozenset[str] = frozenset(),
    unless_told: Mapping[str, Any] = MappingProxyType({}),
) -> Schema:
    """Return what a tool takes: the options that an agent is shown, without those that are `hidden` from it here.

    `unless_told` are values that stand in for those it does not give.

    That there are no others is not said for each tool, for it takes room in every conversation: a name that is not
    known is refused with those that are. Nor is how long a text may be: that is counted in bytes, which JSON Schema
    cannot say.
    """
    shown = [one for one in options if one.name not in hidden]
    properties = {one.name: _option(one, unless_told.get(one.name)) for one in shown}
    schema: Schema = {"type": "object", "properties": properties}
    required = [one.name for one in shown if one.required]
    if required:
        schema["required"] = required
    return schema


def words_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a verb from the arguments of a tool."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if name == _LINES and isinstance(value, list):
            value = [_line(each) for each in value]
        elif name in _OBJECTS and value is not None:
            if not isinstance(value, dict):
                raise Usage(f"{name}: expected an object, got {value!r:.60}", code="invalid")
            value = _OBJECTS[name](value)
        found[name] = value
    return found


def _line(item: Any) -> str:
    """Return a text or an object as a line of JSON; what is one already stays."""
    is_line = isinstance(item, str) and item.lstrip().startswith("{")
    return str(item) if is_line else json.dumps(item)


def as_meant(arguments: Mapping[str, Any], options: Iterable[Declared]) -> dict[str, Any]:
    """Return arguments of a tool without the slips of models, which write numbers, lists and objects as texts.

    One text where several may stand is one of them.
    """
    known = {one.name: one for one in options}
    return {
        name: _meant(known[name], value) if name in known and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _meant(one: Declared, text: str) -> Any:
    """Return what a text stands for where none is expected; the text itself where it is none of that."""
    wanted: tuple[type, ...] = (one.type,)
    if one.name in _OBJECTS:
        wanted = (dict,)
    elif one.many:
        wanted = (list,)
    elif one.type is str:
        return text
    elif one.type is float:
        wanted = (int, float)
    try:
        read = parse_json(text.lower() if one.type is bool else text)
    except ValueError:
        read = None
    if type(read) in wanted:
        return read
    return [text] if one.many and one.name not in _OBJECTS else text


def _option(one: Declared, unless_told: Any) -> Schema:
    said = _SAID.get(one.name, one.word.help)
    if unless_told is not None:
        said = said.partition("; without it")[0]
    described: Schema = {"description": said} if said else {}
    if one.name in _OBJECTS:
        return {"type": "object", **described}
    plain: Schema = {"type": _PLAIN[one.type], **bounds_of(one)}
    if one.word.choices:
        plain["enum"] = list(one.word.choices)
    if one.name == _LINES:
        plain = {"type": ["string", "object"]}
    if one.many:
        return {"type": "array", "items": plain, **described}
    default = one.default if unless_told is None else unless_told
    if not one.required and default not in (None, False, MISSING):
        described["default"] = default
    return {**plain, **described}
