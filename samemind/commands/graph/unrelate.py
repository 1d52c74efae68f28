"""Remove an edge."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.graph._parts import EdgeView, edge_line
from samemind.declaring import Agents, Command, Effects, Method, argument
from samemind.errors import NotFound
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    import replica
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelate:
    """Remove an edge."""

    source: str = argument("an entity, or the id of a memory", metavar="SRC")
    relation: str = argument("how they are related", metavar="REL")
    target: str = argument("an entity, or the id of a memory", metavar="DST")


async def run(device: "Device", options: Unrelate) -> EdgeView:
    """Remove an edge."""
    import replica
    from cognition.ingest.asserting import take_back

    def write(core: "replica.Core", connection: "sqlite3.Connection") -> EdgeView:
        edge = edge_named(options, connection)
        body = replica.Relate(edge.source, edge.relation, edge.target, None)
        take_back(core, connection, body, device.now_ms())
        return edge

    return await device.replica.run(write)


def edge_named(options: Unrelate, connection: "sqlite3.Connection") -> EdgeView:
    """Return the edge that is to be removed; `NotFound` where there is none."""
    from replica import edge_weight
    from samemind.commands.graph._work import entity_name

    source, relation, target = (
        entity_name(options.source),
        entity_name(options.relation),
        entity_name(options.target),
    )
    weight = edge_weight(connection, source, relation, target)
    if weight is None:
        raise NotFound(f"no edge leads from {source!r:.60} by {relation!r:.60} to {target!r:.60}")
    return EdgeView(source=source, relation=relation, target=target, weight=weight)


def render(document: Document) -> list[str]:
    return [f"removed: {edge_line(document)}"]


COMMAND: Final = Command(
    "unrelate",
    Unrelate,
    EdgeView,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method("unrelate"),
    idempotent=True,
    place=2,
)
