"""What a device notices when it thinks: values that cannot both hold, told in other words, in one store or on two."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import read_claims
from samemind import BlockingMind


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "m.db") as opened:
        yield opened


def noticed(mind: BlockingMind) -> list[tuple[str, str, str]]:
    mind.think()
    return [(str(each), each.status, each.attention) for each in mind.contradictions()]


def test_two_homes_told_in_other_words_are_asked_about(mind: BlockingMind) -> None:
    older = mind.remember("Bring the ladder back: Barbara Jukes lives at 5 Weir Cottages, Stoke Amber.")
    newer = mind.remember("Barbara lives at 22 Corve View, the one with the green gate.")
    assert noticed(mind) == [("Barbara lives_in: 5 Weir Cottages or 22 Corve View", "open", "ask")]
    (found,) = mind.contradictions()
    assert (found.a.rid, found.b.rid) == (older.rid, newer.rid)


@pytest.mark.parametrize(
    ("older", "newer", "whose"),
    [
        ("I live in Los Angeles", "I live in LA", "owner"),
        ("Mieszkam w Toruniu.", "Mieszkam w Rzeszowie.", "owner"),
        ("Tom woont in Zwolle.", "Tom woont in Deventer.", "Tom"),
        ("Mamie habite au 12 rue des Lilas.", "Mamie habite au 21 rue des Lilas.", "Mamie"),
    ],
)
def test_a_home_told_in_the_same_words_is_of_who_lives_there(
    mind: BlockingMind, older: str, newer: str, whose: str
) -> None:
    mind.warmup()
    mind.remember(older, wait=True)
    mind.remember(newer, wait=True)
    assert [each.partition(":")[0] for each, _, _ in noticed(mind)] == [f"{whose} lives_in"]


def test_homes_that_two_people_tell_in_the_same_words_are_two_homes(mind: BlockingMind) -> None:
    mind.warmup()
    mind.remember("Mieszkam w Toruniu.", speaker="Ola", wait=True)
    mind.remember("Mieszkam w Rzeszowie.", speaker="Jan", wait=True)
    assert noticed(mind) == []


def test_what_was_told_of_an_earlier_time_is_the_older_side_whenever_it_comes(mind: BlockingMind) -> None:
    mind.remember("Nell: born 19/05/2020, says the passport form.", at="2026-07-14T10:00:00Z")
    mind.remember("Nell turns six on 9 May.", at="2026-04-20T10:00:00Z")
    assert noticed(mind) == [("Nell birthday: 9 May or 19/05/2020", "open", "ask")]


def test_a_price_is_mentioned_and_not_asked_about(mind: BlockingMind) -> None:
    mind.warmup()
    mind.remember("Committee notes: rent for a full plot is £62 a year, half plots £31.", wait=True)
    mind.remember("Explained the plots: a whole plot comes to sixty-eight pounds a year.", wait=True)
    ((_, status, attention),) = noticed(mind)
    assert (status, attention) == ("open", "mention")
    assert mind.contradictions(attention="ask").contradictions == []
    assert len(mind.contradictions(attention="mention")) == 1


def test_a_number_of_things_is_left_to_whoever_reads_the_nominees(mind: BlockingMind) -> None:
    """Most of such finds only look alike: fifteen hives here, eleven at the other end."""
    told = "The lower orchard has fifteen hives.", "Counted eleven hives in the lower orchard."
    assert disagreements(read_claims(told[0]), read_claims(told[1]), 0.8), "else there is nothing to leave"
    mind.warmup()
    older = mind.remember(told[0], wait=True)
    newer = mind.remember(told[1], wait=True, nominees=True)
    assert [each.rid for each in newer.nominees] == [older.rid]
    assert noticed(mind) == []


def test_two_lines_of_a_list_of_birthdays_are_two_people(mind: BlockingMind) -> None:
    mind.remember("Birthday Anna: 3 June.")
    mind.remember("Birthday Mum: 3 July.")
    assert noticed(mind) == []


def test_a_change_of_mind_is_not_raised(mind: BlockingMind) -> None:
    mind.remember("Barbara Jukes lives at 5 Weir Cottages.")
    mind.remember("Barbara has moved, she lives at 22 Corve View now.")
    assert [each for each in noticed(mind) if each[1] == "open"] == []


def test_what_was_decided_is_not_asked_again(mind: BlockingMind) -> None:
    mind.remember("Ask Barbara Jukes, she lives at 5 Weir Cottages.")
    newer = mind.remember("Barbara's flat in 22 Corve View has no lift.")
    mind.remember("a walk in the rain")
    noticed(mind)
    (found,) = mind.contradictions()
    mind.resolve(found.id, keep=newer.rid)
    for _ in range(2):
        assert [status for _, status, _ in noticed(mind)] == ["settled"]


def test_two_that_are_two_things_by_word_of_somebody_are_not_noticed(mind: BlockingMind) -> None:
    older = mind.remember("Barbara Jukes lives at 5 Weir Cottages.")
    newer = mind.remember("Choir list: Barbara lives at 22 Corve View.")
    mind.settle(older.rid, newer.rid, "two_things")
    assert [each for each in noticed(mind) if each[1] == "open"] == []


def test_speakers_who_tell_of_themselves_are_two_people(mind: BlockingMind) -> None:
    mind.remember("Ich wohne in Kassel, beim Bahnhof.", speaker="Jonas")
    mind.remember("Ich wohne in Fulda.", speaker="Camille")
    assert [each for each in noticed(mind) if each[1] == "open"] == []


def test_a_text_that_was_changed_is_compared_again(mind: BlockingMind) -> None:
    mind.remember("Barbara Jukes lives at 5 Weir Cottages.")
    other = mind.remember("Choir list: Barbara sings alto.")
    assert noticed(mind) == []
    mind.edit(other.rid, "Choir list: Barbara lives at 22 Corve View.")
    assert [status for _, status, _ in noticed(mind)] == ["open"]


def test_an_age_is_compared_with_the_time_that_went_by(mind: BlockingMind) -> None:
    """Eight years on somebody is eight years older, and two years less than that is another year of birth."""
    mind.remember("Onkel Heiner ist 60 Jahre alt.", at="2018-05-01T10:00:00Z")
    mind.remember("Onkel Heiner ist 68 Jahre alt.", at="2026-05-01T10:00:00Z")
    assert noticed(mind) == []
    mind.remember("Onkel Heiner wird 64, sagt Tante Ute.", at="2026-06-01T10:00:00Z")
    assert [(each.entity, each.relation, each.attention) for each in mind.contradictions()] == []
    ((text, status, attention),) = noticed(mind)
    assert text.startswith("Heiner born: about 19")
    assert (status, attention) == ("open", "quiet")


def test_the_mother_of_whoever_speaks_is_one_person(mind: BlockingMind) -> None:
    mind.remember("Mi madre nació en Gandía.", speaker="Inés")
    mind.remember("Mi madre es de Alcoy, por eso le gustan los moros.", speaker="Pep")
    assert noticed(mind) == []
    mind.remember("Mi madre viene de Xàtiva.", speaker="Inés")
    assert noticed(mind) == [("Inés's mother comes_from: Gandía or Xàtiva", "open", "quiet")]


def test_a_question_outlives_a_typo_and_is_gone_once_the_words_agree(mind: BlockingMind) -> None:
    mind.remember("The rent for the room is 430 € a month", at="2026-01-01")
    other = mind.remember("The rent for the room is 520 € a month")
    for words, status in (
        ("The rent for the room is 520 € a month!", "open"),
        ("The rent for the room is 430 € a month!", "settled"),
        ("The rent for the room is 540 € a month!", "open"),
    ):
        mind.think()
        mind.edit(other.rid, words)
        mind.think()
        (found,) = mind.contradictions()
        assert found.status == status
    mind.resolve(mind.contradictions()[0].id, keep_both=True)
    mind.edit(other.rid, "The rent for the room is 540 € a month.")
    mind.think()
    assert [each.status for each in mind.contradictions()] == ["settled"]


@pytest.mark.parametrize(
    ("between", "is_open"),
    [
        ("Wout werkt niet meer bij Philips", False),
        ("Daan werkt niet meer bij Philips", True),
        ("Wout werkt niet meer op vrijdag bij Philips", True),
    ],
)
def test_what_ended_between_two_tellings_is_no_contradiction(
    mind: BlockingMind, between: str, is_open: bool
) -> None:
    for text in ("Wout werkt bij Philips", between, "Wout werkt bij Heineken"):
        mind.remember(text, wait=True)
    assert bool(noticed(mind)) is is_open
