"""Take the pictures of the panel that the documents show: `python -m tests.support.pictures`.

Two real daemons are told a few things, are paired in their pages, and are looked at in a real browser. Nothing is
drawn by hand, so a picture shows what the panel looks like; it is taken anew when that changes.
"""

import base64
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, expect

from tests.support.browser import PATIENCE_MS, Panel, browser, go, panel

DOCS: Final = Path(__file__).parents[2] / "docs"
TOLD: Final = (
    ("laptop", "The launch of Heron is on 12 March", "project"),
    ("laptop", "Heron runs on Postgres 16, in the Lisbon office", "project"),
    ("phone", "Heron’s invoices go to Okafor Ltd.", "project"),
    ("laptop", "Window seats, and coffee without sugar", "preference"),
    ("phone", "Ann’s birthday is on 3 June", "identity"),
    ("phone", "The spare key is with the neighbour, Mrs. Okafor", None),
    ("laptop", "I take the 8:15 train on weekdays", None),
)


def main() -> None:
    """Take them all."""
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        base = Path(folder)
        with (
            panel(chromium, base / "laptop", "laptop") as laptop,
            panel(chromium, base / "phone", "phone") as phone,
        ):
            large, small = (
                laptop.page("#/devices", height=800),
                phone.page("#/devices", width=390, height=800),
            )
            _pair(large, small)
            devices = {"laptop": laptop, "phone": phone}
            for name, text, category in TOLD:
                meta = [] if category is None else [f"category={category}"]
                devices[name].ask("remember", text=text, meta=meta, no_facts=True)
            expect(small.locator("#pill")).to_have_text(f"{len(TOLD)} memories")
            told = laptop.ask("list")["memories"]
            (train,) = (each["rid"] for each in told if "train" in each["text"])
            phone.ask("edit", rid=train, text="I take the 8:45 train on weekdays")
            laptop.ask("pin", rid=told[-1]["rid"])
            go(large, "")
            go(small, "memories")
            expect(large.get_by_role("heading", level=1)).to_contain_text(f"{len(TOLD)} memories")
            expect(small.locator(".memory-row")).to_have_count(len(TOLD))
            _together(chromium, _rest(large), _rest(small), DOCS / "panel.png")
            _questions(laptop, phone, large)


def _pair(large: Page, small: Page) -> None:
    large.get_by_role("button", name="Show a code").click()
    code = large.locator(".code")
    small.get_by_label("Code", exact=True).fill(code.get_attribute("data-code") or "")
    small.get_by_label("Address, if needed").fill(code.get_attribute("data-address") or "")
    small.get_by_role("button", name="Join").click()
    expect(large.locator(".device.linked")).to_have_count(1)


def _questions(laptop: Panel, phone: Panel, page: Page) -> None:
    laptop.ask("remember", text="I work at Google")
    phone.ask("remember", text="I work at Meta")
    go(page, "questions")
    expect(page.locator(".question")).to_have_count(1)
    page.set_viewport_size({"width": 1280, "height": 500})
    (DOCS / "panel-questions.png").write_bytes(_rest(page))


def _rest(page: Page) -> bytes:
    """Return a picture of a page in which nothing moves any more."""
    page.evaluate("() => Promise.all(document.getAnimations().map((each) => each.finished.catch(() => {})))")
    page.mouse.move(1, 1)
    return page.screenshot()


def _together(chromium: Browser, large: bytes, small: bytes, path: Path) -> None:
    """Put two pictures side by side, as two screens on a desk."""
    page = chromium.new_page(viewport={"width": 1600, "height": 800})
    images = "".join(
        f'<img height="720" src="data:image/png;base64,{base64.b64encode(each).decode()}">'
        for each in (large, small)
    )
    page.set_content(
        "<style>body{margin:0;height:800px;display:flex;gap:40px;align-items:center;justify-content:center;"
        "background:#dfe6e1}img{border-radius:14px;box-shadow:0 18px 50px #2a5d4f40}</style>" + images
    )
    page.locator("img").last.wait_for()
    page.screenshot(path=path)


if __name__ == "__main__":
    main()
