"""Measure the page of a phone in this machine's Chromium, beside a real daemon over loopback.

    make bench-phone
    python -m tests.bench.phone [--memories 10000] [--full 50000] [--commits 200] [--kept FOLDER]

Everything is real: the daemon serves the page that `make phone` builds, the browser keeps its store on its own disk,
the two pair by a code, and each memory on the laptop is a signed commit of its own, some sixty characters of words. A
warm start is that of a browser that was closed and opened again, its page kept by its service worker, its store holding
all of it. It is measured once that browser has come to rest: Chromium takes some seconds of both processors for its own
windows, whatever page is opened meanwhile; what a start takes beside that is printed too. Nothing is told before the
page has kept its start, some seconds after the first one: what reading takes is ready by then. Printed is each figure
beside what it is to be, with the processor time of the whole browser where a busy machine would say little; nothing is
asserted, because a busy machine is no regression.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright

from replica import Core, Write, connect, new_memory_id, wall_clock_ms
from replica.ops import Remember
from replica.storage.store import SqliteStore
from samemind.config import Settings
from samemind.device import derived_tables
from sync.identity import Identity
from tests.bench.sentences import sentences
from tests.endtoend.phone.conftest import PATIENCE_MS, Laptop, ask, begin, call, kept, laptop_at, pair, ready
from tests.support import phone_wheel
from tests.support.browser import CHROMIUM
from tests.support.cli import run
from tests.support.growth import cpu_seconds

_FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_SYNC_SECONDS_MAX: Final = 900.0
_LOOK_EVERY_MS: Final = 20
_BATCH: Final = 1_000
_WARM_STARTS: Final = 3
# A browser is at rest that took less than a twentieth of one processor three times in a row.
_REST_LOOK_S: Final = 0.3
_REST_SHARE: Final = 0.05
_REST_LOOKS_MAX: Final = 60


def fill(home: Path, count: int) -> None:
    """Give a new device so many memories, each a commit of its own."""
    who, chance = Identity.load(home / "identity.pem"), random.Random(1)
    connection = connect(str(home / "memory.db"))
    connection.execute("PRAGMA synchronous = OFF")  # what is measured is the phone, not this
    store = SqliteStore(connection, derived_tables(Settings()))
    core = Core(store, device=who.device_id, sign=who.sign, random=chance)
    now_ms = wall_clock_ms() - count * 1_000
    for text in sentences(count):
        now_ms += 1_000
        core.commit([Write(Remember(text, {}), new_memory_id(now_ms, chance))], now_ms)
    connection.close()


@contextmanager
def opened(playwright: Playwright, profile: Path) -> Iterator[BrowserContext]:
    """A browser with a disk of its own, of a phone's size."""
    context = playwright.chromium.launch_persistent_context(
        profile,
        executable_path=CHROMIUM,
        args=list(_FLAGS),
        viewport={"width": 390, "height": 844},
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE_MS * 5)
    try:
        yield context
    finally:
        context.close()


def say(name: str, value: float, unit: str, target: float | None = None, note: str = "") -> None:
    """Print a figure beside what it is to be."""
    shown = "" if target is None else f"  (to be at most {target:g} {unit})"
    print(f"{name:<34}{value:>9.1f} {unit}{shown}{'  ' + note if note else ''}", flush=True)


def cpu_of(profile: Path) -> float:
    """Return the seconds of processor time that the browser of a profile has taken, all its processes together."""
    parents: dict[int, int] = {}
    roots = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if f"--user-data-dir={profile}".encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    roots.add(int(entry.name))
    taken = 0.0
    for each in parents:
        over: int | None = each
        while over is not None and over not in roots:
            over = parents.get(over)
        if over is not None:
            with suppress(OSError):
                taken += cpu_seconds(each)
    return taken


def come_to_rest(profile: Path) -> None:
    """Wait until a browser that was just started does nothing by itself."""
    quiet, before = 0, cpu_of(profile)
    for _ in range(_REST_LOOKS_MAX):
        time.sleep(_REST_LOOK_S)
        now = cpu_of(profile)
        quiet = quiet + 1 if now - before < _REST_LOOK_S * _REST_SHARE else 0
        before = now
        if quiet == 3:
            return


def since(began: float) -> float:
    """Milliseconds of this clock."""
    return (time.perf_counter() - began) * 1_000


def first_start(page: Page, url: str, profile: Path) -> None:
    """Open a page that no browser knows: what loads it, and what makes a device, without the typing between."""
    cpu, began = cpu_of(profile), time.perf_counter()
    page.goto(url)
    page.get_by_role("button", name="Begin").wait_for()
    loaded_ms = since(began)
    began = time.perf_counter()
    begin(page)
    say("first start", loaded_ms + since(began), "ms", 5_000, _cpu_since(cpu, profile))
    print(f"  of which, in the worker: {ask(page, 'status')['times']}", flush=True)


def warm_starts(playwright: Playwright, profile: Path, url: str, count: int) -> None:
    """Open it again, in a browser that was closed, and ask it something at once."""
    starts, firsts, cpus, laps = [], [], [], {}
    words = [text.split() for text in sentences(count)]
    with opened(playwright, profile) as context:
        page = context.new_page()
        began = time.perf_counter()
        page.goto(url)
        ready(page)
        beside = since(began)
    for number in range(_WARM_STARTS):
        with opened(playwright, profile) as context:
            page = context.new_page()
            come_to_rest(profile)
            cpu, began = cpu_of(profile), time.perf_counter()
            page.goto(url)
            ready(page)
            starts.append(since(began))
            cpus.append(cpu_of(profile) - cpu)
            question = " ".join(words[number * 97 % len(words)][2:6])
            asked = call(page, "ask", question=question, limit=10)
            firsts.append(since(began))
            assert asked, question
            laps = ask(page, "status")["times"]
    say(f"warm start, {count:,}", statistics.median(starts), "ms", 1_500)
    print(
        f"  of which, in the worker, of one: {laps}; processor time {statistics.median(cpus):.1f} s",
        flush=True,
    )
    say("  beside a browser that starts", beside, "ms")
    say(f"to the first recall of {count:,}", statistics.median(firsts), "ms", 3_000)


def synced(page: Page, laptop: Laptop, count: int, profile: Path) -> None:
    """Pair, and wait until the phone holds all that the laptop does."""
    began = time.perf_counter()
    pair(page, laptop)
    say("to pair, with what the daemon does", since(began), "ms")
    began = time.perf_counter()
    cpu = cpu_of(profile)
    while ask(page, "status")["memories"] < count or ask(page, "status")["link"]["state"] != "together":
        if since(began) > _SYNC_SECONDS_MAX * 1_000:
            raise SystemExit(f"no end to the sync: {ask(page, 'status')}")
        page.wait_for_timeout(_LOOK_EVERY_MS)
    say(
        f"sync of {count:,}", since(began), "ms", 2_000 if count <= 10_000 else None, _cpu_since(cpu, profile)
    )
    said = laptop.digests()
    same = call(page, "digests") == said
    print(f"digests {'equal' if same else 'DIFFER'}", flush=True)


def _cpu_since(before: float, profile: Path) -> str:
    return f"{(cpu_of(profile) - before) * 1_000:.0f} ms of processor time in the browser"


def told_and_asked(page: Page, commits: int, count: int) -> None:
    """Tell and ask the device many times, and say what it took inside of it."""
    took = sorted(
        ask(page, "call", verb="remember", options={"text": text})["took_ms"]
        for text in sentences(commits, seed=7)
    )
    say(f"commit p50, {count:,}", statistics.median(took), "ms")
    say(f"commit p95, {count:,}", took[len(took) * 95 // 100], "ms", 15)
    words = [text.split() for text in sentences(count)]
    asked = sorted(
        ask(page, "call", verb="ask", options={"question": " ".join(each[2:6]), "limit": 20})["took_ms"]
        for each in random.Random(3).sample(words, 60)
    )
    say(f"ask p50, {count:,}", statistics.median(asked), "ms")
    say(f"ask p95, {count:,}", asked[len(asked) * 95 // 100], "ms")
    status = ask(page, "status")
    say(f"heap, {count:,}", status["heap"] / 2**20, "MiB", 64)
    say(f"on its disk, {count:,}", status["bytes"] / 2**20, "MiB")


def measure(folder: Path, count: int, commits: int) -> None:
    """One laptop with so many memories, and one phone."""
    home = folder / f"laptop-{count}"
    if not home.exists():
        assert run(home, "init", "--name", "laptop").code == 0
        (home / "config.toml").write_text('embedder = "small"\n')
        began = time.perf_counter()
        fill(home, count)
        print(f"filled a laptop with {count:,} memories in {since(began) / 1_000:.1f} s", flush=True)
    profile = folder / f"profile-{count}"
    shutil.rmtree(profile, ignore_errors=True)
    with laptop_at(home) as laptop, sync_playwright() as playwright:
        laptop.ask("stats")
        with opened(playwright, profile) as context:
            page = context.new_page()
            first_start(page, laptop.phone_url, profile)
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
            synced(page, laptop, count, profile)
            kept(page)
            told_and_asked(page, commits, count)
        warm_starts(playwright, profile, laptop.phone_url, count)


def sizes() -> None:
    """Say what a browser loads, once."""
    files: dict[str, Any] = json.loads((phone_wheel.PACKAGE / "static" / "manifest.json").read_text())[
        "files"
    ]
    say("loaded once", sum(file["sent"] for file in files.values()) / 1e6, "MB", 7)


def main() -> int:
    """Run all of it; return the exit code."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--full", type=int, default=50_000, help="0 leaves it out")
    options.add_argument("--commits", type=int, default=200)
    options.add_argument("--kept", type=Path, help="a folder that keeps the laptops for another run")
    given = options.parse_args()
    if CHROMIUM is None:
        sys.exit("no Chromium on this machine: apt install chromium")
    print(
        f"Chromium beside {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, SQLite {sqlite3.sqlite_version}"
    )
    sizes()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as made:
        folder = made if given.kept is None else given.kept
        Path(folder).mkdir(parents=True, exist_ok=True)
        for count in filter(None, (given.memories, given.full)):
            measure(Path(folder), count, given.commits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
