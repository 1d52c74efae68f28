"""Hold the parts of a snapshot that have come, so that a transfer that was cut goes on where it was.

They are in the store too, until the whole is taken, a newer one begins, or words are erased, which they may hold: a
phone that ends its programs every few minutes would otherwise never see the end of a large one. The conversation in
which they come holds them in memory, and goes on with these when they go from the store.

What waits in the store is bounded, over all peers: a member might otherwise leave a gigabyte lying, and so might each
device that it makes up and introduces. Whoever left most there gives way to others first, and of a snapshot that is
itself beyond the bound the first parts stay: so nobody's junk keeps out what is smaller than it, as an honest snapshot
is unless a member sends many small ones.
"""

from itertools import takewhile
from typing import Final

from replica.core import Core
from replica.ids import DeviceId
from replica.oplog import Changes, Partial, PartRow

# Parts of snapshots that broke off and wait in a store for the rest, of all peers together. One of a hundred thousand
# memories packed to 4 MB where few words made them up, and a third of 40 at worst; a million still fit. What is beyond
# is not kept: a transfer that is cut goes on behind the first 256 MB.
PARTS_KEPT_BYTES_MAX: Final = 256 << 20


def partial_from(core: Core, peer: DeviceId) -> Partial | None:
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


def keep_part(core: Core, peer: DeviceId, partial: Partial, part: bytes) -> None:
    """Take the next part, durably, unless the parts before it were given up meanwhile."""
    row = PartRow(peer, len(partial.parts), partial.digest, partial.count, part)
    if core.partials.get(peer) is partial:
        if _make_room(core, peer, partial, len(part)):
            core.write(Changes(part=row), now_ms=0)
        else:
            del core.partials[peer]  # what came before stays, and what follows would leave a hole behind it
    partial.parts.append(part)  # after the write, or one that failed would leave a hole in the store


def _make_room(core: Core, peer: DeviceId, partial: Partial, size: int) -> bool:
    """Let the largest of others' go as long as the next part of this one has no room; say whether it has some then."""
    kept = core.store.parts_bytes()
    own = sum(map(len, partial.parts))  # those of an older one of its go with the first part of this
    kept.pop(peer, None)
    while own + size + sum(kept.values()) > PARTS_KEPT_BYTES_MAX:
        largest = max(kept, key=lambda each: (kept[each], each), default=None)
        if largest is None or kept[largest] <= own:
            return False
        del kept[largest]
        give_up_parts(core, largest)
    return True


def give_up_parts(core: Core, peer: DeviceId) -> None:
    """Forget what has come of a snapshot of this peer's, if anything has."""
    if core.partials.pop(peer, None) is not None or core.store.parts(peer):
        core.write(Changes(parts_gone=peer), now_ms=0)
