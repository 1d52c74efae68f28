"""What a phone's page shows can be read and told apart."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.endtoend.phone.conftest import Laptop, begin, call, laptop_at, pair
from tests.support.cli import run

Open = Callable[[str], Page]
_LINES = """(element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
}"""


def test_a_notice_with_a_button_is_read_in_few_lines(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    page.locator("#say").fill("My wifi password is hunter2secret99")
    page.get_by_role("button", name="Remember", exact=True).click()
    told = page.locator(".notice span")
    expect(told).to_contain_text("This looks like a secret")
    assert told.evaluate(_LINES) <= 3
    page.get_by_role("button", name="Remember it anyway").click()
    expect(page.get_by_text("Remembered.")).to_be_visible()


def test_devices_of_one_name_are_told_apart(tmp_path: Path, phone: Open) -> None:
    home = tmp_path / "laptop"
    assert run(home, "init", "--name", "pocket").code == 0
    with laptop_at(home) as laptop:
        page = phone(laptop.phone_url)
        begin(page)
        page.get_by_role("link", name="Devices").click()
        row = page.locator(".devices li")
        expect(row).to_have_text("pocketthis device")
        pair(page, laptop)
        expect(row).to_have_count(2)
        for each in call(page, "devices"):
            expect(row.filter(has_text=f"pocket {each['id'][:12]}")).to_have_count(1)
