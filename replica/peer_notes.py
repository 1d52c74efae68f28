"""Keep what this device notes about each peer: nickname, addresses, last sync. It is no op, and never replicated."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replica.ids import DeviceId
from replica.storage.sql import derived_transaction


class PeerNote(NamedTuple):
    """What is noted of one peer.

    Addresses are as they were written; `last_sync` is in ms since 1970; `known` is the packed frontier that it had
    then; `told` says that it was revoked and has heard so from this device.
    """

    device: DeviceId
    nickname: str | None
    fixed_address: str | None
    last_address: str | None
    last_sync: int | None
    offset_ms: int | None
    known: bytes | None
    told: bool


def peer_notes(connection: sqlite3.Connection) -> Iterator[PeerNote]:
    """Return what is noted of every peer, in no particular order."""
    rows = connection.execute(
        "SELECT device, nickname, fixed_address, last_address, last_sync, offset_ms, known, told FROM peer"
    )
    return (
        PeerNote(DeviceId(device), nickname, fixed, last, last_sync, offset_ms, known, bool(told))
        for device, nickname, fixed, last, last_sync, offset_ms, known, told in rows
    )


def frontier_noted(connection: sqlite3.Connection, device: DeviceId) -> bytes | None:
    """Return the packed frontier that a peer had at its last sync; None where none is noted."""
    row = connection.execute("SELECT known FROM peer WHERE device = ?", (device,)).fetchone()
    return None if row is None else row[0]


def note_sync(
    connection: sqlite3.Connection,
    device: DeviceId,
    *,
    last_sync: int | None = None,
    offset_ms: int | None = None,
    last_address: str | None = None,
    known: bytes | None = None,
) -> None:
    """Note how a sync with a peer went; what is None stays as it was.

    Nobody waits for the disk: a note is made while a link comes up, and a power cut that takes it back costs a search.
    """
    with derived_transaction(connection):
        connection.execute(
            """INSERT INTO peer (device, last_sync, offset_ms, last_address, known) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET
                last_sync = coalesce(excluded.last_sync, last_sync),
                offset_ms = coalesce(excluded.offset_ms, offset_ms),
                last_address = coalesce(excluded.last_address, last_address),
                known = coalesce(excluded.known, known)""",
            (device, last_sync, offset_ms, last_address, known),
        )


def note_fixed_address(connection: sqlite3.Connection, device: DeviceId, address: str | None) -> None:
    """Note, or with None remove, the address that the owner gave for a peer."""
    connection.execute(
        """INSERT INTO peer (device, fixed_address) VALUES (?, ?)
        ON CONFLICT (device) DO UPDATE SET fixed_address = excluded.fixed_address""",
        (device, address),
    )


def note_nickname(connection: sqlite3.Connection, device: DeviceId, nickname: str | None) -> None:
    """Note, or with None remove, what the owner calls a peer on this device."""
    connection.execute(
        """INSERT INTO peer (device, nickname) VALUES (?, ?)
        ON CONFLICT (device) DO UPDATE SET nickname = excluded.nickname""",
        (device, nickname),
    )


def note_told(connection: sqlite3.Connection, device: DeviceId) -> None:
    """Note that a revoked device has heard from this one that it was."""
    connection.execute(
        """INSERT INTO peer (device, told) VALUES (?, 1)
        ON CONFLICT (device) DO UPDATE SET told = 1""",
        (device,),
    )


def nicknames(connection: sqlite3.Connection) -> dict[bytes, str]:
    """Return the nickname of each peer that has one, by device."""
    return dict(connection.execute("SELECT device, nickname FROM peer WHERE nickname IS NOT NULL"))


def copy_nicknames(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy what the owner calls each peer into a store that has no notes yet."""
    target.executemany(
        "INSERT INTO peer (device, nickname) VALUES (?, ?)",
        source.execute("SELECT device, nickname FROM peer"),
    )


def copy_notes(source: sqlite3.Connection, target: sqlite3.Connection, devices: Iterable[DeviceId]) -> None:
    """Copy nicknames and addresses of some peers into another store of this device; what it has noted stays."""
    for device in devices:
        noted = source.execute(
            "SELECT nickname, fixed_address, last_address FROM peer WHERE device = ?", (device,)
        ).fetchone()
        target.execute(
            "INSERT OR IGNORE INTO peer (device, nickname, fixed_address, last_address) VALUES (?, ?, ?, ?)",
            (device, *(noted or (None, None, None))),
        )
