"""The step of thinking that proposes what to consolidate.

What got a vector since the last cycle is due, however it came here: told on this device or merged from another. A due
memory that may be consolidated is compared with those of its time that may be too, and the clusters that come of it are
proposed, one op each. The rest is forgotten about, until something new lies near it. So a cycle's work is in proportion
to what is new, and a proposal that another device made meanwhile is met in `cognition.consolidation.tables`.

Only what happened is consolidated: facts, plans and people stay as they are, and so does what is pinned, archived, set
apart, a goal or a block, what stands under a summary already, and whatever is on a side of an open contradiction.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from cognition.consolidation.alone import Alone
from cognition.consolidation.clusters import ClusterCandidate, clusters
from cognition.days import DAY_MS
from cognition.decay import TYPE_DEFAULT
from cognition.embedding.products import unit
from cognition.filters import TIME
from cognition.memories import IDS_MAX
from cognition.thinking.cycle import StepOutcome
from replica import Core, MemoryId, Propose, Write, derived_transaction, show_memory_id

# Due memories that one call takes up: with ten thousand in their window, a fortieth of a second.
DUE_MAX: Final = 128

_MAY: Final = f"""ifnull(m.type, '{TYPE_DEFAULT}') = '{TYPE_DEFAULT}' AND m.parent IS NULL
    AND NOT ifnull(m.archived, 0) AND NOT ifnull(m.pinned, 0) AND NOT ifnull(m.apart, 0)
    AND m.goal IS NULL AND m.block IS NULL
    AND NOT EXISTS (SELECT 1 FROM summary_member s WHERE s.id = m.id)"""
_CANDIDATE: Final = f"SELECT m.id, m.rid, {TIME}, m.workspace, v.data FROM vector v"


class Consolidation:
    """A `cognition.thinking.cycle.Step`."""

    name: Final = "consolidated"

    def __init__(self) -> None:
        self._alone = Alone()

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Take up some of what is due; tell the summaries that came of it."""
        due = [
            number for (number,) in connection.execute("SELECT id FROM consolidation_due LIMIT ?", (DUE_MAX,))
        ]
        if not due:
            return StepOutcome()
        found = _find(connection, due, self._alone)
        writes = [Write(Propose(tuple(sorted(MemoryId(one.rid) for one in cluster)))) for cluster in found]
        core.commit(writes, now_ms)
        # After the commit: a crash between the two proposes once more, to no effect.
        with derived_transaction(connection):
            _settle(connection, due)
        self._alone.add(connection, due)
        return StepOutcome(_summaries(connection, found), more=len(due) == DUE_MAX)


def _find(connection: sqlite3.Connection, due: Sequence[int], alone: Alone) -> list[list[ClusterCandidate]]:
    """Return the clusters that memories which are due make with each other, and with those that stand alone.

    Of those that stand alone only the ones are read that are like a memory which is due.
    """
    rows = _rows(connection, due)
    if not rows:
        return []
    days = [time_ms // DAY_MS for _, _, time_ms, *_ in rows.values()]
    rows |= _rows(
        connection, alone.like(connection, unit([row[4] for row in rows.values()]), min(days), max(days))
    )
    contested = {rid for (rid,) in connection.execute("SELECT rid FROM contested")}
    kept = [rows[number] for number in sorted(rows) if rows[number][1] not in contested]
    candidates = [ClusterCandidate(*row[:4]) for row in kept]
    wanted = set(due)
    seeds = [at for at, one in enumerate(candidates) if one.id in wanted]
    return clusters(candidates, unit([row[4] for row in kept]), seeds) if seeds else []


def _rows(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Return those of these memories that may be consolidated, by number: a candidate's values, and its vector."""
    found: dict[int, tuple[Any, ...]] = {}
    for start in range(0, len(numbers), IDS_MAX):
        chunk = numbers[start : start + IDS_MAX]
        rows = connection.execute(
            f"{_CANDIDATE} JOIN shown_memory m ON m.id = v.id WHERE v.id IN ({','.join('?' * len(chunk))}) AND {_MAY}",
            chunk,
        )
        found |= {row[0]: row for row in rows}
    return found


def _settle(connection: sqlite3.Connection, due: Sequence[int]) -> None:
    """Note which of these stand alone, and that none is due any more."""
    numbers = [(number,) for number in due]
    connection.executemany("DELETE FROM consolidation_due WHERE id = ?", numbers)
    connection.executemany("DELETE FROM consolidation_alone WHERE id = ?", numbers)
    connection.executemany(
        f"INSERT INTO consolidation_alone SELECT m.id, {TIME} / {DAY_MS} FROM shown_memory m WHERE m.id = ? AND {_MAY}",
        numbers,
    )


def _summaries(
    connection: sqlite3.Connection, found: Sequence[Sequence[ClusterCandidate]]
) -> tuple[str, ...]:
    numbers = [one.id for cluster in found for one in cluster]
    rids = connection.execute(
        f"""SELECT DISTINCT s.rid FROM summary s JOIN summary_member x ON x.summary = s.no
            WHERE x.id IN ({",".join("?" * len(numbers))}) ORDER BY s.rid""",
        numbers,
    )
    return tuple(show_memory_id(rid) for (rid,) in rids)
