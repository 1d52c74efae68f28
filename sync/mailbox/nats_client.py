"""The client of nats-py, which believes whatever a server says, kept to what an honest server would.

It is no part of `sync.mailbox.jetstream`, since it cannot be declared without the library, an extra that takes 140 ms.
"""

import time
from typing import Any, Final

from nats.aio.client import Client
from nats.errors import ProtocolError
from nats.protocol.parser import AWAITING_MSG_PAYLOAD, Parser

# A page of a listing names 100,000 parts at most, in some 120 bytes each; a part of a file is less.
MESSAGE_BYTES_MAX: Final = 16 << 20
# As much as the client reads of the first line, which is longest.
LINE_BYTES_MAX: Final = 32 << 10
# What a server adds to an answer fits into a line.
HEADER_BYTES_MAX: Final = 4 << 10
# An honest server answers what it is asked, pings every two minutes, and tells when another device wrote. Each piece of
# work that it makes is a line, or so many bytes: two microseconds.
WORK_BYTES: Final = 4 << 10
# So much a device does for nothing: a hundred devices that write every two seconds make half of it.
WORK_AT_ONCE: Final = 4_096
WORK_A_SECOND: Final = 200
# And so much for each message of its own: the longest answer, and the lines around it.
WORK_FOR_EACH: Final = MESSAGE_BYTES_MAX // WORK_BYTES + 8


class BoundedClient(Client):
    """A client that stays where it was sent, speaks TLS if its address says so, and holds only so much."""

    def __init__(self) -> None:
        super().__init__()
        self._ps = _BoundedParser(self)

    def abandon(self) -> None:
        """Let go of the connection at once: closing it waits for tasks of its own, and may be given up on the way."""
        writer = getattr(self._transport, "_io_writer", None)
        if writer is not None:
            writer.transport.abort()

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        """Take nothing over of what a server says of itself and others, before or after TLS.

        Whether to speak TLS was its word alone: whoever stands between said no, and was told all in the clear. The
        other servers that it names are never called here, and each was compared with all named before it.
        """
        assert self._current_server is not None, "it is connected to one when it hears this"
        if self._current_server.uri.scheme == "tls":
            info["tls_required"] = True


class _BoundedParser(Parser):
    """Gives up what is longer than anything that is waited for: it was held whole, and read again with each piece.

    It gives up a server that speaks without end of what nobody asked, too: it kept the thread busy that finds peers.
    """

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._work = float(WORK_AT_ONCE)
        self._asked = 0
        self._at = time.monotonic()

    def _is_too_much(self, data: bytes) -> bool:
        """Count what a piece costs, and say whether that is more than was asked for and than there is for nothing."""
        now, asked = time.monotonic(), self.nc.stats["out_msgs"]
        for_nothing = min(float(WORK_AT_ONCE), self._work + (now - self._at) * WORK_A_SECOND)
        granted = max(self._work, for_nothing) + (asked - self._asked) * WORK_FOR_EACH
        self._work = min(granted, WORK_AT_ONCE + WORK_FOR_EACH) - data.count(b"\r\n") - len(data) / WORK_BYTES
        self._at, self._asked = now, asked
        return self._work < 0.0

    async def parse(self, data: bytes = b"") -> None:
        if self._is_too_much(data):
            raise ProtocolError
        try:
            await super().parse(data)
        except OSError:
            raise
        except (
            Exception
        ) as error:  # whatever it stumbled on: others end the reading, and the connection stays
            raise ProtocolError from error
        if self.state == AWAITING_MSG_PAYLOAD:
            too_long = self.needed > MESSAGE_BYTES_MAX or self.header_needed > HEADER_BYTES_MAX
        else:
            too_long = len(self.buf) > LINE_BYTES_MAX
        if too_long:
            raise ProtocolError
