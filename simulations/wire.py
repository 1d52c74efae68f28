"""Pass messages on, count what they carry, and compute once what follows from the same bytes on every device.

Ops are immutable values. What a row of a frame decodes to, what a payload says, which places some bytes name, whether a
signature verifies, which number stands for a memory that was only added: each is a pure function of values, so a
simulation of a hundred replicas need not hash every header and check every body a hundred times. Each replica still
cuts, packs and unpacks its own frames, and admits, orders, folds, stores and sums up every op for itself.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import replica.chains
import replica.core
import replica.frame
import replica.membership
import replica.rows
import replica.snapshot
import replica.state.digest
import sync.exchange
from replica.codec import pack, wire_places
from replica.frame import Frame, decode_frame, op_from
from replica.ids import OpId, OpRef, Origin
from replica.meaning import Meaning, meaning_of
from replica.oplog import LogRow
from replica.ops import Op
from replica.rows import Understood, op_of, read_places
from replica.signing import verify
from replica.state.cells import Cell, Key
from replica.state.digest import elements
from replica.state.memories import Memory, MemoryCell
from simulations.network import Conversation
from simulations.patching import swapped
from sync.exchange import Exchange

_NOTHING: Final[Meaning] = (None, ())


@dataclass(slots=True)
class SessionWork:
    """What one session of the settling phase had to do, and what it did."""

    name: str
    lacking: int
    heads: int
    members: int
    same_trust: bool
    same_frontier: bool
    messages: int = 0
    bytes: int = 0
    frames: int = 0
    ops: int = 0
    asked: int = 0
    """How many ops both sides together may have sent because the other asked for what was signed."""
    parts: int = 1
    """In how many parts a base travels."""
    content_bytes: Callable[[], int] = int
    """How long the payloads that were lacking are, and the bases that may have travelled; asked where that decides."""


@dataclass(slots=True)
class Wire:
    """Everything that was said in a world, in numbers."""

    messages: int = 0
    size: int = 0
    frames: int = 0
    ops: int = 0
    _ops: dict[tuple[Any, ...], Op] = field(default_factory=dict)
    _places: dict[bytes, tuple[OpRef, ...]] = field(default_factory=dict)
    _plain: dict[tuple[OpRef, ...], list[Any]] = field(default_factory=dict)
    _logged: dict[bytes, Op] = field(default_factory=dict)
    _elements: dict[tuple[Any, ...], tuple[int, int]] = field(default_factory=dict)
    _meanings: dict[tuple[tuple[int, int], ...], dict[bytes, Meaning]] = field(default_factory=dict)
    """By what is understood, and then by the id of an op; none of an op without its payload."""
    _verified: dict[tuple[bytes, bytes, bytes], bool] = field(default_factory=dict)

    def hear(self, conversation: Conversation, message: bytes, now_ms: int) -> list[bytes]:
        """Let one side of a conversation hear a message; return what it answers."""
        self.messages += 1
        self.size += len(message)
        return conversation.receive(message, now_ms)

    def refusals(self, conversation: Conversation) -> list[str]:
        """Return why ops were refused in a conversation."""
        if isinstance(conversation, Exchange):
            return [each.reason for each in conversation.refusals]
        return []

    def is_done(self, conversation: Conversation) -> bool:
        """Whether a conversation has nothing left to do, or was ended."""
        if isinstance(conversation, Exchange):
            return conversation.is_over or conversation.session.is_quiet
        return conversation.is_over

    def decode(self, data: bytes) -> Frame:
        """Return the frame that these bytes hold, and count what it delivers, news or not."""
        frame = decode_frame(data)
        self.frames += 1
        self.ops += len(frame.ops)
        return frame

    def op_from(self, origin: Origin, seq: int, prev: OpId | None, hlc: int, seen: Any, *rest: Any) -> Op:
        """Return the op that a row of a frame states."""
        key = (origin, seq, prev, hlc, pack(seen) if seen else seen, rest)
        try:
            return self._ops[key]
        except KeyError:
            op = self._ops[key] = op_from(origin, seq, prev, hlc, seen, *rest)
            return op

    def read_places(self, packed: bytes) -> tuple[OpRef, ...]:
        """Return the places that a log row names."""
        places = self._places.get(packed)
        if places is None:
            places = self._places[packed] = read_places(packed)
        return places

    def wire_places(self, places: tuple[OpRef, ...]) -> list[Any]:
        """Return places as plain values."""
        plain = self._plain.get(places)
        if plain is None:
            plain = self._plain[places] = wire_places(places)
        return plain

    def op_of(self, row: LogRow, origin: Origin) -> Op:
        """Return a log row as an op; two rows under one id are the same op only if they share what they say."""
        op = self._logged.get(row.id)
        if op is None or op.payload is not row.payload or op.hlc != row.hlc or op.origin != origin:
            op = self._logged[row.id] = op_of(row, origin)
        return op

    def elements(
        self, key: Key, cell: Cell, memory: Memory | None, origin_of: Callable[[int], Origin]
    ) -> tuple[int, int]:
        """Return what a cell adds to the two digests."""
        if type(cell) is not MemoryCell or memory is None or memory.fields or not cell.is_only_added():
            return elements(key, cell, memory, origin_of)
        ((feed, seq, id8),) = cell.adds
        known = (key.name, memory.text, origin_of(feed), seq, id8)
        numbers = self._elements.get(known)
        if numbers is None:
            numbers = self._elements[known] = elements(key, cell, memory, origin_of)
        return numbers

    def verify(self, public_key: bytes, message: bytes, signature: bytes) -> bool:
        """Say whether an introduction or a revocation is rightly signed."""
        key = (public_key, message, signature)
        if key not in self._verified:
            self._verified[key] = verify(public_key, message, signature)
        return self._verified[key]

    def meanings_of(self, ops: Sequence[Op], understood: Understood) -> list[Meaning]:
        """Return what some ops say to who understands so much, and the cells that they name."""
        known = self._meanings.setdefault(tuple(understood.items()), {})
        for op in ops:
            if op.id not in known and op.payload is not None:
                known[op.id] = meaning_of(op, understood)
        return [_NOTHING if op.payload is None else known[op.id] for op in ops]

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Let all devices of this world decode frames and check introductions through here."""
        with (
            swapped(sync.exchange, "decode_frame", self.decode),
            swapped(replica.frame, "op_from", self.op_from),
            swapped(replica.frame, "wire_places", self.wire_places),
            swapped(replica.rows, "op_of", self.op_of),
            swapped(replica.rows, "wire_places", self.wire_places),
            swapped(replica.state.digest, "elements", self.elements),
            swapped(replica.rows, "read_places", self.read_places),
            swapped(replica.chains, "read_places", self.read_places),
            swapped(replica.membership, "verify", self.verify),
            swapped(replica.snapshot, "verify", self.verify),
            swapped(replica.core, "meanings_of", self.meanings_of),
        ):
            yield
