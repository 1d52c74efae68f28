"""Remember about each peer what is no op: where it answered, and what it held last, as addresses and as frontiers.

The rows (`replica.peer_notes`) are this device's own: they are not replicated, and losing them costs a search, not a
memory.
"""

import sqlite3
from dataclasses import dataclass

from replica import peer_notes
from replica.codec import pack, unpack
from replica.core import Core
from replica.feeds import join
from replica.frontier import Frontier
from replica.ids import DeviceId
from replica.outbox import Outbox
from sync.address import Address


@dataclass(frozen=True, slots=True)
class PeerRecord:
    """What is kept of one peer. `covered`: the length of our log less what it is known to lack.

    `told`: that it was put out, and has heard so from us.
    """

    nickname: str | None = None
    fixed: Address | None = None
    last: Address | None = None
    last_sync_ms: int | None = None
    offset_ms: int | None = None
    covered: int | None = None
    told: bool = False


def load_records(core: Core, connection: sqlite3.Connection) -> dict[DeviceId, PeerRecord]:
    """Return every row; call it on the store's thread."""
    return {
        note.device: PeerRecord(
            note.nickname,
            None if note.fixed_address is None else Address.parse(note.fixed_address),
            None if note.last_address is None else Address.parse(note.last_address),
            note.last_sync,
            note.offset_ms,
            None if note.known is None else core.position - _lacking(core, note.known),
            note.told,
        )
        for note in peer_notes.peer_notes(connection)
    }


def note_sync(
    connection: sqlite3.Connection,
    device: DeviceId,
    *,
    last_sync_ms: int | None,
    offset_ms: int | None,
    address: Address | None,
    known: Frontier | None,
) -> None:
    """Take what a link came to; what is None stays as it was."""
    peer_notes.note_sync(
        connection,
        device,
        last_sync=last_sync_ms,
        offset_ms=offset_ms,
        last_address=None if address is None else str(address),
        known=None if known is None else pack(known.plain()),
    )


def note_address(connection: sqlite3.Connection, device: DeviceId, address: Address) -> None:
    """Keep where a peer says that it listens."""
    note_sync(connection, device, last_sync_ms=None, offset_ms=None, address=address, known=None)


def fix_address(connection: sqlite3.Connection, device: DeviceId, address: Address | None) -> None:
    """Take, or take back, the address that the owner gave for a peer."""
    peer_notes.note_fixed_address(connection, device, None if address is None else str(address))


def known_of(core: Core, connection: sqlite3.Connection, device: DeviceId) -> dict[int, int]:
    """Return what a peer is known to hold: by its last conversation, or by what it told others to have folded."""
    known = dict(core.contacts[device].folded) if device in core.contacts else {}
    held = peer_notes.frontier_noted(connection, device)
    if held is not None:
        join(known, _known(core, held))
    return known


def _lacking(core: Core, known: bytes) -> int:
    return Outbox(_known(core, known)).lacking(core)


def _known(core: Core, known: bytes) -> dict[int, int]:
    return core.feeds.vector_of(Frontier.read(unpack(known)).heads)
