"""Find out whether a replica still is what its log says, trusting nothing that it computed before.

The base is handed, and the log is sent, to an empty replica of the same group, through the same doors as a peer's:
every header is built anew, every chain and signature checked, every op folded in order. Then both digests are compared,
the cells that are stored are summed up anew, and what shows is compared with the cells.
"""

from dataclasses import dataclass
from random import Random

from replica.core import Core, digests_of
from replica.folding import Totals
from replica.frame import decode_frame, encode_frame
from replica.outbox import Outbox
from replica.refold import sum_up
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.state.cells import State
from replica.storage.memory_store import MemoryStore


@dataclass(frozen=True, slots=True)
class Verification:
    """How many ops were checked, and every mismatch, each as a sentence."""

    ops: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def verify_replica(core: Core) -> Verification:
    """Check a replica's log, state and digests against each other."""
    fresh = Core(MemoryStore(), device=core.device, sign=_never, random=Random(0), understood=core.understood)
    fresh.adopt(core.membership)
    fresh.learn((), (), core.proofs.values())
    problems: list[str] = []
    if any(feed.base_seq > feed.fork for feed in core.feeds):
        absorb(fresh, read_snapshot(make_snapshot(core), core), now_ms=0)
    outbox = Outbox({})
    outbox.sent_base(core)
    ops = 0
    while (frame := outbox.next_frame(core)) is not None:
        ops += len(frame.ops)
        taken = fresh.take(decode_frame(encode_frame(frame)), now_ms=0)
        problems += [
            f"op {refusal.seq} of {refusal.origin.device.hex()[:8]} does not hold: {refusal.reason}"
            for refusal in taken.refusals
        ]
    stored, refolded, summed = core.digests(), fresh.digests(), digests_of(_sum_up(core), core.frontier())
    if refolded.visible != stored.visible:
        problems.append(
            f"the log folds to digest {refolded.visible.hex()[:16]}, stored is {stored.visible.hex()[:16]}"
        )
    if refolded.state != stored.state:
        problems.append(
            f"the log folds to state digest {refolded.state.hex()[:16]}, stored is {stored.state.hex()[:16]}"
        )
    if summed.visible != stored.visible or summed.state != stored.state:
        problems.append("the stored cells do not add up to the stored digests")
    problems += core.store.check()
    return Verification(ops, tuple(problems))


def _sum_up(core: Core) -> Totals:
    totals = Totals(unfolded=core.totals.unfolded)
    sum_up(State(dict(core.store.all_cells()), core.store.all_tombstones()), totals, core.feeds)
    return totals


def _never(message: bytes) -> bytes:
    raise AssertionError(f"a verification signs nothing, not even {len(message)} bytes")
