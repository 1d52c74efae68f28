"""What contradicts itself, settled by keys alone; and what a page says where its device is away, or a code is wrong."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import Panel, go

# Whether all that an empty field asks for can be read.
_FITS: Final = """(input) => {
  const style = getComputedStyle(input), drawn = document.createElement("canvas").getContext("2d");
  drawn.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return drawn.measureText(input.placeholder).width <= room;
}"""


def test_who_leaves_what_a_question_asks_for_stands_where_they_asked(laptop: Panel, page: Page) -> None:
    _two_cities(laptop)
    go(page, "questions")
    question, stands = page.locator(".question"), page.locator(":focus")
    question.get_by_role("button", name="It changed: since when?").press("Enter")
    expect(page.get_by_label("What is true now")).to_be_focused()
    page.keyboard.press("Escape")
    expect(stands).to_have_text("It changed: since when?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(stands).to_have_text("It changed: since when?")
    # What is asked next takes the place of what was asked before, and what was typed comes back.
    page.keyboard.press("Enter")
    neither = question.get_by_role("button", name="Neither: type what is right…")
    field = page.get_by_label("What is true instead")
    neither.press("Enter")
    expect(page.get_by_label("What is true now")).to_have_count(0)
    field.fill("I live in Olten")
    page.keyboard.press("Escape")
    expect(neither).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_have_value("I live in Olten")
    field.fill(" ")
    page.get_by_role("button", name="Remember this instead").press("Enter")
    expect(field).to_be_focused()
    expect(page.locator(".question.decided")).to_have_count(0)


@pytest.mark.parametrize("hours", [-12, 14])
def test_days_are_those_of_where_the_page_is(laptop: Panel, hours: int) -> None:
    """At any hour the day of one of these places is another than that of UTC."""
    _two_cities(laptop)
    with _elsewhere(laptop, timezone_id=f"Etc/GMT{-hours:+}") as page:
        go(page, "questions")
        page.get_by_role("button", name="It changed: since when?").click()
        before = _day_there(hours)
        told = page.get_by_label("Since when").input_value()
        assert before <= date.fromisoformat(told) <= _day_there(hours)
        before = _day_there(hours)
        go(page, "memories")
        page.get_by_role("button", name="Last week").click()
        field = page.get_by_label("From", exact=True)
        expect(field).not_to_have_value("")
        since = date.fromisoformat(field.input_value())
        assert before <= since + timedelta(days=7) <= _day_there(hours)


def test_what_was_merged_is_decided_again(laptop: Panel, page: Page) -> None:
    _two_cities(laptop)
    (asked,) = laptop.ask("contradictions list")["contradictions"]
    merged = laptop.ask("contradictions resolve", id=asked["id"], merge="I live in Basel, by the river")
    keep = {"id": asked["id"], "keep_a": True}
    assert laptop.owner.post("/api/v1/contradictions/resolve", keep).json["error"]["code"] == "merged"
    go(page, "questions")
    page.get_by_text("Settled", exact=True).click()
    row, stands = page.locator(".settled-row"), page.locator(":focus")
    row.get_by_role("button", name="Decide again").press("Enter")
    expect(stands).to_have_text("Bern")
    page.keyboard.press("Escape")
    expect(stands).to_have_text("Decide again")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".question.decided")).to_contain_text("Bern is true")
    expect(page.locator("body")).not_to_be_focused()
    for _ in range(100):
        if _held(laptop) == {"Bern"}:
            break
        page.wait_for_timeout(300)
    assert _held(laptop) == {"Bern"}
    assert laptop.owner.post("/api/v1/get", {"rid": merged["rid"]}).status == 404


def test_a_device_that_is_away_is_said_to_be_once_and_in_the_language_of_the_page(laptop: Panel) -> None:
    with _in_french(laptop) as page:
        page.route("**/api/v1/remember", lambda route: route.abort())
        page.keyboard.press("n")
        page.keyboard.type("La clé est sous le pot")
        for _ in range(2):
            page.keyboard.press("Enter")
            page.wait_for_timeout(300)
        told = page.get_by_role("alert").filter(has_text="L’appareil ne répond pas.")
        expect(told).to_have_count(1)
        expect(told).to_contain_text("Son service tourne-t-il encore")
        expect(page.get_by_label("Que retenir")).to_have_value("La clé est sous le pot")
    laptop.errors[:] = [each for each in laptop.errors if "Failed to load resource" not in each]


def test_what_the_empty_fields_ask_for_can_be_read_on_a_phone_that_is_turned(laptop: Panel) -> None:
    laptop.ask("remember", text="Ann moved to Lisbon", no_facts=True)
    with _in_french(laptop) as page:
        field = page.locator(".ask-input")
        expect(field).to_have_attribute("placeholder", re.compile("où habite Ann"))
        for width, height in ((740, 360), (360, 740)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(200)
            assert field.evaluate(_FITS), width
        expect(field).to_have_attribute("placeholder", "Interrogez votre mémoire")
        go(page, "memories")
        assert page.get_by_label("Chercher dans tous les souvenirs").evaluate(_FITS)


def test_why_a_code_pairs_nobody_stands_where_it_was_typed_in_the_language_of_the_page(laptop: Panel) -> None:
    with _in_french(laptop) as page:
        go(page, "devices")
        code = page.get_by_label("Code", exact=True)
        form = page.locator("form").filter(has=code)
        told, address = form.get_by_role("alert"), form.get_by_role("textbox").last
        for typed, at, why in (
            ("no code", "", "trois chiffres"),
            ("417-maple-xyzzy", "", "deux mots d’une liste"),
            ("417-maple-otter", "127.0.0.1:1", "sur ce réseau"),
        ):
            code.fill(typed)
            address.fill(at)
            page.keyboard.press("Enter")
            expect(told).to_contain_text(why)
            expect(code).to_be_focused()
        expect(page.locator(".toast")).to_have_count(0)
    laptop.errors[:] = [each for each in laptop.errors if "Failed to load resource" not in each]


def _two_cities(laptop: Panel) -> None:
    for text in ("I live in Bern", "I live in Basel"):
        laptop.ask("remember", text=text, wait=True)


def _held(laptop: Panel) -> set[Any]:
    (asked,) = laptop.ask("contradictions list")["contradictions"]
    return {each["value"] for each in asked["beliefs"] if each["standing"] == "held"}


def _day_there(hours: int) -> date:
    return datetime.now(timezone(timedelta(hours=hours))).date()


def _in_french(laptop: Panel) -> AbstractContextManager[Page]:
    return _elsewhere(laptop, locale="fr-FR")


@contextmanager
def _elsewhere(laptop: Panel, *, locale: str = "en-GB", timezone_id: str | None = None) -> Iterator[Page]:
    browser: Browser | None = laptop.context.browser
    assert browser is not None
    stored = laptop.context.storage_state()
    with browser.new_context(locale=locale, timezone_id=timezone_id, storage_state=stored) as context:
        yield replace(laptop, context=context).page()
