"""The verbs of the knowledge graph: edges between entities, and between memories."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, argument, option
from samemind.results.graph import EdgeView, Entities, Graph
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

RELATE: Final = Command(
    "relate",
    Relate,
    EdgeView,
    _MODULE,
    effects=Effects.ADD,
    agents=Agents.FULL,
    panel=True,
    library=Method("relate", "Say how two things are related."),
    idempotent=True,
    place=1,
)
UNRELATE: Final = Command(
    "unrelate",
    Unrelate,
    EdgeView,
    _MODULE,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=Method("unrelate", "Take an edge away."),
    idempotent=True,
    place=2,
)
GRAPH: Final = Command(
    "graph",
    ShowGraph,
    Graph,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("graph", "Return what an entity is related to."),
    rows="edges",
    place=3,
)
ENTITIES: Final = Command(
    "entities",
    ListEntities,
    Entities,
    _MODULE,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method(
        "entities",
        "List the people, places and things that memories name and edges join, the commonest first.",
    ),
    rows="entities",
    place=4,
)
