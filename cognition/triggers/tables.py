"""Keep when memories fall due, and how many of a topic lie loose, so that thinking need not look at all of them.

Both follow from what shows and are computed in the fold's transaction; most memories matter to neither and cost
nothing. A review falls due when what matters (it was told to, by its importance) has faded below the threshold; a
reminder when what was intended is to happen, and what was put off when it comes up again. When its trigger was raised a
row goes, and comes back when its memory changes.

Which triggers this device found a reason for in its own memories is noted too: any member may raise any id on any
memory, and only these hold others back.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cognition.days import DAY_MS
from cognition.decay import HALF_LIVES, TYPE_DEFAULT, known_type
from cognition.memories import read_memories
from cognition.triggers.kinds import KINDS, REMINDER, REVIEW, Thresholds, TriggerCandidate
from cognition.triggers.snoozing import SNOOZED, snoozes_of
from cognition.versions import made_anew
from replica import Memory, MemoryId, NewRows, RowChange, transaction

# Raise it when a table, or what goes into it, changes.
DUE_VERSION: Final = 3
_PAGE: Final = 1_000
_CREATE: Final = (
    "CREATE TABLE due (id INTEGER, kind TEXT, at_ms INTEGER NOT NULL, PRIMARY KEY (id, kind)) WITHOUT ROWID",
    "CREATE INDEX due_by_time ON due (kind, at_ms)",
    """CREATE TABLE loose_topic (
        topic TEXT PRIMARY KEY, memories INTEGER NOT NULL, looked INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE found_trigger (
        trigger_id BLOB PRIMARY KEY, id INTEGER NOT NULL, kind TEXT NOT NULL, found_ms INTEGER NOT NULL
    ) WITHOUT ROWID""",
    "CREATE INDEX found_trigger_by_memory ON found_trigger (id, kind)",
)
_TABLES: Final = ("due", "loose_topic", "found_trigger")
# Without any of these fields nothing falls due.
_FALLS_DUE: Final = frozenset({"importance", "event_start", "meta"})
_MAY_MATTER: Final = f"""SELECT id FROM shown_memory
    WHERE coalesce({", ".join(sorted({"topic", *_FALLS_DUE}))}) IS NOT NULL ORDER BY id"""


class DueMemory(NamedTuple):
    """A memory and when something about it falls due."""

    kind: str
    at_ms: int


class TriggerTables:
    """A `replica.DerivedTables`."""

    def __init__(self, thresholds: Thresholds = Thresholds(), *, fills: bool = True) -> None:
        """Without `fills` tables that are made here stay empty of what is there already."""
        self._thresholds = thresholds
        self._fills = fills

    def migrate(self, connection: sqlite3.Connection) -> None:
        """Create the tables, or fill them anew where an older program, or another threshold, left them."""
        version = f"{DUE_VERSION} {self._thresholds.review_strength}"
        with transaction(connection):
            made = made_anew(connection, "due_version", version, tables=_TABLES, create=_CREATE)
            if made and self._fills:
                self._fill(connection)

    def purge(self, connection: sqlite3.Connection) -> None:
        """Do nothing: SQLite overwrites the rows that go, and a topic goes with the last memory of it."""

    def changed(self, connection: sqlite3.Connection, changes: Sequence[RowChange], now_ms: int) -> None:
        """Follow a batch."""
        self._follow(connection, changes)

    def _fill(self, connection: sqlite3.Connection) -> None:
        # Most memories have none of these fields.
        numbers = [number for (number,) in connection.execute(_MAY_MATTER)]
        for start in range(0, len(numbers), _PAGE):
            shown = read_memories(connection, numbers[start : start + _PAGE])
            self._follow(connection, [RowChange(it.id, it.rid, None, it.memory) for it in shown])

    def _follow(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> None:
        stale, due, gone = [], [], []
        topics: Counter[str] = Counter()
        if isinstance(changes, NewRows):
            for each in changes.having(_FALLS_DUE):
                assert each.after is not None
                due += [(each.id, *one) for one in self.due(each.after)]
            # Many share a topic: those that are alike are looked at once.
            said = (changes.column("topic"), changes.column("type", TYPE_DEFAULT), changes.column("archived"))
            for (topic, type_, archived), count in Counter(zip(*said, strict=True)).items():
                _count(topics, {"topic": topic, "type": type_, "archived": archived}, count)
            changes = ()
        for number, _, before, after in changes:
            if after is None:
                gone.append((number,))
            if before is not None and before.fields:
                stale += [(number,)] if self.due(before) else []
                _count(topics, before.fields, -1)
            if after is not None and after.fields:
                due += [(number, *each) for each in self.due(after)]
                _count(topics, after.fields, 1)
        if stale:
            connection.executemany("DELETE FROM due WHERE id = ?", stale)
        if gone:
            connection.executemany("DELETE FROM found_trigger WHERE id = ?", gone)
        if due:
            connection.executemany("INSERT OR REPLACE INTO due VALUES (?, ?, ?)", due)
        moved = [(topic, count) for topic, count in topics.items() if count]
        if moved:
            connection.executemany(
                """INSERT INTO loose_topic VALUES (?, ?, 0)
                   ON CONFLICT (topic) DO UPDATE SET memories = memories + excluded.memories""",
                moved,
            )
            connection.execute("DELETE FROM loose_topic WHERE memories <= 0")

    def due(self, memory: Memory) -> list[DueMemory]:
        """Return what falls due about a memory, and when."""
        fields = memory.fields
        if fields.get("archived"):
            return []
        found = []
        importance = fields.get("importance")
        if importance is not None and importance > self._thresholds.review_strength:
            half_life_ms = half_life_ms_of(memory)
            fades_ms = half_life_ms * math.log2(importance / max(self._thresholds.review_strength, 1e-9))
            found.append(DueMemory(REVIEW.name, math.ceil(since_ms(memory) + fades_ms)))
        if fields.get("type") == "prospective" and fields.get("event_start") is not None:
            found.append(DueMemory(REMINDER.name, fields["event_start"]))
        found += [DueMemory(f"{SNOOZED}{one.kind}", one.until_ms) for one in snoozes_of(memory)]
        return found


def note_found(
    connection: sqlite3.Connection, found: Iterable[TriggerCandidate], now_ms: int, lifetime_ms: int
) -> None:
    """Note triggers that were raised and that this device found itself, for as long as they hold others back."""
    connection.executemany(
        "INSERT OR IGNORE INTO found_trigger SELECT ?, id, ?, ? FROM shown_memory WHERE rid = ?",
        [(each.id, each.kind.name, now_ms, each.rid) for each in found],
    )
    kept_ms = max(lifetime_ms, DAY_MS, *(kind.cool_down_ms for kind in KINDS.values()))
    connection.execute("DELETE FROM found_trigger WHERE found_ms < ?", (now_ms - kept_ms,))


def read_found(connection: sqlite3.Connection) -> set[bytes]:
    """Return the ids of the triggers that this device found itself lately."""
    return {trigger for (trigger,) in connection.execute("SELECT trigger_id FROM found_trigger")}


def last_found(connection: sqlite3.Connection, rid: MemoryId, kind: str) -> bytes | None:
    """Return the trigger of a kind, whatever its detail, that this device found last on a memory."""
    for (trigger,) in connection.execute(
        """SELECT f.trigger_id FROM shown_memory m JOIN found_trigger f ON f.id = m.id
           WHERE m.rid = ? AND f.kind = ? ORDER BY f.found_ms DESC LIMIT 1""",
        (rid, kind),
    ):
        return bytes(trigger)
    return None


def since_ms(memory: Memory) -> int:
    """Return from when on a memory fades: when it was made, or last recalled."""
    return max(memory.created >> 16, memory.last_access)


def half_life_ms_of(memory: Memory) -> float:
    """Return the time in which a memory's strength halves."""
    seconds = memory.fields.get("half_life")
    if seconds is not None:
        return float(seconds) * 1_000
    return HALF_LIVES[known_type(memory.fields.get("type"))] * DAY_MS


def _count(topics: Counter[str], fields: Mapping[str, Any], step: int) -> None:
    """Count memories with these fields under their topic, if they are of those that are consolidated."""
    topic = fields.get("topic")
    if topic is not None and fields.get("type", TYPE_DEFAULT) == "episodic" and not fields.get("archived"):
        topics[topic] += step
