"""Tell which of its own writes a device had made durable, and does not hold any more.

A device that was told by its twin that its log had been longer (`replica.rollback_guard`) keeps how long it was, as
part of what happened to it. It goes on under another incarnation, and a peer that was told of those writes brings them
back: what is missing is therefore asked anew each time, and nothing is once they are here.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from replica.ids import DeviceId, OpRef, Origin

if TYPE_CHECKING:
    from replica.core import Core


class Missing(NamedTuple):
    """The last writes of one incarnation: its log had `seq` ops, and `held` are left. Found out at `at_ms`."""

    at_ms: int
    held: int
    seq: int


def missing(core: "Core") -> Iterator[Missing]:
    """Return what is missing of this device's own writes, as far as it is known."""
    for incident in core.incidents:
        origin = Origin(DeviceId(incident.device), incident.incarnation)
        left = held(core, origin, incident.seq, incident.head)
        if incident.seq > left:
            yield Missing(incident.at_ms, left, incident.seq)


def held(core: "Core", origin: Origin, seq: int, head: bytes) -> int:
    """Return how many of an origin's first `seq` ops a replica holds, of which `head` is the last.

    Where that one is not held, at most the longest branch's: a clone may have written as many since, or more. An empty
    `head` is not known.
    """
    longest = max((feed.seq for feed in core.feeds.of(origin)), default=0)
    if not head or seq > longest or core.feeds.locate(OpRef(origin, seq, head)) is not None:
        return longest
    return seq - 1
