"""Try on YantrikDB what the README says happens there: `python -m tests.bench.behaviour [--many]`.

Two or three of its stores in one folder, its own ops taken out of one and applied to another as its sync does. Each
line is one row of the README's table, with what came of it here and now. The peer comes with `.[peers]`.
"""

import copy
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, Final

_PAGE: Final = 1_000
# Its writes are taken up by a thread of its own; a store with a handful of memories is done long before.
_TAKEN_UP_SECONDS: Final = 1.0
_YEAR_MS: Final = 365 * 86_400_000
# What a vector search of its store is asked for at most; beyond, recall fails.
_MANY: Final = 33_000


class Bench:
    """Stores of its, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, count()
        self._yantrikdb: Any = import_module("yantrikdb")

    def store(self) -> Any:
        """Return an empty store."""
        return self._yantrikdb.YantrikDB.with_default(str(self._folder / f"{next(self._numbers)}.db"))

    def record(self, store: Any, text: str) -> str:
        """Have it remember, and wait until it is taken up."""
        while True:
            try:
                rid: str = store.record(text)
                return rid
            except self._yantrikdb.Backpressure:
                time.sleep(0.05)


def ops(store: Any, cursor: tuple[Any, Any] = (None, None)) -> list[dict[str, Any]]:
    """Return everything beyond a cursor, as its sync asks for it."""
    found: list[dict[str, Any]] = []
    while page := store.extract_ops_since(*cursor, None, _PAGE):
        found += page
        cursor = page[-1]["hlc"], page[-1]["op_id"]
    return found


def send(one: Any, other: Any) -> None:
    """Bring everything across."""
    if held := ops(one):
        other.apply_ops(held)


def texts(store: Any) -> set[str]:
    """Return what it lists."""
    return {each["text"] for each in store.list_memories(limit=100)["memories"]}


def apart(bench: Bench) -> str:
    """Two devices write while apart."""
    one, other = bench.store(), bench.store()
    bench.record(one, "Ann moved to Lisbon")
    bench.record(other, "Bob bakes bread")
    taken_up()
    send(one, other)
    send(other, one)
    return f"each lists {len(texts(one))} and {len(texts(other))} of 2"


def corrections(bench: Bench) -> str:
    """Two devices correct one text while apart."""
    one, other = bench.store(), bench.store()
    rid = bench.record(one, "Ann lives in Porto")
    taken_up()
    send(one, other)
    one.correct(rid, "she moved", "Ann lives in Lisbon")
    other.correct(rid, "she moved", "Ann lives in Braga")
    for _ in range(3):
        send(one, other)
        send(other, one)
    return f"after three exchanges: {sorted(texts(one))} here, {sorted(texts(other))} there"


def contradiction(bench: Bench) -> str:
    """One contradiction is found on two devices."""
    one, other = bench.store(), bench.store()
    for store, firm in ((one, "Google"), (other, "Meta")):
        bench.record(store, f"Alice works at {firm}")
        store.relate("Alice", firm, "works_at")
    taken_up()
    for _ in range(2):
        send(one, other)
        send(other, one)
        for store in (one, other):
            store.scan_conflicts()
    counts = [len(store.get_conflicts(limit=100)) for store in (one, other)]
    return f"{counts[0]} records here, {counts[1]} there"


def late(bench: Bench) -> str:
    """A third device's ops arrive late."""
    third, between, asking = bench.store(), bench.store(), bench.store()
    bench.record(third, "written first")
    taken_up()
    bench.record(between, "written second")
    taken_up()
    held = ops(between)
    asking.apply_ops(held)
    cursor = held[-1]["hlc"], held[-1]["op_id"]
    send(third, between)
    news = ops(between, cursor)
    if news:
        asking.apply_ops(news)
    return f"the device in between lists {len(texts(between))} of 2, the one behind it {len(texts(asking))}"


def backwards(bench: Bench) -> str:
    """A deletion arrives before what it deletes."""
    one, other = bench.store(), bench.store()
    rid = bench.record(one, "to be forgotten")
    taken_up()
    one.forget(rid)
    for op in reversed(ops(one)):
        other.apply_ops([op])
    return f"forgotten there: lists {len(texts(one))}; here, in the other order: {len(texts(other))}"


def recalled(bench: Bench) -> str:
    """What came by sync is recalled."""
    one, other = bench.store(), bench.store()
    bench.record(one, "Ann moved to Lisbon in spring")
    taken_up()
    send(one, other)
    asked = "where does Ann live?"
    here, there = (len(store.recall(asked, top_k=5)) for store in (one, other))
    return f"{here} found where it was told, {there} where it came by sync"


def future(bench: Bench) -> str:
    """An op is stamped far in the future."""
    one, other = bench.store(), bench.store()
    bench.record(one, "from a wrong clock")
    bench.record(other, "honest")
    taken_up()
    forged = copy.deepcopy(ops(one)[0])
    forged["hlc"] = (int.from_bytes(forged["hlc"][:8]) + _YEAR_MS).to_bytes(8) + forged["hlc"][8:]
    try:
        other.apply_ops([forged])
        bench.record(other, "honest, and later")
        taken_up()
        ahead_ms = int.from_bytes(max(op["hlc"] for op in ops(other) if op["op_id"] != forged["op_id"])[:8])
    except Exception as error:  # whatever it says is what happened
        return f"{type(error).__name__}: {error}"
    days = (ahead_ms - time.time() * 1_000) / 86_400_000
    return f"a year ahead; what is honestly written next is stamped {days:.0f} days ahead"


def hundred_recalls(bench: Bench) -> str:
    """A hundred recalls are made."""
    store = bench.store()
    for n in range(10):
        bench.record(store, f"number {n}: bread of kind {n * 7}")
    taken_up()
    before = len(ops(store))
    for _ in range(100):
        store.recall("bread", top_k=10)
    return f"{len(ops(store)) - before:,} ops in the log"


def many(bench: Bench) -> str:
    """More than 32,766 memories are held."""
    store = bench.store()
    for n in range(_MANY):
        bench.record(store, f"memory {n} of many")
    taken_up()
    try:
        return f"{len(store.recall('memory 7 of many', top_k=5))} found among {_MANY:,}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


ROWS: Final[tuple[Callable[[Bench], str], ...]] = (
    apart,
    corrections,
    contradiction,
    late,
    backwards,
    recalled,
    future,
    hundred_recalls,
)


def taken_up() -> None:
    """Give it the time it takes to take up what was recorded."""
    time.sleep(_TAKEN_UP_SECONDS)


def tried(arguments: list[str]) -> Iterator[str]:
    """Try every row; with `--many`, the one that takes minutes too."""
    yield f"yantrikdb {version('yantrikdb')}"
    for row in (*ROWS, *([many] if "--many" in arguments else [])):
        with tempfile.TemporaryDirectory(prefix="samemind-bench-") as name:
            yield f"{(row.__doc__ or '').rstrip('.')}: {row(Bench(Path(name)))}"


if __name__ == "__main__":
    for line in tried(sys.argv[1:]):
        print(line, flush=True)
