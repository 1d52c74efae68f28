"""Time one `remember` after the other, in this tree and in another one, in turns: paired medians.

    python -m tests.bench.remember [--beside TREE] [--sizes 1000 10000] [--rounds 5] [--writes 200] [--on FOLDER]

TREE is an unpacked tree of an earlier release; its library must take `open_blocking` and `remember`. Each run is a
process of its own, in a copy of a store that its own tree filled, once embedded and once through a daemon. `ms` is what
a caller waits for, `cpu` what the processes spend until everything that follows from the words is done as well, by
telling, and `paced` is waited for by who tells something now and then. Compare columns of one run, not runs.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

OURS: Final = Path(__file__).parents[2]
SIZES: Final = (1_000, 10_000)
SECONDS_MAX: Final = 900


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", type=Path, help="another tree")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--writes", type=int, default=200)
    parser.add_argument("--doors", nargs="+", choices=("embedded", "daemon"), default=("embedded", "daemon"))
    parser.add_argument("--on", type=Path, help="the folder in which the stores are put: a disk, or /dev/shm")
    options = parser.parse_args()
    trees = [OURS, *([options.beside.resolve()] if options.beside else [])]
    with tempfile.TemporaryDirectory(prefix="samemind-bench-", dir=options.on) as name:
        for size in options.sizes:
            filled = {tree: Path(name) / f"filled-{size}-{n}" for n, tree in enumerate(trees)}
            for tree, home in filled.items():
                once(tree, "fill", home, size)
            for door in options.doors:
                runs: dict[str, list[list[float]]] = defaultdict(list)
                for _ in range(options.rounds):
                    found = []
                    for tree in trees:
                        home = Path(name) / "home"
                        shutil.copytree(filled[tree], home)
                        found.append(once(tree, door, home, options.writes))
                        shutil.rmtree(home)
                    for figure in found[0]:
                        runs[figure].append([each[figure] for each in found])
                show(size, door, runs)


def once(tree: Path, what: str, home: Path, count: int) -> dict[str, float]:
    """Have a process of one tree do it, and return its figures."""
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as state:
        ran = subprocess.run(
            [sys.executable, "-P", str(Path(__file__).with_name("remember_once.py")), what, home, str(count)],
            env={**os.environ, "PYTHONPATH": str(tree), "SAMEMIND_STATE": state},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            timeout=SECONDS_MAX,
        )
    figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def show(size: int, door: str, runs: dict[str, list[list[float]]]) -> None:
    """Print a line a figure: the median of each tree, and the median and the range of what ours is of the other's."""
    for figure, rounds in runs.items():
        medians = [f"{statistics.median(column):8.3f}" for column in zip(*rounds, strict=True)]
        line = f"{size:>7,} {door:<9}{figure:<12}{' '.join(medians)}"
        if len(rounds[0]) > 1:
            ratios: list[Any] = sorted(ours / other for ours, other in rounds)
            line += f"   ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        print(line, flush=True)


if __name__ == "__main__":
    main()
