"""What somebody lives in that is no place is nobody's home, in any language; towns that sound like it are."""

import pytest

from cognition import read_text
from cognition.grammar.typed import read_claims
from cognition.nowhere import is_nowhere

NOWHERE = """
Ich lebe in Angst.
Ich lebe in der Vergangenheit.
Ich lebe in ständiger Angst.
Wir leben in Harmonie.
Ich lebe in Trennung.
Max lebt in Saus und Braus.
Ich wohne in einer WG.
I live in fear.
I live in the past.
I live in a bubble.
She lives in denial.
J'habite en colocation.
Je vis dans la peur.
Vivo en paz.
Vivo en el pasado.
Mi madre vive en el miedo.
Vivo nella paura.
Vivo in affitto.
Vivo em paz.
A minha mãe vive no medo.
Ik leef in angst.
Ik woon in onderhuur.
Mieszkam w strachu.
Żyję w przeszłości.
Я живу в страхе.
Живу в долг.
Я живу в страху.
Живу у борг.
""".strip().splitlines()
SOMEWHERE = """
Ich lebe in Freiburg.
Ich wohne in Frieda.
I live in Hope.
We live in Harmony.
Vivo en La Paz.
J'habite à Paris.
Vivo a Roma.
Ik woon in Utrecht.
Я живу в Києві.
""".strip().splitlines()


def homes(text: str) -> list[str]:
    _, found = read_text(text, {}, now_ms=0)
    claimed = [each.value for each in found.statements if each.relation.startswith("lives_in")]
    claimed += [each.object for each in found.triples if each.predicate == "lives_in"]
    return [*claimed, *(str(each.value) for each in read_claims(text).claims if each.kind == "home")]


@pytest.mark.parametrize("text", NOWHERE)
def test_nobody_lives_there(text: str) -> None:
    assert homes(text) == []


@pytest.mark.parametrize("text", SOMEWHERE)
def test_somebody_lives_there(text: str) -> None:
    assert homes(text)


def test_a_name_is_a_place_though_it_means_something() -> None:
    assert [is_nowhere(each) for each in ("hope", "Hope", "Angst", "die Angst", "l'ansia", "La Paz")] == [
        True,
        False,
        True,
        True,
        True,
        False,
    ]


def test_a_program_that_one_moves_to_is_no_home_by_its_first_word() -> None:
    told = ("Zoom", "zoom for the meeting", "Python 3", "Oslo", "New Zoom")
    assert [is_nowhere(each) for each in told] == [True, True, True, False, False]
