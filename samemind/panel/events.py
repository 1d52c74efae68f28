"""Tell a page what changes, as it changes: ops as they come, peers as they come and go, what waits to be forgotten.

One stream of server-sent events a page. It ends when the page goes away and when the device stops: a stream that
did not would hold up the daemon's end. Every event of ops carries the log's position, so that a page that was
away is told what it missed; of many at once it is told the last and how many there were.
"""

import json
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from samemind.commands.device.log import ops_after
from samemind.commands.device.status import daemon_status
from samemind.formats.plain import to_json
from samemind.panel.api import until_gone
from sync.beat import next_beat

if TYPE_CHECKING:
    from samemind.panel.opened import Panel

# What a screen can show arriving; a page that gets as many loads its list anew anyway.
OPS_MAX: Final = 50
# Proxies and phones close what is silent for a minute.
HEARTBEAT_S: Final = 18.0
# News within a moment are one picture: a burst of ops costs a page one redraw.
GATHER_S: Final = 0.05


class Events:
    """The stream, as an ASGI application."""

    def __init__(self, panel: "Panel") -> None:
        self._panel = panel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-type", b"text/event-stream; charset=utf-8")],
            }
        )
        since = Headers(scope=scope).get("last-event-id", "")
        position = self._panel.device.replica.position
        if since.isascii() and since.isdigit() and len(since) < 19:
            position = min(position, int(since))
        stream = _EventStream(self._panel, send, position)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(until_gone, receive, nursery.cancel_scope)
            nursery.start_soon(self._panel.until_closing, nursery.cancel_scope)
            nursery.start_soon(self._panel.until_left, scope["session"], nursery.cancel_scope)
            nursery.start_soon(stream.tell_ops)
            nursery.start_soon(stream.tell_peers)
            nursery.start_soon(stream.tell_waiting)
            nursery.start_soon(stream.beat)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _EventStream:
    """One page's stream. Each kind of news has a task; the events do not mix, as each is sent whole."""

    def __init__(self, panel: "Panel", send: Send, position: int) -> None:
        self._panel = panel
        self._send = send
        self._position = position

    async def tell_ops(self) -> None:
        replica = self._panel.device.replica
        await self._tell("hello", {"position": self._position}, id=self._position)
        while True:
            await replica.changed(self._position)
            await trio.sleep(GATHER_S)
            before, self._position = self._position, replica.position
            ops = await replica.read(partial(_last_ops, max(before, self._position - OPS_MAX)))
            await self._tell(
                "ops",
                {"count": self._position - before, "ops": [to_json(op) for op in ops]},
                id=self._position,
            )

    async def tell_peers(self) -> None:
        device, syncer = self._panel.device, self._panel.device.syncer
        before: Any = None
        while True:
            # From before the look: what changes while it is taken and told is news, too.
            news = 0 if syncer is None else syncer.news.count
            status = to_json(await daemon_status(device))
            if status != before:
                before = status
                await self._tell("status", status)
            if syncer is None:
                await trio.sleep_forever()
            else:
                await syncer.news.after(news)
                await trio.sleep(GATHER_S)

    async def tell_waiting(self) -> None:
        undo = self._panel.undo
        while True:
            news = undo.news.count
            await self._tell("waiting", {"waiting": [to_json(one) for one in undo.waiting()]})
            await undo.news.after(news)

    async def beat(self) -> None:
        while True:
            await next_beat(HEARTBEAT_S)
            await self._write(b": still here\n\n")

    async def _tell(self, event: str, document: Any, *, id: int | None = None) -> None:
        head = f"event: {event}\n" + ("" if id is None else f"id: {id}\n")
        # JSON has no raw line breaks, so one `data:` line holds it.
        await self._write(f"{head}data: {json.dumps(document, ensure_ascii=False)}\n\n".encode())

    async def _write(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})


def _last_ops(position: int, connection: sqlite3.Connection) -> Any:
    return ops_after(connection, position, limit=OPS_MAX)
