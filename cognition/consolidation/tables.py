"""Keep which memories stand under which summary: the connected components of live proposals.

Two devices that consolidated while apart, {a, b, c} here and {b, c, d} there, hold both proposals once they have met,
and find the one component {a, b, c, d}. Nothing about a summary is ever written as an op: its id comes from its oldest
member, its text, vector and importance are computed when it is shown, and so is the coldness of its members.

A member counts while it lives, is neither archived, pinned nor set apart, is on no side of an open contradiction, and
says something that still holds; members of different workspaces are not connected. What a summary has no room for
goes into another one (`cognition.consolidation.extract`). Below three members that count there is no summary, and its
members are themselves again.

The fold tells what changed in memories; SQL triggers note what changed in proposals and contradictions, and what got a
vector and is due to be compared (`cognition.consolidation.propose`). Only the components that a change touches are
looked at again.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final, TypeVar

from cognition.memories import IDS_MAX, read_memories
from cognition.versions import made_anew
from replica import MemoryId, RowChange, derived_memory_id, new_and_others, transaction
from replica.derived import on_proposed, on_withdrawn
from replica.reads.ids import numbers_of
from replica.reads.proposals import Loose, loose_among, proposals_with, proposed_among, proposed_in

# Raise it when a table, or what is under a summary, changes.
SUMMARIES_VERSION: Final = 6

_CREATE: Final = (
    "CREATE TABLE summary (no INTEGER PRIMARY KEY, rid BLOB NOT NULL UNIQUE, created INTEGER NOT NULL)",
    "CREATE TABLE summary_member (id INTEGER PRIMARY KEY, summary INTEGER NOT NULL)",
    "CREATE INDEX summary_member_by_summary ON summary_member (summary)",
    "CREATE TABLE summary_due (rid BLOB PRIMARY KEY) WITHOUT ROWID",
    on_proposed("summary_proposed", "INSERT OR IGNORE INTO summary_due VALUES (new.rid)"),
    on_withdrawn("summary_withdrawn", "INSERT OR IGNORE INTO summary_due VALUES (old.rid)"),
    "INSERT OR IGNORE INTO summary_due SELECT rid FROM shown_proposal",
    "CREATE TABLE consolidation_due (id INTEGER PRIMARY KEY)",
    "INSERT INTO consolidation_due SELECT id FROM vector",
    # What was compared and stands alone, by the day it was told: what comes later is compared with its own time only.
    "CREATE TABLE consolidation_alone (id INTEGER PRIMARY KEY, day INTEGER NOT NULL)",
    "CREATE INDEX consolidation_alone_by_day ON consolidation_alone (day)",
)
# Memories on a side of an open contradiction, those that such a fact was taken from, and those that say nothing but
# what holds no more: a summary of these would tell as true what is in doubt, or past.
_CONTESTED: Final = """CREATE VIEW contested AS
    WITH side AS (
        SELECT m.rid, m.parent FROM contradiction c JOIN claim_slot s ON s.slot = c.slot
        JOIN shown_memory m ON m.id = s.id WHERE c.status = 'open' AND c.attention != 'quiet')
    SELECT rid FROM side UNION SELECT parent FROM side WHERE parent IS NOT NULL
    UNION SELECT m.rid FROM claim_retired r JOIN shown_memory m ON m.id = r.id"""
_NOTHING_CONTESTED: Final = "CREATE VIEW contested AS SELECT x'' AS rid WHERE 0"
# Whatever may put a proposed memory there, or take it out. Made at every opening, as below.
_CHANGES_DOUBT: Final = (
    ("slotted", "INSERT ON claim_slot", "= new.id"),
    ("unslotted", "DELETE ON claim_slot", "= old.id"),
    ("raised", "INSERT ON contradiction", "IN (SELECT id FROM claim_slot WHERE slot = new.slot)"),
    (
        "settled",
        "UPDATE OF status ON contradiction WHEN old.status IS NOT new.status",
        "IN (SELECT id FROM claim_slot WHERE slot = new.slot)",
    ),
    ("dropped", "DELETE ON contradiction", "IN (SELECT id FROM claim_slot WHERE slot = old.slot)"),
    ("retired", "INSERT ON claim_retired", "= new.id"),
    ("unretired", "DELETE ON claim_retired", "= old.id"),
)
# The outer statement's way with conflicts holds in a trigger too, so this one has to come to none.
_FOLLOW_DOUBT: Final = """CREATE TRIGGER IF NOT EXISTS summary_{name} AFTER {event} BEGIN
    INSERT INTO summary_due SELECT DISTINCT p.rid FROM shown_proposal p
    WHERE p.rid IN (SELECT rid FROM shown_memory WHERE id {those}
                    UNION SELECT parent FROM shown_memory WHERE id {those})
    AND p.rid NOT IN (SELECT rid FROM summary_due); END"""
# Made at every opening: it goes with the table of vectors when that is made anew.
_FOLLOW_VECTORS: Final = """CREATE TRIGGER IF NOT EXISTS consolidation_embedded AFTER INSERT ON vector
    BEGIN INSERT OR IGNORE INTO consolidation_due VALUES (new.id); END"""
_TABLES: Final = (
    *("summary", "summary_member", "summary_due"),
    *("consolidation_due", "consolidation_alone"),
)
# Those on the replica's table stay when our tables go.
_DROP_TRIGGERS: Final = (
    "DROP TRIGGER IF EXISTS summary_proposed",
    "DROP TRIGGER IF EXISTS summary_withdrawn",
)
# Memories of one component that are summarised together, the oldest first: which of them a summary has room for takes
# their number squared, and a member can join a whole store by proposals. Thinking proposes 20 at a time, and devices
# that did so apart come to some more.
TOGETHER_MAX: Final = 128
Name = TypeVar("Name")
# Fields that say whether a memory counts, and with whom it may stand.
_DECIDING: Final = ("archived", "pinned", "apart", "workspace")
# Fields that say, beside the text, what a summary tells of a memory, and which of them first.
_TELLING: Final = ("importance", "speaker")

# Fields that say, beside those, whether a memory may be consolidated, and with what it is compared.
_WHEN_OR_WHAT: Final = ("type", "goal", "block", "told_at")


class SummaryTables:
    """A `replica.DerivedTables`; list it after the tables of contradictions and of vectors, which it reads."""

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or make them anew if an older program left them."""
        with transaction(connection):
            create = (*_DROP_TRIGGERS, *_CREATE)
            made_anew(connection, "summary_version", SUMMARIES_VERSION, tables=_TABLES, create=create)
            connection.execute(_FOLLOW_VECTORS)
            _see_contradictions(connection)
            self._follow(connection, ())

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: no words are kept here."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch."""
        _, others = new_and_others(changes)
        gone = [(change.id,) for change in others if change.after is None]
        for table in ("consolidation_due", "consolidation_alone") if gone else ():
            connection.executemany(f"DELETE FROM {table} WHERE id = ?", gone)
        freed = [(change.id,) for change in others if _may_again(change)]
        connection.executemany("INSERT OR IGNORE INTO consolidation_due VALUES (?)", freed)
        ((proposed,),) = connection.execute(
            "SELECT EXISTS (SELECT 1 FROM shown_proposal) OR EXISTS (SELECT 1 FROM summary_due)"
        )
        if proposed:  # nobody consolidates before the first sync: large batches need not be looked through
            self._follow(connection, [change for change in changes if _matters(change)])

    def _follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> None:
        due = {rid for (rid,) in connection.execute("SELECT rid FROM summary_due")}
        due |= proposed_among(connection, [change.rid for change in changes])
        gone = _summaries_of(connection, [change.id for change in changes])
        gone |= _summaries_of(connection, numbers_of(connection, [*due]).values())
        if due or gone:
            connection.execute("DELETE FROM summary_due")
            _rebuild(connection, due | _members_of(connection, gone), gone)


def _see_contradictions(connection: sqlite3.Connection) -> None:
    """Let `contested` show the sides of open contradictions, or nothing where nobody keeps any, and follow them.

    Written only where it changes: a store is opened by every call of the command line. Where the tables of
    contradictions were made anew, what followed them went with them, and every proposal is looked at again.
    """
    held = dict(
        connection.execute("SELECT name, sql FROM sqlite_schema WHERE name IN ('contradiction', 'contested')")
    )
    wanted = _CONTESTED if "contradiction" in held else _NOTHING_CONTESTED
    follow = {}
    if "contradiction" in held:
        follow = {
            f"summary_{name}": _FOLLOW_DOUBT.format(name=name, event=event, those=those)
            for name, event, those in _CHANGES_DOUBT
        }
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")}
    if held.get("contested") == wanted and there >= follow.keys():
        return
    connection.execute("DROP VIEW IF EXISTS contested")
    connection.execute(wanted)
    for name, statement in follow.items():
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(statement)
    connection.execute("INSERT OR IGNORE INTO summary_due SELECT rid FROM shown_proposal")


def _may_again(change: RowChange) -> bool:
    """Say whether a memory that was kept from being consolidated may be now."""
    before, after = change.before, change.after
    return (
        before is not None
        and after is not None
        and before.fields != after.fields
        and any(before.fields.get(name) != after.fields.get(name) for name in (*_DECIDING, *_WHEN_OR_WHAT))
    )


def _matters(change: RowChange) -> bool:
    before, after = change.before, change.after
    if before is None or after is None:
        return True
    return (before.created, before.text) != (after.created, after.text) or any(
        before.fields.get(name) != after.fields.get(name) for name in (*_DECIDING, *_TELLING)
    )


def _rebuild(connection: sqlite3.Connection, due: set[bytes], gone: set[int]) -> None:
    """Replace the summaries that are gone by those of the components that hold what is due."""
    doubtful = {rid for (rid,) in connection.execute("SELECT rid FROM contested")}
    components = _components(connection, due, doubtful)
    gone |= _summaries_of(connection, [member.id for component in components for member in component])
    before = [
        (number,)
        for no in gone
        for (number,) in connection.execute("SELECT id FROM summary_member WHERE summary = ?", (no,))
    ]
    connection.executemany("DELETE FROM summary WHERE no = ?", [(no,) for no in gone])
    connection.executemany("DELETE FROM summary_member WHERE summary = ?", [(no,) for no in gone])
    for component in components:
        for members in _said_together(connection, component):
            oldest = min(members, key=lambda member: (member.created, member.rid))
            cursor = connection.execute(
                "INSERT INTO summary (rid, created) VALUES (?, ?)", (summary_id(oldest.rid), oldest.created)
            )
            connection.executemany(
                "INSERT INTO summary_member VALUES (?, ?)",
                [(member.id, cursor.lastrowid) for member in members],
            )
            connection.executemany(
                "DELETE FROM consolidation_alone WHERE id = ?", [(member.id,) for member in members]
            )
    # Who stands alone again may belong to somebody else.
    connection.executemany(
        """INSERT OR IGNORE INTO consolidation_due SELECT m.id FROM shown_memory m
           WHERE m.id = ? AND NOT EXISTS (SELECT 1 FROM summary_member x WHERE x.id = m.id)""",
        before,
    )


def _said_together(connection: sqlite3.Connection, component: Sequence[Loose]) -> Iterator[list[Loose]]:
    """Return the members of each summary that it takes to say what a component says."""
    # Here: a store is opened, and listed, without the grammar.
    from cognition.consolidation.extract import MEMBERS_MIN, SOURCE_CHARACTERS_MAX, summaries_of
    from cognition.consolidation.summaries import source_of

    if len(component) < MEMBERS_MIN:
        return
    ordered = sorted(component, key=lambda member: (member.created, member.rid))
    for start in range(0, len(ordered), TOGETHER_MAX):
        together = {member.rid: member for member in ordered[start : start + TOGETHER_MAX]}
        # A character more than a text may have that is summarised tells that it is longer.
        numbers = [member.id for member in together.values()]
        shown = read_memories(connection, numbers, characters=SOURCE_CHARACTERS_MAX + 1)
        for said in summaries_of((source_of(each.memory) for each in shown), MEMBERS_MIN):
            yield [together[source.rid] for source in said.sources]


def summary_id(oldest: bytes) -> MemoryId:
    """Return the id of the summary whose oldest member this is: every device derives the same one."""
    return derived_memory_id("summary", oldest.hex())


def summaries_between(
    connection: sqlite3.Connection, low: bytes, high: bytes, *, limit: int
) -> list[MemoryId]:
    """Return at most `limit` summaries with ids of this range, both ends in it, in their order."""
    rows = connection.execute(
        "SELECT rid FROM summary WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ?", (low, high, limit)
    )
    return [MemoryId(rid) for (rid,) in rows]


def _summaries_of(connection: sqlite3.Connection, numbers: Iterable[int]) -> set[int]:
    """Return the summaries under which the memories of these rows stand, or stood until this batch."""
    return {
        no
        for chunk in _chunks(numbers)
        for (no,) in connection.execute(
            f"SELECT DISTINCT summary FROM summary_member WHERE id IN ({','.join('?' * len(chunk))})", chunk
        )
    }


def _members_of(connection: sqlite3.Connection, summaries: Iterable[int]) -> set[bytes]:
    return {
        rid
        for no in summaries
        for (rid,) in connection.execute(
            "SELECT m.rid FROM summary_member s JOIN shown_memory m ON m.id = s.id WHERE s.summary = ?", (no,)
        )
    }


def _components(
    connection: sqlite3.Connection, rids: Iterable[bytes], doubtful: Set[bytes]
) -> list[list[Loose]]:
    """Return the components that hold any of these memories, in no particular order."""
    left = set(rids)
    components: list[list[Loose]] = []
    while left:
        first = loose_among(connection, [*{left.pop()} - doubtful])
        if not first:
            continue
        found = {member.rid: member for member in first}
        fringe = first
        joined: set[bytes] = set()
        while fringe:
            # Each proposal is gone through once: thousands may name the same memories.
            news = proposals_with(connection, [member.rid for member in fringe]) - joined
            joined |= news
            near = _members_among(connection, proposed_in(connection, [*news]) - doubtful, first[0].workspace)
            fringe = [member for member in near if member.rid not in found]
            found.update((member.rid, member) for member in fringe)
        left -= found.keys()
        components.append(list(found.values()))
    return components


def _members_among(connection: sqlite3.Connection, rids: Set[bytes], workspace: str | None) -> list[Loose]:
    return [member for member in loose_among(connection, [*rids]) if member.workspace == workspace]


def _chunks(names: Iterable[Name]) -> Iterator[list[Name]]:
    wanted = [*names]
    for start in range(0, len(wanted), IDS_MAX):
        yield wanted[start : start + IDS_MAX]
