"""Serve remote agents over MCP's streamable HTTP: on loopback in the open, to other machines by HTTPS.

Each agent comes in with a token of its own, and has a server of its own with the tools and the workspace that its owner
gave it. Whoever has none is told where to get one (`samemind.mcp.oauth`). A request is let in only under a name of this
server (or the proxy's, where one stands before it) and from no web page of somebody else's. The same tools are there as
plain HTTP (`samemind.mcp.actions`), for programs that take an OpenAPI document.
"""

import html
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

import trio
from mcp.server.auth.routes import create_auth_routes, create_protected_resource_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as HttpScope

from replica import wall_clock_ms
from samemind.agents import grants as granting
from samemind.agents.calls import CallingAgent, CallLog
from samemind.agents.grants import Agent, Grants
from samemind.agents.ledger import Ledger
from samemind.config import Home
from samemind.errors import Usage
from samemind.library.home_store import HomeStore, VerbPerformer
from samemind.mcp.actions import DOCUMENT_PATH, TOOLS_PATH, act, tools_document
from samemind.mcp.noting import NotedStore
from samemind.mcp.oauth import BEARER, PEER, SCOPE, Provider, where_to
from samemind.mcp.scope import Scope
from samemind.mcp.server import open_server
from samemind.panel.access import host_is_ours, is_loopback, written_plainly
from samemind.panel.certificate import ensure_certificate
from samemind.panel.crowd import caller_of
from samemind.panel.guard import bounded
from samemind.panel.serving import Door, listening, machine_names
from samemind.platform import system
from sync.dialling import ANY
from sync.loopback import is_this_machine
from sync.network import own_addresses, url_hosts

MCP_PATH: Final = "/mcp"
_RESOURCE_PATH: Final = "/.well-known/oauth-protected-resource"
_SERVER_PATH: Final = "/.well-known/oauth-authorization-server"
# A memory has at most 1 MiB of text, which JSON may write six times as long.
BODY_BYTES_MAX: Final = 8 << 20
# Of those who were not let in. What a program may say about itself (`granting.CLIENT_BYTES_MAX`) fits in several times.
OPEN_BODY_BYTES_MAX: Final = 64 << 10
# One program keeps a few sessions; more are those that it forgot, and the one that was idle longest makes room.
SESSIONS_MAX: Final = 32
SESSION_IDLE_S: Final = 1_800.0
# How soon an agent that was revoked loses the streams that it has open.
REVOKED_WITHIN_S: Final = 1.0
# How often the page that waits for the owner looks again.
PAGE_LOOKS_S: Final = 2
# What one house has of IPv6: whoever is in it takes a new address at will.
_HOUSE_BITS: Final = 64
_PAGE_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class _Sessions:
    """The sessions of one agent. The SDK keeps them, and refuses one too many; here the forgotten ones are ended."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager
        # How many requests of each are under way; the one that was asked last is the last.
        self._under_way: dict[str, int] = {}
        self._opening = 0

    async def handle(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        """Answer a request, which may open a session."""
        session = Headers(scope=scope).get(MCP_SESSION_ID_HEADER)
        if session is None:
            await self._open(scope, receive, send)
            return
        if session not in self._under_way:  # one that ended here; or it never was
            await self._manager.handle_request(scope, receive, send)
            return
        self._under_way[session] = self._under_way.pop(session) + 1
        try:
            await self._manager.handle_request(scope, receive, send)
        finally:
            if session in self._under_way:
                self._under_way[session] -= 1
        if scope["method"] == "DELETE":
            self._under_way.pop(session, None)

    async def _open(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        self._opening += 1
        try:
            while len(self._under_way) + self._opening > SESSIONS_MAX:
                idle = next((each for each, requests in self._under_way.items() if not requests), None)
                if idle is None:
                    break  # all of them are at work: this one is refused
                del self._under_way[idle]
                await self._end(idle, scope)
            await self._manager.handle_request(scope, receive, partial(self._note, send))
        finally:
            self._opening -= 1

    async def _note(self, send: Send, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < HTTPStatus.BAD_REQUEST:
            opened = Headers(raw=message["headers"]).get(MCP_SESSION_ID_HEADER)
            if opened is not None:
                self._under_way.setdefault(opened, 0)
        await send(message)

    async def _end(self, session: str, scope: HttpScope) -> None:
        """End a session as its agent would, which did not."""
        headers = [(MCP_SESSION_ID_HEADER.encode(), session.encode())]

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            pass  # whatever is answered: it is gone

        await self._manager.handle_request({**scope, "method": "DELETE", "headers": headers}, receive, send)


@dataclass(slots=True)
class _Live:
    """An agent that has been here since this server started."""

    agent: Agent
    sessions: _Sessions
    ending: trio.CancelScope


class RemoteAgents:
    """The ASGI application; made by `open_remote`."""

    def __init__(
        self,
        store: VerbPerformer,
        ledger: Ledger,
        log: CallLog,
        nursery: trio.Nursery,
        *,
        host: str,
        port: int,
        public_url: str | None,
        stop: trio.Event,
        now_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self._stop = stop
        self._store = store
        self._ledger = ledger
        self._log = log
        self._nursery = nursery
        self._now_ms = now_ms
        self._host = host
        self._port = port
        self._public = public_url
        self._prefix = "" if public_url is None else urlsplit(public_url).path
        self.is_local = is_loopback(host)
        self.door = Door()
        self._live: dict[str, _Live] = {}
        self._starting = trio.Lock()
        self._apps: dict[str, ASGIApp] = {}

    @property
    def url(self) -> str:
        """The address to give to an agent."""
        if self._public is not None:
            return f"{self._public}{MCP_PATH}"
        hosts = (url_hosts() or ["127.0.0.1"]) if self._host in ANY else [self._host]
        shown = f"[{hosts[0]}]" if ":" in hosts[0] else hosts[0]
        return f"{'http' if self.is_local else 'https'}://{shown}:{self._port}{MCP_PATH}"

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # a WebSocket: answered by nothing, which closes it
        scope = {**scope, "path": _below(self._prefix, scope["path"])}
        headers = Headers(scope=scope)
        base = self._base(scope, headers)
        if base is None:
            await _refused(421, "foreign_host", "expected an address of this server")(scope, receive, send)
            return
        origin = headers.get("origin")
        is_tool = scope["path"].startswith(TOOLS_PATH) and scope["method"] == "POST"
        if scope["path"] != MCP_PATH and not is_tool:
            if headers.get("sec-fetch-dest", "document") != "document" and scope["path"] == "/authorize":
                # A web page that asks behind its user's back, by a picture or a script, could ask without end.
                answer = _refused(403, "foreign_page", "expected a browser that a person sent here")
                await answer(scope, receive, send)
                return
            PEER.set(_network_of(scope.get("client")))
            await self._pages(base)(scope, receive, send)
        elif origin is not None and origin != base.removesuffix(self._prefix):
            await _refused(403, "foreign_origin", "expected no web page of another origin")(
                scope, receive, send
            )
        else:
            await self._serve(base, headers, scope, receive, send)

    def _base(self, scope: HttpScope, headers: Headers) -> str | None:
        """Return the address that was asked, without a path; None where it is none of ours.

        Pages are kept for each, so whoever asks must not be able to make many of one.
        """
        if self._public is not None:
            return self._public
        host = headers.get("host", "")
        ours = len(headers.getlist("host")) == 1 and host_is_ours(
            host, server=tuple(scope["server"]), names=frozenset() if self.is_local else machine_names()
        )
        return f"{scope['scheme']}://{written_plainly(host)}" if ours else None

    async def _serve(
        self, base: str, headers: Headers, scope: HttpScope, receive: Receive, send: Send
    ) -> None:
        kind, _, secret = headers.get("authorization", "").partition(" ")
        agent = await self._agent(base, secret.strip()) if kind.casefold() == "bearer" else None
        if agent is None:
            answer = _refused(401, "invalid_token", "expected a token: samemind agents add NAME, or OAuth")
            about = f"{base}{_RESOURCE_PATH}{MCP_PATH}"
            answer.headers["www-authenticate"] = f'Bearer error="invalid_token", resource_metadata="{about}"'
            await answer(scope, receive, send)
            return
        self.door.know(scope.get("client"))
        if scope["path"] != MCP_PATH:
            noted = self._noted(agent)
            name = scope["path"].removeprefix(TOOLS_PATH)
            answer = await act(Request(scope, bounded(receive)), name, noted, agent.rights)
            await answer(scope, receive, send)
            return
        live = await self._session_manager(agent)
        await live.sessions.handle(scope, receive, send)

    def _noted(self, agent: Agent) -> NotedStore:
        caller = CallingAgent(agent=agent.id, name=agent.name)
        return NotedStore(self._store, self._log, lambda: caller, self._now_ms)

    async def _agent(self, base: str, secret: str) -> Agent | None:
        grants = await self._read()
        token = granting.find_token(grants, secret, BEARER, self._now_ms())
        if token is None or token.resource not in ("", f"{base}{MCP_PATH}"):
            return None
        return grants.agents[token.agent]

    async def _session_manager(self, agent: Agent) -> _Live:
        async with self._starting:
            live = self._live.get(agent.id)
            if live is None or live.agent != agent:
                if live is not None:
                    live.ending.cancel()
                live = self._live[agent.id] = await self._nursery.start(self._hold, agent)
            return live

    async def _hold(
        self, agent: Agent, task_status: "trio.TaskStatus[_Live]" = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Keep an agent's sessions until it is revoked."""
        rights = agent.rights
        noted = self._noted(agent)
        scope = Scope(rights.workspace, rights.share)
        async with open_server(
            noted, rights.profile, scope, read_only=rights.read_only, watched=self._store, ending=self._stop
        ) as server:
            manager = StreamableHTTPSessionManager(
                server,
                session_idle_timeout=SESSION_IDLE_S,
                max_request_body_size=BODY_BYTES_MAX,
                max_sessions=SESSIONS_MAX,
            )
            with trio.CancelScope() as ending:
                async with manager.run():
                    live = _Live(agent, _Sessions(manager), ending)
                    task_status.started(live)
                    # Another process revokes, by the file; and a code that is shown twice takes the tokens back.
                    while granting.may_come_in(await self._read(), agent, self._now_ms()):  # noqa: ASYNC110
                        await trio.sleep(REVOKED_WITHIN_S)
        if self._live.get(agent.id) is live:
            del self._live[agent.id]

    async def _read(self) -> Grants:
        return await trio.to_thread.run_sync(self._ledger.read)

    def _pages(self, base: str) -> ASGIApp:
        """Return what is open to all, for the address it was asked by."""
        if base not in self._apps:
            provider = Provider(self._ledger, base, self._now_ms)

            async def approve(request: Request) -> Response:
                return await _approve(provider, request)

            def document(request: Request) -> Response:
                return JSONResponse(tools_document(base), headers={"cache-control": "no-store"})

            routes = create_auth_routes(
                provider,
                AnyHttpUrl(base),
                client_registration_options=ClientRegistrationOptions(
                    enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE]
                ),
                revocation_options=RevocationOptions(enabled=True),
            )
            (resource,) = create_protected_resource_routes(
                AnyHttpUrl(f"{base}{MCP_PATH}"), [AnyHttpUrl(base)], [SCOPE], resource_name="samemind"
            )
            server = next(each for each in routes if each.path == _SERVER_PATH)
            ours = [
                Route(f"{_RESOURCE_PATH}{MCP_PATH}", resource.endpoint, methods=["GET", "OPTIONS"]),
                # Behind a proxy that hands on what is below a path alone, programs find nothing but this.
                Route("/.well-known/openid-configuration", server.endpoint, methods=["GET", "OPTIONS"]),
                Route("/approve", approve, methods=["GET"]),
                Route(DOCUMENT_PATH, document, methods=["GET"]),
            ]
            # The SDK takes 4 MiB, and 170,000 addresses in them keep the device from everything else for half a second.
            self._apps[base] = RequestBodyLimitMiddleware(
                Starlette(routes=[*routes, *ours]), OPEN_BODY_BYTES_MAX
            )
        return self._apps[base]


@asynccontextmanager
async def open_remote(
    home: Home, store: VerbPerformer, place: tuple[str, int], public_url: str | None, stop: trio.Event
) -> AsyncIterator[RemoteAgents]:
    """Serve remote agents for the block, which `stop` ends; then for a moment, in which subscriptions are told so."""
    if public_url is not None:
        public_url = _checked(public_url)
    host, port = place
    plain = listening(host, port, what="agents", option="--http or --mcp-http")
    async with trio.open_nursery() as nursery:
        remote = RemoteAgents(
            store,
            Ledger(home),
            CallLog(home.agents_log),
            nursery,
            host=host,
            port=plain.getsockname()[1],
            public_url=public_url,
            stop=stop,
        )
        served = trio.Event()
        certificate = None
        if not remote.is_local:
            hosts = {*machine_names(), "localhost", *own_addresses()}
            ensure_certificate(home, hosts, wall_clock_ms(), chosen={host} - ANY)
            certificate = str(home.certificate)

        async def serve() -> None:
            await remote.door.serve(remote, plain, certificate=certificate, stop=stop)
            served.set()

        nursery.start_soon(serve)
        yield remote
        stop.set()
        await served.wait()
        nursery.cancel_scope.cancel()


async def serve_alone(home: Home, place: tuple[str, int], public_url: str | None) -> None:
    """Serve remote agents until a signal comes, through whoever holds the store."""
    home.create()
    store = HomeStore(home)
    stop = trio.Event()
    with trio.open_signal_receiver(*system.ending_signals()) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            async with open_remote(home, store, place, public_url, stop) as remote:
                print(remote.url, flush=True)  # noqa: T201 - whoever started it gives this address to agents
                await anext(signals)
            nursery.cancel_scope.cancel()


async def _approve(provider: Provider, request: Request) -> Response:
    """Show the code to bring to the owner, until the owner decided; then send the browser back to the program."""
    pending = await provider.answer(request.query_params.get("request", ""))
    if pending is None:
        page = "<h1>This request has expired</h1><p>Go back to the program and connect again.</p>"
        return HTMLResponse(_PAGE.format(refresh="", body=page), status_code=410, headers=_PAGE_HEADERS)
    if pending.answer is not None:
        return RedirectResponse(where_to(pending), status_code=302, headers={"cache-control": "no-store"})
    code = granting.shown_code(pending.code)
    body = (
        f"<h1>{html.escape(pending.name)} asks for your memory</h1>"
        f"<p>Let it in on the device that holds the memory:</p><pre>samemind agents approve {code}</pre>"
        f"<p>Do this only if you have just connected this program yourself. Its answer goes to "
        f"<b>{html.escape(pending.redirect_uri)}</b>. This page goes on by itself.</p>"
    )
    refresh = f'<meta http-equiv="refresh" content="{PAGE_LOOKS_S}">'
    return HTMLResponse(_PAGE.format(refresh=refresh, body=body), headers=_PAGE_HEADERS)


_PAGE: Final = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">{refresh}<title>samemind</title>'
    '<meta name="viewport" content="width=device-width"><style>body{{font:1rem/1.5 system-ui;max-width:34rem;'
    "margin:12vh auto;padding:0 1rem}}pre{{font-size:1.2rem}}</style></head><body>{body}</body></html>"
)


def _below(prefix: str, path: str) -> str:
    """Return a path without the one that a proxy serves this server at: it took that off, or handed it on.

    What tells of a server at a path has that path last, or before the resource's own (RFC 8414 and 9728).
    """
    found = re.fullmatch(rf"(/\.well-known/[^/]+)?{re.escape(prefix)}(/.*)?", path) if prefix else None
    return "".join(found.groups("")) if found else path


def _network_of(client: object) -> str:
    """Return from where somebody asks: an address, or of IPv6 the network that one house has."""
    caller = caller_of(client)
    try:
        address = ip_address("" if caller is None else caller.host.partition("%")[0])
    except ValueError:
        return ""
    prefix = _HOUSE_BITS if address.version == 6 else address.max_prefixlen
    return str(ip_network((address, prefix), strict=False).network_address)


def _refused(status: int, code: str, message: str) -> JSONResponse:
    return JSONResponse({"error": code, "error_description": message}, status_code=status)


def _checked(url: str) -> str:
    found = url.rstrip("/").removesuffix(MCP_PATH)
    try:
        parts = urlsplit(found)
        host = parts.hostname
    except ValueError:  # as of an address in brackets that is none
        parts, host = urlsplit(""), None
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host))
    if not host or not is_safe or "?" in found or "#" in found:
        raise Usage(
            f"expected the address of a proxy or a tunnel, such as https://memory.example.org, got {url!r:.80}",
            code="invalid",
        )
    return found
