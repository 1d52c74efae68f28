"""The model of founding shows what it says, and devices do in each step what it says that they do."""

from random import Random

from replica.core import Core
from replica.ids import DeviceId
from replica.membership import name_root
from simulations.root_model import LOWER_FOUNDS, RULES, Rules, after, beginning, following, judged
from tests.support.exchanges import introduced_by
from tests.support.links import identity
from tests.support.replicas import core_of

NAMES = ("ann", "ben", "cleo")
DEVICES = len(NAMES)
HISTORIES = 100
EVENTS = 6


def test_each_wrong_rule_is_seen_to_fail_in_its_way() -> None:
    found = {name: judged(DEVICES, 3, rules).wrong for name, rules in RULES.items()}
    *_, own = found.values()
    assert found["awaits nobody"]["open"] > own["open"] == 0
    assert found["the lower founds"]["two roots"] > own["two roots"]


def test_two_that_await_each_other_cannot_tell_whether_to_found() -> None:
    """Neither knows whether the third, which one of them was paired with, has a root already."""
    history = ["0 joins 1", "0 joins 2", "2 joins 1, 1 cut off"]
    assert after(DEVICES, history, Rules()) == {"waits"}
    assert after(DEVICES, history, Rules({LOWER_FOUNDS})) == {"two roots"}


def test_devices_do_what_the_model_says() -> None:
    devices = [core_of(name).device for name in NAMES]
    for seed in range(HISTORIES):
        random, cores, world = Random(seed), [core_of(name) for name in NAMES], beginning(DEVICES)
        history = []
        for _ in range(EVENTS):
            what, world = random.choice([each for each in following(world, Rules()) if "call" not in each[0]])
            history.append(what)
            _do(cores, what)
            said = [(_named(devices, each.root), _named(devices, each.awaits)) for each in world.devices]
            assert [(each.membership.root, each.membership.awaits) for each in cores] == said, history


def _do(cores: list[Core], what: str) -> None:
    match what.replace(",", "").split():
        case [guest, "joins", host, *cut]:
            _pair(cores, int(host), int(guest), int(cut[0]) if cut else None)
        case [hearer, "hears", teller]:
            core, group = cores[int(hearer)], cores[int(teller)].membership
            core.learn(group.told(), [], by=cores[int(teller)].device)
            core.heard_group(cores[int(teller)].device)
        case [device, "wiped"]:
            cores[int(device)] = core_of(NAMES[int(device)])


def _pair(cores: list[Core], host: int, guest: int, cut_off: int | None) -> None:
    for number, partner in ((host, guest), (guest, host)):
        who, other = identity(NAMES[number]), identity(NAMES[partner])
        own = name_root(who.sign, who.device_id, public_key=who.public_key, name=NAMES[number])
        if number != cut_off:
            cores[number].expect_root(other.device_id, own if number == host else None)
            cores[number].learn([introduced_by(who, other, NAMES[partner])], [])


def _named(devices: list[DeviceId], number: int | None) -> DeviceId | None:
    return None if number is None else devices[number]
