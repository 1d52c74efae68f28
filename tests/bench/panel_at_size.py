"""Measure the panel in a large store: `python -m tests.bench.panel_at_size [--sizes 100000] [--home FOLDER]`.

A real daemon and a real Chromium: how long from opening a page to its first paint and to the first memory on it, how
long a search takes as the page asks for it, warm and right after a write. Beside elapsed time stands the CPU time of
the daemon, since a busy machine makes the former say little.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from tests.bench.recall_at_size import fill
from tests.bench.sentences import sentences
from tests.support.browser import PATIENCE_MS, browser, launch_url
from tests.support.cli import daemon

TIMES: Final = 9
PAGES: Final = (("home", "", ".late, .decisions a"), ("memories", "memories", ".memory-row"))
_ASK: Final = """async ([verb, options]) => {
  const { call } = await import("/js/api.js");
  const began = performance.now();
  await call(verb, options);
  return performance.now() - began;
}"""
_PAINTED: Final = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure(home: Path, size: int) -> None:
    """Open the panel on a store, and print what each page and each search took."""
    questions = [" ".join(text.split()[2:5]) for text in list(sentences(TIMES, seed=5))]
    with browser() as chromium, daemon(home, "--panel", "127.0.0.1:0") as running:
        context = chromium.new_context(locale="en-GB")
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(launch_url(home))
        page.locator("body[data-ready]").wait_for()
        url, pid = page.url.partition("#")[0], running.process.pid
        for name, path, first in PAGES:
            paints, shown = zip(*(_opened(page, f"{url}#/{path}", first) for _ in range(TIMES)), strict=True)
            _say(size, f"{name}: first paint", paints)
            _say(size, f"{name}: first memory", shown)
        _asked(page, pid, questions)  # the first question loads the vectors
        _say(size, "search", *_asked(page, pid, questions))
        written: list[tuple[float, float]] = []
        for number, question in enumerate(questions):
            text = f"a note of the bench, number {number}"
            page.evaluate(_ASK, ["remember", {"text": text, "no_facts": True, "read": False}])
            took, cpu = _asked(page, pid, [question])
            written.append((took[0], cpu[0]))
        _say(size, "search after a write", *zip(*written, strict=True))


def _opened(page: Page, address: str, first: str) -> tuple[float, float]:
    page.goto("about:blank")
    page.goto(address)
    page.locator(first).first.wait_for()
    found = page.evaluate(f"[{_PAINTED}, performance.now()]")
    page.locator("body[data-ready]").wait_for()  # what it goes on to ask for is not the next one's
    return float(found[0]), float(found[1])


def _asked(page: Page, pid: int, questions: Sequence[str]) -> tuple[list[float], list[float]]:
    took, cpu = [], []
    for question in questions:
        before = _cpu_ms(pid)
        took.append(float(page.evaluate(_ASK, ["panel/search", {"query": question, "k": 50}])))
        cpu.append(_cpu_ms(pid) - before)
    return took, cpu


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000 / os.sysconf("SC_CLK_TCK")


def _say(size: int, what: str, took: Sequence[float], cpu: Sequence[float] = ()) -> None:
    times = sorted(took)
    beside = f" (CPU of the daemon {statistics.mean(cpu):.0f})" if cpu else ""
    print(
        f"{size:>7,}  {what:<24} median {statistics.median(times):.0f} ms, worst {times[-1]:.0f}{beside}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each thing that is waited for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000])
    parser.add_argument("--home", help="a folder for the stores, which is kept", default=None)
    chosen: Any = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        for size in chosen.sizes:
            home = Path(chosen.home or name) / str(size)
            if not home.exists():
                fill(home, size)
            measure(home, size)


if __name__ == "__main__":
    main()
