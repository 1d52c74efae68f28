"""Say as ops how the fields of a memory are to change: labels one by one, entries of `meta` one by one, the rest whole.

Whoever labels a memory, or notes something of it, says only that. What another device says of it at the same time
counts too (`replica.state.labels`).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from replica.errors import TooLarge
from replica.fields import Value
from replica.ids import MemoryId
from replica.limits import META_ENTRIES_MAX, TAGS_MAX
from replica.ops import Set, Tag, Untag, Write
from replica.state.labels import ENTRY, META, TAGS, is_entry


def field_writes(rid: MemoryId, wanted: Mapping[str, Any], held: Mapping[str, Any]) -> list[Write]:
    """Return what a memory that shows `held` needs to show `wanted`, in the fields that `wanted` names.

    A label that it has already is put on again: whoever takes it off meanwhile did not know of this.
    """
    writes: list[Write] = []
    for name, value in wanted.items():
        if name == TAGS:
            labels = value or ()
            writes += label_writes(rid, on=labels, off={*held.get(TAGS, ())} - {*labels})
        elif name == META:
            before = held.get(META) or {}
            entries = dict.fromkeys(before) | (value or {})
            writes += entry_writes(
                rid, {key: entry for key, entry in entries.items() if before.get(key) != entry}
            )
        else:
            writes.append(Write(Set(name, value), rid))
    return writes


def label_writes(rid: MemoryId, *, on: Iterable[str] = (), off: Iterable[str] = ()) -> list[Write]:
    """Return what puts labels on a memory, and takes others off."""
    return [
        *(Write(Tag(part), rid) for part in _parts(on)),
        *(Write(Untag(part), rid) for part in _parts(off)),
    ]


def entry_writes(rid: MemoryId, entries: Mapping[str, Value]) -> list[Write]:
    """Return what writes these entries of `meta`; null takes one out."""
    return [Write(Set(f"{ENTRY}{key}", value), rid) for key, value in entries.items()]


def check_room(labels: Iterable[str], entries: Iterable[str]) -> None:
    """Refuse to label a memory, or note of it, more than one device may; several that were apart may come to more."""
    for name, found, most in (
        (TAGS, len({*labels}), TAGS_MAX),
        (META, len({*entries}), META_ENTRIES_MAX),
    ):
        if found > most:
            raise TooLarge(f"{name}: expected at most {most} of a memory, got {found}: take some off")


def within_an_add(fields: Mapping[str, Value], rid: MemoryId) -> tuple[dict[str, Value], list[Write]]:
    """Return the fields that an add may begin with, and what says the labels and entries beyond."""
    kept = dict(fields)
    beyond: list[Write] = []
    labels, entries = fields.get(TAGS), fields.get(META)
    if isinstance(labels, list) and len(labels) > TAGS_MAX:
        kept[TAGS] = labels[:TAGS_MAX]
        beyond += label_writes(rid, on=labels[TAGS_MAX:])
    if isinstance(entries, dict) and len(entries) > META_ENTRIES_MAX:
        keys = sorted(entries)
        kept[META] = {key: entries[key] for key in keys[:META_ENTRIES_MAX]}
        beyond += entry_writes(rid, {key: entries[key] for key in keys[META_ENTRIES_MAX:]})
    return kept, beyond


def take_entries(fields: dict[str, Value]) -> None:
    """Put what is said of single entries among the fields of a memory to be into its `meta`."""
    own = {key.removeprefix(ENTRY): fields.pop(key) for key in list(fields) if is_entry(key, fields[key])}
    if own:
        meta = fields.get(META)
        entries: dict[str, Any] = {**(meta if isinstance(meta, dict) else {}), **own}
        fields[META] = entries


def _parts(labels: Iterable[str]) -> list[tuple[str, ...]]:
    ordered = sorted({*labels})
    return [tuple(ordered[start : start + TAGS_MAX]) for start in range(0, len(ordered), TAGS_MAX)]
