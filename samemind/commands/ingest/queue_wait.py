"""Wait until everything is read and embedded, as after a large import or a change of embedder."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.ingest._parts import ListQueue, Queue, queue_lines
from samemind.commands.ingest.queue_list import run as list_queue
from samemind.declaring import Agents, Command, Effects, Method

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitForQueue:
    """Wait until everything is read and embedded, as after a large import or a change of embedder."""


async def run(device: "Device", options: WaitForQueue, say: "Say") -> Queue:
    """Wait until what was brought in is read, and all is embedded and read by the reranker, saying how far that is.

    A change of either model begins anew.
    """
    total = 0

    async def told(pending: int) -> None:
        nonlocal total
        total = max(total, pending)
        await say({"progress": {"done": total - pending, "total": total}})

    await device.mind.ingest.read_brought(told)
    total = 0
    await device.mind.settle(told)
    total = 0
    await device.mind.reranking.settle(told)
    return await list_queue(device, ListQueue())


COMMAND: Final = Command(
    "queue wait",
    WaitForQueue,
    Queue,
    run=run,
    render=queue_lines,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("wait_for_queue", "Wait until everything is read and embedded."),
    streams=True,
    kept="what was read and embedded so far is kept; `samemind queue wait` goes on from there",
    place=3,
)
