"""A phone and a daemon that cannot link meet through a mailbox: real servers, a real browser, and what goes wrong."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from playwright.sync_api import Page, expect

from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.serving import server_settings
from tests.endtoend.phone.conftest import Laptop, agreed, ask, begin, call, laptop_at, pair, ready, tell
from tests.support.cli import daemon, run
from tests.support.mailbox_servers import (
    PASSWORD,
    USER,
    letting_in,
    nats_server,
    needs_package,
    rclone_webdav,
)
from tests.support.ports import free_port

Open = Callable[[str], Page]

_POLICIES: Final = """async () => {
  const found = [];
  for (const name of await caches.keys()) {
    const kept = await (await caches.open(name)).match("/phone/manifest.json");
    if (kept) found.push(kept.headers.get("content-security-policy"));
  }
  return found;
}"""

_LOOKS_MAX: Final = 120
_EACH_MS: Final = 500
_SEED: Final = new_seed(bytes(range(32)))


def add(home: Path, url: str, secret: str, at: str) -> None:
    """Use a mailbox, and let phones use it."""
    file = home.with_name("secret")
    file.write_text(secret)
    for words in (("add", url, "--name", "post", "--secret-file", str(file)), ("phones", "post", "--at", at)):
        assert run(home, "mailbox", *words).code == 0


def mailbox(page: Page) -> dict[str, Any]:
    """How it stands with the one mailbox of a phone, once it was told of it."""
    for _ in range(_LOOKS_MAX):
        if told := ask(page, "status")["mailboxes"]:
            assert len(told) == 1
            found: dict[str, Any] = told[0]
            return found
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError("the phone was told of no mailbox")


def until(page: Page, what: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Wait until it stands so with the mailbox; whoever looks at the page makes it look."""
    for _ in range(_LOOKS_MAX):
        ask(page, "look")
        if what(found := mailbox(page)):
            return found
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError(mailbox(page))


def kept_for(page: Page, at: str) -> None:
    """Wait until the page that is kept for later may connect there."""
    for _ in range(_LOOKS_MAX):
        if any(at in policy for policy in page.evaluate(_POLICIES)):
            return
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError(page.evaluate(_POLICIES))


def agree_apart(page: Page, laptop: Laptop) -> None:
    """Let both look until they hold the same."""
    for _ in range(_LOOKS_MAX):
        laptop.ask("mailbox look")
        ask(page, "look")
        if call(page, "digests") == laptop.digests():
            return
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError(f"{ask(page, 'status')} against {laptop.ask('status')}")


@contextmanager
def without_panel(home: Path) -> Iterator[Laptop]:
    """The same device where no page can link with it."""
    with daemon(home) as running:
        yield Laptop(home, running)


def new_home(tmp_path: Path) -> Path:
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "laptop").code == 0
    return home


def exchange_apart(page: Page, home: Path) -> None:
    """Tell both something, and edit on each what the other told, while the mailbox is all that they share."""
    with without_panel(home) as laptop:
        laptop.ask("remember", text="told to the laptop while apart")
        page.get_by_role("link", name="Memories").click()
        tell(page, "told to the phone while apart")
        agree_apart(page, laptop)
        told = {each["text"]: each["rid"] for each in call(page, "recent", limit=9)}
        call(page, "edit", rid=told["told to the laptop while apart"], text="edited on the phone")
        laptop.ask("edit", rid=told["told to the phone while apart"], text="edited on the laptop")
        agree_apart(page, laptop)
        texts = {each["text"] for each in call(page, "recent", limit=9)}
        assert {"edited on the phone", "edited on the laptop"} <= texts
        assert ask(page, "status")["link"]["state"] in ("away", "calling")
        expect(page.locator("#where")).to_contain_text("By mailbox")


def test_away_from_the_laptop_both_meet_by_webdav(phone: Open, tmp_path: Path) -> None:
    home = new_home(tmp_path)
    with rclone_webdav(tmp_path) as url, letting_in(url) as at:
        add(home, f"webdav+{url}", PASSWORD, at)
        with laptop_at(home) as laptop:
            page = phone(laptop.phone_url)
            begin(page)
            pair(page, laptop)
            agreed(page, laptop)
            mailbox(page)
            page.wait_for_function("() => navigator.serviceWorker.controller")
            laptop.running.end()
        exchange_apart(page, home)
        page.reload()  # from what the service worker kept: it may still connect there
        ready(page)
        tell(page, "told after a start with nobody near")
        with without_panel(home) as laptop:
            agree_apart(page, laptop)
        page.get_by_role("link", name="Devices").click()
        expect(page.locator("#mailboxes")).to_contain_text("Last met by mailbox")


def test_away_from_the_laptop_both_meet_by_a_nats_server(phone: Open, tmp_path: Path) -> None:
    needs_package("nats")
    home, port, web = new_home(tmp_path), free_port(), free_port()
    settings = server_settings(
        public_nkey(read_seed(_SEED)), listen=f"127.0.0.1:{port}", tls=False, store=f"{tmp_path}/store"
    )
    settings += f'websocket {{ listen: "127.0.0.1:{web}", no_tls: true }}\n'
    with nats_server(tmp_path, port=port, config=settings) as url:
        add(home, url, _SEED, f"ws://127.0.0.1:{web}")
        with laptop_at(home) as laptop:
            page = phone(laptop.phone_url)
            begin(page)
            pair(page, laptop)
            agreed(page, laptop)
            mailbox(page)
            laptop.running.end()
        exchange_apart(page, home)
        with without_panel(home) as laptop:  # by the bell: nobody asks the page to look
            laptop.ask("remember", text="told while the page waits")
            laptop.ask("mailbox look")
            page.get_by_role("link", name="Memories").click()
            expect(page.locator(".card").first).to_contain_text("told while the page waits")


def test_a_page_may_connect_to_the_mailboxes_of_phones_and_to_nothing_else(
    phone: Open, tmp_path: Path
) -> None:
    home = new_home(tmp_path)

    def policy(laptop: Laptop, name: str) -> str:
        with urlopen(laptop.phone_url + name, timeout=30) as answer:
            directives = answer.headers["content-security-policy"].split("; ")
        (found,) = (each for each in directives if each.startswith("connect-src"))
        return str(found)

    with laptop_at(home) as laptop, rclone_webdav(tmp_path) as url, letting_in(url) as at:
        assert policy(laptop, "") == "connect-src 'self'"
        add(home, f"webdav+{url}", PASSWORD, at)
        assert policy(laptop, "") == policy(laptop, "manifest.json") == f"connect-src 'self' {at}"
        assert run(home, "mailbox", "phones", "post", "--off").code == 0
        assert policy(laptop, "") == "connect-src 'self'"
        # A page that was loaded before is told of the mailbox, and says what to do.
        page = phone(laptop.phone_url)
        begin(page)
        pair(page, laptop)
        agreed(page, laptop)
        page.wait_for_function("() => navigator.serviceWorker.controller")
        place = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
        laptop.running.end()
    (tmp_path / "again").mkdir()
    with rclone_webdav(tmp_path / "again") as url, letting_in(url) as at:
        add(home, f"webdav+{url}", PASSWORD, at)
        with laptop_at(home, place) as laptop:
            kept_for(page, at)
            laptop.running.end()
        until(page, lambda each: each["kind"] == "policy")
        page.reload()
        ready(page)
        call(page, "remember", text="told to the phone")
        until(page, lambda each: each["looked_ms"] is not None)


def test_what_a_server_refuses_is_told_with_what_to_do(phone: Open, tmp_path: Path) -> None:
    home = new_home(tmp_path)
    with rclone_webdav(tmp_path) as url, letting_in(url) as at:
        plain = url.replace(f"{USER}@", "").rpartition("/")[0]
        add(home, f"webdav+{url}", PASSWORD, plain)  # which lets no page in
        with laptop_at(home) as laptop:
            page = phone(laptop.phone_url)
            begin(page)
            pair(page, laptop)
            agreed(page, laptop)
            mailbox(page)
            place = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
            laptop.running.end()
        until(page, lambda each: each["kind"] == "cors")
        page.get_by_role("link", name="Devices").click()
        expect(page.locator("#mailboxes")).to_contain_text("has to let pages of")
        add(home, f"webdav+{url}", "another", at)
        with laptop_at(home, place) as laptop:
            kept_for(page, at)
            page.reload()
            ready(page)
            agreed(page, laptop)
            laptop.running.end()
        until(page, lambda each: each["kind"] == "denied")
