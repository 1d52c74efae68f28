"""Show what an entity is related to."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.graph._parts import EDGES_MAX, EdgeView, edge_line, unread_lines
from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.errors import NotFound
from samemind.formats.options import MomentOptions
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    import sqlite3

    from cognition import Cognition, PastMind
    from samemind.device import Device


# Six steps reach everybody; the bound on edges keeps an answer readable and a screen alive.
HOPS_MAX: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowGraph(MomentOptions):
    """Show what an entity is related to."""

    entity: str = argument("an entity, or the id of a memory", metavar="ENTITY")
    hops: int = option("--hops", "up to this many edges away", default=1, metavar="N", least=1, most=HOPS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Edges, and the entities they join; `left`: texts that were not read for names yet."""

    edges: list[EdgeView]
    entities: list[str]
    left: int = 0


# Memories of one step whose likes are looked for; each is a search.
RELATED_LOOKED_UP_MAX: Final = 50


async def run(device: "Device", options: ShowGraph) -> Graph:
    """Walk the edges from an entity, in both directions: those that were told, and what memories state."""
    from samemind.commands.graph._work import entity_name
    from samemind.moments import names_at_moment

    async with names_at_moment(device, options.as_of, options.seen_by) as mind:
        return await _walk(mind, entity_name(options.entity), options.hops)


async def _walk(mind: "Cognition | PastMind", entity: str, hops: int) -> Graph:
    from cognition.entities import count_unread, names_meant
    from samemind.commands.graph._work import memory_id_of

    left = await mind.read(count_unread)
    reached = await mind.read(lambda connection: names_meant(connection, entity, memory_id_of(entity)))
    edges: dict[tuple[str, str, str], float] = {}
    border = set(reached)
    for _ in range(hops):
        names = sorted(border)
        found = await mind.read(partial(_edges_among, names))
        for name in names[:RELATED_LOOKED_UP_MAX]:
            found += await _alike(mind, name)
        edges |= {(source, relation, target): weight for source, relation, target, weight in found}
        border = {end for source, _, target, _ in found for end in (source, target)} - reached
        reached |= border
        if len(edges) >= EDGES_MAX:
            break
    if not edges and not await mind.read(partial(_is_named, entity)):
        raise NotFound(f"nothing is related to {entity!r:.60}", hint="".join(unread_lines(left)))
    gone = await mind.read(partial(_no_longer, sorted(reached)))
    shown = [
        EdgeView(
            source=source,
            relation=relation,
            target=target,
            weight=weight,
            replaced=(source.casefold(), relation, target.casefold()) in gone,
        )
        for (source, relation, target), weight in sorted(edges.items())[:EDGES_MAX]
    ]
    ends = sorted({end for edge in shown for end in (edge.source, edge.target)})
    return Graph(edges=shown, entities=ends, left=left)


async def _alike(mind: "Cognition | PastMind", name: str) -> list[tuple[str, str, str, float]]:
    """Return the edges from a memory to those most alike to it; none from an entity."""
    from cognition.recall.relating import RELATES_TO
    from replica import show_memory_id
    from samemind.commands.graph._work import memory_id_of

    rid = memory_id_of(name)
    if rid is None:
        return []
    return [
        (name, RELATES_TO, show_memory_id(other), round(cosine, 6))
        for other, cosine in await mind.related(rid)
    ]


def _edges_among(names: Sequence[str], connection: "sqlite3.Connection") -> list[tuple[str, str, str, float]]:
    return [edge for name in names for edge in _edges_of(connection, name)]


def _no_longer(names: Sequence[str], connection: "sqlite3.Connection") -> set[tuple[str, str, str]]:
    """Return the edges of these names that were stated and do not hold any more, casefolded."""
    from cognition.contradictions.finding import no_longer_stated
    from cognition.entities import numbers_stating

    stating = {no for name in names for no in numbers_stating(connection, name, limit=EDGES_MAX)}
    return no_longer_stated(connection, sorted(stating)[:EDGES_MAX])


def _is_named(entity: str, connection: "sqlite3.Connection") -> bool:
    found = connection.execute("SELECT 1 FROM entity_mention WHERE name = ? LIMIT 1", (entity,))
    return found.fetchone() is not None


def _edges_of(connection: "sqlite3.Connection", name: str) -> list[tuple[str, str, str, float]]:
    from cognition.entities import triples_of
    from replica.reads.graph import edges_of

    told: list[tuple[str, str, str, float]] = [*edges_of(connection, name, limit=EDGES_MAX)]
    told += _facts_of(connection, name)
    known = {edge[:3] for edge in told}
    return told + [edge for edge in triples_of(connection, name, limit=EDGES_MAX) if edge[:3] not in known]


def _facts_of(connection: "sqlite3.Connection", name: str) -> list[tuple[str, str, str, float]]:
    """Return the edges between a telling and the facts that were taken from it: they follow from the facts."""
    from cognition.recall.relating import FACT_OF
    from replica import memories_of, numbers_with_facts, show_memory_id
    from samemind.commands.graph._work import memory_id_of

    rid = memory_id_of(name)
    if rid is None:
        return []
    return [
        (show_memory_id(it.rid), FACT_OF, show_memory_id(parent), 1.0)
        for it in memories_of(connection, numbers_with_facts(connection, rid))
        if (parent := it.memory.fields.get("parent")) is not None
    ]


def render(document: Document) -> list[str]:
    return [*map(edge_line, document["edges"]), *unread_lines(document["left"])]


COMMAND: Final = Command(
    "graph",
    ShowGraph,
    Graph,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("graph", "Return what an entity is related to."),
    rows="edges",
    place=3,
)
