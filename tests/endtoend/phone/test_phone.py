"""A browser becomes a device: it remembers, finds, pairs, syncs, works alone, and loses nothing."""

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from replica.keys import is_signed
from sync.identity import Identity
from tests.endtoend.phone.conftest import (
    PATIENCE_MS,
    Laptop,
    agreed,
    ask,
    begin,
    call,
    laptop_at,
    pair,
    ready,
    tell,
)
from tests.support.cli import environment, run
from tests.support.hearing import next_line
from tests.support.pages import offering
from tests.support.phone_page import page as built_page

Open = Callable[[str], Page]


def test_it_remembers_finds_as_one_types_and_flushes_each_commit_once(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "The dentist is at Hauptstrasse 12")
    tell(page, "Remind me to call the plumber tomorrow at 9")
    page.locator("#say").fill("dentis")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".card mark")).to_have_text("dentis")
    before = ask(page, "status")["flushes"]
    for number in range(20):
        call(page, "remember", text=f"Number {number} of twenty")
    assert ask(page, "status")["flushes"] - before == 20
    page.reload()
    ready(page)
    assert len(call(page, "recent", limit=50)) == 22
    page.get_by_role("link", name="Due").click()
    expect(page.get_by_text("call the plumber")).to_be_visible()


def test_what_is_done_is_named_to_those_who_do_not_see_what_stands_beside_it(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    for what in ("call the plumber", "water the plants"):
        tell(page, f"Remind me to {what} tomorrow at 9")
    page.get_by_role("link", name="Due").click()
    page.get_by_role("button", name="Done: Remind me to water the plants").click()
    expect(page.locator(".card.due")).to_have_count(1)
    expect(page.locator(".card.due")).to_contain_text("call the plumber")
    undo = page.get_by_role("button", name="Undo")
    undo.focus()
    undo.press("Enter")
    expect(page.locator(".card.due")).to_have_count(2)
    expect(page.get_by_role("button", name="Done: Remind me to water the plants")).to_be_focused()
    page.reload()
    page.get_by_role("link", name="Due").click()
    expect(page.locator(".card.due")).to_have_count(2)


# What the bar says of the link, from now on.
_STATES: Final = """() => {
  const where = document.getElementById("where");
  window.states = [];
  new MutationObserver(() => window.states.push(where.dataset.state)).observe(where, { attributes: true });
}"""


def test_whoever_was_paired_is_let_in_also_where_taking_it_in_takes_a_while(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.evaluate(_STATES)
    with offering(laptop.home) as (code, command):
        page.get_by_role("link", name="Devices").click()
        page.get_by_label("Code", exact=True).fill(code)
        with closing(sqlite3.connect(laptop.home / "memory.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # as a disk that is busy: the laptop writes nothing meanwhile
            page.get_by_role("button", name="Pair", exact=True).click()
            page.locator(".words").wait_for()
            page.wait_for_timeout(1_500)
            other.execute("ROLLBACK")
        command.communicate(timeout=60)
    expect(page.locator("#where")).to_have_attribute("data-state", "together")
    assert "refused" not in page.evaluate("() => window.states")


def test_it_takes_what_a_laptop_put_under_a_summary(laptop: Laptop, phone: Open) -> None:
    """Which memories a summary stands for is decided on each device, on a phone without the laptop's libraries."""
    for number in range(5):
        laptop.ask("remember", text=f"the risotto with saffron burned again {number}")
    laptop.ask("think")
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    agreed(page, laptop)
    expect(page.locator("#where")).to_have_attribute("data-state", "together")
    page.get_by_role("link", name="Devices").click()
    expect(page.locator(".figures")).to_contain_text("Together with laptop")
    assert any(op["kind"] == "propose" for op in laptop.ask("log", limit=50)["ops"])


def test_what_words_do_not_find_a_laptop_in_reach_finds_by_meaning(tmp_path: Path, phone: Open) -> None:
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "laptop").code == 0
    with laptop_at(home) as laptop:
        laptop.ask("remember", text="My car is parked in Elm Street")
        laptop.ask("remember", text="The recipe takes three eggs and some flour")
        page = phone(laptop.phone_url)
        begin(page)
        pair(page, laptop)
        agreed(page, laptop)
        assert call(page, "ask", question="where is the automobile?", limit=5) == []
        page.get_by_role("link", name="Memories").click()
        page.locator("#say").fill("where is the automobile?")
        hint = page.get_by_role("status").filter(has_text="with laptop, by meaning")
        expect(hint).to_be_visible()
        page.set_viewport_size({"width": 344, "height": 640})
        tells = page.locator(".composer").get_by_role("button", name="Remember", exact=True)
        tops = [each.evaluate("(each) => each.getBoundingClientRect().top") for each in (hint, tells)]
        assert tops[0] + hint.evaluate("(each) => each.clientHeight") <= tops[1], "the count has its own line"
        expect(page.locator(".card-text").first).to_have_text("My car is parked in Elm Street")
    # It is away: what words have found stands, and nobody waits for it.
    expect(page.locator("#where")).to_have_attribute("data-state", "away")
    assert ask(page, "askPeer", question="where is the automobile?", limit=5) is None
    page.locator("#say").fill("where is the car parked?")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="by meaning")).to_have_count(0)


def test_what_is_told_is_answered_when_it_is_stored_and_read_when_nobody_asks(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "I live in Bern")
    tell(page, "I live in Basel")
    page.get_by_role("link", name="Questions").click()
    for value in ("Bern", "Basel"):
        expect(page.locator("#main")).to_contain_text(value)
    expect(page.locator('.tab[data-path="questions"] .badge')).to_have_text("1")
    flushes, position = (ask(page, "status")[name] for name in ("flushes", "position"))
    call(page, "remember", text="I work at Novartis")
    for _ in range(100):  # closed at once, it would be read after the next start
        page.wait_for_timeout(100)
        if ask(page, "status")["position"] > position + 1:
            break
    assert ask(page, "status")["position"] > position + 1
    assert ask(page, "status")["flushes"] - flushes == 1


def test_it_pairs_by_a_code_syncs_and_opens_with_no_laptop(laptop: Laptop, phone: Open) -> None:
    laptop.ask("remember", text="told to the laptop first")
    page = phone(laptop.phone_url)
    begin(page)
    tell(page, "told to the phone before it met anybody")
    pair(page, laptop)
    agreed(page, laptop)
    expect(page.locator("#where")).to_have_text("Together with laptop")
    page.get_by_role("link", name="Memories").click()
    expect(page.locator(".card")).to_have_count(2)
    laptop.ask("remember", text="told to the laptop while linked")
    expect(page.locator(".card").first).to_contain_text("while linked")
    expect(page.locator(".card").first).to_contain_text("from laptop")
    laptop.running.end()
    page.reload()  # from what the service worker kept, and with nobody there
    ready(page)
    tell(page, "told to the phone with nobody near")
    expect(page.locator("#where")).to_have_text("Other devices away")
    laptop_url = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
    with laptop_at(laptop.home, laptop_url) as again:
        agreed(page, again)
        assert again.ask("digest")["memories"] == 4


def test_a_second_tab_asks_the_first_and_takes_over_when_it_closes(laptop: Laptop, phone: Open) -> None:
    first = phone(laptop.phone_url)
    begin(first)
    pair(first, laptop)
    first.get_by_role("link", name="Memories").click()
    second = phone(laptop.phone_url)
    ready(second)
    tell(second, "told in the second tab")
    expect(first.locator(".card")).to_have_count(1)
    first.close()
    tell(second, "told after the first was closed")
    expect(second.locator(".card")).to_have_count(2)
    expect(second.locator("#where")).to_have_attribute("data-state", "together")
    agreed(second, laptop)


def test_what_becomes_due_while_the_page_is_open_is_shown_as_due(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.clock.install()
    tell(page, "Remind me to call the plumber in 2 hours")
    expect(page.get_by_text("Remembered. Due ")).to_be_visible()
    badge = page.locator('.tab[data-path="due"] .badge')
    expect(badge).to_be_hidden()
    page.get_by_role("link", name="Due").click()
    expect(page.get_by_role("heading", name="Coming")).to_be_visible()
    for _ in range(3):  # it looks each hour, as a browser may sleep
        page.clock.fast_forward("01:00:00")
        page.wait_for_timeout(200)
    expect(badge).to_have_text("1")
    expect(page.get_by_role("heading", name="Now")).to_be_visible()
    expect(page.get_by_role("heading", name="Coming")).to_have_count(0)


def test_one_that_was_put_out_is_told_and_erases_itself(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    laptop.ask("remember", text="nothing for strangers")
    agreed(page, laptop)
    laptop.ask("peers revoke", device=call(page, "status")["device"])
    expect(page.get_by_text("taken out of your group")).to_be_visible()
    page.get_by_role("button", name="Begin anew").click()
    begin(page, "another")
    assert call(page, "recent", limit=5) == []


def test_every_view_says_why_it_does_not_sync_though_somebody_answers(tmp_path: Path, phone: Open) -> None:
    home, other = tmp_path / "laptop", tmp_path / "other"
    for each in (home, other):
        assert run(each, "init", "--name", each.name).code == 0
    with laptop_at(home) as laptop:
        page = phone(laptop.phone_url)
        begin(page)
        pair(page, laptop)
        agreed(page, laptop)
        page.get_by_role("link", name="Memories").click()
        expect(page.locator("#trouble")).to_be_hidden()
        place = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
    with laptop_at(other, place):
        expect(page.locator("#trouble")).to_contain_text("are not paired. Pair them under Devices.")
        page.get_by_role("link", name="Due").click()
        expect(page.locator("#trouble")).to_be_visible()
    with laptop_at(home, place) as laptop:
        agreed(page, laptop)
        expect(page.locator("#trouble")).to_be_hidden()


def test_at_another_address_it_says_where_phones_find_the_device(laptop: Laptop, phone: Open) -> None:
    """A browser has another store there: whoever was a device before would find an empty one, and no reason."""
    page = phone(laptop.phone_url.replace("127.0.0.1", "localhost"))
    link = page.get_by_role("alert").get_by_role("link")
    expect(link).to_have_attribute("href", laptop.phone_url)
    page.goto(laptop.phone_url)
    page.get_by_role("button", name="Begin").wait_for()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_page_is_sent_compressed_kept_by_its_hash_and_signed(laptop: Laptop) -> None:
    def fetch(name: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        asked = Request(laptop.phone_url + name, headers={"Accept-Encoding": "br", **headers})
        try:
            with urlopen(asked, timeout=30) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except HTTPError as error:
            return error.code, dict(error.headers), b""

    status, headers, data = fetch("")
    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert "script-src 'self' 'wasm-unsafe-eval';" in headers["content-security-policy"]
    assert "unsafe-eval'" not in headers["content-security-policy"].replace("wasm-unsafe-eval", "")
    assert headers["permissions-policy"] == "camera=(), geolocation=(), microphone=(self)"
    assert fetch("", **{"If-None-Match": headers["etag"]})[0] == 304
    _, _, manifest = fetch("manifest.json")
    files = json.loads(manifest)["files"]
    assert sum(file["sent"] for file in files.values()) < 9_000_000  # of the quick compression of tests
    (wasm,) = (name for name in files if name.endswith(".wasm"))
    status, headers, data = fetch(wasm)
    assert (headers["content-encoding"], headers["content-type"]) == ("br", "application/wasm")
    assert "immutable" in headers["cache-control"]
    assert len(data) == files[wasm]["sent"]
    for strange in ("../door.py", "%2e%2e/door.py", "sw.js.br", "nothing.js"):
        assert fetch(strange)[0] == 404
    said = json.loads(fetch("manifest.sig")[2])
    key = Identity.load(laptop.home / "identity.pem").public_key
    signed = b"samemind phone page 1\0" + hashlib.sha256(manifest).digest()
    assert is_signed(key, signed, bytes.fromhex(said["signature"]))


def test_the_demo_opens_a_phone_that_pairs_by_itself(phone: Open) -> None:
    environ = environment(PYTHONPATH=str(built_page().parents[1]), BROWSER="true")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.phone_demo"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
    ) as demo:
        try:
            page = phone(next_line(demo).split(": ", 1)[1].strip())
            begin(page)
            words = next_line(demo).partition("both show: ")[2].strip()
            expect(page.locator(".words")).to_have_text(words, timeout=PATIENCE_MS)
            page.get_by_role("link", name="Memories").click()
            expect(page.locator(".card")).to_have_count(5)
        finally:
            demo.communicate(timeout=60)
        assert demo.returncode == 0


# A recogniser as browsers have it, which hears two words, the second of them in two tries.
_RECOGNISER: Final = """(where) => {
  class Recogniser extends EventTarget {
    static async available({ processLocally }) {
      return where === "here" && processLocally ? "available" : "unavailable";
    }
    start() {
      globalThis.heard = { local: this.processLocally ?? false, lang: this.lang };
      const said = (...words) => this.onresult({ results: words.map((transcript) => [{ transcript }]) });
      said("buy ");
      said("buy ", "bred");
      said("buy ", "bread");
      this.onend();
    }
    stop() {}
  }
  globalThis.SpeechRecognition = Recogniser;
}"""
_NO_RECOGNISER: Final = "delete globalThis.SpeechRecognition; delete globalThis.webkitSpeechRecognition;"


@pytest.mark.parametrize("where", ["here", "at its maker"])
def test_what_is_said_is_written_down_and_elsewhere_only_with_consent(
    laptop: Laptop, phone: Open, where: str
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.add_init_script(f"({_RECOGNISER})({json.dumps(where)})")
    page.reload()
    ready(page)
    page.locator("#say").fill("Remember to")
    page.get_by_role("button", name="Speak").click()
    if where != "here":
        expect(page.get_by_text("sends what you say to its maker")).to_be_visible()
        expect(page.locator("#say")).to_have_value("Remember to")
        page.locator(".notice").get_by_role("button", name="Speak").click()
    expect(page.locator("#say")).to_have_value("Remember to buy bread")
    assert page.evaluate("heard") == {"local": where == "here", "lang": "en-GB"}
    page.get_by_role("button", name="Remember", exact=True).click()
    expect(page.locator(".card-text").first).to_have_text("Remember to buy bread")


def test_a_browser_that_cannot_write_down_what_is_said_shows_no_button_for_it(
    laptop: Laptop, phone: Open
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.add_init_script(_NO_RECOGNISER)
    page.reload()
    ready(page)
    expect(page.locator("#say")).to_be_visible()
    expect(page.get_by_role("button", name="Speak")).to_have_count(0)
