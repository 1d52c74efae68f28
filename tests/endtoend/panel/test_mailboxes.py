"""A mailbox is added in the page, by its address or by an invitation, and the page says how it stands with it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.endtoend.panel.conftest import shoot
from tests.support.browser import Panel, go
from tests.support.cli import run
from tests.support.mailbox_servers import nats_server

SECONDS_MS = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with nats_server(tmp_path_factory.mktemp("nats")) as url:
        yield url


def given_up(panel: Panel, name: str) -> None:
    run(panel.home, "mailbox", "remove", name)


def test_a_mailbox_is_added_by_its_address_and_one_by_invitation(
    server: str, laptop: Panel, phone: Panel
) -> None:
    """What one device writes there the other has, and both pages say so."""
    page = laptop.page("#/devices")
    part = page.locator("section", has=page.get_by_role("heading", name="Mailboxes"))
    none = part.get_by_text("None yet")
    expect(none).to_be_visible()
    page.get_by_label("Address of the mailbox").fill(server)
    page.get_by_label("Name on this device").first.fill("home")
    page.get_by_role("button", name="Add", exact=True).first.click()
    card = page.locator(".mailbox")
    expect(card).to_contain_text("home")
    expect(card).to_contain_text(server)
    expect(card).to_contain_text("checked just now", timeout=SECONDS_MS)
    expect(none).to_be_hidden()

    text = run(laptop.home, "mailbox", "invite", "home", "--json").json["text"]
    there = phone.page("#/devices")
    there.get_by_label("Invitation").fill(text)
    there.get_by_role("button", name="Add", exact=True).last.click()
    expect(there.locator(".mailbox")).to_contain_text("laptop in sync", timeout=SECONDS_MS)
    page.get_by_role("button", name="Check now").click()
    expect(card).to_contain_text("phone in sync", timeout=SECONDS_MS)
    shoot(page, "mailboxes")
    for each in (laptop, phone):
        given_up(each, "home")
    expect(none).to_be_visible(timeout=SECONDS_MS)


def test_what_is_no_mailbox_is_said_and_nothing_is_saved(laptop: Panel, page: Page) -> None:
    go(page, "devices")
    for address, said in (
        ("http://example.org", "expected the address of a mailbox"),
        ("folder:///etc", "a page names no folder of this machine"),
        ("webdav+https://ada@cloud.example/box", "expected a password"),
    ):
        page.get_by_label("Address of the mailbox").fill(address)
        page.get_by_role("button", name="Add", exact=True).first.click()
        expect(page.locator("body")).to_contain_text(said)
    page.get_by_label("Invitation").fill("samemind-mailbox:nonsense")
    page.get_by_role("button", name="Add", exact=True).last.click()
    expect(page.locator("body")).to_contain_text("expected what")
    assert laptop.ask("mailbox list")["mailboxes"] == []
    laptop.errors.clear()  # the browser's own lines about answers of 400


def test_a_secret_that_was_typed_is_in_one_file_and_no_answer(laptop: Panel, page: Page) -> None:
    go(page, "devices")
    page.get_by_label("Address of the mailbox").fill("webdav+http://ada@127.0.0.1:9/box")
    page.get_by_label("Password or key").fill("hush-hush-4711")
    page.get_by_role("button", name="Add", exact=True).first.click()
    card = page.locator(".mailbox")
    expect(card).to_contain_text("could not be reached", timeout=SECONDS_MS)
    assert "hush-hush" not in page.content()
    assert page.get_by_label("Password or key").input_value() == ""
    found = [
        file.name
        for file in Path(laptop.home).iterdir()
        if file.is_file() and b"hush-hush" in file.read_bytes()
    ]
    assert found == ["mailboxes.json"]
    for verb in ("mailbox list", "status", "doctor"):
        assert "hush-hush" not in json.dumps(laptop.ask(verb))
    given_up(laptop, "mailbox")
