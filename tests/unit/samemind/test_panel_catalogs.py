"""The panel speaks every language that it has a catalog for, wholly."""

import re

import pytest

from tests.support.panel_texts import CATALOGS, MODULES, catalog, texts, texts_of

LANGUAGES = ("de", "es", "fr")
_BLANK = re.compile(r"\{\w+\}")


def test_texts_are_found_in_calls_and_choices_and_nowhere_else() -> None:
    source = """t("Plain") t(kind === "no" ? "One" : "Two", { n: "no" }) plural(count, "{n} a", "{n} b")
                call("no") t(name) h("p", {}, t("With \\\\"quotes\\\\""))"""
    found = list(texts_of(source.replace('\\\\"', '\\"')))
    assert found == ["Plain", "One", "Two", 'With "quotes"', "{n} a", "{n} b"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalog_has_every_text_and_no_other_and_fills_in_the_same(language: str) -> None:
    wanted, have = texts(), catalog(language)
    assert len(wanted) > 400
    assert [text for text in wanted if text not in have] == []
    assert [text for text in have if text not in wanted] == []
    assert {text for text in wanted if not have[text].strip()} == set()
    assert [
        text for text in wanted if sorted(_BLANK.findall(text)) != sorted(_BLANK.findall(have[text]))
    ] == []


def test_every_catalog_is_offered_and_every_one_that_is_offered_is_there() -> None:
    module = (MODULES / "i18n.js").read_text("utf-8")
    offered = re.search(r"export const CATALOGS = \[(.*)\]", module)
    assert offered is not None
    assert (
        re.findall(r'"(\w+)"', offered[1])
        == sorted(path.stem for path in CATALOGS.glob("*.js"))
        == [*LANGUAGES]
    )


def test_no_line_of_french_begins_with_a_mark_that_ends_a_sentence() -> None:
    """French sets a space before these, where a line may break unless that space forbids it."""
    assert [text for text in catalog("fr").values() if re.search(r" [;:!?»]|« ", text)] == []
