"""Describe the panel's routes as OpenAPI 3.1, from the same declarations that make them."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from samemind.declaring import Command, Declared, bounds_of
from samemind.panel.api import STATUS_BY_EXIT_CODE, offered, offered_options, path_of
from samemind.panel.guard import CSRF_HEADER

_PLAIN: Final[Mapping[Any, str]] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def openapi_document() -> dict[str, Any]:
    """Return the whole description."""
    shapes: dict[str, Any] = {"Error": _ERROR}
    paths = {path_of(verb): {"post": _operation(verb, shapes)} for verb in offered()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "samemind", "version": version("samemind")},
        "paths": paths,
        "components": {
            "schemas": shapes,
            "securitySchemes": {"csrf": {"type": "apiKey", "in": "header", "name": CSRF_HEADER}},
        },
        "security": [{"csrf": []}],
    }


def _operation(verb: Command[Any, Any], shapes: dict[str, Any]) -> dict[str, Any]:
    options = offered_options(verb)
    asked: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {one.name: _option(one) for one in options},
    }
    if required := [one.name for one in options if one.required]:
        asked["required"] = required
    answer = "application/x-ndjson" if verb.streams else "application/json"
    return {
        "operationId": verb.name.replace(" ", "_").replace("-", "_"),
        "summary": verb.help,
        "requestBody": {"required": bool(required), "content": {"application/json": {"schema": asked}}},
        "responses": {
            "200": {"description": "done", "content": {answer: {"schema": _shape(verb.result, shapes)}}},
            **{
                str(status): {
                    "description": f"what the command line ends with exit code {code} for",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for code, status in STATUS_BY_EXIT_CODE.items()
            },
        },
    }


def _option(one: Declared) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": _PLAIN[one.type]}
    if one.word.choices:
        kind["enum"] = list(one.word.choices)
    kind |= bounds_of(one)
    shown: dict[str, Any] = {"type": "array", "items": kind} if one.many else kind
    if one.default not in (None, MISSING, ()):
        shown["default"] = one.default
    return {**shown, "description": one.word.help} if one.word.help else shown


def _shape(hint: Any, shapes: dict[str, Any]) -> dict[str, Any]:
    if get_origin(hint) in (types.UnionType, Union):
        kinds = [each for each in get_args(hint) if each is not type(None)]
        return {"anyOf": [*(_shape(kind, shapes) for kind in kinds), {"type": "null"}]}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in shapes:
            shapes[hint.__name__] = {}  # named before it is described: a shape may hold itself
            hints = get_type_hints(hint)
            shapes[hint.__name__] = {
                "type": "object",
                "properties": {one.name: _shape(hints[one.name], shapes) for one in fields(hint)},
                "required": [one.name for one in fields(hint)],
            }
        return {"$ref": f"#/components/schemas/{hint.__name__}"}
    if get_origin(hint) in (list, tuple):
        return {"type": "array", "items": _shape(get_args(hint)[0], shapes)}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


_ERROR: Final = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
            "required": ["code", "message", "hint"],
        }
    },
    "required": ["error"],
}
