"""Delete a quarantined text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class DropHeld:
    """Delete a quarantined text."""

    id: str = argument("its id, as `samemind held` lists it", takes=Takes.ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was kept back under this id is gone."""

    id: str


async def run(device: "Device", options: DropHeld) -> Dropped:
    """Throw away what was held."""

    from cognition.ingest.holding import drop
    from replica import show_memory_id
    from samemind.commands.ingest._work import find

    def write(core: "Core", connection: "sqlite3.Connection") -> Dropped:
        held = find(connection, options.id)
        drop(connection, held.rid)
        return Dropped(id=show_memory_id(held.rid))

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    return [f"{document['id']} is gone"]


COMMAND: Final = Command(
    "held drop",
    DropHeld,
    Dropped,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel=True,
    library=Method("drop_held"),
    place=6,
)
