"""Run cognition beside a replica: embed what was written or merged, and answer recalls.

What is new is embedded in the background (`cognition.background.worker`), and read by a reranker where there is one.
Recall works from the first moment: memories whose vectors are not ready are found by their words.
"""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from cognition.background import queue
from cognition.background.naming import read_all_names, read_names
from cognition.background.worker import EmbeddingWorker
from cognition.decay import PROFILE_DEFAULT, PROFILES, DecayProfile
from cognition.embedding.embedder import Embedder, Vectors
from cognition.embedding.index import VectorIndex
from cognition.embedding.lexicon import WordVectors
from cognition.embedding.static import StaticEmbedder
from cognition.embedding.universal import UniversalEmbedder
from cognition.errors import ModelUnavailable
from cognition.filters import Filters
from cognition.ingest.local import LocalTables
from cognition.ingest.worker import Ingest
from cognition.models.chat import ChatModel
from cognition.near_graph.keeper import GraphKeeper
from cognition.ranking.compound import split
from cognition.ranking.events import event_in
from cognition.ranking.query import Query
from cognition.ranking.vocabulary import Tables, with_own
from cognition.recall.explain import ExplainedStage, why_not
from cognition.recall.feedback import ranking_weights
from cognition.recall.marking import with_both_sides, with_replaced
from cognition.recall.relating import related, vector_of
from cognition.recall.spelling import corrected
from cognition.recall.stages import (
    K_DEFAULT,
    Hits,
    Ranked,
    ReadQuery,
    assemble,
    find_anchor,
    fuse_hits,
    of_events,
    own_words_first,
    pool_size,
    rank,
    wished,
)
from cognition.recall.tracing import TraceStage as Traced
from cognition.recall.tracing import trace
from cognition.reranking.mixing import with_readings
from cognition.reranking.readings import enter_model
from cognition.reranking.reranker import Reranker
from cognition.reranking.worker import RerankerWorker
from cognition.search.passes import KeptRows
from cognition.search.postings import Postings
from cognition.talk.queue import requeue_talk
from cognition.thinking.cycle import CYCLE_S, Cycle, Deadline, Round, think
from cognition.thinking.waiting import waiting
from cognition.triggers.kinds import Thresholds
from cognition.wordings.embedding import WordingEmbedder
from cognition.wordings.index import WordingIndex
from cognition.wordings.tables import other_space
from cognition.words import QUERY_CHARACTERS_MAX, terms
from replica import Core, MemoryId, Replica, ReplicaError
from replica.supervision import Supervisor, Trouble

if TYPE_CHECKING:
    from cognition.judging.comparing import Comparing, Reviewed
    from cognition.judging.model_judge import ModelJudge
    from cognition.judging.nominating import Nominated
    from cognition.talk.reader import TalkReader
    from cognition.wordings.reworder import Reworder

Result = TypeVar("Result")
# Who closes waits so long for what was told a moment ago to be read; the rest is read when the store is opened again.
CLOSING_S: Final = 0.5
# A model that was not loaded by then is not waited for by a cycle of thinking.
LOADED_WITHIN_S: Final = 30
Then = Callable[[sqlite3.Connection, Sequence[Ranked]], Result]


class Cognition:
    """Cognition over one replica; made by `open_mind`."""

    def __init__(
        self,
        replica: Replica,
        ingest: Ingest,
        embedder: Embedder,
        reranker: Reranker | None,
        *,
        space: int,
        index: str,
        graph: Path | None,
        has_triples: bool,
        thresholds: Thresholds,
        profile: DecayProfile,
        tables: Tables,
        zone: tzinfo,
    ) -> None:
        """`space`: the number of the embedder's space. `index`, `graph`: see `open_mind`.

        `has_triples`: this store keeps relations as text (`cognition.entities`).
        """
        self._replica = replica
        self.ingest = ingest
        self.reranking = RerankerWorker(replica, reranker)
        self.embedding = EmbeddingWorker(replica, embedder, space)
        self.graph = GraphKeeper(replica, self.embedding, path=graph, choice=index)
        self._lexicon = self.new_lexicon()  # the reading thread's own
        self._postings = Postings()  # and this
        self._kept = KeptRows()  # and these
        self._under_way = 0  # recalls that are being answered
        self._has_triples = has_triples
        self.profile = profile
        """How memories fade on this device."""
        self.tables = tables
        """The words that stand for one another on this device."""
        self.zone = zone
        """By whose clock questions mean a day."""
        self.talk: TalkReader | None = None  # where a model is configured
        self.rewording: Reworder | None = None  # and is local
        self.judging: ModelJudge | None = None  # where it is to compare memories, too
        self.wordings = WordingEmbedder(replica, self.embedding.embed, space)
        self.model: ChatModel | None = None
        self._thresholds = thresholds
        self._thinking = trio.Lock()  # two cycles at once would raise the same things twice
        self.last_cycle: Cycle | None = None
        """What thinking last came to, since this mind was opened."""
        self.troubles: dict[str, Trouble] = {}
        """What failed of what goes on in the background, by its name."""

    async def have_read(self, model: ChatModel, *, newer: bool, comparisons: int) -> None:
        """Have a model read talk, and word memories anew where nothing leaves this machine for that.

        Of so many memories a day as `comparisons` it says whether older ones contradict or repeat them.
        """
        from cognition.talk.reader import TalkReader  # here: few have a model read for them
        from cognition.wordings.reworder import Reworder

        device = await self._replica.run(lambda core, _: core.device)
        self.model = model
        self.talk = TalkReader(self._replica, device, model, newer=newer)
        if not model.remote:
            self.rewording = Reworder(self._replica, model, self.embedding.embed, self.embedding.space)
        if comparisons:
            from cognition.judging.model_judge import ModelJudge

            self.judging = ModelJudge(
                self._replica, model, self._comparing, self.embedding, daily_max=comparisons
            )

    # What compares, and what thinks, load most of what reads texts: whoever asks a question needs neither.

    @cached_property
    def _comparing(self) -> "Comparing":
        from cognition.judging.comparing import Comparing

        return Comparing(self._replica, self.embedding)

    @cached_property
    def _round(self) -> Round:
        from cognition.steps import steps

        return Round(steps(self._thresholds))

    @cached_property
    def _wordings(self) -> WordingIndex:
        """The reading thread's own."""
        return WordingIndex(self.embedding.space)

    @property
    def trouble(self) -> ModelUnavailable | ReplicaError | None:
        """Why nothing is embedded at present, if that is so."""
        return self.embedding.trouble

    async def recall(
        self,
        query: str,
        *,
        k: int = K_DEFAULT,
        filters: Filters = Filters(),
        graph: bool = True,
        traces: list[list[Traced]] | None = None,
        now_ms: int | None = None,
    ) -> Hits:
        """Return up to `k` memories for a query, the best first, each with its reasons.

        What waits to be embedded is embedded first, where that takes a moment; else the hits tell how many wait.
        `now_ms` is the moment of which the question speaks, if it is not this one. Into `traces` goes what the stages
        did, a list for each question that the query holds.
        """
        self._under_way += 1
        try:
            return await self._recall(query, k, filters, graph, traces, now_ms)
        finally:
            self._under_way -= 1

    async def _recall(
        self,
        query: str,
        k: int,
        filters: Filters,
        graph: bool,
        traces: list[list[Traced]] | None,
        now_ms: int | None,
    ) -> Hits:
        self.embedding.asked()
        self.graph.asked()
        await self.wordings.catch_up()
        unembedded = await self.embedding.catch_up()
        k = wished(k)
        texts = _parts(query, k)
        # Whoever asks alone spares two switches of threads; what loads a model never keeps others waiting.
        is_alone = self._under_way == 1 and self.embedding.ready
        made = {} if is_alone else await self._embedded(texts)
        rank_all = self._ranking(texts, made, k=k, filters=filters, graph=graph, now_ms=now_ms)

        def answer(connection: sqlite3.Connection, ranked: Sequence[Ranked]) -> Hits:
            return self.answer(connection, query, ranked, k=k, filters=filters, traces=traces)

        if self.reranking.reranker is None:
            # In one visit to the reading thread: going there and back costs more than embedding a question.
            hits = await self._replica.read(
                _at_one_moment(lambda connection: answer(connection, rank_all(connection)))
            )
            hits.unembedded = unembedded
            return hits
        ranked = await self._replica.read(_at_one_moment(rank_all))
        # A model that reads for a tenth of a second does so beside that thread, on which others wait.
        reread = await trio.to_thread.run_sync(self.reranking.reread, ranked)
        hits = await self._replica.read(_at_one_moment(lambda connection: answer(connection, reread)))
        await self.reranking.keep(reread)
        hits.unembedded = unembedded
        return hits

    @property
    def has_index(self) -> bool:
        """Whether the vectors were read, as the first recall does."""
        return self.embedding.index is not None

    @property
    def answers_at_once(self) -> bool:
        """Whether a recall waits for nothing but the store: all has followed what was told, and nobody else asks."""
        return (
            self._under_way == 0
            and self.reranking.reranker is None
            and self.embedding.is_caught_up
            and not (self.ingest.waits or self.wordings.waits or self.graph.is_due)
        )

    def recall_from_thread(
        self,
        query: str,
        *,
        k: int = K_DEFAULT,
        filters: Filters = Filters(),
        graph: bool = True,
        traces: list[list[Traced]] | None = None,
        now_ms: int | None = None,
    ) -> Hits:
        """Recall, for a thread that runs no trio, where it `answers_at_once`; for one thread at a time."""
        self.embedding.asked()
        k = wished(k)
        rank_all = self._ranking(_parts(query, k), {}, k=k, filters=filters, graph=graph, now_ms=now_ms)

        def answer(connection: sqlite3.Connection) -> Hits:
            ranked = rank_all(connection)
            return self.answer(connection, query, ranked, k=k, filters=filters, traces=traces)

        return self._replica.read_from_thread(_at_one_moment(answer))

    def _ranking(
        self,
        texts: Sequence[str],
        made: Mapping[str, Vectors] | None,
        *,
        k: int,
        filters: Filters,
        graph: bool,
        now_ms: int | None,
    ) -> Callable[[sqlite3.Connection], list[Ranked]]:
        """Return what puts the candidates of every part of a question in order, whose vectors may be `made` already."""
        moment_ms = self._replica.now_ms() if now_ms is None else now_ms

        def rank_all(connection: sqlite3.Connection) -> list[Ranked]:
            return [
                self._ranked_now(
                    connection,
                    self.read_here(connection, text, self._postings, made),
                    k=k,
                    filters=filters,
                    now_ms=moment_ms,
                    graph=graph,
                )
                for text in texts
            ]

        return rank_all

    def new_lexicon(self) -> WordVectors | None:
        """Return word vectors for a thread to have to itself.

        Only an embedder that looks words up is quick enough to be asked for thousands; beside a costly one, another.
        """
        looks_up = _looking_up(self.embedding.embedder)
        return WordVectors(looks_up) if isinstance(looks_up, StaticEmbedder) else None

    def answer(
        self,
        connection: sqlite3.Connection,
        asked: str,
        parts: Sequence[Ranked],
        *,
        k: int,
        filters: Filters,
        traces: list[list[Traced]] | None = None,
    ) -> Hits:
        """Assemble the hits of every part of a question, and fuse them; on the thread of the connection."""
        found = [assemble(connection, ranked, k, filters) for ranked in parts]
        if traces is not None:
            traces += [trace(ranked, hits) for ranked, hits in zip(parts, found, strict=True)]
        hits = found[0] if len(found) == 1 else fuse_hits(found, k)
        hits = own_words_first(connection, asked, hits, filters, k)
        of_past = any(ranked.of_past for ranked in parts)
        shown = with_replaced(connection, with_both_sides(connection, hits, filters, k), of_past=of_past)
        return Hits(shown, anchors=[ranked.anchor for ranked in parts if ranked.anchor is not None])

    async def _embedded(self, texts: Sequence[str]) -> Mapping[str, Vectors] | None:
        """Return the vectors of questions as they were typed, where embedding takes long; None where no model answers.

        Made beside the reading thread, on which others wait, and before it is visited: nearly all are typed as they
        are meant.
        """
        named = [] if self.embeds_quickly else [event.words for text in texts if (event := event_in(text))]
        asking = [] if self.embeds_quickly else [text for text in (*texts, *named) if terms(text)]
        if not asking:
            return {}

        def embed() -> dict[str, Vectors]:
            # Each by itself: the last bits of a vector would follow from what it is embedded beside.
            return {text: self.embedding.embed_here([text])[0] for text in asking}

        try:
            return await trio.to_thread.run_sync(embed)
        except ModelUnavailable as error:
            self.embedding.trouble = error
            return None

    def asked(self, connection: sqlite3.Connection, text: str, postings: Postings) -> Query:
        """Return a question with its slips put right by what is held there."""
        return Query(corrected(connection, text, self.tables, self._lexicon, postings), self.tables)

    def read_here(
        self,
        connection: sqlite3.Connection,
        text: str,
        postings: Postings,
        made: Mapping[str, Vectors] | None = MappingProxyType({}),
    ) -> ReadQuery:
        """Read a question on the thread of the connection, and embed it there unless its vector was `made` already.

        The event by which it names a time is embedded by itself.
        """
        asked = self.asked(connection, text, postings)
        event = None if asked.event is None else Query(asked.event.words, asked.tables)
        return ReadQuery(
            asked,
            self._vector_of(asked, made),
            event,
            None if event is None else self._vector_of(event, made),
        )

    def _vector_of(self, asked: Query, made: Mapping[str, Vectors] | None) -> Vectors | None:
        """Return the vector of a question; None where nothing of it is worth asking for, or no model answers."""
        if not asked.terms or made is None:
            return None
        wanted = self._to_embed(asked)
        if wanted in made:
            return made[wanted]
        try:
            vector: Vectors = self.embedding.embed_here([wanted])[0]
        except ModelUnavailable as error:
            self.embedding.trouble = error
            return None
        return vector

    def _to_embed(self, asked: Query) -> str:
        """Return what is embedded of a question: all of it by a model that reads sentences, as it learned to.

        Of an embedder that adds words up, the telling ones: the others only blur their direction.
        """
        return asked.keywords if self.embeds_quickly else asked.text

    async def why_not(
        self, rid: MemoryId, query: str, *, k: int = K_DEFAULT, filters: Filters = Filters()
    ) -> list[ExplainedStage]:
        """Return the stages that a memory goes through for a query, up to the one that drops it."""
        k = wished(k)

        def explain(connection: sqlite3.Connection, ranked: Sequence[Ranked]) -> list[ExplainedStage]:
            hits = self.answer(connection, query, ranked, k=k, filters=filters)
            return why_not(connection, rid, ranked, hits, filters=filters, k=k)

        return await self._ranked(split(query[:QUERY_CHARACTERS_MAX]).parts, k, filters, explain)

    async def found_by(self, rid: MemoryId, query: str) -> dict[str, float]:
        """Return what each signal gives a memory for a query; nothing where no search brings it."""

        def ask(connection: sqlite3.Connection, parts: Sequence[Ranked]) -> dict[str, float]:
            (ranked,) = parts
            at = next((i for i, row in enumerate(ranked.pool.rows) if row.rid == rid), None)
            columns = ranked.scored.contributions.items()
            return {} if at is None else {name: float(column[at]) for name, column in columns}

        everything = Filters(include_archived=True)
        return await self._ranked([query[:QUERY_CHARACTERS_MAX]], K_DEFAULT, everything, ask)

    async def _ranked(self, texts: Sequence[str], k: int, filters: Filters, then: Then[Result]) -> Result:
        """Put the candidates of every part of a question in order, and return what is to be said of them."""
        made = await self._embedded(texts)
        now_ms = self._replica.now_ms()
        ranked = await self._replica.read(
            lambda connection: [
                self._ranked_now(
                    connection,
                    self.read_here(connection, text, self._postings, made),
                    k=k,
                    filters=filters,
                    now_ms=now_ms,
                )
                for text in texts
            ]
        )
        reread = await trio.to_thread.run_sync(self.reranking.reread, ranked)
        return await self._replica.read(lambda connection: then(connection, reread))

    def _ranked_now(
        self,
        connection: sqlite3.Connection,
        part: ReadQuery,
        *,
        k: int,
        filters: Filters,
        now_ms: int,
        graph: bool = True,
    ) -> Ranked:
        """Put the candidates of a question in order, by what the reading thread has to itself."""
        own = (self.embedding.loaded, self._lexicon, self._postings)
        return self.ranked(
            connection,
            part,
            *own,
            k=k,
            filters=filters,
            now_ms=now_ms,
            graph=graph,
            kept=self._kept,
            wordings=self._wordings,
        )

    def ranked(
        self,
        connection: sqlite3.Connection,
        part: ReadQuery,
        index_of: Callable[[sqlite3.Connection], VectorIndex],
        lexicon: WordVectors | None,
        postings: Postings,
        *,
        k: int,
        filters: Filters,
        now_ms: int,
        graph: bool = True,
        kept: KeptRows | None = None,
        wordings: WordingIndex | None = None,
    ) -> Ranked:
        """Put the candidates of a question in order; on the thread of the connection."""
        asked, vector, event, event_vector = part
        rank_with = partial(
            rank,
            connection,
            index=None if vector is None else index_of(connection),
            now_ms=now_ms,
            limit=pool_size(asked, k),
            weights=ranking_weights(connection),
            graph=graph,
            triples=self._has_triples,
            profile=self.profile,
            zone=self.zone,
            postings=postings,
            kept=kept,
            wordings=wordings,
        )

        def ranked_with(lexicon: WordVectors | None) -> Ranked:
            anchor = None
            if event is not None and asked.event is not None:
                found = rank_with(event, vector=event_vector, lexicon=lexicon, filters=of_events(filters))
                anchor = find_anchor(found, asked.event)
            return rank_with(asked, vector=vector, lexicon=lexicon, filters=filters, anchor=anchor)

        try:
            ranked = ranked_with(None if vector is None else lexicon)
        except ModelUnavailable as error:  # the vectors of words; those of texts were had
            self.embedding.trouble = error
            ranked = ranked_with(None)
        reranker = self.reranking.reranker
        return ranked if reranker is None else with_readings(connection, ranked, reranker)

    @property
    def embeds_quickly(self) -> bool:
        """Whether all texts of a store can be embedded while somebody waits."""
        return not self.embedding.embedder.costly

    @property
    def now_ms(self) -> int:
        """The time by which this device stamps."""
        return self._replica.now_ms()

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` on a reading thread."""
        return await self._replica.read(function)

    async def related(self, rid: MemoryId) -> list[tuple[MemoryId, float]]:
        """Return the memories most alike to one in meaning, where they are alike enough, with their cosines."""
        space = self.embedding.space

        def read(connection: sqlite3.Connection) -> list[tuple[MemoryId, float]]:
            vector = vector_of(connection, rid, space)
            return (
                [] if vector is None else related(connection, self.embedding.loaded(connection), rid, vector)
            )

        return await self._replica.read(read)

    async def nominate(self, rid: MemoryId) -> "list[Nominated]":
        """Return the older memories that one which was just told is to be compared with."""
        return await self._comparing.nominate(rid)

    async def unjudged(self, workspace: str | None = None) -> "Reviewed":
        """Return the pairs of memories that somebody should judge."""
        return await self._comparing.unjudged(workspace)

    async def read_entities(self) -> None:
        """Read what every text that came since names and states."""
        await read_all_names(self._replica)

    async def think(self, *, reads_brought: bool = False, seconds: float = CYCLE_S) -> Cycle:
        """Run one cycle of thinking, for about so many seconds; another one is waited for.

        It goes on where the last one stopped, and says whether there is more. What is embedded and compared comes
        first, and `reads_brought` what was brought in and not read yet; where that takes all of the time, no step
        begins. What cannot be embedded now is left to a later cycle. Loading the model, once, is no part of that time.
        """
        async with self._thinking:
            await self._load_model()
            deadline = Deadline(seconds)
            cycle = Cycle({}, more=True, began_ms=self.now_ms, took_ms=0)
            if await self._is_ready_to_think(deadline, reads_brought=reads_brought):
                cycle = await think(self._replica, self._round, deadline)
            left = await self._left_to_think(reads_brought=reads_brought) if cycle.more else {}
            self.last_cycle = replace(cycle, took_ms=deadline.took_ms, left=left)
            return self.last_cycle

    async def _load_model(self) -> None:
        """Have the model loaded that a cycle needs: on a slow machine that takes longer than a cycle."""
        with trio.move_on_after(LOADED_WITHIN_S):
            await self.embedding.until_ready()

    async def _is_ready_to_think(self, deadline: Deadline, *, reads_brought: bool) -> bool:
        """Read, embed and compare what the steps build on, and say whether that was done in time."""
        if reads_brought:
            await self.ingest.read_brought(ends=lambda: deadline.is_past)
            if self.ingest.brought:
                return False
        try:
            if await self._replica.read(queue.has_pending):
                with trio.move_on_after(deadline.left_s) as settling:
                    await self.settle()
                if settling.cancelled_caught:
                    return False
        except (ModelUnavailable, ReplicaError):
            pass  # `trouble` tells why
        return not await self._comparing.notice(deadline)

    async def _left_to_think(self, *, reads_brought: bool) -> dict[str, int]:
        """Return how many memories wait, by what is to be done with them first."""
        left = {
            "read": self.ingest.brought if reads_brought else 0,
            "embed": 0 if self.trouble else (await self.embedding.state()).pending,
        }
        return {name: count for name, count in left.items() if count} | await self._replica.read(waiting)

    @property
    def is_thinking(self) -> bool:
        """Whether a cycle runs at this moment."""
        return self._thinking.locked()

    async def settle(self, told: Callable[[int], Awaitable[None]] | None = None) -> None:
        """Wait until everything has its vector or was given up: see `EmbeddingWorker.settle`."""
        await self.embedding.settle(told)

    async def requeue_talk(self, ids: Sequence[int] | None = None) -> int:
        """Have these stretches of talk read again by a model, or all that were given up; return how many that are."""
        count = await self._replica.run(lambda core, connection: requeue_talk(connection, ids))
        if self.talk is not None:
            self.talk.wake()
        return count

    async def try_models(self) -> None:
        """Load the models that are configured, and note what is wrong with them."""
        try:
            await self.embedding.embed(["warm"])
        except ModelUnavailable as error:
            self.embedding.trouble = error
        with suppress(ModelUnavailable):  # noted by the worker
            await self.reranking.warm()

    async def warm_up(self) -> None:
        """Load the model and the vectors now rather than at the first recall."""
        await self.embedding.embed(["warm"])
        await self.reranking.warm()
        await self._replica.read(lambda connection: len(self.embedding.loaded(connection)))


def _at_one_moment(read: Callable[[sqlite3.Connection], Result]) -> Callable[[sqlite3.Connection], Result]:
    """Return the same, reading all of the store as it is at one moment: what somebody writes meanwhile comes after it.

    To find that moment anew for each of some twenty statements would take a fiftieth of a recall.
    """

    def whole(connection: sqlite3.Connection) -> Result:
        if connection.in_transaction:  # of a disk that has no room for what is read
            return read(connection)
        connection.execute("BEGIN")
        try:
            return read(connection)
        finally:
            connection.rollback()

    return whole


def _parts(query: str, k: int) -> Sequence[str]:
    """Return the questions that one holds; none where nothing is wished for."""
    return split(query[:QUERY_CHARACTERS_MAX]).parts if k else []


def _looking_up(embedder: Embedder) -> Embedder:
    """Return what single words, and texts that are about to be stored, are compared by: an embedder that is quick."""
    return StaticEmbedder() if embedder.costly else embedder


@asynccontextmanager
async def open_mind(
    replica: Replica,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    model: ChatModel | None = None,
    thresholds: Thresholds = Thresholds(),
    profile: DecayProfile = PROFILES[PROFILE_DEFAULT],
    comparisons: int = 0,
    newer: bool = False,
    words: Mapping[str, Sequence[str]] | None = None,
    local: LocalTables | None = None,
    index: str = "auto",
    graph: Path | None = None,
    zone: tzinfo = UTC,
) -> AsyncIterator[Cognition]:
    """Run cognition over a replica that was opened with `derived=[CognitionTables()]`, until the block ends.

    Nothing is loaded here: not the embedder, and not the vectors, before something needs them. With a `model`, which
    wants `LocalTables` too, talk is read by it in the background, and so many memories a day as `comparisons` are
    compared with older ones; `newer` says that a later word stands without asking.
    `words`: see `cognition.ranking.vocabulary.with_own`; `local` are this replica's, where things are told here.
    `index`, one of `choosing.INDEXES`, and `graph`, the file in which a graph of near vectors may be kept.
    `zone`: by whose clock questions mean a day, as `cognition.own_zone.own_zone`.
    """
    chosen = UniversalEmbedder() if embedder is None else embedder
    name, now_ms = chosen.name, replica.now_ms()
    ingest = Ingest(replica, local, newer=newer)

    def enter(core: Core, connection: sqlite3.Connection) -> tuple[int, bool, bool]:
        if reranker is not None:
            enter_model(connection, reranker.name)
        return _enter(core, connection, ingest, name, now_ms)

    space, has_triples, has_unembedded = await replica.run(enter)
    mind = Cognition(
        replica,
        ingest,
        chosen,
        reranker,
        space=space,
        index=index,
        graph=graph,
        has_triples=has_triples,
        thresholds=thresholds,
        profile=profile,
        tables=with_own(words or {}),
        zone=zone,
    )
    if has_unembedded:
        mind.wordings.came()
    if model is not None:
        await mind.have_read(model, newer=newer, comparisons=comparisons)
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        tasks = Supervisor(nursery)
        mind.troubles = tasks.troubles
        _keep_going(tasks, mind, replica, has_triples)
        try:
            yield mind
            with trio.move_on_after(CLOSING_S):
                await ingest.catch_up()
                await mind.graph.erase()
        except Exception as error:
            # The caller's own: raised below, or the nursery would hand it back inside a group.
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


def _enter(
    core: Core, connection: sqlite3.Connection, ingest: Ingest, name: str, now_ms: int
) -> tuple[int, bool, bool]:
    """Return the number of an embedder's space, whether relations are kept as text, and whether wordings wait."""
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'triple_text'").fetchone()
    ingest.open(connection)
    ingest.backlog += core.store.lags  # on a full disk, what is to be read is noted later
    space = queue.enter_space(connection, name, now_ms=now_ms)
    return space, found is not None, bool(other_space(connection, space, 1))


def _keep_going(tasks: Supervisor, mind: Cognition, replica: Replica, has_triples: bool) -> None:
    """Start what goes on in the background."""
    if mind.talk is not None:
        tasks.keep("reading talk", mind.talk.work)
    if mind.rewording is not None:
        tasks.keep("finding other words", mind.rewording.work)
    if mind.judging is not None:
        tasks.keep("comparing memories", mind.judging.work)
    tasks.keep("embedding other words", mind.wordings.work)
    # Taken here: by the time the task runs, a commit may have moved it, and the worker have looked before that.
    tasks.keep("watching for memories to embed", mind.embedding.watch, replica.position)
    tasks.keep("embedding", mind.embedding.work)
    tasks.keep("watching for vectors that left", mind.graph.watch, replica.position)
    tasks.keep("naming near vectors", mind.graph.keep)
    tasks.keep("reading what was told", mind.ingest.work, replica.news)
    if has_triples:
        tasks.keep("reading names", read_names, replica, replica.position)
    if mind.reranking.reranker is not None:
        tasks.keep("reranking", mind.reranking.work, replica.position)
