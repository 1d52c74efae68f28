from random import Random

import pytest

from cognition import Filters, HashedEmbedder, Hit, InvalidQuery, queue
from cognition.embedding.lexicon import WordVectors
from cognition.index import ExactIndex
from cognition.ranking.query import Query
from cognition.recall import fuse, recall
from replica import Forget, Set, Value, Write
from tests.support.minds import NOW_MS, Home

EMBEDDER = HashedEmbedder()
DAY_MS = 86_400_000


class Memory:
    """A home, and an index of what was embedded."""

    def __init__(self) -> None:
        self.home = Home()
        self.index = ExactIndex(EMBEDDER.width)
        self.space = queue.enter_space(self.home.connection, EMBEDDER.name, now_ms=NOW_MS)

    def embed(self) -> None:
        jobs = queue.due(self.home.connection, now_ms=NOW_MS, limit=10_000)
        rows = EMBEDDER.embed([job.text for job in jobs])
        kept = queue.done(self.home.connection, self.space, jobs, rows)
        self.index.add([jobs[i].id for i in kept], rows[kept])

    def recall(self, text: str, *, k: int = 10, by_words: bool = True, **filters: Value) -> list[Hit]:
        vector = EMBEDDER.embed([text])[0]
        return recall(
            self.home.connection,
            Query(text if by_words else ""),
            vector=vector,
            index=self.index,
            lexicon=WordVectors(EMBEDDER),
            now_ms=NOW_MS,
            filters=Filters(**filters),  # type: ignore[arg-type]
            k=k,
        )

    def texts(self, text: str, *, k: int = 10, by_words: bool = True, **filters: Value) -> list[str]:
        return [hit.memory.text for hit in self.recall(text, k=k, by_words=by_words, **filters)]


@pytest.fixture
def memory() -> Memory:
    return Memory()


def test_ml_36_a_rare_word_ranks_its_memory_first(memory: Memory) -> None:
    for n in range(50):
        memory.home.remember(f"a usual day, number {n}, with usual things")
    memory.home.remember("a usual day with a xylophone in it")
    assert memory.texts("was it a usual day with a xylophone?")[0] == "a usual day with a xylophone in it"


def test_pm_27_first_in_two_lists_scores_two_sixtieths_and_ties_go_by_number() -> None:
    fused = fuse({"words": [(5, 9.0), (7, 8.0)], "vectors": [(5, 0.9), (3, 0.8)]})
    assert fused[5].score == pytest.approx(0.033333, abs=1e-6)
    assert fused[7].score == fused[3].score == pytest.approx(1 / 61)
    assert sorted(fused, key=lambda number: (-fused[number].score, number)) == [5, 3, 7]


def test_me_02_scores_are_discarded_and_only_ranks_count() -> None:
    lists = {"words": [(1, 9.0), (2, 8.0), (3, 1.0)], "vectors": [(3, 0.9), (1, 0.8), (4, 0.1)]}
    scaled = {name: [(number, 1_000 * score) for number, score in ranked] for name, ranked in lists.items()}
    plain, large = fuse(lists), fuse(scaled)
    assert {number: it.score for number, it in plain.items()} == {
        number: it.score for number, it in large.items()
    }
    assert max(plain, key=lambda number: plain[number].score) == 1
    assert {2, 4} <= plain.keys()


def test_me_02_what_only_one_channel_finds_still_surfaces(memory: Memory) -> None:
    memory.home.remember("a lone walrus")
    memory.embed()
    memory.home.remember("another walrus")  # not embedded yet
    hits = memory.recall("walrus")
    assert [{found.channel for found in hit.found} for hit in hits] == [{"words", "vectors"}, {"words"}]


def test_a_hit_says_which_channels_found_it_at_which_rank(memory: Memory) -> None:
    memory.home.remember("Ann moved to Lisbon")
    memory.embed()
    (hit,) = memory.recall("Where did Ann move? Lisbon")
    assert [(found.channel, found.rank) for found in hit.found] == [("words", 0), ("vectors", 0)]
    assert hit.fused == pytest.approx(2 / 60)
    assert 0 < hit.score < 1
    assert {"words", "meaning", "echo"} <= hit.signals.keys()
    assert hit.device == memory.home.identity.device_id


def test_a_changed_memory_is_not_judged_by_its_old_vector(memory: Memory) -> None:
    rid = memory.home.remember("hello", topic="walrus")
    memory.embed()
    assert memory.texts("walrus", by_words=False) == ["hello"]
    memory.home.commit(Write(Set("topic", "otter"), rid))
    assert memory.texts("walrus", by_words=False) == []
    memory.embed()
    assert memory.recall("otter", by_words=False)[0].rid == rid
    assert memory.recall("walrus", by_words=False)[0].found[0].score < 0.5


def test_a_forgotten_memory_is_never_found_and_leaves_the_index(memory: Memory) -> None:
    rids = [memory.home.remember(f"walrus {n}") for n in range(300)]
    memory.embed()
    memory.home.commit(Write(Forget(tuple(sorted(rids[:299])))))
    assert memory.texts("walrus") == ["walrus 299"]
    assert len(memory.index) == 1


def test_duplicates_are_shown_once_under_the_smallest_id(memory: Memory) -> None:
    rids = [memory.home.remember(text) for text in ("Ann likes tea", "ann likes  TEA", "Ann likes tea")]
    memory.embed()
    assert [hit.rid for hit in memory.recall("does Ann like tea")] == [min(rids)]


def test_the_smallest_duplicate_is_chosen_among_those_the_filters_keep(memory: Memory) -> None:
    rids = [memory.home.remember("Ann likes tea", project=name) for name in ("one", "two", "two")]
    assert [hit.rid for hit in memory.recall("tea", project="two")] == [min(rids[1:])]


def test_texts_that_differ_in_a_letter_are_two_memories(memory: Memory) -> None:
    memory.home.remember("Ann likes tea")
    memory.home.remember("Ann likes trees")
    assert len(memory.recall("what does Ann like")) == 2


def test_me_08_every_filter_keeps_what_it_names_and_combines_with_text(memory: Memory) -> None:
    remember = memory.home.remember
    remember(
        "walrus a", type="episodic", domain="work", project="Sea", topic="ice", speaker="Ann", told_at=1_000
    )
    remember(
        "walrus b", tags=["blue", "red"], meta={"page": 5, "verified": True, 'q"': "x"}, workspace="personal"
    )
    remember("walrus c", conversation="chat:1", told_at=5 * DAY_MS, type="factual")
    remember("otter d", type="episodic")
    memory.embed()
    for filters, expected in (
        ({"type": "episodic"}, {"walrus a"}),
        ({"domain": "Work"}, {"walrus a"}),
        ({"project": "sea"}, {"walrus a"}),
        ({"topic": "ice", "speaker": "ann"}, {"walrus a"}),
        ({"topic": "ice", "speaker": "Bob"}, set()),
        ({"tags": ("red",)}, {"walrus b"}),
        ({"tags": ("red", "green")}, set()),
        ({"meta": {"page": "5"}}, {"walrus b"}),
        ({"meta": {'q"': "X"}}, {"walrus b"}),
        ({"workspace": "personal"}, {"walrus b"}),
        ({"conversation": "chat:1"}, {"walrus c"}),
    ):
        found = {text for text in memory.texts("walrus", **filters) if text.startswith("walrus")}
        assert found == expected, filters


def test_yd_04_a_window_holds_its_beginning_and_not_its_end(memory: Memory) -> None:
    for day in range(5):
        memory.home.remember(f"walrus {day}", told_at=day * DAY_MS)
    memory.embed()
    found = memory.texts("walrus", since_ms=DAY_MS, until_ms=3 * DAY_MS)
    assert sorted(found) == ["walrus 1", "walrus 2"]
    assert memory.texts("walrus", since_ms=DAY_MS, until_ms=DAY_MS) == []


def test_a_memory_without_a_telling_has_the_time_of_its_storing(memory: Memory) -> None:
    memory.home.remember("walrus")
    assert memory.texts("walrus", since_ms=NOW_MS) == ["walrus"]
    assert memory.texts("walrus", until_ms=NOW_MS) == []


def test_what_is_archived_is_found_only_when_asked_for(memory: Memory) -> None:
    for n in range(200):
        memory.home.remember(f"walrus {n}", archived=True)
    memory.home.remember("the last walrus in a long sentence about very many other things")
    memory.embed()
    assert len(memory.texts("walrus")) == 1
    assert len(memory.texts("walrus", include_archived=True)) == 10


@pytest.mark.parametrize("share", [1, 150])
def test_a_filter_finds_its_rows_however_few_or_many_it_keeps(memory: Memory, share: int) -> None:
    random = Random(2)
    for n in range(200):
        words = " ".join(random.choices("abcdefgh", k=5))
        memory.home.remember(f"{words} {n}", project="kept" if n < share else "other")
    memory.embed()
    assert len(memory.texts("unrelated", k=200, by_words=False, project="kept")) == share


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!…",
        "😀",
        "the of and",
        '"',
        "a AND (",
        "x" * 100_000,
        "עברית مرحبا",
        "\0",
        "col:val",
        "-" * 500,
    ],
)
@pytest.mark.parametrize("k", [0, 1, 10**6])
def test_any_query_has_an_answer(memory: Memory, query: str, k: int) -> None:
    memory.home.remember('He said "the" AND left (😀)')
    memory.embed()
    assert len(memory.recall(query, k=k)) <= min(k, 1)


def test_what_cannot_be_asked_is_refused_by_name(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="expected k of 0 or more, got -1"):
        memory.recall("x", k=-1)
    with pytest.raises(InvalidQuery, match=r"expected a type among episodic, .* got 'wrong'"):
        memory.recall("x", type="wrong")
    with pytest.raises(InvalidQuery, match="begins before it ends"):
        memory.recall("x", since_ms=2, until_ms=1)


def test_lo_15_recall_works_with_no_embedder_at_all(memory: Memory) -> None:
    memory.home.remember("Ann moved to Lisbon")
    (hit,) = recall(memory.home.connection, Query("Lisbon"), vector=None, index=None, now_ms=NOW_MS)
    assert hit.memory.text == "Ann moved to Lisbon"
