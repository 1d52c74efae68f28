"""Know the other devices of the group."""

import sqlite3

from replica import DeviceId, NotFound
from samemind.config import check_name
from samemind.device import Device
from samemind.results.group import Peers, PeerView
from samemind.surface.group import AddPeer, ListPeers, RenamePeer
from samemind.times import at_ms
from samemind.verbs.ids import find_device
from sync.address import Address


async def peers_list(device: Device, options: ListPeers) -> Peers:
    """List them."""
    return Peers(peers=await peer_views(device))


async def peers_rename(device: Device, options: RenamePeer) -> PeerView:
    """Call a device by another name, here only."""
    return await _note(device, options.device, "nickname", check_name(options.name))


async def peers_add(device: Device, options: AddPeer) -> PeerView:
    """Note where a device can always be reached."""
    return await _note(device, options.device, "fixed_address", str(Address.parse(options.address)))


async def peer_views(device: Device) -> list[PeerView]:
    """Return all other devices, those that were put out last."""
    return await device.replica.read(lambda connection: _views(connection, device.device_id))


def _views(connection: sqlite3.Connection, own: DeviceId) -> list[PeerView]:
    rows = connection.execute(
        """SELECT n.device, ifnull(p.nickname, n.name), p.last_sync, p.offset_ms,
                  ifnull(p.last_address, p.fixed_address), n.device IN (SELECT device FROM revocation)
           FROM member n LEFT JOIN peer p ON p.device = n.device WHERE n.device != ? ORDER BY 6, 2, 1""",
        (own,),
    )
    return [
        PeerView(
            device_id=device.hex(),
            name=name,
            state="revoked" if revoked else "unknown",
            last_sync=None if last_sync is None else at_ms(last_sync),
            offset_ms=offset_ms,
            address=address,
        )
        for device, name, last_sync, offset_ms, address, revoked in rows
    ]


async def _note(device: Device, text: str, column: str, value: str) -> PeerView:
    def write(connection: sqlite3.Connection) -> PeerView:
        peer = find_device(connection, text)
        connection.execute("INSERT OR IGNORE INTO peer (device) VALUES (?)", (peer,))
        connection.execute(f"UPDATE peer SET {column} = ? WHERE device = ?", (value, peer))
        for view in _views(connection, device.device_id):
            if view.device_id == peer.hex():
                return view
        raise NotFound("expected another device, got this one")

    return await device.replica.run(lambda _, connection: write(connection))
