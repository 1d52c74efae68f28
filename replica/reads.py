"""Read the memories that show: typed rows of the replica's tables, for whoever stands above it.

What other packages want to know of memories they ask here. They write no SQL over the replica's tables: a column that
is renamed is renamed in this file, and in the modules that write the table.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.codec import unpack
from replica.fields import FIELDS
from replica.ids import DeviceId, MemoryId
from replica.state.memories import Memory

# Read at a time: few enough to be held, and each time costs a tenth of a millisecond.
ROWS_PER_READ: Final = 1_000
_NAMES: Final = tuple(FIELDS)
_FLAGS: Final = frozenset({"pinned", "archived", "apart"})
_NOT_AS_HELD: Final = _FLAGS | {"tags", "meta"}
_OTHERS: Final = ("id", "content", "feed", "rid", "text", "created", "updated", "accesses", "last_access")
_SELECT: Final = (
    f"SELECT {', '.join(f'm.{name}' for name in _OTHERS)}, "
    + ", ".join(f'm."{name}"' for name in _NAMES)
    + " FROM memory m"
)
_FEEDS: Final = """SELECT f.no, f.device, f.incarnation, ifnull(p.nickname, n.name) FROM feed f
    LEFT JOIN member n ON n.device = f.device LEFT JOIN peer p ON p.device = f.device WHERE f.no IN """
# Ids as one parameter: a statement of as many marks as there are ids would be another each time, and to compile it
# costs as much as to run it.
_EACH: Final = "(SELECT value FROM json_each(?))"


class ShownMemory(NamedTuple):
    """A memory that shows, and where it comes from.

    `id` is its row's number, `content` the number that its duplicates share. `device` told it, in one `incarnation`;
    `device_name` is what that device is called here, None of one that is no member.
    """

    id: int
    content: int
    device: DeviceId
    incarnation: bytes
    device_name: str | None
    memory: Memory

    @property
    def rid(self) -> MemoryId:
        """The memory's id."""
        return MemoryId(self.memory.rid)


def fields_of(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return the fields that are set, from columns in the order of `names`, with lists, maps and flags as they are."""
    fields = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    for name in _NOT_AS_HELD.intersection(fields):
        fields[name] = bool(fields[name]) if name in _FLAGS else json.loads(fields[name])
    return fields


def memories_of(connection: sqlite3.Connection, ids: Iterable[int]) -> Iterator[ShownMemory]:
    """Return those of the memories of these rows that show, in no particular order."""
    wanted = list(ids)
    for start in range(0, len(wanted), ROWS_PER_READ):
        chunk = json.dumps(wanted[start : start + ROWS_PER_READ])
        yield from _shown(connection, f"{_SELECT} WHERE m.id IN {_EACH}", (chunk,))


def memories_called(connection: sqlite3.Connection, rids: Iterable[bytes]) -> Iterator[ShownMemory]:
    """Return those of the memories of these ids that show, in no particular order."""
    wanted = list(rids)
    for start in range(0, len(wanted), ROWS_PER_READ):
        chunk = wanted[start : start + ROWS_PER_READ]
        yield from _shown(connection, f"{_SELECT} WHERE m.rid IN ({','.join('?' * len(chunk))})", chunk)


def numbers_with_facts(connection: sqlite3.Connection, rid: bytes) -> list[int]:
    """Return the number of a memory's row, and those of the facts that were taken from it."""
    rows = connection.execute("SELECT id FROM memory WHERE rid = ?1 OR parent = ?1", (rid,))
    return [number for (number,) in rows]


def newest_numbers(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Return the rows of at most `limit` tellings that are not put away, the last told or changed first."""
    rows = connection.execute(
        "SELECT id FROM memory WHERE parent IS NULL AND archived IS NOT 1 ORDER BY updated DESC LIMIT ?",
        (limit,),
    )
    return [number for (number,) in rows]


def numbers_between(connection: sqlite3.Connection, start_ms: int, end_ms: int, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories of a stretch of time, both ends in it, the newest first.

    A memory is of the time at which it happens, else of that at which it was told. What was put away is left out.
    """
    rows = connection.execute(
        """SELECT id FROM memory WHERE archived IS NOT 1
           AND coalesce(event_start, told_at, created >> 16) BETWEEN ? AND ? ORDER BY created DESC LIMIT ?""",
        (start_ms, end_ms, limit),
    )
    return [number for (number,) in rows]


def count_tellings(connection: sqlite3.Connection) -> int:
    """Return how many memories show, without the facts that were taken from others."""
    ((count,),) = connection.execute("SELECT count(*) FROM memory WHERE parent IS NULL")
    return int(count)


def count_memories(connection: sqlite3.Connection) -> int:
    """Return how many memories show, facts included."""
    ((count,),) = connection.execute("SELECT count(*) FROM memory")
    return int(count)


def all_memories(connection: sqlite3.Connection) -> Iterator[ShownMemory]:
    """Return all memories that show, in the order of their rows: as they came to this store."""
    return _shown(connection, f"{_SELECT} ORDER BY m.id")


def memories_by_age(connection: sqlite3.Connection) -> Iterator[ShownMemory]:
    """Return all memories that show, the oldest first: in one order on every device."""
    return _shown(connection, f"{_SELECT} ORDER BY m.created, m.rid")


def memories_to_come(connection: sqlite3.Connection) -> Iterator[ShownMemory]:
    """Return the prospective memories with a time that are not archived, the earliest first, past ones too."""
    wanted = "m.type = 'prospective' AND m.event_start IS NOT NULL AND ifnull(m.archived, 0) = 0"
    return _shown(connection, f"{_SELECT} WHERE {wanted} ORDER BY m.event_start, m.rid")


def _shown(connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> Iterator[ShownMemory]:
    found = connection.execute(sql, values)
    while rows := found.fetchmany(ROWS_PER_READ):
        # Apart, since few feeds wrote them all: with every row it would take half as long again.
        feeds = {
            no: (DeviceId(device), incarnation, called)
            for no, device, incarnation, called in connection.execute(
                _FEEDS + _EACH, (json.dumps(list({row[2] for row in rows})),)
            )
        }
        # Most fields are set on none of them: looked through a column at a time, these cost nothing a row.
        columns = [
            (at, _NAMES[at])
            for at, one in enumerate([*zip(*rows, strict=True)][len(_OTHERS) :])
            if one.count(None) < len(one)
        ]
        names = [name for _, name in columns]
        for number, content, feed, rid, text, created, updated, accesses, last_access, *values in rows:
            fields = fields_of(names, [values[at] for at, _ in columns])
            memory = Memory(rid, text, fields, created, updated, feed, accesses, last_access)
            yield ShownMemory(number, content, *feeds[feed], memory)


def is_known(connection: sqlite3.Connection, rid: bytes) -> bool:
    """Say whether a memory has this id, or had it."""
    rows = connection.execute(
        "SELECT 1 FROM memory WHERE rid = ? UNION SELECT 1 FROM tombstone WHERE rid = ?", (rid, rid)
    )
    return rows.fetchone() is not None


def facts_of(connection: sqlite3.Connection, rid: bytes) -> list[MemoryId]:
    """Return the memories of single facts that stand beside one, in the order of their ids."""
    rows = connection.execute("SELECT rid FROM memory WHERE parent = ? ORDER BY rid", (rid,))
    return [MemoryId(fact) for (fact,) in rows]


def orphans_of(connection: sqlite3.Connection, rid: bytes, device: DeviceId) -> list[MemoryId]:
    """Return the memories that a device wrote beside one, where that one does not show any more."""
    rows = connection.execute(
        """SELECT f.rid FROM memory f JOIN feed o ON o.no = f.feed WHERE f.parent = ?1 AND o.device = ?2
           AND NOT EXISTS (SELECT 1 FROM memory WHERE rid = ?1)""",
        (rid, device),
    )
    return [MemoryId(fact) for (fact,) in rows]


def unknown_fields(connection: sqlite3.Connection) -> dict[MemoryId, dict[str, Any]]:
    """Return what later versions wrote on memories, in fields that this one does not know, by memory."""
    rows = connection.execute("SELECT rid, more FROM memory WHERE more IS NOT NULL")
    return {MemoryId(rid): unpack(more) for rid, more in rows}


class ShownEdge(NamedTuple):
    """An edge of the graph; its ends are entities, or ids of memories as they are shown."""

    source: str
    relation: str
    target: str
    weight: float


def edge_weight(connection: sqlite3.Connection, source: str, relation: str, target: str) -> float | None:
    """Return the weight of an edge; None where there is none."""
    row = connection.execute(
        "SELECT weight FROM edge WHERE source = ? AND relation = ? AND target = ?", (source, relation, target)
    ).fetchone()
    return None if row is None else float(row[0])


def all_edges(connection: sqlite3.Connection) -> Iterator[ShownEdge]:
    """Return every edge, in the order of its ends and its relation."""
    rows = connection.execute("SELECT source, relation, target, weight FROM edge ORDER BY 1, 2, 3")
    return (ShownEdge(*row) for row in rows)


class ShownLink(NamedTuple):
    """Two memories that say the same, and how sure that is."""

    one: MemoryId
    other: MemoryId
    sureness: int


def all_links(connection: sqlite3.Connection) -> Iterator[ShownLink]:
    """Return every link between two memories that show, in the order of their ids."""
    rows = connection.execute(
        """SELECT s.one, s.other, s.sureness FROM says_same s JOIN memory a ON a.rid = s.one
           JOIN memory b ON b.rid = s.other ORDER BY 1, 2, 3"""
    )
    return (ShownLink(MemoryId(one), MemoryId(other), sureness) for one, other, sureness in rows)
