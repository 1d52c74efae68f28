"""What a browser does to a page's disk: it clears it, or has no room. The group loses nothing, and the page says so."""

import json
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Error, Page, expect

from tests.endtoend.phone.conftest import Laptop, agreed, ask, begin, call, pair, ready, tell
from tests.support.hearing import next_line
from tests.support.pages import waiting

Open = Callable[[str], Page]
# Until the page before has let go of it.
_LOSE: Final = """async () => {
  const root = await navigator.storage.getDirectory();
  return root.removeEntry("samemind", { recursive: true }).then(() => true, () => false);
}"""
_LONG: Final = "and so on " * 300
# Room for some tellings of that length beside what is there, and no more than some.
_ROOM_BYTES: Final = 400_000
_TELLINGS_MAX: Final = 2_000


def test_one_that_was_cleared_has_a_successor_which_gets_everything_back(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page, "pocket")
    tell(page, "told to the phone before its browser cleared it")
    pair(page, laptop)
    agreed(page, laptop)
    gone = call(page, "status")["device"]
    origin = laptop.phone_url.removesuffix("/phone/")
    page.goto("about:blank")  # nobody is clearing what a page uses
    page.context.new_cdp_session(page).send(
        "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}
    )
    with waiting(laptop.home, "phone", "--replacing", "pocket") as (shown, command):
        assert [each["device_id"] for each in shown["away"]] == [gone]
        page.goto(shown["invitation"])
        begin(page, "purse")
        page.locator(".words").wait_for()
        said = json.loads(next_line(command))
    assert (said["name"], said["replaced"]) == ("purse", gone)
    assert page.locator(".words").inner_text() == said["words"]
    agreed(page, laptop)
    (only,) = call(page, "recent", limit=5)
    assert only["text"] == "told to the phone before its browser cleared it"
    there = {each["name"]: each["is_out"] for each in call(page, "devices")}
    assert there == {"purse": False, "laptop": False, "pocket": True}


def test_one_that_lost_its_store_and_kept_its_key_says_so_until_it_has_it_back(
    laptop: Laptop, phone: Open
) -> None:
    """As a private window does, or a browser that clears what is large."""
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    tell(page, "told before the store was lost")
    agreed(page, laptop)
    trouble = page.locator("#trouble")
    expect(trouble).to_be_hidden()
    device = call(page, "status")["device"]
    page.goto(f"{laptop.phone_url}icon.svg")
    page.wait_for_function(_LOSE)
    for _ in range(2):
        page.goto(laptop.phone_url)
        ready(page)
        expect(trouble).to_contain_text("is gone")
    assert call(page, "status")["device"] == device
    tell(page, "told meanwhile")
    pair(page, laptop)
    expect(trouble).to_be_hidden()
    agreed(page, laptop)
    texts = {each["text"] for each in call(page, "recent", limit=5)}
    assert texts == {"told before the store was lost", "told meanwhile"}


def test_a_browser_without_room_says_so_keeps_what_was_typed_and_goes_on(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    quota = {"origin": laptop.phone_url.removesuffix("/phone/")}
    session = page.context.new_cdp_session(page)
    used = page.evaluate("async () => (await navigator.storage.estimate()).usage")
    session.send("Storage.overrideQuotaForOrigin", {**quota, "quotaSize": used + _ROOM_BYTES})
    told: list[str] = []
    with pytest.raises(Error, match="disk is full"):  # noqa: PT012 - at some telling
        while len(told) < _TELLINGS_MAX:
            told.append(call(page, "remember", text=f"telling {len(told)} {_LONG}")["rid"])
    page.get_by_role("link", name="Memories").click()
    words = f"typed when there was no room {_LONG}"
    page.locator("#say").fill(words)
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(page.get_by_text("The disk is full: make room on this device")).to_be_visible()
    expect(page.locator("#say")).to_have_value(words)
    assert [each["rid"] for each in call(page, "recent", limit=3)] == told[:-4:-1]
    session.send("Storage.overrideQuotaForOrigin", quota)
    page.get_by_role("button", name="Remember", exact=True).click()
    page.locator("#say:placeholder-shown").wait_for()
    agreed(page, laptop)
    page.reload()
    ready(page)
    assert ask(page, "status")["memories"] == len(told) + 1
    agreed(page, laptop)
