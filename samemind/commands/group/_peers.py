"""What several commands do with the other devices that are known here."""

import sqlite3
from dataclasses import replace

from replica import DeviceId, NameNotFound
from replica.core import Core
from replica.quotas import Quotas
from replica.reads.devices import device_names, peers_of
from replica.reads.log import read_meta
from samemind.commands.group._members import name_of
from samemind.commands.group._parts import PeerView
from samemind.device import Device, quota_limits
from samemind.errors import Usage
from samemind.formats.ids import find_device
from samemind.formats.rendering import DEVICE_DIGITS
from samemind.formats.times import at_ms


async def peer_views(device: Device) -> list[PeerView]:
    """Return all other devices, those that were put out last."""
    views = await device.replica.run(lambda core, connection: _views(connection, device, core))
    if device.syncer is None:
        return with_namesakes(views, device.name)
    states = {state.device_id.hex(): state for state in device.syncer.peers()}
    views = [
        PeerView(
            device_id=view.device_id,
            name=view.name,
            state=state.state,
            last_sync=None if state.last_sync_ms is None else at_ms(state.last_sync_ms),
            offset_ms=state.offset_ms,
            behind=state.behind,
            address=None if state.address is None else str(state.address),
            error=state.error,
            quota=view.quota,
            quota_of=view.quota_of,
            revoked_by=view.revoked_by,
            revoked_at=view.revoked_at,
        )
        if (state := states.get(view.device_id)) is not None
        else view
        for view in views
    ]
    return with_namesakes(views, device.name)


def with_namesakes(views: list[PeerView], own: str) -> list[PeerView]:
    """Mark who is away while this device, or one that is linked, has the same name.

    A device that was restored without its key is a new one of that name. What it was before stays in the group until
    somebody removes it, and nothing else would say that it is gone.
    """
    here = {own, *(view.name for view in views if view.state == "linked")}
    return [
        replace(view, namesake=True) if view.state == "away" and view.name in here else view for view in views
    ]


async def other_device(device: Device, text: str) -> DeviceId:
    peer = await device.replica.read(lambda connection: find_device(connection, text))
    if peer == device.device_id:
        raise Usage(
            "expected another device, got this one",
            hint=f"run it on another device, where this one is {peer.hex()[:DEVICE_DIGITS]}",
        )
    return peer


async def refreshed(device: Device, peer: DeviceId) -> PeerView:
    if device.syncer is not None:
        await device.syncer.refresh()
    for view in await peer_views(device):
        if view.device_id == peer.hex():
            return view
    raise NameNotFound(f"no device has the id {peer.hex()}")


def _views(connection: sqlite3.Connection, device: Device, core: Core) -> list[PeerView]:
    standing, judged, since = core.membership.standing, core.membership.judgment, core.out_since
    quotas = Quotas(quota_limits(device.settings))
    quotas.restore(read_meta(connection).quotas)
    names = device_names(connection)
    views = [
        PeerView(
            device_id=peer.device.hex(),
            name=peer.name,
            state="away" if peer.device in standing else "revoked",
            last_sync=None if peer.last_sync is None else at_ms(peer.last_sync),
            offset_ms=peer.offset_ms,
            address=peer.address,
            quota=round(share, 3),
            quota_of=what.name.lower().replace("_", " "),
            revoked_by=names.get(by[0]) or name_of(core, by[0])
            if (by := judged.revoked_by.get(peer.device))
            else None,
            revoked_at=at_ms(since[peer.device]) if peer.device in since else None,
        )
        for peer in peers_of(connection, device.device_id)
        for what, share in [quotas.fullest(peer.device, device.now_ms())]
    ]
    return sorted(views, key=lambda view: view.state == "revoked")
