"""A browser that started the device once goes on from there the next time; and starts from scratch where it cannot."""

from collections.abc import Callable
from typing import Any, Final

from playwright.sync_api import Page

from tests.endtoend.phone.conftest import Laptop, ask, begin, call, ready

_ABOUT: Final = """() => new Promise((resolve) => {
  const opening = indexedDB.open("samemind-phone", 1);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("kept").objectStore("kept").get("start");
    asked.onsuccess = () => { opening.result.close(); resolve(asked.result ?? null); };
  };
})"""
# One byte in the middle of it, as a disk may that is old.
_SPOIL: Final = """async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("samemind-start");
  const file = await folder.getFileHandle("memory");
  const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
  bytes[bytes.length >> 1] ^= 1;
  const writable = await file.createWritable();
  await writable.write(bytes);
  await writable.close();
  return bytes.length;
}"""
_EACH_MS: Final = 100
_LOOKS_MAX: Final = 600


def kept(page: Page) -> Any:
    """Wait until a start is kept, and return what is noted of it."""
    for _ in range(_LOOKS_MAX):
        about = page.evaluate(_ABOUT)
        if about is not None and about["isGood"]:
            return about
        page.wait_for_timeout(_EACH_MS)
    raise AssertionError(f"no start was kept: {page.evaluate(_ABOUT)}")


def test_the_second_start_goes_on_from_the_first_and_a_spoilt_one_from_scratch(
    laptop: Laptop, phone: Callable[[str], Page]
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    call(page, "remember", text="told at the first start")
    assert not ask(page, "status")["wasKept"]
    made = kept(page)
    for number in (1, 2):
        page.reload()
        ready(page)
        status = ask(page, "status")
        assert status["wasKept"]
        call(page, "remember", text=f"told when it went on, {number}")
        assert ask(page, "status")["flushes"] - status["flushes"] == 1
        assert kept(page)["sha256"] == made["sha256"]
    before = call(page, "digests")
    assert page.evaluate(_SPOIL) > 10_000_000
    page.reload()
    ready(page)
    assert not ask(page, "status")["wasKept"]
    assert call(page, "digests") == before
    assert len(call(page, "recent", limit=9)) == 3
