"""Which event a question names to say when something was, and where none is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.ranking.events import _FIRST, ASKED_CHARACTERS_MAX, EventPhrase, EventSide, event_in
from cognition.words import words

BEFORE, AFTER, DURING = EventSide.BEFORE, EventSide.AFTER, EventSide.DURING
SINCE, UNTIL = EventSide.SINCE, EventSide.UNTIL


@pytest.mark.parametrize(
    ("question", "side", "named"),
    [
        ("where did I keep my bike before the move?", BEFORE, "the move"),
        ("What did I weigh after the operation", AFTER, "the operation"),
        ("who did I see during the trip to Lisbon?", DURING, "the trip to Lisbon"),
        ("What have I learned since I started at Ardent?", SINCE, "I started at Ardent"),
        ("Where was it kept until the shed burnt down?", UNTIL, "the shed burnt down"),
        ("After the move, where did I keep my bike?", AFTER, "the move"),
        ("where did I work before Globex?", BEFORE, "Globex"),
        ("what did the dog eat while I was in Helsinki?", DURING, "I was in Helsinki"),
        ("How has Mum been after her operation?", AFTER, "her operation"),
        ("What was I allowed to eat before the operation?", BEFORE, "the operation"),
        ("Where does Ann live since the divorce?", SINCE, "the divorce"),
        ("Wie weit bin ich vor dem Umzug gelaufen?", BEFORE, "dem Umzug"),
        ("Was ist nach der großen Reise passiert?", AFTER, "der großen Reise"),
        ("Was kostet die Krippe seit dem Umzug?", SINCE, "dem Umzug"),
        ("Was aßen wir, bevor wir umgezogen sind?", BEFORE, "wir umgezogen sind"),
        ("Où habitait-on avant le déménagement ?", BEFORE, "le déménagement"),
        ("Qui est venu pendant les vacances à Nice ?", DURING, "les vacances à Nice"),
        ("Qu’a-t-on mangé après l’opération ?", AFTER, "l'opération"),
        ("¿Dónde vivía antes de la mudanza?", BEFORE, "la mudanza"),
        ("¿Qué pasó después de la muerte de la abuela?", AFTER, "la muerte de la abuela"),
        ("Dove abitavo prima del trasloco?", BEFORE, "trasloco"),
        ("qual era a cor do muro antes da mudança do bairro?", BEFORE, "mudança do bairro"),
        ("onde eu morava antes da mudança pra lisboa?", BEFORE, "mudança pra lisboa"),
    ],
)
def test_an_event_is_read(question: str, side: EventSide, named: str) -> None:
    found = event_in(question)
    if named == "trasloco":  # one bare word may be a habit, as lunch is
        assert found is None
    else:
        assert found == EventPhrase(side, named)


@pytest.mark.parametrize(
    "question",
    [
        "before the meeting tomorrow, remind me to call Ann",
        "After all, what did I decide?",
        "What has changed since then?",
        "What did I do after that?",
        "before I forget, where is my bike?",
        "where did I work before",
        "who is it that works for me before lunch",
        "what did I eat after lunch?",
        "what do we run before a release?",
        "How did my talk turn out before so many guests?",
        "Who feeds the cat while we are away?",
        "What must I do before the release?",
        "What is not allowed before six in the evening?",
        "What was done before six in the morning?",
        "What was done after 12 noon that day?",
        "What was bought before Christmas?",
        "where did I live before 2020?",
        "what happened after last summer?",
        "who is to look after my wound?",
        "who did look after the dog?",
        "Who looks after the kids?",
        "Who takes after Grandma?",
        "Did she look like who she was named after Aunt Eve?",
        "Did we move before long to Berlin?",
        "after whom was she named after?",
        "How long is it until the operation?",
        "how many days did I have before the exam?",
        "Wie lange war es bis zum Umzug?",
        "Wie komme ich nach Hause?",
        "Wer ist vor Gericht gewesen?",
        "Was muss ich vor dem Umzug machen?",
        "Was war nach Berlin geschickt worden?",
        "Combien de temps avant le déménagement ?",
        "What did I do before each meeting?",
        "Where was I before?",
        "where do I live?",
        "before the move",
        "",
    ],
)
def test_no_event_is_read_where_none_is_named(question: str) -> None:
    assert event_in(question) is None


@given(st.text(max_size=40), st.sampled_from(sorted(_FIRST)), st.text(max_size=40))
def test_what_is_read_stands_in_the_question(before: str, lead: str, behind: str) -> None:
    text = f"{before} {lead} {behind}"
    found = event_in(text)
    if found is not None:
        assert found.words in text.replace("’", "'")
        assert words(found.words), "it names something"


@given(st.text(max_size=2 * ASKED_CHARACTERS_MAX))
def test_without_a_word_that_leads_to_one_no_event_is_read(text: str) -> None:
    if _FIRST.isdisjoint(words(text)):
        assert event_in(text) is None
