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
# Memories that these are compared with, the latest told first: 20 MB of vectors, whatever was imported into one month.
ALONE_MAX: Final = 20_000

_MAY: Final = f"""ifnull(m.type, '{TYPE_DEFAULT}') = '{TYPE_DEFAULT}' AND m.parent IS NULL
    AND NOT ifnull(m.archived, 0) AND NOT ifnull(m.pinned, 0) AND NOT ifnull(m.apart, 0)
    AND m.goal IS NULL AND m.block IS NULL
    AND NOT EXISTS (SELECT 1 FROM summary_member s WHERE s.id = m.id)"""
_CANDIDATE: Final = f"SELECT m.id, m.rid, {TIME}, m.workspace, v.data FROM vector v"


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
            _settle(connection, due)
        return Outcome(_summaries(connection, found), more=len(due) == DUE_MAX)


def _find(connection: sqlite3.Connection, due: Sequence[int]) -> list[list[Candidate]]:
    """Return the clusters that memories which are due make with each other, and with those that stand alone."""
    marks = ",".join("?" * len(due))
    fresh = connection.execute(
        f"{_CANDIDATE} JOIN memory m ON m.id = v.id WHERE v.id IN ({marks}) AND {_MAY}", due
    )
    rows = {row[0]: row for row in fresh}
    if not rows:
        return []
    days = [time_ms // DAY_MS for _, _, time_ms, *_ in rows.values()]
    alone = connection.execute(
        f"""{_CANDIDATE} JOIN consolidation_alone a ON a.id = v.id JOIN memory m ON m.id = v.id
            WHERE a.day BETWEEN ? AND ? AND {_MAY} ORDER BY a.day DESC LIMIT ?""",
        (min(days) - WINDOW_DAYS - 1, max(days) + WINDOW_DAYS + 1, ALONE_MAX),
    )
    rows |= {row[0]: row for row in alone}
    contested = {rid for (rid,) in connection.execute("SELECT rid FROM contested")}
    kept = [rows[number] for number in sorted(rows) if rows[number][1] not in contested]
    candidates = [Candidate(*row[:4]) for row in kept]
    wanted = set(due)
    seeds = [at for at, one in enumerate(candidates) if one.id in wanted]
    return clusters(candidates, _unit([row[4] for row in kept]), seeds) if seeds else []


def _settle(connection: sqlite3.Connection, due: Sequence[int]) -> None:
    """Note which of these stand alone, and that none is due any more."""
    numbers = [(number,) for number in due]
    connection.executemany("DELETE FROM consolidation_due WHERE id = ?", numbers)
    connection.executemany("DELETE FROM consolidation_alone WHERE id = ?", numbers)
    connection.executemany(
        f"INSERT INTO consolidation_alone SELECT m.id, {TIME} / {DAY_MS} FROM memory m WHERE m.id = ? AND {_MAY}",
        numbers,
    )


def _unit(data: Sequence[bytes]) -> Vectors:
    """Return stored vectors at length 1; one that says nothing stays zero, and is like no other."""
    vectors = np.frombuffer(b"".join(data), np.float16).reshape(len(data), -1).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors


def _summaries(connection: sqlite3.Connection, found: Sequence[Sequence[Candidate]]) -> tuple[str, ...]:
    numbers = [one.id for cluster in found for one in cluster]
    rids = connection.execute(
        f"""SELECT DISTINCT s.rid FROM summary s JOIN summary_member x ON x.summary = s.no
            WHERE x.id IN ({",".join("?" * len(numbers))}) ORDER BY s.rid""",
        numbers,
    )
    return tuple(show_memory_id(rid) for (rid,) in rids)
