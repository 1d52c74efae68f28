"""Say where the CPU time of a `remember` goes: `python -m tests.bench.remember_stages [--size 10000] [--on FOLDER]`.

Through the library, on the caller's own thread, one telling after the other, in a store on a disk in memory, where a
fsync is free, unless `--on` names another. What none of the functions named here took is the interface's. Work that is
left for later (embedding, facts, repetitions, words) is not in it: only the quicker half of the calls is counted.
"""

import argparse
import tempfile
import time
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final

import samemind
from replica import core
from replica.core import Core
from replica.rollback_guard import RollbackGuard
from replica.storage.store import SqliteStore
from samemind.commands.memories import _remembering
from tests.bench.recall_at_size import fill
from tests.bench.sentences import sentences
from tests.bench.stages import Stages, Taken

BURSTS: Final = 12
A_BURST: Final = 40
STAGES: Final[Stages] = (
    ("times and reminders in the words", [(_remembering, name) for name in ("with_reminder", "_read")]),
    ("fields, and secrets", [(_remembering, name) for name in ("fields_of", "kept_back", "with_origin")]),
    ("op: made, encoded, signed", [(core, "author")]),
    ("its cell, and the digests", [(Core, "_commit")]),
    ("store: one row, BEGIN and COMMIT", [(SqliteStore, "write")]),
    ("the note outside of the store", [(RollbackGuard, "note"), (RollbackGuard, "share")]),
)


def measure(folder: Path) -> tuple[dict[str, float], float]:
    """Return the share of each stage in the quicker half of some tellings, and what the quickest tenth take at most.

    Before each burst, what follows from the one before is waited for; the first burst warms up.
    """
    taken, told = Taken(STAGES), sentences((BURSTS + 1) * (A_BURST + 1), seed=2)
    calls: list[tuple[float, dict[str, float]]] = []
    with samemind.open_blocking(folder) as store, taken.taking():
        for burst in range(BURSTS + 1):
            store.remember(next(told), wait=True)
            for text in islice(told, A_BURST):
                taken.reset()
                began = time.thread_time()
                store.remember(text)
                if burst:
                    calls.append((time.thread_time() - began, taken.seconds))
    calls.sort(key=itemgetter(0))
    quicker = calls[: len(calls) // 2]
    whole = sum(took for took, _ in quicker)
    shares = {stage: sum(seconds[stage] for _, seconds in quicker) / whole for stage, _ in STAGES}
    left = 1 - sum(shares.values())
    return {**shares, "the interface: options, threads, the result": left}, calls[len(calls) // 10][0]


def main() -> None:
    """Fill a store, and print a line a stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--on", type=Path, default="/dev/shm")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samemind-bench-", dir=chosen.on) as name:
        fill(Path(name) / "home", chosen.size)
        shares, quick_s = measure(Path(name) / "home")
    for stage, share in shares.items():
        print(f"{share:6.1%}  {stage}")
    print(f"the quickest tenth take {quick_s * 1e6:.0f} microseconds of CPU or less")


if __name__ == "__main__":
    main()
