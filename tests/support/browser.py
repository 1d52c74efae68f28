"""A real Chromium on real panels: pages of two daemons, and how to ask what they show.

The machine's own Chromium is driven; where there is none, tests say so and are skipped. It runs without a sandbox
since tests may run as root in a container, and talks to nobody but the panels.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright

from tests.support.cli import RunningDaemon, daemon, run
from tests.support.http import Caller, let_in

CHROMIUM: Final = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Far beyond what a busy machine takes.
PATIENCE_MS: Final = 20_000


_GO: Final = """async (place) => {
  const heard = (event) => new Promise((done) => addEventListener(event, () => done(), { once: true }));
  // The list of memories, once closed, takes its step of the browser's history back.
  if (history.state?.drawer && document.getElementById("memories").hidden) await heard("popstate");
  if (location.hash === place) return;
  const moved = heard("hashchange"); // the panel's own router listened first, and has drawn the place by then
  location.hash = place;
  await moved;
}"""


@contextmanager
def browser() -> Iterator[Browser]:
    """Run Chromium for the block, in a process that drives no other browser."""
    with sync_playwright() as playwright, launched(playwright) as running:
        yield running


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """Run Chromium for the block."""
    assert CHROMIUM is not None
    running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
    try:
        yield running
    finally:
        running.close()


@contextmanager
def connected(playwright: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """Run a Chromium for the block that hides and freezes its windows as it does for people."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *_FLAGS, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    with subprocess.Popen([*command, "about:blank"], stderr=subprocess.DEVNULL) as running:
        try:
            said = profile / "DevToolsActivePort"
            until = time.monotonic() + PATIENCE_MS / 1000
            while not said.exists() or len(said.read_text().split()) < 2:
                assert time.monotonic() < until, "Chromium did not begin"
                time.sleep(0.05)
            address = f"http://127.0.0.1:{said.read_text().split()[0]}"
            (context,) = playwright.chromium.connect_over_cdp(address, no_defaults=True).contexts
            yield context
        finally:
            running.terminate()


@dataclass
class Panel:
    """One daemon with its panel, and a browser that was let in."""

    name: str
    home: Path
    daemon: RunningDaemon
    context: BrowserContext
    url: str
    owner: Caller
    """The same owner without a browser, where a test needs something done and not shown."""
    errors: list[str] = field(default_factory=list)

    def page(self, path: str = "", *, width: int = 1280, height: int = 860) -> Page:
        """Open a page of the panel."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.set_viewport_size({"width": width, "height": height})
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.errors.append(f"{self.name}: {error}"))
        page.goto(f"{self.url}{path}")
        page.locator("body[data-ready]").wait_for()
        return page

    @contextmanager
    def clocked(self, path: str = "") -> Iterator[Page]:
        """Open a page whose clock a test may set: whoever sets one sets it for all pages of that browser, for good."""
        browser = self.context.browser
        assert browser is not None
        with browser.new_context(locale="en-GB", storage_state=self.context.storage_state()) as context:
            page = replace(self, context=context).page(path)
            page.clock.install()
            yield page

    def ask(self, verb: str, **options: Any) -> Any:
        """Ask the device for a verb, as any page of it could."""
        answer = self.owner.post(f"/api/v1/{verb.replace(' ', '/')}", options)
        assert answer.status == 200, answer.body
        return answer.json

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{self.name}: {message.text}")


def go(page: Page, path: str) -> None:
    """Go to a place of an open panel by its address, and return once that place is drawn; what it asks for comes later.

    `Page.goto` returns before the page hears of it: what is looked for next could be found in the place before.
    """
    page.evaluate(_GO, f"#/{path}")


def launch_url(home: Path) -> str:
    """Ask the daemon for an address that lets one browser in."""
    done = run(home, "--json", "panel")
    assert done.code == 0, done.err or done.out
    return str(done.json["url"])


@contextmanager
def panel(chromium: Browser, home: Path, name: str) -> Iterator[Panel]:
    """Run a daemon called so, with a panel, and let a browser in."""
    assert run(home, "init", "--name", name).code == 0
    with daemon(home, "--panel", "127.0.0.1:0") as running:
        context = chromium.new_context(color_scheme="light", locale="en-GB")
        url, _, token = launch_url(home).partition("#launch=")
        opened = Panel(name, home, running, context, url, let_in(url, token))
        page = context.new_page()
        page.goto(launch_url(home))
        page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
        page.close()
        try:
            yield opened
        finally:
            context.close()
