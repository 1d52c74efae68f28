"""Read who told memories, where they were taken from, and in which workspace."""

import sqlite3
from typing import NamedTuple

from replica.fields import Value
from replica.ids import DeviceId, MemoryId


class ToldIn(NamedTuple):
    """A memory, the incarnation of the device that told it, and the stamp of the telling."""

    rid: MemoryId
    incarnation: bytes
    created: int


def told_by(
    connection: sqlite3.Connection,
    first_hlc: int,
    last_hlc: int,
    *,
    device: DeviceId | None = None,
    source: str | None = None,
    speaker: str | None = None,
) -> list[ToldIn]:
    """Return the memories that a device told, else that have a source, else a speaker, in no particular order.

    Of those with stamps of this range, both ends in it. Case does not matter in a source and a speaker.
    """
    named: DeviceId | str | None
    if device is not None:
        which, named = "f.device = ?", device
    elif source is not None:
        which, named = "casefold(m.source) = casefold(?)", source
    else:
        which, named = "casefold(m.speaker) = casefold(?)", speaker
    rows = connection.execute(
        f"""SELECT m.rid, f.incarnation, m.created FROM memory m JOIN feed f ON f.no = m.feed
            WHERE m.created BETWEEN ? AND ? AND {which}""",
        (first_hlc, last_hlc, named),
    )
    return [ToldIn(MemoryId(rid), incarnation, created) for rid, incarnation, created in rows]


def attribution_of(connection: sqlite3.Connection, rid: bytes) -> dict[str, Value]:
    """Return who said a memory, in which workspace, and when (`told_at`), as far as these fields are set."""
    names = ("speaker", "workspace", "told_at")
    row = connection.execute(
        "SELECT speaker, workspace, told_at FROM memory WHERE rid = ?", (rid,)
    ).fetchone()
    return {name: value for name, value in zip(names, row or (), strict=False) if value is not None}
