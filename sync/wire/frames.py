"""Cut a stream of bytes into frames, and never hold more than one frame's worth of them.

A frame is a length in four bytes, big end first, and that many bytes. The first byte says no more
than the others: what a body means is decided by whoever asked for it. An empty frame is allowed.

The length is judged the moment its four bytes are there, so a peer that announces four gigabytes
costs us four bytes. Bodies are cut out of one buffer by position and the consumed part is dropped
once per feed: a megabyte that arrives byte by byte is still linear work.
"""

from typing import Final

from sync.errors import LimitExceeded, LocalProtocolError, RemoteProtocolError
from sync.wire.limits import FRAME_BYTES_MAX

LENGTH_BYTES: Final = 4


def encode_frame(body: bytes, *, frame_bytes_max: int = FRAME_BYTES_MAX) -> bytes:
    """The bytes that make `body` one frame on the wire."""
    if len(body) > frame_bytes_max:
        raise LocalProtocolError(f"expected a frame of at most {frame_bytes_max} bytes, got {len(body)}")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body


class FrameReader:
    """Collects what arrived and hands back each frame as soon as it is whole."""

    __slots__ = ("_buffer", "_frame_bytes_max")

    def __init__(self, *, frame_bytes_max: int = FRAME_BYTES_MAX) -> None:
        self._buffer = bytearray()
        self._frame_bytes_max = frame_bytes_max

    def feed(self, data: bytes | bytearray | memoryview) -> list[bytes]:
        """Take what arrived; return the frames it completed, in order.

        A frame that announces too many bytes raises LimitExceeded; after that the stream has no
        meaning any more and the link has to go.
        """
        self._buffer += data
        frames: list[bytes] = []
        position = 0
        while (body_at := position + LENGTH_BYTES) <= len(self._buffer):
            length = int.from_bytes(self._buffer[position:body_at], "big")
            if length > self._frame_bytes_max:
                raise LimitExceeded(
                    f"expected frames of at most {self._frame_bytes_max} bytes, the peer announced {length}"
                )
            if len(self._buffer) < body_at + length:
                break
            frames.append(bytes(self._buffer[body_at : body_at + length]))
            position = body_at + length
        del self._buffer[:position]
        return frames

    def eof(self) -> None:
        """Say that the stream ended; it is the peer's fault if that was inside a frame."""
        if self._buffer:
            raise RemoteProtocolError(
                f"expected the stream to end between frames, it ended {len(self._buffer)} bytes into one"
            )
