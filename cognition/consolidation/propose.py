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
from typing import Final

import numpy as np

from cognition.consolidation.clusters import WINDOW_DAYS, Candidate, Vectors, clusters
from cognition.decay import TYPE_DEFAULT
from cognition.filters import TIME
from cognition.scoring import DAY_MS
from cognition.thinking.cycle import Outcome
from replica import Core, MemoryId, Propose, Write, show_memory_id, transaction

# Due memories that one call takes up: with ten thousand in their window, a fortieth of a second.
DUE_MAX: Final = 128

_MAY: Final = f"""ifnull(m.type, '{TYPE_DEFAULT}') = '{TYPE_DEFAULT}' AND m.parent IS NULL
    AND NOT ifnull(m.archived, 0) AND NOT ifnull(m.pinned, 0) AND NOT ifnull(m.apart, 0)
    AND m.goal IS NULL AND m.block IS NULL
    AND NOT EXISTS (SELECT 1 FROM summary_member s WHERE s.id = m.id)"""


class Consolidation:
    """A `cognition.thinking.cycle.Step`."""

    name: Final = "consolidated"

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> Outcome:
        """Take up some of what is due; tell the summaries that came of it."""
        due = [
            number for (number,) in connection.execute("SELECT id FROM consolidation_due LIMIT ?", (DUE_MAX,))
        ]
        if not due:
            return Outcome()
        found = _find(connection, due)
        writes = [Write(Propose(tuple(sorted(MemoryId(one.rid) for one in cluster)))) for cluster in found]
        core.commit(writes, now_ms)
        with transaction(
            connection
        ):  # after the commit: a crash between the two proposes once more, to no effect
            connection.executemany(
                "DELETE FROM consolidation_due WHERE id = ?", [(number,) for number in due]
            )
        return Outcome(_summaries(connection, found), more=len(due) == DUE_MAX)


def _find(connection: sqlite3.Connection, due: Sequence[int]) -> list[list[Candidate]]:
    marks = ",".join("?" * len(due))
    times = [
        time_ms
        for (time_ms,) in connection.execute(
            f"SELECT {TIME} FROM memory m WHERE m.id IN ({marks}) AND {_MAY}", due
        )
    ]
    if not times:
        return []
    window_ms = WINDOW_DAYS * DAY_MS
    rows = connection.execute(
        f"""SELECT m.id, m.rid, {TIME}, m.workspace, v.data FROM memory m JOIN vector v ON v.id = m.id
            WHERE {_MAY} AND {TIME} BETWEEN ? AND ? ORDER BY m.id""",
        (min(times) - window_ms, max(times) + window_ms),
    ).fetchall()
    contested = _contested(connection)
    rows = [row for row in rows if row[1] not in contested]
    candidates = [Candidate(*row[:4]) for row in rows]
    wanted = set(due)
    seeds = [at for at, one in enumerate(candidates) if one.id in wanted]
    return clusters(candidates, _unit([data for *_, data in rows]), seeds) if seeds else []


def _unit(data: Sequence[bytes]) -> Vectors:
    """Return stored vectors at length 1; one that says nothing stays zero, and is like no other."""
    vectors = np.frombuffer(b"".join(data), np.float16).reshape(len(data), -1).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors


def _contested(connection: sqlite3.Connection) -> set[bytes]:
    return {rid for (rid,) in connection.execute("SELECT rid FROM contested")}


def _summaries(connection: sqlite3.Connection, found: Sequence[Sequence[Candidate]]) -> tuple[str, ...]:
    numbers = [one.id for cluster in found for one in cluster]
    rids = connection.execute(
        f"""SELECT DISTINCT s.rid FROM summary s JOIN summary_member x ON x.summary = s.no
            WHERE x.id IN ({",".join("?" * len(numbers))}) ORDER BY s.rid""",
        numbers,
    )
    return tuple(show_memory_id(rid) for (rid,) in rids)
