"""Read what was decided on claims, with what later decisions overrode, as far as this replica still knows.

State keeps the verdicts that no other has seen (`replica.state.register`). The log has the others, and the base those
that only ops of the log overrode. What leaves the log and was overridden by then is known to nobody.
"""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from replica.core import Core
from replica.ids import MemoryId
from replica.reads.log import verdicts_on
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell
from replica.state.register import Dot, Vector, saw


class PastVerdicts(NamedTuple):
    """What a resolution, the op at `dot`, said of claims, by the short id of each: which to keep.

    `device` made it at `hlc`. `seen` is what its writer had seen; None of one in the base: what it overrode is known no
    more.
    """

    dot: Dot
    hlc: int
    device: bytes
    keeps: dict[bytes, bool]
    seen: Vector | None

    def overrides(self, other: "PastVerdicts") -> bool:
        """Say whether whoever gave them knew of others on the same claim, as far as the log tells."""
        return self.seen is not None and self.dot != other.dot and saw(self.seen, other.dot)


def past_verdicts(
    core: Core, connection: sqlite3.Connection, claims: Mapping[bytes, MemoryId]
) -> list[PastVerdicts]:
    """Return the verdicts on claims; `claims` names the memory of each by its short id. In no order."""
    found: dict[Dot, PastVerdicts] = {}
    for cell in core.store.load_base(map(memory_key, sorted({*claims.values()}))).values():
        assert isinstance(cell, MemoryCell)
        for claim, heads in cell.verdicts.items():
            if claim.id8 in claims:
                for dot, (hlc, keep) in heads.items():
                    if dot not in found:
                        device = core.feeds.origin_of(dot.feed).device
                        found[dot] = PastVerdicts(dot, hlc, device, {}, None)
                    found[dot].keeps[claim.id8] = keep
    logged = verdicts_on(connection, claims.keys())
    seqs: dict[int, set[int]] = {}
    for each in logged:
        seqs.setdefault(each.feed, set()).add(each.seq)
    vectors = {feed: core.feeds.vectors_at(feed, each) for feed, each in seqs.items()}
    for said in logged:
        seen = vectors[said.feed].get(said.seq)
        if seen is not None:  # else its effect is in the base
            dot = Dot(said.feed, said.seq, said.op)
            device = core.feeds.origin_of(said.feed).device
            found[dot] = PastVerdicts(dot, said.hlc, device, said.keeps, seen)
    return [*found.values()]
