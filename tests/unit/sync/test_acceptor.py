"""What a page is told whose device is let in no more by the time it has proved itself."""

from typing import Any, cast

import pytest
import trio

from replica.ids import DeviceId
from sync import acceptor
from sync.acceptor import Acceptor
from sync.group import Group
from sync.web_hello import LINK_PROTOCOL, Channel
from sync.web_link import NOT_ADMITTED, RecordStream
from tests.support.links import identity

PHONE = DeviceId(bytes(32))


class Closed:
    """A WebSocket that only closes."""

    def __init__(self) -> None:
        self.codes: list[int] = []

    async def receive(self) -> bytes | None:
        raise AssertionError("expected nothing to be read")

    async def send(self, message: bytes) -> None:
        raise AssertionError("expected nothing to be said")

    async def close(self, code: int) -> None:
        self.codes.append(code)


class RevokedMeanwhile:
    """A group that let a phone prove itself, and has revoked it since."""

    @property
    def trust(self) -> "RevokedMeanwhile":
        return self

    def to_be_told(self) -> dict[DeviceId, bytes]:
        return {}

    def pins(self) -> tuple[bytes, ...]:
        return ()

    def admits(self, peer: DeviceId) -> bool:
        return False


def test_a_page_that_was_revoked_while_it_proved_itself_is_told_that_it_is_not_let_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    socket = Closed()

    async def secure_web(*_: Any, **__: Any) -> tuple[RecordStream, DeviceId]:
        return RecordStream(socket, cast("Channel", None)), PHONE

    async def never(*_: Any) -> None:
        raise AssertionError("expected no link")

    async def main() -> None:
        answering = Acceptor(
            identity("laptop"),
            cast("Group", RevokedMeanwhile()),
            keep=never,
            now_ms=lambda: 0,
            hear=never,
            has_room=lambda _: True,
        )
        await answering.answer_web(
            socket, "https://laptop.local", protocol=LINK_PROTOCOL, admitted=lambda: None
        )

    monkeypatch.setattr(acceptor, "secure_web", secure_web)
    trio.run(main)
    assert socket.codes == [NOT_ADMITTED]
