"""The client of nats-py, which believes whatever a server says, kept to what an honest server would.

It is no part of `sync.mailbox.jetstream`, since it cannot be declared without the library, an extra that takes 140 ms.
"""

from typing import Any, Final

from nats.aio.client import Client
from nats.errors import ProtocolError
from nats.protocol.parser import AWAITING_MSG_PAYLOAD, Parser

# A page of a listing names 100,000 parts at most, in some 120 bytes each; a part of a file is less.
MESSAGE_BYTES_MAX: Final = 16 << 20
# As much as the client reads of the first line, which is longest.
LINE_BYTES_MAX: Final = 32 << 10


class BoundedClient(Client):
    """A client that stays where it was sent, speaks TLS if its address says so, and holds only so much."""

    def __init__(self) -> None:
        super().__init__()
        self._ps = _BoundedParser(self)

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
        """Take nothing over of what a server says of itself and others, before or after TLS.

        Whether to speak TLS was its word alone: whoever stands between said no, and was told all in the clear. The
        other servers that it names are never called here, and each was compared with all named before it.
        """
        assert self._current_server is not None, "it is connected to one when it hears this"
        if self._current_server.uri.scheme == "tls":
            info["tls_required"] = True


class _BoundedParser(Parser):
    """Gives up what is longer than anything that is waited for: it was held whole, and read again with each piece."""

    async def parse(self, data: bytes = b"") -> None:
        try:
            await super().parse(data)
        except OSError:
            raise
        except (
            Exception
        ) as error:  # whatever it stumbled on: others end the reading, and the connection stays
            raise ProtocolError from error
        if self.state == AWAITING_MSG_PAYLOAD:
            too_long = self.needed > MESSAGE_BYTES_MAX
        else:
            too_long = len(self.buf) > LINE_BYTES_MAX
        if too_long:
            raise ProtocolError
