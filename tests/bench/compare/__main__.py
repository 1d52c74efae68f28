"""Compare the same work by everybody, over growing stores, each in a process of its own; print it, keep it, draw it.

    make bench
    python -m tests.bench.compare [--sizes 1000 10000 100000] [--only samemind floor] [--out docs/benchmarks]

Figures are medians on one machine on one day: compare columns of one run, not runs. `yantrikdb` is measured where it is
installed (`pip install -e '.[peers]'`).
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.compare.contestant import Contestant, NotOffered
from tests.bench.compare.plot import draw
from tests.bench.sentences import sentences

CONTESTANTS = ("samemind", "yantrikdb", "floor")
SIZES = (1_000, 3_000, 10_000)
# Medians of so many; enough for two digits, few enough that a slow contestant ends today.
ROUNDS = 40
FRESH_FOR_THINKING = 100

ROWS = {
    "remember_ms": "remember one more, ms",
    "fill_per_s": "remember many, a second",
    "recall_ms": "recall, ms",
    "open_s": "open to first recall, s",
    "think_ms": f"think, {FRESH_FOR_THINKING} new, ms",
    "receive_us": "bring a replica up to date, us an op",
    "rss_mb": "resident memory, MB",
    "disk_bytes": "bytes on disk, a memory",
}


def contestant(name: str) -> Contestant:
    """Return a contestant by name; only its own libraries are loaded."""
    if name == "samemind":
        from tests.bench.compare.ours import Ours

        return Ours()
    if name == "yantrikdb":
        from tests.bench.compare.yantrik import Yantrik

        return Yantrik()
    from tests.bench.compare.floor import Floor

    return Floor()


def measure(who: Contestant, size: int) -> dict[str, Any]:
    """Have one contestant do everything with a store of this size."""
    found: dict[str, Any] = {"name": who.name, "version": who.version, "size": size}
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        folder, other = Path(name) / "one", Path(name) / "other"
        folder.mkdir()
        other.mkdir()
        who.open(folder)
        stored = list(sentences(size, seed=1))
        seconds = _timed(lambda: who.fill(stored))
        found["fill_per_s"] = size / seconds
        who.settle()
        fresh = sentences(ROUNDS, seed=2)
        found["remember_ms"] = _median(lambda: who.remember(next(fresh)))
        who.settle()
        chance = random.Random(3)
        found["recall_ms"] = _median(lambda: who.recall(" ".join(chance.choice(stored).split()[2:7])))
        try:
            who.think()
            for text in sentences(FRESH_FOR_THINKING, seed=4):
                who.remember(text)
            who.settle()
            found["think_ms"] = _timed(who.think) * 1000
        except NotOffered:
            pass
        found["rss_mb"] = _resident_mb()
        who.close()
        found["disk_bytes"] = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / size
        found["open_s"] = _timed(lambda: who.open(folder)) + _timed(lambda: who.recall(stored[0]))
        count = 0

        def receive() -> None:
            nonlocal count
            count = who.receive(other)

        found["receive_us"] = _timed(receive) / max(1, count) * 1e6
        who.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", nargs="+", default=CONTESTANTS, choices=CONTESTANTS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", nargs=2, metavar=("NAME", "SIZE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        name, size = options.one
        json.dump(measure(contestant(name), int(size)), sys.stdout)
        return
    console, found = Console(), []
    for size in options.sizes:
        for name in options.only:
            if name == "yantrikdb" and find_spec("yantrikdb") is None:
                continue
            console.print(f"{name}, {size:,} memories …", style="dim")
            command = [sys.executable, "-m", "tests.bench.compare", "--one", name, str(size)]
            ran = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
            if ran.returncode == 0:
                found.append(json.loads(ran.stdout))
            else:
                console.print(f"{name} failed at {size:,}", style="red")
    for row, title in ROWS.items():
        console.print(_table(title, row, found, options.sizes))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        machine = {"cpus": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
        document = {"machine": machine, "results": found}
        (options.out / "compare.json").write_text(json.dumps(document, indent=1) + "\n")
        for row, title in ROWS.items():
            (options.out / f"{row}.svg").write_text(draw(title, row, found))


def _table(title: str, row: str, found: list[dict[str, Any]], sizes: list[int]) -> Table:
    table = Table(title=title, title_justify="left", min_width=len(title))
    table.add_column("memories", justify="right")
    names = list(dict.fromkeys(each["name"] for each in found))
    for name in names:
        table.add_column(name, justify="right")
    for size in sizes:
        by_name = {each["name"]: each.get(row) for each in found if each["size"] == size}
        table.add_row(f"{size:,}", *(_short(by_name.get(name)) for name in names))
    return table


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median(work: Callable[[], object]) -> float:
    return statistics.median(_timed(work) for _ in range(ROUNDS)) * 1000


def _resident_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise OSError("expected VmRSS in /proc/self/status")


if __name__ == "__main__":
    main()
