"""However devices come, call and are full, a group is in one piece, and there is an end to calling."""

from dataclasses import dataclass, field
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from replica.ids import DeviceId
from sync.neighbours import LinkLimits, gives_way, wanted


@dataclass
class Played:
    """A group in which every device knows where every other is, and nobody is away; each call takes a second."""

    limits: LinkLimits
    ids: list[DeviceId]
    links: dict[frozenset[DeviceId], int] = field(default_factory=dict)
    """Since when each stands."""
    now_s: int = 0
    up: list[DeviceId] = field(default_factory=list)

    def of(self, device: DeviceId) -> dict[DeviceId, float]:
        """For how long each of the peers of a device has been linked."""
        return {
            other: self.now_s - since
            for pair, since in self.links.items()
            if device in pair
            for other in pair - {device}
        }

    def wants(self, device: DeviceId) -> list[DeviceId]:
        """Whom a device calls that is up."""
        others = [each for each in self.ids if each != device]
        return sorted(wanted(device, others, self.of(device), self.limits) & set(self.up))

    def call(self, one: DeviceId, other: DeviceId) -> bool:
        """Let one call another; return whether there is a link now."""
        self.now_s += 1
        goes = []
        for own, peer in ((one, other), (other, one)):
            if len(self.of(own)) >= self.limits.most:
                out = gives_way(own, peer, self.of(own), self.limits)
                if out is None:
                    return False
                goes.append(frozenset((own, out)))
        for pair in goes:
            self.links.pop(pair, None)
        self.links[frozenset((one, other))] = self.now_s
        return True

    def settle(self, chance: Random) -> int:
        """Have all of those that are up call until nobody gets any further; return how many links came up."""
        came, refused = 0, set[tuple[DeviceId, DeviceId]]()
        while calls := [
            (one, other) for one in self.up for other in self.wants(one) if (one, other) not in refused
        ]:
            one, other = chance.choice(calls)
            if self.call(one, other):
                came += 1
                refused.clear()  # somebody lost a link, perhaps
            else:
                refused.add((one, other))
            assert came <= len(self.ids) ** 2, "they go on replacing each other's links"
        return came

    def pieces(self) -> int:
        """Into how many pieces those that are up are split."""
        left, found = set(self.up), 0
        while left:
            found += 1
            reached = [left.pop()]
            while reached:
                peers = self.of(reached.pop()).keys() & left
                left -= peers
                reached += peers
        return found


@given(
    size=st.integers(1, 20),
    most=st.integers(3, 8),
    enough=st.integers(0, 8),
    together=st.booleans(),
    leaves=st.integers(0, 6),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_a_group_is_in_one_piece_and_settles(
    size: int, most: int, enough: int, together: bool, leaves: int, seed: int
) -> None:
    chance = Random(seed)
    # No link stands for long here: that one makes room is for devices that know the address of one only.
    limits = LinkLimits(most=most, enough=min(enough, most), standing_s=float("inf"))
    group = Played(limits, [DeviceId(chance.randbytes(32)) for _ in range(size)])
    for device in group.ids:
        group.up.append(device)
        if not together:
            group.settle(chance)
    group.settle(chance)
    assert group.pieces() == 1
    assert all(len(group.of(each)) <= most for each in group.ids)
    for device in chance.sample(group.ids, min(leaves, size - 1)):
        group.up.remove(device)
        group.links = {pair: since for pair, since in group.links.items() if device not in pair}
    group.settle(chance)
    assert group.pieces() == 1


@given(size=st.integers(1, 9), seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_while_everybody_fits_all_are_linked(size: int, seed: int) -> None:
    chance = Random(seed)
    limits = LinkLimits(most=8, enough=2)
    group = Played(limits, [DeviceId(chance.randbytes(32)) for _ in range(size)])
    group.up = list(group.ids)
    group.settle(chance)
    assert len(group.links) == size * (size - 1) // 2
