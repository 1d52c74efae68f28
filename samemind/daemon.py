"""Run the device in the foreground: hold the store, answer other programs, and stay in step with the peers.

A signal or `samemind down` ends it within two seconds: what is being written is finished, links are closed, and the
store is let go of.
"""

import os
import signal
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import trio

from samemind.config import Home
from samemind.control.server import Say
from samemind.device import Device, open_device
from samemind.results.plain import to_json
from samemind.surface.device import Up
from samemind.verbs.device import daemon_status


@dataclass(frozen=True, slots=True)
class Daemon:
    """What is known of the daemon that this process is. `address` is where peers reach it."""

    address: str | None


async def run_daemon(home: Home, options: Up, say: Say) -> Mapping[str, Any] | None:
    """Be the daemon of a home until somebody ends it; says its address, and at last that it ended."""
    with trio.open_signal_receiver(
        signal.SIGINT, signal.SIGTERM
    ) as signals:  # before anybody is told that it is up
        async with open_device(home, program="samemind up", answers=True) as device:
            device.daemon = Daemon(None)
            await say(to_json(await daemon_status(device)))
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_until_signalled, signals, device)
                await device.stop.wait()
                nursery.cancel_scope.cancel()
    return {"device_id": device.device_id.hex(), "pid": os.getpid()}


async def _until_signalled(signals: AsyncIterator[int], device: Device) -> None:
    await anext(signals)
    device.stop.set()
