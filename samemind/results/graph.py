"""What the verbs of the knowledge graph return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """One edge of the knowledge graph."""

    source: str
    relation: str
    target: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Edges, and the entities they join."""

    edges: list[EdgeView]
    entities: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityView:
    """Somebody or something, and how many memories name it."""

    name: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """What memories name, the commonest first."""

    entities: list[EntityView]
