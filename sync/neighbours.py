"""Decide with whom a device of a large group is linked, so that the group is in one piece and nobody calls in vain.

While everybody fits, everybody is linked to everybody. In a larger group a device calls no more once it has links
enough, and takes as many as it can hold from those who call. That alone would leave groups in pieces: those who came
first would be full of each other. So the ids are thought of as a ring, and every device is linked to the nearest on
each side of those that it can reach: it calls until it is, and when it is full a nearer one gets the place of another.
Two devices with nobody between them agree on that by what each knows itself, so this ring closes, and holds all of
the group together; the other links make the ways short.

Of the others, one that has stood for long gives its place to whoever calls: both its ends had time to find links
enough. So devices that know the address of one only, and are more than it can hold, take turns there. Pure.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from replica.ids import DEVICE_ID_BYTES, DeviceId

_AROUND = 1 << 8 * DEVICE_ID_BYTES


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """How many links a device holds.

    `most`: at any time; fifty devices of one owner, and some room. Each link is a few tasks and buffers.
    `enough`: in a group of more than that, so many keep it from calling anybody but the nearest. A write costs a
    message on each link, so this is what a write costs: as much as in the largest group that is recommended.
    `standing_s`: a link that stood for so many seconds gives its place to whoever calls a full device.
    """

    most: int = 64
    enough: int = 24
    standing_s: float = 600.0


def wanted(
    own: DeviceId, members: Collection[DeviceId], linked: Collection[DeviceId], limits: LinkLimits
) -> frozenset[DeviceId]:
    """Return whom a device should call of those that it is not linked to. `members`: everybody else in the group."""
    missing = [each for each in members if each not in linked]
    if len(members) <= limits.most or len(linked) < limits.enough:
        return frozenset(missing)
    after = min((_steps(own, each) for each in linked), default=_AROUND)
    before = min((_steps(each, own) for each in linked), default=_AROUND)
    return frozenset(each for each in missing if _steps(own, each) < after or _steps(each, own) < before)


def gives_way(
    own: DeviceId, caller: DeviceId, stood_s: Mapping[DeviceId, float], limits: LinkLimits
) -> DeviceId | None:
    """Return whose link a full device ends to take that of a caller; None: the caller has to go.

    `stood_s`: for how many seconds each peer has been linked.
    """
    if not stood_s:
        return None
    nearest = _nearest(own, [*stood_s, caller])
    others = [each for each in stood_s if each not in nearest]
    if not others:
        return None
    oldest = max(others, key=lambda each: (stood_s[each], each))
    return oldest if caller in nearest or stood_s[oldest] >= limits.standing_s else None


def _nearest(own: DeviceId, others: Iterable[DeviceId]) -> frozenset[DeviceId]:
    """Return the next one on each side."""
    around = sorted(others, key=lambda each: _steps(own, each))
    return frozenset((around[0], around[-1]))


def _steps(start: DeviceId, end: DeviceId) -> int:
    return (int.from_bytes(end) - int.from_bytes(start)) % _AROUND
