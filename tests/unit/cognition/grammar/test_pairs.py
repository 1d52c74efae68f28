"""Typed claims of two tellings: what contradicts in ten languages, what changed, and what only looks alike."""

from typing import Any, Final

import pytest

from cognition.grammar import typed
from cognition.grammar.lexicon import LANGUAGES, languages_of, level
from cognition.grammar.pairing import disagreements
from cognition.grammar.typed import CLAIMS_MAX, Mode, TypedClaim, read_claims
from tests.unit.cognition.grammar.pairs import PAIRS, Pair


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.language}: {pair.newer[:40]}")
def test_a_pair_contradicts_in_what_it_says_or_not_at_all(pair: Pair) -> None:
    found = disagreements(read_claims(pair.older), read_claims(pair.newer), pair.near)
    assert [each.kind for each in found[:1]] == ([] if pair.kind is None else [pair.kind])


def test_every_language_has_pairs_that_contradict_and_one_that_has_changed() -> None:
    for language in LANGUAGES:
        kinds = {pair.kind for pair in PAIRS if pair.language == language}
        assert None in kinds
        assert len(kinds) > 2


@pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if pair.kind is not None], ids=lambda pair: pair.newer[:40]
)
def test_whoever_speaks_of_somebody_else_contradicts_nothing(pair: Pair) -> None:
    other = "Bartholomew has two ducks and a pond."
    assert disagreements(read_claims(other), read_claims(pair.newer), pair.near) == []
    assert disagreements(read_claims(pair.older), read_claims(other), pair.near) == []


def test_leveling_keeps_every_letter_at_its_place() -> None:
    for text in ("Élodie Straße łódź Їжак", "it’s 5 €", "Œuvre"):
        assert len(level(text)) == len(text)
    assert level("Élodie Straße") == "elodie strase"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Katze ist auf dem Dach", "de"),
        ("the cat is on the roof", "en"),
        ("le chat est sur le toit", "fr"),
        ("kot jest na dachu i nie chce się ruszyć", "pl"),
        ("кот на крыше и это не мой", "ru"),
        ("кіт на даху і це не мій", "uk"),
    ],
)
def test_a_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language in languages_of(level(text))
    assert len(languages_of(level(text))) < len(LANGUAGES)


def test_levels_goals_and_events_are_not_states() -> None:
    modes = {
        "The cat weighs 4 kg": Mode.LEVEL,
        "Maybe the rent will be 400 € a month": Mode.GOAL,
        "Paid 400 € for the tyres yesterday": Mode.EVENT,
        "The rent is 400 € a month": Mode.STATE,
    }
    for text, mode in modes.items():
        assert {claim.mode for claim in read_claims(text).claims} == {mode}, text


def test_half_an_hour_is_thirty_minutes_and_no_contradiction() -> None:
    older, newer = "The Tock reports every 30 minutes.", "By default a Tock reports every half hour."
    assert disagreements(read_claims(older), read_claims(newer), 0.5) == []
    assert disagreements(read_claims(older), read_claims("By default a Tock reports every 45 minutes."), 0.5)


def test_the_word_behind_an_hour_is_nothing_that_happens_then() -> None:
    older = read_claims("Vergadering van maandag is verplaatst naar dinsdag om 10 uur")
    assert disagreements(older, read_claims("overmorgen sporten om 7 uur 's ochtends"), 0.5) == []
    older = read_claims("Koor is op donderdag om 19 uur")
    (found,) = disagreements(older, read_claims("Koor is op donderdag om 20 uur"), 0.5)
    assert (found.kind, found.entity) == ("clock", "koor")


def test_two_sums_of_different_orders_are_of_two_things() -> None:
    older, newer = "The pool costs 30 € a month.", "The pool was built for 300 € a month in wages."
    assert disagreements(read_claims(older), read_claims(newer), 0.6) == []


def test_a_table_gives_no_more_claims_than_a_telling_holds() -> None:
    assert (
        len(read_claims("; ".join(f"item {n} costs {n} € a month" for n in range(1, 200))).claims)
        <= CLAIMS_MAX
    )


def test_of_a_text_that_is_all_claims_a_bounded_number_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    make = typed._made

    def counted(*args: Any, **options: Any) -> TypedClaim:
        made.append(args)
        return make(*args, **options)

    monkeypatch.setattr(typed, "_made", counted)
    text = f"У {'мама ' * 300}. Моя мама. Мой папа. Моя сестра."
    assert len(read_claims(text).claims) <= CLAIMS_MAX
    assert len(made) <= 3 * CLAIMS_MAX


YEARS: Final = 0.5


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("Aunt Hilda is 71 years old.", "Aunt Hilda is 64 years old.", "age"),
        ("Mein Vater ist 58 Jahre alt.", "Mein Vater wird 66.", "age"),
        ("Ma mère a 70 ans.", "Ma mère fête ses 63 ans.", "age"),
        ("Papa ma 61 lat.", "Mój tata skończył 55.", "age"),
        ("My mum was born in 1953.", "Mum was born in 1955, says the doctor's card.", "born"),
        ("Мама родилась в 1953 году.", "Моя мама родилась в 1955 году.", "born"),
        ("Ewan Blair comes from Leith.", "Ewan Blair was born in Perth.", "origin"),
        ("Mia madre è nata a Bari.", "Mia madre viene da Lecce.", "origin"),
        ("Mijn vader komt uit Assen.", "Mijn vader is geboren in Zwolle.", "origin"),
        ("Minha mãe nasceu em Braga.", "A minha mãe é natural de Viseu.", "origin"),
        # One year older, another mother, another place of another kind, and who is not of whom it looks.
        ("Aunt Hilda is 71 years old.", "Aunt Hilda turns 72.", None),
        ("My mum was born in 1953.", "My dad was born in 1955.", None),
        ("My mum was born in 1953.", "My sister's mother was born in 1955.", None),
        ("Ewan Blair comes from Leith.", "Ewan Blair comes from Scotland.", None),
        ("I am 34 years old.", "When I was 10 years old we moved.", None),
        ("Bread is from Lidl.", "Bread is from Mercadona.", None),
    ],
)
def test_how_old_somebody_is_and_where_from_can_contradict(older: str, newer: str, kind: str | None) -> None:
    """A year more or less follows from when it was told; two mothers are two people."""
    found = disagreements(read_claims(older), read_claims(newer), 0.6, YEARS)
    assert [each.kind for each in found[:1]] == ([] if kind is None else [kind])


@pytest.mark.parametrize(
    ("older", "newer", "entity"),
    [
        ("Mona Jones's birthday is 3 May", "Mona Weber's birthday is 2 January", None),
        ("Kim Weber lives in Bonn", "Mona Weber lives in Leeds", None),
        ("Kim Weber habite à Lyon", "Mona Weber habite à Nantes", None),
        ("Kim Weber works at Acme", "Kim Jones works at Globex", None),
        ("Mona Jones's birthday is 3 May", "Mona Jones's birthday is 2 January", "mona jones"),
        ("Mona Jones's birthday is 3 May", "Mona's birthday is 2 January", "mona"),
        ("Kim Weber lives in Bonn", "Weber lives in Leeds", "weber"),
        ("With Ruth to see Mona, who was born on 3 May", "Mona Weber was born on 2 January", "mona"),
    ],
)
def test_whole_names_that_share_a_part_are_two_people(older: str, newer: str, entity: str | None) -> None:
    """A family was one person: each birthday in it contradicted every other."""
    found = disagreements(read_claims(older), read_claims(newer), 0.8)
    assert [each.entity for each in found] == ([] if entity is None else [entity])


def test_ends_of_what_has_two_names_are_two_ends() -> None:
    older = "The guarantee of the {}boiler runs until June 2026"
    newer = "In the folder: guarantee of the {}boiler, runs until May 2026"
    (found,) = disagreements(read_claims(older.format("")), read_claims(newer.format("")), 0.9)
    assert found.kind == "until"
    named = read_claims(older.format("Kerber ")), read_claims(newer.format("Lindner "))
    assert disagreements(*named, 0.9) == []


def test_what_is_told_at_length_is_no_heading_of_the_day_behind_it() -> None:
    def feasts(text: str) -> list[object]:
        return [claim.value for claim in read_claims(text).claims if claim.kind == "feast"]

    assert len(feasts("Marta is getting married! 14 June, in the chapel")) == 1
    assert feasts("Marta is getting married after all these many long years! 14 June, in the chapel") == []


def test_two_trades_in_one_sentence_are_nobodys() -> None:
    def trades(text: str) -> list[object]:
        return [claim.value for claim in read_claims(text).claims if claim.kind == "trade"]

    assert len(trades("I think Marcus teaches maths there")) == 1
    assert trades("I think Marcus teaches maths and is an accountant there") == []


@pytest.mark.parametrize("said", ["Pracuję w {}.", "Trabajo en {}.", "I work for {}."])
def test_an_employer_told_in_the_same_words_is_of_who_works_there(said: str) -> None:
    (found,) = disagreements(read_claims(said.format("Bosch")), read_claims(said.format("Siemens")), 0.9)
    assert (found.kind, found.entity, found.in_same_words) == ("work", "owner", True)


@pytest.mark.parametrize(
    ("said", "employers"),
    [
        ("Ya no trabajo en Seat", []),
        ("No trabajo en Seat", []),
        ("Já não trabalho na Sonae", []),
        ("No, trabajo en Seat", ["seat"]),
        ("Nie pracuję w Orlen", []),
        ("No solo trabajo en Seat", ["seat"]),
    ],
)
def test_where_somebody_says_not_to_work_is_no_employer(said: str, employers: list[str]) -> None:
    assert [claim.value for claim in read_claims(said).claims if claim.kind == "work"] == employers


@pytest.mark.parametrize(
    ("had", "free"),
    [
        ("I am allergic to nuts", "I have no allergies"),
        ("Soy alérgica a las nueces", "No tengo alergias"),
        ("Je suis allergique aux noix", "Je n'ai aucune allergie"),
        ("Sono allergica alle noci", "Non ho allergie"),
    ],
)
def test_who_says_to_have_no_allergies_speaks_of_themselves(had: str, free: str) -> None:
    (found,) = disagreements(read_claims(had), read_claims(free), 0.6)
    assert (found.kind, found.entity) == ("allergy", "owner")
    assert not disagreements(read_claims(had), read_claims("I think the baby has no allergies"), 0.6)
