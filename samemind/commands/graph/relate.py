"""Relate two entities or memories by an edge."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.graph._parts import EdgeView, edge_line
from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class RelateEntities:
    """Relate two entities or memories by an edge."""

    source: str = argument("an entity, or the id of a memory", metavar="SRC")
    relation: str = argument("how they are related", metavar="REL")
    target: str = argument("an entity, or the id of a memory", metavar="DST")
    weight: float = option("--weight", "how strongly", default=1.0)


async def run(device: "Device", options: RelateEntities) -> EdgeView:
    """Write an edge; where there is one such thing at a time, tell it too, so that it can be contradicted."""
    import sqlite3

    import replica
    from cognition.ingest.asserting import assert_edge, holds_one
    from cognition.recall.relating import check_relation
    from replica import Core, Write, edge_weight, new_memory_id
    from samemind.commands.graph._work import entity_name, memory_id_of
    from samemind.refusing import refuse_secret

    source, relation, target = (
        entity_name(options.source),
        entity_name(options.relation),
        entity_name(options.target),
    )
    edge = EdgeView(source=source, relation=relation, target=target, weight=options.weight)
    if memory_id_of(source) is not None and memory_id_of(target) is not None:
        check_relation(relation)
    body = replica.Relate(source, relation, target, options.weight)

    def write(core: Core, connection: sqlite3.Connection) -> EdgeView:
        if edge_weight(connection, source, relation, target) is None:
            refuse_secret(_told(source, relation, target))
        now_ms = device.now_ms()
        if holds_one(relation) and memory_id_of(source) is None and memory_id_of(target) is None:
            assert_edge(core, connection, body, new_memory_id(now_ms, device.random), now_ms)
        else:
            core.commit([Write(body)], now_ms)
        return edge

    return await device.replica.run(write)


def _told(source: str, relation: str, target: str) -> str:
    """Return an edge as one would tell it; the id of a memory is random, and yet no secret."""
    from samemind.commands.graph._work import memory_id_of

    source, target = ("" if memory_id_of(name) is not None else name for name in (source, target))
    return f"{source} {relation.replace('_', ' ')}: {target}"


def render(document: Document) -> list[str]:
    return [edge_line(document)]


COMMAND: Final = Command(
    "relate",
    RelateEntities,
    EdgeView,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("relate"),
    idempotent=True,
    place=1,
)
