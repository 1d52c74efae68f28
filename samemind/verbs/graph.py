"""Relate things, and show what they are related to."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final

import replica
from cognition import Mind, PastMind
from cognition.entities import entities as named
from cognition.entities import triples_of
from cognition.relating import RELATES_TO, check_relation
from replica import Core, MemoryId, Write, parse_memory_id, show_memory_id
from samemind.device import Device
from samemind.errors import NotFound, Usage
from samemind.results.graph import EdgeView, Entities, EntityView, Graph
from samemind.surface.graph import ListEntities, Relate, ShowGraph, Unrelate
from samemind.verbs.moments import at_moment
from samemind.verbs.refusing import refuse_secret

# Six steps reach everybody; the bound on edges keeps an answer readable and a screen alive.
HOPS_MAX: Final = 6
EDGES_MAX: Final = 10_000
# Memories of one step whose likes are looked for; each is a search.
RELATED_LOOKED_UP_MAX: Final = 50


async def relate(device: Device, options: Relate) -> EdgeView:
    """Write an edge."""
    source, relation, target = _name(options.source), _name(options.relation), _name(options.target)
    edge = EdgeView(source=source, relation=relation, target=target, weight=options.weight)
    if _memory(source) is not None and _memory(target) is not None:
        check_relation(relation)
    body = replica.Relate(source, relation, target, options.weight)

    def write(core: Core, connection: sqlite3.Connection) -> EdgeView:
        if not connection.execute(
            "SELECT 1 FROM edge WHERE source = ? AND relation = ? AND target = ?", (source, relation, target)
        ).fetchone():
            refuse_secret(_told(source, relation, target))
        core.commit([Write(body)], device.now_ms())
        return edge

    return await device.replica.run(write)


async def unrelate(device: Device, options: Unrelate) -> EdgeView:
    """Take an edge away."""
    source, relation, target = _name(options.source), _name(options.relation), _name(options.target)

    def write(core: Core, connection: sqlite3.Connection) -> EdgeView:
        for (weight,) in connection.execute(
            "SELECT weight FROM edge WHERE source = ? AND relation = ? AND target = ?",
            (source, relation, target),
        ):
            core.commit([Write(replica.Relate(source, relation, target, None))], device.now_ms())
            return EdgeView(source=source, relation=relation, target=target, weight=weight)
        raise NotFound(f"no edge leads from {source!r} by {relation!r} to {target!r}")

    return await device.replica.run(write)


async def entities(device: Device, options: ListEntities) -> Entities:
    """List what memories name, the commonest first."""
    if not 0 <= options.limit <= EDGES_MAX:
        raise Usage(f"expected a limit of 0 to {EDGES_MAX}, got {options.limit}", code="invalid")
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        await mind.read_entities()
        found = await mind.read(lambda connection: named(connection, limit=options.limit))
    return Entities(entities=[EntityView(name=name, memories=count) for name, count in found])


async def graph(device: Device, options: ShowGraph) -> Graph:
    """Walk the edges from an entity, in both directions: those that were told, and what memories state."""
    if not 1 <= options.hops <= HOPS_MAX:
        raise Usage(f"expected 1 to {HOPS_MAX} hops, got {options.hops}", code="invalid")
    async with at_moment(device, options.as_of, options.seen_by) as mind:
        await mind.read_entities()
        return await _walk(mind, _name(options.entity), options.hops)


async def _walk(mind: Mind | PastMind, entity: str, hops: int) -> Graph:
    def start(connection: sqlite3.Connection) -> set[str]:
        return {
            name
            for (name,) in connection.execute(
                """SELECT source FROM edge WHERE source = ? COLLATE NOCASE
                   UNION SELECT target FROM edge WHERE target = ? COLLATE NOCASE
                   UNION SELECT subject FROM triple WHERE subject = ?
                   UNION SELECT object FROM triple WHERE object = ?
                   UNION SELECT ? FROM memory WHERE rid = ?""",
                (entity, entity, entity, entity, entity, _memory(entity)),
            )
        }

    reached = await mind.read(start)
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
        raise NotFound(f"nothing is related to {entity!r}")
    shown = [
        EdgeView(source=source, relation=relation, target=target, weight=weight)
        for (source, relation, target), weight in sorted(edges.items())[:EDGES_MAX]
    ]
    return Graph(edges=shown, entities=sorted({end for edge in shown for end in (edge.source, edge.target)}))


async def _alike(mind: Mind | PastMind, name: str) -> list[tuple[str, str, str, float]]:
    """Return the edges from a memory to those most alike to it; none from an entity."""
    rid = _memory(name)
    if rid is None:
        return []
    return [
        (name, RELATES_TO, show_memory_id(other), round(cosine, 6))
        for other, cosine in await mind.related(rid)
    ]


def _edges_among(names: Sequence[str], connection: sqlite3.Connection) -> list[tuple[str, str, str, float]]:
    return [edge for name in names for edge in _edges_of(connection, name)]


def _is_named(entity: str, connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM entity_mention WHERE name = ? LIMIT 1", (entity,))
    return found.fetchone() is not None


def _edges_of(connection: sqlite3.Connection, name: str) -> list[tuple[str, str, str, float]]:
    told = connection.execute(
        """SELECT source, relation, target, weight FROM edge WHERE source = ?
           UNION SELECT source, relation, target, weight FROM edge WHERE target = ? LIMIT ?""",
        (name, name, EDGES_MAX),
    ).fetchall()
    known = {edge[:3] for edge in told}
    return told + [edge for edge in triples_of(connection, name, limit=EDGES_MAX) if edge[:3] not in known]


def _told(source: str, relation: str, target: str) -> str:
    """Return an edge as one would tell it; the id of a memory is random, and yet no secret."""
    source, target = ("" if _memory(name) is not None else name for name in (source, target))
    return f"{source} {relation.replace('_', ' ')}: {target}"


def _memory(name: str) -> MemoryId | None:
    """Return the memory that a name is the id of."""
    try:
        return parse_memory_id(name)
    except ValueError:
        return None


def _name(text: str) -> str:
    """Return an entity or a relation as it is stored; the id of a memory in the one form it has."""
    text = " ".join(text.split())
    if not text:
        raise Usage("expected a name, got an empty one", code="invalid")
    try:
        return show_memory_id(parse_memory_id(text))
    except ValueError:
        return text
