"""Every import of a newcomer, followed by what they ask first: their own facts are the owner's."""

from pathlib import Path
from typing import Final, NamedTuple

import pytest

import samemind
from tests.unit.samemind.test_exports_of_newcomers import EXPECTED, given


class Asked(NamedTuple):
    """A question, a word of the answer, and the name to say in the profile where no file says who brought it."""

    question: str
    word: str
    name: str | None = None


EN: Final = "where do I live?"
DE: Final = "wo wohne ich?"
FR: Final = "où est-ce que j'habite ?"
ASKED: Final = {
    "chatgpt_de": Asked(DE, "Köln"),
    "chatgpt_en": Asked(EN, "Leeds"),
    "claude_en": Asked(EN, "Galway"),
    "claude_fr": Asked(FR, "Nantes"),
    "csv": Asked(DE, "Graz"),
    "csv_daylio": Asked(EN, "Ghent"),
    "dayone": Asked(EN, "Konstanz"),
    "diary": Asked(EN, "Kendal"),
    "diary_lines": Asked(FR, "Lyon"),
    "diary_ru": Asked("где я живу?", "Казани"),
    "discord_exporter": Asked(EN, "Ghent", "Elke"),
    "discord_package": Asked(EN, "Ghent"),
    "gemini_en": Asked(EN, "Albuquerque"),
    "gemini_html": Asked(EN, "Oslo"),
    "gemini_html_de": Asked(DE, "Leipzig"),
    "gemini_html_fr": Asked(FR, "Nantes"),
    "keep": Asked(EN, "Porto"),
    "mbox": Asked(EN, "Leipzig", "Ann"),
    "mbox_gmail_de": Asked(DE, "Köln"),
    "mbox_thunderbird": Asked(EN, "Porto"),
    "plain": Asked(EN, "Derby"),
    "slack": Asked(EN, "Utrecht", "Min Lee"),
    "telegram_all": Asked(EN, "Riga"),
    "telegram_chat": Asked(EN, "Riga", "Nadia Petrova"),
    "vault": Asked(EN, "Ljubljana"),
    "whatsapp_de": Asked(DE, "Freiburg", "Jonas Weber"),
    # Her home is in a sentence of which no claim is read: "vivo en Málaga desde enero, ven a verme".
    "whatsapp_es": Asked("¿dónde trabajo?", "Unicaja", "Lucía"),
    "whatsapp_fr": Asked(FR, "Lyon", "Camille"),
    "whatsapp_gb": Asked(EN, "Hove", "Tom Hadley"),
    "whatsapp_pt": Asked("onde moro?", "Curitiba", "Beatriz"),
    "whatsapp_us": Asked(EN, "Tulsa", "Dana Parker"),
}


def test_every_export_is_asked_of_but_a_calendar() -> None:
    assert EXPECTED.keys() - ASKED.keys() == {"ics"}


@pytest.mark.parametrize("name", ASKED)
def test_the_first_answer_after_an_import_is_the_owners_own(tmp_path: Path, name: str) -> None:
    question, word, owner = ASKED[name]
    with samemind.open_blocking(tmp_path) as mind:
        mind.import_(given(name))
        if owner is not None:
            mind.set_profile(name=owner)
        mind.wait_for_queue()
        (first,) = mind.recall(question, k=1)
    assert word in first.text
    assert first.speaker == owner
