"""Read the file of the MCP memory server: JSON lines of entities with observations, and of relations.

An observation becomes a memory that names its entity, since it means nothing without; a relation an edge.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from replica import derived_memory_id
from samemind.portable.records import Edge, Item, Record, Unreadable

SOURCE: Final = "mcp-memory"


def looks_like(line: str) -> bool:
    """Say whether a line is of such a file."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and (
        (record.get("type") == "entity" and "observations" in record)
        or (record.get("type") == "relation" and "relationType" in record)
    )


def read(lines: Iterable[str]) -> Iterator[Record]:
    """Return what the lines hold, in their order."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield from _records(number, json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            yield Unreadable(line=number, reason=f"expected an entity or a relation, {error!r}")


def _records(number: int, record: Mapping[str, Any]) -> Iterator[Record]:
    if record["type"] == "relation":
        source, relation, target = record["from"], record["relationType"], record["to"]
        if not all(isinstance(each, str) and each for each in (source, relation, target)):
            raise ValueError("a relation has texts at both ends")
        yield Edge(line=number, source=source, relation=relation, target=target, weight=1.0)
        return
    if record["type"] != "entity":
        raise ValueError(f"the type is {record['type']!r:.40}")
    name = record["name"]
    if not isinstance(name, str) or not name:
        raise ValueError("an entity has a name")
    for observation in record["observations"]:
        if not isinstance(observation, str):
            raise ValueError("an observation is a text")
        text = observation if name.casefold() in observation.casefold() else f"{name}: {observation}"
        tags = [record["entityType"]] if isinstance(record.get("entityType"), str) else []
        yield Item(
            line=number,
            rid=derived_memory_id(SOURCE, f"{name}\0{observation}"),
            text=text,
            fields={"source": SOURCE, "topic": name} | ({"tags": tags} if tags and tags[0] else {}),
        )
