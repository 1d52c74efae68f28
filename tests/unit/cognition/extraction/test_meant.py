"""What a text says and does not mean: other people's words, suppositions, jokes, stories and dreams."""

import pytest

from cognition.extraction import extract
from cognition.extraction.meant import meant, own_words

REST = "The rest of the evening was rather quiet, all in all. Nobody minded that."


def contents(text: str) -> list[str]:
    """Return what the facts of a text say that Ann wrote, whatever is found in the rest of it."""
    found = extract(f"{text} {REST}", told_at_ms=1_700_000_000_000, speaker="Ann", language="en")
    return [fact.content for fact in found.facts]


@pytest.mark.parametrize(
    "text",
    [
        "If I win the lottery, I am moving to Fiji.",
        "Suppose I live in Paris.",
        "Imagine I work at Google.",
        "Let's say I moved to Oslo.",
        "What if I moved to Oslo, I love snow.",
        "In the movie, Tom is a spy at MI6.",
        "In my dream I lived in Paris and I adopted a cat.",
        "My character lives in Rivendell.",
        "According to Bob, I am married.",
        "Sure, I live in a castle and I own three yachts, right.",
        "Oh great, I just love waiting in line for hours.",
        "Just kidding, I am 90 years old.",
        "I bought a castle. Just kidding!",
        'My boss said "I live in Dallas and I love golf".',
        "My boss said “I live in Dallas. I love golf, and I moved to Rome.”",
        "> I live in Oslo. I work at Shell.\nNo idea about that.",
        "Sarah wrote: I moved to Rome.",
        "She told me, I am moving to Boston.",
        "I'm selling the boat if I get the job. I'm going to sell the car unless Bob calls.",
    ],
)
def test_what_is_not_meant_is_no_fact(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('I read "My Fair Lady" last week.', ["Ann read My Fair Lady (week of 6 November 2023)"]),
        ("Iffy or not, I moved to Oslo.", ["Ann moved to Oslo"]),
        ("I moved to Oslo, right after school.", ["Ann moved to Oslo"]),
        ("Great, I adopted a cat.", ["Ann adopted a cat"]),
        ("Here is the list: I adopted a cat.", ["Ann adopted a cat"]),
        ("I moved to Oslo. No kidding, the snow is deep.", ["Ann moved to Oslo"]),
        ("If you must know, I live in Rome.", ["Ann lives in Rome"]),
        ("That's what life is like, I moved to Oslo.", ["Ann moved to Oslo"]),
        ("In my book club, I met Sarah from Boston.", ["Ann met Sarah from Boston"]),
        ("I love This Is Us.", ["Ann loves This Is Us"]),
        ("I majored at U Penn.", ["Ann majored at U Penn"]),
        ("I play in a band called They Might Be Big.", ["Ann plays in a band called They Might Be Big"]),
        ("I got a second dog.", ["Ann got a second dog"]),
        ("I started at Siemens.", ["Ann started at Siemens"]),
        ("I started my new job at Meta.", ["Ann started their new job at Meta"]),
        ("A board of 5'10\" stood there. I adopted a cat.", ["Ann adopted a cat"]),
    ],
)
def test_what_only_looks_so_is_meant(text: str, wanted: list[str]) -> None:
    assert contents(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "If she comes, she comes. My mother met Eve. She lives in Lima.",
        "My brother is ill. She lives in Lima.",
        "My wife is ill. He works at Google.",
        "Anna came by. A friend was with her. She lives in Lima.",
        "My parents called. She lives in Lima.",
        "Anna has two dogs. The weather is fine. Much was said. She lives in Lima.",
    ],
)
def test_a_pronoun_that_may_be_of_two_or_of_the_other_sex_is_of_nobody(text: str) -> None:
    assert not [fact for fact in contents(text) if "Lima" in fact or "Google" in fact]


def test_a_pronoun_of_the_one_who_was_named_is_still_theirs() -> None:
    assert "Ann's wife lives in Lima" in contents("My wife is ill. She lives in Lima.")


@pytest.mark.parametrize(
    "text",
    [
        "I broke up with him.",
        "I tried their vanilla milkshake.",
        "I love her dearly.",
        "I want to know.",
        "I might forget.",
        "I found some skills are useful.",
        "I'm afraid the hall is full.",
        "I like the fish here.",
        "Ive tried a new bakery.",
        "I played one with friends.",
        "I work at the same company.",
        "We started at the beginning of the term.",
        "Things I read seem to be about me.",
        "We have been together for five years.",
        "I am allergic to mornings.",
        "I live in fear.",
    ],
)
def test_what_needs_the_talk_around_it_is_no_fact(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I took my daughter to her first recital.", ["Ann took their daughter to her first recital"]),
        ("Bob loves his car and met Eve in Rome.", ["Bob loves his car", "Bob met Eve in Rome"]),
        ("I made a plan to sail around Corsica.", ["Ann made a plan to sail around Corsica"]),
        ("I-I adopted a cat.", ["Ann adopted a cat"]),
        ("Mom loves tulips.", ["Ann's mom loves tulips"]),
        ("I met Dr. Bazida at the gym.", ["Ann met Dr. Bazida at the gym"]),
        ("I want to see the old walls of Xi'an.", ["Ann wants to see the old walls of Xi'an"]),
    ],
)
def test_what_can_be_read_alone_is_kept(text: str, wanted: list[str]) -> None:
    assert contents(text) == wanted


def test_own_words_keep_titles_and_lose_speech() -> None:
    assert own_words('He said "I love you all" and left.') == 'He said "" and left.'
    assert (
        own_words("We saw “The Lion King” and «Война и мир».") == "We saw “The Lion King” and «Война и мир»."
    )
    assert own_words("a > b | c") == "a > b | c"
    assert meant("> quoted\nOwn words.") == ("Own words.",)
