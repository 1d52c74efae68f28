"""What first users stumbled over: each of these is something that somebody read, and took for something else."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.panel.conftest import shoot
from tests.support.browser import PATIENCE_MS, Panel, go, launch_url
from tests.support.cli import daemon, run
from tests.support.memories_page import open_memories

ABOUT_ALICE = "Alice is the tech lead at Stripe. She prefers Python over Java and lives in Berlin."


def test_a_reminder_is_put_off_and_comes_up_again_on_every_device(
    laptop: Panel, phone: Panel, page: Page
) -> None:
    laptop.ask(
        "remember", text="renew the passport", type="prospective", event_start="2020-01-01", no_facts=True
    )
    go(page, "inbox")
    page.get_by_role("button", name="Think now").click()
    here = page.get_by_role("list", name="Reminders").get_by_role("listitem").filter(has_text="passport")
    there = phone.page("#/inbox").locator(".reminder").filter(has_text="renew the passport")
    expect(there).to_have_count(1)
    here.get_by_text("Later…").click()
    shoot(page, "snooze")
    here.get_by_role("button", name="Tomorrow morning").click()
    for each in (here, there):
        expect(each).to_have_count(0)
    expect(page.locator("#toasts")).to_contain_text("It will appear again")
    every = phone.ask("triggers list", all=True)["triggers"]
    (snoozed,) = [each for each in every if "renew the passport" in each["reason"]]
    assert snoozed["status"] == "snoozed"
    until = page.evaluate(
        "(when) => [new Date(when).getHours(), new Date(when) > new Date()]", snoozed["snoozed_until"]
    )
    assert until == [9, True], "nine in the morning, where the browser is"


def test_what_memory_noticed_is_no_reminder(laptop: Panel, page: Page) -> None:
    texts = (
        "Ann asked for Heron",
        "Heron is late",
        "a call about Heron",
        "Heron and the budget",
        "Ann left Heron",
    )
    rids = [
        laptop.ask("remember", text=f"{text}, says Ann", at=f"2026-03-0{day}", no_facts=True)["rid"]
        for day, text in enumerate(texts, 1)
    ]
    laptop.ask("think")
    go(page, "inbox")
    noticed = page.get_by_role("list", name="Noticed").locator(".reminder")
    expect(noticed.first).to_be_visible()
    expect(page.locator("main .lead")).to_have_text(re.compile("^No reminder is due"))
    expect(page.locator(".tab", has_text="Inbox").locator(".badge")).to_be_hidden()
    count = noticed.count()
    go(page, "")
    expect(page.locator(".decisions")).to_contain_text(re.compile(rf"^{count} things? that samemind noticed"))
    expect(page.locator(".decisions")).not_to_contain_text("reminder")
    for each in laptop.ask("triggers list")["triggers"]:
        laptop.ask("triggers dismiss", id=each["id"])
    laptop.ask("forget", rids=rids)  # a summary of them cannot be


def test_every_page_counts_the_same(laptop: Panel, phone: Panel, page: Page) -> None:
    laptop.ask("remember", text=ABOUT_ALICE)  # three facts beside it
    laptop.ask("remember", text="The kettle is broken", no_facts=True)
    laptop.ask("remember", text="The kettle is broken", no_facts=True)
    expect(page.locator("#pill")).to_have_text("2 memories")
    expect(page.get_by_role("heading", level=1)).to_have_text("You and phone have the same 2 memories")
    expect(phone.page().locator("#pill")).to_have_text("2 memories")
    open_memories(page)
    expect(page.locator("#memories")).to_contain_text("2 memories, 3 facts extracted")
    page.keyboard.press("Escape")
    go(page, "memories")
    expect(page.locator(".browse .lead")).to_have_text("2 memories")
    stats = laptop.ask("stats")
    assert (stats["memories"], stats["facts"]) == (6, 3)


def test_no_row_under_lately_is_without_words(laptop: Panel, page: Page) -> None:
    rids = [
        laptop.ask("remember", text=text, no_facts=True)["rid"] for text in ("the red boat", "the blue car")
    ]
    laptop.ask("relate", source="Ann", relation="works_on", target="Heron")
    laptop.ask("profile set", values=["tea=green"])
    laptop.ask("remember", text=ABOUT_ALICE)
    laptop.ask("forget", rids=rids)
    laptop.ask("unrelate", source="Ann", relation="works_on", target="Heron")
    page.reload()
    rows = page.locator(".late")
    expect(rows.filter(has_text="tech lead")).to_have_count(1)
    expect(rows.filter(has_text="a memory that has since been forgotten").first).to_be_visible()
    expect(rows.filter(has_text="a setting")).to_have_count(1)
    expect(rows.filter(has_text="what was told before").first).to_be_visible()
    said = [" ".join(text.split()) for text in rows.all_inner_texts()]
    assert [text for text in said if re.fullmatch(r"\S+( device)? \w+ (just now|.* ago)", text)] == []


def test_what_is_known_of_oneself_is_told_once(laptop: Panel, page: Page) -> None:
    for text in ("I live in Vienna", "I live in Vienna.", "I live in Vienna"):
        laptop.ask("remember", text=text)
    go(page, "settings")
    known = page.get_by_role("list", name="What samemind knows about you by itself").get_by_role("listitem")
    expect(known.filter(has_text="I live in Vienna")).to_have_count(1)


def test_what_one_is_related_to_stands_only_where_it_is_told(laptop: Panel, page: Page) -> None:
    laptop.ask("remember", text="I work at Google", speaker="me")
    laptop.ask("remember", text="Ann works at Okafor Ltd", speaker="me")
    rid = laptop.ask("remember", text="Ann likes the new kettle", speaker="me", no_facts=True)["rid"]
    assert laptop.owner.post("/api/v1/panel/names", {}).status == 200  # waits until texts were read
    go(page, f"memory/{rid}")
    page.get_by_role("heading", name="Names and relations").wait_for()
    expect(page.locator(".edges")).to_contain_text("Okafor")
    expect(page.locator(".edges")).not_to_contain_text("Google")


def test_what_was_taken_back_is_not_here_already(laptop: Panel, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "The boiler was serviced"}\n{"text": "The cellar is dry"}\n')
    go(page, "settings")
    rows = page.locator(".import-row")
    page.locator("#import-file").set_input_files(file)
    rows.first.get_by_role("button", name="Undo this import").click()
    expect(rows.first).to_contain_text("Undone")
    page.locator("#import-file").set_input_files(file)
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("2 were forgotten before and stay forgotten")
    expect(rows.first).not_to_contain_text("here already")


@pytest.mark.slow
def test_a_device_that_was_restored_without_its_key_says_what_it_was_before(
    chromium: Browser, tmp_path: Path
) -> None:
    old, new, backup = tmp_path / "old", tmp_path / "new", tmp_path / "backup.db"
    assert run(old, "init", "--name", "laptop").code == 0
    assert run(old, "remember", "Ann moved to Lisbon").code == 0
    assert run(old, "backup", str(backup)).code == 0
    assert run(new, "init", "--name", "laptop").code == 0
    (new / "identity.pem").unlink()
    restored = run(new, "restore", str(backup))
    (told,) = re.findall(r"samemind peers revoke (\w+)", restored.out)
    with daemon(new, "--panel", "127.0.0.1:0"):
        page = chromium.new_page(locale="en-GB")
        page.set_default_timeout(PATIENCE_MS)
        page.goto(launch_url(new))
        page.locator("body[data-ready]").wait_for()
        page.get_by_role("link", name="Devices").click()
        former = page.locator(f".device[data-device^='{told}']")
        expect(former).to_contain_text("from before it was restored")
        shoot(page, "former-self")
        former.get_by_role("button", name="Remove…").click()
        page.get_by_role("button", name="Remove it").click()
        expect(former).to_contain_text("revoked")
        expect(former.locator(".device-before")).to_be_hidden()
        page.close()


def test_a_narrow_page_names_its_search(laptop: Panel) -> None:
    page = laptop.page("#/memories", width=390)
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()


def test_a_page_that_opens_asks_for_its_memories_once(laptop: Panel) -> None:
    laptop.ask("remember", text="The kettle is broken", no_facts=True)
    page = laptop.page()
    # It waits for the device to greet it, but not for long; here it waits, however slow the machine is.
    page.add_init_script(
        "const set = setTimeout; window.setTimeout = (what, ms) => set(what, [400, 3000].includes(ms) ? 1e9 : ms)"
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/api/v1/")[2]))
    page.reload()
    page.locator("body[data-ready]").wait_for()
    page.locator(".late").first.wait_for()
    page.wait_for_function("() => performance.now() > 1500")  # what would come twice has come by then
    assert asked.count("list") == 1
    laptop.ask("remember", text="The kettle is mended", no_facts=True)
    expect(page.locator("#pill")).to_have_text("2 memories")


def test_before_anything_was_known_the_page_says_so_and_leads_back(laptop: Panel, page: Page) -> None:
    laptop.ask("remember", text="The kettle is broken", no_facts=True)
    go(page, "memories?at=2015-01-01")
    expect(page.locator(".browse .empty")).to_contain_text("Nothing was known by then")
    page.locator(".browse .empty").get_by_role("link", name="Back to now").click()
    expect(page.locator(".memory-row")).to_have_count(1)
