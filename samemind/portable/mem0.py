"""Read what mem0 gives out: a list of memories, alone or under `results` or `memories`; or a memory on each line.

Beside them `relations` may hold the edges of its graph.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from replica import Value, derived_memory_id
from replica.json_text import parse_json
from samemind.formats.times import read_time
from samemind.portable.records import FAULTS, Edge, Item, Record, Unreadable, relation

SOURCE: Final = "mem0"
# Under these names its services give the lists; its own dumps are one list alone.
LISTS: Final = ("results", "memories", "relations")
_SCOPES: Final = ("user_id", "agent_id", "run_id", "app_id")


def looks_like(document: object) -> bool:
    """Say whether a JSON document is in this format."""
    return any(isinstance(each, dict) and "memory" in each and "id" in each for each in _entries(document))


def looks_like_line(line: str) -> bool:
    """Say whether a line is a memory."""
    try:
        return looks_like([parse_json(line)])
    except ValueError:
        return False


def read_lines(lines: Iterable[str]) -> Iterator[Record]:
    """Return every memory of an export that has one on each line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _record(number, parse_json(line))
            except FAULTS as error:
                yield Unreadable(line=number, reason=f"expected a memory of mem0, {error!r}")


def read(document: object) -> Iterator[Record]:
    """Return every memory of an export (a document, or its memories one by one), in its order."""
    for number, entry in enumerate(_entries(document), start=1):
        try:
            yield _record(number, entry)
        except FAULTS as error:
            yield Unreadable(line=number, reason=f"expected a memory of mem0, {error!r}")


def _entries(document: object) -> Iterable[Any]:
    if isinstance(document, dict):
        return [each for name in LISTS if isinstance(document.get(name), list) for each in document[name]]
    return document if isinstance(document, list | Iterator) else []


def _record(number: int, entry: Mapping[str, Any]) -> Record:
    return _edge(number, entry) if "relationship" in entry else _item(number, entry)


def _edge(number: int, entry: Mapping[str, Any]) -> Edge:
    target = entry["destination" if "destination" in entry else "target"]
    return relation(number, entry["source"], entry["relationship"], target)


def _item(number: int, entry: Mapping[str, Any]) -> Item:
    text = entry["memory"]
    if not isinstance(text, str) or not text.strip():
        raise ValueError("expected a text")
    fields: dict[str, Value] = {"source": SOURCE}
    meta = dict(entry.get("metadata") or {}) | {name: entry[name] for name in _SCOPES if entry.get(name)}
    if meta:
        fields["meta"] = {
            str(key): json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
            for key, value in meta.items()
        }
    if entry.get("categories"):
        fields["tags"] = sorted({str(category) for category in entry["categories"]})
    if entry.get("created_at"):
        fields["told_at"] = read_time(str(entry["created_at"]), name="created_at")
    return Item(line=number, rid=derived_memory_id(SOURCE, str(entry["id"])), text=text, fields=fields)
