"""A page that was paired takes a new one from a member, and none from whoever else answers at the member's address."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from tests.endtoend.phone.conftest import Laptop, begin, laptop_at, pair, ready
from tests.support.cli import daemon, run
from tests.support.phone_page import page as built_page

# Ten times what a new page took to be taken in, on a busy machine.
_MOMENT_MS: Final = 10_000
# It starts twice, and pairs, beside whatever else the machine does.
_PATIENCE_MS: Final = 180_000
_NEWER: Final = b'<meta name="day" content="another">'
_HELD: Final = """async (newer) => {
  const held = [];
  for (const name of await caches.keys()) {
    const page = await (await caches.open(name)).match("/phone/index.html");
    if (page) held.push((await page.text()).includes(newer));
  }
  return held;
}"""
_KEPT: Final = "() => navigator.serviceWorker.controller !== null"
_LOOK: Final = "() => navigator.serviceWorker.ready.then((one) => one.active.postMessage('look'))"


def another_page(folder: Path) -> Path:
    """The page of another day, in a package of its own; return the folder to find it in."""
    static = folder / "samemind_phone" / "static"
    shutil.copytree(built_page().parent, folder / "samemind_phone")
    content = (static / "index.html").read_bytes().replace(b"</head>", _NEWER + b"</head>")
    assert _NEWER in content
    (static / "index.html").write_bytes(content)
    manifest = json.loads((static / "manifest.json").read_bytes())
    about = manifest["files"]["index.html"]
    about |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "encodings": []}
    (static / "manifest.json").write_text(json.dumps(manifest))
    return folder


@contextmanager
def serving(home: Path, package: Path, listens: str) -> Iterator[Laptop]:
    with daemon(home, "--panel", listens, PYTHONPATH=str(package)) as running:
        yield Laptop(home, running)


def test_a_new_page_is_taken_from_a_member_and_from_nobody_else(
    phone: Callable[[str], Page], tmp_path: Path
) -> None:
    homes = {name: tmp_path / name for name in ("laptop", "stranger")}
    for name, home in homes.items():
        assert run(home, "init", "--name", name).code == 0
    newer = another_page(tmp_path / "newer")
    with serving(homes["laptop"], built_page().parents[1], "127.0.0.1:0") as laptop:
        page = phone(laptop.phone_url)
        page.set_default_timeout(_PATIENCE_MS)
        begin(page)
        pair(page, laptop)
        page.reload()
        ready(page)
        place = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
        laptop.running.end()
    with serving(homes["stranger"], newer, place):
        page.evaluate(_LOOK)
        page.wait_for_timeout(_MOMENT_MS)
        assert page.evaluate(_HELD, _NEWER.decode()) == [False]
        page.reload()
        ready(page)
        assert _NEWER.decode() not in page.content()
    with serving(homes["laptop"], newer, place):
        page.evaluate(_LOOK)
        expect(page.get_by_text("A new page is here.")).to_be_visible(timeout=60_000)
        assert True in page.evaluate(_HELD, _NEWER.decode())
        page.reload()
        ready(page)
        assert _NEWER.decode() in page.content()


def test_a_page_that_was_not_fetched_whole_is_kept_once_there_is_a_link(
    phone: Callable[[str], Page], tmp_path: Path
) -> None:
    """As where the device that serves it went on the way: here a part is missing that this browser does not run."""
    home, cut = tmp_path / "laptop", tmp_path / "cut"
    assert run(home, "init", "--name", "laptop").code == 0
    shutil.copytree(built_page().parent, cut / "samemind_phone")
    for part in (cut / "samemind_phone" / "static").glob("catalog-fr-*"):
        part.unlink()
    with serving(home, cut, "127.0.0.1:0") as laptop:
        place = laptop.running.said["panel_url"].rstrip("/").rpartition("//")[2]
        page = phone(laptop.phone_url)
        begin(page)
        page.wait_for_timeout(_MOMENT_MS)
        assert page.evaluate(_KEPT) is False
    with laptop_at(home, place) as laptop:
        pair(page, laptop)
        page.wait_for_function(_KEPT)
