"""A browser that started the device once goes on from there the next time; and starts from scratch where it cannot."""

from collections.abc import Callable
from typing import Final

from playwright.sync_api import Page

from tests.endtoend.phone.conftest import Laptop, ask, begin, call, kept, ready

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

# It rests a second and a half after whatever happened last: what the start before left in the log is brought over, and
# the next commit is at the front of it.
_RESTED_MS: Final = 2_000

# What is noted of a memory after so many starts from it in a row that nobody saw the end of.
_UNENDED: Final = """(unended) => new Promise((resolve) => {
  const opening = indexedDB.open("samemind-phone", 1);
  opening.onsuccess = () => {
    const work = opening.result.transaction("kept", "readwrite"), store = work.objectStore("kept");
    const asked = store.get("start");
    asked.onsuccess = () => store.put({ ...asked.result, unended }, "start");
    work.oncomplete = () => { opening.result.close(); resolve(); };
  };
})"""


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
        page.wait_for_timeout(_RESTED_MS)
        status = ask(page, "status")
        assert status["wasKept"]
        call(page, "remember", text=f"told when it went on, {number}")
        assert ask(page, "status")["flushes"] - status["flushes"] == 1
        assert kept(page)["sum"] == made["sum"]
    before = call(page, "digests")
    assert page.evaluate(_SPOIL) > 10_000_000
    page.reload()
    ready(page)
    assert not ask(page, "status")["wasKept"]
    assert call(page, "digests") == before
    assert len(call(page, "recent", limit=9)) == 3


def test_a_page_that_was_closed_while_it_started_costs_the_next_start_nothing(
    laptop: Laptop, phone: Callable[[str], Page]
) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    for unended, goes_on in ((1, True), (2, False)):  # twice in a row, it was the memory that ended them
        kept(page)
        page.evaluate(_UNENDED, unended)
        page.reload()
        ready(page)
        assert ask(page, "status")["wasKept"] is goes_on
