"""However devices come, are full and reach each other, a group stays in one piece, and there is an end to calling."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replica.ids import DEVICE_ID_BYTES, DeviceId
from sync.neighbours import LinkLimits, gives_way, spare, wanted
from sync.relay_backoff import LinkUse

Pair = frozenset[DeviceId]


@dataclass
class Standing:
    """A link. `by`: who dialled; `use`: as either end judges it."""

    by: DeviceId
    since_s: int
    use: dict[DeviceId, LinkUse]


@dataclass
class Played:
    """A group in which every device knows where every other is; each call takes a second.

    `cut`: who cannot call whom.
    """

    limits: LinkLimits
    ids: list[DeviceId]
    chance: Random
    cut: set[tuple[DeviceId, DeviceId]] = field(default_factory=set)
    links: dict[Pair, Standing] = field(default_factory=dict)
    now_s: int = 0
    up: set[DeviceId] = field(default_factory=set)
    failed: set[tuple[DeviceId, DeviceId]] = field(default_factory=set)
    """Whose last call to whom failed."""
    looked_s: Counter[tuple[DeviceId, DeviceId]] = field(default_factory=Counter)
    held: dict[DeviceId, set[int]] = field(default_factory=dict)
    writes: int = 0
    silent: frozenset[DeviceId] = frozenset()
    """Who passes nothing on, and says of all that it is told that it was news."""

    def of(self, device: DeviceId) -> dict[DeviceId, float]:
        """For how long each of the peers of a device has been linked."""
        return {
            other: self.now_s - link.since_s
            for pair, link in self.links.items()
            if device in pair
            for other in pair - {device}
        }

    def others(self, device: DeviceId) -> list[DeviceId]:
        return [each for each in self.ids if each != device]

    def wants(self, device: DeviceId) -> list[DeviceId]:
        """Whom a device calls, as far as that is of any use."""
        hopeful = {each for each in self.others(device) if (device, each) not in self.failed}
        return sorted(wanted(device, self.others(device), self.of(device), hopeful, self.limits))

    def call(self, one: DeviceId, other: DeviceId) -> bool:
        """Let one call another; return whether there is a link now."""
        self.now_s += 1
        if other not in self.up or (one, other) in self.cut:
            return False
        goes = []
        for own, peer in ((one, other), (other, one)):
            if len(self.of(own)) >= self.limits.most:
                out = gives_way(own, peer, self.of(own), self.limits)
                if out is None:
                    return False
                goes.append(frozenset((own, out)))
        for pair in goes:
            self.links.pop(pair, None)
        link = self.links[frozenset((one, other))] = Standing(
            one, self.now_s, {each: LinkUse() for each in (one, other)}
        )
        ours, theirs = self.held.setdefault(one, set()), self.held.setdefault(other, set())
        if ours != theirs:
            for use in link.use.values():
                use.carried(1, 1, own=False)
        if self.silent.isdisjoint((one, other)):
            for write in sorted(ours ^ theirs):
                self.flood([(one, other) if write in ours else (other, one)], write)
        return True

    def settle(self) -> int:
        """Have all of those that are up call until nobody gets any further; return how many links came up."""
        came, tried = 0, set[tuple[DeviceId, DeviceId]]()
        waiting = {one: set(self.wants(one)) for one in self.up}
        while calls := sorted(
            (one, other) for one, those in waiting.items() for other in those if (one, other) not in tried
        ):
            one, other = self.chance.choice(calls)
            changed = {one}
            if self.call(one, other):
                came += 1
                self.failed.discard((one, other))
                tried.clear()  # somebody lost a link, perhaps
                changed = set(self.up)
            else:
                self.failed.add((one, other))
                tried.add((one, other))
            waiting.update({each: set(self.wants(each)) for each in changed})
            assert came <= len(self.ids) ** 2, "they go on replacing each other's links"
        return came

    def write(self, author: DeviceId) -> None:
        """Write something that everybody in reach hears of."""
        self.writes += 1
        self.held.setdefault(author, set()).add(self.writes)
        self.flood([(author, peer) for peer in self.of(author)], self.writes, author=author)

    def flood(
        self, crossing: list[tuple[DeviceId, DeviceId]], write: int, *, author: DeviceId | None = None
    ) -> None:
        """Have a write cross these links, and every link of whoever takes it; its author is the first to tell it."""
        direct = 0 if author is None else len(crossing)
        while crossing:
            one, other = crossing.pop(0 if direct > 0 else self.chance.randrange(len(crossing)))
            direct -= 1
            is_news = write not in self.held.setdefault(other, set()) or other in self.silent
            by_author = one == author
            for use in self.links[frozenset((one, other))].use.values():
                use.carried(int(not by_author), int(is_news and not by_author), own=is_news and by_author)
            if is_news:
                self.held[other].add(write)
            if is_news and other not in self.silent:
                crossing += [(other, peer) for peer in self.of(other) if peer != one]

    def tend(self) -> None:
        """Have everybody end what is not needed, and look at another."""
        self.now_s += 60
        for one in sorted(self.up):
            for other in sorted(spare(one, self.others(one), self.of(one), self.limits)):
                link = self.links[frozenset((one, other))]
                if link.by == one and not link.use[one].carries_news:
                    del self.links[frozenset((one, other))]
        for one in sorted(self.up):
            missing = [each for each in self.others(one) if each not in self.of(one)]
            if missing and not self.limits.is_mesh(len(self.ids) - 1):
                other = min(missing, key=lambda each: (self.looked_s[one, each], each))
                self.looked_s[one, other] = self.now_s
                self.call(one, other)

    def leave(self, device: DeviceId) -> None:
        self.up.remove(device)
        self.links = {pair: link for pair, link in self.links.items() if device not in pair}

    def back(self) -> None:
        """Let time pass, so that nobody is left alone for having failed once."""
        self.failed.clear()

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


def ids(count: int, chance: Random) -> list[DeviceId]:
    return [DeviceId(chance.randbytes(DEVICE_ID_BYTES)) for _ in range(count)]


@given(
    size=st.integers(1, 20),
    most=st.integers(3, 8),
    mesh=st.integers(0, 8),
    together=st.booleans(),
    leaves=st.integers(0, 6),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_a_group_is_in_one_piece_and_settles_where_devices_are_full(
    size: int, most: int, mesh: int, together: bool, leaves: int, seed: int
) -> None:
    chance = Random(seed)
    # No link stands for long here: that one makes room is for devices that know the address of one only.
    limits = LinkLimits(most=most, mesh=mesh, standing_s=float("inf"))
    group = Played(limits, ids(size, chance), chance)
    for device in group.ids:
        group.up.add(device)
        if not together:
            group.settle()
    group.back()
    group.settle()
    assert group.pieces() == 1
    assert all(len(group.of(each)) <= most for each in group.ids)
    for device in chance.sample(group.ids, min(leaves, size - 1)):
        group.leave(device)
    group.settle()
    assert group.pieces() == 1


@given(size=st.integers(1, 9), seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_while_everybody_fits_all_are_linked(size: int, seed: int) -> None:
    chance = Random(seed)
    group = Played(LinkLimits(most=8, mesh=8), ids(size, chance), chance)
    group.up = set(group.ids)
    group.settle()
    assert len(group.links) == size * (size - 1) // 2


@given(
    size=st.integers(2, 60),
    away=st.floats(0, 0.9),
    churn=st.integers(0, 10),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=25, deadline=None)
def test_whoever_is_away_a_large_group_is_in_one_piece_with_few_links(
    size: int, away: float, churn: int, seed: int
) -> None:
    chance = Random(seed)
    group = Played(LinkLimits(mesh=4), ids(size, chance), chance)
    group.up = {group.ids[0], *(each for each in group.ids if chance.random() >= away)}
    group.settle()
    assert group.pieces() == 1
    for _ in range(churn):
        device = chance.choice(group.ids)
        if device not in group.up:
            group.up.add(device)
        elif len(group.up) > 1:
            group.leave(device)
        group.settle()
        assert group.pieces() == 1
    assert len(group.links) <= len(group.up) * 2 * len(group.up).bit_length()


@pytest.mark.parametrize("size", [26, 60, 100, 200])
def test_where_everybody_is_up_a_device_has_two_links_for_each_doubling(size: int) -> None:
    chance = Random(size)
    group = Played(LinkLimits(), ids(size, chance), chance)
    group.up = set(group.ids)
    started = sorted((one, other) for one in group.ids for other in group.wants(one))
    for one, other in started:  # at once: nobody knows yet whom the others call
        if frozenset((one, other)) not in group.links:
            group.call(one, other)
    assert group.pieces() == 1
    assert all(not group.wants(each) for each in group.ids)
    assert max(len(group.of(each)) for each in group.ids) <= 2 * (size - 1).bit_length()


@given(
    size=st.integers(2, 16),
    extra=st.integers(0, 20),
    oneway=st.floats(0, 1),
    rounds=st.integers(0, 3),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=30, deadline=None)
def test_a_group_in_which_few_reach_each_other_is_in_one_piece_after_everybody_was_looked_at(
    size: int, extra: int, oneway: float, rounds: int, seed: int
) -> None:
    """Two homes behind one bridge, or a chain of devices of which each reaches the next only."""
    chance = Random(seed)
    group = Played(LinkLimits(mesh=1), ids(size, chance), chance)
    reach = {frozenset((group.ids[n], group.ids[chance.randrange(n)])) for n in range(1, size)}
    reach |= {frozenset(chance.sample(group.ids, 2)) for _ in range(extra)}
    for one in group.ids:
        group.cut |= {(one, other) for other in group.ids if frozenset((one, other)) not in reach}
    for pair in reach:
        if chance.random() < oneway:  # one of the two is behind a router that lets nobody in
            one, other = chance.sample(sorted(pair), 2)
            group.cut.add((one, other))
    group.up = set(group.ids)
    group.settle()
    for _ in range(rounds):  # everybody writes, all the time; links are judged by that
        for _ in range(size):
            for _ in range(2):
                group.write(chance.choice(group.ids))
            group.tend()
            group.settle()
    for one in group.ids:
        group.write(one)
    for _ in range(size):
        group.tend()
    assert group.pieces() == 1
    assert all(group.held[each] == set(range(1, group.writes + 1)) for each in group.ids)


@given(honest=st.integers(2, 6), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_one_honest_device_in_reach_is_enough_where_all_others_keep_everything_to_themselves(
    honest: int, seed: int
) -> None:
    """They have chosen ids that take every place of a device that nobody can call, and pass nothing on."""
    chance = Random(seed)
    victim, *friends = good = ids(honest, chance)
    at = int.from_bytes(victim)
    silent = [
        DeviceId(((at + n) % (1 << 8 * DEVICE_ID_BYTES)).to_bytes(DEVICE_ID_BYTES))
        for n in range(-2 * honest, 2 * honest + 1)
        if n
    ]
    cut = {(each, victim) for each in friends}
    group = Played(LinkLimits(mesh=1), [*good, *silent], chance, cut=cut, silent=frozenset(silent))
    group.up = set(group.ids)
    group.settle()
    assert set(group.of(victim)) <= set(silent)
    for _ in group.ids:
        group.write(chance.choice(good))
        group.tend()
        group.settle()
    for _ in group.ids:
        group.tend()
    assert all(group.held[each] == set(range(1, group.writes + 1)) for each in good)
    group.write(chance.choice(friends))
    assert group.writes in group.held[victim], "whoever brought news stays linked"
