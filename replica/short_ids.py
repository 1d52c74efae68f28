"""Find what is called by the beginning of an id, and how short a beginning may be: for people who type ids."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from replica.ids import DEVICE_ID_BYTES, MEMORY_ID_BYTES, DeviceId, MemoryId, show_memory_id

# The milliseconds of a new memory's id and the hyphen in them: what is told later begins otherwise.
_CHARACTERS_MIN: Final = 13
# SQLite takes sixteen times as many parameters; a longer statement is no quicker.
_ASKED_AT_ONCE: Final = 2_000


class MemoryCalled(NamedTuple):
    """A memory that shows: `short` is how its id may be typed, `text` as much of it as was asked for."""

    rid: MemoryId
    short: str
    text: str


class DeviceCalled(NamedTuple):
    """A device of the group: `short` is how its id may be typed, `name` what it is called here."""

    device: DeviceId
    short: str
    name: str


def memories_beginning(
    connection: sqlite3.Connection, digits: str, *, limit: int, characters: int
) -> list[MemoryCalled]:
    """Return the memories that show and whose ids begin with these digits, newest first.

    `digits` are hexadecimal and without hyphens; at most `limit` memories, each with `characters` of its text.
    """
    between = _between(digits, MEMORY_ID_BYTES)
    if between is None:
        return []
    rows = connection.execute(
        "SELECT rid, substr(text, 1, ?) FROM memory WHERE rid BETWEEN ? AND ? ORDER BY created DESC LIMIT ?",
        (characters, *between, limit),
    )
    found = rows.fetchall()
    short = short_memory_ids(connection, [rid for rid, _ in found])
    return [MemoryCalled(MemoryId(rid), short[MemoryId(rid)], text) for rid, text in found]


def devices_beginning(connection: sqlite3.Connection, digits: str, *, limit: int) -> list[DeviceCalled]:
    """Return at most `limit` devices of the group whose ids begin with these hexadecimal digits, in order of ids."""
    between = _between(digits, DEVICE_ID_BYTES)
    if between is None:
        return []
    rows = connection.execute(
        """SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device
           WHERE n.device BETWEEN ? AND ? ORDER BY n.device LIMIT ?""",
        (*between, limit),
    )
    return [DeviceCalled(DeviceId(device), device.hex()[:_CHARACTERS_MIN], name) for device, name in rows]


def short_memory_ids(connection: sqlite3.Connection, rids: Sequence[bytes]) -> dict[MemoryId, str]:
    """Return by how much of its id each memory can be called.

    That is the beginning that no other memory has, and one that is told later will not have.
    """
    short: dict[MemoryId, str] = {}
    for start in range(0, len(rids), _ASKED_AT_ONCE):
        asked = rids[start : start + _ASKED_AT_ONCE]
        rows = connection.execute(
            f"""WITH asked(rid) AS (VALUES {", ".join(["(?)"] * len(asked))})
                SELECT rid, (SELECT max(m.rid) FROM memory m WHERE m.rid < a.rid),
                       (SELECT min(m.rid) FROM memory m WHERE m.rid > a.rid) FROM asked a""",
            asked,
        )
        short.update((MemoryId(rid), _shortest(rid, beside)) for rid, *beside in rows)
    return short


def _shortest(rid: bytes, beside: Iterable[bytes | None]) -> str:
    """Return the beginning of an id that tells it from those `beside` it."""
    shown = show_memory_id(rid)
    shared = max((_shared(shown, show_memory_id(other)) for other in beside if other is not None), default=0)
    return shown[: max(_CHARACTERS_MIN, shared + 1)].removesuffix("-")


def _between(digits: str, size: int) -> tuple[bytes, bytes] | None:
    """Return the first and the last id of `size` bytes that begins with these digits; None of too many digits."""
    if len(digits) > 2 * size:
        return None
    return bytes.fromhex(digits.ljust(2 * size, "0")), bytes.fromhex(digits.ljust(2 * size, "f"))


def _shared(one: str, other: str) -> int:
    """Return with how many characters both begin."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
