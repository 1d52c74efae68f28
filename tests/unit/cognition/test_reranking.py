"""A reranker among the signals: what it reads, what it moves, and what happens without it."""

from pathlib import Path

import numpy as np
import pytest
import trio

from cognition import Filters, ModelUnavailable, RankedMemory
from cognition.mind import Cognition
from cognition.ranking.query import Query
from cognition.ranking.signals import RERANKER, WEIGHTS
from cognition.recall.stages import Ranked, assemble, pool_size, rank
from cognition.recall.tracing import TraceStage, trace
from cognition.reranking.mixing import CANDIDATES, FRESH_MAX, raised, reread_by, with_readings
from cognition.reranking.readings import enter_model, keep, keep_fresh, readings_of, unread
from cognition.words import is_english
from replica import Forget, Replica, Set, Write
from tests.support.minds import NOW_MS, open_memory, remember
from tests.support.models import OverlapReranker
from tests.support.published import published
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


def read(memory: Memory, reranker: OverlapReranker) -> None:
    """Read all of a memory, as the background does."""
    while page := unread(memory.home.connection):
        keep(memory.home.connection, page, reranker.read([one.text for one in page]))


def judged(
    memory: Memory, reranker: OverlapReranker, question: str = "which walrus"
) -> tuple[Ranked, Ranked]:
    """The pool of a question before and after a reranker judged its best."""
    before = with_readings(memory.home.connection, ranked(memory, question), reranker)
    return before, reread_by(reranker, before)


@published("PM-04")
def test_candidates_beyond_those_that_are_judged_are_untouched() -> None:
    memory, reranker = filled(115), OverlapReranker()
    read(memory, reranker)
    before, after = judged(memory, reranker)
    (texts,) = reranker.judged
    assert len(texts) == CANDIDATES == 96
    assert all(text.startswith("Ann: walrus") for text in texts), "who speaks is read too"
    beyond = before.order[CANDIDATES:]
    assert len(beyond) == 19
    assert after.scored.scores[beyond].tolist() == before.scored.scores[beyond].tolist()
    assert not after.scored.contributions[RERANKER][beyond].any()
    assert [i for i in after.order if i in set(beyond)] == beyond


def test_what_the_reranker_says_is_one_signal_that_is_weighed_and_added() -> None:
    memory, reranker = filled(30), OverlapReranker()
    memory.home.remember("a walrus which is another")
    memory.embed()
    read(memory, reranker)
    before, after = judged(memory, reranker)
    texts = [reading.encode() for reading in (f">{text}" for text in reranker.judged[0])]
    said = reranker.scores("which walrus", texts)
    assert len(set(said.tolist())) == 2
    given = after.scored.contributions[RERANKER]
    assert given[before.order].tolist() == pytest.approx((WEIGHTS[RERANKER] * raised(said)).tolist())
    assert (after.scored.scores - before.scored.scores).tolist() == pytest.approx(given.tolist())
    assert after.scored.scores[after.order].tolist() == sorted(after.scored.scores, reverse=True)
    assert not before.scored.contributions[RERANKER].any(), "the pool that was given stays as it was"


def test_a_few_that_were_not_read_yet_are_read_for_the_recall_and_of_many_none() -> None:
    memory, reranker = filled(30), OverlapReranker()
    before, after = judged(memory, reranker)
    assert reranker.has_read == []
    assert after.reread is not None
    assert (after.reread.judged, after.reread.read, after.order) == (0, 0, before.order)
    reranker.judged.clear()
    memory.home.remember("which walrus")
    memory.embed()
    read(memory, reranker)
    for n in range(FRESH_MAX):
        memory.home.remember(f"walrus new {n}")
    memory.embed()
    reranker.has_read.clear()
    _, after = judged(memory, reranker)
    assert sum(map(len, reranker.has_read)) == FRESH_MAX
    assert after.reread is not None
    assert (after.reread.judged, after.reread.read) == (31 + FRESH_MAX, FRESH_MAX)
    keep_fresh(memory.home.connection, list(after.fresh.items()))
    memory.home.remember("walrus too many")
    assert [one.text for one in unread(memory.home.connection)] == ["walrus too many"]
    for n in range(FRESH_MAX):
        memory.home.remember(f"walrus too many {n}")
    _, after = judged(memory, reranker)
    assert after.reread is not None
    assert (after.reread.judged, after.reread.read) == (31 + FRESH_MAX, 0), "what was read is judged beside"


def test_a_turn_is_judged_by_itself_and_together_with_the_turn_before_it() -> None:
    memory, reranker = Memory(), OverlapReranker()
    for n, text in enumerate(("walrus one", "walrus two", "which walrus", "walrus four", "walrus five")):
        memory.home.remember(text, conversation="c", position=n)
    memory.home.remember("walrus of another", conversation="d", position=3)
    memory.embed()
    read(memory, reranker)
    _, after = judged(memory, reranker)
    given = after.scored.contributions[RERANKER]
    by_text = {row.text: float(given[i]) for i, row in enumerate(after.pool.rows)}
    said = {"walrus one": 0.5, "walrus two": 0.5, "which walrus": 1, "walrus four": 0.75, "walrus five": 0.5}
    said["walrus of another"] = 0.5
    expected = WEIGHTS[RERANKER] * raised(np.array(list(said.values())))
    assert by_text == pytest.approx(dict(zip(said, expected.tolist(), strict=True)))


def test_only_what_stands_above_the_middle_is_raised_and_little_differences_are_none() -> None:
    said = np.array([0.2, 0.3, 0.4, 0.5, 0.6])
    assert raised(said).tolist() == pytest.approx([0, 0, 0, 0.1 / said.std() / 4, 0.2 / said.std() / 4])
    assert raised(np.array([0.5, 0.5001])).max() < 0.001
    assert raised(np.array([0.5])).tolist() == [0]
    assert raised(np.array([0.0] * 95 + [1.0]))[-1] == 1


def test_a_question_in_a_language_that_the_model_does_not_know_is_left_to_the_signals() -> None:
    before, reranker = ranked(filled(5), "¿which walrus?"), OverlapReranker()
    assert reread_by(reranker, before) is before
    for text in (
        "Where does Ann live?",
        "Ann dog",
        "What did Oleg fix",
        "Who is José?",
        "Hey, where do I work? Thanks",
        "What’s José’s résumé?",
    ):
        assert is_english(text), text
    for text in (
        "¿Dónde vive Alice?",
        "Donde vive Alice",
        "Was kaufte Oleg?",
        "Wo wohne ich",
        "Где живёт Greta",
        "東京はどこ",
        "Où habite Alice ?",
        "Dove vive Alice?",
        "Onde mora Alice?",
        "Waar woont Alice?",
        "Gdzie mieszka Alicja?",
        "Ali nerede oturuyor?",
        "Di mana Alice tinggal?",
        "Hvor bor Alice?",
    ):
        assert not is_english(text), text


def test_readings_follow_the_words_of_a_memory_and_the_model() -> None:
    memory, reranker = Memory(), OverlapReranker()
    connection = memory.home.connection
    enter_model(connection, "overlap")
    rids = [memory.home.remember(f"walrus {n}", speaker="Ann") for n in range(12)]
    read(memory, reranker)
    numbers = [memory.home.number(rid) for rid in rids]
    assert readings_of(connection, numbers) == {n: b">Ann: walrus %d" % i for i, n in enumerate(numbers)}
    assert unread(connection) == []
    memory.home.commit(Write(Set("speaker", "Ben"), rids[3]), Write(Forget((rids[5],))))
    assert set(numbers) - set(readings_of(connection, numbers)) == {numbers[3], numbers[5]}
    (page,) = unread(connection)
    assert page.text == "Ben: walrus 3"
    memory.home.commit(Write(Set("speaker", "Cleo"), rids[3]))
    keep(connection, [page], [b">Ben: walrus 3"])
    assert numbers[3] not in readings_of(connection, numbers), "it says something else by now"
    read(memory, reranker)
    assert readings_of(connection, numbers)[numbers[3]] == b">Cleo: walrus 3"
    enter_model(connection, "overlap")
    assert unread(connection) == []
    enter_model(connection, "another")
    assert readings_of(connection, numbers) == {}
    assert len(unread(connection, 100)) == 11


def test_a_reranker_without_weight_reads_nothing() -> None:
    before, reranker = ranked(filled(5), weights={**WEIGHTS, RERANKER: 0.0}), OverlapReranker()
    assert reread_by(reranker, before) is before
    assert reranker.judged == reranker.has_read == []
    nothing = ranked(Memory())
    assert reread_by(reranker, nothing) is nothing


def test_duplicates_are_read_once() -> None:
    memory = Memory()
    for _ in range(5):
        memory.home.remember("a walrus")
    memory.home.remember("another walrus")
    reranker = OverlapReranker()
    reread_by(reranker, ranked(memory))
    assert sorted(reranker.has_read) == [["a walrus"], ["another walrus"]]


def test_an_explanation_shows_what_the_reranker_gave_and_the_trace_how_long_it_took() -> None:
    """ML-73: latency reported."""
    memory, reranker = filled(30), OverlapReranker()
    read(memory, reranker)
    memory.home.remember("which walrus this is")
    _, after = judged(memory, reranker)
    hits = assemble(memory.home.connection, after, 3, Filters())
    assert hits[0].signals[RERANKER] > 0
    told = {stage.name: stage.told for stage in trace(after, hits)}["rerank"]
    assert (told["scored"], told["model"], told["judged"], told["read"]) == (31, "overlap", 31, 1)
    assert isinstance(took_ms := told["took_ms"], float)
    assert took_ms >= 0


async def two_dogs(replica: Replica, mind: Cognition) -> None:
    await remember(replica, "the dog of the neighbours barks and the dog sleeps", "where the dog is kept")
    await mind.settle()


async def asked(mind: Cognition, question: str) -> tuple[list[RankedMemory], list[TraceStage]]:
    traces: list[list[TraceStage]] = []
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


def test_what_is_told_while_a_mind_is_open_is_read_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        reranker.missing = ModelUnavailable("no weights here")
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, _):
            await remember(replica, "a walrus")
            await trio.testing.wait_all_tasks_blocked()
            reranker.missing = None
            await remember(replica, "a seal", speaker="Ann")
            with trio.fail_after(60):
                while len(texts := [text for some in reranker.has_read for text in some]) < 2:
                    await trio.lowlevel.checkpoint()
            assert texts == ["a walrus", "Ann: a seal"]

    monkeypatch.setattr("cognition.reranking.worker.IDLE_S", 0)
    monkeypatch.setattr("cognition.background.naming.QUIET_S", 0.01)
    trio.run(main)


def test_the_parts_of_a_compound_question_share_what_may_be_read(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await remember(replica, *(f"the dog number {n} and the cat number {n}" for n in range(60)))
            await mind.settle()
            await mind.reranking.settle()
            reranker.judged.clear()
            await mind.recall("Where does the dog sleep and what does the cat eat?")
            assert len(reranker.judged) > 1, "the question was split"
            assert {len(texts) for texts in reranker.judged} == {CANDIDATES // len(reranker.judged)}

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
            assert mind.reranking.trouble is reranker.missing
            with pytest.raises(ModelUnavailable, match="no weights here"):
                await mind.warm_up()
            reranker.missing = None
            await mind.warm_up()
            await mind.try_models()
            assert (await asked(mind, "where is the dog kept"))[1][0].told["model"] == "overlap"
            assert await mind.recall("dog", k=0) == []

    trio.run(main)
