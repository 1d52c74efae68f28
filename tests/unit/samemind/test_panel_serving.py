"""The panel's door serves whoever comes, and an error in one connection ends that one alone."""

import socket
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import trio
from hypercorn.trio.tcp_server import TCPServer
from starlette.types import Receive, Scope, Send

from samemind.panel import serving

SECONDS_MAX = 60
SYSTEM_MAX = Path("/proc/sys/net/core/somaxconn")
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"small"})


class BusyOnce(TCPServer):
    """hypercorn, as it rarely is when bytes come after the last request while it is still writing."""

    times = 0

    async def run(self) -> None:
        BusyOnce.times += 1
        if BusyOnce.times == 1:
            raise ExceptionGroup("of a nursery", [trio.BusyResourceError("another task is sending")])
        await super().run()


async def told(address: tuple[str, int]) -> bytes:
    """Ask and return the whole answer."""
    async with await trio.open_tcp_stream(*address) as stream:
        await stream.send_all(REQUEST)
        return b"".join([chunk async for chunk in stream])


def test_an_error_in_one_connection_ends_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by `make fuzz`: whoever could connect could end the daemon, by sending on after the last request."""
    monkeypatch.setattr(serving, "TCPServer", BusyOnce)
    door, answers = serving.Door(), list[bytes]()

    async def main() -> None:
        stop = trio.Event()

        async def serve(plain: Any) -> None:
            await door.serve(app, plain, certificate=None, stop=stop)

        with socket.create_server(("127.0.0.1", 0)) as plain, trio.fail_after(SECONDS_MAX):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(serve, plain)
                for _ in range(2):
                    try:
                        answers.append(await told(plain.getsockname()))
                    except trio.BrokenResourceError:
                        answers.append(b"")
                stop.set()

    trio.run(main)
    assert answers[0] == b""
    assert answers[1].endswith(b"small")


@pytest.mark.skipif(
    not SYSTEM_MAX.exists() or int(SYSTEM_MAX.read_text()) < serving.BACKLOG,
    reason="this system lets fewer callers wait",
)
def test_hundreds_who_come_at_once_turn_nobody_away() -> None:
    """Whoever is turned away by the system comes again after a second: so long the owner's browser had to wait."""
    with ExitStack() as open_ones:
        listener = open_ones.enter_context(closing(serving.listening("127.0.0.1", 0, what="x", option="--x")))
        for _ in range(400):  # nobody takes them in
            caller = socket.create_connection(listener.getsockname(), timeout=0.9)
            open_ones.enter_context(closing(caller))
