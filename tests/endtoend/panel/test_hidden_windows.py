"""Windows that nobody looks at, as a browser hides and freezes them: one that is looked at hears what changes for all.

Playwright keeps each of its own pages visible; these belong to a browser to which it only connects.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from tests.support.browser import PATIENCE_MS, connected, go, launch_url
from tests.support.cli import daemon, run
from tests.support.memories_page import open_memories

_WINDOWS: Final = 3
_LOOKS: Final = {
    "minimized": "() => document.visibilityState === 'hidden'",
    "normal": "() => document.visibilityState === 'visible'",
}


class Windows:
    """Three windows of one browser that was let in, all of them looked at."""

    def __init__(self, home: Path, context: BrowserContext) -> None:
        self._home = home
        self._context = context
        assert context.browser is not None
        self._devtools = context.browser.new_browser_cdp_session()
        self._streams: list[Page] = []
        context.set_default_timeout(PATIENCE_MS)
        context.on(
            "request",
            lambda asked: self._streams.append(asked.frame.page) if "panel/events" in asked.url else None,
        )
        (first,) = context.pages
        first.goto(launch_url(home))
        first.locator("body[data-ready]").wait_for()
        self.all = [first, *(self._opened(first.url) for _ in range(1, _WINDOWS))]

    @property
    def holder(self) -> Page:
        """The window that opened the last stream."""
        return self._streams[-1]

    def tell(self, text: str) -> None:
        """Have the device remember something."""
        assert run(self._home, "remember", text, "--no-facts").code == 0

    def show(self, page: Page, state: str = "normal") -> None:
        """Bring a window back, or hide it, as its owner does."""
        devtools = self._context.new_cdp_session(page)
        window = devtools.send("Browser.getWindowForTarget")["windowId"]
        devtools.send("Browser.setWindowBounds", {"windowId": window, "bounds": {"windowState": state}})
        page.wait_for_function(_LOOKS[state])

    def freeze(self, page: Page, state: str = "frozen") -> None:
        """Hide a window and let nothing of it run; or let it run again."""
        self._context.new_cdp_session(page).send("Page.setWebLifecycleState", {"state": state})

    def crash(self, page: Page) -> None:
        """End the process of a window, which answers no more."""
        target = self._context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]["targetId"]
        talk = self._devtools.send("Target.attachToTarget", {"targetId": target, "flatten": False})
        message = json.dumps({"id": 1, "method": "Page.crash"})
        self._devtools.send(
            "Target.sendMessageToTarget", {"sessionId": talk["sessionId"], "message": message}
        )

    def _opened(self, url: str) -> Page:
        with self._context.expect_page() as opening:
            self._devtools.send("Target.createTarget", {"url": url, "newWindow": True})
        opening.value.locator("body[data-ready]").wait_for()
        return opening.value


@pytest.fixture
def windows(tmp_path: Path, playwright: Playwright, chromium: Browser) -> Iterator[Windows]:
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "laptop").code == 0
    with daemon(home, "--panel", "127.0.0.1:0"), connected(playwright, tmp_path / "profile") as context:
        yield Windows(home, context)


@pytest.mark.parametrize("happens", ["hidden", "frozen", "closed", "crashed"])
def test_the_stream_passes_on_when_its_window_is(windows: Windows, happens: str) -> None:
    gone = windows.holder
    others = [each for each in windows.all if each is not gone]
    match happens:
        case "hidden":
            windows.show(gone, "minimized")
        case "frozen":
            windows.freeze(gone)
        case "closed":
            gone.close()
        case "crashed":
            windows.crash(gone)
    windows.tell("Told to those that are looked at")
    for each in others:
        expect(each.locator("#pill")).to_have_text("1 memory")
    assert windows.holder in others
    if happens in ("closed", "crashed"):
        return
    windows.freeze(gone, "active")
    expect(gone.locator("#pill")).not_to_have_text("1 memory")
    windows.show(gone, "minimized")
    windows.show(gone)
    expect(gone.locator("#pill")).to_have_text("1 memory")
    assert windows.holder in others, "who comes back takes it from nobody"


def test_where_all_are_hidden_the_first_that_is_looked_at_hears_for_those_that_follow(
    windows: Windows,
) -> None:
    for each in windows.all:
        go(each, "memories")
        expect(each.get_by_role("heading", level=1)).to_have_text("Memories")
        windows.show(each, "minimized")
    windows.tell("Told while nobody looked")
    for count, each in enumerate(windows.all, start=1):
        windows.show(each)
        expect(each.locator("#main").get_by_text("Told while nobody looked")).to_be_visible()
        windows.tell(f"Told when {count} looked")
        for seen in windows.all[:count]:
            expect(seen.locator("#pill")).to_have_text(f"{count + 1} memories")
    assert windows.holder is windows.all[0]


def test_windows_that_nobody_looks_at_show_nothing_once_the_browser_has_signed_out(
    windows: Windows,
) -> None:
    windows.tell("The spare key is under the pot")
    hidden, frozen, leaving = windows.all
    for each in (hidden, frozen):
        go(each, "memories")
        expect(each.locator("#main").get_by_text("The spare key")).to_be_visible()
    open_memories(frozen).get_by_role("button", name="Remember something").click()
    frozen.get_by_label("What to remember").fill("Ask Moser for the bill")
    windows.show(hidden, "minimized")
    windows.freeze(frozen)
    go(leaving, "settings")
    leaving.get_by_role("button", name="Sign this browser out").click()
    expect(hidden.get_by_role("heading", name="Open the panel from this device")).to_be_visible()
    assert hidden.evaluate(_LOOKS["minimized"]), "without a look"
    windows.freeze(frozen, "active")
    expect(frozen.locator("#main").get_by_text("The spare key")).to_be_hidden()
    expect(frozen.get_by_label("What to remember")).to_have_value("Ask Moser for the bill")
    assert frozen.evaluate(_LOOKS["minimized"])
