"""Remember about each peer what is no op: where it answered, what the owner calls it, what it held last.

These rows are this device's own: they are not replicated, and losing them costs a search, not a memory.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

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
    rows = connection.execute(
        "SELECT device, nickname, fixed_address, last_address, last_sync, offset_ms, known, told FROM peer"
    )
    return {
        DeviceId(device): PeerRecord(
            nickname,
            None if fixed is None else Address.parse(fixed),
            None if last is None else Address.parse(last),
            last_sync,
            offset_ms,
            None if known is None else core.position - _lacking(core, known),
            bool(told),
        )
        for device, nickname, fixed, last, last_sync, offset_ms, known, told in rows
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
    connection.execute(
        """INSERT INTO peer (device, last_sync, offset_ms, last_address, known) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (device) DO UPDATE SET
            last_sync = coalesce(excluded.last_sync, last_sync),
            offset_ms = coalesce(excluded.offset_ms, offset_ms),
            last_address = coalesce(excluded.last_address, last_address),
            known = coalesce(excluded.known, known)""",
        (
            device,
            last_sync_ms,
            offset_ms,
            None if address is None else str(address),
            None if known is None else pack(known.plain()),
        ),
    )


def note_address(connection: sqlite3.Connection, device: DeviceId, address: Address) -> None:
    """Keep where a peer says that it listens."""
    note_sync(connection, device, last_sync_ms=None, offset_ms=None, address=address, known=None)


def fix_address(connection: sqlite3.Connection, device: DeviceId, address: Address | None) -> None:
    """Take, or take back, the address that the owner gave for a peer."""
    connection.execute(
        """INSERT INTO peer (device, fixed_address) VALUES (?, ?)
        ON CONFLICT (device) DO UPDATE SET fixed_address = excluded.fixed_address""",
        (device, None if address is None else str(address)),
    )


def note_told(connection: sqlite3.Connection, device: DeviceId) -> None:
    """Keep that a device which was put out has heard so from us."""
    connection.execute(
        """INSERT INTO peer (device, told) VALUES (?, 1)
        ON CONFLICT (device) DO UPDATE SET told = 1""",
        (device,),
    )


def rename(connection: sqlite3.Connection, device: DeviceId, nickname: str | None) -> None:
    """Take, or take back, what the owner calls a peer on this device."""
    connection.execute(
        """INSERT INTO peer (device, nickname) VALUES (?, ?)
        ON CONFLICT (device) DO UPDATE SET nickname = excluded.nickname""",
        (device, nickname),
    )


def carry_over(source: sqlite3.Connection, target: sqlite3.Connection, devices: Iterable[DeviceId]) -> None:
    """Copy what the owner said of some devices, and where they answered, into another store of this device."""
    for device in devices:
        target.execute(
            """INSERT OR IGNORE INTO peer (device, nickname, fixed_address, last_address)
            VALUES (?, ?, ?, ?)""",
            (
                device,
                *(
                    source.execute(
                        "SELECT nickname, fixed_address, last_address FROM peer WHERE device = ?", (device,)
                    ).fetchone()
                    or (None, None, None)
                ),
            ),
        )


def known_of(core: Core, connection: sqlite3.Connection, device: DeviceId) -> dict[int, int]:
    """Return what a peer is known to hold: by its last conversation, or by what it told others to have folded."""
    known = dict(core.contacts[device].folded) if device in core.contacts else {}
    for (held,) in connection.execute("SELECT known FROM peer WHERE device = ?", (device,)):
        if held is not None:
            join(known, _known(core, held))
    return known


def _lacking(core: Core, known: bytes) -> int:
    return Outbox(_known(core, known)).lacking(core)


def _known(core: Core, known: bytes) -> dict[int, int]:
    return core.feeds.vector_of(Frontier.read(unpack(known)).heads)
