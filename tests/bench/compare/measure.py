"""Have one contestant do everything, in a process of its own: one line of JSON."""

import compileall
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from tests.bench.compare.contestant import Contestant, NotOffered
from tests.bench.sentences import sentences

ROOT: Final = Path(__file__).parents[3]
# Who is measured, and what must be installed for it.
CONTESTANTS: Final = {
    "samemind": None,
    "yantrikdb": "yantrikdb",
    "sqlite-vec": "sqlite_vec",
    "chroma": "chromadb",
    "floor": None,
}
# What is not measured, because it is known how it ends.
SIZE_MAX: Final = {"yantrikdb": 30_000}  # its recall fails above 32,766
# Medians of so many; enough for two digits, few enough that a slow contestant ends today.
CALLS: Final = 40
FRESH_FOR_THINKING: Final = 100
# Where a fsync costs nothing: what a write takes apart from the disk, alike for who waits for it and who does not.
MEMORY_DISK: Final = Path("/dev/shm")
# A contestant that takes longer with one size has no figure there.
SECONDS_MAX: Final = 1_800


def installed() -> list[str]:
    """Return who can be measured here."""
    return [name for name, module in CONTESTANTS.items() if module is None or find_spec(module) is not None]


def contestant(name: str) -> Contestant:
    """Return a contestant by name; only its own libraries are loaded."""
    match name:
        case "samemind":
            from tests.bench.compare.ours import Ours

            return Ours()
        case "yantrikdb":
            from tests.bench.compare.yantrik import Yantrik

            return Yantrik()
        case "sqlite-vec":
            from tests.bench.compare.stores import SqliteVec

            return SqliteVec()
        case "chroma":
            from tests.bench.compare.stores import Chroma

            return Chroma()
        case _:
            from tests.bench.compare.floor import Floor

            return Floor()


def measured(name: str, size: int) -> dict[str, Any] | None:
    """Measure in a process of its own; None where it failed or took too long."""
    command = [sys.executable, "-m", "tests.bench.compare.measure", name, str(size)]
    try:
        ran = subprocess.run(
            command, stdout=subprocess.PIPE, check=False, text=True, timeout=SECONDS_MAX, env=as_installed()
        )
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, Any] | None = json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else None
    return found


def as_installed() -> dict[str, str]:
    """Return the environment in which modules are compiled once, as an installation does for whatever it installs.

    Whoever compiled them at each start would hold four megabytes more.
    """
    for package in ("replica", "sync", "cognition", "samemind"):
        compileall.compile_dir(ROOT / package, quiet=2)
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure(who: Contestant, size: int) -> dict[str, Any]:
    """Have one contestant do everything with a store of this size."""
    found: dict[str, Any] = {"name": who.name, "version": who.version, "size": size}
    stored = list(sentences(size, seed=1))
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
        folder = Path(name)
        who.open(folder)
        found["fill_per_s"] = size / _timed(lambda: who.fill(stored))
        who.settle()
        fresh = sentences(CALLS, seed=2)
        found["remember_ms"] = _median_ms(lambda: who.remember(next(fresh)))
        who.settle()
        questions = _questions(stored, seed=3)
        found["recall_ms"] = _median_ms(lambda: who.recall(next(questions)))
        found |= _held_apart_mb()
        with _perhaps():
            who.think()
            for text in sentences(FRESH_FOR_THINKING, seed=4):
                who.remember(text)
            who.settle()
            found["think_ms"] = _timed(who.think) * 1_000
        found["rss_mb"] = _resident_mb()
        with _perhaps():
            questions = _questions(stored, seed=5)  # others, since an embedder may keep what it made
            who.embed(next(questions))  # what loads a model is not the time of a question
            embed_ms = _median_ms(lambda: who.embed(next(questions)))
            found["recall_beyond_ms"] = max(0.0, found["recall_ms"] - embed_ms)
        who.close()
        found["disk_bytes"] = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / size
        found["open_s"] = _timed(lambda: who.open(folder)) + _timed(lambda: who.recall(stored[0]))
        who.close()
    if MEMORY_DISK.is_dir():
        with tempfile.TemporaryDirectory(prefix="samemind-bench-", dir=MEMORY_DISK) as name:
            who.open(Path(name))
            who.fill(stored)
            who.settle()
            fresh = sentences(CALLS, seed=2)
            found["remember_in_memory_ms"] = _median_ms(lambda: who.remember(next(fresh)))
            who.close()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name, _perhaps():
        synced = who.sync(stored, Path(name))
        found["sync_ms"], found["wire_bytes"] = synced.seconds * 1_000, synced.bytes / size
    return found


@contextmanager
def _perhaps() -> Iterator[None]:
    try:
        yield
    except NotOffered:
        pass


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median_ms(work: Callable[[], object]) -> float:
    return statistics.median(_timed(work) for _ in range(CALLS)) * 1_000


def _questions(stored: Sequence[str], seed: int) -> Iterator[str]:
    """Give questions, the same to everybody: some words of what is stored."""
    chance = random.Random(seed)
    while True:
        yield " ".join(chance.choice(stored).split()[2:7])


def _held_apart_mb() -> dict[str, float]:
    """What this process holds of its own, and what it shows of files; where the system does not tell, nothing."""
    held = _status()
    if "RssAnon" not in held:
        return {}
    return {"anon_mb": held["RssAnon"], "mapped_mb": held["RssFile"] + held["RssShmem"]}


def _resident_mb() -> float:
    """What this process holds; where the system keeps no such file, its highest so far."""
    held = _status()
    if "VmRSS" in held:
        return held["VmRSS"]
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 if os.uname().sysname == "Linux" else 1024 * 1024)


def _status() -> dict[str, float]:
    """Return the sizes that the system tells of this process, in MB, where it tells any."""
    status = Path("/proc/self/status")
    told = (line.split() for line in status.read_text().splitlines()) if status.exists() else ()
    return {words[0].rstrip(":"): int(words[1]) / 1024 for words in told if words[-1] == "kB"}


if __name__ == "__main__":
    print(json.dumps(measure(contestant(sys.argv[1]), int(sys.argv[2]))))
