"""Think, and take apart what thinking put together."""

import sqlite3

import replica
from cognition.consolidation.summaries import summary_named, summary_rid
from cognition.linking import wait_for_links
from cognition.tellings import tellings_with, words_of_telling
from replica import Core, Set, Withdraw, Write, links_of, proposals_of, show_memory_id
from replica.limits import NAMES_MAX
from samemind.device import Device
from samemind.errors import NotFound
from samemind.giving_back import LONG_MS, give_back
from samemind.results.thinking import Raised, Thought, Unconsolidated, Unlinked
from samemind.surface.thinking import Think, Unconsolidate, Unlink
from samemind.verbs.ids import find_memory


async def think(device: Device, options: Think) -> Thought:
    """Run one cycle, after everything that waits for its vector has one or was given up."""
    cycle = await device.mind.think()
    if cycle.took_ms >= LONG_MS:
        await give_back(device.replica)
    raised = {name: Raised(count=len(ids), ids=list(ids)) for name, ids in cycle.ids.items()}
    return Thought(
        contradictions=raised.get("contradictions", Raised()),
        consolidated=raised.get("consolidated", Raised()),
        patterns=raised.get("patterns", Raised()),
        triggers=raised.get("triggers", Raised()),
        took_ms=cycle.took_ms,
        more=cycle.more,
    )


async def unlink(device: Device, options: Unlink) -> Unlinked:
    """Withdraw every link that is known here and names a telling of these words; nothing of any memory changes."""

    def write(core: Core, connection: sqlite3.Connection) -> Unlinked:
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


async def unconsolidate(device: Device, options: Unconsolidate) -> Unconsolidated:
    """Withdraw what was proposed, and set the memories apart: a device that proposes them meanwhile changes nothing."""

    def write(core: Core, connection: sqlite3.Connection) -> Unconsolidated:
        rid = find_memory(connection, options.rid, summary=True)
        summary = summary_named(connection, summary_rid(connection, rid) or rid)
        if summary is None:
            raise NotFound(f"the memory {show_memory_id(rid)} stands under no summary", code="no_summary")
        rids = sorted(member.rid for member in summary.members)
        writes = [Write(Withdraw(tuple(sorted(proposals_of(connection, rids)))))]
        writes += [Write(Set("apart", True), member) for member in rids]
        core.commit(writes, device.now_ms())
        return Unconsolidated(rid=show_memory_id(summary.rid), rids=[show_memory_id(each) for each in rids])

    return await device.replica.run(write)
