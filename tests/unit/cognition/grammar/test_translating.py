"""What is told in two languages is compared in the words of one."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from cognition.embedding.universal import UniversalEmbedder
from cognition.grammar.pairing import disagreements
from cognition.grammar.translating import MEANT_ALIKE_MIN, in_words_of, romanized
from cognition.grammar.typed import read_claims, told_by

EMBEDDER = UniversalEmbedder()


def kinds(older: str, newer: str, near: float = 0.4) -> list[str]:
    """Return in what two tellings contradict each other, read in the words of the older."""
    before, now = read_claims(older), read_claims(newer)
    now = in_words_of(before, now, older, newer, EMBEDDER.embed)
    return [each.kind for each in disagreements(before, now, near)]


def test_a_noun_means_what_it_means_in_another_language() -> None:
    older = "Die Terrasse: zwölf Stühle und vier Tische auf dem Gehweg."
    newer = "Told her what the terrace has: eight chairs at two tables on the pavement."
    assert "count" in kinds(older, newer)
    before, now = read_claims(older), read_claims(newer)
    assert "count" not in [each.kind for each in disagreements(before, now, 0.4)]


def test_a_rent_is_a_rent_and_a_salary_is_none() -> None:
    older = "Le loyer du local est de 1 150 € par mois."
    assert kinds(older, "Die Miete beträgt 1.480 € im Monat, sagt die Bank.") == ["money"]
    assert kinds(older, "Mein Gehalt ist 1.480 € im Monat, sagt die Bank.", 0.2) == []


def test_two_codes_are_of_two_things_where_only_the_word_for_a_code_is_shared() -> None:
    older = "De code van de fiets is 4829"
    assert kinds(older, "Il codice del garage è 4471") == []
    assert kinds(older, "Il codice della bici è 4471") == ["identifier"]
    assert kinds("mijn pincode is 4829", "Il codice del portone è 4471") == []


def test_a_medicine_is_known_in_other_letters() -> None:
    older = "Apteka: amlodypina 5 mg, jedna rano."
    newer = "На аптечку: амлодипін по 10 мг, одна щоранку."
    before, now = read_claims(older), read_claims(newer)
    read = in_words_of(before, now, older, newer, EMBEDDER.embed)
    assert "amlodypina" in read.words
    assert "amlodypina" in read.claims[0].subject


def test_one_name_is_one_in_two_alphabets() -> None:
    for latin, cyrillic in (("zosia", "зося"), ("danylo", "данило"), ("julia", "юлія"), ("sonja", "соня")):
        assert romanized(latin) == romanized(cyrillic)
    assert romanized("marek") != romanized("марко")


def test_texts_in_one_language_are_left_as_they_are() -> None:
    older, newer = "The chairs are blue.", "The seats are green."
    now = read_claims(newer)
    assert in_words_of(read_claims(older), now, older, newer, EMBEDDER.embed) is now


def test_what_somebody_says_of_themselves_is_said_of_them() -> None:
    theirs = read_claims("Lo de Théo es de película: quince años de contable.")
    own = "Bonjour. Je suis boulanger depuis dix ans."
    assert disagreements(told_by(read_claims(own), "Théo"), theirs, 0.3)[0].entity == "theo"
    assert disagreements(told_by(read_claims(own), "Jonas"), theirs, 0.3) == []
    assert disagreements(read_claims(own), theirs, 0.3) == []


@pytest.mark.parametrize(
    ("cosine", "is_put"), [(MEANT_ALIKE_MIN + 0.02, True), (MEANT_ALIKE_MIN - 0.02, False)]
)
def test_a_word_is_put_from_the_bar_on(cosine: float, is_put: bool) -> None:
    """The bar lies between what was measured: "chair" and "table" at 0.52, "tractor" and "trekker" at 0.75."""

    def vectors_of(words: Sequence[str]) -> NDArray[np.float32]:
        made = np.zeros((len(words), len(words) + 3), np.float32)
        for row, word in enumerate(words):
            if word == "chairs":
                made[row, 0] = 1
            elif word == "Stühle":
                made[row, :2] = cosine, (1 - cosine**2) ** 0.5
            else:
                made[row, row + 3] = 1
        return made

    older, newer = "We have six chairs in the kitchen", "Wir haben acht Stühle in der Küche"
    before, now = read_claims(older), read_claims(newer)
    assert ("chairs" in in_words_of(before, now, older, newer, vectors_of).words) is is_put
    assert 0.52 < MEANT_ALIKE_MIN <= 0.75
