"""Count recalls: turn how often memories were recalled here into this origin's running totals."""

from collections.abc import Mapping

from replica.core import Core
from replica.ids import MemoryId
from replica.ops import Access, Write
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell


def access_write(core: Core, recalls: Mapping[MemoryId, tuple[int, int]], now_ms: int) -> Write | None:
    """Return the write that adds recalls, (how many, ms of the last), to what this origin said before.

    Memories that are gone are left out; None where none is left.
    """
    core.begin(now_ms)  # another incarnation counts from nothing
    origin = None if core.own_feed is None else core.feeds[core.own_feed].origin_no
    cells = core.store.load(memory_key(rid) for rid in recalls)
    totals = []
    for rid, (count, last_ms) in sorted(recalls.items()):
        cell = cells.get(memory_key(rid))
        if isinstance(cell, MemoryCell):
            told, told_last_ms = (0, 0) if origin is None else cell.accesses.get(origin, (0, 0))
            totals.append((rid, told + count, max(told_last_ms, last_ms)))
    return Write(Access(tuple(totals))) if totals else None
