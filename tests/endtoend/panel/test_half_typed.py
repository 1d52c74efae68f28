"""News redraws a page under whoever writes on it: where they stand, and what is half typed, stays."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import Panel, go

_FIELDS = "main :is(input, textarea, select):not(:disabled):not([type=file])"
_OPEN = "() => document.querySelectorAll('main details').forEach((each) => (each.open = true))"
# Begins to write in every field that is seen; returns what they are called.
_WRITE = """(fields) => fields.filter((each) => each.checkVisibility()).map((each, place) => {
  each.dataset.place = String(place);
  if (each.matches("textarea, input:is([type=text], [type=search], :not([type]))")) each.value = "half typ";
  return each.getAttribute("aria-label") ?? each.placeholder ?? each.name;
})"""
_STAND = """(place) => {
  const field = document.querySelector(`[data-place="${place}"]`);
  field.focus();
  const before = field.value;
  window.stands = () => document.activeElement === field && field.value === before;
}"""


@pytest.mark.parametrize(
    "path",
    ["", "memories", "questions", "graph?name=Ann", "agents", "devices", "settings", "spaces", "memory"],
)
def test_news_takes_neither_the_focus_nor_what_is_half_typed(
    laptop: Panel, phone: Panel, page: Page, path: str
) -> None:
    laptop.ask("remember", text="I work at Google")
    phone.ask("remember", text="I work at Meta")
    rid = laptop.ask("remember", text="Ann works at Okafor", tag=["office"])["rid"]
    go(page, f"memory/{rid}" if path == "memory" else path)
    with page.expect_response("**/api/v1/list"):
        phone.ask("remember", text="What is told first", no_facts=True)
    if path == "questions":
        page.get_by_role("button", name="It changed: since when?").click()
    if path == "memory":
        expect(page.locator(".label")).to_have_count(1)
    page.evaluate(_OPEN)
    names = page.locator(_FIELDS).evaluate_all(_WRITE)
    assert names, "there is something to write in"
    for place, name in enumerate(names):
        page.evaluate(_STAND, place)
        # What the page of a memory asks for comes last.
        with page.expect_response("**/api/v1/panel/memory" if path == "memory" else "**/api/v1/list"):
            phone.ask("remember", text=f"News {place}", no_facts=True)
            laptop.ask("tag", rid=rid, tags=[f"news {place}"])
        if path == "memory":
            expect(page.locator(".label", has_text=f"news {place}")).to_be_visible()
        page.wait_for_timeout(300)  # it is drawn after it was heard
        assert page.evaluate("() => window.stands()"), f"{name} on {path or 'home'}"
