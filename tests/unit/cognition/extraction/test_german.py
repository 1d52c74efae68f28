"""What Germans say of where they live and work is read as claims; written before anybody looked at the expressions."""

import pytest

from cognition import read_text

# Who, what, which: as people write it down.
TOLD = (
    ("Ich wohne mittlerweile in Bonn", "owner", "lives_in", "Bonn"),
    ("Wir leben seit zwei Jahren in Potsdam", "owner", "lives_in", "Potsdam"),
    ("Ich wohne allein in Jena", "owner", "lives_in", "Jena"),
    ("Bin nach Kassel gezogen", "owner", "lives_in", "Kassel"),
    ("Julia wohnt in Erfurt", "Julia", "lives_in", "Erfurt"),
    ("Max lebt derzeit in Berlin", "Max", "lives_in", "Berlin"),
    ("Ich wohne in Halle an der Saale", "owner", "lives_in", "Halle an der Saale"),
    ("Ich lebe wieder in Rostock", "owner", "lives_in", "Rostock"),
    ("Sabine ist nach Mannheim gezogen", "Sabine", "lives_in", "Mannheim"),
    ("Ich arbeite bei der Sparkasse", "owner", "works_at", "Sparkasse"),
    ("Ich arbeite seit Juni bei Bosch", "owner", "works_at", "Bosch"),
    ("Thomas arbeitet bei BMW", "Thomas", "works_at", "BMW"),
    ("Ich arbeite für die Caritas", "owner", "works_at", "Caritas"),
    ("Wir wohnen in Augsburg", "owner", "lives_in", "Augsburg"),
    ("Ich wohne noch in Chemnitz", "owner", "lives_in", "Chemnitz"),
    ("Ich wohne mit meiner Frau in Fulda", "owner", "lives_in", "Fulda"),
    ("Inzwischen lebe ich in Münster", "owner", "lives_in", "Münster"),
    ("Heidi wohnt jetzt in St. Gallen", "Heidi", "lives_in", "St. Gallen"),
    ("Ich bin vor einem Jahr nach Passau gezogen", "owner", "lives_in", "Passau"),
    ("Ich lebe seit 2020 in Wien", "owner", "lives_in", "Wien"),
)
NOT_TOLD = (
    "Früher wohnte ich in Essen",
    "Ich wohne nicht in Wien",
    "Ich würde gern in Rom wohnen",
    "Wenn ich in Wien wohne, brauche ich kein Auto",
    "Wohnst du in Berlin?",
    "Ich wohne nicht mehr in Wien",
    "Mein Chef wohnt fast in seiner Firma",
    "Ich lebe in der Hoffnung, dass es besser wird",
    "Ich wohne in einer Wohnung",
    "Anna sagt, Max wohnt vielleicht in Ulm",
    "Ich wohne bald in Köln",
)
# "Halle an der Saale" is cut at Halle, and "St. Gallen" at its dot.
READ_MIN = 18


def statements(text: str) -> set[tuple[str, str, str]]:
    _, found = read_text(text, {}, now_ms=1_790_000_000_000)
    return {(each.entity, each.relation, each.value) for each in found.statements if not each.ends}


def test_nearly_all_of_what_is_told_is_read() -> None:
    read = [text for text, *claim in TOLD if tuple(claim) in statements(text)]
    assert len(read) >= READ_MIN, [text for text, *_ in TOLD if text not in read]


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_not_told_is_not_read(text: str) -> None:
    assert not {relation for _, relation, _ in statements(text)} & {"lives_in", "works_at"}
