"""Keep which tellings are shown as one: classes of the same words, and the groups that links make of them.

Tellings of the very same words in one workspace, by one speaker, of one time, are one class, whatever their number; a
turn of a conversation, a goal and a block stand for themselves. Links join classes of one workspace to groups, from the
surest link to the least sure. A link that would make a group of more than `CLASSES_MAX` classes joins nothing: a chain
is cut at its weakest link. Both follow from folded ops alone, so devices that hold the same ops show the same groups.

The fold tells what changed in memories; SQL triggers note what changed in links. Only the groups that a change touches
are looked at again, and a further telling of words that are a group's already joins it without that.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from cognition.memories import IDS_MAX, RECALLED
from cognition.versions import made_anew
from replica import Memory, MemoryId, RowChange, content_number, transaction
from replica.codec import pack

# Raise it when a table, or what makes a group, changes.
TELLINGS_VERSION: Final = 1
CLASSES_MAX: Final = 32
# Of a group, as many tellings are named; how many there are is told beside it.
NAMED_MAX: Final = 64

_CREATE: Final = (
    "CREATE TABLE telling (id INTEGER PRIMARY KEY, grp INTEGER NOT NULL)",
    "CREATE INDEX telling_by_group ON telling (grp)",
    "CREATE TABLE telling_due (rid BLOB PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE telling_unread (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)",
    """CREATE TRIGGER telling_linked AFTER INSERT ON says_same BEGIN
       INSERT OR IGNORE INTO telling_due VALUES (new.one);
       INSERT OR IGNORE INTO telling_due VALUES (new.other); END""",
    """CREATE TRIGGER telling_unlinked AFTER DELETE ON says_same BEGIN
       INSERT OR IGNORE INTO telling_due VALUES (old.one);
       INSERT OR IGNORE INTO telling_due VALUES (old.other); END""",
    "INSERT OR IGNORE INTO telling_due SELECT one FROM says_same",
    "INSERT OR IGNORE INTO telling_due SELECT other FROM says_same",
    "INSERT INTO telling_unread SELECT min(id), max(id) FROM memory HAVING count(*) > 0",
)
_TABLES: Final = ("telling", "telling_due", "telling_unread")
# Those on the replica's table stay when our tables go.
_DROP_TRIGGERS: Final = (
    "DROP TRIGGER IF EXISTS telling_linked",
    "DROP TRIGGER IF EXISTS telling_unlinked",
)
# Where it is `NULL`, a memory is nobody's duplicate.
_SHARED: Final = ("workspace", "speaker", "event_start", "event_end")
_ALONE: Final = ("turn", "position", "goal", "block")
_IS_SHARED: Final = " AND ".join(f"{{it}}.{name} IS NULL" for name in _ALONE)
_ALIKE: Final = (
    "o.content = n.content AND o.id != n.id AND "
    + " AND ".join(f"o.{name} IS n.{name}" for name in _SHARED)
    + f" AND {_IS_SHARED.format(it='o')}"
)
_CLASS: Final = (
    f"m.id, m.rid, m.content, {', '.join(f'm.{name}' for name in _SHARED)}, {_IS_SHARED.format(it='m')}"
)
Item = TypeVar("Item")


class Telling(NamedTuple):
    """One telling of a group, as a list shows it: its row, its id, and when it was told (a stamp)."""

    id: int
    rid: MemoryId
    created: int


class _Node(NamedTuple):
    """A memory as a part of its class; `name` is the class's, alike on every device."""

    id: int
    rid: bytes
    name: bytes
    workspace: str | None
    content: int | None
    shared: tuple[Any, ...]


def joined(links: Iterable[tuple[int, bytes, bytes]]) -> list[frozenset[bytes]]:
    """Return the groups that links (sureness, class, class) make, each of at most `CLASSES_MAX` classes.

    The same in whatever order links are given. A class that no link joins to another is in no group.
    """
    group: dict[bytes, set[bytes]] = {}
    for _, one, other in sorted({(-sure, min(one, other), max(one, other)) for sure, one, other in links}):
        mine, theirs = group.setdefault(one, {one}), group.setdefault(other, {other})
        if mine is not theirs and len(mine) + len(theirs) <= CLASSES_MAX:
            mine |= theirs
            group.update(dict.fromkeys(theirs, mine))
    return [frozenset(each) for each in {id(each): each for each in group.values()}.values() if len(each) > 1]


class TellingTables:
    """Keeps groups in step with memories and links, as a part of `cognition.tables.CognitionTables`."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            create = (*_DROP_TRIGGERS, *_CREATE)
            made_anew(connection, "telling_version", TELLINGS_VERSION, tables=_TABLES, create=create)
            _follow(connection, ())

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> None:
        """Follow a batch."""
        fresh = [change.id for change in changes if change.before is None and change.after is not None]
        if fresh:
            spans = _spans(fresh)
            connection.executemany("INSERT OR REPLACE INTO telling_unread VALUES (?, ?)", spans)
        if not _finds_words(connection):
            return  # a whole store comes; the index of contents is made behind it, and then this is called again
        _follow(connection, [change.id for change in changes if change.before is not None and _moves(change)])


def _spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return runs of numbers as first and last."""
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return [(numbers[0], numbers[-1])]
    return [(number, number) for number in numbers]


def _finds_words(connection: sqlite3.Connection) -> bool:
    sql = "SELECT 1 FROM sqlite_schema WHERE name = 'memory_by_content'"
    return connection.execute(sql).fetchone() is not None


def _moves(change: RowChange) -> bool:
    """Say whether a change may take a memory out of its class."""
    before, after = change.before, change.after
    return after is None or before is None or _class_of(before) != _class_of(after)


def _class_of(memory: Memory) -> tuple[Any, ...]:
    fields = memory.fields
    return content_number(memory.text), *(fields.get(name) for name in (*_SHARED, *_ALONE))


def _follow(connection: sqlite3.Connection, moved: Sequence[int]) -> None:
    seeds = {
        number
        for (number,) in connection.execute(
            "SELECT m.id FROM telling_due d JOIN memory m ON m.rid = d.rid"
        ).fetchall()
    }
    seeds |= _others_of(connection, moved)
    seeds.update(moved)
    for number, twin, group in _news(connection):
        if group is None or number in seeds:
            seeds |= {number, twin}
        else:
            connection.execute("INSERT OR REPLACE INTO telling VALUES (?, ?)", (number, group))
    connection.execute("DELETE FROM telling_unread")
    # What a link names may come behind it, in the same batch.
    connection.execute(
        "DELETE FROM telling_due WHERE rid IN (SELECT rid FROM memory) OR rid IN (SELECT rid FROM tombstone)"
    )
    if seeds:
        _rebuild(connection, seeds)


def _news(connection: sqlite3.Connection) -> list[tuple[int, int, int | None]]:
    """Return what came of which the words were here already: its row, another of its class, and that one's group."""
    found: list[tuple[int, int, int | None]] = []
    for first, last in connection.execute("SELECT first, last FROM telling_unread").fetchall():
        found += connection.execute(
            f"""SELECT n.id, o.id, t.grp FROM memory n
                JOIN memory o ON o.id = (SELECT o.id FROM memory o WHERE {_ALIKE} LIMIT 1)
                LEFT JOIN telling t ON t.id = o.id
                WHERE n.id BETWEEN ? AND ? AND {_IS_SHARED.format(it="n")}""",
            (first, last),
        )
    return found


def _others_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> set[int]:
    """Return all that stand in a group with any of these rows, as far as it is known."""
    return {
        number
        for chunk in _chunks(numbers)
        for (number,) in connection.execute(
            f"""SELECT o.id FROM telling t JOIN telling o ON o.grp = t.grp
                WHERE t.id IN ({",".join("?" * len(chunk))})""",
            chunk,
        )
    }


def _rebuild(connection: sqlite3.Connection, seeds: set[int]) -> None:
    """Make the groups anew that hold, or held, any of these rows."""
    stale = seeds | _others_of(connection, seeds)
    classes, links = _reached(connection, stale)
    stale.update(node.id for members in classes.values() for node in members)
    stale |= _others_of(connection, stale)
    for chunk in _chunks(stale):
        connection.execute(f"DELETE FROM telling WHERE id IN ({','.join('?' * len(chunk))})", chunk)
    groups = joined(links)
    alone = classes.keys() - {name for group in groups for name in group}
    for names in (*groups, *({name} for name in alone)):
        members = [node.id for name in names for node in classes[name]]
        if len(members) > 1:
            group = min(members)
            connection.executemany(
                "INSERT INTO telling VALUES (?, ?)", [(number, group) for number in members]
            )


def _reached(
    connection: sqlite3.Connection, numbers: Iterable[int]
) -> tuple[dict[bytes, list[_Node]], list[tuple[int, bytes, bytes]]]:
    """Return the classes that links connect with these rows, and these links by the names of what they join."""
    classes: dict[bytes, list[_Node]] = {}
    links: list[tuple[int, bytes, bytes]] = []
    fringe = _nodes(connection, "id", numbers)
    while fringe:
        fresh: list[_Node] = []
        for name, node in {node.name: node for node in fringe}.items():
            if name not in classes:
                classes[name] = _members(connection, node)
                fresh += classes[name]
        of = {node.rid: node for node in fresh}
        rows = [row for end in ("one", "other") for row in _links(connection, end, of)]
        ends = {rid for row in rows for rid in row[:2]} - of.keys()
        of |= {node.rid: node for node in _nodes(connection, "rid", ends)}
        fringe = []
        for one, other, sureness in rows:
            ours, theirs = of.get(one), of.get(other)
            if ours and theirs and ours.workspace == theirs.workspace and ours.name != theirs.name:
                links.append((sureness, ours.name, theirs.name))
                fringe += [ours, theirs]
    return classes, links


def _members(connection: sqlite3.Connection, node: _Node) -> list[_Node]:
    """Return the living members of a class."""
    if node.content is None:
        return [node]
    shared = " AND ".join(f"m.{name} IS ?" for name in _SHARED)
    rows = connection.execute(
        f"SELECT m.id, m.rid FROM memory m WHERE m.content = ? AND {shared} AND {_IS_SHARED.format(it='m')}",
        (node.content, *node.shared),
    )
    return [node._replace(id=number, rid=rid) for number, rid in rows]


def _nodes(connection: sqlite3.Connection, column: str, names: Iterable[Any]) -> list[_Node]:
    found = []
    for chunk in _chunks(names):
        for number, rid, content, *shared, is_shared in connection.execute(
            f"SELECT {_CLASS} FROM memory m WHERE m.{column} IN ({','.join('?' * len(chunk))})", chunk
        ):
            name = pack([content, *shared]) if is_shared else rid
            found.append(_Node(number, rid, name, shared[0], content if is_shared else None, tuple(shared)))
    return found


def _links(
    connection: sqlite3.Connection, end: str, rids: Iterable[bytes]
) -> Iterator[tuple[bytes, bytes, int]]:
    for chunk in _chunks(rids):
        yield from connection.execute(
            f"SELECT one, other, sureness FROM says_same WHERE {end} IN ({','.join('?' * len(chunk))})", chunk
        )


def _chunks(names: Iterable[Item]) -> Iterator[list[Item]]:
    wanted = [*names]
    for start in range(0, len(wanted), IDS_MAX):
        yield wanted[start : start + IDS_MAX]


# -- reading ---------------------------------------------------------------------------------------------------


def shown_once(condition: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return a condition on a memory `m` that lets through the newest telling of each group only."""
    once = f"""{condition} AND m.id NOT IN (SELECT id FROM (
        SELECT t.id, row_number() OVER (PARTITION BY t.grp ORDER BY m.created DESC, m.rid DESC) AS place
        FROM telling t JOIN memory m ON m.id = t.id WHERE {condition}) WHERE place > 1)"""
    return once, [*values, *values]


def groups_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return the group of each of these rows that stands in one."""
    return {
        number: group
        for chunk in _chunks(numbers)
        for number, group in connection.execute(
            f"SELECT id, grp FROM telling WHERE id IN ({','.join('?' * len(chunk))})", chunk
        )
    }


def tellings_of(connection: sqlite3.Connection, group: int) -> list[Telling]:
    """Return the tellings of a group, the newest first."""
    rows = connection.execute(
        """SELECT m.id, m.rid, m.created FROM telling t JOIN memory m ON m.id = t.id WHERE t.grp = ?
           ORDER BY m.created DESC, m.rid DESC""",
        (group,),
    )
    return [Telling(number, MemoryId(rid), created) for number, rid, created in rows]


def tellings_with(connection: sqlite3.Connection, rid: MemoryId) -> set[MemoryId]:
    """Return all tellings that are shown as one with this one, itself among them."""
    rows = connection.execute(
        "SELECT t.grp FROM telling t JOIN memory m ON m.id = t.id WHERE m.rid = ?", (rid,)
    )
    return {rid, *(telling.rid for (group,) in rows.fetchall() for telling in tellings_of(connection, group))}


def words_of_telling(connection: sqlite3.Connection, rid: MemoryId) -> list[MemoryId]:
    """Return the tellings of the very same words as this one, itself among them, of its group."""
    rows = connection.execute(
        """SELECT o.rid FROM memory m JOIN telling t ON t.id = m.id JOIN telling x ON x.grp = t.grp
           JOIN memory o ON o.id = x.id AND o.content = m.content WHERE m.rid = ?""",
        (rid,),
    )
    return sorted({rid, *(MemoryId(other) for (other,) in rows)})


def counted(connection: sqlite3.Connection, groups: Iterable[int]) -> dict[int, int]:
    """Return how often each of these groups was told; what only came back from a recall is no telling."""
    return {
        group: max(1, count)
        for chunk in _chunks(groups)
        for group, count in connection.execute(
            f"""SELECT t.grp, sum(m.source IS NOT '{RECALLED}') FROM telling t JOIN memory m ON m.id = t.id
                WHERE t.grp IN ({",".join("?" * len(chunk))}) GROUP BY t.grp""",
            chunk,
        )
    }


def texts_of(
    connection: sqlite3.Connection, groups: Iterable[int], condition: str, values: Sequence[Any]
) -> Mapping[int, list[tuple[int, str]]]:
    """Return for each group the row and text of the newest telling of each of its wordings, the newest first.

    Of those that a condition on a memory `m` lets through.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    for chunk in _chunks(groups):
        rows = connection.execute(
            f"""SELECT t.grp, m.id, m.text, max(m.created) AS told, m.rid FROM telling t
                JOIN memory m ON m.id = t.id WHERE t.grp IN ({",".join("?" * len(chunk))}) AND {condition}
                GROUP BY t.grp, m.content ORDER BY told DESC, m.rid DESC""",
            (*chunk, *values),
        )
        for group, number, text, *_ in rows:
            found.setdefault(group, []).append((number, text))
    return found
