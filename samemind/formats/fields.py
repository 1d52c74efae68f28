"""Read the fields of a memory as people type them, and as a line of JSON holds them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from replica import FIELDS, MemoryId, Value, Write, parse_memory_id
from replica.json_text import parse_json
from replica.labelling import check_room, entry_writes, field_writes, label_writes
from samemind.errors import Usage
from samemind.formats.times import read_time

# What a field is called at the doors, where that differs: `session` means sync elsewhere in this project.
DOOR_NAMES: Final = {"conversation": "session"}
FIELD_NAMES: Final = {door: field for field, door in DOOR_NAMES.items()}
_TIMES: Final = frozenset({"told_at", "event_start", "event_end"})
_FLAGS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# What `remember` calls a field, where that differs from the memory that is shown.
REMEMBERED_AS: Final = {"session": "conversation", "at": "told_at", "tag": "tags", "pin": "pinned"}
# What a change asks for beside whole fields: entries of the metadata (null takes one out), and labels to put on or off.
META_ENTRIES: Final = "meta."
LABELS_ON: Final = "tags+"
LABELS_OFF: Final = "tags-"
_DOOR_FIELDS: Final = tuple(sorted(DOOR_NAMES.get(name, name) for name in FIELDS))


def read_pairs(pairs: Iterable[str], *, name: str) -> Iterable[tuple[str, str]]:
    """Return `K=V` words as pairs."""
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not key or not separator:
            raise Usage(f"{name}: expected KEY=VALUE, got {pair!r:.60}", code="invalid")
        yield key, value


def read_meta(pairs: Iterable[str]) -> dict[str, Any]:
    """Return metadata from `K=V` words for text, and `K:=JSON` words for anything else."""
    meta: dict[str, Any] = {}
    for key, value in read_pairs(pairs, name="meta"):
        if key.endswith(":") and len(key) > 1:
            try:
                meta[key[:-1]] = parse_json(value)
            except ValueError:
                raise Usage(f"meta: expected JSON behind {key}=, got {value!r:.60}", code="invalid") from None
        else:
            meta[key] = value
    return _meta(meta)


def read_assignment(word: str) -> tuple[str, str]:
    """Return the field that a `FIELD=VALUE` word names, by its name in the store, and the value as typed."""
    ((door, typed),) = read_pairs([word], name="set")
    name = FIELD_NAMES.get(door, REMEMBERED_AS.get(door, door))
    if name not in FIELDS and not door.startswith("meta."):
        raise _unknown(door)
    return name, typed


def read_typed(name: str, typed: str) -> Value:
    """Return what a typed value means for a field.

    Empty clears it. The field's own check comes with the write.
    """
    if not typed:
        return None
    column = FIELDS[name].column
    try:
        if name in _TIMES:
            return read_time(typed, name=name)
        if name in ("pinned", "archived", "apart"):
            return _FLAGS[typed.lower()] or None  # one way to say no: not there
        if name == "tags":
            tags = parse_json(typed) if typed.startswith("[") else typed.split(",")
            return sorted({tag.strip() for tag in tags if tag.strip()}) or None
        if name == "meta":
            return _meta(parse_json(typed))
        if name == "parent":
            return parse_memory_id(typed)
        if column == "REAL":
            return float(typed)
        if column == "INTEGER":
            return int(typed)
    except (ValueError, KeyError, AttributeError):
        kind = {"REAL": "a number", "INTEGER": "a whole number, or true or false"}.get(column, "JSON")
        raise Usage(f"{name}: expected {kind}, got {typed!r:.60}", code="invalid") from None
    return typed


def changes_of(
    rid: MemoryId, asked: Mapping[str, Any], *, meta: Mapping[str, Any], tags: Iterable[str]
) -> list[Write]:
    """Return what a change writes, from what it asks for and what the memory shows at that moment."""
    whole = {
        name: value for name, value in asked.items() if name not in (META_ENTRIES, LABELS_ON, LABELS_OFF)
    }
    on, off, entries = (asked.get(name, ()) for name in (LABELS_ON, LABELS_OFF, META_ENTRIES))
    if on:
        check_room({*(whole.get("tags", tags) or ()), *on}, ())
    if any(value is not None for value in dict(entries).values()):
        check_room((), {*(whole.get("meta", meta) or ()), *entries})
    return [
        *field_writes(rid, whole, {"meta": meta, "tags": tags}),
        *label_writes(rid, on=on, off=off),
        *entry_writes(rid, dict(entries)),
    ]


def read_record(record: Mapping[str, Any]) -> dict[str, Value]:
    """Return the fields that a JSON object carries under their names at the doors.

    Unknown names are refused.
    """
    fields: dict[str, Value] = {}
    for door, value in record.items():
        name = FIELD_NAMES.get(door, REMEMBERED_AS.get(door, door))
        if name not in FIELDS:
            raise _unknown(door)
        if value is None or value is False or value == [] or value == {}:
            continue  # one way to say that there is nothing: not there
        fields[name] = _stored(name, value)
    return fields


def _stored(name: str, value: Any) -> Value:
    if name in _TIMES:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if not isinstance(value, str):
            raise Usage(f"{name}: expected a time, got {value!r:.60}", code="invalid")
        return read_time(value, name=name)
    if name == "tags":
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
            raise Usage(f"tags: expected a list of labels, got {value!r:.60}", code="invalid")
        return sorted(set(value))
    if name == "meta":
        return _meta(value)
    if FIELDS[name].column == "REAL" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)  # the column gives it back so, and a number must have one encoding
    if name == "parent":
        if not isinstance(value, str):
            raise Usage(f"parent: expected the id of a memory, got {value!r:.60}", code="invalid")
        return MemoryId(parse_memory_id(value))
    return value  # type: ignore[no-any-return]


def _meta(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Usage(f"meta: expected an object, got {value!r:.60}", code="invalid")
    # Registers hold plain values only; what is deeper stays readable as the JSON it was.
    return {
        key: json.dumps(item, ensure_ascii=False) if isinstance(item, list | dict) else item
        for key, item in value.items()
    }


def _unknown(door: str) -> Usage:
    from difflib import get_close_matches  # a slip alone needs it

    near = get_close_matches(door[:40], _DOOR_FIELDS, 1)  # of a longer name, no more is shown either
    return Usage(
        f"expected a field among {', '.join(_DOOR_FIELDS)}; got {door!r:.40}"
        + (f"; did you mean {near[0]}?" if near else ""),
        code="unknown_field",
    )
