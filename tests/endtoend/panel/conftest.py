"""Two real daemons with their panels and one real browser, for all tests of this folder together.

They are paired by the code that one page shows and the other is given, since that is how people do it. Each test
begins with nothing remembered, and ends without a word on any page's console.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("playwright")  # the extra `dev` has it; a browser comes with the machine

from playwright.sync_api import Browser, Page, expect

pytest.importorskip("zxingcpp", reason="no decoder of QR codes for this platform")

from tests.support.browser import Panel, panel
from tests.support.camera import read_picture

# Where a test run leaves its screenshots, for people to look at.
SHOTS = Path(__file__).parents[3] / "build" / "panel"


@dataclass
class Household:
    """Two devices of one person."""

    laptop: Panel
    phone: Panel
    words: tuple[str, str]
    """What both pages showed when they were paired."""


@pytest.fixture(scope="session")
def paired(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    """Two daemons, paired in their pages."""
    base = tmp_path_factory.mktemp("panels")
    with (
        panel(chromium, base / "laptop", "laptop") as laptop,
        panel(chromium, base / "phone", "phone") as phone,
    ):
        yield Household(laptop, phone, pair(laptop, phone))


def pair(laptop: Panel, phone: Panel) -> tuple[str, str]:
    """Show a code on one page and type it on the other."""
    shows, types = laptop.page("#/devices"), phone.page("#/devices")
    shows.get_by_role("button", name="Show a code").click()
    code = shows.locator(".code")
    code.wait_for()
    drawn = shows.get_by_role("img", name="QR code for pairing")
    expect(drawn).to_be_visible()
    said = read_picture(drawn.screenshot()) or ""
    assert said.startswith(f"samemind:{code.get_attribute('data-code')} "), "what a camera reads off the page"
    types.get_by_label("Code", exact=True).fill(code.get_attribute("data-code") or "")
    types.get_by_label("Address, if needed").fill(code.get_attribute("data-address") or "")
    types.get_by_role("button", name="Join").click()
    words = shows.locator(".words").inner_text(), types.locator(".words").inner_text()
    expect(shows.locator(".device.linked")).to_have_count(1)
    shows.close()
    types.close()
    return words


@pytest.fixture
def household(paired: Household) -> Iterator[Household]:
    """The two devices with nothing remembered or held; afterwards, nothing on any console."""
    for each in (paired.laptop, paired.phone):
        each.errors.clear()
    owner = paired.laptop.owner
    rids = [
        rid
        for memory in owner.post("/api/v1/list", {"limit": 500, "include_cold": True}).json["memories"]
        for rid in memory["summary_of"] or [memory["rid"]]
    ]
    if rids:
        assert owner.post("/api/v1/forget", {"rids": rids}).status == 200
    for text in paired.laptop.ask("held list")["held"]:
        paired.laptop.ask("held drop", id=text["id"])
    yield paired
    for each in (paired.laptop, paired.phone):
        for left in each.context.pages:
            # What can still be undone would be undone by a key that the next test presses.
            expect(left.locator("[data-window]")).to_have_count(0)
            left.evaluate("() => localStorage.clear()")  # the category that was chosen
            left.close()
    assert paired.laptop.errors + paired.phone.errors == []


@pytest.fixture
def laptop(household: Household) -> Panel:
    """One of the two devices."""
    return household.laptop


@pytest.fixture
def phone(household: Household) -> Panel:
    """The other."""
    return household.phone


@pytest.fixture
def page(laptop: Panel) -> Page:
    """A page of the laptop's panel."""
    return laptop.page()


def shoot(page: Page, name: str) -> None:
    """Keep a picture of a page, when what moves has come to rest; a fuse burns on.

    Nothing bounds an evaluation but the page itself, and an animation comes to no end on a page that is not drawn.
    """
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.evaluate(
        """() => Promise.race([
             new Promise((given_up) => setTimeout(given_up, 2500)),
             Promise.all(document.getAnimations()
               .filter((each) => each.effect.getComputedTiming().endTime < 2000)
               .map((each) => each.finished.catch(() => {})))])"""
    )
    page.screenshot(path=SHOTS / f"{name}.png")
