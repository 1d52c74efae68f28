"""Make the data directory a device; any other command does so on first use."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.device._parts import Initialised
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import NeedsDecision
from samemind.printable import one_line
from samemind.rendering import DEVICE_DIGITS, Document, pairs

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Init:
    """Make the data directory a device; any other command does so on first use."""

    name: str | None = option("--name", "the device's name; without it, the machine's")
    divorce: bool = option(
        "--divorce", "after the disk was cloned: become a separate device, under a new key", default=False
    )


async def run(device: "Device", options: Init) -> Initialised:
    """Say what this home is; opening it made it a device."""
    from samemind.commands.device._clones import divorce
    from samemind.config import check_name

    if options.divorce:
        return await divorce(device, options.name)
    if options.name is not None and check_name(options.name) != device.name:
        raise NeedsDecision(
            f"{device.home.shown()} is a device already, and it is called {device.name}",
            code="named_already",
            hint="choose another data directory, or rename it on each other device: samemind peers rename",
        )
    return Initialised(device_id=device.device_id.hex(), name=device.name, home=device.home.shown())


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
