"""What a memory probably is, where nobody said it."""

import pytest

from cognition.ingest.guessing import guess


@pytest.mark.parametrize(
    ("text", "claims", "type"),
    [
        ("I live in Porto", [("owner", "lives_in", "Porto")], "spatial"),
        ("Ann loves sushi", [("Ann", "attitude:sushi", "likes")], "affective"),
        ("Ben is married to Eva", [("Ben", "spouse", "Eva")], "social"),
        ("I work at Novo", [("owner", "works_at", "Novo")], "factual"),
        ("I feel terrible today", [], "affective"),
        ("The gate is green", [], None),
    ],
)
def test_a_type_follows_from_what_is_claimed_or_felt(
    text: str, claims: list[tuple[str, str, str]], type: str | None
) -> None:
    assert guess(text, {}, claims).type == type
    assert guess(text, {"type": "procedural"}, claims).type is None, "its teller said it"


def test_what_happened_at_a_time_is_an_episode() -> None:
    assert guess("We painted the fence", {"event_start": 1}, []).type == "episodic"


@pytest.mark.parametrize(
    ("text", "valence"), [("I am so happy", 0.5), ("Ich bin traurig", -0.5), ("The gate is green", None)]
)
def test_how_it_feels_follows_from_its_words(text: str, valence: float | None) -> None:
    assert guess(text, {}, []).valence == valence
    assert guess(text, {"valence": 0.1}, []).valence is None


@pytest.mark.parametrize(
    ("text", "people", "places"),
    [
        ("I met Nora in Lisbon", ("Nora",), ("Lisbon",)),
        ("Tom lives in Berlin", ("Tom",), ("Berlin",)),
        ("J'habite à Lyon avec Marie", ("Marie",), ("Lyon",)),
        ("We flew to Portugal", (), ("Portugal",)),
        ("the gate is green", (), ()),
    ],
)
def test_people_and_places_are_told_apart(
    text: str, people: tuple[str, ...], places: tuple[str, ...]
) -> None:
    found = guess(text, {}, [])
    assert (found.people, found.places) == (people, places)
