"""Whole texts: what is found in them, whom it is about, and how sure it is."""

import string
import time
from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest

from cognition.contradictions.reading import read_statements
from cognition.extraction import Extraction, Fact, Triple, extract
from cognition.extraction.values import TEXT_CHARACTERS_MAX, beginning
from tests.support.published import published

TOLD_AT_MS = int(datetime(2023, 11, 14, 22, 13, tzinfo=UTC).timestamp() * 1_000)  # a Tuesday
ALICE = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin with her dog."


def read(text: str, speaker: str | None = "Ann", **options: object) -> Extraction:
    """Take a text apart as Ann said it that evening."""
    return extract(text, told_at_ms=TOLD_AT_MS, speaker=speaker, **options)  # type: ignore[arg-type]


def contents(text: str) -> list[str]:
    """Return what the facts of a text say."""
    return [fact.content for fact in read(text, "Ann").facts]


@published("PM-49")
def test_she_who_lives_in_berlin_is_alice() -> None:
    found = read(ALICE, speaker=None)
    assert [fact.content for fact in found.facts] == [
        "Alice is the tech lead at Stripe",
        "Alice prefers Python over Java",
        "Alice lives in Berlin with her dog",
    ]
    assert Triple("Alice", "works_as", "tech lead") in found.triples
    assert Triple("Alice", "lives_in", "Berlin") in found.triples
    assert {"Alice", "Stripe", "Berlin"} <= set(found.entities)


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ana is married to Paulo", Triple("Ana", "spouse", "Paulo")),
        ("Ana got married to Paulo Silva in Lisbon.", Triple("Ana", "spouse", "Paulo Silva")),
        ("Ana is happily married to her boss.", Triple("Ana", "relationship_status", "married")),
        ("Ana is engaged to Paulo", Triple("Ana", "relationship_status", "engaged")),
        ("Ana is pregnant with twins", Triple("Ana", "relationship_status", "pregnant")),
    ],
)
def test_a_spouse_is_who_somebody_is_married_to_and_a_status_is_one_word(text: str, triple: Triple) -> None:
    """The graph had an entity "married to Paulo"."""
    assert read(text, speaker=None).triples == (triple,)


@published("PM-49")
@pytest.mark.parametrize("speaker", [None, "Sam"])
@pytest.mark.parametrize("mark", ["'", "’"])
def test_the_papers_own_example_gives_the_role_the_firm_and_the_town(speaker: str | None, mark: str) -> None:
    """The row: the exact example yields Alice/role/Stripe and Alice/Berlin."""
    text = (
        f"Today I met Alice at the coffee shop. She{mark}s the new tech lead at Stripe and lives in Berlin. "
        "We discussed onboarding for the Q3 hire."
    )
    found = read(text, speaker)
    assert [fact.content for fact in found.facts][1:3] == [
        "Alice is the new tech lead at Stripe",
        "Alice lives in Berlin",
    ]
    assert {
        Triple("Alice", "works_as", "new tech lead"),
        Triple("Alice", "works_at", "Stripe"),
        Triple("Alice", "lives_in", "Berlin"),
    } <= set(found.triples)


@pytest.mark.parametrize(
    "text",
    [
        "I had lunch with Maria and Tom at the office. She works at Meta, and it rained all day.",
        "Maria works at Figma. I met Tom on Friday in the park. She lives in Oslo.",
        "I met Tom's sister in the park on Friday. She lives in Oslo, near the harbour.",
    ],
)
def test_she_is_nobody_where_more_than_one_was_met_or_spoken_of(text: str) -> None:
    assert not any(
        "lives in Oslo" in fact.content or "Meta" in fact.content for fact in read(text, None).facts
    )


@published("PM-38")
def test_somebody_lives_in_a_place() -> None:
    found = read("Maria lives in Porto. She has been there for a while, and it suits her well.", None)
    assert found.facts[0].content == "Maria lives in Porto"
    assert (found.facts[0].kind, found.facts[0].type) == ("fact", "spatial")


@published("PM-39")
def test_somebody_has_a_role_at_an_organisation() -> None:
    found = read("Omar is the head of design at Acme. We had lunch together in the new canteen.", None)
    assert found.facts[0].content == "Omar is the head of design at Acme"
    assert Triple("Omar", "works_as", "head of design") in found.triples
    assert Triple("Omar", "works_at", "Acme") in found.triples


@published("PM-40")
def test_a_choice_is_a_decision() -> None:
    (fact,) = read("After long talks it is settled. We chose Postgres over MySQL for the ledger.").facts
    assert (fact.kind, fact.content) == ("decision", "Ann chose Postgres over MySQL for the ledger")
    assert fact.triple == Triple("Ann", "chose", "Postgres")
    (nobody,) = read("After long talks it is settled. We use Redis for the cache of the shop.", None).facts
    assert (nobody.kind, nobody.content, nobody.triple) == (
        "decision", "We use Redis for the cache of the shop", None,
    )  # fmt: skip


@published("PM-41")
def test_a_founding_keeps_its_year() -> None:
    (fact,) = read("Acme was founded in 1999. Its first office was a shed behind the old mill.").facts
    assert (fact.content, fact.triple) == ("Acme was founded in 1999", Triple("Acme", "founded_in", "1999"))


@published("PM-42")
def test_an_allergy_is_a_fact_about_who_has_it() -> None:
    (fact,) = read(
        "Please mind the menu tonight, everyone. Bob has a peanut allergy, and it is severe."
    ).facts
    assert fact.content == "Bob has a peanut allergy"


@published("PM-43")
def test_who_says_their_name_is_the_speaker_from_then_on() -> None:
    found = read("Hello there, nice to meet you! My name is Bob Stone. I live in Oslo.", None)
    assert [fact.content for fact in found.facts] == ["my name is Bob Stone", "Bob Stone lives in Oslo"]
    assert found.facts[0].pattern == "identity"


@published("PM-45")
def test_a_text_of_59_characters_has_no_facts_and_one_of_60_has() -> None:
    text = "I live in Lisbon. I work at Google. It rains so hard today."
    assert len(text) == 59
    assert contents(text) == []
    assert contents(text + ".") == ["Ann lives in Lisbon", "Ann works at Google"]


@published("PM-45")
def test_one_sentence_has_no_facts_however_long() -> None:
    assert (
        contents("I live in Lisbon and I work at Google and I love to go out on the water in my boat.") == []
    )


@published("PM-45")
def test_of_twelve_facts_ten_are_kept_and_two_counted() -> None:
    found = read(" ".join(f"I bought a {letter}-thing." for letter in "abcdefghijkl"))
    assert (len(found.facts), found.dropped) == (10, 2)


@published("ML-27")
def test_confidence_lies_in_the_band_of_how_it_was_said() -> None:
    found = read("I live in Lisbon. I want to open a bakery. I might sell the old boat to Bob.")
    explicit, inferred, guessed = (fact.confidence for fact in found.facts)
    assert guessed < 0.5 <= inferred <= 0.8 < explicit


@published("ML-27")
@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan")])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence from 0 to 1"):
        Fact("Ann lives", "fact", "factual", confidence, "x")


@published("ML-28")
def test_what_is_below_the_floor_is_dropped_and_counted() -> None:
    text = "I live in Lisbon. I might sell the old boat to Bob, if he really wants it."
    (guess,) = (fact for fact in read(text).facts if fact.pattern == "considers")
    at, above = (read(text, confidence_min=floor) for floor in (guess.confidence, guess.confidence + 0.01))
    assert (len(at.facts), at.dropped) == (2, 0)
    assert (len(above.facts), above.dropped) == (1, 1)


@published("PM-37")
def test_a_fact_is_frozen_and_checked() -> None:
    (fact,) = read("Bob has a peanut allergy, and it is severe. Please mind the menu tonight.").facts
    with pytest.raises(AttributeError):
        fact.content = "Bob is well"  # type: ignore[misc]
    for content, kind, sort in (("", "fact", "factual"), ("x", "tale", "factual"), ("x", "fact", "mythical")):
        with pytest.raises(ValueError, match="expected"):
            Fact(content, kind, sort, 0.5, "x")


@published("ML-48")
@pytest.mark.parametrize("subject", ["she", "I", "They", "она", "ich", ""])
def test_a_triple_has_a_named_subject(subject: str) -> None:
    with pytest.raises(ValueError, match="named subject"):
        Triple(subject, "lives_in", "Lisbon")


@published("ML-48")
def test_i_is_the_speaker_and_without_one_there_is_no_triple() -> None:
    text = "I live in Lisbon. The sea is near, and the hills are steep as ever."
    assert read(text).triples == (Triple("Ann", "lives_in", "Lisbon"),)
    unnamed = read(text, None)
    assert (unnamed.triples, unnamed.facts[0].content) == ((), "I live in Lisbon")


@published("ML-49")
def test_the_same_words_of_two_speakers_are_facts_of_each() -> None:
    text = "I moved to Lisbon. My wife Eve works at Google, and we love the sea."
    for speaker, other in (("Ann", "Bob"), ("Bob", "Ann")):
        found = read(text, speaker)
        assert f"{speaker} moved to Lisbon" in [fact.content for fact in found.facts]
        assert f"Eve is {speaker}'s wife" in [fact.content for fact in found.facts]
        assert all(other not in fact.content and fact.speaker == speaker for fact in found.facts)


def test_a_pronoun_that_names_nobody_gives_no_fact() -> None:
    assert contents("She lives in Berlin. He works at Google, and they moved to Rome last year.") == []


def test_she_is_not_the_one_spoken_to() -> None:
    assert contents("Hey Melanie, how is your mother? She lives in Berlin now, as far as I know.") == []


def test_questions_wishes_and_conditions_state_nothing() -> None:
    assert contents("Do I live in Lisbon? If I live in Lisbon I swim. I wish I lived in Lisbon!") == []


@pytest.mark.parametrize("leaning", ["I love it!", "I bought your book.", "I love that.", "I met them."])
def test_what_leans_on_something_unsaid_is_left_out(leaning: str) -> None:
    assert contents(f"{leaning} The rest of the evening was rather quiet, all in all.") == []


def test_my_is_told_from_outside() -> None:
    assert contents("I took my kids to the zoo. My son loves my cooking, or so I am told.") == [
        "Ann took their kids to the zoo",
        "Ann's son loves Ann's cooking",
    ]


@published("ML-54")
def test_a_fact_carries_the_date_that_its_sentence_names() -> None:
    (fact,) = read("Last Friday I went to a pride parade. It was awesome, so much energy!").facts
    assert fact.content == "Ann went to a pride parade (10 November 2023)"
    assert fact.when is not None
    day = datetime(2023, 11, 10, tzinfo=UTC)
    assert fact.when.start_ms == int(day.timestamp() * 1_000)
    assert fact.when.end_ms == int((day + timedelta(days=1)).timestamp() * 1_000) - 1


def test_days_are_those_of_the_tellers_zone() -> None:
    text = "I went to a pride parade yesterday. It was awesome, so much energy everywhere!"
    tokyo = timezone(timedelta(hours=9))  # where it was the 15th already
    assert read(text).facts[0].content.endswith("(13 November 2023)")
    assert read(text, zone=tokyo).facts[0].content.endswith("(14 November 2023)")


def test_two_dates_in_a_sentence_date_none_of_its_facts() -> None:
    (fact,) = read("Yesterday I bought a car and tomorrow I sell it. What a strange week it has been!").facts
    assert fact.when is None


def test_a_preference_is_of_no_day() -> None:
    facts = read("Yesterday we were at the theater, Eve loves theater. It was quite an evening for us.").facts
    assert [(fact.content, fact.when) for fact in facts] == [("Eve loves theater", None)]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            "I've finally found my real muses: painting and pottery.",
            ["Ann has found their real muses: painting and pottery"],
        ),
        ("I have three dogs: Max, Rex and Bo.", ["Ann has three dogs"]),
        ("Guess what: I got a puppy.", ["Ann got a puppy"]),
        ("I'm grateful for the connection I have with my siblings.", []),
        (
            "We love prepping the feast and talking about what we're thankful for.",
            ["Ann loves prepping the feast"],
        ),
        ("I got some great news to share.", []),
        ("I felt inspired and like I got a new lease of life.", []),
    ],
)
def test_what_is_not_said_whole_is_no_fact(said: str, wanted: list[str]) -> None:
    """Each was read wrongly in talk that nobody wrote for the patterns."""
    assert contents(f"{said} What a strange and busy week it has been!") == wanted


@published("ML-34")
def test_one_text_gives_facts_of_several_types() -> None:
    text = (
        "We celebrated! Last Saturday I had a birthday party at the beach. My sister Eve came from Rome. "
        "I'm 32 years old now. I'm so grateful for all the friends around me. I love chocolate cake."
    )
    assert {fact.type for fact in read(text).facts} >= {"social", "semantic", "affective"}


@pytest.mark.parametrize(
    "text", ["", " ", ".", "?!", "\n\n", "I", "I am", "My name is", "a" * 100_000, "I. " * 9_999]
)
def test_no_text_is_too_odd(text: str) -> None:
    assert read(text).facts == ()


@pytest.mark.parametrize("language", ["en", "es", "de", "ru", "uk"])
def test_a_run_of_letters_without_a_space_is_read_in_no_time_and_hides_no_fact(language: str) -> None:
    """Such as a key that was pasted: patterns that begin anew at each of its letters held a device up for a minute."""
    run = "".join(Random(1).choices(string.ascii_letters + string.digits, k=15_000))
    began = time.process_time()
    extract(run, told_at_ms=0, language=language)
    assert time.process_time() - began < 5
    told = f"Ich wohne in Berlin. {'x9' * 7_500} Anna arbeitet bei Siemens in München."
    found = extract(told, told_at_ms=0, speaker="Tom").triples
    assert [(it.subject, it.object) for it in found] == [("Tom", "Berlin"), ("Anna", "Siemens")]


@pytest.mark.parametrize("padding", range(90))
def test_of_a_document_no_half_name_and_no_half_sentence_is_read(padding: int) -> None:
    sentence = "On that day we saw Clara Weber in Lisbon. "
    text = (padding * "a" + ". " + (TEXT_CHARACTERS_MAX // len(sentence) + 2) * sentence).strip()
    assert set(read(text).entities) <= {"Ann", "Clara Weber", "Lisbon"}
    swum = (TEXT_CHARACTERS_MAX - 40 + padding) // 9 * "We swam. " + padding % 9 * "x"
    claimed = read_statements(f"{swum}. Ann lives in New York. That is it.", told_at_ms=TOLD_AT_MS)
    is_whole = len(swum) + len(". Ann lives in New York. ") <= TEXT_CHARACTERS_MAX
    assert [each.value for each in claimed] == ["New York"] * is_whole


@pytest.mark.parametrize(
    ("text", "read_of_it"),
    [
        ("One. Two three.", "One. Two three."),
        ("One. Two three. Four", "One. Two three."),
        ("One\nTwo three and then", "One\n"),
        ("一。二三四五六七八九十一二三四五六七", "一。"),
        ("One two three and four", "One two three "),
        ("Onetwothreeandfourfive", "Onetwothreeandfo"),
    ],
)
def test_a_long_text_is_cut_where_a_sentence_or_else_a_word_ends(text: str, read_of_it: str) -> None:
    assert beginning(text, 16).rstrip(" ") == read_of_it.rstrip(" ")
