"""What several commands of this family return and show."""

from dataclasses import dataclass
from typing import Final

from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

EDGES_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeView:
    """One edge of the knowledge graph."""

    source: str
    relation: str
    target: str
    weight: float
    replaced: bool = False
    """It was stated, and is not so any more: somebody said since that it changed, or decided against it."""


def edge_line(edge: Document) -> str:
    weight = "" if edge["weight"] == 1 else f" ({edge['weight']:g})"
    gone = ", no longer" if edge.get("replaced") else ""
    return one_line(f"{edge['source']} --{edge['relation']}--> {edge['target']}{weight}{gone}")


def unread_lines(left: int) -> list[str]:
    """Say how many texts were not read for names yet, if there are some."""
    return [f"{counted(left, 'text')} not read for names yet: ask again to go on"] if left else []
