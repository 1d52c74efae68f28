"""Hold the parts of a snapshot that have come, so that a transfer that was cut goes on where it was.

They are in the store too, until the whole is taken, a newer one begins, or words are erased, which they may hold: a
phone that ends its programs every few minutes would otherwise never see the end of a large one. The conversation in
which they come holds them in memory, and goes on with these when they go from the store.
"""

from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from replica.ids import DeviceId
from replica.oplog import Changes, PartRow

if TYPE_CHECKING:
    from replica.core import Core


@dataclass(slots=True)
class Partial:
    """The first parts of one snapshot of `count` parts; `digest` is the SHA-256 of the whole."""

    digest: bytes
    count: int
    parts: list[bytes] = field(default_factory=list)


def partial_from(core: "Core", peer: DeviceId) -> Partial | None:
    """Return what has come of a snapshot of this peer's: the first parts of one, whatever else is kept."""
    if peer not in core.partials and (kept := core.store.parts(peer)):
        first = kept[0]
        whole = takewhile(
            lambda at: (at[1].no, at[1].digest, at[1].parts) == (at[0], first.digest, first.parts),
            enumerate(kept),
        )
        core.partials[peer] = Partial(first.digest, first.parts, [row.part for _, row in whole])
    partial = core.partials.get(peer)
    if partial is None or not partial.parts:  # none are there where the first write failed
        return None
    return partial


def keep_part(core: "Core", peer: DeviceId, partial: Partial, part: bytes) -> None:
    """Take the next part, durably, unless the parts before it were given up meanwhile."""
    row = PartRow(peer, len(partial.parts), partial.digest, partial.count, part)
    if core.partials.get(peer) is partial:
        core.write(Changes(part=row), now_ms=0)
    partial.parts.append(part)  # after the write, or one that failed would leave a hole in the store


def give_up_parts(core: "Core", peer: DeviceId) -> None:
    """Forget what has come of a snapshot of this peer's, if anything has."""
    if core.partials.pop(peer, None) is not None or core.store.parts(peer):
        core.write(Changes(parts_gone=peer), now_ms=0)
