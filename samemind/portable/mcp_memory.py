"""Read the file of the MCP memory server: JSON lines of entities with observations, and of relations.

An observation becomes a memory that names its entity, since it means nothing without; a relation an edge, and a
memory that says it. Their metadata is what `samemind mcp --profile compat` writes, so that a program goes on with the
graph it had.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from replica.json_text import parse_json
from samemind.portable.records import Item, Record, Unreadable, relation

SOURCE: Final = "mcp-memory"


def looks_like(line: str) -> bool:
    """Say whether a line is of such a file."""
    try:
        record = parse_json(line)
    except ValueError:
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
            yield from _records(number, parse_json(line))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            yield Unreadable(line=number, reason=f"expected an entity or a relation, {error!r}")


def _records(number: int, record: Mapping[str, Any]) -> Iterator[Record]:
    if record["type"] == "relation":
        source, name, target = record["from"], record["relationType"], record["to"]
        yield relation(number, source, name, target)
        yield Item(
            line=number,
            rid=derived_memory_id(SOURCE, f"{source}\0{name}\0{target}\0relation"),
            text=f"{source} {name} {target}",
            fields={
                "source": SOURCE,
                "topic": source,
                "meta": {"mcp": "relation", "from": source, "to": target, "relation": name},
            },
        )
        return
    if record["type"] != "entity":
        raise ValueError(f"the type is {record['type']!r:.40}")
    name = record["name"]
    if not isinstance(name, str) or not name:
        raise ValueError("an entity has a name")
    kind = record.get("entityType")
    kind = kind if isinstance(kind, str) else ""
    common: dict[str, Value] = {"source": SOURCE, "topic": name} | ({"tags": [kind]} if kind.strip() else {})
    yield Item(
        line=number,
        rid=derived_memory_id(SOURCE, f"{name}\0entity"),
        text=f"{name} ({kind})" if kind else name,
        fields={**common, "meta": {"mcp": "entity", "entity": name, "type": kind}},
    )
    for observation in record["observations"]:
        if not isinstance(observation, str):
            raise ValueError("an observation is a text")
        yield Item(
            line=number,
            rid=derived_memory_id(SOURCE, f"{name}\0{observation}"),
            text=observation if name.casefold() in observation.casefold() else f"{name}: {observation}",
            fields={**common, "meta": {"mcp": "observation", "entity": name, "observation": observation}},
        )
