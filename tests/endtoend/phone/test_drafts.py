"""What is typed on a phone's page is lost by nothing that the phone or another device does."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.endtoend.phone.conftest import Laptop, agreed, begin, call, pair, ready, tell

Open = Callable[[str], Page]
_ANSWER_LATE = """() => {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (asked) {
    if (asked.options?.verb === "remember") setTimeout(() => post.call(this, asked), 1000);
    else post.call(this, asked);
  };
}"""
_DRAFTS = """() => new Promise((resolve) => {
  const opening = indexedDB.open("samemind-phone", 1);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("kept").objectStore("kept").get("drafts");
    asked.onsuccess = () => { opening.result.close(); resolve(asked.result ?? []); };
  };
})"""
# Type, be busy while the worker erases what is kept, and keep what was typed before the page hears of that.
_TYPE_LATE = """(busy_ms) => setTimeout(() => {
  const field = document.getElementById("say");
  field.value = "Nobody else is to read this";
  field.dispatchEvent(new Event("input"));
  for (const until = Date.now() + busy_ms; Date.now() < until;);
  document.dispatchEvent(new Event("visibilitychange"));
})"""
_BUSY_MS = 3_000
# After the pause behind which it is written down.
_PAUSE_MS = 600


def test_a_text_not_told_yet_outlives_views_and_the_page(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.locator("#say").fill("The boiler was serviced")
    page.get_by_role("link", name="Due").click()
    page.get_by_role("link", name="Memories").click()
    expect(page.locator("#say")).to_have_value("The boiler was serviced")
    page.locator("#say").press_sequentially(" in May")
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    ready(page)
    expect(page.locator("#say")).to_have_value("The boiler was serviced in May")
    page.goto(f"{laptop.phone_url}?text=by+Moser")
    ready(page)
    expect(page.locator("#say")).to_have_value("The boiler was serviced in May\nby Moser")
    page.get_by_role("button", name="Remember", exact=True).click()
    page.locator("#say:placeholder-shown").wait_for()
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    ready(page)
    expect(page.locator("#say")).to_have_value("")
    assert [each["text"] for each in call(page, "recent", limit=5)] == [
        "The boiler was serviced in May\nby Moser"
    ]


def test_who_types_on_while_it_is_stored_loses_no_word(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.evaluate(_ANSWER_LATE)
    page.locator("#say").fill("The boiler was serviced")
    page.get_by_role("button", name="Remember", exact=True).click()
    page.locator("#say").fill("Moser wants to be paid")
    expect(page.get_by_text("Remembered.")).to_be_visible()
    expect(page.locator("#say")).to_have_value("Moser wants to be paid")
    page.get_by_role("button", name="Remember", exact=True).click()
    page.locator("#say:placeholder-shown").wait_for()
    told = {each["text"] for each in call(page, "recent", limit=5)}
    assert told == {"The boiler was serviced", "Moser wants to be paid"}


def test_what_is_under_way_knows_its_field_when_its_owner_comes_back(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.locator("#say").fill("The boiler was serviced")
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("link", name="Due").click()
    page.get_by_role("link", name="Memories").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#say")).to_have_value("The boiler was serviced")
    page.evaluate(_ANSWER_LATE)
    page.get_by_role("button", name="Remember", exact=True).click()
    page.get_by_role("link", name="Due").click()
    page.get_by_role("link", name="Memories").click()
    expect(page.get_by_text("Remembered.")).to_be_visible()
    expect(page.locator("#say")).to_have_value("")
    expect(page.locator(".card-text")).to_have_text(["The boiler was serviced"])


def test_an_edit_outlives_news_of_another_device_and_the_page(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    tell(page, "The boiler was serviced")
    page.locator(".card-open").click()
    page.get_by_role("button", name="Edit").click()
    words = page.get_by_label("The memory's words")
    words.fill("The boiler was serviced by Moser")
    words.blur()  # as who puts the keyboard away
    laptop.ask("remember", text="News of the laptop")
    expect(page.get_by_text("News of the laptop")).to_be_visible()
    expect(words).to_have_value("The boiler was serviced by Moser")
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    ready(page)
    expect(words).to_have_value("The boiler was serviced by Moser")
    page.get_by_role("button", name="Save").click()
    expect(words).to_have_count(0)
    expect(page.locator(".card-text").filter(has_text="by Moser")).to_be_visible()
    agreed(page, laptop)


def test_an_edit_outlives_a_memory_that_another_device_forgets(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    for text in ("The boiler was serviced", "The roof leaks", "The fence is green"):
        tell(page, text)
        page.locator(".card-open").first.click()
        page.get_by_role("button", name="Edit").first.click()
        page.get_by_label("The memory's words").first.fill(f"{text}, says Moser")
        page.get_by_label("The memory's words").first.blur()
    page.get_by_label("The memory's words").first.fill("The fence is green")  # as it was: nothing was typed
    page.get_by_label("The memory's words").first.blur()
    agreed(page, laptop)
    laptop.ask("forget", rids=[each["rid"] for each in call(page, "recent", limit=3)])
    gone = page.locator(".card").filter(has_text="was forgotten in the meantime")
    expect(gone).to_have_count(2)
    expect(page.locator(".card")).to_have_count(2)
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    ready(page)
    words = page.get_by_label("The memory's words")
    expect(words).to_have_count(2)
    assert {words.nth(at).input_value() for at in range(2)} == {
        "The boiler was serviced, says Moser",
        "The roof leaks, says Moser",
    }
    page.locator("#say").fill("Who was here?")
    expect(gone).to_have_count(2)
    page.locator("#say").fill("")
    told = words.first.input_value()
    gone.first.get_by_role("button", name="Save as a new memory").click()
    expect(page.locator(".card-text")).to_have_text([told])
    expect(gone).to_have_count(1)
    gone.get_by_role("button", name="Discard").click()
    expect(gone).to_have_count(0)
    page.wait_for_timeout(_PAUSE_MS)
    assert page.evaluate(_DRAFTS) == []
    agreed(page, laptop)
    assert [each["text"] for each in laptop.ask("list")["memories"]] == [told]


def _asked_where_ann_lives(page: Page, laptop: Laptop) -> str:
    """Have a page ask where Ann lives; return the id of that question."""
    page.get_by_role("link", name="Memories").click()
    for city in ("Bern", "Basel"):
        tell(page, f"Ann lives in {city}")
    page.get_by_role("link", name="Questions").click()
    page.locator(".question").wait_for()
    agreed(page, laptop)
    (question,) = laptop.ask("contradictions list")["contradictions"]
    return str(question["id"])


def test_an_answer_outlives_the_page_and_a_question_that_another_device_settles(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    question = _asked_where_ann_lives(page, laptop)
    neither = page.get_by_role("button", name="Neither: type what is right")
    neither.click()
    page.wait_for_timeout(_PAUSE_MS)
    assert page.evaluate(_DRAFTS) == [], "nothing was typed"
    typed = page.get_by_label("What is true instead")
    typed.fill("Ann lives in Olten")
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    ready(page)
    expect(typed).to_have_value("Ann lives in Olten")
    page.get_by_role("link", name="Memories").click()
    laptop.ask("contradictions resolve", id=question, keep_both=True)
    agreed(page, laptop)
    page.get_by_role("link", name="Questions").click()
    left = page.locator(".card").filter(has_text="This question is no longer asked.")
    expect(left).to_contain_text("Your text is still here.")
    expect(typed).to_have_value("Ann lives in Olten")
    page.get_by_role("button", name="Save as a new memory").click()
    expect(left).to_have_count(0)
    expect(page.get_by_label("Olten")).to_be_visible()  # it is another side of the same question
    page.wait_for_timeout(_PAUSE_MS)
    assert page.evaluate(_DRAFTS) == []
    agreed(page, laptop)
    told = {each["text"] for each in laptop.ask("list")["memories"]}
    assert told == {"Ann lives in Bern", "Ann lives in Basel", "Ann lives in Olten"}


def test_who_answers_while_another_device_settles_is_told_and_types_on(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    question = _asked_where_ann_lives(page, laptop)
    page.get_by_role("button", name="Neither: type what is right").click()
    typed = page.get_by_label("What is true instead")
    expect(typed).to_be_focused()
    typed.fill("Ann lives in Ol")
    laptop.ask("contradictions resolve", id=question, keep_both=True)
    alone = page.get_by_role("alert").filter(has_text="This question is no longer asked.")
    expect(alone).to_be_visible()
    expect(typed).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type("ten")
    page.keyboard.press("Enter")
    expect(typed).to_have_value("Ann lives in Olten\n")
    laptop.ask("contradictions reopen", id=question)
    expect(page.locator(".question")).to_have_count(1)
    expect(typed).to_have_value("Ann lives in Olten\n")  # which answers the question again
    page.get_by_role("button", name="Leave it open").click()
    page.wait_for_timeout(_PAUSE_MS)
    assert page.evaluate(_DRAFTS) == []


def test_who_types_while_another_device_forgets_is_told_and_types_on(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    tell(page, "The boiler was serviced")
    agreed(page, laptop)
    page.locator(".card-open").click()
    page.get_by_role("button", name="Edit").click()
    words = page.get_by_label("The memory's words")
    words.press("End")
    words.press_sequentially(" by")
    (memory,) = call(page, "recent", limit=1)
    laptop.ask("forget", rids=[memory["rid"]])
    expect(page.get_by_role("alert").filter(has_text="was forgotten in the meantime")).to_be_visible()
    expect(words).to_be_focused()
    page.keyboard.type(" my password: hunter2secret99")
    page.keyboard.press("Escape")  # leaves nothing as it was, since nothing is there
    page.get_by_role("button", name="Save as a new memory").click()
    expect(page.get_by_text("This looks like a secret")).to_be_visible()
    page.get_by_role("button", name="Remember it anyway").click()
    told = "The boiler was serviced by my password: hunter2secret99"
    expect(page.locator(".card-text")).to_have_text([told])
    expect(words).to_have_count(0)


@pytest.mark.parametrize("wipes", ["by itself", "from elsewhere"])
def test_what_was_typed_goes_with_all_else_that_is_erased(laptop: Laptop, phone: Open, wipes: str) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    if wipes == "from elsewhere":
        pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    page.locator("#say").fill("Nobody else is to read this")
    page.get_by_role("link", name="Devices").click()
    if wipes == "by itself":
        page.get_by_role("button", name="Erase this device").click()
        page.get_by_role("button", name="Erase it").click()
    else:
        laptop.ask("peers revoke", device=call(page, "status")["device"])
    page.get_by_role("button", name="Begin anew").wait_for()
    page.wait_for_timeout(_PAUSE_MS)
    page.reload()
    begin(page)
    page.get_by_role("link", name="Memories").click()
    expect(page.locator("#say")).to_have_value("")


def test_what_is_typed_while_all_is_erased_goes_too(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    device = call(page, "status")["device"]
    page.get_by_role("link", name="Memories").click()
    page.evaluate(_TYPE_LATE, _BUSY_MS)
    laptop.ask("peers revoke", device=device)
    page.get_by_role("button", name="Begin anew").wait_for()
    page.wait_for_timeout(_PAUSE_MS)
    assert page.evaluate(_DRAFTS) == []


def test_a_question_is_cleared_by_one_press_and_comes_back_by_another(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    clear = page.get_by_role("button", name="Clear")
    expect(clear).to_be_hidden()
    page.locator("#say").fill("where is the dentist?")
    clear.click()
    expect(page.locator("#say")).to_have_value("")
    expect(clear).to_be_hidden()
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.locator("#say")).to_have_value("where is the dentist?")
