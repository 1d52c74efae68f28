"""Finish what an erasure began: no trace of the words in any page of the store, and a receipt that says so.

An erase op and its proof take the payloads out of the log and the state at once (`replica.core`). What is left is the
files themselves: full-text segments, free pages, the write-ahead log. When those are clean the device says so with a
signed receipt, so that whoever erased can see which devices have not confirmed yet.
"""

from replica.core import Core
from replica.ids import DeviceId, MemoryId
from replica.limits import NAMES_MAX
from replica.oplog import Changes
from replica.ops import Receipt, Write
from replica.state.cells import Receipts, receipt_key
from replica.values import dataclass


@dataclass(frozen=True, slots=True)
class ErasureStatus:
    """Who has confirmed that nothing of a memory is left, and which members have not."""

    erased: bool
    confirmed: tuple[DeviceId, ...]
    outstanding: tuple[DeviceId, ...]


def purge(core: Core, now_ms: int) -> bool:
    """Clean the files of what was erased since the last time, and write the receipts; False if that must wait."""
    due = sorted(core.store.unpurged())
    if not due:
        return True
    if not core.store.purge():
        return False
    rids = sorted({rid for op_id in due for rid in core.proofs[op_id].rids})
    for start in range(0, len(rids), NAMES_MAX):  # proofs that came together may name more than one op can
        core.commit([Write(Receipt(tuple(rids[start : start + NAMES_MAX])))], now_ms)
    core.write(Changes(purged=due), now_ms)
    core.has_unpurged = False
    return True


def erasure_status(core: Core, rid: MemoryId) -> ErasureStatus:
    """Return how far an erasure has come in the group."""
    receipts = core.store.load([receipt_key(rid)]).get(receipt_key(rid))
    confirmed = receipts.devices if isinstance(receipts, Receipts) else frozenset[bytes]()
    members = core.membership.standing
    return ErasureStatus(
        rid in core.erased,
        tuple(DeviceId(device) for device in sorted(confirmed)),
        tuple(device for device in sorted(members) if device not in confirmed) if rid in core.erased else (),
    )
