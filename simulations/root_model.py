"""Try every short history of pairings, wipes and lost words, to show which rules of founding go wrong.

A small model beside the simulator, of how a device takes its root (`replica.membership`). A person pairs two devices,
and either may fail to write that down; a device loses all but its key; one says what it knows, and the other hears that
at once, later or never. After each history everybody who can meets everybody, and then:

- **two roots**: two that meet follow different ones, though nobody joined two groups that had one each;
- **open**: a device that knows others has no root and awaits nobody: it would take one that any member hands it;
- **waits**: devices await each other, two or more in a circle, and nothing that anybody says ends that.

`the lower founds` is the obvious rule: of two that await each other, and say so, the one with the lower id does. It
ends no circle of three, and it leaves two roots where one of them has been paired with a device that has a root. No
rule does better by itself. What the two hold is the same whether a group of theirs goes on elsewhere or not: if not,
they have to found one; if so, they have to take its root, and whoever names it looks like a hostile member that made
one up. So they wait until a person says who founds: by `samemind group recovery`, or with the code on paper.

    python -m simulations.root_model [DEVICES EVENTS]
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Final, NamedTuple

from simulations.histories import Judged, judge

DEVICES: Final = 3
EVENTS: Final = 4

Rules = frozenset[str]
AWAITS_NOBODY: Final = "awaits nobody"
"""Wrong: a founder whose partner came with others and named no root has none either, and awaits nobody."""
LOWER_FOUNDS: Final = "lower founds"
"""Wrong: of two that await each other the one with the lower id founds, once it is told."""
RULES: Final = {
    "awaits nobody": Rules({AWAITS_NOBODY}),
    "the lower founds": Rules({LOWER_FOUNDS}),
    "the product's own": Rules(),
}


class One(NamedTuple):
    """What a device knows: its root, whom it awaits, whom it was paired with, and everybody it knows of."""

    root: int | None = None
    awaits: int | None = None
    paired: frozenset[int] = frozenset()
    others: frozenset[int] = frozenset()


class Word(NamedTuple):
    """What one device says to another: its root, whom it awaits, and everybody it knows of."""

    by: int
    to: int
    root: int | None
    awaits: int | None
    others: frozenset[int]


class World(NamedTuple):
    """All devices, and what is on its way. `joined`: the group of each, as people paired them since it was wiped.

    `two_groups`: whether somebody joined two groups that had a root each, which may keep them.
    """

    devices: tuple[One, ...]
    joined: tuple[int, ...]
    word: Word | None = None
    two_groups: bool = False

    def having(self, number: int, device: One) -> "World":
        """Return it with this device changed."""
        return self._replace(devices=(*self.devices[:number], device, *self.devices[number + 1 :]))

    def meet(self, one: int, other: int) -> bool:
        """Say whether two may talk: each knows the other."""
        return other in self.devices[one].others and one in self.devices[other].others


# -- what a device does ------------------------------------------------------------------------------------------------


def expects(device: One, number: int, partner: int, *, founds: bool) -> One:
    """Pair: whoever has nobody but the partner takes its root from that, and founds meanwhile if it shows the code."""
    if device.others - {partner} or (device.others and device.awaits != partner):
        return device
    if device.root is not None and (device.root != number or device.awaits is None):
        return device
    return device._replace(root=number if founds else None, awaits=partner)


def knows(device: One, partner: int) -> One:
    """Introduce the partner."""
    return device._replace(paired=device.paired | {partner}, others=device.others | {partner})


def says(device: One, number: int, to: int) -> Word:
    """Return what a device says now."""
    return Word(number, to, device.root, device.awaits, device.others)


def hears(device: One, number: int, word: Word, rules: Rules) -> One:
    """Take a word: the root of whom it awaits, and whom that knows."""
    device = device._replace(others=device.others | word.others - {number})
    if device.awaits != word.by:
        return device
    if word.root is not None:
        return device._replace(root=word.root, awaits=None)
    if device.root is None:
        mutual = LOWER_FOUNDS in rules and word.awaits == number and number < word.by
        return device._replace(root=number, awaits=None) if mutual else device
    if not device.others - device.paired:
        return device._replace(awaits=None)
    return device._replace(root=None, awaits=None if AWAITS_NOBODY in rules else word.by)


# -- what happens ------------------------------------------------------------------------------------------------------


def following(world: World, rules: Rules) -> Iterator[tuple[str, World]]:
    """Return all that may happen next."""
    for one, other in permutations(range(len(world.devices)), 2):
        for cut, wrote in (
            ("", (one, other)),
            (f", {one} cut off", (other,)),
            (f", {other} cut off", (one,)),
        ):
            yield f"{other} joins {one}{cut}", paired(world, one, other, wrote)
        if world.meet(one, other):
            word = says(world.devices[one], one, other)
            yield f"{other} hears {one}", heard(world, word, rules)
            if world.word is None:
                yield f"{one} calls {other}", world._replace(word=word)
    for one, device in enumerate(world.devices):
        if device != One():
            yield f"{one} wiped", wiped(world, one)
    if world.word is not None:
        yield (
            f"{world.word.to} hears what {world.word.by} said",
            heard(world._replace(word=None), world.word, rules),
        )


def paired(world: World, host: int, guest: int, wrote: tuple[int, ...]) -> World:
    """Let a person pair two; only those in `wrote` write it down."""
    groups = world.joined
    if groups[host] != groups[guest]:
        rooted = {groups[at] for at, each in enumerate(world.devices) if each.root is not None}
        both = {groups[host], groups[guest]} <= rooted
        joined = tuple(groups[host] if each == groups[guest] else each for each in groups)
        world = world._replace(joined=joined, two_groups=world.two_groups or both)
    for number, partner in ((host, guest), (guest, host)):
        if number in wrote:
            device = expects(world.devices[number], number, partner, founds=number == host)
            world = world.having(number, knows(device, partner))
    return world


def heard(world: World, word: Word, rules: Rules) -> World:
    """Let a word arrive."""
    return world.having(word.to, hears(world.devices[word.to], word.to, word, rules))


def wiped(world: World, number: int) -> World:
    """Let a device lose all but its key, and with it the links over which something was on its way."""
    alone = max(world.joined) + 1
    joined = (*world.joined[:number], alone, *world.joined[number + 1 :])
    names = {each: at for at, each in enumerate(dict.fromkeys(joined))}
    lost = world.word is not None and number in world.word[:2]
    return world.having(number, One())._replace(
        joined=tuple(names[each] for each in joined), word=None if lost else world.word
    )


# -- what must hold ----------------------------------------------------------------------------------------------------


def settled(world: World, rules: Rules) -> World:
    """Let everybody who can talk to everybody, until nobody has news."""
    before, world = None, world._replace(word=None)
    while before != world:
        before = world
        for one, other in permutations(range(len(world.devices)), 2):
            if world.meet(one, other):
                world = heard(world, says(world.devices[one], one, other), rules)
    return world


def wrongs(world: World) -> set[str]:
    """Return what is wrong in a world where everybody has said everything."""
    devices, wrong = world.devices, set[str]()
    for one, other in permutations(range(len(devices)), 2):
        roots = {devices[one].root, devices[other].root} - {None}
        if world.meet(one, other) and len(roots) > 1 and not world.two_groups:
            wrong.add("two roots")
    for number, device in enumerate(devices):
        if device.root is None and device.awaits is None and device.others:
            wrong.add("open")
        if device.root is None and _awaits_itself(devices, number):
            wrong.add("waits")
    return wrong


def _awaits_itself(devices: tuple[One, ...], number: int) -> bool:
    asked = devices[number].awaits
    for _ in devices:
        if asked is None or asked == number:
            return asked == number
        asked = devices[asked].awaits if devices[asked].root is None else None
    return False


def judged(devices: int, events: int, rules: Rules) -> Judged:
    """Try all histories of so many events."""
    return judge(
        beginning(devices),
        events,
        lambda world: following(world, rules),
        lambda world: wrongs(settled(world, rules)),
    )


def beginning(devices: int) -> World:
    """Return so many devices that know nobody."""
    return World((One(),) * devices, tuple(range(devices)))


def after(devices: int, history: Iterable[str], rules: Rules) -> set[str]:
    """Return what is wrong after one history, told in the words of `following`."""
    world = beginning(devices)
    for what in history:
        world = dict(following(world, rules))[what]
    return wrongs(settled(world, rules))


def main(arguments: list[str]) -> None:
    """Print what each rule comes to."""
    devices, events = map(int, arguments or (DEVICES, EVENTS))
    for name, rules in RULES.items():
        sys.stdout.writelines(judged(devices, events, rules).lines(name))


if __name__ == "__main__":
    main(sys.argv[1:])
