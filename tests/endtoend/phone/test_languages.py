"""The page of a phone speaks the language of its browser, from the first visit on, and without a network."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.phone.conftest import PATIENCE_MS, Laptop, agreed, call
from tests.support.pages import offering
from tests.support.phone_texts import texts, whole_catalog

# All that is shown or read out now, each text by itself.
_SAID: Final = """() => {
  const said = [document.title];
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const { parentElement, data } = all.currentNode;
    if (!parentElement.closest("noscript, bdi, script") && parentElement.checkVisibility()) said.push(data.trim());
  }
  for (const each of document.querySelectorAll("[aria-label], [placeholder]")) {
    said.push(each.getAttribute("aria-label"), each.getAttribute("placeholder"));
  }
  return said.filter(Boolean);
}"""
_TOP: Final = "(element) => element.getBoundingClientRect().top"


@contextmanager
def opened(chromium: Browser, url: str, locale: str) -> Iterator[Page]:
    """Open the page in a browser of a language; it may complain of nothing."""
    context = chromium.new_context(
        viewport={"width": 360, "height": 780}, has_touch=True, is_mobile=True, locale=locale
    )
    complaints: list[str] = []
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(url)
    yield page
    context.close()
    assert complaints == []


def ready(page: Page) -> None:
    page.locator("html[data-ready]").wait_for(state="attached")


def speaks(page: Page, language: str) -> None:
    """Of all that is shown, nothing is a text that has other words in this language."""
    catalog = whole_catalog(language)
    english = {text for text in texts() if catalog[text] != text}
    assert english & {*page.evaluate(_SAID)} == set()


def test_the_first_minutes_in_german(laptop: Laptop, chromium: Browser) -> None:
    with opened(chromium, laptop.phone_url, "de-AT") as page:
        press: Callable[[str], None] = lambda name: page.get_by_role("button", name=name, exact=True).click()  # noqa: E731
        field = page.locator("#say")
        begin_in_german(page)
        expect(page.get_by_text("Noch ist nichts gemerkt.")).to_be_visible()

        field.fill("Erinnere mich daran, morgen um 9 Anna anzurufen")
        press("Merken")
        expect(page.locator(".notice")).to_have_text("Gemerkt. Fällig: morgen, 09:00.")
        field.fill("Mein Passwort für das WLAN ist hunter2secret99")
        press("Merken")
        expect(page.get_by_role("alert").filter(has_text="Das sieht geheim aus")).to_be_visible()
        press("Trotzdem merken")
        field.fill("Die Zahnärztin ist in der Hauptstraße 12")
        press("Merken")
        expect(page.locator(".card")).to_have_count(3)
        expect(page.get_by_role("heading", name="Heute")).to_be_visible()

        field.fill("Wo ist die Zahnärztin?")
        expect(page.get_by_role("status").filter(has_text="1 Erinnerung gefunden")).to_be_visible()
        press("Leeren")
        press("Rückgängig")
        expect(field).to_have_value("Wo ist die Zahnärztin?")
        press("Leeren")

        page.locator(".card-open").filter(has_text="hunter2").click()
        press("Vergessen")
        expect(page.get_by_text("Endgültig vergessen, auf jedem Gerät?")).to_be_visible()
        press("Vergessen")
        expect(page.locator(".notice").filter(has_text="Vergessen, auf allen")).to_be_visible()
        expect(page.locator(".card")).to_have_count(2)
        speaks(page, "de")

        for text in ("Ich wohne in Bern", "Ich wohne in Basel"):
            field.fill(text)
            press("Merken")
            page.locator("#say:placeholder-shown").wait_for()
        page.get_by_role("link", name="Fragen").click()
        expect(page.locator(".question")).to_contain_text("Du: wo du wohnst")
        speaks(page, "de")
        press("Beides: Es sind zwei Dinge")
        expect(page.locator(".decided")).to_contain_text("Als verschiedene Dinge behalten")
        press("Rückgängig")
        expect(page.locator(".question")).to_have_count(1)

        page.get_by_role("link", name="Fällig").click()
        expect(page.get_by_role("heading", name="Demnächst")).to_be_visible()
        speaks(page, "de")
        page.get_by_role("button", name="Fertig: Erinnere mich").click()
        expect(page.get_by_text("Nichts ist fällig.")).to_be_visible()


def test_it_pairs_in_german_and_stays_german_with_nobody_near(laptop: Laptop, chromium: Browser) -> None:
    with opened(chromium, laptop.phone_url, "de-DE") as page:
        begin_in_german(page)
        page.get_by_role("link", name="Geräte").click()
        code, pair = (
            page.get_by_label("Code", exact=True),
            page.get_by_role("button", name="Koppeln", exact=True),
        )
        code.fill("no code")
        pair.click()
        expect(page.get_by_role("alert")).to_contain_text("Erwartet wird ein Code wie 417-maple-otter")
        code.fill("417-maple-otter")
        pair.click()
        expect(page.get_by_role("alert")).to_contain_text("Dort wird gerade kein Code gezeigt")
        speaks(page, "de")
        with offering(laptop.home) as (shown, command):
            code.fill(shown)
            pair.click()
            expect(page.get_by_role("heading", name="Gekoppelt mit laptop")).to_be_visible()
            command.communicate(timeout=60)
        agreed(page, laptop)
        expect(page.locator("#where")).to_have_text("Verbunden mit laptop")
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.locator("#where span").evaluate("(each) => each.scrollHeight <= each.clientHeight")
        assert page.locator("#where span").evaluate("(each) => each.scrollWidth <= each.clientWidth")
        (own,) = (each["name"] for each in call(page, "devices") if each["is_here"])
        assert own in laptop_names(laptop)
        speaks(page, "de")
        page.wait_for_function("() => navigator.serviceWorker.controller")
        laptop.running.end()
        page.reload()
        ready(page)
        expect(page.locator("#where")).to_have_text("Andere Geräte weg")
        speaks(page, "de")


@pytest.mark.parametrize(
    ("locale", "tabs", "says", "size"),
    [
        ("es-ES", "Recuerdos Pendiente Preguntas Dispositivos", "Recordado. Vence: mañana, 09:00.", r"\d,\d\sMB"),
        ("fr-FR", "Souvenirs Échéances Questions Appareils", "Retenu. Prévu : demain, 09:00.", r"\d,\d\sMo"),
        ("it-IT", "Memories Due Questions Devices", "Remembered. Due tomorrow, 09:00.", r"\d\.\d MB"),
    ],
    ids=["es", "fr", "it"],
)  # fmt: skip
def test_what_it_says_is_of_one_language_or_english(
    laptop: Laptop, chromium: Browser, locale: str, tabs: str, says: str, size: str
) -> None:
    with opened(chromium, laptop.phone_url, locale) as page:
        page.locator(".welcome button").click()
        ready(page)
        language = locale[:2] if locale != "it-IT" else "en"
        assert page.locator("html").get_attribute("lang") == language
        assert [each.inner_text().strip() for each in page.locator(".tab").all()] == tabs.split()
        page.locator("#say").fill("Remind me to call Anna tomorrow at 9")
        tops = [
            page.locator(each).evaluate(_TOP) for each in (".composer .voice", ".composer button.primary")
        ]
        assert abs(tops[0] - tops[1]) < 4, "side by side"
        page.locator(".composer button.primary").click()
        expect(page.locator(".notice")).to_have_text(says)
        for tab in page.locator(".tab").all():
            tab.click()
            page.wait_for_load_state("networkidle")
            if language != "en":
                speaks(page, language)
        expect(page.locator(".figures")).to_contain_text(re.compile(size))


def begin_in_german(page: Page) -> None:
    """Go through the first visit as somebody does who reads German."""
    expect(page.get_by_role("heading", level=2)).to_have_text("Dieser Browser wird eines deiner Geräte")
    assert page.locator("html").get_attribute("lang") == "de"
    speaks(page, "de")
    page.get_by_role("textbox").first.fill("Telefon")
    page.get_by_role("button", name="Beginnen").click()
    ready(page)
    speaks(page, "de")


def laptop_names(laptop: Laptop) -> set[str]:
    """Give the names of the laptop's group."""
    return {each["name"] for each in laptop.ask("peers list")["peers"]}
