"""Keep which tellings are shown as one: classes of the same text, and the groups that links make of them.

Tellings of the very same text in one workspace, by one speaker, of one time, are one class, whatever their number; a
turn of a conversation, a goal and a block stand for themselves. Links join classes of one workspace. Each leans the one
of its two tellings that was stored later on the other, and a class leans on what its surest link names. A class that
leans on none is a head; so is, of two that lean on each other, the one with the smaller number. A group is a head, what
leans on it, and what leans on that: of each only what the surest links name, and `CLASSES_MAX` in all.

So a group hangs on a few links around its head. No chain is followed further, and what changes with a link is found in
as few steps however many links there are. Groups follow from folded ops alone, so devices that hold the same ops show
the same ones. The fold tells what changed in memories; SQL triggers note what changed in links.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from cognition.memories import EACH, IDS_MAX, RECALLED
from cognition.versions import made_anew
from replica import MemoryId, RowChange, new_and_others, transaction
from replica.codec import pack
from replica.derived import on_link_gone, on_link_made
from replica.reads.duplicates import contents_are_indexed

# Raise it when a table, or what makes a group, changes.
TELLINGS_VERSION: Final = 2
# Classes in a group, its head among them: nobody reads more, and who forgets a group forgets no more at once.
CLASSES_MAX: Final = 32
# Of a group, as many tellings are named; how many there are is told beside it.
NAMED_MAX: Final = 64
# What leans on a head, and what leans on that: two devices that were apart may each have had a head of their own.
STEPS_MAX: Final = 2
CLASS_BYTES: Final = 8

_CREATE: Final = (
    # What is in here: all memories of a class that is told again, or that a link names.
    "CREATE TABLE telling (id INTEGER PRIMARY KEY, class INTEGER NOT NULL, grp INTEGER NOT NULL)",
    "CREATE INDEX telling_by_class ON telling (class)",
    "CREATE INDEX telling_by_group ON telling (grp)",
    "CREATE TABLE telling_class (class INTEGER PRIMARY KEY, leans INTEGER, head INTEGER)",
    "CREATE INDEX telling_class_by_head ON telling_class (head)",
    # Links of which both memories are here, and what they come to between two classes: the surest counts.
    """CREATE TABLE telling_link (link BLOB PRIMARY KEY, older INTEGER NOT NULL, newer INTEGER NOT NULL,
       sureness INTEGER NOT NULL) WITHOUT ROWID""",
    "CREATE INDEX telling_link_by_pair ON telling_link (older, newer, sureness)",
    """CREATE TABLE telling_pair (older INTEGER NOT NULL, newer INTEGER NOT NULL, sureness INTEGER NOT NULL,
       PRIMARY KEY (older, newer)) WITHOUT ROWID""",
    "CREATE INDEX telling_pair_by_newer ON telling_pair (newer, sureness DESC, older)",
    "CREATE INDEX telling_pair_by_older ON telling_pair (older, sureness DESC, newer)",
    "CREATE TABLE telling_unread (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)",
    "CREATE TABLE telling_due (link BLOB PRIMARY KEY) WITHOUT ROWID",
    # Links that came before a memory which they name.
    "CREATE TABLE telling_awaited (rid BLOB, link BLOB, PRIMARY KEY (rid, link)) WITHOUT ROWID",
    "CREATE TABLE telling_stale (older INTEGER, newer INTEGER, PRIMARY KEY (older, newer)) WITHOUT ROWID",
    on_link_made("telling_linked", "INSERT OR IGNORE INTO telling_due VALUES (new.link)"),
    on_link_gone(
        "telling_unlinked",
        """DELETE FROM telling_due WHERE link = old.link;
        INSERT OR IGNORE INTO telling_stale SELECT older, newer FROM telling_link WHERE link = old.link;
        DELETE FROM telling_link WHERE link = old.link""",
    ),
    "INSERT INTO telling_due SELECT link FROM shown_link",
    """INSERT INTO telling_unread
    SELECT * FROM (SELECT min(id) AS first, max(id) FROM shown_memory) WHERE first NOT NULL""",
)
# What was told in bulk and not compared yet (`cognition.ingest.linking`): nothing could build that anew.
_CREATE_UNLINKED: Final = "CREATE TABLE IF NOT EXISTS telling_unlinked (rid BLOB PRIMARY KEY) WITHOUT ROWID"
_TABLES: Final = (
    "telling",
    "telling_class",
    "telling_link",
    "telling_pair",
    "telling_unread",
    "telling_due",
    "telling_awaited",
    "telling_stale",
)
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
    "o.content = n.content AND o.text = n.text AND o.id != n.id AND "
    + " AND ".join(f"o.{name} IS n.{name}" for name in _SHARED)
    + f" AND {_IS_SHARED.format(it='o')}"
)
# Where a good part of all memories is new, the few words that were told twice are found by one walk through the index
# of contents, and not by asking it for each, which takes some four times as long as to pass by one. Of fewer it is not
# asked how many there are.
_WALK_PART: Final = 4
_WALK_MIN: Final = 100
_TOLD_TWICE: Final = """(SELECT content FROM shown_memory GROUP BY content HAVING count(*) > 1) r
    CROSS JOIN shown_memory n ON n.content = r.content"""
_READ: Final = """INSERT INTO telling_unread VALUES (?, ?)
    ON CONFLICT (first) DO UPDATE SET last = max(last, excluded.last)"""
_CLASS: Final = f"{{it}}.rid, {_IS_SHARED}, {{it}}.text, {', '.join(f'{{it}}.{name}' for name in _SHARED)}"
_CLASS_COLUMNS: Final = 3 + len(_SHARED)
# Where the workspace stands among the row's number and these.
_WORKSPACE: Final = 4
# The index of contents is away only while most of a store comes, and is left out with the first thousand that come at
# once (`replica.storage.shown`): fewer than these need not look for it, unless earlier ones were left unread.
_MANY: Final = 1_000
# So many rows of groups are read whole where there are no more.
_FEW: Final = 64
_WAITS: Final = """SELECT EXISTS (SELECT 1 FROM telling_unread), EXISTS (SELECT 1 FROM telling_awaited),
    EXISTS (SELECT 1 FROM telling_due) OR EXISTS (SELECT 1 FROM telling_stale)"""
Item = TypeVar("Item")


class Telling(NamedTuple):
    """One telling of a group, as a list shows it: its row, its id, and when it was told (a stamp)."""

    id: int
    rid: MemoryId
    created: int


class TellingTables:
    """Keeps groups in step with memories and links, as a part of `cognition.tables.CognitionTables`."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            create = (*_DROP_TRIGGERS, *_CREATE)
            made_anew(connection, "telling_version", TELLINGS_VERSION, tables=_TABLES, create=create)
            connection.execute(_CREATE_UNLINKED)
            _follow(connection, [])

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> None:
        """Follow a batch."""
        fresh, others = new_and_others(changes)
        fresh += [change.id for change in others if change.before is None and change.after is not None]
        for change in others:
            if change.before is not None and _moves(change):
                _take_out(connection, change)
        _follow(connection, fresh)


def _spans(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return runs of numbers as first and last."""
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        return [(numbers[0], numbers[-1])]
    return [(number, number) for number in numbers]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return these runs of numbers in order, those that follow one another as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def _moves(change: RowChange) -> bool:
    """Say whether a change may take a memory out of its class."""
    before, after = change.before, change.after
    if before is None or after is None or before.text != after.text or before.created != after.created:
        return True
    return any(before.fields.get(name) != after.fields.get(name) for name in (*_SHARED, *_ALONE))


def _class_of(rid: bytes, is_shared: int, *said: Any) -> int:
    """Return the number of a memory's class, the same on every device."""
    digest = hashlib.sha256(pack([*said]) if is_shared else rid).digest()
    return int.from_bytes(digest[:CLASS_BYTES], signed=True)


def _follow(connection: sqlite3.Connection, fresh: Sequence[int]) -> None:
    """File what is new, and what was left unread; then see to the links that changed.

    Most tellings are the first of their words and no link changes with them, so that is asked in one statement.
    """
    spans = _spans(fresh)
    ((unread, awaited, linked),) = connection.execute(_WAITS)
    if unread or len(fresh) >= _MANY:
        if not contents_are_indexed(
            connection
        ):  # a whole store comes; this is called again when its index is made
            connection.executemany(_READ, spans)
            return
        spans += connection.execute("SELECT first, last FROM telling_unread").fetchall()
        spans = _joined(spans)
        connection.execute("DELETE FROM telling_unread")
    _file_news(connection, spans, awaits=bool(awaited))
    if awaited or linked:
        _resolve(connection)
        _regroup(connection)


def _take_out(connection: sqlite3.Connection, change: RowChange) -> None:
    """Take a memory out of its class, with its links; what it says now is read like a new one."""
    connection.execute("DELETE FROM telling WHERE id = ?", (change.id,))
    named = (
        "SELECT link FROM shown_link WHERE one = ?1 UNION ALL SELECT link FROM shown_link WHERE other = ?1"
    )
    resolved = f"FROM telling_link WHERE link IN ({named})"
    rid = (change.rid,)
    connection.execute(f"INSERT OR IGNORE INTO telling_stale SELECT older, newer {resolved}", rid)
    connection.execute(f"DELETE {resolved}", rid)
    connection.execute(f"INSERT OR IGNORE INTO telling_due {named}", rid)
    if change.after is not None:
        connection.execute(_READ, (change.id, change.id))


def _file_news(connection: sqlite3.Connection, spans: Iterable[tuple[int, int]], *, awaits: bool) -> None:
    """File what came of which the words were here already; and look again at links that waited for what came."""
    whole: set[int] = set()
    for span in spans:
        among = _TOLD_TWICE if _is_much(connection, *span) else "shown_memory n"
        for row in connection.execute(
            f"""SELECT n.id, {_CLASS.format(it="n")} FROM {among}
                JOIN shown_memory o ON o.id = (SELECT o.id FROM shown_memory o WHERE {_ALIKE} LIMIT 1)
                WHERE n.id BETWEEN ? AND ? AND {_IS_SHARED.format(it="n")}""",
            span,
        ).fetchall():
            _file(connection, *row, whole=whole)
        if awaits:
            came = "rid IN (SELECT rid FROM shown_memory WHERE id BETWEEN ? AND ?)"
            connection.execute(
                f"INSERT OR IGNORE INTO telling_due SELECT link FROM telling_awaited WHERE {came}", span
            )
            connection.execute(f"DELETE FROM telling_awaited WHERE {came}", span)


def _is_much(connection: sqlite3.Connection, first: int, last: int) -> bool:
    """Say whether a run of numbers is a good part of all."""
    if last - first < _WALK_MIN:
        return False
    ((all_of_them,),) = connection.execute("SELECT max(id) FROM shown_memory")
    return (last - first) * _WALK_PART >= int(all_of_them)


def _file(
    connection: sqlite3.Connection,
    number: int,
    rid: bytes,
    is_shared: int,
    *said: Any,
    whole: set[int],
) -> int:
    """File a memory, and with the first of a class all others of it; return the class. `whole` are those filed so."""
    name = _class_of(rid, is_shared, *said)
    if name in whole:
        return name
    known = connection.execute("SELECT grp FROM telling WHERE class = ? LIMIT 1", (name,)).fetchone()
    group = _group_of(connection, name) if known is None else known[0]
    connection.execute("INSERT OR IGNORE INTO telling VALUES (?, ?, ?)", (number, name, group))
    if known is None and is_shared:
        connection.execute(
            f"""INSERT OR IGNORE INTO telling SELECT o.id, ?, ? FROM shown_memory n CROSS JOIN shown_memory o
                WHERE n.id = ? AND {_ALIKE}""",
            (name, group, number),
        )
        whole.add(name)
    return name


def _group_of(connection: sqlite3.Connection, name: int) -> int:
    row = connection.execute("SELECT head FROM telling_class WHERE class = ?", (name,)).fetchone()
    return name if row is None or row[0] is None else int(row[0])


def _resolve(connection: sqlite3.Connection) -> None:
    """Find between which classes the links lie that are due; the fold may bring a link before what it names."""
    due = connection.execute(
        f"""SELECT s.link, s.sureness, s.one, s.other, (n.created, n.rid) < (o.created, o.rid),
            n.id, {_CLASS.format(it="n")}, o.id, {_CLASS.format(it="o")}
            FROM telling_due d CROSS JOIN shown_link s ON s.link = d.link
            LEFT JOIN shown_memory n ON n.rid = s.one LEFT JOIN shown_memory o ON o.rid = s.other"""
    ).fetchall()
    connection.execute("DELETE FROM telling_due")
    for link, sureness, one, other, in_order, *ends in due:
        first, second = ends[: _CLASS_COLUMNS + 1], ends[_CLASS_COLUMNS + 1 :]
        if first[0] is None or second[0] is None:
            missing = one if first[0] is None else other
            connection.execute(
                """INSERT OR IGNORE INTO telling_awaited SELECT ?1, ?2
                   WHERE NOT EXISTS (SELECT 1 FROM forgotten_memory WHERE rid = ?1)""",
                (missing, link),
            )
        elif first[_WORKSPACE] == second[_WORKSPACE]:
            ends = [first, second] if in_order else [second, first]
            names = [_file(connection, *end, whole=set()) for end in ends]
            if names[0] != names[1]:
                connection.execute(
                    "INSERT OR REPLACE INTO telling_link VALUES (?, ?, ?, ?)", (link, *names, sureness)
                )
                connection.execute("INSERT OR IGNORE INTO telling_stale VALUES (?, ?)", names)


def _regroup(connection: sqlite3.Connection) -> None:
    """Make the groups anew that hang on links which changed."""
    stale = connection.execute("SELECT older, newer FROM telling_stale").fetchall()
    if not stale:
        return
    connection.execute("DELETE FROM telling_stale")
    for pair in stale:
        connection.execute("DELETE FROM telling_pair WHERE older = ? AND newer = ?", pair)
        connection.execute(
            """INSERT INTO telling_pair SELECT older, newer, max(sureness) FROM telling_link
               WHERE older = ? AND newer = ? GROUP BY older, newer""",
            pair,
        )
    touched = {name for pair in stale for name in pair}
    heads = {_group_of(connection, name) for name in touched}
    for newer in {newer for _, newer in stale}:
        surest = connection.execute(
            "SELECT older FROM telling_pair WHERE newer = ? ORDER BY sureness DESC, older LIMIT 1", (newer,)
        ).fetchone()
        now = None if surest is None else surest[0]
        touched |= {name for name in (_leans(connection, newer), now) if name is not None}
        _note(connection, "leans", newer, now)
    for name in touched:
        for _ in range(STEPS_MAX + 1):
            heads.add(name)
            if (leans := _leans(connection, name)) is None:
                break
            name = leans
    moved: dict[int, int] = {}
    for head in heads:
        moved |= _gather(connection, head)
    for name, group in moved.items():
        connection.execute("UPDATE telling SET grp = ?2 WHERE class = ?1 AND grp != ?2", (name, group))
    idle = "DELETE FROM telling_class WHERE class = ? AND leans IS NULL AND head IS NULL"
    connection.executemany(idle, [(name,) for name in {*touched, *moved}])


def _gather(connection: sqlite3.Connection, head: int) -> dict[int, int]:
    """Put together the group of a class, if it is a head; return the groups of classes that stand in another now."""
    members = _members(connection, head)
    before = {
        name for (name,) in connection.execute("SELECT class FROM telling_class WHERE head = ?", (head,))
    }
    for name in before - members:
        _note(connection, "head", name, None)
    for name in members - before:
        _note(connection, "head", name, head)
    return {name: name for name in before - members} | dict.fromkeys(members - before, head)


def _members(connection: sqlite3.Connection, head: int) -> set[int]:
    """Return the classes of the group of this head; none where it is no head, or stands alone."""
    leans = _leans(connection, head)
    if leans is not None and not (head < leans and _leans(connection, leans) == head):
        return set()
    members = [head]
    around = [head]
    for _ in range(STEPS_MAX):
        found: list[int] = []
        for name in around:
            near = connection.execute(
                "SELECT newer FROM telling_pair WHERE older = ? ORDER BY sureness DESC, newer LIMIT ?",
                (name, CLASSES_MAX - 1),
            ).fetchall()
            found += [each for (each,) in near if each not in members and _leans(connection, each) == name]
        around = found[: CLASSES_MAX - len(members)]
        members += around
    return {*members} if len(members) > 1 else set()


def _leans(connection: sqlite3.Connection, name: int) -> int | None:
    row = connection.execute("SELECT leans FROM telling_class WHERE class = ?", (name,)).fetchone()
    return None if row is None else row[0]


def _note(connection: sqlite3.Connection, column: str, name: int, value: int | None) -> None:
    connection.execute(
        f"""INSERT INTO telling_class (class, {column}) VALUES (?1, ?2)
            ON CONFLICT (class) DO UPDATE SET {column} = ?2""",
        (name, value),
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
        FROM telling t JOIN shown_memory m ON m.id = t.id WHERE {condition}) WHERE place > 1)"""
    return once, [*values, *values]


def groups_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return the group of each of these rows that stands in one."""
    told = dict(connection.execute("SELECT id, grp FROM telling LIMIT ?", (_FEW,)))
    wanted = list(numbers)
    if len(told) < _FEW:  # as in most small stores: to look up two hundred rows takes ten times as long
        return {number: told[number] for number in wanted if number in told}
    return dict(
        connection.execute(f"SELECT id, grp FROM telling WHERE id IN ({EACH})", (json.dumps(wanted),))
    )


def tellings_of(connection: sqlite3.Connection, group: int) -> list[Telling]:
    """Return the tellings of a group, the newest first."""
    return tellings_by_group(connection, (group,)).get(group, [])


def tellings_by_group(connection: sqlite3.Connection, groups: Iterable[int]) -> dict[int, list[Telling]]:
    """Return the tellings of each of these groups, the newest first."""
    found: dict[int, list[Telling]] = {}
    for group, number, rid, created in connection.execute(
        f"""SELECT t.grp, m.id, m.rid, m.created FROM telling t JOIN shown_memory m ON m.id = t.id
           WHERE t.grp IN ({EACH}) ORDER BY t.grp, m.created DESC, m.rid DESC""",
        (json.dumps(list(groups)),),
    ):
        found.setdefault(group, []).append(Telling(number, MemoryId(rid), created))
    return found


def tellings_with(connection: sqlite3.Connection, rid: MemoryId) -> set[MemoryId]:
    """Return all tellings that are shown as one with this one, itself among them."""
    rows = connection.execute(
        "SELECT t.grp FROM telling t JOIN shown_memory m ON m.id = t.id WHERE m.rid = ?", (rid,)
    )
    return {rid, *(telling.rid for (group,) in rows.fetchall() for telling in tellings_of(connection, group))}


def words_of_telling(connection: sqlite3.Connection, rid: MemoryId) -> list[MemoryId]:
    """Return the tellings of the very same text as this one, itself among them, of its class."""
    rows = connection.execute(
        """SELECT o.rid FROM shown_memory m JOIN telling t ON t.id = m.id JOIN telling x ON x.class = t.class
           JOIN shown_memory o ON o.id = x.id WHERE m.rid = ?""",
        (rid,),
    )
    return sorted({rid, *(MemoryId(other) for (other,) in rows)})


def head_of(connection: sqlite3.Connection, number: int) -> tuple[int, int]:
    """Return the row of the first telling of what heads this one's group, and how many classes that group has.

    The first, since links lean on what is older: one by which a head leaned on a new telling would take groups apart.
    """
    row = connection.execute("SELECT grp FROM telling WHERE id = ?", (number,)).fetchone()
    if row is None:
        return number, 1
    ((head,),) = connection.execute("SELECT min(id) FROM telling WHERE class = ?", row)
    ((classes,),) = connection.execute("SELECT count(*) FROM telling_class WHERE head = ?", row)
    return head, max(1, classes)


def counted(connection: sqlite3.Connection, groups: Iterable[int]) -> dict[int, int]:
    """Return how often each of these groups was told; what only came back from a recall is no telling."""
    wanted = json.dumps(list(groups))
    return {
        group: max(1, count)
        for group, count in connection.execute(
            f"""SELECT t.grp, sum(m.source IS NOT '{RECALLED}') FROM telling t JOIN shown_memory m ON m.id = t.id
                WHERE t.grp IN ({EACH}) GROUP BY t.grp""",
            (wanted,),
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
                JOIN shown_memory m ON m.id = t.id WHERE t.grp IN ({",".join("?" * len(chunk))}) AND {condition}
                GROUP BY t.grp, t.class ORDER BY told DESC, m.rid DESC""",
            (*chunk, *values),
        )
        for group, number, text, *_ in rows:
            found.setdefault(group, []).append((number, text))
    return found
