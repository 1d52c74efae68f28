"""What gets into the pool of a recall, and how much each search brings."""

from cognition.ranking.query import Query
from cognition.recall.stages import BRIDGED, NARROW_MAX, POOL_MIN, pool_size
from cognition.recall.tracing import TraceStage, trace
from replica import Relate, Write
from tests.support.published import published
from tests.support.recalling import Memory

QUESTION = "Who rows the boat?"


@published("ML-63")
def test_one_memory_of_a_type_is_in_the_pool_beside_a_hundred_of_another() -> None:
    """No budget a type (decision 0025): a search brings more than the row's hundred, and a type can be asked for."""
    memory = Memory()
    for n in range(100):
        memory.home.remember(f"Ann rows the boat, day {n}", type="episodic")
    feeling = memory.home.remember("rowing calms Ann", type="affective")
    memory.embed()
    pools: list[set[bytes]] = []
    memory.recall(QUESTION, told=lambda ranked, hits: pools.append({row.rid for row in ranked.pool.rows}))
    assert feeling in pools[0]
    assert len(pools[0]) == 101


@published("ML-63")
def test_a_type_that_is_asked_for_is_searched_by_itself_however_many_others_there_are() -> None:
    memory = Memory()
    for n in range(3 * POOL_MIN):
        memory.home.remember(f"Ann rows the boat, day {n}", type="episodic")
    memory.home.remember("a boat calms Ann", type="affective")
    memory.home.remember("a boat has two oars", type="factual")
    memory.embed()
    for kind, k, texts in (
        ("affective", 3, {"a boat calms Ann"}),
        ("factual", 8, {"a boat has two oars"}),
        ("episodic", 10, None),
    ):
        hits = memory.recall(QUESTION, k=k, type=kind)
        assert {hit.memory.fields["type"] for hit in hits} == {kind}
        assert len(hits) == 10 if texts is None else {hit.memory.text for hit in hits} == texts


@published("PM-02")
def test_words_vectors_and_entities_are_fused_then_ranked_and_no_search_brings_more_than_its_share() -> None:
    """In PMB's order; its fifties are 120 of each search and 40 by the graph here, for what decision 0023 says."""
    memory = Memory()
    for n in range(2 * POOL_MIN):
        memory.home.remember(f"Ann rows the boat, day {n}")
    memory.home.remember("Tern is moored at Nordnes")
    memory.home.commit(Write(Relate("Boat", "called", "Tern", 1.0)))
    memory.embed()
    stages: list[TraceStage] = []
    memory.recall(QUESTION, k=3, told=lambda ranked, hits: stages.extend(trace(ranked, hits)))
    assert [stage.name for stage in stages] == ["classify", "generate", "fuse", "rerank", "assemble"]
    channels = stages[1].told["channels"]
    assert isinstance(channels, dict)
    assert pool_size(Query(QUESTION), 3) == POOL_MIN == 120
    assert channels["words"] == channels["vectors"] == POOL_MIN
    assert channels["graph"] == 1 <= BRIDGED == 40
    assert NARROW_MAX == 10
    assert stages[3].told["scored"] == stages[2].told["candidates"]
    assert stages[4].told == {"shown": 3}
