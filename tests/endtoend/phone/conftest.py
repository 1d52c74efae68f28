"""A real daemon that serves the page of a phone, and a real browser that becomes one.

Over loopback a browser counts plain HTTP as safe, so all of it runs here: the disk, the service worker, the link.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("playwright")  # the extra `dev` has it; a browser comes with the machine

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from samemind.config import Home
from samemind.control.client import Control
from tests.support.browser import PATIENCE_MS as PANEL_PATIENCE_MS
from tests.support.cli import RunningDaemon, daemon, run
from tests.support.pages import offering
from tests.support.phone_page import page as built_page

# A browser that starts Python takes seconds on a busy machine.
PATIENCE_MS: Final = 120_000
SHOTS: Final = Path(__file__).parents[3] / "build" / "phone-shots"

# As another tab would: by the channel on which the pages of one browser ask the one that leads.
_ASK = """([verb, options]) => new Promise((resolve, reject) => {
  const channel = new BroadcastChannel("samemind-phone");
  const id = "test " + crypto.randomUUID();
  channel.onmessage = ({ data }) => {
    if (data.id !== id || data.verb) return;
    channel.close();
    if (data.error) reject(new Error(data.error.message)); else resolve(data.answer);
  };
  channel.postMessage({ id, verb, options });
})"""

# What is noted of a start that was kept.
_ABOUT: Final = """() => new Promise((resolve) => {
  const opening = indexedDB.open("samemind-phone", 1);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("kept").objectStore("kept").get("start");
    asked.onsuccess = () => { opening.result.close(); resolve(asked.result ?? null); };
  };
})"""
_EACH_MS: Final = 100
_LOOKS_MAX: Final = 600


def ask(page: Page, verb: str, /, **options: Any) -> Any:
    """Ask the device that runs in a page's browser."""
    return page.evaluate(_ASK, [verb, options])


def call(page: Page, verb: str, /, **options: Any) -> Any:
    """Ask it for a verb, and return what it answers."""
    return ask(page, "call", verb=verb, options=options)["answer"]


@dataclass
class Laptop:
    """A daemon with its panel."""

    home: Path
    running: RunningDaemon
    said: list[str] = field(default_factory=list)

    @property
    def phone_url(self) -> str:
        """Where the page of a phone is."""
        return f"{self.running.said['panel_url']}phone/"

    def ask(self, verb: str, /, **options: Any) -> Any:
        """What the daemon answers: over its socket, as each command of a test would be half a second of a processor."""
        control = Control.connect(Home.at(self.home))
        assert control is not None, "the daemon is up and does not answer"
        with closing(control):
            *_, (_, result) = control.ask(verb, options)
        return result

    def digests(self) -> dict[str, str]:
        """What two that hold the same come to."""
        said = self.ask("digest")
        return {"visible": said["digest"], "state": said["state_digest"]}


@contextmanager
def laptop_at(home: Path, listens: str = "127.0.0.1:0") -> Iterator[Laptop]:
    """Run the daemon of a home, which serves what was built here."""
    os.environ["PYTHONPATH"] = str(built_page().parents[1])
    try:
        with daemon(home, "--panel", listens) as running:
            yield Laptop(home, running)
    finally:
        os.environ.pop("PYTHONPATH", None)


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """What a page is to show may take as long as what it is to do; other tests of this process want panels faster."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=PANEL_PATIENCE_MS)


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Laptop]:
    """A new device that serves the page."""
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "laptop").code == 0
    with laptop_at(home) as running:
        yield running


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Callable[[str], Page]]:
    """Open pages of one browser of a phone's size; none may complain."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-GB"
    )
    complaints: list[str] = []

    def opened(url: str) -> Page:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        return page

    yield opened
    context.close()
    assert complaints == []


def begin(page: Page, name: str = "pocket") -> None:
    """Name the new device, and wait until it is there."""
    page.get_by_label("What your other devices call this one").fill(name)
    page.get_by_role("button", name="Begin").click()
    ready(page)


def ready(page: Page) -> None:
    """Wait until the device stands; one that does not start says why, and is waited for no longer."""
    stands, refuses = page.locator("html[data-ready]"), page.get_by_role("heading", name="does not start")
    try:
        stands.or_(refuses).wait_for(state="attached")
    except TimeoutError as error:
        raise AssertionError(f"it neither stands nor says why: {page.inner_text('body')}") from error
    assert not refuses.count(), page.inner_text("main")


def tell(page: Page, text: str) -> None:
    """Type something, and have it remembered."""
    page.locator("#say").fill(text)
    page.get_by_role("button", name="Remember", exact=True).click()
    page.locator("#say:placeholder-shown").wait_for()


def pair(page: Page, laptop: Laptop) -> None:
    """Type the code that the laptop shows; both show the same words."""
    with offering(laptop.home) as (code, command):
        page.get_by_role("link", name="Devices").click()
        page.get_by_label("Code", exact=True).fill(code)
        page.get_by_role("button", name="Pair", exact=True).click()
        page.locator(".words").wait_for()
        out, _ = command.communicate(timeout=60)
    assert page.locator(".words").inner_text() == json.loads(out.splitlines()[-1])["words"]


def kept(page: Page) -> Any:
    """Wait until a start is kept, and noted to have gone well if it was used; return what is noted of it."""
    for _ in range(_LOOKS_MAX):
        about = page.evaluate(_ABOUT)
        if about is not None and about["isGood"] and not about.get("unended"):
            return about
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError(f"no start was kept: {page.evaluate(_ABOUT)}")


def agreed(page: Page, laptop: Laptop) -> None:
    """Wait until both hold the same."""
    for _ in range(240):
        if call(page, "digests") == laptop.digests():
            return
        page.wait_for_timeout(250)
    raise AssertionError(f"{ask(page, 'status')} against {laptop.ask('status')}")


__all__ = [
    "BrowserContext",
    "Laptop",
    "agreed",
    "ask",
    "begin",
    "call",
    "kept",
    "laptop_at",
    "pair",
    "ready",
    "tell",
]
