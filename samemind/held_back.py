"""Hold back what looks secret, show it covered, and release or drop it."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cognition.ingest.holding import QuarantinedText, hold, secret_kinds, texts_of
from cognition.memories import read_memories
from replica import (
    MemoryId,
    Value,
    Write,
    content_number,
    derived_memory_id,
    memories_called,
    new_memory_id,
)
from replica.reads.duplicates import numbers_saying
from samemind.device import Device
from samemind.formats.fields import LABELS_OFF, changes_of
from samemind.formats.views import memory_view


def kept_back(
    connection: sqlite3.Connection, rid: MemoryId, text: str, fields: Mapping[str, Value], now_ms: int
) -> MemoryId | None:
    """Hold a memory to be that looks secret, and return the id it is held under; None: it may be written.

    What a memory says already was released before: to hold it again would help nobody.
    """
    kinds = new_secrets(connection, text, fields)
    return hold(connection, QuarantinedText(rid, kinds, text, fields, now_ms)) if kinds else None


def new_secrets(connection: sqlite3.Connection, text: str, fields: Mapping[str, Value]) -> tuple[str, ...]:
    """Return what kinds of secret a memory would hold that no memory with its words holds already."""
    if not secret_kinds(text, fields):  # nearly always: no need to look for memories
        return ()
    same = numbers_saying(connection, content_number(text), text)
    told = [shown.memory for shown in read_memories(connection, same)]
    return secret_kinds(
        text, fields, known=[each for one in told for each in (one.text, *texts_of(one.fields))]
    )


def edge_said(source: str, relation: str, target: str) -> str:
    """Return an edge or a claim in words."""
    return f"{source} {relation.replace('_', ' ')}: {target}"


def line_kept_back(
    connection: sqlite3.Connection, said: str, now_ms: int, *, known: Callable[[], Sequence[str]] = tuple
) -> bool:
    """Hold what an import would write beside memories (an edge, a claim, an entry of the profile) if it looks secret.

    It is held as a memory that says the same: nothing else can be held back, and released it is one. `known` gives the
    texts that hold the secret already, if any do; it is asked only when there is one.
    """
    if not secret_kinds(said, {}) or not secret_kinds(said, {}, known=known()):
        return False
    return kept_back(connection, derived_memory_id("held", said), said, {}, now_ms) is not None


def change_kept_back(
    device: Device,
    connection: sqlite3.Connection,
    about: MemoryId,
    text: str = "",
    fields: Mapping[str, Any] | None = None,
) -> MemoryId | None:
    """Hold a change of a memory that would bring something secret into it, and return the id it is held under.

    What the memory holds already was released before, and None is returned: the change may be written.
    """
    fields = {} if fields is None else fields
    if LABELS_OFF in fields:  # nothing comes in by what is taken off
        return None
    if not secret_kinds(text, fields):  # nearly always: no need to look at the memory
        return None
    (shown,) = memories_called(connection, (about,))
    kinds = secret_kinds(text, fields, known=[shown.memory.text, *texts_of(shown.memory.fields)])
    if not kinds:
        return None
    now_ms = device.now_ms()
    was = shown.memory.text if text else None
    return hold(
        connection,
        QuarantinedText(new_memory_id(now_ms, device.random), kinds, text, fields, now_ms, about, was),
    )


def settings_of(connection: sqlite3.Connection, rid: MemoryId, asked: Mapping[str, Any]) -> list[Write]:
    """Return the writes that a change of a memory's fields comes to, as the memory is now."""
    view = memory_view(connection, rid)
    return changes_of(rid, asked, meta=view.meta, tags=view.tags)
