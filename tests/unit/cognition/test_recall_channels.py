import pytest

from cognition import RankedMemory
from replica import Relate, Set, Write
from tests.support.minds import NOW_MS
from tests.support.published import published
from tests.support.recalling import Memory

DAY_MS = 86_400_000


@pytest.fixture
def memory() -> Memory:
    return Memory()


def channels(hits: list[RankedMemory], text: str) -> set[str]:
    """Return the channels that found a memory."""
    (hit,) = [hit for hit in hits if hit.memory.text == text]
    return {found.channel for found in hit.found}


@published("ML-64")
def test_a_phrase_finds_the_line_that_holds_it_as_it_stands(memory: Memory) -> None:
    for n in range(60):
        memory.home.remember(f"nothing new, and it is impossible to say more, day {n}")
    memory.home.remember("We finished Nothing is Impossible together")
    memory.home.remember("Mary Lou Smith came by")
    hits = memory.recall('Who read "Nothing is Impossible"?', k=100)
    assert hits[0].memory.text == "We finished Nothing is Impossible together"
    assert "phrases" in channels(hits, "We finished Nothing is Impossible together")
    assert sum("phrases" in {found.channel for found in hit.found} for hit in hits) == 1
    assert "phrases" in channels(memory.recall("what about Mary Lou Smith?"), "Mary Lou Smith came by")


@published("ML-66")
def test_a_question_that_names_a_speaker_searches_what_that_speaker_said(memory: Memory) -> None:
    memory.home.remember("the boat has a leak", speaker="Ann")
    memory.home.remember("the boat has a new sail", speaker="Bob")
    hits = memory.recall("What did Ann say of the boat?")
    assert "speaker" in channels(hits, "the boat has a leak")
    assert "speaker" not in channels(hits, "the boat has a new sail")
    assert all(
        "speaker" not in {found.channel for found in hit.found} for hit in memory.recall("what of the boat")
    )


@published("ML-62")
def test_each_channel_alone_brings_its_candidate(memory: Memory) -> None:
    """Semantic, full text, graph, window, speaker and phrase; triples are tried where their tables are."""
    memory.home.remember("a word that nobody else has: quixotic", speaker="Eve")
    memory.home.remember("marmalade on toast", conversation="chat", position=1)
    memory.home.remember("Bravo is a place")
    memory.home.commit(Write(Relate("Alpha", "near", "Bravo", 1.0)))
    memory.home.remember("we said Never Give Up twice")
    memory.embed()
    memory.home.remember("the turn before", conversation="chat", position=0)  # without a vector
    assert channels(memory.recall("quixotic"), "a word that nobody else has: quixotic") >= {"words"}
    assert channels(memory.recall("marmalade on toast", by_words=False), "marmalade on toast") == {"vectors"}
    assert channels(memory.recall("Alpha"), "Bravo is a place") >= {"graph"}
    assert channels(memory.recall("marmalade"), "the turn before") == {"near"}
    assert channels(memory.recall("did Eve have a word"), "a word that nobody else has: quixotic") >= {
        "speaker"
    }
    assert channels(memory.recall("who said “Never Give Up”"), "we said Never Give Up twice") >= {"phrases"}


@published("PM-24")
def test_what_names_only_one_of_two_ranks_below_what_names_both(memory: Memory) -> None:
    memory.home.remember("Ann went sailing on the lake")
    memory.home.remember("Ann and Zoe went sailing")
    memory.home.remember("Zoe went sailing on the lake")
    assert memory.texts("when did Ann and Zoe go sailing?")[0] == "Ann and Zoe went sailing"


@published("ME-06")
def test_what_is_old_sinks_and_is_still_found_by_its_words(memory: Memory) -> None:
    memory.home.remember("the code of the garage is under the third stone", told_at=NOW_MS - 3_650 * DAY_MS)
    for n in range(30):
        memory.home.remember(f"the garage was cleaned, part {n}", told_at=NOW_MS)
    assert memory.texts("code of the garage under the third stone")[0].startswith("the code of the garage")


@published("ME-09")
def test_a_label_shifts_what_a_vector_means_and_is_embedded_anew(memory: Memory) -> None:
    rid = memory.home.remember("we consume the stream in order")
    memory.embed()
    assert "vectors" not in {
        found.channel
        for hit in memory.recall("kafka", by_words=False)
        for found in hit.found
        if found.score > 0.2
    }
    memory.home.commit(Write(Set("topic", "kafka"), rid))
    memory.embed()
    (hit, *_) = memory.recall("kafka", by_words=False)
    assert hit.rid == rid
    assert {found.channel for found in hit.found if found.score > 0.2} == {"vectors"}
