"""What several commands of this family return and show."""

from dataclasses import dataclass
from typing import Final

from samemind.printable import one_line
from samemind.rendering import Document

EDGES_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """One edge of the knowledge graph."""

    source: str
    relation: str
    target: str
    weight: float


def edge_line(edge: Document) -> str:
    weight = "" if edge["weight"] == 1 else f" ({edge['weight']:g})"
    return one_line(f"{edge['source']} --{edge['relation']}--> {edge['target']}{weight}")
