"""Many windows of one browser: each hears what changes, and none shows more once the browser has signed out."""

from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.browser import Panel, launch_url, panel
from tests.support.memories_page import open_memories

# A browser opens six connections to one address.
_WINDOWS = 8
# Longer than a notice is shown.
_NOTICED_MS = 8_000
_HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
_SHOW = _HIDE.replace("true,", "false,", 1)
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
        # What was noticed before, and an editor that nobody has typed in, are no reason to stay.
        open_memories(idle)
        _editor(idle)
        idle.evaluate("async () => (await import('/js/toasts.js')).notice('Saved: the spare key')")
        open_memories(page).get_by_role("button", name="Remember something").click()
        page.get_by_label("What to remember").fill("Ask Moser for the bill")
        changed = _editor(page)
        changed.fill("The spare key is under the mat")
        page.evaluate("async () => (await import('/js/toasts.js')).notice('Saved: the spare key')")
        leaving = laptop.page("#/settings")
        leaving.get_by_role("button", name="Sign this browser out").click()
        for each in (leaving, idle):
            expect(each.get_by_role("heading", name="Open the panel from this device")).to_be_visible()
        notice = page.get_by_role("alert").filter(has_text="samemind panel")
        expect(notice).to_be_visible()
        expect(page.locator(".toast")).to_have_count(1)
        expect(told).to_be_hidden()
        expect(changed).to_be_hidden()
        expect(page.locator(".card, .row").filter(visible=True)).to_have_count(0)
        expect(page.get_by_label("What to remember")).to_be_visible()
        expect(page.get_by_label("What to remember")).to_have_value("Ask Moser for the bill")
        page.wait_for_timeout(_NOTICED_MS)
        expect(notice).to_be_visible()
        leaving.goto(launch_url(laptop.home))
        expect(changed).to_be_visible()
        expect(changed).to_have_value("The spare key is under the mat")
        expect(page.locator(".toast")).to_have_count(0)


def test_a_window_heeds_who_answers_when_it_comes_back(laptop: Panel) -> None:
    """Another device may serve the address by then: what the first one remembered is not shown as the other's."""
    page = laptop.page("#/memories")
    page.evaluate(_HIDE)
    answers = "**/panel/session"
    page.route(answers, lambda route: _answered(route, name="shelf"))
    page.evaluate(_SHOW)
    expect(page.locator("#whoami")).to_have_text("shelf")
    page.unroute(answers)
    page.evaluate(_HIDE)
    page.route(answers, lambda route: _answered(route, name="attic", device_id="77" * 32))
    page.evaluate("document.body.dataset.before = 'yes'")
    page.evaluate(_SHOW)
    expect(page.locator("body:not([data-before])[data-ready]")).to_be_attached()
    page.unroute(answers)


def _editor(page: Page) -> Locator:
    page.locator(".card-text").first.click()
    editor = page.get_by_label("Edit memory")
    expect(editor).to_be_focused()
    return editor


def _answered(route: Route, **session: str) -> None:
    route.fulfill(json={**route.fetch().json(), **session})
