"""Try every short history of two founders of one group, to ask whether one may hand its place on to the other.

Two groups that were joined keep a founder each. Device 0 and device 1 founded; device 2 follows 1. A founder may sign
that the other founds from now on, which is what `replica.membership.name_root` states where a recovery code is printed.
Either may lose what it wrote last; words arrive in any order or never; a thief takes one founder, signs what it likes
with that key, and tells it to whom it likes; the other founder revokes the stolen one. Then all who let each other in
hear everything, and this is wrong:

- **two founders**: nothing was stolen, a hand-over came about, and two devices that meet still follow different ones;
- **captured**: a device that followed an honest founder when the other one was stolen follows the thief in the end.

Three rules are tried, and each fails. `as heard` is the product's own for the code: a device goes where its founder
hands its place, and stays. Two founders that hand over to each other change places. `by the set` computes the founder
from all that was signed, so all agree; but an act has no time, and whoever steals a founder that handed its place on
long ago hands it on again. With `accepted`, nothing is handed on before the other one has signed that it takes it, and
who has offered takes nothing: then a thief takes what was offered to the founder that it stole, and no revocation ends
an offer. It is the least bad, since all its captures need an offer to the very device that is stolen. What is missing
is a person who says on each device, at that moment, whom it follows; that is what typing the code there is
(`samemind group restore`).

    python -m simulations.hand_over_model [EVENTS]
"""

import sys
from collections.abc import Iterator
from itertools import permutations
from typing import Final, NamedTuple

from simulations.histories import Judged, judge

EVENTS: Final = 5
FOUNDERS: Final = (0, 1)
DEVICES: Final = (0, 1, 2)
FIRST: Final = (0, 1, 1)
"""Whom each follows in the beginning."""
MADE_UP: Final = -1
"""The thief's own key: it drew keys until it had one that comes before all others."""

RULES: Final = ("as heard", "by the set", "accepted")

Act = tuple[str, int, int]
"""What was signed: `hands`, `takes` or `revokes`, by whom, and whom it is about."""


class One(NamedTuple):
    """What a device follows, and what it has heard. `went`: the hand-overs that it has followed already."""

    follows: int
    heard: frozenset[Act] = frozenset()
    went: frozenset[Act] = frozenset()


class World(NamedTuple):
    """All devices. `stolen`: the founder that a thief has; `safe`: who followed an honest one at that moment."""

    devices: tuple[One, ...]
    stolen: int | None = None
    safe: frozenset[int] = frozenset()

    def having(self, number: int, device: One) -> "World":
        """Return it with this device changed."""
        return self._replace(devices=(*self.devices[:number], device, *self.devices[number + 1 :]))

    @property
    def honest(self) -> tuple[int, ...]:
        """Return the devices that are still their owner's."""
        return tuple(number for number in DEVICES if number != self.stolen)


BEGINNING: Final = World(tuple(One(founder) for founder in FIRST))


# -- what a device does ------------------------------------------------------------------------------------------------


def hears(device: One, number: int, acts: frozenset[Act], rule: str) -> One:
    """Take what somebody says, and go where that leads."""
    device = device._replace(heard=device.heard | acts)
    if rule == "by the set":
        return device._replace(follows=_by_the_set(FIRST[number], device.heard))
    while ways := sorted(_ways(device, rule), key=lambda act: act[2]):
        device = device._replace(follows=ways[0][2], went=device.went | {ways[0]})
    return device


def _ways(device: One, rule: str) -> Iterator[Act]:
    for act in device.heard - device.went:
        what, by, to = act
        if what != "hands" or by != device.follows:
            continue
        is_taken = ("takes", to, by) in device.heard and not puts_out(device, to)
        if rule == "as heard" or is_taken:
            yield act


def _by_the_set(first: int, acts: frozenset[Act]) -> int:
    line = [first]
    while True:
        following = sorted(to for what, by, to in acts if what == "hands" and by == line[-1])
        if not following:
            return line[-1]
        if following[0] in line:
            return min(line[line.index(following[0]) :])
        line.append(following[0])


def puts_out(device: One, other: int) -> bool:
    """Say whether a device holds another for revoked; whom it follows answers a revocation by one of its own."""
    answered = {of for what, by, of in device.heard if what == "revokes" and by == device.follows}
    return any(
        what == "revokes" and of == other and by != other and not (other == device.follows and by in answered)
        for what, by, of in device.heard
    )


# -- what happens ------------------------------------------------------------------------------------------------------


def following(world: World, rule: str) -> Iterator[tuple[str, World]]:
    """Return all that may happen next."""
    for one, other in permutations(DEVICES, 2):
        if meet(world, one, other) and other in world.honest:
            yield f"{other} hears {one}", heard(world, other, world.devices[one].heard, rule)
    for one, other in permutations(FOUNDERS):
        device, stolen = world.devices[one], world.stolen
        if one == stolen:
            for act in thiefs_acts(one, other):
                for victim in world.honest:
                    if not puts_out(world.devices[victim], one):
                        acts = frozenset(act)
                        yield f"the thief tells {victim} {act}", heard(world, victim, acts, rule)
            continue
        offered = any(what == "hands" and by == one for what, by, _ in device.heard)
        took = any(what == "takes" and by == one for what, by, _ in device.heard)
        if device.follows == one and not offered and not (took and rule == "accepted"):
            yield f"{one} hands over", heard(world, one, frozenset({("hands", one, other)}), rule)
        if rule == "accepted" and ("hands", other, one) in device.heard and not offered and not took:
            yield f"{one} takes over", heard(world, one, frozenset({("takes", one, other)}), rule)
        if stolen is None:
            safe = frozenset(number for number in DEVICES if world.devices[number].follows != one)
            yield f"{one} is stolen", world._replace(stolen=one, safe=safe - {one})
        if stolen == other:
            yield f"{one} revokes {other}", heard(world, one, frozenset({("revokes", one, other)}), rule)
        if device != One(FIRST[one]):
            yield f"{one} loses what it wrote", world.having(one, One(FIRST[one]))


def thiefs_acts(stolen: int, other: int) -> tuple[tuple[Act, ...], ...]:
    """Return what a thief may say: it hands on to itself, or to the other; or takes what was offered, and rules."""
    return (
        (("hands", stolen, MADE_UP),),
        (("hands", stolen, other),),
        (("takes", stolen, other),),
        (("hands", stolen, MADE_UP), ("takes", MADE_UP, stolen)),
        (("revokes", stolen, other),),
    )


def heard(world: World, number: int, acts: frozenset[Act], rule: str) -> World:
    """Let a device hear of acts."""
    return world.having(number, hears(world.devices[number], number, acts, rule))


def meet(world: World, one: int, other: int) -> bool:
    """Say whether two let each other in."""
    return not puts_out(world.devices[one], other) and not puts_out(world.devices[other], one)


# -- what must hold ----------------------------------------------------------------------------------------------------


def settled(world: World, rule: str) -> World:
    """Let everybody who can hear everybody, until nobody has news."""
    before = None
    while before != world:
        before = world
        for one, other in permutations(world.honest, 2):
            if meet(world, one, other):
                world = heard(world, other, world.devices[one].heard, rule)
    return world


def wrongs(world: World, rule: str) -> set[str]:
    """Return what is wrong in a world where everybody has said everything."""
    wrong, devices = set[str](), world.devices
    signed = frozenset[Act]().union(*(device.heard for device in devices))
    came_about = any(
        what == "hands" and (rule != "accepted" or ("takes", to, by) in signed) for what, by, to in signed
    )
    if world.stolen is None and came_about and len({device.follows for device in devices}) > 1:
        wrong.add("two founders")
    if any(devices[number].follows in (world.stolen, MADE_UP) for number in world.safe):
        wrong.add("captured")
    return wrong


def judged(events: int, rule: str) -> Judged:
    """Try all histories of so many events."""
    return judge(
        BEGINNING,
        events,
        lambda world: following(world, rule),
        lambda world: wrongs(settled(world, rule), rule),
    )


def main(arguments: list[str]) -> None:
    """Print what each rule comes to."""
    (events,) = map(int, arguments or (EVENTS,))
    for rule in RULES:
        sys.stdout.writelines(judged(events, rule).lines(rule))


if __name__ == "__main__":
    main(sys.argv[1:])
