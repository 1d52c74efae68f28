"""Pass messages on, count what they carry, and decode a frame of ops once, however many devices it reaches.

Ops are immutable values, and what a frame decodes to follows from its bytes: so a simulation of a hundred replicas
need not hash every header and check every body a hundred times. Each replica still admits, orders and folds for itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import replica.core
import replica.membership
import sync.exchange
from replica.frame import Frame, decode_frame
from replica.ops import Body, Op
from replica.rows import Understood, body_of
from replica.signing import verify
from simulations.patching import swapped
from sync.exchange import Exchange

if TYPE_CHECKING:
    from simulations.network import Conversation


@dataclass(slots=True)
class Wire:
    """Everything that was said in a world, in numbers."""

    messages: int = 0
    size: int = 0
    frames: int = 0
    ops: int = 0
    _decoded: dict[bytes, Frame] = field(default_factory=dict)
    _bodies: dict[tuple[bytes, bool, int], Body | None] = field(default_factory=dict)
    _verified: dict[tuple[bytes, bytes, bytes], bool] = field(default_factory=dict)

    def hear(self, conversation: "Conversation", message: bytes, now_ms: int) -> list[bytes]:
        """Let one side of a conversation hear a message; return what it answers."""
        self.messages += 1
        self.size += len(message)
        return conversation.receive(message, now_ms)

    def refusals(self, conversation: "Conversation") -> list[str]:
        """Return why ops were refused in a conversation."""
        if isinstance(conversation, Exchange):
            return [each.reason for each in conversation.refusals]
        return []

    def is_done(self, conversation: "Conversation") -> bool:
        """Whether a conversation has nothing left to do, or was ended."""
        if isinstance(conversation, Exchange):
            return conversation.is_over or conversation.session.is_quiet
        return conversation.is_over

    def decode(self, data: bytes) -> Frame:
        """Return the frame that these bytes hold."""
        frame = self._decoded.get(data)
        if frame is None:
            frame = self._decoded[data] = decode_frame(data)
        self.frames += 1
        self.ops += len(frame.ops)
        return frame

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Say whether an introduction or a revocation is rightly signed."""
        key = (public_key, message, signature)
        if key not in self._verified:
            self._verified[key] = verify(public_key, message, signature)
        return self._verified[key]

    def body_of(self, op: Op, understood: Understood) -> Body | None:
        """Return what an op says to who understands so much."""
        known = understood.get(op.kind, 0)
        key = (op.id, op.payload is None, known)
        if key not in self._bodies:
            self._bodies[key] = body_of(op, understood)
        return self._bodies[key]

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Let all devices of this world decode frames and check introductions through here."""
        with (
            swapped(sync.exchange, "decode_frame", self.decode),
            swapped(replica.membership, "verify", self.verify),
            swapped(replica.core, "body_of", self.body_of),
        ):
            yield
