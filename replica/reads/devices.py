"""Read which devices are known, and what each is called here: its nickname, else the name it gave itself."""

import sqlite3
from collections.abc import Iterator
from typing import Final, NamedTuple

from replica.ids import DeviceId

# Beside a feed `f`: who writes it, by the name `n` that it gave itself, and by the one `p` that it has here.
WRITERS: Final = "LEFT JOIN member n ON n.device = f.device LEFT JOIN peer p ON p.device = f.device"


class KnownPeer(NamedTuple):
    """A member other than this device; `last_sync` is in ms since 1970, `address` the last that answered."""

    device: DeviceId
    name: str
    last_sync: int | None
    offset_ms: int | None
    address: str | None


def device_names(connection: sqlite3.Connection) -> dict[bytes, str]:
    """Return what each member is called here, those that were revoked too, by device."""
    return dict(
        connection.execute(
            "SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device"
        )
    )


def devices_named(connection: sqlite3.Connection, name: str, *, limit: int) -> list[DeviceId]:
    """Return at most `limit` members that are called so here, whatever the case, in the order of ids."""
    rows = connection.execute(
        """SELECT n.device FROM member n LEFT JOIN peer p ON p.device = n.device
           WHERE casefold(ifnull(p.nickname, n.name)) = casefold(?) ORDER BY n.device LIMIT ?""",
        (name, limit),
    )
    return [DeviceId(device) for (device,) in rows]


def devices_between(connection: sqlite3.Connection, low: bytes, high: bytes, *, limit: int) -> list[DeviceId]:
    """Return at most `limit` members with ids of this range, both ends in it, in the order of ids."""
    rows = connection.execute(
        "SELECT device FROM member WHERE device BETWEEN ? AND ? ORDER BY device LIMIT ?", (low, high, limit)
    )
    return [DeviceId(device) for (device,) in rows]


def peers_of(connection: sqlite3.Connection, device: DeviceId) -> Iterator[KnownPeer]:
    """Return every member but this device, in the order of names, then of ids."""
    rows = connection.execute(
        """SELECT n.device, ifnull(p.nickname, n.name), p.last_sync, p.offset_ms,
                  ifnull(p.last_address, p.fixed_address)
           FROM member n LEFT JOIN peer p ON p.device = n.device WHERE n.device != ? ORDER BY 2, 1""",
        (device,),
    )
    return (KnownPeer(DeviceId(peer), *noted) for peer, *noted in rows)
