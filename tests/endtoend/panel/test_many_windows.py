"""Many windows of one browser: each hears what changes, and none shows more once the browser has signed out."""

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.support.browser import Panel, panel
from tests.support.memories_page import open_memories

# A browser opens six connections to one address.
_WINDOWS = 8
_NO_LOCKS = "Object.defineProperty(navigator, 'locks', { value: undefined })"


def test_more_windows_than_a_browser_has_connections_hear_what_changes(laptop: Panel) -> None:
    streams: list[Page] = []
    laptop.context.on(
        "request", lambda asked: streams.append(asked.frame.page) if "panel/events" in asked.url else None
    )
    windows = [laptop.page() for _ in range(_WINDOWS)]
    laptop.ask("remember", text="Heard in each window", no_facts=True)
    for each in windows:
        expect(each.locator("#pill")).to_have_text("1 memory")
    holder = streams[-1]
    assert len(set(streams)) == 1, "one of them holds the stream"
    holder.close()
    windows.remove(holder)
    laptop.ask("remember", text="Heard after the one that held the stream was closed", no_facts=True)
    for each in windows:
        expect(each.locator("#pill")).to_have_text("2 memories")
        expect(each.locator("#whoami")).to_have_text("laptop")


def test_a_browser_without_locks_hears_what_changes_too(laptop: Panel) -> None:
    windows = [laptop.page() for _ in range(2)]
    for each in windows:
        each.add_init_script(_NO_LOCKS)
        each.reload()
        each.locator("body[data-ready]").wait_for()
    laptop.ask("remember", text="Heard in each window", no_facts=True)
    for each in windows:
        expect(each.locator("#pill")).to_have_text("1 memory")


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
