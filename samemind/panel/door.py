"""Open the panel: listen, serve the page and its routes, and let browsers in.

On loopback it is plain HTTP, as nobody else hears that. Anywhere else it is HTTPS only: a token or a memory must not
cross a network in the open. It listens until the device stops, and ends with it within a moment.
"""

import logging
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from replica import parse_memory_id
from samemind.catalog import verb_named
from samemind.commands.contradictions.reopen import ReopenContradiction
from samemind.commands.contradictions.reopen import run as contradictions_reopen
from samemind.commands.contradictions.resolve import ResolveContradiction
from samemind.commands.contradictions.resolve import run as contradictions_resolve
from samemind.commands.contradictions.show import ShowContradiction
from samemind.commands.contradictions.show import run as contradictions_show
from samemind.commands.graph.unrelate import edge_named
from samemind.commands.graph.unrelate import run as take_edge_away
from samemind.control.server import Say
from samemind.declaring import read_options
from samemind.errors import NotFound, SamemindError, Usage
from samemind.formats.plain import to_json
from samemind.formats.qr import qr_rows
from samemind.panel.access import BrowserSession
from samemind.panel.api import failed, offered, read_object, stream, verb_routes
from samemind.panel.browsing import about, browse, cards, graph, memory, names, on_this_day, search, timeline
from samemind.panel.events import Events
from samemind.panel.feeding import feed_route
from samemind.panel.forgetting import rids_of_everything, shown_with
from samemind.panel.guard import API, LINK_ROUTE, SESSION_ROUTE, Guard, TooLong, refuse
from samemind.panel.linking import link
from samemind.panel.openapi import openapi_document
from samemind.panel.opened import Panel
from samemind.panel.phone_pages import phone_routes
from samemind.panel.posting import add_mailbox
from samemind.panel.serving import GRACE_S, listening
from samemind.panel.spaces import spaces
from samemind.panel.undo import CLEAR_ALL_S, FORGET_S

if TYPE_CHECKING:
    from samemind.device import Device

# The certificate is renewed a month before it runs out.
_CERTIFIED_EVERY_S: Final = 86_400.0
_TYPES: Final = {".js": "text/javascript", ".webmanifest": "application/manifest+json"}

_log: Final = logging.getLogger(__name__)


@asynccontextmanager
async def open_panel(device: "Device", host: str, port: int) -> AsyncIterator[Panel]:
    """Serve the panel for the block."""
    plain = listening(host, port, what="the panel", option="--panel")
    async with trio.open_nursery() as nursery:
        panel = Panel(device, nursery, host, plain.getsockname()[1])
        if not panel.is_local:
            panel.certify()
            nursery.start_soon(_stay_certified, panel)
        certificate = None if panel.is_local else str(device.home.certificate)
        serving = trio.Event()

        async def run() -> None:
            try:
                await panel.door.serve(application(panel), plain, certificate=certificate, stop=device.stop)
            finally:
                serving.set()

        nursery.start_soon(run)
        nursery.start_soon(panel.moments.warm)
        try:
            yield panel
        finally:
            device.stop.set()
            with trio.move_on_after(2 * GRACE_S, shield=True):
                await serving.wait()
                await panel.moments.close()
                panel.carrying.close()
            nursery.cancel_scope.cancel()  # what still waits to be forgotten is not forgotten


async def _stay_certified(panel: Panel) -> None:
    """Renew the certificate while the panel is open for a year."""
    while True:
        await trio.sleep(_CERTIFIED_EVERY_S)
        try:
            await trio.to_thread.run_sync(panel.certify)
        except (SamemindError, OSError):
            _log.exception("the panel's certificate could not be renewed")


def application(panel: Panel) -> ASGIApp:
    """Return the whole panel as an ASGI application."""
    routes: list[BaseRoute] = [
        *_pages(),
        WebSocketRoute(LINK_ROUTE, partial(link, panel)),
        *phone_routes(panel),
        feed_route(panel, otherwise=_no_route),
        *_own_routes(panel),
        *_undo_routes(panel),
        *_browsing_routes(panel),
        *_carrying_routes(panel),
        *verb_routes(panel),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={404: _no_route, 405: _no_route}), panel)


async def _no_route(request: Request, error: Exception) -> Response:
    return refuse(404, "not_found", "there is nothing here that can be asked so")


def _pages() -> Iterable[Route]:
    """Return a route for each file of the page, read once: no address is ever made into a path."""
    root = files("samemind.panel").joinpath("static")
    found: dict[str, tuple[bytes, str]] = {}
    waiting = [("", root)]
    while waiting:
        prefix, folder = waiting.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                waiting.append((f"{prefix}{entry.name}/", entry))
            else:
                suffix = f".{entry.name.rpartition('.')[2]}"
                kind = _TYPES.get(suffix) or mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
                found[f"/{prefix}{entry.name}"] = entry.read_bytes(), kind
    found["/"] = found["/index.html"]
    return [Route(path, _page(body, kind), methods=["GET"]) for path, (body, kind) in found.items()]


def _page(body: bytes, kind: str) -> Any:
    async def answer(request: Request) -> Response:
        # Revalidated each time: after an upgrade no page may run half of the old one.
        return Response(body, media_type=kind, headers={"cache-control": "no-cache"})

    return answer


def _own_routes(panel: Panel) -> Iterable[Route]:
    """Return what a page needs beside the verbs: to come in, to hear news, and to show codes."""

    async def enter(request: Request) -> Response:
        asked = await read_object(request)
        cookie = panel.keeper.admit(str(asked.get("launch", "")), panel.now_ms())
        if cookie is None:
            return refuse(403, "bad_launch", "this address was used already, or is too old", _AGAIN)
        session = panel.keeper.session(cookie, panel.now_ms())
        assert session is not None
        response = JSONResponse(_told(panel, session))
        response.set_cookie(
            panel.cookie_name, cookie, httponly=True, samesite="strict", secure=not panel.is_local
        )
        return response

    async def look(request: Request) -> Response:
        return JSONResponse(_told(panel, request.scope["session"]))

    async def leave(request: Request) -> Response:
        panel.keeper.leave(request.scope["session"])
        panel.left.stir()
        response = JSONResponse({})
        response.delete_cookie(panel.cookie_name)
        return response

    async def draw(request: Request) -> Response:
        return JSONResponse({"rows": qr_rows(str((await read_object(request)).get("text", "")))})

    async def invite(request: Request) -> Response:
        if panel.is_local:
            raise NotFound("the panel answers this machine only", code="local_only", hint=_WIDER)
        urls = panel.launch()
        return JSONResponse({"urls": urls, "fingerprint": panel.fingerprint, "rows": qr_rows(urls[0])})

    async def post(request: Request) -> Response:
        return JSONResponse(await add_mailbox(panel.device, await read_object(request)))

    async def describe(request: Request) -> Response:
        return JSONResponse(openapi_document())

    base = f"{API}/panel"
    return [
        Route(SESSION_ROUTE, _told_errors(enter), methods=["POST"]),
        Route(SESSION_ROUTE, look, methods=["GET"]),
        Route(f"{base}/leave", leave, methods=["POST"]),
        Route(f"{base}/qr", _told_errors(draw), methods=["POST"]),
        Route(f"{base}/invite", _told_errors(invite), methods=["POST"]),
        Route(f"{base}/mailbox", _told_errors(post), methods=["POST"]),
        Route(f"{base}/events", Events(panel), methods=["GET"]),
        Route(f"{API}/openapi.json", describe, methods=["GET"]),
    ]


def _undo_routes(panel: Panel) -> Iterable[Route]:
    """Return what can be taken back within seconds: forgetting, parting, and deciding what contradicts itself."""

    async def forget(request: Request) -> Response:
        asked = await read_object(request)
        if asked.get("all") is True:
            return _json(panel.undo.open(await rids_of_everything(panel.device), CLEAR_ALL_S))
        rids = asked.get("rids")
        if not isinstance(rids, list) or not rids or not all(isinstance(rid, str) for rid in rids):
            raise Usage("expected a list of ids as rids, or all", code="invalid")
        for rid in rids:
            parse_memory_id(rid)  # once the window closes there is nobody left to be told that it is none
        return _json(panel.undo.open(rids, FORGET_S, covered=await shown_with(panel.device, rids)))

    async def decide(request: Request) -> Response:
        options = read_options(_RESOLVE, await read_object(request))
        shown = await contradictions_show(panel.device, ShowContradiction(id=options.id))
        return _json(
            panel.undo.decide(shown.id, lambda: _decide_anew(panel.device, replace(options, id=shown.id)))
        )

    async def unrelate(request: Request) -> Response:
        options = read_options(_UNRELATE, await read_object(request))
        edge = await panel.device.replica.read(partial(edge_named, options))
        return _json(
            panel.undo.part(
                (edge.source, edge.relation, edge.target), lambda: take_edge_away(panel.device, options)
            )
        )

    async def undo(request: Request) -> Response:
        return _json(panel.undo.undo(str((await read_object(request)).get("id", ""))))

    async def hold(request: Request) -> Response:
        return JSONResponse({"seconds": panel.undo.hold(str((await read_object(request)).get("id", "")))})

    base = f"{API}/panel"
    return [
        Route(f"{base}/forget", _told_errors(forget), methods=["POST"]),
        Route(f"{base}/decide", _told_errors(decide), methods=["POST"]),
        Route(f"{base}/unrelate", _told_errors(unrelate), methods=["POST"]),
        Route(f"{base}/undo", _told_errors(undo), methods=["POST"]),
        Route(f"{base}/hold", _told_errors(hold), methods=["POST"]),
    ]


async def _decide_anew(device: "Device", options: ResolveContradiction) -> None:
    """Decide what contradicts itself; what merged it before is undone, as somebody has decided otherwise since."""
    try:
        await contradictions_resolve(device, options)
    except Usage as refused:
        if refused.code != "merged":
            raise
        await contradictions_reopen(device, ReopenContradiction(id=options.id))
        await contradictions_resolve(device, options)


def _browsing_routes(panel: Panel) -> Iterable[Route]:
    """Return what pages of memories are read by."""
    device, moments = panel.device, panel.moments

    def answering(answer: Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]) -> Any:
        async def respond(request: Request) -> Response:
            return JSONResponse(await answer(await read_object(request)))

        return _told_errors(respond)

    day = answering(lambda asked: on_this_day(moments, asked, device.now_ms()))
    line = answering(lambda asked: timeline(moments, asked, device.now_ms()))
    base = f"{API}/panel"
    return [
        Route(f"{base}/browse", answering(partial(browse, moments)), methods=["POST"]),
        Route(f"{base}/search", answering(partial(search, moments)), methods=["POST"]),
        Route(f"{base}/names", answering(partial(names, moments)), methods=["POST"]),
        Route(f"{base}/about", answering(partial(about, moments)), methods=["POST"]),
        Route(f"{base}/graph", answering(partial(graph, moments)), methods=["POST"]),
        Route(f"{base}/cards", answering(partial(cards, moments)), methods=["POST"]),
        Route(f"{base}/memory", answering(partial(memory, device, moments)), methods=["POST"]),
        Route(f"{base}/timeline", line, methods=["POST"]),
        Route(f"{base}/on-this-day", day, methods=["POST"]),
        Route(f"{base}/spaces", answering(lambda _: spaces(device, moments)), methods=["POST"]),
        Route(f"{base}/settings", answering(lambda _: panel.settings.show()), methods=["POST"]),
        Route(f"{base}/settings/change", answering(panel.settings.change), methods=["POST"]),
    ]


def _carrying_routes(panel: Panel) -> Iterable[Route]:
    """Return what brings memories in from a file of the page, and takes them out."""
    carrying = panel.carrying

    async def begin(request: Request) -> Response:
        return JSONResponse(carrying.begin((await read_object(request)).get("name")))

    async def add(request: Request) -> Response:
        try:
            part = await request.body()
        except TooLong:
            raise Usage("expected a smaller part", code="too_large") from None
        return JSONResponse(await carrying.add(request.path_params["id"], part))

    async def take_back(request: Request) -> Response:
        return JSONResponse(await carrying.take_back(str((await read_object(request)).get("id", ""))))

    async def back_up(request: Request) -> Response:
        return JSONResponse(await carrying.back_up())

    base = f"{API}/panel"
    return [
        Route(f"{base}/upload", _told_errors(begin), methods=["POST"]),
        Route(f"{base}/upload/{{id}}", _told_errors(add), methods=["POST"]),
        Route(f"{base}/import", _Streaming(panel, carrying.bring_in), methods=["POST"]),
        Route(f"{base}/import-undo", _told_errors(take_back), methods=["POST"]),
        Route(f"{base}/export", _Streaming(panel, carrying.take_out), methods=["POST"]),
        Route(f"{base}/backup", _told_errors(back_up), methods=["POST"]),
    ]


class _Streaming:
    """A route that says things before it ends; what was asked is its body."""

    def __init__(
        self, panel: Panel, act: Callable[[Mapping[str, Any], Say], Awaitable[Mapping[str, Any]]]
    ) -> None:
        self._panel = panel
        self._act = act

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            asked = await read_object(Request(scope, receive))
        except Exception as error:
            await failed(error)(scope, receive, send)
            return
        await stream(self._panel, receive, send, partial(self._act, asked))


_RESOLVE: Final = verb_named("contradictions resolve")
_UNRELATE: Final = verb_named("unrelate")
_AGAIN: Final = "run `samemind panel` again on this device"
_WIDER: Final = "start the daemon with `samemind up --panel 0.0.0.0:7412`"


def _told(panel: Panel, session: BrowserSession) -> dict[str, Any]:
    return {
        "csrf": session.csrf,
        "device_id": panel.device.device_id.hex(),
        "name": panel.device.name,
        "local": panel.is_local,
        "verbs": [verb.name for verb in offered()],
    }


def _json(waiting: Any) -> JSONResponse:
    return JSONResponse(to_json(waiting))


def _told_errors(handler: Any) -> Any:
    async def answer(request: Request) -> Response:
        try:
            response: Response = await handler(request)
        except Exception as error:
            return failed(error)
        return response

    return answer
