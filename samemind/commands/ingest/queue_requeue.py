"""Retry entries of the queue that failed: those named, or all."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.errors import Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from replica import MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeue:
    """Retry entries of the queue that failed: those named, or all."""

    ids: tuple[str, ...] = argument("ids that `queue` lists", metavar="ID", optional=True, many=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeued:
    """How many entries get another five attempts."""

    count: int


async def run(device: "Device", options: Requeue) -> Requeued:
    """Give entries five attempts more."""
    from samemind.commands.ingest._work import TALK
    from samemind.formats.ids import find_memory

    if not options.ids:
        count = await device.mind.embedding.requeue()
        return Requeued(count=count + await device.mind.requeue_talk(None))
    talks = [_number(text) for text in options.ids if text.startswith(TALK)]
    rids: list[MemoryId] = await device.replica.read(
        lambda connection: [
            find_memory(connection, text) for text in options.ids if not text.startswith(TALK)
        ]
    )
    count = await device.mind.embedding.requeue(rids) if rids else 0
    return Requeued(count=count + (await device.mind.requeue_talk(talks) if talks else 0))


def _number(text: str) -> int:
    from samemind.commands.ingest._work import TALK

    number = text.removeprefix(TALK)
    if not number.isdecimal():
        raise Usage(f"expected an id that `queue` lists, got {text!r:.40}", code="bad_id")
    return int(number)


def render(document: Document) -> list[str]:
    return [f"{document['count']} to be tried again"]


COMMAND: Final = Command(
    "queue requeue",
    Requeue,
    Requeued,
    run=run,
    render=render,
    effects=Effects.CHANGE,
    agents=Agents.FULL,
    panel="is about the machine, or shows what was held back from every screen",
    library=Method("requeue"),
    place=2,
)
