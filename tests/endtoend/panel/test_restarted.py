"""A page whose device was restarted: what was typed there stays, and is stored once the browser is let in again."""

import signal
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.support.browser import PATIENCE_MS, launch_url, panel
from tests.support.cli import daemon
from tests.support.memories_page import card, open_memories

DRAFT = "The spare key is under the third flower pot"


def test_what_was_typed_outlives_a_restart_and_is_stored_after_it(chromium: Browser, tmp_path: Path) -> None:
    with panel(chromium, tmp_path / "laptop", "laptop") as laptop:
        page, idle = laptop.page(), laptop.page()
        open_memories(page).get_by_role("button", name="Remember something").click()
        page.get_by_label("What to remember").fill(DRAFT)
        laptop.daemon.end(signal.SIGKILL)
        with daemon(laptop.home, "--panel", urlsplit(laptop.url).netloc):
            told_how = page.get_by_role("alert").filter(has_text="samemind panel")
            expect(told_how).to_be_visible()
            # A page without anything that could be lost shows no more of the memory.
            expect(idle.get_by_role("heading", name="Open the panel from this device")).to_be_visible()
            expect(page.get_by_label("What to remember")).to_have_value(DRAFT)
            let_in = laptop.context.new_page()
            let_in.goto(launch_url(laptop.home))
            let_in.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
            expect(page.locator("#whoami")).to_have_text("laptop")
            page.get_by_label("What to remember").press("Enter")
            expect(card(page, DRAFT).first).to_be_visible()
            expect(page.get_by_label("What to remember")).to_have_value("")
