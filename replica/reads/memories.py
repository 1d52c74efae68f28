"""Read whole memories that show, with what is told of them and by whom."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.codec import unpack
from replica.fields import FIELDS
from replica.ids import DeviceId, MemoryId
from replica.reads.devices import WRITERS
from replica.state.memories import Memory

# Read at a time: few enough to be held, and each time costs a tenth of a millisecond.
ROWS_PER_READ: Final = 1_000
# And no more once they have so many characters: metadata of one memory alone may have 16 million.
CHARACTERS_PER_READ: Final = 8_000_000
_NAMES: Final = tuple(FIELDS)
_FLAGS: Final = frozenset({"pinned", "archived", "apart"})
_NOT_AS_HELD: Final = _FLAGS | {"tags", "meta"}
_OTHERS: Final = ("id", "content", "feed", "rid", "text", "created", "updated", "accesses", "last_access")
_SELECT: Final = (
    f"SELECT {', '.join(f'm.{name}' for name in _OTHERS)}, "
    + ", ".join(f'm."{name}"' for name in _NAMES)
    + " FROM memory m"
)
_TEXT: Final = _OTHERS.index("text")
_META: Final = len(_OTHERS) + _NAMES.index("meta")
_TAGS: Final = len(_OTHERS) + _NAMES.index("tags")
_TO_COME: Final = "m.type = 'prospective' AND m.event_start IS NOT NULL AND ifnull(m.archived, 0) = 0"
_FEEDS: Final = (
    f"SELECT f.no, f.device, f.incarnation, ifnull(p.nickname, n.name) FROM feed f {WRITERS} WHERE f.no IN "
)
# Ids as one parameter: a statement of as many marks as there are ids would be another each time, and to compile it
# costs as much as to run it.
EACH: Final = "(SELECT value FROM json_each(?))"


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


def memories_of(
    connection: sqlite3.Connection, ids: Iterable[int], *, characters: int | None = None
) -> Iterator[ShownMemory]:
    """Return those of the memories of these rows that show, in no particular order.

    For whoever looks at many of them: of each text the first `characters`, and no labels or metadata that have more.
    """
    wanted = list(ids)
    select = _SELECT if characters is None else _select_up_to(characters)
    for start in range(0, len(wanted), ROWS_PER_READ):
        chunk = json.dumps(wanted[start : start + ROWS_PER_READ])
        yield from _shown(connection, f"{select} WHERE m.id IN {EACH}", (chunk,))


def _select_up_to(characters: int) -> str:
    cut = {"text": f"substr(m.text, 1, {characters})"}
    cut |= {name: f'iif(length(m."{name}") <= {characters}, m."{name}", NULL)' for name in ("tags", "meta")}
    columns = [cut.get(name, f'm."{name}"') for name in (*_OTHERS, *_NAMES)]
    return f"SELECT {', '.join(columns)} FROM memory m"


def memories_called(connection: sqlite3.Connection, rids: Iterable[bytes]) -> Iterator[ShownMemory]:
    """Return those of the memories of these ids that show, in no particular order."""
    wanted = list(rids)
    for start in range(0, len(wanted), ROWS_PER_READ):
        chunk = wanted[start : start + ROWS_PER_READ]
        yield from _shown(connection, f"{_SELECT} WHERE m.rid IN ({','.join('?' * len(chunk))})", chunk)


def all_memories(connection: sqlite3.Connection) -> Iterator[ShownMemory]:
    """Return all memories that show, in the order of their rows: as they came to this store."""
    return _shown(connection, f"{_SELECT} ORDER BY m.id")


def memories_by_age(connection: sqlite3.Connection) -> Iterator[ShownMemory]:
    """Return all memories that show, the oldest first: in one order on every device."""
    return _shown(connection, f"{_SELECT} ORDER BY m.created, m.rid")


def rids_by_age(connection: sqlite3.Connection) -> list[MemoryId]:
    """Return the ids of all memories that show, in the order of `memories_by_age`."""
    return [MemoryId(rid) for (rid,) in connection.execute("SELECT rid FROM memory ORDER BY created, rid")]


def memories_to_come(
    connection: sqlite3.Connection, *, characters: int | None = None
) -> Iterator[ShownMemory]:
    """Return the prospective memories with a time that are not archived, the earliest first, past ones too.

    `characters`: as of `memories_of`.
    """
    select = _SELECT if characters is None else _select_up_to(characters)
    return _shown(connection, f"{select} WHERE {_TO_COME} ORDER BY m.event_start, m.rid")


def nearest_to_come(connection: sqlite3.Connection, now_ms: int, limit: int) -> list[int]:
    """Return the rows of at most `limit` memories to come, by turns among the devices that told of them.

    Of each device what repeats goes before what is still to come, and that before what is over; then the nearest.
    """
    rows = connection.execute(
        f"""SELECT id FROM (
                SELECT m.id AS id, row_number() OVER (
                    PARTITION BY f.device
                    ORDER BY json_extract(m.meta, '$.repeats') IS NULL, m.event_start < ?1,
                        abs(m.event_start - ?1), m.rid
                ) AS turn FROM memory m JOIN feed f ON f.no = m.feed WHERE {_TO_COME}
            ) ORDER BY turn, id LIMIT ?2""",
        (now_ms, limit),
    )
    return [number for (number,) in rows]


def _shown(connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> Iterator[ShownMemory]:
    for rows in _in_pieces(connection.execute(sql, values)):
        # Apart, since few feeds wrote them all: with every row it would take half as long again.
        feeds = {
            no: (DeviceId(device), incarnation, called)
            for no, device, incarnation, called in connection.execute(
                _FEEDS + EACH, (json.dumps(list({row[2] for row in rows})),)
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


def _in_pieces(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Give rows some at a time, as many as are held at once."""
    piece: list[tuple[Any, ...]] = []
    characters = 0
    for row in rows:
        piece.append(row)
        characters += len(row[_TEXT]) + len(row[_META] or "") + len(row[_TAGS] or "")
        if len(piece) == ROWS_PER_READ or characters >= CHARACTERS_PER_READ:
            yield piece
            piece, characters = [], 0
    if piece:
        yield piece


def unknown_fields(connection: sqlite3.Connection) -> dict[MemoryId, dict[str, Any]]:
    """Return what later versions wrote on memories, in fields that this one does not know, by memory."""
    rows = connection.execute("SELECT rid, more FROM memory WHERE more IS NOT NULL")
    return {MemoryId(rid): unpack(more) for rid, more in rows}


def has_memories(connection: sqlite3.Connection) -> bool:
    """Say whether there is any memory."""
    ((found,),) = connection.execute("SELECT EXISTS (SELECT 1 FROM memory)")
    return bool(found)


def first_made_ms(connection: sqlite3.Connection) -> int | None:
    """Return when the oldest of the memories came here; None where there is none."""
    ((first,),) = connection.execute("SELECT min(created) >> 16 FROM memory")
    return None if first is None else int(first)
