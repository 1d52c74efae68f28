"""Measure what the verbs of the command line cost on a store that is there.

    python -m tests.bench.recall_at_size --sizes 1000000 --keep FOLDER
    python -m tests.bench.verbs_at_size FOLDER/1000000

Each verb is a process of its own that opens the store itself, of a copy of the data directory in a scratch folder, one
after the other in the order below. Printed are its processor time, how long it took, and the most memory that it held,
all of it and what was its own (`RssAnon`, looked at ten times a second). The first that runs compiles what Python
keeps compiled, and is not counted.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.cli import COMMAND

_LOOK_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took; seconds and MB."""

    cpu_s: float
    elapsed_s: float
    most_mb: float
    own_mb: float
    said: str


def cost_of(home: Path, *words: str) -> Cost:
    """Run a verb on a data directory, which must succeed."""
    began, own = time.monotonic(), 0
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(
            [*COMMAND, "--home", str(home), *words], stdin=subprocess.DEVNULL, stdout=out
        )
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            own = max(own, anonymous_kib(process.pid))
            time.sleep(_LOOK_S)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        elapsed_s, used = time.monotonic() - began, ended[2]
        out.seek(0)
        said = out.read()
    assert process.returncode == 0, said
    return Cost(used.ru_utime + used.ru_stime, elapsed_s, used.ru_maxrss / 1024, own / 1024, said)


def anonymous_kib(pid: int) -> int:
    """Return what a process holds of its own, in KiB; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def costs(home: Path, scratch: Path) -> Iterator[tuple[str, Cost]]:
    """Give what each verb took, in an order in which each finds what it needs."""
    cost_of(home, "list")
    told = cost_of(home, "remember", "the boat leaves at eight on Friday from the old pier", "--json")
    yield "remember", told
    yield "recall", cost_of(home, "recall", "when does the boat leave")
    yield "list", cost_of(home, "list")
    yield "stats", cost_of(home, "stats")
    yield "backup", cost_of(home, "backup", str(scratch / "backup.db"))
    rid = json.loads(told.said)["rid"]
    yield "erase", cost_of(home, "forget", "--erase", "--only", rid)
    yield "export", cost_of(home, "export", "--output", str(scratch / "export.jsonl"))
    yield "verify", cost_of(home, "verify")
    yield "compact", cost_of(home, "compact")
    yield "compact again", cost_of(home, "compact")
    yield "verify, compacted", cost_of(home, "verify")
    yield "restore", cost_of(scratch / "restored", "restore", str(scratch / "backup.db"))
    thought = cost_of(home, "think", "--json")
    yield "think, one cycle", thought
    cycles = [thought]
    while json.loads(cycles[-1].said)["more"]:
        cycles.append(cost_of(home, "think", "--json"))
    yield (
        f"think, all {len(cycles)}",
        Cost(
            sum(each.cpu_s for each in cycles),
            sum(each.elapsed_s for each in cycles),
            max(each.most_mb for each in cycles),
            max(each.own_mb for each in cycles),
            "",
        ),
    )
    slowest = max(cycles, key=lambda each: each.elapsed_s)
    yield "the slowest of them", slowest


def main() -> None:
    """Print a line a verb."""
    parser = argparse.ArgumentParser(description="What the verbs cost on a store that is there.")
    parser.add_argument("home", type=Path, help="its data directory, which nothing else has open")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-", dir=chosen.home.parent) as name:
        scratch = Path(name)
        home = scratch / "home"
        shutil.copytree(chosen.home, home, ignore=shutil.ignore_patterns("*.sock", "lock"))
        for verb, cost in costs(home, scratch):
            print(
                f"{verb:<18} processor {cost.cpu_s:6.1f} s, took {cost.elapsed_s:6.1f} s, held {cost.most_mb:5.0f} MB, "
                f"of which its own {cost.own_mb:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
