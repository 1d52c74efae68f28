"""Be a drop-in for the reference memory server: its nine tools, on this memory.

An entity is a memory that names it, an observation a memory about it, a relation a memory that says it, so that all
of it is found by `recall`, syncs, and can be forgotten like anything else. What belongs to which is in their
metadata. The graph is read from there whole: such graphs are small, since their users send them to a model in one
piece.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from samemind.errors import NotFound, Usage
from samemind.formats.arguments import pairs_of
from samemind.mcp.schema import Schema
from samemind.mcp.scope import Ask

SOURCE: Final = "mcp-memory"
# How many memories of a graph are read at most: as many as a `list` gives.
MEMORIES_MAX: Final = 100_000

Document = dict[str, Any]


@dataclass(slots=True)
class Entity:
    """Something with a name and a type; `memories` has the id of every memory that says it is there."""

    name: str
    type: str = ""
    observations: dict[str, list[str]] = field(default_factory=dict)
    memories: list[str] = field(default_factory=list)

    def shown(self) -> Document:
        """Return it as the reference server does."""
        return {"name": self.name, "entityType": self.type, "observations": list(self.observations)}


Relation = tuple[str, str, str]
"""From, to, and what sort."""


@dataclass(slots=True)
class CompatGraph:
    """All that was told through these tools."""

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: dict[Relation, list[str]] = field(default_factory=dict)

    def shown(self, names: Iterable[str] | None = None) -> Document:
        """Return the whole, or the named entities and the relations among them."""
        kept = (
            self.entities.keys() if names is None else [name for name in self.entities if name in set(names)]
        )
        return {
            "entities": [self.entities[name].shown() for name in kept],
            "relations": [
                _relation(each)
                for each in self.relations
                if names is None or (each[0] in kept and each[1] in kept)
            ],
        }


async def read(ask: Ask) -> CompatGraph:
    """Read the graph, in the order in which it was told."""
    graph = CompatGraph()
    for kind in ("entity", "observation", "relation"):
        listed = await ask("list", {"meta": [f"mcp={kind}"], "limit": MEMORIES_MAX, "include_cold": True})
        for memory in reversed(listed["memories"]):
            meta, rid = memory["meta"], memory["rid"]
            if kind == "relation":
                graph.relations.setdefault((meta["from"], meta["to"], meta["relation"]), []).append(rid)
                continue
            entity = graph.entities.setdefault(meta["entity"], Entity(meta["entity"]))
            if kind == "entity":
                entity.type = entity.type or meta.get("type", "")
                entity.memories.append(rid)
            else:
                entity.observations.setdefault(meta["observation"], []).append(rid)
    return graph


async def create_entities(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Add those that are not there yet."""
    graph, made = await read(ask), []
    for each in _objects(arguments, "entities"):
        name, kind = _text(each, "name"), _text(each, "entityType")
        observations = _texts(each, "observations")
        if name in graph.entities:
            continue
        entity = graph.entities[name] = Entity(name, kind, {text: [] for text in observations})
        await _tell(ask, f"{name} ({kind})", name, kind, {"mcp": "entity", "entity": name, "type": kind})
        for text in entity.observations:
            await _observe(ask, name, kind, text)
        made.append(entity.shown())
    return {"entities": made}


async def create_relations(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Add those that are not there yet."""
    graph, made = await read(ask), []
    for each in _objects(arguments, "relations"):
        relation = _read_relation(each)
        if relation in graph.relations:
            continue
        graph.relations[relation] = []
        source, target, kind = relation
        meta = {"mcp": "relation", "from": source, "to": target, "relation": kind}
        await _tell(ask, f"{source} {kind} {target}", source, "", meta)
        made.append(_relation(relation))
    return {"relations": made}


async def add_observations(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Add what is not known of an entity yet; of an entity that is not there nothing can be known."""
    graph, results = await read(ask), []
    wanted = [
        (_text(each, "entityName"), _texts(each, "contents")) for each in _objects(arguments, "observations")
    ]
    for name, _ in wanted:
        if name not in graph.entities:
            raise NotFound(f"Entity with name {name} not found")
    for name, contents in wanted:
        entity = graph.entities[name]
        added = [text for text in dict.fromkeys(contents) if text not in entity.observations]
        for text in added:
            entity.observations[text] = []
            await _observe(ask, name, entity.type, text)
        results.append({"entityName": name, "addedObservations": added})
    return {"results": results}


async def delete_entities(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Forget entities, what was observed of them, and their relations."""
    graph, names = await read(ask), set(_texts(arguments, "entityNames"))
    rids: list[str] = []
    for name in names & graph.entities.keys():
        entity = graph.entities[name]
        rids += [*entity.memories, *(rid for told in entity.observations.values() for rid in told)]
    for relation, told in graph.relations.items():
        if relation[0] in names or relation[1] in names:
            rids += told
    await _forget(ask, rids)
    return {"success": True, "message": "Entities deleted successfully"}


async def delete_observations(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Forget what was observed."""
    graph = await read(ask)
    rids: list[str] = []
    for each in _objects(arguments, "deletions"):
        entity = graph.entities.get(_text(each, "entityName"))
        for text in _texts(each, "observations"):
            rids += entity.observations.get(text, []) if entity is not None else []
    await _forget(ask, rids)
    return {"success": True, "message": "Observations deleted successfully"}


async def delete_relations(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Forget relations."""
    graph = await read(ask)
    wanted = [_read_relation(each) for each in _objects(arguments, "relations")]
    await _forget(ask, [rid for relation in wanted for rid in graph.relations.get(relation, [])])
    return {"success": True, "message": "Relations deleted successfully"}


async def read_graph(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Give the whole graph."""
    return (await read(ask)).shown()


async def search_nodes(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Give the entities that a query names in their name, type or observations; else those that recall finds for it."""
    graph, query = await read(ask), _text(arguments, "query")
    low = query.casefold()
    names = [
        name
        for name, entity in graph.entities.items()
        if any(low in text.casefold() for text in (name, entity.type, *entity.observations))
    ]
    if not names:
        owner = {
            rid: name
            for name, entity in graph.entities.items()
            for rid in [*entity.memories, *(each for told in entity.observations.values() for each in told)]
        }
        found = (await ask("recall", {"query": query}))["results"]
        names = [owner[hit["rid"]] for hit in found if hit["rid"] in owner]
    return graph.shown(names)


async def open_nodes(ask: Ask, arguments: Mapping[str, Any]) -> Document:
    """Give the entities of these names."""
    names = _texts(arguments, "names")
    return (await read(ask)).shown(names)


def tell(document: Document) -> str:
    """Return a result as the reference server's text: its JSON."""
    if "message" in document:
        return str(document["message"])
    shown = document if len(document) > 1 else next(iter(document.values()))
    return json.dumps(shown, ensure_ascii=False, indent=2)


async def _observe(ask: Ask, name: str, kind: str, text: str) -> None:
    said = text if name.casefold() in text.casefold() else f"{name}: {text}"
    await _tell(ask, said, name, kind, {"mcp": "observation", "entity": name, "observation": text})


async def _tell(ask: Ask, text: str, name: str, kind: str, meta: Mapping[str, Any]) -> None:
    options: Document = {
        "text": text, "source": SOURCE, "topic": name, "meta": pairs_of(meta), "no_dedup": True, "no_facts": True,
    }  # fmt: skip
    await ask("remember", options | ({"tag": [kind]} if kind.strip() else {}))


async def _forget(ask: Ask, rids: Iterable[str]) -> None:
    wanted = list(dict.fromkeys(rids))
    if wanted:
        await ask("forget", {"rids": wanted})


def _relation(relation: Relation) -> Document:
    source, target, kind = relation
    return {"from": source, "to": target, "relationType": kind}


def _read_relation(each: Mapping[str, Any]) -> Relation:
    return _text(each, "from"), _text(each, "to"), _text(each, "relationType")


def _objects(arguments: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = arguments.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Usage(f"{name}: expected a list of objects, got {found!r:.60}", code="invalid")
    return found


def _text(arguments: Mapping[str, Any], name: str) -> str:
    found = arguments.get(name)
    if not isinstance(found, str) or not found.strip():
        raise Usage(f"{name}: expected a text, got {found!r:.60}", code="invalid")
    return found


def _texts(arguments: Mapping[str, Any], name: str) -> list[str]:
    found = arguments.get(name)
    if not isinstance(found, list) or not all(isinstance(each, str) and each.strip() for each in found):
        raise Usage(f"{name}: expected a list of texts, got {found!r:.60}", code="invalid")
    return found


@dataclass(frozen=True, slots=True)
class Nine:
    """One of the nine tools."""

    name: str
    title: str
    description: str
    does: Callable[[Ask, Mapping[str, Any]], Awaitable[Document]]
    takes: Schema
    gives: Schema
    read_only: bool = False
    destructive: bool = False


def _shape(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _many(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


_TEXT: Final[Schema] = {"type": "string"}
_ENTITY: Final = _shape(name=_TEXT, entityType=_TEXT, observations=_many(_TEXT))
_RELATION: Final = _shape(**{"from": _TEXT, "to": _TEXT, "relationType": _TEXT})
_GRAPH: Final = _shape(entities=_many(_ENTITY), relations=_many(_RELATION))
_DONE: Final = _shape(success={"type": "boolean"}, message=_TEXT)
_ADDED: Final = _shape(results=_many(_shape(entityName=_TEXT, addedObservations=_many(_TEXT))))

TOOLS: Final[Mapping[str, Nine]] = {
    tool.name: tool
    for tool in (
        Nine(
            "create_entities", "Create Entities", "Create multiple new entities in the knowledge graph",
            create_entities, _shape(entities=_many(_ENTITY)), _shape(entities=_many(_ENTITY)),
        ),
        Nine(
            "create_relations", "Create Relations",
            "Create multiple new relations between entities in the knowledge graph. Relations are in active voice",
            create_relations, _shape(relations=_many(_RELATION)), _shape(relations=_many(_RELATION)),
        ),
        Nine(
            "add_observations", "Add Observations", "Add new observations to existing entities",
            add_observations,
            _shape(observations=_many(_shape(entityName=_TEXT, contents=_many(_TEXT)))), _ADDED,
        ),
        Nine(
            "delete_entities", "Delete Entities", "Delete multiple entities and their associated relations",
            delete_entities, _shape(entityNames=_many(_TEXT)), _DONE, destructive=True,
        ),
        Nine(
            "delete_observations", "Delete Observations", "Delete specific observations from entities",
            delete_observations,
            _shape(deletions=_many(_shape(entityName=_TEXT, observations=_many(_TEXT)))), _DONE,
            destructive=True,
        ),
        Nine(
            "delete_relations", "Delete Relations", "Delete multiple relations from the knowledge graph",
            delete_relations, _shape(relations=_many(_RELATION)), _DONE, destructive=True,
        ),
        Nine(
            "read_graph", "Read Graph", "Read the entire knowledge graph", read_graph, _shape(), _GRAPH,
            read_only=True,
        ),
        Nine(
            "search_nodes", "Search Nodes", "Search for entities by name, type or what was observed of them",
            search_nodes, _shape(query=_TEXT), _GRAPH, read_only=True,
        ),
        Nine(
            "open_nodes", "Open Nodes", "Open specific entities by their names", open_nodes,
            _shape(names=_many(_TEXT)), _GRAPH, read_only=True,
        ),
    )
}  # fmt: skip
