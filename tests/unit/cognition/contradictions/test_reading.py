"""What a text claims: only what one thing can be true of, and whether it says that this has changed."""

from datetime import UTC, datetime

import pytest

from cognition.contradictions.reading import read_statements
from cognition.contradictions.wording import no_more
from cognition.extraction.values import Statement

TOLD_MS = int(datetime(2025, 6, 15, 12, tzinfo=UTC).timestamp() * 1_000)


def read(text: str, speaker: str | None = None) -> list[tuple[str, str, str]]:
    return [(each.entity, each.relation, each.value) for each in statements(text, speaker)]


def statements(text: str, speaker: str | None = None) -> tuple[Statement, ...]:
    return read_statements(text, told_at_ms=TOLD_MS, speaker=speaker)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("I work at Google", ("owner", "works_at", "Google")),
        ("We live in Boston", ("owner", "lives_in", "Boston")),
        ("I live in Los Angeles", ("owner", "lives_in", "Los Angeles")),
        ("I moved to The Hague last week", ("owner", "lives_in", "The Hague")),
        ("We moved to Den Haag", ("owner", "lives_in", "Den Haag")),
        ("I live in The Gambia", ("owner", "lives_in_country", "The Gambia")),
        ("I work at Le Monde", ("owner", "works_at", "Le Monde")),
        ("Ann lives in Germany", ("Ann", "lives_in_country", "Germany")),
        ("Ann lives in Texas", ("Ann", "lives_in_region", "Texas")),
        ("My wife Anna is great.", ("owner", "spouse", "Anna")),
        ("My birthday is May 17", ("owner", "birthday", "May 17")),
        ("Ann's birthday is 3 June", ("Ann", "birthday", "3 June")),
        ("Ann was born in Lisbon", ("Ann", "born_in", "Lisbon")),
        ("I'm vegan", ("owner", "diet", "vegan")),
        ("I love sushi", ("owner", "attitude:sushi", "likes")),
        ("I can't stand olives", ("owner", "attitude:olives", "dislikes")),
        ("My favorite color is blue", ("owner", "favorite:color", "blue")),
        ("I prefer tea to coffee", ("owner", "prefers:coffee|tea", "tea")),
        ("My email is a@b.org", ("owner", "email", "a@b.org")),
        ("My name is Bob", ("owner", "name", "Bob")),
        ("I'm friends with Bob", ("owner", "friends_with", "Bob")),
        ("Ich arbeite bei Google", ("owner", "works_at", "Google")),
        ("Vivo en Lisboa", ("owner", "lives_in", "Lisboa")),
    ],
)
def test_what_one_thing_can_be_true_of_is_claimed(text: str, claimed: tuple[str, str, str]) -> None:
    assert claimed in read(text)


def test_who_speaks_is_whom_i_means() -> None:
    assert read("I work at Google", speaker="Ann") == [("Ann", "works_at", "Google")]


@pytest.mark.parametrize(
    "text",
    [
        "Do you live in Boston?",
        "I'd love to live in Lisbon",
        "I wish I worked at Google",
        "If I lived in Paris, I would cook more",
        "Maybe I live in Boston",
        "I want to move to Berlin",
        "Next month I start at Meta",
        "I worked at Google for years",
        "I'm living in Paris for the summer",
        "I live in a small town",
        "I live in The",
        "I moved to Los",
        "I don't live in Boston",
        "I love that idea",
        "I love spending time with my family in the mountains",
        "I like it",
        "One of my favorite books is Dune",
        "The weather was nice today",
        "I left Paris yesterday",
        "I left Google at 6",
        "I don't drink coffee after noon",
        "I don't play guitar well",
        "My favorite song right now is Hey Jude",
        "I hate running late",
    ],
)
def test_what_is_asked_wished_past_planned_or_vague_claims_nothing(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I just started at Meta",
        "Ann moved to Lisbon",
        "I live in Berlin now",
        "I got a new job at Stripe",
        "I used to work at Google, but now I work at Meta",
        "I don't like sushi anymore",
        "I got married last week",
        "Actually I work at Meta",
        "I've switched: I work at Meta these days",
    ],
)
def test_words_of_change_are_noticed(text: str) -> None:
    assert [each.changes for each in statements(text)] == [True]


@pytest.mark.parametrize(
    "text", ["I work at Meta", "I live in Boston", "I still live in Boston", "I like tea"]
)
def test_where_nothing_is_said_to_have_changed_nothing_has(text: str) -> None:
    assert [each.changes for each in statements(text)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "I left Google",
        "I no longer work at Google",
        "I don't work at Google anymore",
        "I quit my job at Google",
        "I used to work at Google",
    ],
)
def test_an_end_is_told_from_a_change(text: str) -> None:
    (statement,) = statements(text)
    assert (statement.relation, statement.value, statement.ends) == ("works_at", "Google", True)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("Since March 2023 I work at Stripe", datetime(2023, 3, 1, tzinfo=UTC)),
        ("I've lived in Porto since 2019", datetime(2019, 1, 1, tzinfo=UTC)),
        ("I moved to Lisbon in May 2024", datetime(2024, 5, 1, tzinfo=UTC)),
    ],
)
def test_since_when_it_holds_is_read_where_it_is_said(text: str, since: datetime) -> None:
    (statement,) = statements(text)
    assert statement.valid_from == int(since.timestamp() * 1_000)


def test_the_last_word_of_a_text_counts() -> None:
    (statement,) = statements("I live in Porto. Sorry, I moved. I live in Lisbon.")
    assert statement.value == "Lisbon"


@pytest.mark.parametrize(
    ("said", "relations"),
    [
        ("Ich arbeite nicht mehr bei Siemens", ["works_at"]),
        ("Je n'habite plus à Lille", ["lives_in"]),
        ("Ya no trabajo en Correos", ["works_at"]),
        ("Non lavoro più da Ferrero", ["works_at"]),
        ("Ik werk niet meer bij Philips", ["works_at"]),
        ("Não moro mais em Braga", ["lives_in"]),
        ("Jutta arbeitet nicht mehr bei Siemens", ["works_at"]),
        ("Ruth is no longer married to Colin", ["spouse", "relationship_status"]),
        ("I am no longer employed by Asda", ["works_at"]),
        ("Ich wohne nicht mehr allein in Kassel", []),
        ("Je ne travaille plus le lundi chez Renault", []),
        ("Ya no vivo sola en Burgos", []),
        ("Quando non lavoro più da Ferrero vado al mare", []),
        ("Arbeite ich nicht mehr bei Siemens?", []),
    ],
)
def test_a_state_that_is_said_to_be_no_more_is_ended_in_any_language(said: str, relations: list[str]) -> None:
    found = read_statements(said, told_at_ms=TOLD_MS)
    assert [each.relation for each in found if each.ends] == relations


def test_where_somebody_lives_instead_is_a_change() -> None:
    (found,) = read_statements("Non abito più a Bologna, abito a Ferrara", told_at_ms=TOLD_MS)
    assert (found.value, found.changes, found.ends) == ("Ferrara", True, False)


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("Actually, I live in Hove", True),
        ("En realidad vivo en León", True),
        ("In realtà abito a Ferrara", True),
        ("Korrektur: ich wohne in Hagen", True),
        ("Vivo en León, y la realidad es que me gusta", False),
    ],
)
def test_whoever_corrects_themselves_says_that_something_changed(said: str, changes: bool) -> None:
    (found,) = read_statements(said, told_at_ms=TOLD_MS)
    assert found.changes is changes


def test_what_is_no_more_is_known_in_another_spelling() -> None:
    said = no_more("We no longer meet at Joe’s  Bar")
    assert said is not None
    assert said.ends("joe's bar")
    assert not said.ends("Jane's bar")
