"""What a phone's page shows can be read and told apart."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Locator, Page, expect

from tests.endtoend.phone.conftest import Laptop, agreed, begin, call, laptop_at, pair, ready, tell
from tests.support.cli import run
from tests.support.pages import offering

Open = Callable[[str], Page]
# How far something is from the nearest edge of its card.
_WITHIN: Final = """(element) => {
  const own = element.getBoundingClientRect(), card = element.closest(".card").getBoundingClientRect();
  return Math.min(own.left - card.left, own.top - card.top, card.right - own.right, card.bottom - own.bottom);
}"""
_BEYOND: Final = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > innerWidth + 0.5)
  .map((each) => each.outerHTML.slice(0, 80))"""
# Words that do not stand on one line although they are short.
_BROKEN: Final = """() => {
  const broken = [], range = document.createRange();
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    for (const { 0: word, index } of all.currentNode.data.matchAll(/[a-z]{3,8}/gi)) {
      if (!all.currentNode.parentElement.checkVisibility() || all.currentNode.data.length > 40) continue;
      range.setStart(all.currentNode, index);
      range.setEnd(all.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
}"""
_LINES = """(element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
}"""


def test_who_tells_a_secret_is_asked_at_the_field_about_those_very_words(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    field = page.locator("#say")
    tells = page.get_by_role("button", name="Remember", exact=True)
    anyway = page.get_by_role("button", name="Remember it anyway")
    field.fill("My wifi password is hunter2secret99")
    tells.press("Enter")
    asked = page.locator(".composer").get_by_role("alert")
    expect(asked).to_contain_text("This looks like a secret")
    assert asked.locator("p").evaluate(_LINES) <= 3
    expect(page.locator(".notice")).to_have_count(0)
    expect(tells).to_be_focused()
    field.press_sequentially("!")
    expect(anyway).to_have_count(0)
    tells.press("Enter")
    anyway.press("Enter")
    expect(page.get_by_text("Remembered.")).to_be_visible()
    expect(field).to_be_focused()
    expect(page.get_by_text("hunter2secret99!")).to_be_visible()


def test_who_edits_a_secret_into_a_memory_is_asked_likewise(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "Wifi at the cabin")
    card = page.locator(".card").filter(has_text="Wifi at the cabin")
    card.get_by_role("button").click()
    card.get_by_role("button", name="Edit").click()
    field, save = card.get_by_label("The memory's words"), card.get_by_role("button", name="Save", exact=True)
    field.fill("Wifi at the cabin: my password is hunter2secret99")
    save.click()
    expect(card.get_by_role("alert")).to_contain_text("This looks like a secret")
    field.press_sequentially("!")
    expect(card.get_by_role("alert")).to_be_empty()
    save.click()
    card.get_by_role("button", name="Save it anyway").click()
    expect(page.get_by_text("hunter2secret99!")).to_be_visible()


def test_of_a_long_text_the_beginning_shows_until_its_card_is_opened(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "and so on " * 1_000)
    tell(page, "הרופא ברחוב הראשי")
    card = page.locator(".card").filter(has_text="and so on")
    assert _height(card) < 300
    card.get_by_role("button").click()
    assert _height(card) > 1_000
    expect(card.get_by_role("button", name="Forget")).to_be_visible()
    card.locator(".card-open").click()
    assert _height(card) < 300
    hebrew = page.locator(".card-text").filter(has_text="הרופא")
    assert hebrew.evaluate("(element) => getComputedStyle(element).direction") == "rtl"


def test_a_name_turns_nothing_around_that_stands_beside_it(laptop: Laptop, phone: Open) -> None:
    laptop.ask("remember", text="The dentist has moved", speaker="ד״ר כהן (2)", no_facts=True)
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    meta = page.locator(".card-meta").filter(has_text="said by")
    expect(meta).to_contain_text("from laptop · said by ד״ר כהן (2)")
    for name in ("laptop", "ד״ר כהן (2)"):
        isolated = meta.get_by_text(name, exact=True)
        assert isolated.evaluate("(each) => getComputedStyle(each).unicodeBidi") == "isolate"


def test_dates_are_written_as_the_browser_of_its_owner_writes_them(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "Remind me to call Anna on 3 March 2031 at 9")
    expect(page.locator(".notice")).to_have_text("Remembered. Due 3 March 2031, 09:00.")
    page.add_init_script("Object.defineProperty(navigator, 'languages', {value: ['en-US@posix', 'en-GB']})")
    page.reload()
    ready(page)
    expect(page.locator(".card-meta")).to_contain_text("due 3 March 2031")


def test_the_browser_has_nothing_to_object_to(laptop: Laptop, chromium: Browser) -> None:
    context = chromium.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(laptop.phone_url)
    begin(page)
    context.close()
    assert said == []


def _height(card: Locator) -> float:
    box = card.bounding_box()
    assert box is not None
    return box["height"]


def test_devices_of_one_name_are_told_apart(tmp_path: Path, phone: Open) -> None:
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "pocket").code == 0
    with laptop_at(home) as laptop:
        page = phone(laptop.phone_url)
        begin(page)
        page.get_by_role("link", name="Devices").click()
        row = page.locator(".devices li")
        expect(row).to_have_text("pocketthis device")
        pair(page, laptop)
        expect(row).to_have_count(2)
        for each in call(page, "devices"):
            expect(row.filter(has_text=f"pocket {each['id'][:12]}")).to_have_count(1)


def test_who_has_keys_alone_goes_on_where_they_were(laptop: Laptop, phone: Open) -> None:
    """Whatever is drawn anew under the finger or the cursor: after each step something in the page has the focus."""
    for text in ("I live in Bern", "I live in Basel", "Remind me to call Anna tomorrow at 9"):
        laptop.ask("remember", text=text)
    page = phone(laptop.phone_url)
    begin(page)
    stands = page.locator(":focus")
    with offering(laptop.home) as (code, command):
        page.get_by_role("link", name="Devices").click()
        page.get_by_label("Code", exact=True).fill(code)
        page.keyboard.press("Enter")
        expect(page.locator("#pairing:focus .words")).to_be_visible()
        command.communicate(timeout=60)
    page.get_by_role("button", name="Erase this device").press("Enter")
    expect(stands).to_have_text("Keep it")
    page.keyboard.press("Enter")
    expect(stands).to_have_text("Erase this device")
    page.keyboard.press("Enter")
    expect(stands).to_have_text("Keep it")
    page.keyboard.press("Escape")
    expect(stands).to_have_text("Erase this device")

    page.get_by_role("link", name="Memories").press("Enter")
    card = page.locator(".card").filter(has_text="Anna")
    card.locator(".card-open").press("Enter")
    card.get_by_role("button", name="Forget").press("Enter")
    expect(stands).to_have_text("Keep it")
    page.keyboard.press("Enter")
    expect(stands).to_have_text("Forget")
    page.keyboard.press("Enter")
    expect(stands).to_have_text("Keep it")
    page.keyboard.press("Escape")
    expect(stands).to_have_text("Forget")
    card.get_by_role("button", name="Edit").press("Enter")
    stands.fill("Remind me to call nobody")
    page.keyboard.press("Escape")
    expect(stands).to_have_text("Edit")
    page.keyboard.press("Enter")
    expect(stands).to_have_value("Remind me to call Anna tomorrow at 9")
    stands.fill("Remind me to call Ben tomorrow at 9")
    card.get_by_role("button", name="Save").press("Enter")
    expect(stands).to_contain_text("call Ben")
    laptop.ask("remember", text="What another device tells is drawn in, too")
    page.get_by_text("is drawn in, too").wait_for()
    expect(stands).to_contain_text("call Ben")
    page.keyboard.press("Enter")
    page.locator(".card").filter(has_text="Ben").get_by_role("button", name="Forget").press("Enter")
    page.get_by_role("button", name="Forget it").press("Enter")
    expect(page.locator(".card").filter(has_text="Ben")).to_have_count(0)
    expect(stands).to_have_class("card-open")

    page.get_by_role("link", name="Questions").press("Enter")
    expect(page.get_by_role("main", name="Questions")).to_be_focused()
    page.get_by_label("Bern").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".question input").first).to_be_checked()
    page.keyboard.press("Space")
    page.get_by_label("Bern").press("Space")
    for way in ("It changed: since when?", "Neither: type what is right"):
        page.get_by_role("button", name=way).press("Enter")
        expect(page.get_by_role("button", name="Leave it open")).to_be_visible()
        page.keyboard.press("Escape")
        expect(stands).to_have_text(way)
    laptop.ask("remember", text="News leave a tick where it is")
    agreed(page, laptop)
    call(page, "questions")  # behind what the page asked for when the news came
    expect(page.get_by_label("Bern")).to_be_checked()
    page.get_by_role("button", name="Keep what is ticked").press("Enter")
    page.get_by_text("Nothing contradicts itself.").wait_for()
    expect(page.locator(".decided").get_by_role("button", name="Undo")).to_be_focused()


def test_at_twice_the_size_nothing_is_beyond_the_edge(laptop: Laptop, phone: Open) -> None:
    """A phone of 390 pixels at 200 %: half as wide by the browser's zoom, or letters of twice the size."""
    page = phone(laptop.phone_url)
    begin(page, "Donaudampfschifffahrtsgesellschaftskapitän")
    tell(page, "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen")
    tell(page, "Remind me to call Anna tomorrow at 9")
    session = page.context.new_cdp_session(page)
    for width, text_px in ((195, 16), (390, 32)):
        page.set_viewport_size({"width": width, "height": 700})
        session.send("Page.setFontSizes", {"fontSizes": {"standard": text_px}})
        for tab in ("Devices", "Questions", "Due", "Memories"):
            page.get_by_role("link", name=tab).click()
            if tab == "Memories":
                page.locator("#say").fill("Where is the ship")
                assert (width, page.evaluate(_BEYOND)) == (width, [])
                page.get_by_role("button", name="Clear").click()
                page.locator(".notice").get_by_role("button", name="Undo").wait_for()
            assert (width, tab, page.evaluate(_BEYOND)) == (width, tab, [])
            assert (width, tab, page.evaluate(_BROKEN)) == (width, tab, [])


def test_on_its_side_the_phone_shows_what_was_found_between_the_field_and_the_tabs(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    for text in ("Ann lives in Bern", "Ann lives in Basel"):
        tell(page, text)
    page.set_viewport_size({"width": 740, "height": 340})
    page.locator("#say").fill("where does Ann live")
    expect(page.locator(".composer-foot p")).to_contain_text("2 memories found")
    field, first, tabs = (page.locator(each).first.bounding_box() for each in (".composer", ".card", ".tabs"))
    assert field is not None
    assert first is not None
    assert tabs is not None
    assert field["y"] + field["height"] <= first["y"]
    assert first["y"] + 2 * first["height"] <= tabs["y"], "two of them"
    assert page.evaluate(_BEYOND) == []


def test_what_stands_in_a_card_keeps_off_its_edges(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.get_by_role("link", name="Devices").click()
    page.locator(".devices li").wait_for()
    above, below = page.locator(".devices").evaluate(
        """(list) => {
          const panel = list.parentElement.getBoundingClientRect(), [name] = list.querySelectorAll("span");
          const { top, bottom } = name.getBoundingClientRect();
          return [top - panel.top, panel.bottom - bottom];
        }"""
    )
    assert abs(above - below) < 4
    for text in ("I live in Bern", "I live in Basel"):
        call(page, "remember", text=text, anyway=False)
    page.get_by_role("link", name="Questions").click()
    page.get_by_role("button", name="Both").click()
    decided = page.locator(".decided")
    for part in (decided.locator("p"), decided.get_by_role("button")):
        assert part.evaluate(_WITHIN) >= 12
