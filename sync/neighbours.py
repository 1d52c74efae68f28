"""Decide with whom a device of a large group is linked: the group stays in one piece, and a write costs few messages.

Up to a size, everybody is linked to everybody. In a larger group the ids are thought of as a ring, and a device calls
only whom a rule names. It wants to be linked to the nearest on each side of those that it can reach; and around the
ring it has places, those at one step, at two and three, at four to seven and so on in both directions, and wants one
link into each, to the nearest there that answers. Whom it is linked to it also counts where the other called. So a
device holds some two links for each doubling of the group, and a write needs about as many steps as there are
doublings. Whoever is away only leaves its place to the next one there, however many are away and for how long.

Two devices that reach each other and have nobody between them agree by what each knows itself that they are nearest;
so, where everybody that is up can be reached, this ring closes and holds all of the group together. Where devices reach
only some of the others, no rule about ids can tell which link is the only way between two parts. So nothing that was
linked is given up by the rule alone: a device ends a link that it made, and that holds no place, only if what crosses
it comes by other ways, too (`sync.relay_backoff`). And it links for a minute, one after another, with those whom no
place names: a link by which there is news stays. That also finds out whom the others keep news from.

A full device makes room for a caller that is nearer than its nearest; and of the others, a link that has stood for
long gives its place to whoever calls, so devices that know the address of one only, and are more than it can hold,
take turns there. Pure.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from replica.ids import DEVICE_ID_BYTES, DeviceId

_AROUND = 1 << 8 * DEVICE_ID_BYTES


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """How many links a device holds.

    `most`: at any time; some room for those who know nobody else. Each link is a few tasks and buffers.
    `mesh`: with so many others in the group, everybody is linked to everybody; with more, as the ring says. A write
    costs a message on each link, and in a group of 25, the largest that is recommended, little is saved.
    `standing_s`: a link that stood for so many seconds gives its place to whoever calls a full device.
    `look_s`: how often a device links with one whom no place names, once it has met everybody.
    """

    most: int = 64
    mesh: int = 24
    standing_s: float = 600.0
    look_s: float = 600.0

    def is_mesh(self, others: int) -> bool:
        """Whether everybody is linked to everybody in a group of this device and so many others."""
        return others <= min(self.mesh, self.most)


def wanted(
    own: DeviceId,
    members: Collection[DeviceId],
    linked: Collection[DeviceId],
    hopeful: Collection[DeviceId],
    limits: LinkLimits,
) -> frozenset[DeviceId]:
    """Return whom a device should call of those that it is not linked to.

    `members`: everybody else in the group. `hopeful`: who has an address at which no call has failed since. Of these,
    one for each place is enough; of the others it is not known who will answer, or where.
    """
    if limits.is_mesh(len(members)):
        return frozenset(each for each in members if each not in linked)
    around = _around(own, members)
    open_: list[Sequence[DeviceId]] = [
        list(takewhile(lambda each: each not in linked, side)) for side in (around, around[::-1])
    ]
    if len(linked) < limits.most:
        open_ += [place for place in _places(around) if not any(each in linked for each in place)]
    return frozenset(each for place in open_ for each in _called(place, hopeful))


def spare(
    own: DeviceId, members: Collection[DeviceId], linked: Collection[DeviceId], limits: LinkLimits
) -> frozenset[DeviceId]:
    """Return those linked that hold no place."""
    if limits.is_mesh(len(members)):
        return frozenset()
    around = _around(own, members)
    holding = {_first(place, linked) for place in (around, around[::-1], *_places(around))}
    return frozenset(each for each in linked if each not in holding)


def gives_way(
    own: DeviceId, caller: DeviceId, stood_s: Mapping[DeviceId, float], limits: LinkLimits
) -> DeviceId | None:
    """Return whose link a full device ends to take that of a caller; None: the caller has to go.

    `stood_s`: for how many seconds each peer has been linked.
    """
    if not stood_s:
        return None
    around = _around(own, {*stood_s, caller})
    nearest = {around[0], around[-1]}
    others = [each for each in stood_s if each not in nearest]
    if not others:
        return None
    oldest = max(others, key=lambda each: (stood_s[each], each))
    return oldest if caller in nearest or stood_s[oldest] >= limits.standing_s else None


def _around(own: DeviceId, others: Iterable[DeviceId]) -> list[DeviceId]:
    """Return the others in their order around the ring, from here on."""
    start = int.from_bytes(own)
    return sorted(others, key=lambda each: (int.from_bytes(each) - start) % _AROUND)


def _places(around: Sequence[DeviceId]) -> list[Sequence[DeviceId]]:
    """Return who may take each place, the nearest first: in each direction as far as half of the ring."""
    half = (len(around) + 1) // 2
    sides = around[:half], around[: half - 1 : -1]
    return [
        side[(1 << doubling) - 1 : (2 << doubling) - 1]
        for side in sides
        for doubling in range(math.ceil(math.log2(len(side) + 1)))
    ]


def _called(place: Sequence[DeviceId], hopeful: Collection[DeviceId]) -> set[DeviceId]:
    """Return whom to call for a place that nobody holds."""
    first = _first(place, hopeful)
    return {each for each in place if each == first or each not in hopeful}


def _first(place: Iterable[DeviceId], those: Collection[DeviceId]) -> DeviceId | None:
    return next((each for each in place if each in those), None)
