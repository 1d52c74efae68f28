"""Know which ops are known by a member's word alone: those that came within its snapshot, and not as signed ops.

What such ops did is in the state; who says so is kept here, told by `why` and `doctor`, and handed on with every
snapshot of one's own: whoever gets it from there takes the word of the first maker, not of all who passed it on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from replica.core import Core
from replica.ids import DeviceId, MemoryId
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell


def voucher(core: Core, feed: int, seq: int) -> DeviceId | None:
    """Return on whose word alone an op is known; None where it was held here as its author signed it."""
    return next(
        (each.by for each in core.vouched if each.feed == feed and each.first <= seq <= each.last), None
    )


def voucher_of_memory(core: Core, rid: MemoryId) -> DeviceId | None:
    """Return on whose word alone it is known that a memory was added."""
    key = memory_key(rid)
    cell = core.store.load([key]).get(key)
    adds = cell.adds if isinstance(cell, MemoryCell) else {}
    return next(filter(None, (voucher(core, dot.feed, dot.seq) for dot in adds)), None)


def vouched_ops(core: Core) -> Counter[DeviceId]:
    """Return how many ops are known by whose word."""
    found: Counter[DeviceId] = Counter()
    for each in core.vouched:
        found[each.by] += each.ops
    return found


def split(
    first: int, last: int, told: Iterable[tuple[int, int, DeviceId]], maker: DeviceId
) -> Iterator[tuple[int, int, DeviceId]]:
    """Cut a run by whose word its ops rest on: as the maker says, and on the maker's own where it says nothing."""
    at = first
    for begin, end, by in sorted(told):
        begin, end = max(begin, at), min(end, last)
        if begin > end:
            continue
        if begin > at:
            yield at, begin - 1, maker
        yield begin, end, by
        at = end + 1
    if at <= last:
        yield at, last, maker
