"""What an importer makes of a file: items to remember, in their order, and lines that it could not read.

`line` counts from 1: lines of a file of lines, items of any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from replica import MemoryId, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory to be stored under an id that every device derives alike. `accesses` is (how often, last in ms)."""

    line: int
    rid: MemoryId
    text: str
    fields: Mapping[str, Value]
    accesses: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge of the knowledge graph."""

    line: int
    source: str
    relation: str
    target: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Something that all devices share beside memories, as an entry of the profile is."""

    line: int
    name: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What a memory claims, under an id by which later claims of the same file say that they replace it.

    `keep` is what was decided about it, if anything was.
    """

    line: int
    id: str
    rid: MemoryId
    entity: str
    relation: str
    value: str
    valid_from: int | None
    replaces: tuple[str, ...]
    keep: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that cannot be taken, and why."""

    line: int
    reason: str


Storable = Item | Edge | Setting
Record = Storable | Claimed | Unreadable
