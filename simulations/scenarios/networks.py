"""Traps about networks: addresses that change hands, a wall with one door, no multicast, many behind one name."""

from typing import Final

from simulations.neighbourhood import RECONNECT_MS_MAX, Neighbourhood
from simulations.scenarios.stage import Scenario, Stage
from sync.address import Address

HOUR_MS: Final = 3_600_000
# An hour of calls to one who is away: nine while the wait doubles up to five minutes, and then one in four minutes,
# each at the place where it was last and at the one that was announced.
CALLS_AN_HOUR_MAX: Final = 60


def _at(number: int) -> Address:
    return Address(f"10.0.0.{number}", 7411)


def _street(stage: Stage, **places: int) -> Neighbourhood:
    """Return a network with devices at addresses of which nobody knows."""
    street = Neighbourhood(stage.world)
    for name, number in places.items():
        street.move(name, _at(number))
    return street


def _linked(stage: Stage, street: Neighbourhood, one: str, other: str, *, why: str) -> None:
    """Expect two devices to be linked within seconds, and to hear each other."""
    street.pass_time(RECONNECT_MS_MAX)
    stage.expect(why, street.are_linked(one, other), True)
    rid = stage.remember(one, why)
    street.refresh()
    stage.expect(f"{other} hears: {why}", stage.memory(other, rid) is not None, True)


def _moved_address(stage: Stage) -> None:
    street = _street(stage, A=1, B=2, C=3)
    for name in "BC":
        street.announce(name, to="A")
    _linked(stage, street, "A", "B", why="who is announced is called")
    stage.expect("both are", street.are_linked("A", "C"), True)
    street.pass_time(HOUR_MS)
    street.off.add("B")
    street.lose("B")
    street.pass_time(HOUR_MS)
    calls = street.calls["A"]
    stage.expect("who is away costs a few calls an hour", calls <= CALLS_AN_HOUR_MAX, True)
    street.move("C", _at(2))  # the address of the one that is away; its own goes to the one that comes back
    street.announce("C", to="A")
    _linked(stage, street, "A", "C", why="who moved is called where it is announced")
    street.off.discard("B")
    street.move("B", _at(3))
    street.announce("B", to="A")
    _linked(stage, street, "A", "B", why="who came back elsewhere is called there")
    stage.expect("and the other one keeps its link", street.are_linked("A", "C"), True)
    street.pass_time(HOUR_MS)
    street.hush("A")
    street.lose("B")
    street.pass_time(RECONNECT_MS_MAX)
    stage.expect("it is found again where it was last", street.are_linked("A", "B"), True)


def _one_way_link(stage: Stage) -> None:
    street = _street(stage, A=1, B=2)
    street.walls.add(("A", "B"))
    street.announce("B", to="A")
    street.pass_time(HOUR_MS)
    stage.expect("nobody is reached through a wall", street.are_linked("A", "B"), False)
    stage.expect("nor called without end", street.calls["A"] <= CALLS_AN_HOUR_MAX, True)
    street.announce("A", to="B")
    _linked(stage, street, "A", "B", why="one door is enough for both")
    quiet = sum(street.calls.values())
    street.pass_time(24 * HOUR_MS)
    stage.expect("a link that stands costs no calls", sum(street.calls.values()), quiet)
    # Then what A says stops reaching B, while B is still heard: TCP breaks late, and nothing may hang on it.
    world, rid = stage.world, stage.remember("A", "said into the void")
    world.dial(stage["A"], stage["B"], stage.random)
    world.blocked.add(("A", "B"))
    world.pass_time(600_000)
    stage.expect("no link is left hanging", world.links, [])
    stage.expect("B has heard nothing", stage.memory("B", rid), None)
    world.blocked.clear()
    street.lose("B")
    street.pass_time(RECONNECT_MS_MAX)
    stage.expect("the door is used again", street.are_linked("A", "B"), True)
    stage.expect("and B hears it", stage.memory("B", rid) is not None, True)


def _no_multicast(stage: Stage) -> None:
    street = _street(stage, A=1, B=2)
    street.pass_time(24 * HOUR_MS)
    stage.expect("who hears of nobody calls nobody", street.calls, {})
    street.rosters["A"].fix(_at(2), now_ms=stage.world.now_ms)
    _linked(stage, street, "A", "B", why="an address that was told is called")
    street.move("B", _at(7))
    street.pass_time(HOUR_MS)
    stage.expect("nobody can know where it is", street.are_linked("A", "B"), False)
    stage.expect("and few calls go astray", street.calls["A"] <= CALLS_AN_HOUR_MAX, True)
    street.rosters["A"].fix(_at(7), now_ms=stage.world.now_ms)
    _linked(stage, street, "A", "B", why="the new one that was told is called at once")


def _behind_one_name(stage: Stage) -> None:
    street = _street(stage, A=1)
    for name in "BCD":
        street.move(name, _at(9))  # a router, or a name with many addresses: whoever is first answers
    street.rosters["A"].fix(_at(9), now_ms=stage.world.now_ms)
    street.pass_time(60_000)
    for name in "BCD":
        stage.expect(f"{name} is reached behind the name", street.are_linked("A", name), True)
    street.off.add("D")
    street.lose("D")
    street.pass_time(HOUR_MS)
    stage.expect("whose link stands keeps it", street.are_linked("A", "B"), True)
    stage.expect("and the name is not called without end", street.calls["A"] <= CALLS_AN_HOUR_MAX, True)
    street.off.discard("D")
    street.pass_time(HOUR_MS)
    stage.expect("who comes back there is reached", street.are_linked("A", "D"), True)


SCENARIOS = (
    Scenario(
        "moved_address",
        "A device that is looked for where it was last is gone for good once another has its address, and that one is "
        "cut off by every call. Here an announcement is followed at once, and a link that stands is left alone.",
        _moved_address,
        devices=3,
    ),
    Scenario(
        "one_way_link",
        "Firewalls let calls through one way only, and a network may stop carrying one way of a link that stands: who "
        "waits to be called, or for an answer, waits for ever. One door is enough here, and silence ends a link.",
        _one_way_link,
    ),
    Scenario(
        "no_multicast",
        "Where multicast is blocked nobody is ever announced, and programs that rely on it find nobody, or call about "
        "at random. An address that a person gives is enough here, and without one nobody is called.",
        _no_multicast,
    ),
    Scenario(
        "behind_one_name",
        "An address that stands for one device hides the others behind the same router or name: ours tied it to whom "
        "it had met there first. Here it is worth a call as long as anybody is missing.",
        _behind_one_name,
        devices=4,
    ),
)
