"""The five stages of a recall, and what each candidate carries through them."""

from cognition import RankedMemory
from cognition.ranking.query import Query
from cognition.ranking.signals import WEIGHTS
from cognition.recall.stages import Ranked, found_in, fuse
from cognition.recall.tracing import TraceStage, trace
from tests.support.published import published
from tests.support.recalling import Memory

QUESTION = "When did Ann Miller see the doctor?"


def ask(memory: Memory, question: str, k: int = 3) -> tuple[list[RankedMemory], list[TraceStage], Ranked]:
    traces: list[tuple[list[TraceStage], Ranked]] = []
    hits = memory.recall(
        question, k=k, told=lambda ranked, shown: traces.append((trace(ranked, shown), ranked))
    )
    ((stages, ranked),) = traces
    return hits, stages, ranked


def filled() -> Memory:
    memory = Memory()
    memory.home.remember("Ann Miller saw the doctor on Monday", speaker="Ann")
    for n in range(20):
        memory.home.remember(f"the doctor had a walk, day {n}")
    memory.embed()
    return memory


@published("ML-56")
def test_a_recall_goes_through_five_stages_in_order() -> None:
    hits, stages, _ = ask(filled(), QUESTION)
    assert [stage.name for stage in stages] == ["classify", "generate", "fuse", "rerank", "assemble"]
    told = {stage.name: stage.told for stage in stages}
    assert told["classify"]["class"] == "MultiHop"
    assert told["fuse"] == {"candidates": 21}
    assert told["rerank"] == {"scored": 21}, "the whole pool, whatever is shown (ML-70)"
    assert told["assemble"] == {"shown": len(hits)} == {"shown": 3}


@published("ML-61")
def test_a_question_is_asked_as_it_stands_by_its_keywords_and_by_its_names() -> None:
    assert Query(QUESTION).variants == {
        "raw": QUESTION, "keywords": "ann miller see doctor", "entities": "Ann Miller",
    }  # fmt: skip
    assert Query("doctor").variants == {"raw": "doctor"}, "fewer where they are equal"
    _, stages, ranked = ask(filled(), QUESTION)
    assert stages[0].told["variants"] == Query(QUESTION).variants
    channels = stages[1].told["channels"]
    assert isinstance(channels, dict)
    assert channels["words"] == channels["vectors"] == 21, "the keywords"
    assert channels["phrases"] == 1, "the names"
    assert len(ranked.pool) == 21


@published("ML-68")
def test_each_candidate_names_exactly_the_channels_that_found_it() -> None:
    hits, _, ranked = ask(filled(), QUESTION, k=30)
    for hit in hits:
        (number,) = [row.id for row in ranked.pool.rows if row.rid == hit.rid]
        assert hit.found == tuple(found_in(ranked.lists, [number])[number])
        assert len({found.channel for found in hit.found}) == len(hit.found) > 0
    assert {found.channel for found in hits[0].found} == {"words", "vectors", "phrases", "speaker"}


def test_a_hit_carries_the_fused_score_the_composite_and_what_each_signal_gave() -> None:
    """D-5: an explanation shows all three."""
    hits, _, _ = ask(filled(), QUESTION)
    first = hits[0]
    assert first.fused == fuse({one.channel: [(1, 0.0)] for one in first.found if one.rank == 0})[1]
    assert first.composite > 0
    assert set(first.signals) <= set(WEIGHTS)
    assert sum(first.signals.values()) > sum(hits[1].signals.values())
