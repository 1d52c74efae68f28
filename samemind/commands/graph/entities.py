"""List the people, places and things that memories and edges name."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.graph._parts import EDGES_MAX, unread_lines
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.formats.options import MomentOptions
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities(MomentOptions):
    """List the people, places and things that memories and edges name."""

    limit: int = option(
        "--limit", "at most this many", default=50, metavar="N", short="-n", least=0, most=EDGES_MAX
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """Somebody or something, and how many memories name it."""

    name: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """What memories name, the commonest first; `left`: texts that were not read for names yet."""

    entities: list[EntityView]
    left: int = 0


async def run(device: "Device", options: ListEntities) -> Entities:
    """List what memories name, the commonest first."""
    from cognition.entities import count_unread
    from cognition.entities import entities as named
    from samemind.moments import names_at_moment

    async with names_at_moment(device, options.as_of, options.seen_by) as mind:
        found = await mind.read(lambda connection: named(connection, limit=options.limit))
        left = await mind.read(count_unread)
    return Entities(entities=[EntityView(name=name, memories=count) for name, count in found], left=left)


def render(document: Document) -> list[str]:
    named = [f"{one['memories']:>6}  {one['name']}" for one in document["entities"]]
    return [*named, *unread_lines(document["left"])] or ["no memory names anything"]


COMMAND: Final = Command(
    "entities",
    ListEntities,
    Entities,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "entities",
        "List the people, places and things that memories and edges name, the most frequent first.",
    ),
    rows="entities",
    place=4,
)
