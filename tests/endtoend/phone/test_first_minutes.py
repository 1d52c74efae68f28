"""What somebody meets in the first minutes with a phone's page: a second tab, a browser that keeps nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, Playwright, ViewportSize, expect

from tests.endtoend.phone.conftest import PATIENCE_MS, Laptop, agreed, begin, pair, ready, tell
from tests.support.browser import connected

Open = Callable[[str], Page]
# Each side of the page's limit of words that are marked.
_FEW, _MANY = (" ".join(f"word{number}x" for number in range(count)) for count in (32, 33))
_SIZES: Final[tuple[ViewportSize, ...]] = ({"width": 740, "height": 340}, {"width": 390, "height": 700})


def test_a_second_page_says_how_it_stands_when_it_is_opened(laptop: Laptop, phone: Open) -> None:
    """And not how it stood when the first page was."""
    first = phone(laptop.phone_url)
    begin(first)
    for text in ("I live in Bern", "I live in Basel"):
        tell(first, text)
    pair(first, laptop)
    agreed(first, laptop)
    second = phone(laptop.phone_url)
    ready(second)
    expect(second.locator("#where")).to_have_text("Together with laptop")
    expect(second.locator('.tab[data-path="questions"] .badge')).to_have_text("1")


def test_a_browser_that_keeps_nothing_says_what_to_do_in_its_own_language(
    laptop: Laptop, playwright: Playwright, tmp_path: Path
) -> None:
    blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default" / "Preferences").write_text(
        json.dumps({**blocked, "intl": {"accept_languages": "de-DE", "selected_languages": "de-DE"}})
    )
    with connected(playwright, tmp_path) as context:
        (page,) = context.pages
        page.set_default_timeout(PATIENCE_MS)
        for _ in range(2):
            page.goto(laptop.phone_url)
            expect(page.get_by_role("heading", level=2)).to_contain_text("Dieses Gerät")
            expect(page.get_by_role("alert")).to_contain_text("bewahrt für diese Seite nichts auf")
            expect(page.get_by_text("noch gespeichert")).to_have_count(0)


def test_the_last_card_can_be_read_while_a_notice_stands(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    for number in range(12):
        tell(page, f"told as number {number}")
    for size in _SIZES:
        page.set_viewport_size(size)
        page.locator("#say").fill("something")
        page.get_by_role("button", name="Clear").click()
        notice = page.locator(".notice").filter(has_text="Cleared.")
        expect(page.locator(".card")).to_have_count(12)
        page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
        assert _bottom(page.locator(".card").last) <= _top(notice.last), size


def test_of_a_whole_page_that_is_typed_no_word_is_marked(laptop: Laptop, phone: Open) -> None:
    """Each would be looked for in each memory that is found: for seconds, while somebody types."""
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, f"{_MANY} {_MANY}")
    for text, marks in ((_FEW, 64), (_MANY, 0), (f"{_FEW} {_FEW}", 64)):
        page.locator("#say").fill(text)
        expect(page.locator(".composer-foot p")).to_contain_text("1 memory found")
        expect(page.locator("mark")).to_have_count(marks)


def test_a_memory_without_words_is_not_saved_and_is_no_error(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "The key is under the pot")
    card = page.locator(".card")
    card.get_by_role("button").click()
    card.get_by_role("button", name="Edit").click()
    field = card.get_by_label("The memory's words")
    field.fill("  ")
    card.get_by_role("button", name="Save", exact=True).click()
    expect(field).to_be_focused()
    expect(page.locator(".notice.error")).to_have_count(0)
    card.get_by_role("button", name="Leave as it was").click()
    expect(card).to_contain_text("The key is under the pot")


def _top(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def _bottom(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["y"] + box["height"]
