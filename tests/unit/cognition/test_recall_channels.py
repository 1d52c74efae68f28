import pytest

from cognition import Filters, RankedMemory
from cognition.recall.stages import NARROW_MAX
from cognition.search.passes import REPEATING_MAX, Candidates, _repeated
from cognition.times import Window
from replica import Claim, Relate, Set, Write
from replica.fields import Value
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


def test_a_narrow_channel_brings_ten_however_many_say_what_is_asked_for(memory: Memory) -> None:
    for n in range(NARROW_MAX + 3):
        rid = memory.home.remember(f"Ann works at Firm{n}")
        memory.home.commit(Write(Claim("Ann", "works_at", f"Firm{n}", (), None), rid))
    hits = memory.recall("Where does Ann work?", k=100)
    assert len(hits) == NARROW_MAX + 3
    assert sum("claims" in channels([hit], hit.memory.text) for hit in hits) == NARROW_MAX


def test_a_time_says_what_is_meant_where_it_is_no_longer_than_a_month(memory: Memory) -> None:
    memory.home.remember("Ann came back", event_start=NOW_MS)
    assert memory.texts("what happened in November 2023?") == ["Ann came back"]
    assert memory.texts("what happened in 2023?") == []


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


def test_a_later_day_of_what_repeats_is_found_by_its_date_alone(memory: Memory) -> None:
    """Told in November 2023, asked for a Tuesday in March."""
    for number in range(9):
        memory.home.remember(f"nothing new {number}", told_at=NOW_MS)
    weekly: dict[str, Value] = {
        "type": "prospective",
        "event_start": NOW_MS,
        "meta": {"repeats": "FREQ=WEEKLY"},
    }
    memory.home.remember("choir", **weekly)
    memory.home.remember("chess", **weekly | {"event_start": NOW_MS + 2 * DAY_MS})
    memory.home.remember("a rule of nobody", **weekly | {"meta": {"repeats": 7}})
    memory.home.remember("gone", **weekly, archived=True)
    hits = memory.recall("what do we do on 5 March 2024?", k=500)
    assert channels(hits[:1], "choir") == {"times"}
    texts = [hit.memory.text for hit in hits]
    assert not {"chess", "a rule of nobody", "gone"}.intersection(texts)


def test_no_more_repeating_events_are_looked_at_than_a_question_has_time_for(memory: Memory) -> None:
    for number in range(REPEATING_MAX + 3):
        memory.home.remember(
            f"choir {number}", event_start=NOW_MS + number, meta={"repeats": "FREQ=WEEKLY;BYDAY=TU"}
        )
    looked = [*_repeated(Candidates(memory.home.connection, Filters()), Window(NOW_MS, NOW_MS + 8 * DAY_MS))]
    assert len(looked) == REPEATING_MAX


def test_what_repeats_is_looked_up_by_an_index(memory: Memory) -> None:
    statements: list[str] = []
    memory.home.connection.set_trace_callback(statements.append)
    assert not [*_repeated(Candidates(memory.home.connection, Filters()), Window(NOW_MS, NOW_MS))]
    memory.home.connection.set_trace_callback(None)
    (asked,) = statements
    plan = " ".join(str(row[3]) for row in memory.home.connection.execute(f"EXPLAIN QUERY PLAN {asked}"))
    assert "USING INDEX memory_by_repeating (event_start<?)" in plan, plan
    assert "TEMP B-TREE" not in plan, plan
