"""Say why a memory did not come up for a query: which stage dropped it, and what it lacked.

The stages are those of `cognition.recall.stages`, asked in their order, and the first that lost the memory is named:
what a recall would show is what is shown, in parts where the question holds several. A memory that came as far as the
ranking is told its place, and the signals in which it fell short of the last one that was shown, the largest first.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from cognition.consolidation.summaries import NUMBERS_FROM, summary_named
from cognition.filters import Filters
from cognition.ranking.query import Query
from cognition.recall.stages import CandidateReason, Ranked, RankedMemory, best_of, found_in
from cognition.search import passes
from cognition.words import symbols
from replica import MemoryId, show_memory_id
from replica.reads.ids import is_forgotten, number_of
from replica.values import dataclass

_KEPT_OUT: Final = "the filters keep it out, or it is archived, or says only what no longer holds"
# Beyond these, signals add up to nothing that a person would act on.
SHORTFALLS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class ExplainedStage:
    """One stage: whether the memory passed it, and what it says about it."""

    name: str
    passed: bool
    detail: str


def why_not(
    connection: sqlite3.Connection,
    rid: MemoryId,
    parts: Sequence[Ranked],
    hits: Sequence[RankedMemory],
    *,
    filters: Filters,
    k: int,
) -> list[ExplainedStage]:
    """Return the stages that a memory went through, up to the one that dropped it.

    `parts` are what each part of the question put in order, and `hits` what came of them all. Of a memory that is not
    shown, that part is told in which it came furthest.
    """
    number = number_of(connection, rid)
    summary = summary_named(connection, rid)
    if summary is not None:
        number = NUMBERS_FROM + summary.no
    if number is None:
        return [ExplainedStage("store", False, _gone(connection, rid))]
    stages = [ExplainedStage("store", True, "it is here")]
    told = {number} if summary is None else {member.id for member in summary.members}
    if any(ranked.of_past for ranked in parts):
        filters = replace(filters, outdated=True)  # as the ranking of such a question does
    places = {hit.rid: place for place, hit in enumerate(hits)}
    if rid not in places and not passes.allowed(connection, [*told], filters) >= told:
        return [*stages, ExplainedStage("filters", False, _KEPT_OUT)]
    stages.append(ExplainedStage("filters", True, "the filters let it through"))
    if rid in places:
        shown = f"it is shown, at {places[rid] + 1} of {len(hits)}"
        return [*stages, _candidate(hits[places[rid]].found), ExplainedStage("ranking", True, shown)]
    above = next((it.summaries[it.under[number]] for it in parts if number in it.under), None)
    if above is not None and not filters.include_archived:
        return [
            *stages,
            ExplainedStage("summary", False, f"the summary {show_memory_id(above.rid)} stands for it"),
        ]
    twin = next((place for place, hit in enumerate(hits) if rid in hit.same), None)
    if twin is not None:
        return [
            *stages,
            ExplainedStage("duplicates", False, f"it is shown at {twin + 1}, with what says the same"),
        ]
    where = [
        (place, ranked)
        for ranked in parts
        for place, at in enumerate(ranked.order)
        if ranked.pool.rows[at].id == number
    ]
    if not where:
        waiting = connection.execute("SELECT status FROM embed_queue WHERE id = ?", (number,)).fetchone()
        detail = f"no search brought it: {_nothing_shared(parts)}"
        if waiting is not None:
            detail += f"; its vector is {waiting[0]}, so only its words could"
        return [*stages, ExplainedStage("candidates", False, detail)]
    place, ranked = min(where, key=lambda each: each[0])
    stages.append(_candidate(found_in(ranked.lists, [number])[number]))
    best, at = best_of(ranked, k), ranked.order[place]
    if any(ranked.pool.rows[i].content == ranked.pool.rows[at].content for i in best):
        return [*stages, _given_way(ranked, parts)]
    detail = f"ranked {place + 1} of {len(ranked.order)}, with {k} shown"
    if best:
        detail += f"; against the last of those: {_shortfall(ranked, at, best[-1])}"
    return [*stages, ExplainedStage("ranking", False, detail)]


def _candidate(found: Iterable[CandidateReason]) -> ExplainedStage:
    channels = ", ".join(f"{each.channel} at {each.rank}" for each in found)
    return ExplainedStage("candidates", True, f"found by {channels}")


def _given_way(ranked: Ranked, parts: Sequence[Ranked]) -> ExplainedStage:
    """Say what pushed out a memory that its part of the question would have shown."""
    if len(parts) > 1:
        text = ranked.pool.query.text
        return ExplainedStage(
            "fusion", False, f"shown for {text!r:.60} alone, but other parts of the question brought better"
        )
    return ExplainedStage("contradiction", False, "the other side of a contradiction stands in its place")


def _gone(connection: sqlite3.Connection, rid: MemoryId) -> str:
    return "it was forgotten" if is_forgotten(connection, rid) else "no memory here has this id"


def _nothing_shared(parts: Iterable[Ranked]) -> str:
    terms = list(dict.fromkeys(term for ranked in parts for term in _asked(ranked.pool.query)))
    return (
        f"among the best for {', '.join(terms)} it is not"
        if terms
        else "the query holds no word to search for"
    )


def _asked(query: Query) -> Iterable[str]:
    return query.terms or symbols(query.text)


def _shortfall(ranked: Ranked, at: int, other: int) -> str:
    lacking: Sequence[tuple[str, float]] = sorted(
        ((name, float(column[other] - column[at])) for name, column in ranked.scored.contributions.items()),
        key=lambda item: -item[1],
    )
    return ", ".join(f"{name} -{gap:.2f}" for name, gap in lacking[:SHORTFALLS_MAX] if gap > 0) or "a tie"
