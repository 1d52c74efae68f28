"""The browser is killed in bursts of tellings: whatever was acknowledged is there when it starts again."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import pytest
from playwright.sync_api import ConsoleMessage, Page, Playwright

from tests.endtoend.phone.conftest import PATIENCE_MS, Laptop, ask, begin, call, ready
from tests.support.browser import CHROMIUM

# A release is tried with fifty: SAMEMIND_KILLS=50.
KILLS: Final = int(os.environ.get("SAMEMIND_KILLS", "3"))
_START_SECONDS_MAX: Final = 60
# As fast as it can, one after another; what was acknowledged is said at once, and heard outside of the browser.
_BURST: Final = """(burst) => {
  const channel = new BroadcastChannel("samemind-phone");
  let number = 0;
  const next = () => channel.postMessage({
    id: `burst ${burst} ${number}`, verb: "call",
    options: { verb: "remember", options: { text: `Burst ${burst} telling ${number}` } },
  });
  channel.onmessage = ({ data }) => {
    if (data.verb || !data.id?.startsWith("burst")) return;
    console.log(data.error ? `failed ${data.error.message}` : `told ${number}`);
    number += 1;
    next();
  };
  next();
}"""


@contextmanager
def killable(playwright: Playwright, profile: Path) -> Iterator[tuple[Page, "subprocess.Popen[bytes]"]]:
    """A browser of its own process group, and a page of it."""
    assert CHROMIUM is not None
    port = profile / "DevToolsActivePort"
    port.unlink(missing_ok=True)
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [CHROMIUM, *flags, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        ends = time.monotonic() + _START_SECONDS_MAX
        while not (port.exists() and port.read_text().count("\n")):
            assert time.monotonic() < ends
            time.sleep(0.05)
        number = port.read_text().split("\n")[0]
        running = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{number}")
        page = running.contexts[0].new_page()
        page.set_default_timeout(PATIENCE_MS)
        yield page, process
    finally:
        kill(process)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """End all of a browser at once, as a battery that runs out does."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it is gone already
    process.wait(30)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt install chromium")
def test_nothing_acknowledged_is_lost_when_the_browser_is_killed(
    laptop: Laptop, playwright: Playwright, tmp_path: Path
) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    random = Random(25)
    acknowledged, last = 0, ""
    for burst in range(KILLS + 1):
        with killable(playwright, profile) as (page, process):
            page.goto(laptop.phone_url)
            if burst == 0:
                begin(page)
            else:
                ready(page)
                found = ask(page, "status")["memories"]
                # The last telling of each burst may have been on the disk before it was acknowledged.
                assert acknowledged <= found <= acknowledged + 1, f"after kill {burst}"
                acknowledged = found
                (hit, *_) = call(page, "ask", question=last, limit=1)
                assert hit["text"] == last
            heard: list[str] = []
            page.on("console", partial(_hear, heard))
            page.evaluate(_BURST, burst)
            while len(heard) < 3:
                page.wait_for_timeout(50)
            page.wait_for_timeout(random.uniform(50, 1_500))
            kill(process)
        assert heard == [f"told {number}" for number in range(len(heard))]
        acknowledged += len(heard)
        last = f"Burst {burst} telling {len(heard) - 1}"


def _hear(heard: list[str], message: ConsoleMessage) -> None:
    if message.text.startswith(("told", "failed")):
        heard.append(message.text)
