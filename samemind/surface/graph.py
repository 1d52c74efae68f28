"""The verbs of the knowledge graph: edges between entities, and between memories."""

from dataclasses import dataclass
from typing import Final

from samemind.results.graph import EdgeView, Entities, Graph
from samemind.surface.declare import Verb, argument, option
from samemind.surface.memories import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Relate:
    """Say how two things are related."""

    source: str = argument("an entity, or the id of a memory", metavar="SRC")
    relation: str = argument("how they are related", metavar="REL")
    target: str = argument("an entity, or the id of a memory", metavar="DST")
    weight: float = option("--weight", "how strongly", default=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrelate:
    """Take an edge away."""

    source: str = argument("an entity, or the id of a memory", metavar="SRC")
    relation: str = argument("how they are related", metavar="REL")
    target: str = argument("an entity, or the id of a memory", metavar="DST")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowGraph(Moment):
    """Show what an entity is related to."""

    entity: str = argument("an entity, or the id of a memory", metavar="ENTITY")
    hops: int = option("--hops", "how many edges away", default=1, metavar="N")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities(Moment):
    """List the people, places and things that memories name and edges join."""

    limit: int = option("--limit", "how many at most", default=50, metavar="N", short="-n")


_MODULE: Final = "samemind.verbs.graph"

RELATE: Final = Verb("relate", Relate, EdgeView, _MODULE)
UNRELATE: Final = Verb("unrelate", Unrelate, EdgeView, _MODULE)
GRAPH: Final = Verb("graph", ShowGraph, Graph, _MODULE, rows="edges")
ENTITIES: Final = Verb("entities", ListEntities, Entities, _MODULE, rows="entities")
