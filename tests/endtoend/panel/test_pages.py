"""Memories have pages: a list and its facets, search from anywhere, one memory with all there is, the past, asking."""

import json
import re
import time
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.panel.conftest import shoot
from tests.support.browser import Panel, go, launch_url
from tests.support.cli import run

LIFE = (
    ("Ann moved to Lisbon in May", {"speaker": "Ann", "tag": ["family"], "at": "2024-05-12"}),
    ("We hiked around the Königssee", {"speaker": "Bob", "tag": ["travel"], "at": "2023-08-02"}),
    ("I prefer window seats", {"tag": ["travel"], "type": "affective", "at": "2025-01-02"}),
    ("Heron’s database is Postgres 16", {"workspace": "work", "source": "notes", "at": "2026-03-01"}),
    ("אני גר בחיפה ועובד מהבית", {"at": "2025-04-04"}),
)


def live(device: Panel) -> dict[str, str]:
    """Remember a life; return its ids by their texts."""
    return {text: device.ask("remember", text=text, no_facts=True, **fields)["rid"] for text, fields in LIFE}


def rows(page: Page) -> list[str]:
    """What the list says, from above."""
    return page.locator(".memory-row:visible .memory-words").all_inner_texts()


def test_the_list_has_an_address_and_facets_narrow_it_and_the_back_button_goes_back(
    laptop: Panel, page: Page
) -> None:
    live(laptop)
    page.keyboard.press("2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Memories")
    expect(page.locator(".memory-row")).to_have_count(5)
    assert rows(page)[0] == "Heron’s database is Postgres 16", "the latest told first"
    page.locator("[data-facet=label]").get_by_role("link", name="travel 2").click()
    expect(page.locator(".memory-row")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"#/memories\?label=travel$"))
    page.locator("[data-facet=type]").get_by_role("link", name="feelings").click()
    expect(page.locator(".memory-row")).to_have_count(1)
    expect(page.get_by_role("list", name="Filtered by").get_by_role("listitem")).to_have_count(2)
    shoot(page, "memories-narrowed")
    page.locator(".memory-row").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("I prefer window seats")
    page.go_back()
    expect(page.locator(".memory-row")).to_have_count(1)
    page.go_back()
    expect(page.locator(".memory-row")).to_have_count(2)
    page.get_by_role("link", name="Remove: Labels: travel").click()
    expect(page.locator(".memory-row")).to_have_count(5)
    for narrowed, text in (
        ("speaker=Bob", "We hiked around the Königssee"),
        ("space=work", "Heron’s database is Postgres 16"),
        ("label=family", "Ann moved to Lisbon in May"),
        ("source=notes", "Heron’s database is Postgres 16"),
    ):
        go(page, f"memories?{narrowed}")
        expect(page.locator(".memory-words")).to_have_text([text])
    go(page, "memories?since=2025-01-01&until=2025-12-31")
    expect(page.locator(".memory-row")).to_have_count(2)
    go(page, "memories?label=nothing")
    expect(page.locator(".browse .empty")).to_contain_text("No memory matches all of these filters")


def test_what_is_told_elsewhere_joins_the_list_and_keys_walk_through_it(
    laptop: Panel, phone: Panel, page: Page
) -> None:
    live(laptop)
    go(page, "memories")
    expect(page.locator(".memory-row")).to_have_count(5)
    phone.ask("remember", text="Told on the phone", no_facts=True)
    expect(page.locator(".memory-row").first).to_contain_text("Told on the phone")
    page.keyboard.press("/")
    expect(page.get_by_label("Search all memories")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".memory-row").first).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(".memory-row").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("We hiked around the Königssee")
    go(page, "memories?since=2025-04-04&until=2025-04-04")
    words = page.locator(".memory-words")
    expect(words).to_have_attribute("dir", "auto")
    assert words.evaluate("(each) => getComputedStyle(each).direction") == "rtl", (
        "right to left, as it is read"
    )


@pytest.mark.slow
def test_a_long_list_has_only_the_rows_that_are_seen(laptop: Panel, page: Page) -> None:
    lines = [
        json.dumps({"text": f"Note {n}", "at": f"20{10 + n // 200}-01-01T00:00:{n % 60:02d}Z"})
        for n in range(2_000)
    ]
    assert run(laptop.home, "remember", "--batch", "-", stdin="\n".join(lines)).code == 0
    go(page, "memories")
    expect(page.locator(".browse .lead")).to_have_text("2,000 memories")
    expect(page.locator(".when")).to_have_text("January 2019")
    page.locator(".memory-row").first.focus()
    page.keyboard.press("End")
    expect(page.locator(".memory-row:focus")).to_contain_text("Note 0")
    expect(page.locator(".when")).to_have_text("January 2010")
    assert page.locator(".window .row").count() < 60, "the others do not exist"
    here = page.evaluate("() => scrollY")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Note 0")
    page.go_back()
    expect(page.locator(".memory-row", has_text=re.compile(r"^Note 0"))).to_be_in_viewport()
    assert abs(page.evaluate("() => scrollY") - here) < 200, "one comes back to where one was"
    rids = [each["rid"] for each in laptop.ask("list", limit=2_000)["memories"]]
    laptop.ask("forget", rids=rids)


def test_search_is_a_key_away_everywhere_and_says_how_sure_it_is(laptop: Panel) -> None:
    live(laptop)
    for view in ("", "memories", "questions", "devices", "inbox", "graph"):
        page = laptop.page(f"#/{view}")
        page.keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Search")
        expect(field).to_be_focused()
        field.fill("where does Ann live")
        first = page.get_by_role("option").first
        expect(first).to_contain_text("Ann moved to Lisbon")
        expect(first.locator("mark").first).to_have_text("Ann")
        expect(first.locator(".sure")).to_contain_text("% sure")
        if view == "":
            shoot(page, "palette")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Ann moved to Lisbon in May")
        page.close()
    page = laptop.page("#/memories?q=Postg")
    found = page.get_by_role("list", name="Found").get_by_role("listitem")
    expect(found.first).to_contain_text("Postgres 16")
    expect(found.first.locator("mark")).to_have_text("Postg")
    page.get_by_label("Search all memories").fill("qwertyzxcv")
    expect(page.locator(".browse .lead")).to_have_text("Nothing close.")
    expect(page.get_by_role("list", name="Nearest")).to_be_visible()


def test_a_search_says_first_that_nothing_is_close_and_marks_words_that_tell(
    laptop: Panel, page: Page
) -> None:
    """What stands below the results is read after them; and an article is in any text."""
    laptop.ask("remember", text="The train to Porto leaves at nine", no_facts=True)
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search")
    field.fill("qwertyzxcv the plugh")
    status = page.locator(".palette-status")
    expect(status).to_have_text("Nothing close. The nearest:")
    expect(page.get_by_role("option").first).to_contain_text("train")
    expect(page.get_by_role("option").locator("mark")).to_have_count(0)
    above, below = status.bounding_box(), page.get_by_role("option").first.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] < below["y"]
    field.fill("when does the train leave")
    expect(page.get_by_role("option").first.locator("mark")).to_have_text(["train", "leave"])


def test_the_inbox_shows_the_next_reminders_before_they_are_due(laptop: Panel, page: Page) -> None:
    rid = laptop.ask("remember", text="Remind me to call the dentist tomorrow at 9")["rid"]
    go(page, "inbox")
    coming = page.get_by_role("list", name="Coming up").get_by_role("listitem")
    expect(coming).to_have_count(1)
    expect(coming).to_contain_text("call the dentist")
    shoot(page, "inbox-coming")
    coming.get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"#/memory/{rid}$"))


def test_an_edit_can_be_taken_back_where_it_was_made(laptop: Panel, page: Page) -> None:
    rid = laptop.ask("remember", text="The spare key is with Ann", no_facts=True)["rid"]
    # A notice stays for seconds; here it stays, however slow the machine is.
    page.add_init_script(
        "const set = setTimeout; window.setTimeout = (what, ms) => set(what, ms === 7000 ? 1e9 : ms)"
    )
    go(page, f"memory/{rid}")
    page.reload()
    words = page.locator(".memory-text-words")
    for is_by_key in (True, False):
        expect(words).to_have_text("The spare key is with Ann")
        page.keyboard.press("e")
        page.get_by_label("Edit memory").fill("The spare key is with Ben")
        page.keyboard.press("Enter")
        expect(words).to_have_text("The spare key is with Ben")
        expect(page.locator(".toast", has_text="Saved")).to_be_visible()
        if is_by_key:
            page.keyboard.press("u")
        else:
            page.get_by_role("button", name="Undo").click()
        expect(words).to_have_text("The spare key is with Ann")
        expect(page.locator(".toast", has_text="Saved")).to_have_count(0)
    assert laptop.ask("get", rid=rid)["text"] == "The spare key is with Ann"


def test_what_was_done_last_is_taken_back_though_something_before_it_still_may_be(
    laptop: Panel, page: Page
) -> None:
    """A key took back what was forgotten before, as long as that waited, and the edit stayed."""
    gone, rid = (
        laptop.ask("remember", text=text, no_facts=True)["rid"] for text in ("The door is blue", "It is red")
    )
    go(page, f"memory/{gone}")
    expect(page.locator(".memory-text-words")).to_have_text("The door is blue")
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.locator("[data-window]")).to_have_count(1)
    page.keyboard.press("k")
    expect(page.get_by_role("button", name="More time", pressed=True)).to_be_visible()
    go(page, f"memory/{rid}")
    words = page.locator(".memory-text-words")
    expect(words).to_have_text("It is red")
    page.keyboard.press("e")
    page.get_by_label("Edit memory").fill("It is green")
    page.keyboard.press("Enter")
    expect(page.locator(".toast", has_text="Saved")).to_be_visible()
    page.keyboard.press("u")
    expect(words).to_have_text("It is red")
    expect(page.locator("[data-window]")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("[data-window]")).to_have_count(0)
    assert laptop.ask("get", rid=gone)["text"] == "The door is blue"


def test_a_notice_stays_under_the_pointer(laptop: Panel) -> None:
    rid = laptop.ask("remember", text="The spare key is with Ann", no_facts=True)["rid"]
    with laptop.clocked(f"#/memory/{rid}") as page:
        page.locator(".memory-text-words").wait_for()
        page.keyboard.press("e")
        page.get_by_label("Edit memory").fill("The spare key is with Ben")
        page.keyboard.press("Enter")
        undo = page.get_by_role("button", name="Undo")
        undo.hover()
        page.clock.fast_forward("01:00")
        expect(undo).to_be_visible()
        page.mouse.move(5, 5)
        page.clock.fast_forward("01:00")
        expect(undo).to_have_count(0)


def test_home_begins_with_one_box_and_a_contradiction_stands_beside_the_answer(
    laptop: Panel, page: Page
) -> None:
    laptop.ask("remember", text="I work at Google")
    laptop.ask("remember", text="I work at Meta")
    laptop.ask("remember", text="The spare key is with Mrs. Okafor", no_facts=True)
    box = page.get_by_role("searchbox", name="Ask your memory")
    first = "(view) => [...view.children].find((each) => each.offsetHeight > 1).className"
    assert page.locator("main .view").evaluate(first) == "ask"
    box.fill("who has the spare key?")
    expect(page.locator(".answer")).to_contain_text("Mrs. Okafor")
    expect(page.locator(".answer time")).to_be_visible()
    expect(page.locator(".disputes")).to_have_count(0)
    box.fill("where do I work?")
    expect(page.locator(".answer")).to_contain_text("I work at")
    expect(page.locator(".dispute")).to_contain_text("Google or Meta")
    shoot(page, "ask")
    box.fill("qwertyzxcv plugh")
    expect(page.locator(".answers")).to_contain_text("Nothing close.")
    expect(page.locator(".answers")).to_contain_text("Nearest:")
    expect(page.locator(".answer")).to_have_count(0)
    page.reload()
    expect(box).to_have_value("qwertyzxcv plugh")
    laptop.ask("remember", text="The password for the boat club is Reed-Warbler-88!")
    expect(page.locator(".held-here")).to_have_count(0)
    box.fill("what is the password of the boat club?")
    expect(page.locator(".held-here a")).to_have_text(
        "1 text about this is held back: it looks like a secret"
    )
    page.locator(".held-here a").click()
    expect(page.get_by_role("list", name="Held back on this device")).to_contain_text("boat club")


def test_the_page_of_a_memory_shows_all_there_is_and_is_edited_in_place(
    laptop: Panel, phone: Panel, page: Page
) -> None:
    text = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin."
    rid = laptop.ask("remember", text=text, speaker="Ann", session="chat 7", source="notes")["rid"]
    laptop.ask("remember", text="Alice lives in Oslo")
    go(page, f"memory/{rid}")
    expect(page.get_by_role("list", name="Facts").get_by_role("listitem")).to_have_count(3)
    expect(page.locator(".claims")).to_contain_text("Berlin")
    expect(page.locator(".banner")).to_contain_text("Oslo")
    expect(page.locator(".chain")).to_contain_text("signature valid")
    expect(page.locator(".details")).to_contain_text("chat 7")
    expect(page.locator(".timeline li").first).to_contain_text("told on this device")
    shoot(page, "memory")
    page.keyboard.press("e")
    editor = page.get_by_label("Edit memory")
    expect(editor).to_have_value(text)
    editor.fill("Alice leads a team at Stripe")
    page.keyboard.press("Enter")
    expect(page.locator(".memory-text-words")).to_have_text("Alice leads a team at Stripe")
    expect(page.locator(".timeline del").first).to_be_visible()
    page.get_by_label("Add a label").fill("people")
    page.keyboard.press("Enter")
    expect(page.locator(".labels")).to_contain_text("people")
    page.get_by_text("Add a relation").click()
    page.get_by_label("How", exact=True).fill("part of")
    page.get_by_label("To what").fill("Heron")
    page.get_by_role("button", name="Relate", exact=True).click()
    expect(page.locator(".edges")).to_contain_text("Heron")
    page.get_by_role("button", name="Remove relation: is part of Heron").click()
    expect(page.locator(".edges", has_text="Heron")).to_have_count(0)
    page.get_by_role("button", name="Pin").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    elsewhere = phone.page(f"#/memory/{rid}")
    expect(elsewhere.locator(".memory-text-words")).to_have_text("Alice leads a team at Stripe")
    expect(elsewhere.locator(".memory-meta.big")).to_contain_text("laptop")
    page.get_by_role("button", name="Forget").click()
    forgotten = page.locator(".toast", has_text="forgotten")
    expect(forgotten).to_be_visible()
    page.keyboard.press("u")
    expect(forgotten).to_have_count(0)
    assert laptop.ask("get", rid=rid)["text"] == "Alice leads a team at Stripe"
    go(page, "memory/00000000-0000-7000-8000-000000000000")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such memory")
    page.close()  # which asks again when news comes
    laptop.errors.clear()  # the browser tells of the refusal


@pytest.mark.parametrize(
    ("begins", "ends", "said"),
    [
        ("2026-07-14T00:00:00Z", "2026-07-29T00:00:00Z", "14–28 Jul 2026"),
        ("2026-07-13T22:00:00Z", "2026-07-14T21:59:59.999Z", "14 Jul 2026"),
        ("2026-03-10T18:00:00Z", "2026-03-10T20:00:00Z", "10 Mar 2026, 19:00–21:00"),
    ],
    ids=["days of UTC", "a day of this machine", "hours"],
)
def test_a_memory_of_whole_days_says_those_days(laptop: Panel, begins: str, ends: str, said: str) -> None:
    told = laptop.ask("remember", text="In Brittany", event_start=begins, event_end=ends, no_facts=True)
    browser = laptop.context.browser
    assert browser is not None
    state = laptop.context.storage_state()
    with browser.new_context(locale="en-GB", timezone_id="Europe/Berlin", storage_state=state) as context:
        page = replace(laptop, context=context).page(f"#/memory/{told['rid']}")
        happened = page.locator(".details dt", has_text="Happened").locator("+ dd")
        expect(happened).to_be_visible()
        assert re.sub(r"\s*–\s*", "–", happened.inner_text()) == said


def test_a_slider_takes_every_page_to_the_past_and_back(laptop: Panel, page: Page) -> None:
    rid = laptop.ask("remember", text="The door code is 1111", no_facts=True)["rid"]
    time.sleep(1.2)
    between = page.evaluate("() => new Date(Date.now() - 200).toISOString().slice(0, 23) + 'Z'")
    time.sleep(0.2)
    laptop.ask("edit", rid=rid, text="The door code is 2222")
    laptop.ask("remember", text="Told later", no_facts=True)
    go(page, "memories")
    expect(page.locator(".memory-row")).to_have_count(2)
    page.keyboard.press("t")
    slider = page.get_by_role("slider", name="Moment")
    expect(slider).to_be_focused()
    go(page, f"memories?at={between}")
    expect(page.locator(".memory-row")).to_have_count(1)
    expect(page.locator(".memory-row")).to_contain_text("1111")
    expect(page.locator(".time-said")).to_contain_text("As it was on")
    page.locator(".memory-row").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The door code is 1111")
    expect(page.get_by_role("button", name="Edit")).to_be_hidden()
    expect(page.locator(".timeline li")).to_have_count(1)
    shoot(page, "past")
    page.get_by_role("link", name="Home", exact=True).click()
    page.get_by_role("searchbox", name="Ask your memory").fill("what is the door code?")
    expect(page.locator(".answer")).to_contain_text("1111")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".answer")).to_contain_text("2222")
    page.keyboard.press("Escape")
    go(page, "memories")
    page.keyboard.press("t")
    page.get_by_role("slider", name="Moment").press("Home")
    expect(page).to_have_url(re.compile("at="))
    expect(page.locator("body")).to_have_class(re.compile("in-past"))
    page.go_back()
    expect(page.locator("body")).not_to_have_class(re.compile("in-past"))


def test_the_back_button_closes_the_latest_memories_and_stays_on_the_page(laptop: Panel, page: Page) -> None:
    live(laptop)
    page.keyboard.press("3")
    expect(page.get_by_role("heading", level=1)).to_have_text("Questions")
    page.locator("#pill").click()
    expect(page.locator("#memories")).to_be_visible()
    page.go_back()
    expect(page.locator("#memories")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_text("Questions")


def test_the_page_speaks_the_language_of_its_browser(laptop: Panel, chromium: Browser) -> None:
    laptop.ask("remember", text="Ann moved to Lisbon", no_facts=True, at="2024-05-12T12:00")
    for locale, title, day in (
        ("de-DE", "Erinnerungen", "12. Mai 2024"),
        ("es-ES", "Recuerdos", "12 may 2024"),
        ("fr-FR", "Souvenirs", "12 mai 2024"),
        ("ja-JP", "Memories", "2024年5月12日"),
    ):
        context = chromium.new_context(locale=locale)
        page = context.new_page()
        page.goto(launch_url(laptop.home))
        page.locator("body[data-ready]").wait_for()
        page.keyboard.press("2")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator(".memory-row time")).to_have_text(day)
        assert page.locator("html").get_attribute("lang") == (locale[:2] if locale != "ja-JP" else "en")
        context.close()


def test_on_this_day_comes_up_on_home(laptop: Panel) -> None:
    today = time.localtime()
    if (today.tm_mon, today.tm_mday) == (2, 29):
        pytest.skip("two years before a 29th of February there was none")
    laptop.ask(
        "remember",
        text="We painted the gate",
        no_facts=True,
        at=f"{today.tm_year - 2}-{today.tm_mon:02d}-{today.tm_mday:02d}T12:00",
    )
    page = laptop.page()
    expect(page.get_by_role("list", name="On this day")).to_contain_text("We painted the gate")
    expect(page.locator(".this-day")).to_contain_text("2 years ago")


def test_the_notice_of_a_contradiction_leads_to_its_question(laptop: Panel, page: Page) -> None:
    laptop.ask("remember", text="I work at Google")
    go(page, "memories")
    page.get_by_role("button", name="Remember something").click()
    page.get_by_label("What to remember").fill("I work at Meta")
    page.keyboard.press("Control+Enter")
    notice = page.locator(".toast", has_text="It contradicts something")
    shoot(page, "notice-contradicts")
    notice.get_by_role("link", name="Settle it").click()
    expect(page.locator(".question")).to_contain_text("Meta")


def test_what_is_decided_can_be_undone_and_nothing_slides_under_the_pointer(
    laptop: Panel, page: Page
) -> None:
    for text in ("I work at Google", "I work at Meta", "Ann lives in Lisbon", "Ann lives in Porto"):
        laptop.ask("remember", text=text)
    go(page, "questions")
    questions = page.locator(".question")
    expect(questions).to_have_count(2)
    subject = questions.first.locator("h2").inner_text()
    button = questions.first.get_by_role("button", name="This is true").first
    box = button.bounding_box()
    assert box is not None
    for _ in range(2):  # as a double click would
        page.mouse.click(box["x"] + 5, box["y"] + 5)
        page.wait_for_timeout(350)
    expect(page.locator(".question.decided")).to_have_count(1)
    assert [each["status"] for each in laptop.ask("contradictions list")["contradictions"]] == [
        "open",
        "open",
    ]
    shoot(page, "question-decided")
    page.locator(".question.decided").get_by_role("button", name="Undo").click()
    expect(page.locator(".question.decided")).to_have_count(0)
    expect(questions.first.locator("h2")).to_have_text(subject)

    work = questions.filter(has_text="Google")
    work.get_by_role("button", name="It changed: since when?").click()
    page.get_by_label("What is true now").select_option("Meta")
    page.get_by_label("Since when").fill("2026-02-01")
    page.get_by_role("button", name="It changed then").click()
    expect(page.locator(".question.decided")).to_contain_text("Meta since 1 Feb 2026")
    ann = questions.filter(has_text="Porto")
    ann.get_by_role("button", name="Ask me later").click()
    expect(page.get_by_role("button", name="This is true")).to_have_count(0)
    page.get_by_text("Postponed").click()
    page.get_by_role("button", name="Ask now").click()
    expect(ann.get_by_role("button", name="This is true: Porto")).to_be_visible()
    ann.get_by_role("button", name="Both: they are two things").click()

    def settled() -> dict[str, str]:
        return {
            each["relation"]: each["settled_by"]
            for each in laptop.ask("contradictions list")["contradictions"]
            if each["status"] == "settled"
        }

    until = time.monotonic() + 30
    while len(settled()) < 2 and time.monotonic() < until:
        page.wait_for_timeout(300)
    assert settled() == {"works_at": "change", "lives_in": "resolution"}
    go(page, "inbox")
    go(page, "questions")
    page.get_by_text("Settled", exact=True).click()
    row = page.locator(".settled-row").filter(has_text="Meta")
    expect(row).to_contain_text("since 1 Feb 2026")
    row.get_by_role("button", name="Decide again").click()
    page.locator(".settled-row").get_by_role("button", name="Google", exact=True).click()
    until = time.monotonic() + 30
    while settled().get("works_at") != "resolution" and time.monotonic() < until:
        page.wait_for_timeout(300)
    assert settled()["works_at"] == "resolution"
    # What was decided long ago is undone there, too, and on every device.
    go(page, "inbox")
    go(page, "questions")
    page.get_by_text("Settled", exact=True).click()
    row.get_by_role("button", name="Undo").click()
    expect(work.get_by_role("button", name="This is true: Meta")).to_be_visible()
    assert settled() == {"lives_in": "resolution"}


def test_a_memory_that_could_not_be_asked_for_is_not_said_to_be_none(laptop: Panel, page: Page) -> None:
    """Only a device that answered knows that there is none; what is shown, or being written, stays."""
    # Waited for: news of it would have the page ask again by itself.
    rid = laptop.ask("remember", text="The spare key is with Ann", no_facts=True, wait=True)["rid"]
    heading, asking = page.get_by_role("heading", level=1), "**/api/v1/panel/memory"
    words = {"code": "internal", "message": "the disk does not answer", "hint": ""}
    answers = (
        lambda route: route.fulfill(status=500, json={"error": words}),
        lambda route: route.fulfill(status=401, json={"error": {**words, "code": "no_session"}}),
        lambda route: route.abort(),
    )
    for answer in answers:
        page.route(asking, answer)
        go(page, f"memory/{rid}")
        expect(heading).to_have_text("This memory cannot be shown now")
        page.unroute(asking)
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".memory-text-words")).to_have_text("The spare key is with Ann")
        go(page, "")
    go(page, f"memory/{rid}")
    page.locator(".memory-text").click()
    page.get_by_label("Edit memory").fill("The spare key is with Ann, since")
    for answer in answers:
        page.route(asking, answer)
        laptop.ask("remember", text="News", no_facts=True)
        expect(page.get_by_role("alert").first).to_be_visible()
        expect(page.get_by_label("Edit memory")).to_be_focused()
        page.unroute(asking)
        for close in page.locator(".toast").get_by_role("button", name="Close").all():
            close.dispatch_event("click")
    page.keyboard.type(" May")
    page.keyboard.press("Enter")
    expect(page.locator(".memory-text-words")).to_have_text("The spare key is with Ann, since May")
    laptop.errors.clear()  # the browser tells of the refusals
