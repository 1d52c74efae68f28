"""Unlink a memory from others that were taken to say the same, and show it on its own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.errors import NotFound
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkTellings:
    """Unlink a memory from others that were taken to say the same, and show it on its own."""

    rid: str = argument("the id of a memory", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """A telling that stands apart again, and the tellings (`rids`) that it was shown with."""

    rid: str
    rids: list[str]


async def run(device: "Device", options: UnlinkTellings) -> Unlinked:
    """Withdraw every link that is known here and names a telling of these words; nothing of any memory changes."""

    import replica
    from cognition.ingest.linking import wait_for_links
    from cognition.tellings import tellings_with, words_of_telling
    from replica import Write, links_of, show_memory_id
    from replica.limits import NAMES_MAX
    from samemind.formats.ids import find_memory

    def write(core: "Core", connection: "sqlite3.Connection") -> Unlinked:
        rid = find_memory(connection, options.rid)
        alike = words_of_telling(connection, rid)
        links = sorted(links_of(connection, alike))
        if not links:
            raise NotFound(f"the memory {show_memory_id(rid)} is linked to no other telling", code="no_link")
        wait_for_links(connection, (), no_more=alike)
        apart = sorted(tellings_with(connection, rid))
        for start in range(0, len(links), NAMES_MAX):
            core.commit([Write(replica.Unlink(tuple(links[start : start + NAMES_MAX])))], device.now_ms())
        return Unlinked(
            rid=show_memory_id(rid), rids=[show_memory_id(each) for each in apart if each not in alike]
        )

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    return [f"on its own again: {document['rid']}"]


COMMAND: Final = Command(
    "unlink",
    UnlinkTellings,
    Unlinked,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel=True,
    library=Method("unlink", "Unlink a memory from others that were taken to say the same."),
    place=3,
)
