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

from samemind.phone.host import LIST_MAX
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
    before, heard = 0, list[str]()
    for burst in range(KILLS + 1):
        with killable(playwright, profile) as (page, process):
            page.goto(laptop.phone_url)
            if burst == 0:
                begin(page)
            else:
                ready(page)
                assert heard == [f"told {number}" for number in range(len(heard))]
                # Each burst is told in order, so what is there is what was acknowledged, and after it what was told and
                # not heard of any more: no gap, nothing twice, nothing else.
                there = ask(page, "status")["memories"] - before
                assert there >= len(heard), f"{len(heard) - there} of {len(heard)} lost by kill {burst}"
                newest = [each["text"] for each in call(page, "recent", limit=LIST_MAX)][:there]
                assert (
                    newest == [_telling(burst - 1, number) for number in range(there)][: -LIST_MAX - 1 : -1]
                )
                before += there
            heard = []
            page.on("console", partial(_hear, heard))
            page.evaluate(_BURST, burst)
            ends = time.monotonic() + _START_SECONDS_MAX
            while len(heard) < 3:
                assert time.monotonic() < ends, f"only {heard} was acknowledged in burst {burst}"
                page.wait_for_timeout(50)
            page.wait_for_timeout(random.uniform(50, 1_500))
            kill(process)


def _telling(burst: int, number: int) -> str:
    return f"Burst {burst} telling {number}"


def _hear(heard: list[str], message: ConsoleMessage) -> None:
    if message.text.startswith(("told", "failed")):
        heard.append(message.text)
