"""Find out whether somebody else writes under this device's key: a clone that is alive.

Both know it once they have met, through a third device: there are ops of this device that it did not write, stamped
after its present incarnation wrote its first. What it held when its clock was corrected is its own past, or was written
before, whatever the stamps say; and a stamp that is far ahead does not say when it was made.

Which of the two has to become a device of its own follows from what both hold: the one whose incarnation wrote its
first op later, since it is the copy.
"""

from typing import Final, NamedTuple

from replica.core import Core
from replica.feeds import Feed
from replica.hlc import AHEAD_MS_MAX, milliseconds
from replica.ids import DeviceId, Origin
from replica.ops import Set
from replica.state.cells import Key, setting_key
from replica.state.register import winner

# A clone that has said nothing for a week was ended, or became a device of its own.
LIVE_MS: Final = 7 * 24 * 3_600_000
_DIVORCED: Final = "divorced"


class LiveClone(NamedTuple):
    """Another store that writes under this device's key. `at_ms`: when it wrote last.

    `is_original`: it is the older one, so this one has to part.
    """

    incarnation: bytes
    at_ms: int
    is_original: bool


def live_clone(core: Core, now_ms: int) -> LiveClone | None:
    """Return the clone of this device that wrote last, if one lives."""
    if core.own_feed is None:
        return None  # what came before this incarnation's first op may be its own past
    found: list[LiveClone] = []
    since, _ = mine = _first(core, [feed for feed in core.feeds.of(core.origin) if feed.no == core.own_feed])
    for feed in core.feeds:
        if feed.origin.device != core.device or feed.no == core.own_feed or _parted(core, feed):
            continue
        at_ms = _stamp(core, feed, feed.seq)
        is_new = feed.seq > core.past.get(feed.no, 0)
        if is_new and max(since, now_ms - LIVE_MS) < at_ms <= now_ms + AHEAD_MS_MAX:
            first = _stamp(core, feed, feed.fork + 1), feed.origin.incarnation
            found.append(LiveClone(feed.origin.incarnation, at_ms, first < mine))
    return max(found, key=lambda each: each.at_ms, default=None)


def parting(origin: Origin, now: DeviceId) -> Set:
    """Return the change by which a clone that became a device of its own says so, for all to see."""
    return Set(_parting_name(origin), now.hex())


def parted_from(core: Core) -> DeviceId | None:
    """Return the device whose clone this one was until it parted; None where it never was another one."""
    keys = {_parting_key(feed.origin): feed.origin.device for feed in core.feeds}
    for key, heads in core.store.load(keys).items():
        if isinstance(heads, dict) and winner(heads)[2] == core.device.hex():
            return keys[key]
    return None


def _parted(core: Core, feed: Feed) -> bool:
    key = _parting_key(feed.origin)
    return key in core.store.load([key])


def _parting_key(origin: Origin) -> Key:
    return setting_key(_parting_name(origin))


def _parting_name(origin: Origin) -> str:
    return f"{_DIVORCED}:{origin.device.hex()}:{origin.incarnation.hex()}"


def _first(core: Core, own: list[Feed]) -> tuple[float, bytes]:
    """Return when the present incarnation wrote its first op; one that has written nothing is the later one."""
    return min(
        ((_stamp(core, feed, feed.fork + 1), core.origin.incarnation) for feed in own),
        default=(float("inf"), b""),
    )


def _stamp(core: Core, feed: Feed, seq: int) -> int:
    """Return an op's milliseconds; 0 for one that left the log long ago."""
    return next((milliseconds(row.hlc) for row in core.store.feed_rows(feed.no, seq, seq)), 0)
