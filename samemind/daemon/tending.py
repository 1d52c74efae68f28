"""Do what nobody asks for as long as a store is held: bring up what is due, and think.

An agent's server holds the store for hours. Without this, a reminder would wait for somebody to run `samemind think`.
Nothing is shown on the desktop, which is for a daemon: what is due waits for whoever asks.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from replica import DeviceId
from replica.supervision import Supervisor
from samemind.daemon.notifying import NotifyLoop
from samemind.device import Device
from samemind.thinking import ThinkLoop


@asynccontextmanager
async def tended(device: Device) -> AsyncIterator[None]:
    """Look after a device for the block; what fails is logged and tried again, and ends no call.

    What is due already is brought up first: an agent asks what waits when its session begins, and perhaps never again.
    """
    loop = NotifyLoop(device, find=lambda: None)
    async with trio.open_nursery() as nursery:
        tasks = Supervisor(nursery)
        await tasks.attempt("bringing up what is due", loop.look)
        tasks.keep("bringing up what is due", loop.run)
        tasks.keep("thinking", thinker(device).run)
        yield
        nursery.cancel_scope.cancel()


def thinker(device: Device) -> ThinkLoop:
    """Return what thinks for this device, and for those that are linked with it."""

    def linked() -> list[DeviceId]:
        states = () if device.syncer is None else device.syncer.peers()
        return [peer.device_id for peer in states if peer.state == "linked"]

    return ThinkLoop(
        device.device_id,
        think=device.mind.think,
        position=lambda: device.replica.position,
        linked=linked,
        last=lambda: device.mind.last_cycle,
    )
