"""Who else reads and writes, and what comes in and goes out by a page: with the official client and real files."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
import trio
from mcp.client.auth.oauth2 import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from mcp.types import Implementation
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.panel.conftest import shoot
from tests.endtoend.test_remote_agents import CALLBACK, SDK_WARNS, Storage, connected
from tests.support.agents import agent, call
from tests.support.browser import PATIENCE_MS, Panel, go, launch_url
from tests.support.cli import daemon, run


@pytest.fixture
def served(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Path, str, Page]]:
    """A home whose daemon serves agents, where it does, and a page of its panel."""
    home = tmp_path / "home"
    places = ("--panel", "127.0.0.1:0", "--mcp-http", "127.0.0.1:0")
    with daemon(home, *places, PYTHONWARNINGS=SDK_WARNS) as running:
        context = chromium.new_context(locale="en-GB")
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(launch_url(home))
        page.locator("body[data-ready]").wait_for()
        yield home, running.said["mcp_url"], page
        context.close()


def aside(main: Callable[[], object]) -> threading.Thread:
    """Run a program of its own beside the browser, in a thread."""
    thread = threading.Thread(target=main)
    thread.start()
    return thread


def test_an_agent_is_let_in_watched_and_cut_off_in_the_page(served: tuple[Path, str, Page]) -> None:
    home, url, page = served
    page.keyboard.press("6")
    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
    expect(page.locator("main")).to_contain_text(url)
    page.get_by_label("Name of the agent").fill("Claude on the web")
    page.get_by_role("button", name="Create a token").click()
    token = page.locator(".token").inner_text()
    refused: list[BaseException] = []

    async def use() -> None:
        async with connected(url, token) as client:
            await call(client, "remember", text="Ann moved to Lisbon")
            await call(client, "recall", query="where does Ann live?")

    async def knock() -> None:
        try:
            async with connected(url, token) as client:
                await client.list_tools()
        except Exception as error:
            refused.append(error)

    aside(lambda: trio.run(use)).join(60)
    card = page.locator(".agent-card").filter(has_text="Claude on the web")
    expect(card).to_contain_text("2 calls")
    card.get_by_text("What it has read and written").click()
    calls = card.locator(".calls > li")
    expect(calls).to_have_count(2)
    expect(calls.first).to_contain_text("recall")
    expect(calls.last).to_contain_text("wrote")
    expect(calls.last.get_by_role("link", name="Ann moved to Lisbon")).to_be_visible()
    shoot(page, "agents")
    card.get_by_role("button", name="Disconnect…").click()
    card.get_by_role("button", name="Disconnect", exact=True).click()
    expect(card).to_have_count(0)
    aside(lambda: trio.run(knock)).join(60)
    assert refused, "its token is worth nothing any more"
    assert run(home, "--json", "agents").json["agents"] == []


def test_a_program_on_this_device_is_shown_apart_with_what_it_read(served: tuple[Path, str, Page]) -> None:
    """A remote agent of the same name is another, and neither sees what is the other's beside its own."""
    home, url, page = served
    token = run(home, "--json", "agents", "add", "desk").json["token"]
    here = Implementation(name="<b>desk</b>\n" + "x" * 100, version="1.2\n<i>")
    same = Implementation(name="desk", version="1")

    async def use() -> None:
        async with agent(home, client_info=here) as client:
            await call(client, "remember", text="Ann moved to Lisbon")
            await call(client, "recall", query="where does Ann live?")
        async with agent(home, client_info=same) as client:
            await call(client, "recall", query="where does Ann live?")
        async with connected(url, token) as client:
            await call(client, "remember", text="Ben keeps bees")

    go(page, "agents")
    expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="On this device")).to_be_hidden()
    aside(lambda: trio.run(use)).join(60)
    local = page.get_by_role("list", name="On this device")
    expect(local.locator(".agent-card")).to_have_count(2)
    card = local.locator(".agent-card").filter(has_text="<b>desk</b>")
    expect(card.get_by_role("heading")).to_have_text("<b>desk</b> " + "x" * 48)
    expect(card).to_contain_text("version 1.2 <i>")
    expect(card).to_contain_text("2 calls")
    card.get_by_text("What it has read and written").click()
    calls = card.locator(".calls > li")
    expect(calls).to_have_count(2)
    expect(calls.first).to_contain_text("recall")
    expect(calls.last).to_contain_text("wrote")
    expect(calls.last.get_by_role("link", name="Ann moved to Lisbon")).to_be_visible()
    expect(card.get_by_role("button", name="Disconnect…")).to_have_count(0)
    shoot(page, "agents-here")
    remote = page.get_by_role("list", name="Approved agents").locator(".agent-card")
    remote.get_by_text("What it has read and written").click()
    expect(remote.locator(".calls > li")).to_have_count(1)
    expect(remote.locator(".calls > li")).to_contain_text("wrote")
    twin = local.locator(".agent-card").filter(has_not_text="<b>")
    twin.get_by_text("What it has read and written").click()
    expect(twin.locator(".calls > li")).to_have_count(1)
    expect(twin.locator(".calls > li")).to_contain_text("read")


@pytest.mark.parametrize("answer", ["Approve", "Reject"])
def test_a_program_that_waits_is_let_in_or_turned_away_in_the_page(
    served: tuple[Path, str, Page], answer: str
) -> None:
    home, url, page = served
    came: dict[str, str] = {}
    codes: list[str] = []
    outcome: list[object] = []

    async def show(address: str) -> None:
        async with httpx2.AsyncClient(timeout=60) as http:
            shown = await http.get(address, follow_redirects=True)
            codes.append(shown.text)
            with trio.fail_after(60):
                back = await http.get(shown.url)
                while (
                    back.status_code != 302
                ):  # until somebody decides; the program's page asks like that too
                    back = await http.get(shown.url, headers={"x-again": "1"})
            came.update(httpx2.URL(back.headers["location"]).params)

    async def back() -> AuthorizationCodeResult:
        if "error" in came:
            raise PermissionError(came["error"])
        return AuthorizationCodeResult(code=came["code"], state=came["state"])

    async def use() -> None:
        metadata = OAuthClientMetadata.model_validate(
            {"redirect_uris": [CALLBACK], "client_name": "a <b>program</b>"}
        )
        auth = OAuthClientProvider(url, metadata, Storage(), show, back)
        try:
            async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
                async with Client(streamable_http_client(url, http_client=http)) as client:
                    outcome.append([tool.name for tool in (await client.list_tools()).tools])
        except Exception as error:
            outcome.append(error)

    go(page, "agents")
    thread = aside(lambda: trio.run(use))
    card = page.locator(".waiting-card")
    expect(card).to_contain_text("a <b>program</b> wants to use this memory")
    assert card.locator(".code").inner_text() in codes[0], "the code that its page shows"
    if answer == "Approve":
        shoot(page, "agent-waits")
        card.get_by_label("Read only").check()
    card.get_by_role("button", name=answer).click()
    expect(card).to_have_count(0)
    thread.join(60)
    (agents,) = [run(home, "--json", "agents").json["agents"]]
    if answer == "Approve":
        assert isinstance(outcome[0], list), outcome
        assert "recall" in outcome[0]
        assert "remember" not in outcome[0]
        assert [each["read_only"] for each in agents] == [True]
    else:
        assert isinstance(outcome[0], Exception)
        assert agents == []


CHATS = [
    {
        "title": "Moving",
        "create_time": 1_700_000_000,
        "current_node": "1",
        "mapping": {
            str(number): {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1_700_000_000 + number,
                    "content": {"content_type": "text", "parts": [text]},
                },
                "parent": None if number == 0 else str(number - 1),
                "children": ["1"] if number == 0 else [],
            }
            for number, text in enumerate(("I live in Hamburg", "My sister Ann moved to Lisbon"))
        },
    }
]


def test_a_chat_is_brought_in_by_its_file_and_taken_back(laptop: Panel, page: Page, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CHATS), encoding="utf-8")
    go(page, "settings")
    page.locator("#import-file").set_input_files(file)
    row = page.locator(".import-row")
    expect(row).to_contain_text("2 memories imported")
    shoot(page, "settings")
    assert {"I live in Hamburg", "My sister Ann moved to Lisbon"} <= {
        each["text"] for each in laptop.ask("list", limit=20)["memories"]
    }
    row.get_by_role("button", name="Undo this import").click()
    expect(row).to_contain_text("Undone on every device.")
    assert laptop.ask("list")["total"] == 0
    nonsense = tmp_path / "picture.png"
    nonsense.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    page.locator("#import-file").set_input_files(nonsense)
    expect(page.locator(".import-row.failed")).to_be_visible()
    assert list((laptop.home / "uploads").iterdir()) == [], "no file is left beside the store"
    laptop.errors.clear()  # the browser tells of the refusal


def test_everything_is_taken_out_and_backed_up(laptop: Panel, page: Page, tmp_path: Path) -> None:
    for text in ("Ann moved to Lisbon", "Grüße aus München"):
        laptop.ask("remember", text=text, no_facts=True)
    go(page, "settings")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Export everything").click()
    lines = Path(downloading.value.path()).read_text("utf-8").splitlines()
    assert {"Ann moved to Lisbon", "Grüße aus München"} <= {json.loads(line).get("text") for line in lines}
    page.get_by_label("Format").select_option(label="Markdown notes, as a zip")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Export everything").click()
    assert downloading.value.suggested_filename.endswith("-notes.zip")
    downloading.value.save_as(tmp_path / "notes.zip")
    assert list((laptop.home / "uploads").iterdir()) == [], "nothing is left beside the store"
    assert run(tmp_path / "other", "import", str(tmp_path / "notes.zip")).code == 0
    others = run(tmp_path / "other", "--json", "list").json["memories"]
    assert {each["text"] for each in others} == {"Ann moved to Lisbon", "Grüße aus München"}
    assert {each["rid"] for each in others} == {each["rid"] for each in laptop.ask("list")["memories"]}
    page.get_by_role("button", name="Back up now").click()
    expect(page.locator(".box").filter(has_text="Backup")).to_contain_text("2 memories in")
    (made,) = (laptop.home / "backups").iterdir()
    assert made.stat().st_mode & 0o077 == 0, "only the owner reads it"
    made.unlink()
    page.get_by_label("What", exact=True).fill("name")
    page.get_by_label("Is", exact=True).fill("Julia")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".box.wide dl")).to_contain_text("Julia")
    laptop.ask("profile set", values=["name="])


def test_what_looked_secret_is_decided_on_in_the_page(laptop: Panel, page: Page) -> None:
    """And it is covered there: who looks over a shoulder sees no password."""
    secrets = (
        "The wifi password is Sunny-Beach42",
        "My password: hunter2-Mango77",
        "My password: tulip9-Kiwi55",
    )
    for secret in secrets:
        assert laptop.ask("remember", text=secret)["held"] is True
    go(page, "settings")
    held = page.get_by_role("list", name="Held back on this device").get_by_role("listitem")
    expect(held).to_have_count(3)
    expect(held.first).to_contain_text("The wifi password is")
    assert "Beach42" not in page.locator("main").inner_text()
    shoot(page, "held")
    asked = page.locator(".confirm")
    for _ in range(2):
        held.first.get_by_role("button", name="Delete…").click()
        expect(asked).to_have_count(1)
    held.last.get_by_role("button", name="Delete…").click()
    expect(asked).to_have_count(2)
    held.last.get_by_role("button", name="Delete", exact=True).click()
    expect(held).to_have_count(2)
    expect(held.first.locator(".confirm")).to_be_visible()
    held.first.get_by_role("button", name="Keep").click()
    held.first.get_by_role("button", name="Not a secret…").click()
    held.first.get_by_role("button", name="Keep").click()
    assert laptop.ask("list")["total"] == 0
    held.first.get_by_role("button", name="Not a secret…").click()
    held.first.get_by_role("button", name="Remember it").click()
    expect(held).to_have_count(1)
    assert [each["text"] for each in laptop.ask("list")["memories"]] == ["The wifi password is Sunny-Beach42"]
    held.first.get_by_role("button", name="Delete…").click()
    held.first.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Nothing is held back.")).to_be_visible()
    assert laptop.ask("held list")["held"] == []


def test_a_goal_is_set_goes_on_and_is_reached_in_the_page(laptop: Panel, page: Page) -> None:
    go(page, "settings")
    expect(page.get_by_text("No goals yet.")).to_be_visible()
    page.get_by_label("A goal").fill("Learn to sail the boat")
    page.get_by_role("button", name="Add", exact=True).click()
    goals = page.get_by_role("list", name="Open goals").get_by_role("listitem")
    expect(goals).to_contain_text("nothing about it yet")
    laptop.ask("remember", text="I had a first lesson to learn to sail the boat")
    page.reload()
    expect(goals).to_contain_text("1 memory since")
    shoot(page, "goals")
    page.get_by_role("button", name="Reached: Learn to sail the boat").click()
    expect(page.get_by_text("No goals yet.")).to_be_visible()
    assert [each["status"] for each in laptop.ask("goals list", all=True)["goals"]] == ["done"]


def test_a_file_that_is_sent_is_bounded_and_stays_in_a_folder_of_its_own(laptop: Panel) -> None:
    owner = laptop.owner
    path = "/api/v1/panel/upload"
    assert owner.post(path, {"name": ""}).status == 400
    assert owner.post(path, {"name": 7}).status == 400
    begun = owner.post(path, {"name": "../../../etc/notes.jsonl"})
    assert begun.status == 200
    named = begun.json["id"]
    (folder,) = (laptop.home / "uploads").iterdir()
    assert [each.name for each in folder.iterdir()] == ["notes.jsonl"]
    assert folder.stat().st_mode & 0o077 == 0, "only the owner reads it"
    assert owner.send("POST", f"{path}/{named}", b"x" * (1 << 20), {}).json == {"bytes": 1 << 20}
    assert owner.send("POST", f"{path}/{named}", b"x" * ((1 << 20) + 1), {}).status == 413
    assert owner.send("POST", f"{path}/nobody", b"x", {}).code == "gone"
    assert owner.send("POST", f"{path}/{named}", b"x", {"X-Samemind-CSRF": ""}).status == 403
    assert owner.post("/api/v1/panel/import-undo", {"id": named}).code == "too_late"
    others = [owner.post(path, {"name": f"{n}.jsonl"}).json["id"] for n in range(4)]
    assert not folder.exists(), "a fifth makes the first go"
    for each in others:
        failed = owner.post("/api/v1/panel/import", {"id": each})
        assert failed.body == b"" or failed.status in (200, 400)
    assert list((laptop.home / "uploads").iterdir()) == []


def test_a_store_in_a_folder_of_other_things_leaves_these_alone(chromium: Browser, tmp_path: Path) -> None:
    """A single file can be a device: what lies beside it is its owner's, whatever it is called."""
    for name in ("upload-of-mine", "uploads", "backups"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kept.txt").write_text("mine")
    with daemon(tmp_path / "notes.db", "--panel", "127.0.0.1:0"):
        context = chromium.new_context()
        page = context.new_page()
        page.goto(launch_url(tmp_path / "notes.db"))
        page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
        go(page, "settings")
        page.get_by_role("button", name="Back up now").click()
        expect(page.locator(".box").filter(has_text="Backup")).to_contain_text("notes.db.backups")
        context.close()
    for name in ("upload-of-mine", "uploads", "backups"):
        assert [each.name for each in (tmp_path / name).iterdir()] == ["kept.txt"], name


def test_a_calendar_is_subscribed_to_by_an_address_that_the_page_shows_changes_and_ends(
    served: tuple[Path, str, Page],
) -> None:
    home, _, page = served
    words = ("remember", "call the dentist", "--type", "prospective", "--event-start", "2031-03-03")
    assert run(home, *words).code == 0
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    go(page, "settings")
    box = page.locator(".box", has=page.get_by_role("heading", name="In your calendar"))
    expect(box.locator("code")).to_have_count(0)
    box.get_by_role("button", name="Show the address").click()
    address = box.locator("code").first
    expect(address).to_contain_text(".ics")
    first = address.inner_text()
    expect(box).to_contain_text("Only programs on this machine reach it")
    box.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == first
    assert b"SUMMARY:call the dentist" in httpx2.get(first).content
    shoot(page, "calendar")
    for button, yes in (("New address…", "Make a new one"), ("Stop…", "Stop")):
        box.get_by_role("button", name=button).click()
        box.get_by_role("button", name="Keep").click()
        assert httpx2.get(first).status_code == 200, "nothing was decided"
        box.get_by_role("button", name=button).click()
        box.get_by_role("button", name=yes, exact=True).click()
        expect(box.get_by_text(first)).to_have_count(0)
        assert httpx2.get(first).status_code == 404
        if button == "New address…":
            first = address.inner_text()
    expect(box).to_contain_text("No address works any more.")
    expect(box.get_by_role("button", name="Show the address")).to_be_focused()
    assert not (home / "calendar.json").exists()
