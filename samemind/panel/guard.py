"""Stand before every request: refuse what is not ours, and say what a browser may do with the answer.

In this order: a Host that is ours, an Origin that is ours, a body of bounded size, a session, and for whatever
changes something the session's own token. A WebSocket needs the first two, at the one route that takes any: who is at
its other end is proved inside it, by a device's key. All of it is checked before a route is looked for, so that a new
route is guarded without anybody thinking of it; what is open to all is named here. The calendar lies beside the API: it
has a secret in its address instead of a session (`samemind.panel.feeding`).
"""

import math
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final

import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from samemind.panel.access import host_is_ours, same

if TYPE_CHECKING:
    from samemind.panel.opened import Panel

API: Final = "/api/v1"
SESSION_ROUTE: Final = f"{API}/panel/session"
# What a phone loads, and where its page opens a link. Nothing below it is secret.
PHONE: Final = "/phone"
LINK_ROUTE: Final = f"{PHONE}/link"
CSRF_HEADER: Final = "x-samemind-csrf"
# A memory has at most 64 kB of text; the rest is for many ids at once.
BODY_BYTES_MAX: Final = 1 << 20
# A megabyte over the slowest network that anybody would call one.
BODY_SECONDS_MAX: Final = 30.0
# Longer numbers of bytes are refused before they are read as one.
_LENGTH_DIGITS_MAX: Final = 12
_SAFE: Final = frozenset({"GET", "HEAD"})

_CSP: Final[Mapping[str, str]] = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",  # no text ever becomes markup, not even by mistake
    "trusted-types": "'none'",
}
# The phone's page is a program of WebAssembly in a worker. The address of a worker is a sink for trusted types, too:
# one policy may say which it is.
_PHONE_CSP: Final[Mapping[str, str]] = {
    **_CSP,
    "script-src": "'self' 'wasm-unsafe-eval'",
    "trusted-types": "samemind",
}


def phone_policy(origins: Iterable[str]) -> str:
    """Return what the page of a phone may do; it connects to this device and to these mailboxes, and to nobody else."""
    return _policy({**_PHONE_CSP, "connect-src": " ".join(["'self'", *origins])})


def _policy(directives: Mapping[str, str]) -> str:
    return "; ".join(f"{name} {value}" for name, value in directives.items())


_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _policy(_CSP),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

# Whoever speaks to a phone instead of typing allows it the microphone; a panel has no use for one.
_PHONE_PERMISSIONS: Final = "camera=(), geolocation=(), microphone=(self)"


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, panel: "Panel") -> None:
        self._app = app
        self._panel = panel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                if scope["path"].startswith(f"{PHONE}/"):
                    headers["content-security-policy"] = phone_policy(self._panel.phone_origins())
                    headers["permissions-policy"] = _PHONE_PERMISSIONS
                if scope["path"].startswith("/api/"):
                    headers["cache-control"] = "no-store"
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, bounded(receive), send_guarded)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a page of ours open one WebSocket, at the one route that there is; who it is, it says inside."""
        headers = Headers(scope=scope)
        scheme = "https" if scope["scheme"] == "wss" else "http"
        ours = self._is_our_host(scope, headers) and headers.getlist("origin") == [
            f"{scheme}://{headers['host']}"
        ]
        if ours and scope["path"] == LINK_ROUTE:
            await self._app(scope, receive, send)
        else:
            await receive()  # that it wants to connect
            await send({"type": "websocket.close"})

    def _is_our_host(self, scope: Scope, headers: Headers) -> bool:
        return len(headers.getlist("host")) == 1 and host_is_ours(
            headers["host"], server=tuple(scope["server"]), names=self._panel.names
        )

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers, panel = Headers(scope=scope), self._panel
        host = headers.get("host", "")
        if not self._is_our_host(scope, headers):
            return refuse(421, "foreign_host", "expected an address of this panel")
        safe = scope["method"] in _SAFE
        origin = headers.get("origin")
        if (origin is None and not safe) or (origin is not None and origin != f"{scope['scheme']}://{host}"):
            return refuse(403, "foreign_origin", "expected a request of this panel's own page")
        from_here = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if not from_here and (not safe or scope["path"].startswith("/api/")):
            return refuse(403, "foreign_origin", "expected a request of this panel's own page")
        length = headers.get("content-length", "0")
        if (
            not (length.isascii() and length.isdecimal() and len(length) <= _LENGTH_DIGITS_MAX)
            or int(length) > BODY_BYTES_MAX
        ):
            return refuse(413, "too_large", f"expected at most {BODY_BYTES_MAX} bytes")
        session = panel.keeper.session(cookie_of(headers, panel.cookie_name), panel.now_ms())
        if (
            session is not None
        ):  # whatever it asks for: a browser fetches a page's pieces by several connections
            panel.door.know(scope.get("client"))
        if not scope["path"].startswith("/api/") or (
            scope["path"] == SESSION_ROUTE and scope["method"] == "POST"
        ):
            return None
        if session is None:
            return refuse(401, "no_session", "open the panel with `samemind panel` on this device")
        if not safe and not same(headers.get(CSRF_HEADER, ""), session.csrf):
            return refuse(403, "csrf", f"expected the session's token in {CSRF_HEADER}")
        scope["session"] = session
        return None


class TooLong(Exception):
    """A body goes on beyond what was agreed."""


class TooSlow(Exception):
    """A body does not come to its end."""


def refuse(status: int, code: str, message: str, hint: str = "") -> JSONResponse:
    """Return an error as every door shows it."""
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint}}, status_code=status)


def cookie_of(headers: Headers, name: str) -> str:
    """Return the cookie of that name, or nothing."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def bounded(receive: Receive) -> Receive:
    """Count what comes, as a length may not be told, or not truly; and wait for it, but not for ever."""
    taken, until = 0, trio.current_time() + BODY_SECONDS_MAX

    async def receive_bounded() -> Message:
        nonlocal taken, until
        message: Message = {}
        with trio.CancelScope(deadline=until) as waiting:
            message = await receive()
        if waiting.cancelled_caught:
            raise TooSlow
        taken += len(message.get("body", b""))
        if taken > BODY_BYTES_MAX:
            raise TooLong
        if not message.get("more_body"):
            until = math.inf  # what comes now is that the browser hangs up
        return message

    return receive_bounded
