import time
from collections.abc import Sequence

import numpy as np
import pytest

from cognition import Filters, HashedEmbedder, InvalidQuery
from cognition.embedding.embedder import Vectors
from cognition.ingest.linking import Linker
from cognition.ranking.pool import CandidateRow
from cognition.ranking.query import Query
from cognition.recall.stages import (
    NEIGHBOURED,
    RankedMemory,
    _damped,
    assemble,
    fuse,
    fuse_hits,
    in_order,
    rank,
)
from replica import DeviceId, Forget, MemoryId, Propose, Relate, Set, Write
from replica import Memory as StoredMemory
from replica.fields import INT_MAX
from tests.support.minds import NOW_MS
from tests.support.published import published
from tests.support.recalling import Memory


@pytest.fixture
def memory() -> Memory:
    return Memory()


@published("ML-36")
def test_a_rare_word_ranks_its_memory_first(memory: Memory) -> None:
    for n in range(50):
        memory.home.remember(f"a usual day, number {n}, with usual things")
    memory.home.remember("a usual day with a xylophone in it")
    assert memory.texts("was it a usual day with a xylophone?")[0] == "a usual day with a xylophone in it"


@published("PM-27")
def test_first_in_two_lists_scores_two_sixtieths_and_ties_go_by_number() -> None:
    fused = fuse({"words": [(5, 9.0), (7, 8.0)], "vectors": [(5, 0.9), (3, 0.8)]})
    assert fused[5] == pytest.approx(0.033333, abs=1e-6)
    assert fused[7] == fused[3] == pytest.approx(1 / 61)
    assert sorted(fused, key=lambda number: (-fused[number], number)) == [5, 3, 7]


@published("ME-02")
def test_scores_are_discarded_and_only_ranks_count() -> None:
    lists = {"words": [(1, 9.0), (2, 8.0), (3, 1.0)], "vectors": [(3, 0.9), (1, 0.8), (4, 0.1)]}
    scaled = {name: [(number, 1_000 * score) for number, score in ranked] for name, ranked in lists.items()}
    plain, large = fuse(lists), fuse(scaled)
    assert plain == large
    assert max(plain, key=lambda number: plain[number]) == 1
    assert {2, 4} <= plain.keys()


@published("ME-02")
def test_what_only_one_channel_finds_still_surfaces(memory: Memory) -> None:
    memory.home.remember("a lone walrus")
    memory.embed()
    memory.home.remember("another walrus")  # not embedded yet
    hits = memory.recall("walrus")
    assert [{found.channel for found in hit.found} for hit in hits] == [{"words", "vectors"}, {"words"}]


def test_a_hit_says_which_channels_found_it_at_which_rank(memory: Memory) -> None:
    memory.home.remember("Ann moved to Lisbon")
    memory.embed()
    (hit,) = memory.recall("Is Ann in Lisbon?")
    assert [(found.channel, found.rank) for found in hit.found] == [("words", 0), ("vectors", 0)]
    assert hit.fused == pytest.approx(2 / 60)
    assert 0 < hit.score < 1
    assert {"words", "meaning", "covered"} <= hit.signals.keys()
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


def test_tellings_of_the_same_words_are_shown_once_and_the_newest_first(memory: Memory) -> None:
    rids = [memory.home.remember("Ann likes tea") for _ in range(3)]
    memory.embed()
    (hit,) = memory.recall("does Ann like tea")
    assert (hit.rid, hit.same, hit.tellings) == (rids[2], (rids[1], rids[0]), 3)


def test_texts_that_differ_in_case_are_two_memories(memory: Memory) -> None:
    rids = {memory.home.remember(text) for text in ("Tell US about it", "Tell us about it")}
    assert {(hit.rid, hit.same) for hit in memory.recall("tell us about it")} == {(rid, ()) for rid in rids}


def test_the_newest_telling_is_chosen_among_those_the_filters_keep(memory: Memory) -> None:
    rids = [memory.home.remember("Ann likes tea", project=name) for name in ("two", "two", "one")]
    assert [hit.rid for hit in memory.recall("tea", project="two")] == [rids[1]]


def test_what_two_people_said_in_the_same_words_are_two_memories(memory: Memory) -> None:
    rids = {memory.home.remember("I like tea", speaker=name) for name in ("Ann", "Ben")}
    assert {hit.rid for hit in memory.recall("who likes tea")} == rids


def test_texts_that_differ_in_a_letter_are_two_memories(memory: Memory) -> None:
    memory.home.remember("Ann likes tea")
    memory.home.remember("Ann likes trees")
    assert len(memory.recall("what does Ann like")) == 2


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


def test_a_page_of_one_word_is_looked_through_once(memory: Memory) -> None:
    """Ten seconds where a rule looks from every "who" to the end for a group; a tenth of one otherwise."""
    memory.home.remember("Ann and Ben are in the chess team")
    began_s = time.thread_time()
    memory.recall("who " * 5_000)
    assert time.thread_time() - began_s < 3


@pytest.mark.parametrize("mentions", ["two", -5, 1e308, True, None])
def test_a_label_called_mentions_that_counts_nothing_breaks_no_recall(
    memory: Memory, mentions: str | float | None
) -> None:
    memory.home.remember("Ann has a red boat", meta={"mentions": mentions})
    memory.embed()
    (hit,) = memory.recall("red boat")
    assert hit.score > 0


@pytest.mark.parametrize(("label", "counted"), [(None, 2), (5, 5)])
def test_what_was_told_again_in_other_words_counts_as_told_so_often_at_least(
    memory: Memory, label: int | None, counted: int
) -> None:
    home, text = memory.home, "Milk is in the fridge"
    home.remember(text, meta={"mentions": label} if label else {})
    again = Linker().find(home.connection, f"{text}!", {})
    home.commit(*again.writes(home.remember(f"{text}!")))
    counts: list[int | None] = []
    memory.recall(text, told=lambda ranked, _: counts.extend(row.mentions for row in ranked.pool.rows))
    assert max(each or 0 for each in counts) == counted


def test_what_cannot_be_asked_is_refused_by_name(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="expected k of 0 or more, got -1"):
        memory.recall("x", k=-1)
    with pytest.raises(InvalidQuery, match=r"expected a type among episodic, .* got 'wrong'"):
        memory.recall("x", type="wrong")
    with pytest.raises(InvalidQuery, match="begins before it ends"):
        memory.recall("x", since_ms=2, until_ms=1)


@published("LO-15")
def test_recall_works_with_no_embedder_at_all(memory: Memory) -> None:
    memory.home.remember("Ann moved to Lisbon")
    ranked = rank(
        memory.home.connection,
        Query("Lisbon"),
        vector=None,
        index=None,
        lexicon=None,
        filters=Filters(),
        now_ms=NOW_MS,
        limit=10,
    )
    (hit,) = assemble(memory.home.connection, ranked, 10, Filters())
    assert hit.memory.text == "Ann moved to Lisbon"


@published("PM-10")
def test_a_question_for_the_database_finds_the_postgres_fact_first(memory: Memory) -> None:
    for text in ("We chose Postgres for orders", "We chose Lisbon for the party", "Ann painted the office"):
        memory.home.remember(text)
    memory.embed()
    assert memory.texts("Which database do we have?")[0] == "We chose Postgres for orders"


@published("PM-22")
def test_where_do_i_live_finds_what_was_moved_to_and_where_one_is_based(memory: Memory) -> None:
    for text in ("I moved to Lisbon", "I am based in Porto", "I like tea", "Bob owns a boat"):
        memory.home.remember(text)
    memory.embed()
    assert set(memory.texts("where do I live", k=2)) == {"I moved to Lisbon", "I am based in Porto"}


@published("PM-25")
def test_a_question_in_english_finds_the_fact_in_russian(memory: Memory) -> None:
    for text in ("Анна живёт в Берлине", "Анна любит чай", "Борис купил лодку"):
        memory.home.remember(text)
    memory.embed()
    hits = memory.recall("where does she live")
    assert hits[0].memory.text == "Анна живёт в Берлине"
    assert "synonyms" in {found.channel for found in hits[0].found}


def test_a_turn_at_the_last_place_that_can_be_written_has_no_neighbour_behind_it(memory: Memory) -> None:
    """Nothing stops a member from telling one: it must not end everybody's recalls."""
    for text, position in (("the end", INT_MAX - 1), ("a walrus", INT_MAX)):
        memory.home.remember(text, conversation="chat", position=position)
    assert {hit.memory.text for hit in memory.recall("walrus")} == {"a walrus", "the end"}


@published("ML-65")
def test_the_turns_around_a_hit_join_the_pool_within_their_conversation(memory: Memory) -> None:
    for position, text in enumerate(["one", "two", "three", "walrus", "five", "six", "seven"]):
        memory.home.remember(text, conversation="chat", position=position)
    memory.home.remember("elsewhere", conversation="other", position=4)
    near = {hit.memory.text for hit in memory.recall("walrus") if hit.found[0].channel == "near"}
    assert near == {"two", "three", "five", "six"}


def test_a_turn_for_which_a_summary_stands_does_not_join_beside_its_neighbour(memory: Memory) -> None:
    rids = [
        memory.home.remember(text, conversation="chat", position=position)
        for position, text in enumerate(
            ["a walrus", "sailed on Monday", "sailed on Tuesday", "sailed on Friday"]
        )
    ]
    memory.home.commit(Write(Propose(tuple(sorted(rids[1:])))))
    assert memory.texts("walrus") == ["a walrus"]
    assert set(memory.texts("walrus", include_archived=True)) == {
        "a walrus",
        "sailed on Monday",
        "sailed on Tuesday",
    }


def test_a_turn_that_the_filters_keep_out_does_not_join_beside_its_neighbour(memory: Memory) -> None:
    memory.home.remember("before", conversation="chat", position=0, workspace="home", archived=True)
    memory.home.remember("a walrus", conversation="chat", position=1, workspace="home")
    memory.home.remember("after", conversation="chat", position=2, workspace="work")
    assert set(memory.texts("walrus")) == {"a walrus", "after"}
    assert set(memory.texts("walrus", workspace="home")) == {"a walrus"}
    assert set(memory.texts("walrus", workspace="home", include_archived=True)) == {"a walrus", "before"}


class Opposing(HashedEmbedder):
    """A hashed embedder to which a text that says "nothing" is the opposite of the rest of it."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = super().embed([text.replace("nothing", "") for text in texts])
        signs = np.array([[-1.0 if "nothing" in text else 1.0] for text in texts], rows.dtype)
        opposed: Vectors = rows * signs
        return opposed


def test_what_is_the_opposite_of_the_question_is_not_about_it() -> None:
    memory = Memory(Opposing())
    memory.home.remember("harbour walrus", type="factual")
    memory.home.remember("nothing harbour walrus", type="factual")
    memory.embed()
    meaning = {hit.memory.text: hit.signals.get("meaning", 0.0) for hit in memory.recall("harbour walrus")}
    assert meaning["harbour walrus"] > 0 > meaning["nothing harbour walrus"]


def test_of_many_hits_it_is_the_turns_around_the_best_that_join_the_pool(memory: Memory) -> None:
    for n in range(2 * NEIGHBOURED):
        memory.home.remember(f"a walrus again, as on day {n}", conversation=f"chat {n}", position=4)
    memory.home.remember("the walrus swam into the harbour", conversation="best", position=4)
    memory.home.remember("Yes, in June", conversation="best", position=5)
    memory.home.remember("Nobody knows", conversation=f"chat {2 * NEIGHBOURED - 1}", position=5)
    found = memory.texts("did a walrus come to the harbour?", k=1_000)
    assert "Yes, in June" in found
    assert len(found) == 2 * NEIGHBOURED + 2


@published("ML-67", "ML-68")
def test_a_candidate_is_in_the_pool_once_with_every_channel_that_found_it(memory: Memory) -> None:
    memory.home.remember("the walrus lives here")
    memory.embed()
    hits = memory.recall("where does the walrus live")
    assert len(hits) == 1
    assert [found.channel for found in hits[0].found] == ["words", "vectors", "synonyms"]


@published("ML-69")
def test_each_list_keeps_the_order_of_its_scores_and_all_of_them_are_ranked(memory: Memory) -> None:
    """Scales differ, so lists are fused by rank; what the ranking gets is the full pool, in that order."""
    for n in range(30):
        memory.home.remember("walrus " * (n % 5 + 1) + "and cake " * (n % 3) + f"day {n}")
    memory.embed()
    hits = memory.recall("a walrus with cake", k=100)
    assert len(hits) == 30
    for channel in ("words", "vectors"):
        scores = {one.rank: one.score for hit in hits for one in hit.found if one.channel == channel}
        ranks = sorted(scores)
        assert ranks == list(range(30))
        assert [scores[rank] for rank in ranks] == sorted(scores.values(), reverse=True)
    fused = [hit.fused for hit in hits]
    assert fused != sorted(fused, reverse=True)  # the ranking had all of them, and has another mind


@published("ML-70")
def test_the_whole_pool_is_ranked_and_an_answer_at_rank_sixty_rises(memory: Memory) -> None:
    """By words alone the fillers, which repeat the term, come first; the named speaker decides."""
    for n in range(70):
        memory.home.remember(f"walrus walrus walrus {n}", speaker="Bob")
    memory.home.remember("there was once, on some far and icy shore, a walrus", speaker="Ann")
    ranked = memory.recall("what did Ann say of the walrus", k=3)
    assert ranked[0].memory.fields["speaker"] == "Ann"


@published("ML-71")
def test_scores_lie_between_zero_and_one_and_order_equals_them(memory: Memory) -> None:
    for n in range(20):
        memory.home.remember(f"walrus number {n} " + "and more " * n)
    memory.embed()
    scores = [hit.score for hit in memory.recall("walrus number 7", k=20)]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


@published("YD-18")
def test_an_important_but_unrelated_memory_never_outranks_a_relevant_one(memory: Memory) -> None:
    memory.home.remember("evacuation plan for the whole building", importance=1.0)
    memory.home.remember("dinner with Ann is on friday", importance=0.2)
    memory.embed()
    assert memory.texts("when is dinner with Ann")[0] == "dinner with Ann is on friday"


@published("ML-49")
def test_a_fact_of_one_is_not_returned_first_as_anothers(memory: Memory) -> None:
    memory.home.remember("I adopted a puppy last week", speaker="Bob")
    memory.home.remember("I adopted a kitten last week", speaker="Ann")
    memory.embed()
    assert memory.texts("What did Ann adopt last week?")[0] == "I adopted a kitten last week"
    assert memory.texts("What did Bob adopt last week?")[0] == "I adopted a puppy last week"


def test_a_recall_writes_nothing(memory: Memory) -> None:
    memory.home.remember("walrus")
    memory.embed()
    before = memory.home.core.position
    memory.home.connection.execute("PRAGMA query_only = ON")
    assert len(memory.recall("walrus")) == 1
    assert memory.home.core.position == before


@published("YD-22")
def test_what_only_an_edge_connects_appears_with_the_graph_alone(memory: Memory) -> None:
    memory.home.remember("Stripe opened an office in Dublin")
    for n in range(5):
        memory.home.remember(f"Ann went for walk number {n}")
    memory.home.commit(Write(Relate("Ann", "works_at", "Stripe", 1.0)))
    with_graph = memory.recall("What is new with Ann?")
    assert "Stripe opened an office in Dublin" in [hit.memory.text for hit in with_graph]
    (hit,) = [hit for hit in with_graph if "Stripe" in hit.memory.text]
    assert [found.channel for found in hit.found] == ["graph"]
    without = memory.recall("What is new with Ann?", graph=False)
    assert "Stripe opened an office in Dublin" not in [hit.memory.text for hit in without]


@published("ML-42")
def test_the_graph_is_followed_over_two_edges_and_no_further(memory: Memory) -> None:
    for name in ("Bravo", "Charlie", "Delta"):
        memory.home.remember(f"{name} is a place")
    for source, target in (("Alpha", "Bravo"), ("Bravo", "Charlie"), ("Charlie", "Delta")):
        memory.home.commit(Write(Relate(source, "near", target, 1.0)))
    assert {hit.memory.text for hit in memory.recall("Alpha")} == {"Bravo is a place", "Charlie is a place"}


@pytest.mark.parametrize(
    "question",
    [
        "Tell me about Ann",
        "tell me everything you know about Ann.",
        "What do you know about Ann?",
        "can you tell me anything about Ann",
        "Anything about Ann?",
        "Was weißt du noch über Ann?",
        "¿Qué sabes de Ann?",
        "Что ты знаешь об Ann?",
    ],
)
def test_who_asks_for_all_about_somebody_asks_for_their_name_alone(question: str) -> None:
    assert Query(question).terms == ("ann",)


@pytest.mark.parametrize(
    "question", ["what did Ann tell you about Rome?", "who can tell me about it?", "tell me about"]
)
def test_a_question_that_only_holds_such_words_keeps_them(question: str) -> None:
    assert "tell" in Query(question).terms


def test_a_doubtful_source_raises_nothing_that_is_below_the_middle() -> None:
    assert _damped(np.array([2.0, -2.0]), np.array([0.25, 0.25])).tolist() == [1.0, -2.0]


def ranked(number: int, *same: int) -> RankedMemory:
    rid = MemoryId(bytes([number]) * 16)
    memory = StoredMemory(rid, "", {}, 0, 0, 1, 0, 0)
    others = tuple(MemoryId(bytes([each]) * 16) for each in same)
    return RankedMemory(rid, 0.5, (), 0.0, {}, memory, DeviceId(bytes(32)), same=others)


def test_of_parts_that_each_show_another_telling_one_is_shown_and_no_more_than_wished() -> None:
    hits = fuse_hits([[ranked(2, 1), ranked(3)], [ranked(1, 2), ranked(4)]], 2)
    assert [hit.rid[0] for hit in hits] == [2, 3]
    assert hits[0].score == 1.0


def test_of_candidates_that_score_alike_the_id_decides() -> None:
    row = CandidateRow(1, b"b", 1, "", None, None, None, 0, None, 0, 0)
    assert in_order(np.array([0.5, 0.5, 0.7]), [row, row._replace(rid=b"a"), row], {}) == [2, 1, 0]
