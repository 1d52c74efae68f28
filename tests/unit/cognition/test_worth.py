"""What a candidate is worth beside what it says, and that it never stands in for what it says."""

from typing import Any

import numpy as np
import pytest

from cognition import StaticEmbedder
from cognition.days import DAY_MS
from cognition.decay import PROFILES
from cognition.ranking import scoring
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.sentiment import mood_of
from cognition.ranking.signals import SIGNALS, WEIGHTS, score
from cognition.recall.stages import RankedMemory
from replica import Relate, Write
from tests.support.minds import NOW_MS
from tests.support.published import published
from tests.support.recalling import Memory


def row(number: int, text: str = "tea", **known: Any) -> CandidateRow:
    values: dict[str, Any] = {
        "speaker": None, "conversation": None, "position": None, "time_ms": NOW_MS, "importance": None,
        "accesses": 0, "last_access": 0, "updated_ms": NOW_MS,
    }  # fmt: skip
    values.update(known)
    return CandidateRow(id=number, rid=number.to_bytes(16), content=number, text=text, **values)


def pool(
    *rows: CandidateRow,
    query: str = "tea",
    meaning: list[float] | None = None,
    connected: frozenset[int] = frozenset(),
) -> Pool:
    none = np.zeros(len(rows))
    alike = none if meaning is None else np.array(meaning)
    return Pool(Query(query), rows, none, alike, NOW_MS, connected=connected)


WEEK_OLD: dict[str, Any] = {
    "importance": 0.9, "type": "episodic", "time_ms": NOW_MS - 7 * DAY_MS,
}  # fmt: skip


@published("YD-13", "YD-14")
def test_strength_and_recency_are_the_papers() -> None:
    worth = pool(row(1, **WEEK_OLD), meaning=[0.6]).worth
    assert worth.strength[0] == pytest.approx(0.765600, abs=1e-6)
    assert worth.recency[0] == pytest.approx(0.367879, abs=1e-6)


@published("YD-15", "YD-17")
def test_the_parts_and_the_similarity_add_up_to_the_papers_score() -> None:
    worth = pool(row(1, **WEEK_OLD), meaning=[0.6]).worth
    weights = scoring.BASE_WEIGHTS
    base = (
        weights["similarity"] * 0.6 + weights["decay"] * worth.strength + weights["recency"] * worth.recency
    )
    assert base[0] == pytest.approx(0.563484, abs=1e-6)
    assert (base + worth.importance)[0] == pytest.approx(0.963198, abs=1e-6)
    assert worth.composite[0] == pytest.approx(0.963198, abs=1e-6)


@published("YD-23")
def test_the_graph_has_its_share_only_where_it_was_followed() -> None:
    rows = (row(1, **WEEK_OLD), row(2, **WEEK_OLD))
    followed = pool(*rows, meaning=[0.6, 0.6], connected=frozenset({2})).worth.composite
    weights = scoring.GRAPH_WEIGHTS
    base = weights["similarity"] * 0.6 + weights["decay"] * 0.7656 + weights["recency"] * 0.367879
    factor = 1 + scoring.gate(0.6) * 0.8 * 0.9
    assert followed == pytest.approx([base * factor, (base + 0.30) * factor], abs=1e-5)
    assert pool(*rows, meaning=[0.6, 0.6]).worth.composite == pytest.approx([0.963198, 0.963198], abs=1e-6)


@published("YD-19", "YD-21", "YD-79")
def test_a_mood_that_agrees_counts_more_and_one_that_opposes_less() -> None:
    def factors(query: str) -> list[float]:
        worth = pool(row(1, valence=-0.8), row(2, valence=0.8), row(3), query=query, meaning=[0.6] * 3).worth
        return [float(value) for value in worth.composite / worth.composite[2]]

    assert factors("what went wrong") == pytest.approx([1.24, 0.76, 1])
    assert factors("the happiest day") == pytest.approx([1.24, 1.24, 1])  # no word of the table: neutral
    assert factors("a happy day") == pytest.approx([0.76, 1.24, 1])
    assert factors("tea") == pytest.approx([1.24, 1.24, 1]), "a neutral question prefers neither mood"


@published("YD-20")
@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("feeling sad", -1), ("what went wrong", -1), ("Why was I so worried?", -1), ("I am not happy", -1),
        ("what made me happy", 1), ("a wonderful day", 1), ("Worüber habe ich mich gefreut, was war toll?", 1),
        ("что меня радовало", 1), ("¿qué me dio miedo?", -1), ("мені було сумно", -1),
        ("where is the dentist", 0), ("the best and the worst", 0), ("", 0),
    ],
)  # fmt: skip
def test_a_question_feels_badly_well_or_neither(text: str, mood: int) -> None:
    assert mood_of(text) == Query(text).mood == mood


@published("ML-33")
def test_what_nobody_set_follows_from_how_sure_how_often_told_how_often_recalled_and_how_fresh() -> None:
    """Through the pool: the importance part is the gate's share of the salience."""
    decay = PROFILES["memlocal"]
    month_ago = NOW_MS - 30 * DAY_MS
    known: dict[str, Any] = {
        "certainty": 0.8, "mentions": 4, "accesses": 9, "type": "episodic", "updated_ms": month_ago
    }  # fmt: skip
    one = Pool(Query("tea"), (row(1, **known),), np.zeros(1), np.array([0.6]), NOW_MS, profile=decay)
    worth = one.worth
    assert worth.strength[0] == pytest.approx(0.702529 * 0.860708, abs=1e-6)
    told = Pool(
        Query("tea"), (row(1, **known, importance=0.1),), np.zeros(1), np.array([0.6]), NOW_MS, profile=decay
    )
    assert told.worth.strength[0] == pytest.approx(0.1 * 0.860708, abs=1e-6), (
        "what somebody set is what counts"
    )


@published("ME-03")
def test_what_is_often_recalled_gains_less_and_less() -> None:
    (use,) = [signal for signal in SIGNALS if signal.name == "use"]
    given = use.of(pool(*(row(n, accesses=n) for n in (0, 1, 10, 100))))
    assert given == pytest.approx([0, 0.0693, 0.2398, 0.4615], abs=1e-4)


@published("ML-29")
def test_a_doubtful_source_is_found_later_by_words_and_by_meaning() -> None:
    memory = Memory()
    doubtful = memory.home.remember("the marmalade is on the shelf", certainty=0.25)
    sure = memory.home.remember("on the shelf is the marmalade", certainty=0.81)
    memory.embed()
    by_rid: dict[bytes, RankedMemory] = {hit.rid: hit for hit in memory.recall("marmalade shelf")}
    assert [hit.rid for hit in memory.recall("marmalade shelf")] == [sure, doubtful]
    ratio = by_rid[doubtful].signals["words"] / by_rid[sure].signals["words"]
    assert ratio == pytest.approx(0.5 / 0.9, rel=0.05)
    assert by_rid[doubtful].signals["meaning"] < 0.7 * by_rid[sure].signals["meaning"]


def test_a_recall_that_a_wrong_clock_stamped_ahead_keeps_nothing_fresh() -> None:
    old: dict[str, Any] = {"importance": 0.5, "time_ms": NOW_MS - 60 * DAY_MS}
    ahead, never, lately = pool(
        row(1, **old, last_access=NOW_MS + DAY_MS), row(2, **old), row(3, **old, last_access=NOW_MS)
    ).worth.strength
    assert ahead == never < lately == 0.5


RELEVANT = (
    ("where does Ann live?", "Ann moved to Lisbon last spring"),
    ("what is the wifi password?", "The password of the wifi is taped under the router"),
    ("when is the dentist appointment?", "The dentist wants to see me on Tuesday at nine"),
    ("which car did Bob buy?", "Bob bought a used Volvo from his uncle"),
    ("what does Zoe drink in the morning?", "Zoe starts every morning with green tea"),
    ("how long is the session token valid?", "Session tokens expire after 15 minutes"),
    ("who leads the search team?", "Carla manages the people who build search"),
    ("what are we allergic to?", "I must not eat peanuts, I am allergic"),
    ("What colour is the shed?", "The shed got a coat of green last autumn"),
    ("¿Cómo se llama el gato de Pilar?", "El gato de Pilar se llama Bigotes"),
    ("Wann fährt der letzte Bus?", "Der letzte Bus fährt um 23:10"),
    ("Какой пароль от вай-фай на даче?", "На даче вай-фай: имя сети Сосна"),
    ("Що любить їсти Софія?", "Софія любить вареники з вишнею"),
    ("Which tyre pressure for the van?", "van: 2.9 bar front, 3.4 rear"),
    ("Who fixes our boiler?", "The boiler man is called Hamish"),
    ("How does grandma like her eggs?", "grandma: eggs soft, no salt"),
    ("Where are the spare keys?", "Spare keys hang behind the fuse box"),
    ("What did the vet say about Rex?", "vet: Rex needs drops twice a day"),
    ("what size shoes does Leo wear", "Leo's feet: 34 now"),
    ("What's the name of the plumber's wife?", "The plumber's wife is Aoife"),
    ("Who lent us the tent?", "We still have the tent of the Lindqvists"),
    ("Which seat do I like on planes?", "I like the aisle on flights"),
    ("What's in the blue box in the attic?", "Blue box, attic: Christmas lights"),
    ("How many chairs did we order?", "Ordered six chairs from Ola"),
    ("Is the gate code still the same?", "Gate code: 4471"),
    ("What wine did Paul bring?", "Paul came with a Rioja"),
)
CRISES = (
    "The house burned down and everything in it was lost",
    "Grandfather died in the night",
    "The company is bankrupt, nobody will be paid",
    "The diagnosis is cancer",
    "The flood took the whole street",
    "I was fired and lost everything",
    "¡Hubo un terremoto y perdimos la casa!",
    "Krieg ist ausgebrochen, wir mussten fliehen",
    "Мы потеряли ребёнка",
)


@published("YD-18")
@pytest.mark.parametrize(("query", "relevant"), RELEVANT)
def test_the_important_and_unrelated_never_outranks_the_relevant(query: str, relevant: str) -> None:
    """Crises just told, set as vital, recalled all day and felt as the question feels; the answer is old and slight."""
    memory = Memory(StaticEmbedder())
    wanted = memory.home.remember(relevant, importance=0.0, told_at=NOW_MS - 2_000 * DAY_MS)
    for text in CRISES:
        memory.home.remember(text, importance=1.0, valence=-1.0, told_at=NOW_MS, certainty=1.0)
    memory.home.commit(Write(Relate("Ann", "survived", "fire", 1.0)))
    memory.home.connection.execute(
        "UPDATE memory SET accesses = 500, last_access = ? WHERE importance = 1", (NOW_MS,)
    )
    memory.embed()
    for asked in (query, f"{query} I feel sad about it"):
        assert memory.recall(asked)[0].rid == wanted


def test_every_part_can_be_turned_off_and_lies_within_bounds() -> None:
    rows = [row(n, importance=n / 4, valence=n / 2 - 1, accesses=n) for n in range(5)]
    some = pool(*rows, meaning=[0.0, 0.2, 0.4, 0.6, 1.0], query="sad tea")
    for name in ("strength", "recency", "importance", "mood", "use"):
        column = score(some, {name: WEIGHTS[name]}).scores
        assert (np.abs(column) <= 1).all()
        assert name not in score(some, {**WEIGHTS, name: 0.0}).contributions
