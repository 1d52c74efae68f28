"""Many windows of one browser: each hears what changes, and none shows more once the browser has signed out."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.support.browser import Panel, panel
from tests.support.memories_page import open_memories


def test_who_signs_out_in_one_window_leaves_only_what_is_typed_in_others(
    chromium: Browser, tmp_path: Path
) -> None:
    with panel(chromium, tmp_path / "laptop", "laptop") as laptop:
        laptop.ask("remember", text="The spare key is under the pot")
        page, idle = laptop.page("#/memories"), laptop.page("#/memories")
        told = page.locator("#main").get_by_text("The spare key")
        expect(told).to_be_visible()
        open_memories(page).get_by_role("button", name="Remember something").click()
        page.get_by_label("What to remember").fill("Ask Moser for the bill")
        leaving = laptop.page("#/settings")
        leaving.get_by_role("button", name="Sign this browser out").click()
        for each in (leaving, idle):
            expect(each.get_by_role("heading", name="Open the panel from this device")).to_be_visible()
        expect(page.get_by_role("alert").filter(has_text="samemind panel")).to_be_visible()
        expect(told).to_be_hidden()
        expect(page.locator(".card, .row").filter(visible=True)).to_have_count(0)
        expect(page.get_by_label("What to remember")).to_be_visible()
        expect(page.get_by_label("What to remember")).to_have_value("Ask Moser for the bill")
