"""Say why a memory did not come up for a query: which stage dropped it, and what it lacked.

The stages are those of `cognition.recall`, asked in their order, and the first that lost the memory is named. A
memory that came as far as the ranking is told its place, and the signals in which it fell short of the last one that
was shown, the largest first.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cognition import passes
from cognition.filters import Filters
from cognition.recall import Ranked, best_of, found_in
from replica import MemoryId, show_memory_id

_KEPT_OUT: Final = "the filters keep it out, or it is archived, or says only what no longer holds"
# Beyond these, signals add up to nothing that a person would act on.
SHORTFALLS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: whether the memory passed it, and what it says about it."""

    name: str
    passed: bool
    detail: str


def why_not(
    connection: sqlite3.Connection, rid: MemoryId, ranked: Ranked, *, filters: Filters, k: int
) -> list[Stage]:
    """Return the stages that a memory went through for a query, up to the one that dropped it."""
    row = connection.execute("SELECT id, content FROM memory WHERE rid = ?", (rid,)).fetchone()
    if row is None:
        return [Stage("store", False, _gone(connection, rid))]
    number, content = row
    stages = [Stage("store", True, "it is here")]
    if not passes.allowed(connection, [number], filters):
        return [*stages, Stage("filters", False, _KEPT_OUT)]
    stages.append(Stage("filters", True, "the filters let it through"))
    above = ranked.summaries.get(ranked.under.get(number, 0))
    if above is not None and not filters.include_archived:
        return [*stages, Stage("summary", False, f"the summary {show_memory_id(above.rid)} stands for it")]
    at = next((i for i, candidate in enumerate(ranked.pool.rows) if candidate.id == number), None)
    if at is None:
        waiting = connection.execute("SELECT status FROM embed_queue WHERE id = ?", (number,)).fetchone()
        detail = f"no search brought it: {_nothing_shared(ranked)}"
        if waiting is not None:
            detail += f"; its vector is {waiting[0]}, so only its words could"
        return [*stages, Stage("candidates", False, detail)]
    channels = ", ".join(
        f"{found.channel} at {found.rank}" for found in found_in(ranked.lists, [number])[number]
    )
    stages.append(Stage("candidates", True, f"found by {channels}"))
    shown = best_of(ranked, k)
    place = ranked.order.index(at)
    if at in shown:
        return [*stages, Stage("ranking", True, f"it is shown, at {shown.index(at) + 1} of {len(shown)}")]
    twin = next((i for i in shown if ranked.pool.rows[i].content == content), None)
    if twin is not None:
        return [
            *stages,
            Stage("duplicates", False, f"it is shown at {shown.index(twin) + 1} under its duplicate"),
        ]
    detail = f"ranked {place + 1} of {len(ranked.order)}, with {k} shown"
    if shown:
        detail += f"; against the last of those: {_shortfall(ranked, at, shown[-1])}"
    return [*stages, Stage("ranking", False, detail)]


def _gone(connection: sqlite3.Connection, rid: MemoryId) -> str:
    forgotten = connection.execute("SELECT 1 FROM tombstone WHERE rid = ?", (rid,)).fetchone()
    return "it was forgotten" if forgotten else "no memory here has this id"


def _nothing_shared(ranked: Ranked) -> str:
    terms = ranked.pool.query.terms
    return (
        f"among the best for {', '.join(terms)} it is not"
        if terms
        else "the query holds no word to search for"
    )


def _shortfall(ranked: Ranked, at: int, other: int) -> str:
    lacking: Sequence[tuple[str, float]] = sorted(
        ((name, float(column[other] - column[at])) for name, column in ranked.scored.contributions.items()),
        key=lambda item: -item[1],
    )
    return ", ".join(f"{name} -{gap:.2f}" for name, gap in lacking[:SHORTFALLS_MAX] if gap > 0) or "a tie"
