"""A device that was put out of the group: both pages say so, by whom, and since when."""

import time
from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.endtoend.panel.conftest import pair, shoot
from tests.support.browser import PATIENCE_MS, panel
from tests.support.cli import run


def test_both_pages_say_who_put_whom_out(chromium: Browser, tmp_path: Path) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    with (
        panel(chromium, tmp_path / "laptop", "laptop") as laptop,
        panel(chromium, tmp_path / "phone", "phone") as phone,
    ):
        pair(laptop, phone)
        out = laptop.ask("peers revoke", device="phone")
        assert out["revoked_by"] == "laptop"
        devices = laptop.page("#/devices")
        expect(devices.locator("main .lead")).to_have_text("Only this one so far.")
        expect(devices.get_by_role("button", name="Sync now")).to_be_hidden()
        device = devices.locator(".device").filter(has_text="phone")
        expect(device).to_contain_text("removed by laptop, ")
        deadline = time.monotonic() + PATIENCE_MS / 1_000
        while phone.ask("status")["revoked_by"] is None:
            assert time.monotonic() < deadline, "it is told when it calls"
            time.sleep(0.1)
        page = phone.page("#/devices")
        expect(page.locator(".warning")).to_have_text(
            "laptop removed this device from the group, so no other device syncs with it."
        )
        shoot(page, "put-out")
        expect(phone.page().get_by_role("heading", level=1).filter(has_text="Removed")).to_have_text(
            "Removed from the group"
        )
        assert "revoked by laptop" in run(phone.home, "status").out
        assert laptop.errors + phone.errors == []
