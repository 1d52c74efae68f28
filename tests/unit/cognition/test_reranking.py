"""A reranker among the signals: what it reads, what it moves, and what happens without it."""

from pathlib import Path

import pytest
import trio

from cognition import Filters, Hit, ModelUnavailable
from cognition.mind import Mind
from cognition.ranking.query import Query
from cognition.ranking.signals import RERANKER, WEIGHTS
from cognition.recall import Ranked, assemble, pool_size, rank
from cognition.reranking.mixing import CANDIDATES, reread_by
from cognition.tracing import Stage, trace
from replica import Replica
from tests.support.minds import NOW_MS, open_memory, remember
from tests.support.models import OverlapReranker
from tests.support.recalling import Memory


def filled(count: int) -> Memory:
    memory = Memory()
    for n in range(count):
        memory.home.remember(f"walrus {'and walrus ' * (n % 7)}number {n}", speaker="Ann")
    memory.embed()
    return memory


def ranked(memory: Memory, question: str = "which walrus", weights: dict[str, float] | None = None) -> Ranked:
    query = Query(question)
    return rank(
        memory.home.connection,
        query,
        vector=None,
        index=None,
        lexicon=None,
        now_ms=NOW_MS,
        filters=Filters(),
        limit=pool_size(query, 10),
        weights=WEIGHTS if weights is None else weights,
    )


def test_pm_04_candidates_beyond_those_that_are_read_are_untouched() -> None:
    before, reranker = ranked(filled(60)), OverlapReranker()
    after = reread_by(reranker, before)
    (texts,) = reranker.read
    assert len(texts) == CANDIDATES == 24
    assert all(text.startswith("Ann: walrus") for text in texts), "who speaks is read too"
    beyond = before.order[CANDIDATES:]
    assert len(beyond) == 36
    assert after.scored.scores[beyond].tolist() == before.scored.scores[beyond].tolist()
    assert not after.scored.contributions[RERANKER][beyond].any()
    assert [i for i in after.order if i in set(beyond)] == beyond


def test_what_the_reranker_says_is_one_signal_that_is_weighed_and_added() -> None:
    before, reranker = ranked(filled(30)), OverlapReranker()
    after = reread_by(reranker, before)
    said = reranker.scores("which walrus", reranker.read[0])
    read = before.order[:CANDIDATES]
    given = after.scored.contributions[RERANKER]
    assert given[read].tolist() == pytest.approx((WEIGHTS[RERANKER] * said).tolist())
    assert (after.scored.scores - before.scored.scores).tolist() == pytest.approx(given.tolist())
    assert after.scored.scores[after.order].tolist() == sorted(after.scored.scores, reverse=True)
    assert not before.scored.contributions[RERANKER].any(), "the pool that was given stays as it was"


def test_a_reranker_without_weight_reads_nothing() -> None:
    before, reranker = ranked(filled(5), weights={**WEIGHTS, RERANKER: 0.0}), OverlapReranker()
    assert reread_by(reranker, before) is before
    assert reranker.read == []


def test_duplicates_are_read_once() -> None:
    memory = Memory()
    for _ in range(5):
        memory.home.remember("a walrus")
    memory.home.remember("another walrus")
    reranker = OverlapReranker()
    reread_by(reranker, ranked(memory))
    assert sorted(reranker.read[0]) == ["a walrus", "another walrus"]


def test_an_explanation_shows_what_the_reranker_gave_and_the_trace_how_long_it_took() -> None:
    """ML-73: latency reported."""
    memory = filled(30)
    after = reread_by(OverlapReranker(), ranked(memory))
    hits = assemble(memory.home.connection, after, 3, Filters())
    assert all(hit.signals[RERANKER] > 0 for hit in hits)
    told = {stage.name: stage.told for stage in trace(after, hits)}["rerank"]
    assert (told["scored"], told["model"], told["read"]) == (30, "overlap", 24)
    assert isinstance(took_ms := told["took_ms"], float)
    assert took_ms >= 0


async def two_dogs(replica: Replica, mind: Mind) -> None:
    await remember(replica, "the dog of the neighbours barks and the dog sleeps", "where the dog is kept")
    await mind.settle()


async def asked(mind: Mind, question: str) -> tuple[list[Hit], list[Stage]]:
    traces: list[list[Stage]] = []
    hits = await mind.recall(question, traces=traces)
    return hits, [stage for stages in traces for stage in stages if stage.name == "rerank"]


def test_a_mind_with_a_reranker_has_it_read_for_recall_why_not_and_feedback(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await two_dogs(replica, mind)
            question = "where is the dog kept"
            hits, (told,) = await asked(mind, question)
            assert told.told["model"] == "overlap"
            assert hits[0].memory.text == "where the dog is kept"
            given = await mind.found_by(hits[0].rid, question)
            assert given[RERANKER] == pytest.approx(hits[0].signals[RERANKER])
            stages = await mind.why_not(hits[1].rid, question, k=1)
            assert "reranker -" in stages[-1].detail, "the signal that it fell short in is named"

    trio.run(main)


def test_the_parts_of_a_compound_question_share_what_may_be_read(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await remember(replica, *(f"the dog number {n} and the cat number {n}" for n in range(60)))
            await mind.settle()
            await mind.recall("Where does the dog sleep and what does the cat eat?")
            assert len(reranker.read) > 1, "the question was split"
            assert {len(texts) for texts in reranker.read} == {CANDIDATES // len(reranker.read)}

    trio.run(main)


def test_without_its_model_recall_goes_on_by_the_signals_and_says_why(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await two_dogs(replica, mind)
            reranker.missing = ModelUnavailable("no weights here")
            hits, (told,) = await asked(mind, "where is the dog kept")
            assert len(hits) == 2
            assert dict(told.told) == {"scored": 2}
            assert mind.reranker_trouble is reranker.missing
            with pytest.raises(ModelUnavailable, match="no weights here"):
                await mind.warm_up()
            reranker.missing = None
            await mind.warm_up()
            await mind.try_models()
            assert (await asked(mind, "where is the dog kept"))[1][0].told["model"] == "overlap"
            assert await mind.recall("dog", k=0) == []

    trio.run(main)
