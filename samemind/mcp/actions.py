"""Offer the tools of the core profile as plain HTTP, for programs that take an OpenAPI document and not MCP.

A custom GPT is one. It takes at most thirty operations, wants each described in at most 300 characters, and sends the
token that its builder typed. Each tool is a `POST` of its arguments; what comes back is what MCP gives as structured
content. Who asks, what it may see and what is written down of it is the same as there.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse

from samemind.agents.grants import Rights
from samemind.errors import NotFound, SamemindError
from samemind.library.home_store import VerbPerformer
from samemind.mcp.calling import MAY_ONLY_READ, as_agent, options_of, told_to
from samemind.mcp.schema import Schema, input_schema
from samemind.mcp.scope import Scope, scoped
from samemind.mcp.structured import NOTE, structured
from samemind.mcp.tools import Tool, core, full, named
from samemind.panel.api import failed, read_object

DOCUMENT_PATH: Final = "/openapi.json"
TOOLS_PATH: Final = "/tools/"
# What a GPT's editor refuses beyond.
OPERATIONS_MAX: Final = 30
DESCRIPTION_CHARACTERS_MAX: Final = 300
_ABOUT: Final = (
    "The user's memory. Ask it before answering what depends on who the user is, and store what is worth knowing "
    f"later. {NOTE}"
)


async def act(request: Request, name: str, store: VerbPerformer, rights: Rights) -> JSONResponse:
    """Have a tool used with the arguments in a request, and return what came of it."""
    try:
        return JSONResponse(await _used(name, await read_object(request), store, rights))
    except Exception as error:
        return failed(error)


async def _used(
    name: str, arguments: Mapping[str, Any], store: VerbPerformer, rights: Rights
) -> Mapping[str, Any]:
    scope = Scope(rights.workspace, rights.share)
    tools = full() if rights.profile == "full" else core()
    allowed = named(
        tuple(tool for tool in tools if scope.allows(tool.verb) and (tool.read_only or not rights.read_only))
    )
    tool = allowed.get(name)
    if tool is None:
        may = f"{MAY_ONLY_READ}: " if rights.read_only and name in named(tools) else ""
        raise NotFound(f"{may}expected a tool among {', '.join(allowed)}; got {name!r:.60}")

    async def ask(verb: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
        given, again = as_agent(tool, verb, options)
        return await store.ask(verb, given, again=again)

    try:
        options = options_of(tool, arguments, scope)
        document = await scoped(ask, scope)(tool.verb, options)
    except SamemindError as error:
        raise told_to(tool, error, allowed.values()) from error
    return structured(tool.verb, document, options)


def tools_document(base: str) -> dict[str, Any]:
    """Return the description, for the address that it was asked by."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "samemind", "version": version("samemind"), "description": _ABOUT},
        "servers": [{"url": base}],
        "paths": _paths(),
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


@cache
def _paths() -> dict[str, Any]:
    return {f"{TOOLS_PATH}{tool.name}": {"post": _operation(tool)} for tool in core()}


def _operation(tool: Tool) -> dict[str, Any]:
    asked = _opened(input_schema(tool.options(), unless_told=tool.unless_told()))
    return {
        "operationId": tool.name,
        "summary": tool.title,
        "description": _short(tool.description),
        # A GPT asks its user before each call of what is marked so, and lets them allow the others for good.
        "x-openai-isConsequential": tool.destructive,
        "requestBody": {
            "required": "required" in asked,
            "content": {"application/json": {"schema": asked}},
        },
        "responses": {
            "200": {
                "description": "what came of it",
                "content": {"application/json": {"schema": _RESULT}},
            },
            "401": {
                "description": "the token is missing, or is not one",
                "content": {"application/json": {"schema": _NO_TOKEN}},
            },
            "default": {
                "description": "what was wrong, and what to do",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }


def _short(text: str) -> str:
    """Return as many whole sentences as a GPT's editor takes."""
    while len(text) > DESCRIPTION_CHARACTERS_MAX:
        text = text[: text.rstrip(".").rindex(".") + 1]
    return text


def _opened(schema: Schema) -> Schema:
    """Return a schema in which each object says which properties it has: editors refuse those that say nothing."""
    found = dict(schema)
    if found.get("type") == "object":
        if "properties" in found:
            found["properties"] = {name: _opened(each) for name, each in found["properties"].items()}
        else:
            found |= {"properties": {}, "additionalProperties": True}
    return found


_RESULT: Final = {
    "type": "object",
    "properties": {"note": {"type": "string", "description": "what the texts in it are"}},
    "additionalProperties": True,
}
# As OAuth says it.
_NO_TOKEN: Final = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("error", "error_description")},
}
_ERROR: Final = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        }
    },
}
