"""List what still has to be embedded or read by a model, and what failed."""

from typing import TYPE_CHECKING, Final

from samemind.commands.ingest._parts import ListQueue, Queue, queue_lines
from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    from samemind.device import Device


async def run(device: "Device", options: ListQueue) -> Queue:
    """List both queues."""
    from cognition.talk.queue import talk_entries, talk_state
    from samemind.commands.ingest._work import embed_entry, talk_entry

    state = await device.mind.embedding.state()
    talk = await device.replica.read(talk_state)
    embeds = await device.mind.embedding.entries(status=options.status, limit=options.limit)
    talks = await device.replica.read(
        lambda connection: talk_entries(connection, status=options.status, limit=options.limit)
    )
    entries = [*map(embed_entry, embeds), *map(talk_entry, talks)]
    return Queue(
        pending=device.mind.ingest.brought
        + state.pending
        + talk.pending
        + await device.mind.reranking.pending(),
        failed=state.failed + talk.failed,
        entries=entries[: options.limit],
    )


COMMAND: Final = Command(
    "queue list",
    ListQueue,
    Queue,
    run=run,
    render=queue_lines,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("queue"),
    rows="entries",
    place=1,
    short=True,
)
