"""Give every verb that may be asked from a page a route of its own, by its declaration, and nothing else.

`POST /api/v1/<verb>` takes the verb's options as one JSON object and answers with its result, as `--json` prints it.
A verb that goes on answers with a line of JSON for each thing it says, then its result. Only what is declared with
`panel=True` has a route: a verb that touches files or other programs must not become reachable from a browser because
somebody added it.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import trio
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from replica.json_text import parse_json
from samemind.catalog import NAMES, verb_named
from samemind.declaring import Command, Declared, declared, read_options
from samemind.errors import SamemindError, Usage, explain
from samemind.formats.plain import to_json
from samemind.panel.guard import API, TooLong, TooSlow
from samemind.performing import perform

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.panel.opened import Panel

# What went wrong, in the exit codes of the command line and in HTTP's.
STATUS_BY_EXIT_CODE: Final[Mapping[int, int]] = {1: 500, 2: 400, 3: 404, 4: 409, 5: 502, 6: 423}


def offered() -> list[Command[Any, Any]]:
    """Return the verbs that have a route, in the catalog's order."""
    return [verb for verb in map(verb_named, NAMES) if verb.panel is True]


def offered_options(verb: Command[Any, Any]) -> list[Declared]:
    """Return the options of a verb that a page may give."""
    return [one for one in declared(verb.options) if "panel" not in one.word.hidden_from]


def path_of(verb: Command[Any, Any]) -> str:
    """Return a verb's route."""
    return f"{API}/{verb.name.replace(' ', '/')}"


def verb_routes(panel: "Panel") -> list[Route]:
    """Return a route for each verb that is offered."""
    return [
        Route(
            path_of(verb), Streamed(panel, verb) if verb.streams else Answered(panel, verb), methods=["POST"]
        )
        for verb in offered()
    ]


def _read(verb: Command[Any, Any], given: Mapping[str, Any]) -> Any:
    hidden = {one.name for one in declared(verb.options)} - {one.name for one in offered_options(verb)}
    if withheld := sorted(hidden & given.keys()):
        raise Usage(f"{verb.name}: {', '.join(withheld)} is for the command line", code="not_here")
    return read_options(verb, given)


class Answered:
    """A verb that has one answer."""

    def __init__(self, panel: "Panel", verb: Command[Any, Any]) -> None:
        self._panel = panel
        self._verb = verb

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            options = _read(self._verb, await read_object(Request(scope, receive)))
            response = JSONResponse(await _performed(self._panel, self._verb, options))
        except Exception as error:
            response = failed(error)
        await response(scope, receive, send)


class Streamed:
    """A verb that says things before it ends: JSON lines. It ends when the page goes away."""

    def __init__(self, panel: "Panel", verb: Command[Any, Any]) -> None:
        self._panel = panel
        self._verb = verb

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            options = _read(self._verb, await read_object(Request(scope, receive)))
        except Exception as error:
            await failed(error)(scope, receive, send)
            return
        await stream(
            self._panel, receive, send, lambda say: perform(self._panel.device, self._verb, options, say)
        )


async def stream(
    panel: "Panel", receive: Receive, send: Send, act: Callable[["Say"], Awaitable[Mapping[str, Any]]]
) -> None:
    """Answer with a line of JSON for each thing that is said, then the result or what went wrong."""
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"application/x-ndjson")],
        }
    )

    async def write(document: Mapping[str, Any]) -> None:
        line = json.dumps(document, ensure_ascii=False).encode() + b"\n"
        await send({"type": "http.response.body", "body": line, "more_body": True})

    async def say(said: Mapping[str, Any]) -> None:
        await write({"say": said})

    async with trio.open_nursery() as nursery:
        nursery.start_soon(until_gone, receive, nursery.cancel_scope)
        nursery.start_soon(panel.until_closing, nursery.cancel_scope)
        try:
            await write({"result": await act(say)})
        except Exception as error:
            await write({"error": explain(error).document()})
        nursery.cancel_scope.cancel()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def until_gone(receive: Receive, scope: trio.CancelScope) -> None:
    """Cancel when the browser hangs up."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _performed(panel: "Panel", verb: Command[Any, Any], options: Any) -> Mapping[str, Any]:
    """Perform a verb; what the command line does itself, here for a page, reads and writes files beside the store."""
    if not verb.alone:
        return await perform(panel.device, verb, options, _unheard)
    document: Mapping[str, Any] = to_json(await trio.to_thread.run_sync(verb.run, panel.device.home, options))
    return document


async def read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object in a body; an empty body is an empty object."""
    try:
        body = await request.body()
        found = parse_json(body) if body else {}
    except TooLong:
        raise Usage("expected a smaller body", code="too_large") from None
    except TooSlow:
        raise Usage("expected the rest of the body", code="too_slow") from None
    except ValueError:
        raise Usage("expected a JSON object", code="invalid") from None
    if not isinstance(found, dict):
        raise Usage(f"expected a JSON object, got {type(found).__name__}", code="invalid")
    return found


def failed(error: Exception) -> JSONResponse:
    """Return an error as a document, with the status that fits."""
    told: SamemindError = explain(error)
    status = 413 if told.code == "too_large" else STATUS_BY_EXIT_CODE[told.exit_code]
    return JSONResponse({"error": told.document()}, status_code=status)


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile; its result is the answer."""
