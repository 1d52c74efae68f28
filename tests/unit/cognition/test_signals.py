"""The signals one by one, on pools made by hand."""

from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

import numpy as np
import pytest

from cognition.embedding.lexicon import WordVectors
from cognition.embedding.static import StaticEmbedder
from cognition.ranking import signals
from cognition.ranking.pool import CandidateRow, Pool
from cognition.ranking.query import Query
from cognition.ranking.signals import SIGNALS, WEIGHTS, during, score
from cognition.ranking.signals.answers import WHATEVER
from cognition.ranking.stem import stem
from cognition.recall.stages import evidence
from cognition.times import Window, windows
from tests.support.published import published

NOW_MS = 1_700_000_000_000


def row(number: int, text: str, **known: object) -> CandidateRow:
    values: dict[str, object] = {
        "about": "",
        "speaker": None,
        "conversation": None,
        "position": None,
        "time_ms": 0,
        "importance": None,
        "accesses": 0,
        "last_access": 0,
    }
    values.update(known)
    return CandidateRow(id=number, rid=number.to_bytes(16), content=number, text=text, **values)  # type: ignore[arg-type]


def talk(*texts: str, speakers: str = "AB") -> list[CandidateRow]:
    """Turns of one conversation, its speakers in turn."""
    return [
        row(i, text, conversation="c", position=i, speaker=speakers[i % len(speakers)])
        for i, text in enumerate(texts)
    ]


def pool(
    query: str,
    rows: list[CandidateRow],
    *,
    words: list[float] | None = None,
    lexicon: WordVectors | None = None,
) -> Pool:
    none = np.zeros(len(rows))
    given = none if words is None else np.array(words)
    return Pool(Query(query), rows, given, none, NOW_MS, lexicon)


def given(name: str, of: Pool) -> list[float]:
    """Return what one signal gives, before its weight."""
    (signal,) = [signal for signal in SIGNALS if signal.name == name]
    return [round(float(value), 6) for value in signal.of(of)]


def test_every_signal_lies_between_zero_and_one_and_copes_with_an_empty_pool() -> None:
    rows = [
        *talk("When?", "In May 2023, with 5 friends", "ok"),
        row(9, "alone", importance=1.0, accesses=10**6),
    ]
    some = pool("how many friends, and when?", rows, words=[0.0, 1.0, 0.0, 0.0])
    for signal in SIGNALS:
        column = signal.of(some)
        assert column.shape == (4,)
        assert ((column >= 0) & (column <= 1.5)).all(), signal.name
    assert score(pool("x", [])).scores.shape == (0,)


def test_a_signal_without_weight_is_not_asked_and_says_nothing() -> None:
    scored = score(pool("tea", talk("tea")), {"echo": 2.0, "words": 0.0})
    assert set(scored.contributions) == {"echo"}
    assert scored.scores.tolist() == [2.0]


def test_a_score_is_the_sum_of_its_contributions() -> None:
    scored = score(pool("Did A drink tea in May?", talk("tea?", "in May", "yes, tea")))
    assert scored.scores == pytest.approx(sum(scored.contributions.values()))
    assert set(scored.contributions) == {name for name, weight in WEIGHTS.items() if weight}


def test_echo_counts_rare_terms_more_than_common_ones() -> None:
    rows = talk("tea walrus", "tea", "walrus", "tea and cake", "tea again")
    echo = given("echo", pool("tea walrus", rows))
    assert echo[0] == 1
    assert echo[2] > echo[1] > 0


def test_echo_meets_another_form_of_the_word_exactly() -> None:
    assert given("echo", pool("what did he deploy", talk("deployed it", "deploying", "a boat"))) == [1, 1, 0]


def test_echo_meets_a_word_of_like_meaning_by_word_vectors() -> None:
    lexicon = WordVectors(StaticEmbedder())
    rows = talk("my doctor called", "my bicycle is red")
    near, far = given("echo", pool("physician", rows, lexicon=lexicon))
    assert 1 > near > far


def test_covered_asks_the_turns_around_too() -> None:
    rows = talk("the walrus", "drinks", "tea", "and cake")
    assert given("covered", pool("walrus tea", rows))[1] == 1
    assert given("covered", pool("walrus tea", rows))[3] < 1


@published("ML-65")
def test_neighbours_never_come_from_another_conversation() -> None:
    rows = [row(1, "a", conversation="x", position=0), row(2, "b", conversation="y", position=1)]
    assert pool("a", rows).near[1].tolist() == [-1, -1]
    assert pool("a", talk("a", "b", "c", "d")).near[-2].tolist() == [-1, -1, 0, 1]


def test_a_turn_gains_from_a_question_just_before_it() -> None:
    rows = talk("how is the walrus?", "fine", "the walrus")
    assert given("answers", pool("walrus", rows, words=[1.0, 0.0, 1.0])) == [0, 1 + WHATEVER, 0]
    assert given("answers", pool("walrus", rows, words=[0.0, 0.0, 1.0])) == [0, WHATEVER, 0], "of whatever"
    told = talk("the walrus is back", "fine")
    assert given("answers", pool("walrus", told, words=[1.0, 0.0])) == [0, 0], "nobody asked"


def test_a_turn_gains_from_the_words_of_the_question_in_the_turn_after_it() -> None:
    told = talk("it bit me", "the walrus did?", "yes")
    assert given("ahead", pool("walrus", told)) == [1, 0, 0]
    alone = [row(1, "it bit me"), row(2, "the walrus did?")]
    assert given("ahead", pool("walrus", alone)) == [0, 0], "no talk"


def test_a_session_lifts_its_turns_and_a_memory_of_no_session_only_itself() -> None:
    rows = [*talk("walrus", "ok"), row(8, "seal"), row(9, "boat")]
    assert given("session", pool("walrus", rows, words=[1.0, 0.0, 0.5, 0.0])) == [1, 1, 0.5, 0]


@published("ML-49")
def test_what_another_one_said_is_ranked_below() -> None:
    rows = [row(1, "I moved to Lisbon", speaker="Bob"), row(2, "I moved to Lisbon", speaker="Ann Smith")]
    assert given("speaker", pool("Where did Ann move?", rows)) == [0, 1]
    assert given("speaker", pool("Who moved?", rows)) == [0, 0]


def test_a_question_when_wants_a_time_and_how_many_a_number() -> None:
    rows = talk("last week", "in 2021", "never mind", "two of them")
    assert given("when", pool("When did it happen?", rows)) == [1, 1, 0, 0]
    assert given("when", pool("Wann war das?", rows)) == [1, 1, 0, 0]
    assert given("when", pool("Who did it?", rows)) == [0, 0, 0, 0]
    assert given("quantity", pool("How many are there?", rows)) == [0, 1, 0, 1]


@published("YD-18")
def test_importance_counts_only_for_what_is_about_the_question() -> None:
    rows = [row(1, "a", importance=1.0), row(2, "b", importance=1.0), row(3, "c")]
    some = Pool(Query("x"), rows, np.zeros(3), np.array([0.05, 0.6, 0.6]), NOW_MS)
    unrelated, related, derived = given("importance", some)
    assert unrelated < 0.1
    assert related > 5 * unrelated
    assert unrelated < derived < related, "where nobody set it, it follows from what became of the memory"


def test_length_is_asked_of_talk_only() -> None:
    rows = [*talk("ok", "x" * 1_000), row(9, "a fact")]
    short, long, fact = given("length", pool("x", rows))
    assert short < 0.3
    assert long == fact == 1


@pytest.mark.parametrize(
    ("form", "other"),
    [
        ("deploying", "deployed"),
        ("cities", "city"),
        ("went", "go"),
        ("kids", "child"),
        ("boxes", "box"),
        ("loved", "love"),
    ],
)
def test_forms_of_a_word_have_one_stem(form: str, other: str) -> None:
    assert stem(form) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("red", "r"), ("thing", "th"), ("это", "эт")])
def test_a_stem_is_never_too_short_to_tell_words_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_file_is_a_signal_and_nothing_lists_it() -> None:
    folder = Path(signals.__file__).parent
    assert len(SIGNALS) == len(list(folder.glob("*.py"))) - 1
    assert len({signal.name for signal in SIGNALS}) == len(SIGNALS)
    fitted = [signal for signal in SIGNALS if signal.weight and not signal.prior]
    assert len(fitted) <= 15


def test_a_cosine_counts_by_how_far_it_stands_above_the_others() -> None:
    rows = [row(1, "a"), row(2, "b")]
    none = np.zeros(2)
    some = Pool(Query("x y"), rows, none, none, NOW_MS, standings=np.array([2.0, -1.0]))
    assert given("meaning", some) == [2.0, -1.0]
    assert given("meaning", Pool(Query("x y"), rows, none, none, NOW_MS)) == [0.0, 0.0]


def test_letters_find_what_a_slip_or_an_ending_hides() -> None:
    rows = [row(1, "the physiotherapist called"), row(2, "we bought apples"), row(3, "стоматолога не было")]
    slip, *others = given("grams", pool("phisiotherapist", rows))
    assert slip > 3 * max(others)
    assert given("grams", pool("стоматолог", rows)) == [0.0, 0.0, 0.372513]
    assert given("grams", pool("?!", rows)) == [0.0] * 3


def test_what_was_told_or_happens_at_the_time_that_was_asked_for_is_lifted() -> None:
    day = 86_400_000
    rows = [
        row(1, "planted garlic", time_ms=NOW_MS - day),
        row(2, "planted leeks", time_ms=NOW_MS - 40 * day),
        row(3, "the show is on 13 November 2023", time_ms=NOW_MS - 40 * day),
    ]
    assert given("during", pool("what did I do yesterday?", rows)) == [1.0, 0.0, 1.0]
    assert given("during", pool("what did I plant?", rows)) == [0.0] * 3


def test_each_text_is_looked_through_for_times_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order and how sure it is both ask for them: a twentieth of a recall that names a time."""
    looked: list[str] = []

    def look(text: str, now_ms: int, zone: tzinfo) -> tuple[Window, ...]:
        looked.append(text)
        return windows(text, now_ms, zone)

    monkeypatch.setattr(during, "windows", look)
    asked = pool("what did I do yesterday?", [row(1, "planted garlic"), row(2, "planted leeks")])
    score(asked)
    evidence(asked)
    assert sorted(looked) == ["planted garlic", "planted leeks", "what did I do yesterday?"]


def test_what_held_then_is_lifted_as_far_as_it_is_about_what_was_asked() -> None:
    rows = [row(1, "the bakery is in Bremen"), row(2, "chess is on Mondays"), row(3, "the bakery is in Kiel")]
    past = replace(pool("where was the bakery before", rows), then=frozenset([1, 2]))
    assert given("during", past) == [1.0, 0.0, 0.0]


def test_what_repeats_happens_on_each_of_its_days() -> None:
    """It is the 14th of November 2023, a Tuesday."""
    week, weekly = 7 * 86_400_000, "FREQ=WEEKLY;BYDAY=TU"
    rows = [
        row(1, "choir", event_start=NOW_MS, repeats=weekly),
        row(2, "chess", event_start=NOW_MS, repeats="FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        row(3, "dentist", event_start=NOW_MS),
        row(4, "camp", event_start=NOW_MS, event_end=NOW_MS + 50 * 86_400_000, repeats="FREQ=YEARLY"),
        row(
            5,
            "lessons",
            event_start=NOW_MS - week,
            event_end=NOW_MS - week,
            repeats=f"{weekly};UNTIL=20231130",
        ),
        row(6, "trip", event_start=NOW_MS + week, event_end=NOW_MS, repeats=weekly),
    ]
    assert given("during", pool("what is on 5 December 2023?", rows)) == [
        0.928571,
        0.0,
        0.0,
        0.0,
        0.0,
        0.928571,
    ]
    assert given("during", pool("what is on 14 November 2023?", rows)) == [1.0, 1.0, 1.0, 0.0, 0.928571, 0.0]
    assert given("during", pool("what is on 6 December 2023?", rows)) == [0.0] * 6


def test_what_repeats_in_every_such_stretch_says_half_as_much_of_one() -> None:
    """Not where it was told in it, or is on in it for the first time, at its first moment even."""
    start_ms, day = 1_701_388_800_000, 86_400_000  # the first of December 2023, a Friday
    told = {"time_ms": start_ms - 60 * day, "repeats": "FREQ=WEEKLY;BYDAY=FR"}
    rows = [
        row(1, "choir", **told, event_start=start_ms - 7 * day),
        row(2, "chess", **told, event_start=start_ms, event_end=start_ms + day - 1),
        row(3, "dance", **told | {"time_ms": start_ms + day}, event_start=start_ms - 7 * day),
        row(4, "rent", **told | {"repeats": "FREQ=YEARLY"}, event_start=start_ms - 356 * day),
        row(5, "show", **told | {"repeats": None}, event_start=start_ms + 3 * day),
        row(6, "course", **told | {"repeats": "FREQ=DAILY;COUNT=40"}, event_start=start_ms),
    ]
    whole = given("during", pool("what is on in December 2023?", rows))
    assert whole == pytest.approx([0.5, 1.0, 1.0, 1 - 0.5 * 31 / 365, 1.0, 1.0], abs=1e-6)
