"""List ids by how they begin, and how short each may be typed: for terminals, and for shells that complete."""

import sqlite3
import string
from typing import Final

from replica import show_memory_id
from samemind.device import Device
from samemind.errors import Usage
from samemind.results.device import Ids, IdView
from samemind.surface.device import ListIds

_MEMORY_DIGITS: Final = 32
_DEVICE_DIGITS: Final = 64
_HEX: Final = frozenset(string.hexdigits)
# The milliseconds of a new memory's id and the hyphen in them: what is told later begins otherwise.
SHORT_CHARACTERS_MIN: Final = 13
# A screen of ids, each with twenty others that begin like it.
IDS_MAX: Final = 1_000
# So much of a text tells memories apart in a list of completions.
ID_TEXT_CHARACTERS: Final = 60


async def ids(device: Device, options: ListIds) -> Ids:
    """List the ids that begin so, and how short each may be typed."""
    if not 0 <= options.limit <= IDS_MAX or len(options.beginnings) > IDS_MAX:
        raise Usage(
            f"expected a limit of 0 to {IDS_MAX} and at most {IDS_MAX} beginnings, got {options.limit} and "
            f"{len(options.beginnings)}",
            code="invalid",
        )

    def read(connection: sqlite3.Connection) -> Ids:
        found: dict[str, IdView] = {}
        for beginning in options.beginnings or ("",):
            plain = beginning.strip().replace("-", "").lower()
            if set(plain) <= _HEX:
                found |= {view.id: view for view in _beginning(connection, plain, options.limit)}
        return Ids(ids=list(found.values())[:IDS_MAX])

    return await device.replica.read(read)


def _beginning(connection: sqlite3.Connection, plain: str, limit: int) -> list[IdView]:
    """Return the memories, newest first, and then the devices whose ids begin with these digits."""
    found: list[IdView] = []
    if len(plain) <= _MEMORY_DIGITS:
        low, high = (bytes.fromhex(plain.ljust(_MEMORY_DIGITS, digit)) for digit in "0f")
        rows = connection.execute(
            """SELECT rid, substr(text, 1, ?) FROM memory WHERE rid BETWEEN ? AND ?
               ORDER BY created DESC LIMIT ?""",
            (ID_TEXT_CHARACTERS, low, high, limit),
        ).fetchall()
        found += [
            IdView(id=show_memory_id(rid), short=_shortest(connection, rid), kind="memory", text=text)
            for rid, text in rows
        ]
    if len(plain) <= _DEVICE_DIGITS:
        low, high = (bytes.fromhex(plain.ljust(_DEVICE_DIGITS, digit)) for digit in "0f")
        rows = connection.execute(
            """SELECT n.device, ifnull(p.nickname, n.name) FROM member n LEFT JOIN peer p ON p.device = n.device
               WHERE n.device BETWEEN ? AND ? ORDER BY n.device LIMIT ?""",
            (low, high, limit),
        ).fetchall()
        found += [
            IdView(id=device.hex(), short=device.hex()[:SHORT_CHARACTERS_MIN], kind="device", text=name)
            for device, name in rows
        ]
    return found


def _shortest(connection: sqlite3.Connection, rid: bytes) -> str:
    """Return the beginning of a memory's id that no other memory has, and one that is told later will not have."""
    shown = show_memory_id(rid)
    beside = connection.execute(
        "SELECT (SELECT max(rid) FROM memory WHERE rid < ?1), (SELECT min(rid) FROM memory WHERE rid > ?1)",
        (rid,),
    ).fetchone()
    shared = max((_shared(shown, show_memory_id(other)) for other in beside if other is not None), default=0)
    return shown[: max(SHORT_CHARACTERS_MIN, shared + 1)].removesuffix("-")


def _shared(one: str, other: str) -> int:
    """Return with how many characters both begin."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
