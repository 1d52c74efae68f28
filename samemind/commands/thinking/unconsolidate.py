"""Take a summary apart: its memories are shown on their own again, and are not consolidated again."""

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
class Unconsolidate:
    """Take a summary apart: its memories are shown on their own again, and are not consolidated again."""

    rid: str = argument("the id of a summary, or of a memory that stands under one", takes=Takes.RID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconsolidated:
    """A summary that is no more, and the memories that stand for themselves again."""

    rid: str
    rids: list[str]


async def run(device: "Device", options: Unconsolidate) -> Unconsolidated:
    """Withdraw what was proposed, and set the memories apart: a device that proposes them meanwhile changes nothing."""

    from cognition.consolidation.summaries import summary_named, summary_rid
    from replica import Set, Withdraw, Write, proposals_of, show_memory_id
    from samemind.formats.ids import find_memory

    def write(core: "Core", connection: "sqlite3.Connection") -> Unconsolidated:
        rid = find_memory(connection, options.rid, summary=True)
        summary = summary_named(connection, summary_rid(connection, rid) or rid)
        if summary is None:
            raise NotFound(f"the memory {show_memory_id(rid)} is part of no summary", code="no_summary")
        rids = sorted(member.rid for member in summary.members)
        writes = [Write(Withdraw(tuple(sorted(proposals_of(connection, rids)))))]
        writes += [Write(Set("apart", True), member) for member in rids]
        core.commit(writes, device.now_ms())
        return Unconsolidated(rid=show_memory_id(summary.rid), rids=[show_memory_id(each) for each in rids])

    return await device.replica.run(write)


def render(document: Document) -> list[str]:
    return [f"on its own again: {rid}" for rid in document["rids"]]


COMMAND: Final = Command(
    "unconsolidate",
    Unconsolidate,
    Unconsolidated,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method("unconsolidate", "Take a summary apart: its memories are shown on their own again."),
    place=2,
)
