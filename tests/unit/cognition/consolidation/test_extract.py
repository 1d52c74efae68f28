"""The words of a summary: the most important memory, then what the others add."""

from itertools import permutations

from cognition.consolidation.extract import CHARACTERS_MAX, Source, raised, summarise


def source(text: str, number: int = 1, importance: float | None = None, speaker: str | None = None) -> Source:
    return Source(bytes([number]), text, number, importance, speaker)


def test_yd_29_the_most_important_memory_leads_with_its_own_words() -> None:
    some = [
        source("We hiked around the lake", 1, 0.4),
        source("The hike around the lake took five hours", 2, 0.9),
        source("It rained on the hike", 3, 0.6),
    ]
    assert summarise(some).startswith("The hike around the lake took five hours")
    assert summarise([source("Only this", 1, 0.1)]) == "Only this"


def test_yd_29_the_others_add_what_is_new_in_them() -> None:
    some = [
        source("We hiked around the lake.", 1, 0.9),
        source("Around the lake we hiked. The ferry back was broken.", 2),
        source("Hiking around the lake!", 3),
    ]
    assert summarise(some) == "We hiked around the lake. The ferry back was broken."


def test_a_summary_does_not_hang_on_the_order_of_its_sources() -> None:
    some = [source(f"Thing {name} happened near {name}ville", at) for at, name in enumerate("abc")]
    assert len({summarise(each) for each in permutations(some)}) == 1


def test_the_older_of_two_that_matter_alike_leads() -> None:
    assert summarise([source("Later words here", 2), source("Earlier words there", 1)]).startswith("Earlier")


def test_who_speaks_is_named_where_i_would_be_somebody_else() -> None:
    some = [
        source("I passed the biology exam.", 1, 0.9, "Ann"),
        source("My cousin failed the chemistry exam.", 2, None, "Bob"),
    ]
    assert summarise(some) == "Ann: I passed the biology exam. Bob: My cousin failed the chemistry exam."
    alone = [some[0], source("My cousin failed the chemistry exam.", 2, None, "Ann")]
    assert (
        summarise(alone) == "I passed the biology exam. My cousin failed the chemistry exam."
    )  # it has a speaker


def test_a_summary_stays_short_and_keeps_its_lead_whole() -> None:
    long = " ".join(f"word{number}" for number in range(200))
    assert summarise([source(long, 1, 1.0), source("Something else entirely.", 2)]) == long
    many = [
        source(f"Number {number} tells about thing{number} and place{number}.", number)
        for number in range(1, 60)
    ]
    assert 0.8 * CHARACTERS_MAX < len(summarise(many)) <= CHARACTERS_MAX


def test_a_summary_matters_more_than_its_sources() -> None:
    assert raised([0.4, None, 0.2]) == 0.6
    assert raised([0.95, None]) == 1.0
