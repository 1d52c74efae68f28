"""Compare the same work by everybody, over growing stores, each in a process of its own; keep it, draw it, write it up.

    make bench                                          a quarter of an hour: stores of 1,000 to 100,000
    make bench FULL=--full                              hours: 1,000 to 100,000
    python -m tests.bench.compare [--sizes 1000 10000] [--minutes 12] [--only samemind floor] [--out FOLDER]

Contestants take turns, round after round, so that what else the machine does falls on all of them; a figure is the
median of its runs. Rounds go on while there is time; what is known is written after every size. Who would not be done
in time with a size, by what smaller ones took, has no figure there; the smallest is always measured. Compare columns
of one run, not runs.
Peers are measured where they are installed (`pip install -e '.[peers]'`).
"""

import argparse
import datetime
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from tests.bench.compare import page
from tests.bench.compare.alone import alone
from tests.bench.compare.measure import CONTESTANTS, SIZE_MAX, installed, measured
from tests.bench.compare.plot import draw

SIZES: Final = (1_000, 10_000, 30_000, 100_000)
SIZES_FULL: Final = (1_000, 3_000, 10_000, 30_000, 100_000)
MINUTES: Final = 15.0
# Work grows somewhat faster than the store: what is sorted, what no longer fits a cache.
_GROWTH: Final = 1.1
ROUNDS_MAX: Final = 5
# What a run takes that is not the comparison: the figures of ours alone.
_ALONE_SECONDS: Final = 60


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument(
        "--full", action="store_true", help=f"{SIZES_FULL}, three rounds, however long it takes"
    )
    parser.add_argument("--minutes", type=float, default=MINUTES, help="no new round after so long")
    parser.add_argument("--only", nargs="+", choices=list(CONTESTANTS))
    parser.add_argument("--out", type=Path, help="write figures, pictures and the page here")
    options = parser.parse_args()
    sizes = options.sizes or (SIZES_FULL if options.full else SIZES)
    names = [name for name in installed() if options.only is None or name in options.only]
    document: dict[str, Any] | None = None
    with (
        tempfile.TemporaryDirectory(prefix="samemind-bench-") as state,
        suppress(KeyboardInterrupt),  # what was measured until then is shown
    ):
        os.environ["SAMEMIND_STATE"] = state  # what homes keep outside themselves goes with the run
        for document in compare(names, sizes, seconds=None if options.full else options.minutes * 60):
            if options.out:
                keep(document, options.out)
    console = Console()
    for line in page.rows(document) if document else ():
        if not line.startswith("!"):
            console.print(line, markup=False, highlight=False)


def compare(names: Sequence[str], sizes: Sequence[int], *, seconds: float | None) -> Iterator[dict[str, Any]]:
    """Measure everybody, three rounds where there is no limit; yield all that is known after every size."""
    console = Console(stderr=True)
    about = machine()
    figures = alone() if page.OURS in names else {}
    runs: list[dict[str, Any]] = []
    began = time.monotonic()
    limit = 0.0 if seconds is None else seconds - _ALONE_SECONDS
    took: dict[str, dict[int, float]] = {name: {} for name in names}
    for number in range(3 if seconds is None else ROUNDS_MAX):
        for size in sizes:
            for name in names:
                spent = time.monotonic() - began
                due = expected_seconds(took[name], size)
                if size > SIZE_MAX.get(name, size) or (seconds is not None and due and spent + due > limit):
                    continue
                console.print(f"round {number + 1}: {name}, {size:,} memories …", style="dim")
                found = measured(name, size)
                took[name][size] = time.monotonic() - began - spent
                if found is None:
                    console.print(f"{name} failed with {size:,}", style="red")
                else:
                    runs.append(found)
            about["load_after"] = load()
            yield {"machine": about, "alone": figures, "results": page.summary(runs)}


def expected_seconds(took: Mapping[int, float], size: int) -> float:
    """Return how long a size should take, by the next smaller one that was measured; nothing is known of the first."""
    smaller = [each for each in took if each <= size]
    return took[max(smaller)] * (size / max(smaller)) ** _GROWTH if smaller else 0.0


def keep(document: dict[str, Any], folder: Path) -> None:
    """Write figures, pictures and the page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compare.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for name, row in page.measured(document).items():
        (folder / f"{name}.svg").write_text(draw(row.title, name, document["results"]), "utf-8")
    page.write(document, folder)


def machine() -> dict[str, Any]:
    """What it was measured on; nothing that names it."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpus": os.cpu_count(),
        "processor": next(_processors(), platform.machine()),
        "memory_gb": round(pages / 2**30),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}, {platform.machine()}",
        "python": platform.python_version(),
        "day": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "load_before": load(),
    }


def load() -> float:
    """How busy the machine is, over the last minute."""
    return round(os.getloadavg()[0], 1)


def _processors() -> Iterator[str]:
    """The names that the system gives its processors, where it says."""
    said = Path("/proc/cpuinfo")
    for line in said.read_text().splitlines() if said.exists() else ():
        if line.startswith("model name"):
            yield line.partition(": ")[2].partition("@")[0].strip()


if __name__ == "__main__":
    main()
