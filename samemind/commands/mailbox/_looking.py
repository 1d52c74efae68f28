"""Look into a mailbox at once, through the daemon's connections or through one that is made for it."""

import trio

from samemind.device import Device
from samemind.home.mailboxes import SavedMailbox, keeper_of
from sync.carrier.visit import Looked


async def look_into(device: Device, settled: SavedMailbox) -> Looked:
    """Take what is new in a mailbox, and write what it lacks; nothing is put off."""
    if device.mailboxes is not None and settled.name in device.mailboxes.keepers:
        return await device.mailboxes.keepers[settled.name].look()
    folder = device.home.store.parent
    keeper = keeper_of(settled, device.replica, device.identity, device.host, device.random, _nobody, folder)
    try:
        return await keeper.look()
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(1):
            await keeper.aclose()


async def _nobody() -> None:
    """There is no link to tell what came."""
