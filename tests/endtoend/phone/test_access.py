"""What a phone's page tells those who do not see it, and leaves them time for."""

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import pairwise
from typing import Final

from PIL import Image, ImageChops
from playwright.sync_api import Locator, Page, expect

from tests.endtoend.phone.conftest import Laptop, begin, tell
from tests.support.axe import judged

Open = Callable[[str], Page]
# What marks where somebody stands, against what is around it (WCAG 1.4.11).
_RING_MIN: Final = 3.0
_RATIO: Final = """(element) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).map((each) => ((each / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const ring = light(getComputedStyle(element).outlineColor);
  const ground = light(getComputedStyle(element.parentElement).backgroundColor);
  return Math.max(ring, ground) / Math.min(ring, ground);
}"""
# Fewer pixels than that are a blinking cursor.
_MARK_PIXELS_MIN: Final = 100
_MARK_CONTRAST: Final = 40
# Whether something lies over the middle of what has the focus, or it is beyond the edge.
_COVERED: Final = """(element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return !(seen && (element.contains(seen) || seen.contains(element)));
}"""
_LISTEN: Final = """() => {
  window.told = [""];
  const status = document.querySelector(".composer [role=status]");
  new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true, subtree: true });
}"""


def test_a_notice_stays_for_whoever_stands_in_it_and_shows_where_they_stand(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.clock.install()
    undo = page.locator(".notice").get_by_role("button", name="Undo")
    for stand in (undo.focus, undo.hover):
        page.locator("#say").fill("Pick up the parcel")
        page.get_by_role("button", name="Clear").click()
        stand()
        page.clock.fast_forward("01:00")
        expect(undo).to_be_visible()
        page.locator("#say").focus()
        page.locator("#say").hover()
        page.clock.fast_forward("01:00")
        expect(undo).to_have_count(0)
    page.locator("#say").fill("Pick up the parcel")
    page.get_by_role("button", name="Clear").press("Enter")
    page.keyboard.press("Shift+Tab")
    expect(undo).to_be_focused()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert undo.evaluate(_RATIO) >= _RING_MIN, scheme


def test_who_goes_by_keys_sees_where_they_stand_on_every_view(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 560})
    begin(page)
    for text in ("I live in Bern", "I live in Basel", "Remind me to call Anna tomorrow at 9"):
        tell(page, text)
    for number in range(4):
        tell(
            page, f"Note {number} on the tomatoes behind the house, which need water every second day in July"
        )
    page.locator(".notice").last.wait_for(state="hidden")
    for tab in ("Due", "Questions", "Devices", "Memories"):
        page.get_by_role("link", name=tab).click()
        page.locator("main :is(button, input):visible").first.wait_for()
        for key in ("Tab", "Shift+Tab"):
            for stop in _stops(page, key):
                shown = (tab, key, stop.evaluate("(each) => each.outerHTML"))
                assert not stop.evaluate(_COVERED), shown
                assert key != "Tab" or _mark(page, stop) >= _MARK_PIXELS_MIN, shown


def test_axe_finds_nothing_on_any_view(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Begin").wait_for()
    found = judged(page, "the first visit")
    begin(page)
    for text in ("I live in Bern", "I live in Basel", "Remind me to call Anna tomorrow at 9"):
        tell(page, text)
    for tab in ("Due", "Questions", "Devices", "Memories"):
        page.get_by_role("link", name=tab).click()
        page.locator("main :is(.card, .devices li)").first.wait_for()
        if tab == "Memories":
            page.locator(".card-open").first.click()
            page.get_by_role("button", name="Forget", exact=True).click()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found |= judged(page, f"{tab}, {scheme}")
    assert found == {}


def _stops(page: Page, key: str) -> Iterator[Locator]:
    """Go by a key from one end of the page to the other, and return each control on the way."""
    first, last = page.locator("#where"), page.locator(".tab").last
    (first if key == "Tab" else last).focus()
    end = last if key == "Tab" else first
    while not end.evaluate("(each) => each === document.activeElement"):
        page.keyboard.press(key)
        yield page.locator(":focus")


def _mark(page: Page, stop: Locator) -> int:
    """Return how many pixels say that something has the focus."""
    box = stop.bounding_box()
    assert box is not None
    around = {
        "x": max(box["x"] - 4, 0),
        "y": max(box["y"] - 4, 0),
        "width": box["width"] + 8,
        "height": box["height"] + 8,
    }
    element = stop.element_handle()
    shots = []
    for _ in range(2):
        shots.append(Image.open(BytesIO(page.screenshot(clip=around))).convert("L"))  # type: ignore[arg-type]
        element.evaluate("(each) => each.blur()")
    element.evaluate("(each) => each.focus({ preventScroll: true })")
    return sum(ImageChops.difference(*shots).point(lambda light: light > _MARK_CONTRAST).histogram()[1:])


def test_a_count_of_what_was_found_is_told_once_and_has_no_other_name(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "Ann lives in Lisbon")
    page.evaluate(_LISTEN)
    page.locator("#say").press_sequentially("Lisbon and")
    expect(page.get_by_role("status").filter(has_text="1 memory found")).to_be_visible()
    page.locator("#say").fill("")
    expect(page.locator(".composer [role=status]")).to_be_empty()
    told = page.evaluate("() => told")
    assert all(before != after for before, after in pairwise(told)), told
    expect(page.locator(".composer [role=status]")).to_have_accessible_name("")


def test_without_the_program_of_the_page_it_says_who_does_not_answer(laptop: Laptop, phone: Open) -> None:
    page = phone("about:blank")
    page.context.route(re.compile("pyodide"), lambda route: route.abort())
    page.goto(laptop.phone_url)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("alert")).to_contain_text("the device that serves it does not answer")
    page.context.unroute_all()
    page.get_by_role("button", name="Load again").click()
    begin(page)
