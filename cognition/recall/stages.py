"""Find the memories that a query asks for, with the reasons for each, in five stages.

1. *Read* the query once: its telling words, whom it names, what kind of answer it wants. 2. *Candidates*:
one pass over the words (BM25), one over the vectors. 3. *Fuse* both lists by rank, since their scores have
no scale in common; the turns next to the best join them. 4. *Rank* the whole pool by the weighted signals
of `cognition.ranking.signals`, and a later change before what it changed (`cognition.recall.overtaking`); where there
is a reranker, it reads the best of them (`cognition.reranking`) before they are shown. 5. *Assemble* the best: tellings
of one group are shown once (`cognition.tellings`), by the newest of those that hold most of the question's own words;
and a memory that says exactly what was asked is the first.

A hit carries all of it: which channel found it at which rank, what the fusion gave it, and what each signal
gave.

Memories that stand under a summary are found like any others; between 2 and 3 their summary takes their place
(`cognition.consolidation.standing`).
"""

import math
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, tzinfo
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from cognition.consolidation.standing import Ranks, SummaryRanking, stand_in
from cognition.consolidation.summaries import Summary
from cognition.contradictions.selves import Selves
from cognition.contradictions.tables import selves_of
from cognition.decay import PROFILE_DEFAULT, PROFILES, DecayProfile
from cognition.embedding.embedder import Vectors
from cognition.embedding.index import VectorIndex
from cognition.errors import InvalidQuery
from cognition.filters import Filters
from cognition.memories import Shown, read_memories
from cognition.ranking import signals
from cognition.ranking.classes import classify
from cognition.ranking.confidence import CLAIMED, COSINE_UNKNOWN, Evidence, confidence
from cognition.ranking.events import EventPhrase
from cognition.ranking.pool import CandidateRow, Column, Pool, WordLikeness, are_unset
from cognition.ranking.query import Query
from cognition.ranking.scoring import damped, similarity_of
from cognition.ranking.signals.believed import of as believed
from cognition.ranking.signals.during import SIGNAL as DURING
from cognition.ranking.signals.during import of as during
from cognition.recall.known import Answer, Answers, Then, answers_of, asked_then, held_then, how_believed
from cognition.recall.overtaking import NAME as OVERTAKES
from cognition.recall.overtaking import overtaking
from cognition.search import passes
from cognition.search.postings import Postings
from cognition.tellings import NAMED_MAX, counted, groups_of, tellings_of, texts_of
from cognition.times import windows
from cognition.wordings.index import NOTHING, FoundByWording, WordingIndex, in_turns
from cognition.wordings.tables import wordings_at
from cognition.words import words
from replica import DeviceId, Memory, MemoryId, content_number
from replica.values import dataclass

if TYPE_CHECKING:
    from cognition.recall.anchoring import Anchor

K_DEFAULT: Final = 10
# Nobody reads more, and each costs a read: a larger wish is granted up to here.
K_MAX: Final = 10_000
# How many each pass brings, at least: 97 % of the evidence of a benchmark was among 150 of each and their
# neighbours.
POOL_MIN: Final = 120
POOL_PER_K: Final = 3
# How many come by words that stand for the query's own, or by the graph; these carry no score into the ranking.
BRIDGED: Final = 40
# And as many by the words of their wordings, and by the meaning of these.
REWORDED: Final = 40
# A question for a longer time than this is searched by its words and its meaning.
TIMED_DAYS_MAX: Final = 32
# Channels that look at a few memories only, for who said them or for a phrase in them.
NARROW: Final = frozenset({"claims", "phrases", "speaker", "times"})
NARROW_MAX: Final = 10
# The best by fusion, whose neighbours join the pool.
NEIGHBOURED: Final = 40
# From PM-27: damps the difference between the first ranks. Ranks count from 0.
RRF_K: Final = 60
RRF_FIRST_RANK: Final = 0
# Where a sum of signals is shown as one half, and how fast it nears 0 and 1; order does not depend on it.
SCORE_MIDDLE: Final = 10.0
SCORE_SPREAD: Final = 2.0

# How far behind its summary a source is ranked at least: too little for anybody else to come between by it.
SOURCE_BEHIND: Final = 1e-6

_CONTENT_PARAMETERS: Final = 500
# Lengths of lists whose ranks' worth is remembered: most questions bring as many as they may.
_LENGTHS_KEPT: Final = 16


class CandidateReason(NamedTuple):
    """One reason for a candidate.

    Which channel found it, at which rank (from 0), and with what score of its own.
    """

    channel: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A memory that was recalled, how well it fits (0 to 1), and why it is here.

    `composite` is what YantrikDB's score would be. `sources` are the members of what is a summary; `summary` is
    the one under which a memory stands. `contradiction` is the slot in which it says what another memory
    denies.
    """

    rid: MemoryId
    score: float
    found: tuple[CandidateReason, ...]
    fused: float
    signals: Mapping[str, float]
    memory: Memory
    device: DeviceId
    composite: float = 0.0
    sources: tuple[MemoryId, ...] = ()
    summary: MemoryId | None = None
    contradiction: bytes | None = None
    tellings: int = 1
    """How often it was told, in these words or others."""
    same: tuple[MemoryId, ...] = ()
    """The other tellings that it is shown for, the newest first."""
    confidence: float = 1.0
    """How likely it is to be about what was asked (`cognition.ranking.confidence`)."""
    incarnation: bytes = b""
    """In which incarnation of the device it was told."""
    claim: Answer | None = None
    """What it says of the very thing that was asked for, and whether that is believed now."""


class Hits(list[RankedMemory]):
    """What was recalled, the best first; `unembedded` memories could be found by their words alone.

    `anchors` are the events by which the question names a time.
    """

    def __init__(
        self, hits: Iterable[RankedMemory] = (), *, unembedded: int = 0, anchors: "Sequence[Anchor]" = ()
    ) -> None:
        super().__init__(hits)
        self.unembedded = unembedded
        self.anchors = tuple(anchors)


class ReadQuery(NamedTuple):
    """A question that was read, and its vector; and the same of the event by which it names a time, where it does."""

    query: Query
    vector: Vectors | None
    event: Query | None = None
    event_vector: Vectors | None = None


class Reread(NamedTuple):
    """What a reranker did: which model judged how many texts, read how many of them for it, in how long."""

    model: str
    judged: int
    read: int
    took_ms: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """The pool of a query in the order of its scores; `fused`, `lists` and `pool.rows` go by the same numbers.

    `weights` are those of the signals; `reread` tells what a reranker did, where there is one.
    """

    pool: Pool
    fused: Mapping[int, float]
    """What the fusion gave each candidate; a neighbour of one has no score of its own."""
    lists: Ranks
    """What each channel found, the best first: why a candidate is one is looked up only where somebody asks."""
    scored: signals.Scored
    order: Sequence[int]
    summaries: Mapping[int, Summary] = field(default_factory=dict)
    under: Mapping[int, int] = field(default_factory=dict)
    """The number of the summary that stands for a memory."""
    weights: Mapping[str, float] = field(default_factory=lambda: signals.WEIGHTS)
    readings: Mapping[int, bytes] = field(default_factory=dict)
    """What a reranker read of the best, by their ids, where there is one."""
    fresh: Mapping[tuple[int, str], bytes] = field(default_factory=dict)
    """What it read of them just now: of each id and its text."""
    reread: Reread | None = None
    known: Answers = field(default_factory=dict)
    """What memories say of the slot that was asked for."""
    groups: frozenset[int] = frozenset()
    """The groups of tellings among the rows, by the number that each of their rows has for its content."""
    of_past: bool = False
    """Whether a time in the past was asked for."""
    anchor: "Anchor | None" = None
    """The event by which a time was asked for, where one was found."""


def wished(k: int) -> int:
    """Return how many hits a wish is granted; `InvalidQuery` where nobody could mean it."""
    if k < 0:
        raise InvalidQuery(f"expected k of 0 or more, got {k}")
    return min(k, K_MAX)


def pool_size(query: Query, k: int) -> int:
    """Return how many candidates each search brings for a query and a wish."""
    return max(POOL_MIN, classify(query.text).pool, POOL_PER_K * k)


def rank(
    connection: sqlite3.Connection,
    query: Query,
    *,
    vector: Vectors | None,
    index: VectorIndex | None,
    now_ms: int,
    lexicon: WordLikeness | None,
    filters: Filters,
    limit: int,
    weights: Mapping[str, float] = signals.WEIGHTS,
    graph: bool = True,
    triples: bool = False,
    profile: DecayProfile = PROFILES[PROFILE_DEFAULT],
    postings: Postings | None = None,
    kept: passes.KeptRows | None = None,
    wordings: WordingIndex | None = None,
    anchor: "Anchor | None" = None,
    zone: tzinfo = UTC,
) -> Ranked:
    """Gather the candidates of a query, up to `limit` from each pass, and put all of them in order.

    `anchor`: the event by which the question names a time, where `find_anchor` found one. Days are those of `zone`.
    """
    then = asked_then(query.text, now_ms, zone)
    if then is not None:
        filters = replace(filters, outdated=True)
    candidates = passes.Candidates(connection, filters, postings, kept)
    lists = _searched(
        candidates, query, vector, index, now_ms, limit, anchor, graph=graph, triples=triples, zone=zone
    )
    reworded = _by_wordings(candidates, query, vector, wordings)
    if reworded is not NOTHING:
        lists["wordings"] = in_turns(reworded)
    known = answers_of(connection, query.asked, filters)
    if known:
        lists["claims"] = [(number, 0.0) for number in known][:NARROW_MAX]
    standing = stand_in(connection, query.text, lists, vector, filters)
    fused = fuse(standing.lists)
    rows = candidates.rows([number for number in fused if number not in standing.summaries])
    near = _beside_the_best(candidates, query, rows, _leads(standing.lists, fused))
    rows |= {row.id: row for row in near}
    told, groups = as_told(connection, rows)
    rows = told | standing.rows()
    if reworded is not NOTHING:
        rows |= _with_wordings(connection, rows)
    pool = replace(
        _pool(query, list(rows.values()), standing, vector, index, now_ms, lexicon, profile, reworded),
        believed=how_believed(known, then),
        then=frozenset() if then is None else held_then(connection, [row.id for row in rows.values()], then),
        selves=Selves() if query.asked is None else selves_of(connection),
        zone=zone,
    )
    scored = _scored(pool, weights, anchor, index, then)
    order = in_order(scored.scores, pool.rows, standing.under)
    found = {**standing.lists, "near": [(row.id, 0.0) for row in near]}
    return Ranked(
        pool,
        fused,
        found,
        scored,
        order,
        standing.summaries,
        standing.under,
        weights,
        groups=groups,
        known=known,
        of_past=then is not None,
        anchor=anchor,
    )


def _scored(
    pool: Pool,
    weights: Mapping[str, float],
    anchor: "Anchor | None",
    index: VectorIndex | None,
    then: Then | None,
) -> signals.Scored:
    """Return the scores by the signals, what an event prefers, and a later change before what it changed."""
    scored = signals.score(pool, weights)
    if anchor is not None:
        from cognition.recall.anchoring import NAME, preferred

        # As much as a date that is named, so that what fits far better stays ahead.
        given = weights.get(DURING.name, 0.0) * preferred(pool, anchor)
        scored = signals.Scored(scored.scores + given, {**scored.contributions, NAME: given})
    if index is not None and (ahead := overtaking(pool, scored.scores, index.vectors, then)) is not None:
        scored = signals.Scored(scored.scores + ahead, {**scored.contributions, OVERTAKES: ahead})
    return scored


def of_events(filters: Filters) -> Filters:
    """Return which memories may tell of the event by which a time is named: of any time, and of any kind."""
    return replace(filters, since_ms=None, until_ms=None, type=None, outdated=True)


def find_anchor(found: Ranked, event: EventPhrase) -> "Anchor | None":
    """Return the event that a question means, of what its words bring; None where no memory surely tells of it."""
    from cognition.recall.anchoring import anchor_among  # here: few questions name an event

    return anchor_among(found.pool, found.order, lambda: confidence(evidence(found.pool)), event)


def _by_wordings(
    candidates: passes.Candidates, query: Query, vector: Vectors | None, wordings: WordingIndex | None
) -> FoundByWording:
    """Return what other words for memories bring; `NOTHING` where none were ever given."""
    if wordings is None:
        return NOTHING
    found = wordings.find(candidates.connection, query.terms, vector, REWORDED)
    if found is NOTHING:
        return NOTHING
    permitted = candidates.permitted([(number, 0.0) for number in {**found.words, **found.cosines}])
    return found.among(number for number, _ in permitted)


def _with_wordings(
    connection: sqlite3.Connection, rows: Mapping[int, CandidateRow]
) -> dict[int, CandidateRow]:
    """Return those of the rows that have other words, with these among the words of their labels."""
    said = wordings_at(connection, rows)
    return {
        number: rows[number]._replace(about=f"{rows[number].about} {text}") for number, text in said.items()
    }


def _leads(lists: Ranks, fused: Mapping[int, float]) -> Mapping[int, float]:
    """Return the scores without the narrow channels: their few would crowd out neighbours of better ones."""
    if NARROW.isdisjoint(lists):
        return fused
    return fuse({name: each for name, each in lists.items() if name not in NARROW})


def _beside_the_best(
    candidates: passes.Candidates,
    query: Query,
    rows: Mapping[int, CandidateRow],
    leads: Mapping[int, float],
) -> list[CandidateRow]:
    """Return the turns next to the best candidates, less those for which a summary stands."""
    if are_unset([row.position for row in rows.values()]):
        return []  # as in a store without talk: nothing stands next to anything
    leading = sorted(rows, key=lambda number: (-leads.get(number, 0.0), number))[:NEIGHBOURED]
    near = passes.read_near(candidates, [rows[number] for number in leading], rows.values())
    filters = candidates.filters
    beside = stand_in(
        candidates.connection, query.text, {"near": [(row.id, 0.0) for row in near]}, None, filters
    )
    return [row for row in near if row.id not in beside.under or filters.include_archived]


def _searched(
    candidates: passes.Candidates,
    query: Query,
    vector: Vectors | None,
    index: VectorIndex | None,
    now_ms: int,
    limit: int,
    anchor: "Anchor | None",
    *,
    graph: bool,
    triples: bool,
    zone: tzinfo,
) -> dict[str, list[tuple[int, float]]]:
    """Return what each search brings, the best first, by its channel."""
    connection, filters = candidates.connection, candidates.filters
    has_meaning = vector is not None and bool(vector.any())
    if vector is not None and index is not None and has_meaning and not filters.narrow:
        index.multiply_beside(vector)  # while words are looked up
    found_by_words = passes.by_words(candidates, query.terms, limit)
    lists = {"words": found_by_words or passes.by_symbols(connection, query.text, filters, limit)}
    # Before the vectors, which another thread multiplies meanwhile; but behind them in the order of the sums.
    besides = _by_other_words(connection, query, filters, graph=graph, triples=triples)
    if vector is not None and index is not None and has_meaning:
        lists["vectors"] = passes.by_vector(candidates, vector, index, limit)
    lists |= besides
    # Longer than a month, a time says little about which memories are meant.
    named = windows(query.text, now_ms, zone)
    if anchor is not None and anchor.span is not None:
        named = (*named, anchor.span)
    if spans := [span for span in named if span.days <= TIMED_DAYS_MAX]:
        lists["times"] = passes.by_time(candidates, spans, vector, index, BRIDGED, zone)
    return lists


def _by_other_words(
    connection: sqlite3.Connection, query: Query, filters: Filters, *, graph: bool, triples: bool
) -> dict[str, list[tuple[int, float]]]:
    """Return what comes by words that stand for the query's own, and by whom and what it names, by channel."""
    lists = {}
    synonyms = query.synonyms
    if synonyms:
        lists["synonyms"] = passes.by_match(connection, synonyms, filters, BRIDGED)
    if graph:
        lists["graph"] = passes.by_graph(connection, query.entities, filters, BRIDGED)
    if query.phrases:
        lists["phrases"] = passes.by_match(connection, query.phrases, filters, NARROW_MAX)
    if query.of_speakers:
        lists["speaker"] = passes.by_match(connection, [query.of_speakers], filters, NARROW_MAX)
    if triples:
        lists["triples"] = passes.by_triples(connection, query.terms, filters, BRIDGED)
    return lists


def as_told(
    connection: sqlite3.Connection, rows: Mapping[int, CandidateRow]
) -> tuple[dict[int, CandidateRow], frozenset[int]]:
    """Return candidates with one number for those that are shown as one and how often each was told; and the groups.

    A group of tellings goes by its own.
    """
    groups = groups_of(connection, rows)
    if not groups:
        return dict(rows), frozenset()
    often = counted(connection, set(groups.values()))
    told = dict(rows)
    for number, group in groups.items():
        row = rows[number]
        mentions = row.mentions if type(row.mentions) is int else 0
        told[number] = row._replace(content=group, mentions=max(mentions, often[group]))
    return told, frozenset(often)


def in_order(scores: Column, rows: Sequence[CandidateRow], under: Mapping[int, int]) -> list[int]:
    """Return the rows from the best to the last; where a memory is above its summary, its score is lowered for that."""
    if under:
        at = {row.id: i for i, row in enumerate(rows)}
        for number, summary in under.items():
            if number in at and summary in at:
                scores[at[number]] = min(scores[at[number]], scores[at[summary]] - SOURCE_BEHIND)
    falling = -scores
    order = falling.argsort()
    ordered = falling[order]
    if (ordered[1:] > ordered[:-1]).all():
        best_first: list[int] = order.tolist()
        return best_first
    # Only where some score alike do ids decide.
    return [
        i
        for _, _, i in sorted(zip(falling.tolist(), (row.rid for row in rows), range(len(rows)), strict=True))
    ]


def best_of(ranked: Ranked, count: int) -> list[int]:
    """Return the first rows of a pool, one for each class of duplicates."""
    best: dict[int, int] = {}
    for i in ranked.order:
        if len(best) == count:
            break
        best.setdefault(ranked.pool.rows[i].content, i)
    return list(best.values())


def fuse(lists: Ranks) -> dict[int, float]:
    """Fuse ranked lists by reciprocal rank; the scores inside a list do not count."""
    fused: dict[int, float] = {}
    worth = _worth(max(map(len, lists.values()), default=0))
    for ranked in lists.values():
        for (number, _), each in zip(ranked, worth, strict=False):
            fused[number] = fused.get(number, 0.0) + each
    return fused


def found_in(lists: Ranks, numbers: Collection[int]) -> dict[int, list[CandidateReason]]:
    """Return which channels found each of these candidates."""
    found: dict[int, list[CandidateReason]] = {number: [] for number in numbers}
    for channel, ranked in lists.items():
        for place, (number, score) in enumerate(ranked):
            if number in found:
                found[number].append(CandidateReason(channel, place, score))
    return found


@lru_cache(_LENGTHS_KEPT)
def _worth(count: int) -> tuple[float, ...]:
    """Return what each of the first ranks is worth."""
    return tuple(map(reciprocal, range(RRF_FIRST_RANK, RRF_FIRST_RANK + count)))


def reciprocal(rank: int) -> float:
    """Return what a rank, counted from 0, is worth: reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""
    return 1 / (RRF_K + rank)


def fuse_hits(parts: Sequence[Sequence[RankedMemory]], k: int) -> list[RankedMemory]:
    """Fuse what the parts of a compound question brought, by rank; a score of 1 is first in every part."""
    best: dict[MemoryId, RankedMemory] = {}
    total: dict[MemoryId, float] = {}
    for hits in parts:
        for place, hit in enumerate(hits):
            shown = min((hit.rid, *hit.same))  # each part may show another telling of a group
            best.setdefault(shown, hit)
            total[shown] = total.get(shown, 0.0) + reciprocal(place + RRF_FIRST_RANK)
    highest = len(parts) * reciprocal(RRF_FIRST_RANK)
    order = sorted(best, key=lambda rid: (-total[rid], rid))[:k]
    return [replace(best[rid], score=total[rid] / highest) for rid in order]


def shown_score(total: float) -> float:
    """Return a sum of signals as a number from 0 to 1."""
    return 1 / (1 + math.exp((SCORE_MIDDLE - total) / SCORE_SPREAD))


def _pool(
    query: Query,
    rows: Sequence[CandidateRow],
    standing: SummaryRanking,
    vector: Vectors | None,
    index: VectorIndex | None,
    now_ms: int,
    lexicon: WordLikeness | None,
    profile: DecayProfile,
    reworded: FoundByWording,
) -> Pool:
    lists = standing.lists
    numbers = [row.id for row in rows]
    by_words = dict(lists["words"])
    # As good as the best of what it says and of other words for that.
    by_words |= {number: max(score, by_words.get(number, 0.0)) for number, score in reworded.words.items()}
    cosines = dict(lists.get("vectors", ()))
    middle, spread = 0.0, 1.0
    if "vectors" in lists:
        assert vector is not None
        assert index is not None
        middle, spread = index.spread(vector)
        cosines |= index.cosines(vector, [number for number in numbers if number not in cosines])
        cosines.update(standing.meaning)
    cosines |= {
        number: max(cosine, cosines.get(number, cosine))
        for number, cosine in reworded.as_of_memories(middle, spread).items()
    }
    highest = max(by_words.values(), default=0.0) or 1.0
    held = np.array([*map(by_words.get, numbers, repeat(0.0))], np.float64) / highest
    cosine = np.array([*map(cosines.get, numbers, repeat(math.nan))], np.float64)
    alike = similarity_of(np.where(np.isnan(cosine), 0.0, cosine))
    standings = (np.where(np.isnan(cosine), middle, cosine) - middle) / spread
    certainties = [row.certainty for row in rows]
    if not are_unset(certainties):
        sure = np.array([1.0 if each is None else each for each in certainties], np.float64)
        held, alike, standings = damped(held, sure), damped(alike, sure), _damped(standings, sure)
    return Pool(
        query=query,
        rows=rows,
        words=held,
        meaning=alike,
        standings=standings,
        now_ms=now_ms,
        lexicon=lexicon,
        connected=frozenset(number for number, _ in lists.get("graph", ())),
        profile=profile,
    )


def evidence(pool: Pool) -> Evidence:
    """Return what speaks for each candidate being about what was asked."""
    unknown = pool.standing == 0.0  # no vector of it, or of the question, was looked at
    slotless = pool.none
    if pool.query.asked is not None:
        slotless = 1 - believed(pool)
        slotless[pool.telling] = 0.0
    return Evidence(
        cosine=np.where(unknown, COSINE_UNKNOWN, pool.meaning),
        grams=pool.grams,
        time=during(pool),
        named_only=pool.named_only,
        slotless=slotless,
        slot=np.full(len(pool), float(pool.query.asked is not None)),
        standing=pool.standing,
        unmet=np.full(len(pool), float(pool.rarity @ (1 - pool.met.max(axis=0, initial=0.0)))),
    )


def _damped(standings: Column, sure: Column) -> Column:
    """Return how far cosines stand above the middle, less where the source was doubtful; what is below stays there."""
    column: Column = np.where(standings > 0, damped(standings, sure), standings)
    return column


def assemble(connection: sqlite3.Connection, ranked: Ranked, k: int, filters: Filters) -> list[RankedMemory]:
    """Return the `k` best of a pool as they are shown, the best first."""
    rows = ranked.pool.rows
    best = {rows[i].content: i for i in best_of(ranked, k)}
    memories = {content: i for content, i in best.items() if rows[i].id not in ranked.summaries}
    tellings = _tellings(connection, ranked, memories, filters)
    wanted = {key: tellings[key].number if key in tellings else rows[i].id for key, i in memories.items()}
    by_number = {it.id: it for it in read_memories(connection, wanted.values())}
    shown = {key: by_number[number] for key, number in wanted.items() if number in by_number}
    turns = [key for key, i in memories.items() if key not in tellings and rows[i].position is not None]
    shown.update(_canonical(connection, turns, filters))
    found = found_in(ranked.lists, [rows[i].id for i in best.values()])
    sure = confidence(evidence(ranked.pool))
    # Read as what was asked for, and believed: that is as sure as the reading of it.
    sure = np.maximum(sure, CLAIMED * believed(ranked.pool))
    # Most signals of most questions say nothing of anybody.
    of_signals = {
        name: column for name, column in ranked.scored.contributions.items() if column is not ranked.pool.none
    }
    given_to = np.array([*of_signals.values()]).reshape(len(of_signals), len(rows))[:, [*best.values()]]
    columns = given_to.T.tolist()
    hits = []
    for (content, i), given in zip(best.items(), columns, strict=True):
        it = ranked.summaries.get(rows[i].id) or shown.get(content)
        if it is not None:
            number = rows[i].id
            score = shown_score(float(ranked.scored.scores[i]))
            sources = tuple(each.rid for each in it.members) if isinstance(it, Summary) else ()
            above = ranked.summaries.get(ranked.under.get(number, 0))
            hits.append(
                RankedMemory(
                    it.rid,
                    score,
                    tuple(found[number]),
                    ranked.fused.get(number, 0.0),
                    {name: each for name, each in zip(of_signals, given, strict=True) if each},
                    it.memory,
                    it.device,
                    float(ranked.pool.worth.composite[i]),
                    sources,
                    None if above is None else above.rid,
                    confidence=float(sure[i]),
                    incarnation=it.incarnation,
                    claim=ranked.known.get(number),
                    tellings=tellings[content].often if content in tellings else 1,
                    same=tuple(rid for rid in tellings[content].rids if rid != it.rid)
                    if content in tellings
                    else (),
                )
            )
    return hits


class _Told(NamedTuple):
    """A group that is shown: the row of the telling that stands for it, how many there are, and which."""

    number: int
    often: int
    rids: tuple[MemoryId, ...]


def _tellings(
    connection: sqlite3.Connection, ranked: Ranked, best: Mapping[int, int], filters: Filters
) -> dict[int, _Told]:
    """Return for each group among the best the telling that stands for it: the newest that says most of what is asked.

    So nothing stands in for a telling that holds a word, a number or a name of the question which it does not hold.
    """
    groups = [key for key in best if key in ranked.groups]
    if not groups:
        return {}
    asked = set(ranked.pool.query.terms)
    often = counted(connection, groups)
    found = {}
    for group, wordings in texts_of(connection, groups, *filters.sql()).items():
        number, _ = max(wordings, key=lambda wording: len(asked.intersection(words(wording[1]))))
        rids = tuple(each.rid for each in tellings_of(connection, group))
        found[group] = _Told(number, often[group], rids[:NAMED_MAX])
    return found


def own_words_first(
    connection: sqlite3.Connection, asked: str, hits: Sequence[RankedMemory], filters: Filters, k: int
) -> list[RankedMemory]:
    """Return the hits, at most `k`, with the memory first that says exactly what was asked, if one does.

    Whatever else is known, also that it holds no more: who asks in these words asks for it.
    """
    if not k or (hits and hits[0].memory.text == asked):
        return list(hits)
    condition, values = replace(filters, outdated=True).sql()
    content = content_number(asked)
    row = connection.execute(
        f"""SELECT m.id FROM shown_memory m WHERE m.content = ? AND {condition}
            ORDER BY m.text = ? DESC, m.created DESC, m.rid DESC LIMIT 1""",
        (content, *values, asked),
    ).fetchone()
    if row is None:
        return list(hits)
    (it,) = read_memories(connection, row)
    group = groups_of(connection, [it.id]).get(it.id)
    tellings = () if group is None else tuple(each.rid for each in tellings_of(connection, group))
    shown = {it.rid, *tellings}
    place = next((i for i, hit in enumerate(hits) if hit.rid in shown), None)
    if place is None and it.memory.fields.get("position") is not None:  # of turns, one stands for its words
        place = next((i for i, hit in enumerate(hits) if hit.memory.text == it.memory.text), None)
    same = tuple(rid for rid in tellings[:NAMED_MAX] if rid != it.rid)
    rest = [hit for i, hit in enumerate(hits) if i != place]
    score = hits[0].score if hits else 1.0
    if place is None:
        first = RankedMemory(
            it.rid, score, (CandidateReason("exact", 0, 1.0),), 0.0, {}, it.memory, it.device
        )
    else:
        first = replace(hits[place], rid=it.rid, score=score, memory=it.memory, device=it.device)
    first = replace(first, incarnation=it.incarnation)
    often = 1 if group is None else counted(connection, [group])[group]
    return [replace(first, same=same, tellings=often), *rest][:k]


def _canonical(connection: sqlite3.Connection, contents: Iterable[int], filters: Filters) -> dict[int, Shown]:
    """Return, for each class of duplicates, the member with the smallest id that the filters let through."""
    wanted = list(contents)
    numbers: list[int] = []
    condition, values = filters.sql()
    for start in range(0, len(wanted), _CONTENT_PARAMETERS):
        chunk = wanted[start : start + _CONTENT_PARAMETERS]
        numbers += [
            number
            for _, number, _ in connection.execute(
                f"""SELECT m.content, m.id, min(m.rid) FROM shown_memory m
                    WHERE m.content IN ({",".join("?" * len(chunk))}) AND {condition} GROUP BY m.content
                    HAVING count(*) > 1""",
                (*chunk, *values),
            )
        ]
    return {it.content: it for it in read_memories(connection, numbers)}
