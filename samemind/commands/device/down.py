"""Stop the daemon."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import Stopped
from samemind.declaring import Agents, Command, Effects
from samemind.errors import Locked
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Down:
    """Stop the daemon."""


async def run(device: "Device", options: Down) -> Stopped:
    """Ask the daemon to stop; it answers this first."""
    import os

    if device.syncer is None:
        raise Locked(
            f"{device.home.shown()} is in use by {device.program}, which is no daemon",
            hint="end that program",
        )
    device.stop.set()
    return Stopped(device_id=device.device_id.hex(), pid=os.getpid())


def render(document: Document) -> list[str]:
    return ["ended"]


COMMAND: Final = Command(
    "down",
    Down,
    Stopped,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    starts_daemon=False,
    place=3,
    elsewhere=("stop",),
)
