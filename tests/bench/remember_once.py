"""One process of `tests.bench.remember`, on whichever tree is first on the path: `remember_once.py WHAT HOME COUNT`."""

import json
import os
import runpy
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import samemind

SENTENCES: Final = runpy.run_path(str(Path(__file__).with_name("sentences.py")))["sentences"]
PACED: Final = 40
# Longer than what follows from one telling takes: it is over when the next one comes.
PACE_S: Final = 0.25
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")


def fill(home: Path, count: int) -> dict[str, float]:
    """Put so many memories into a new store, and wait until all is done that follows."""
    with samemind.open_blocking(home) as mind:
        texts = list(SENTENCES(count, seed=1))
        for start in range(0, count, 5_000):
            mind.remember_many(texts[start : start + 5_000])
        mind.remember("that is all", wait=True)
    return {}


def tell(home: Path, count: int, *, pid: int | None) -> dict[str, float]:
    """Tell so much, one after the other; `pid` is the daemon that does it, where this process does not."""
    with samemind.open_blocking(home) as mind:
        fresh = SENTENCES(count + PACED + 20, seed=2)
        for _ in range(20):
            mind.remember(next(fresh))
        mind.remember("that is all", wait=True)
        began = spent(pid)
        took = [timed(mind, next(fresh)) for _ in range(count)]
        at_once = spent(pid) - began
        mind.remember("that is all there is", wait=True)
        whole = spent(pid) - began
        paced = []
        for _ in range(PACED):
            time.sleep(PACE_S)
            paced.append(timed(mind, next(fresh)))
    return {
        "ms": statistics.median(took) * 1_000,
        "mean ms": statistics.fmean(took) * 1_000,
        "paced ms": statistics.median(paced) * 1_000,
        "cpu ms": at_once / count * 1_000,
        "all cpu ms": whole / count * 1_000,
    }


def timed(mind: Any, text: str) -> float:
    began = time.perf_counter()
    mind.remember(text)
    return time.perf_counter() - began


def spent(pid: int | None) -> float:
    """Return the seconds of processor that this process and the daemon have spent."""
    mine = time.process_time()
    if pid is None:
        return mine
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return mine + (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


@contextmanager
def daemon(home: Path) -> Iterator[int]:
    """Run a daemon for the block."""
    words = ["--home", str(home), "--json", "up", "--no-mdns", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "samemind", *words], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), "the daemon ended before it was up"
            yield process.pid
        finally:
            process.terminate()


def main(what: str, home: Path, count: int) -> dict[str, float]:
    match what:
        case "fill":
            return fill(home, count)
        case "embedded":
            return tell(home, count, pid=None)
        case _:
            with daemon(home) as pid:
                return tell(home, count, pid=pid)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
