"""Make the data directory a device; any other command does so on first use."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import Initialised
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import NeedsDecision
from samemind.formats.printable import one_line
from samemind.formats.rendering import DEVICE_DIGITS, Document, pairs

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Init:
    """Make the data directory a device; any other command does so on first use."""

    name: str | None = option(
        "--name", "the device's name; without it, the machine's. It can be changed until it is paired"
    )
    divorce: bool = option(
        "--divorce", "after the disk was cloned: become a separate device, under a new key", default=False
    )


async def run(device: "Device", options: Init) -> Initialised:
    """Say what this home is; opening it made it a device."""
    from samemind.commands.device._clones import divorce
    from samemind.config import check_name

    if options.divorce:
        return await divorce(device, options.name)
    if options.name is not None and (name := check_name(options.name)) != device.name:
        await _rename(device, name)
    return Initialised(device_id=device.device_id.hex(), name=device.name, home=device.home.shown())


async def _rename(device: "Device", name: str) -> None:
    """Take another name, which is possible until another device was told of the present one."""
    from samemind.device import introduction_of
    from samemind.home.lock import locked_by

    if device.syncer is not None:
        raise locked_by(device.home)
    own = introduction_of(device.identity, name)
    if not await device.replica.run(lambda core, _: core.rename(own)):
        known = device.device_id.hex()[:DEVICE_DIGITS]
        raise NeedsDecision(
            f"{device.home.shown()} is called {device.name}, and other devices know it by this name",
            code="named_already",
            hint=f"on each of them: samemind peers rename {known} {shlex.quote(name)}",
        )
    device.name = name


def render(document: Document) -> list[str]:
    if document["divorced_from"] is None:
        return pairs({name: document[name] for name in ("device_id", "name", "home")})
    told = ", ".join(document["told"])
    return [
        f"a device of its own now: {one_line(document['name'])} ({document['device_id'][:DEVICE_DIGITS]})",
        f"{told} heard of it" if told else "no device heard of it yet: pair it with one, samemind pair",
    ]


COMMAND: Final = Command(
    "init",
    Init,
    Initialised,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="starts or ends a program, or says who this is",
    library=None,
    starts_daemon=False,
    place=1,
)
