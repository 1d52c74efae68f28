"""Traps about codes: guesses, somebody in between, a code that is stale, and who becomes known by whom."""

from random import Random

from simulations.device import Device
from simulations.pairing import Showing
from simulations.scenarios.stage import Scenario, Stage
from sync.code import PairingCode
from sync.errors import CodeExpired, PairingClosed, SyncError, Untrusted, WrongCode
from sync.identity import Identity
from sync.pairing import BURNT_MAX, WINDOW_MS


def _newcomer(stage: Stage) -> Device:
    """Return a device that nobody knows, alone in a group of its own."""
    device = stage.world.add_device(stage.random)
    device.found()
    return device


def _other_than(code: PairingCode) -> PairingCode:
    """Return a code that differs by a digit."""
    return PairingCode(code.number % 900 + 100, code.words)


def _screen(showing: Showing) -> type[SyncError] | None:
    """Return what the screen says in place of a code."""
    try:
        showing.code()
    except SyncError as error:
        return type(error)
    return None


def _members(stage: Stage, name: str) -> set[str]:
    known = {device.key.device: device.name for device in stage.world.devices}
    return {known.get(member, "a stranger") for member in stage[name].core.membership.members}


def _one_introduces_all(stage: Stage) -> None:
    old = stage.remember("A", "from before")
    stage.meet("A", "B")
    guest = _newcomer(stage)
    mine = stage.remember(guest.name, "of the one who came")
    showing = Showing(stage.world, stage["B"])
    met = showing.tried_by(guest, showing.picture())
    stage.expect("both are sure of the other", (met.error, len(met.words)), (None, 1))
    stage.expect("the code is spent", _screen(showing), PairingClosed)
    stage.meet("B", guest.name)
    stage.meet("A", "B")
    stage.expect("A knows whom B has met", _members(stage, "A"), {"A", "B", guest.name})
    stage.expect("the one who came knows A", _members(stage, guest.name), {"A", "B", guest.name})
    late = stage.remember(guest.name, "said to A itself")
    stage.meet("A", guest.name)
    for name, rid in (("A", mine), ("A", late), (guest.name, old)):
        stage.expect(f"{name} has what the other group had", stage.memory(name, rid) is not None, True)


def _wrong_words(stage: Stage) -> None:
    guest = _newcomer(stage)
    showing = Showing(stage.world, stage["A"])
    right = showing.code()
    for _ in range(BURNT_MAX):
        met = showing.tried_by(guest, _other_than(showing.code()))
        stage.expect("a wrong guess pairs nobody", (met.error, met.words), (WrongCode, set()))
    stage.expect("three are all", _screen(showing), PairingClosed)
    met = showing.tried_by(guest, right)
    stage.expect("the code of before opens nothing", (met.error, met.words), (PairingClosed, set()))
    stage.expect("nobody was let in", _members(stage, "A"), {"A", "B"})
    stage.meet("A", "B")


def _relayed(stage: Stage, guest: Device, relay: Identity, saying: Identity | None) -> None:
    """Let somebody type, and then scan, what A shows, through a relay that may say that it is the guest."""
    showing = Showing(stage.world, stage["A"])
    met = showing.tried_by(guest, showing.code(), at=relay, saying=saying)
    stage.expect("the right words reach nobody through a relay", (met.error, met.words), (WrongCode, set()))
    stage.expect("and are burnt", showing.window.burnt, 1)
    met = showing.tried_by(guest, showing.picture(), at=relay)
    stage.expect("who scanned sees it at once", (met.error, met.words), (WrongCode, set()))
    stage.expect("and burns nothing", showing.window.burnt, 1)


def _somebody_between(stage: Stage) -> None:
    guest, relay = _newcomer(stage), Identity.of(_newcomer(stage).key.private)
    for saying in (None, relay):
        _relayed(stage, guest, relay, saying)
    stage.expect("nobody was let in", _members(stage, "A"), {"A", "B"})
    stage.expect("nor believes so", _members(stage, guest.name), {guest.name})
    showing = Showing(stage.world, stage["A"])
    met = showing.tried_by(guest, showing.picture())
    stage.expect("without it, all is well", (met.error, len(met.words)), (None, 1))


def _stale_code(stage: Stage) -> None:
    guest, late = _newcomer(stage), _newcomer(stage)
    showing = Showing(stage.world, stage["A"])
    picture = showing.picture()
    stage.world.pass_time(WINDOW_MS - 1)
    stage.expect("it is good to the last moment", _screen(showing), None)
    stage.world.pass_time(1)
    met = showing.tried_by(guest, picture)
    stage.expect("a photo of it opens nothing", (met.error, met.words), (CodeExpired, set()))
    showing = Showing(stage.world, stage["A"])
    code = showing.code()
    stage.expect("a new one does", showing.tried_by(guest, code).error, None)
    met = showing.tried_by(late, code)
    stage.expect("but only once", (met.error, met.words), (PairingClosed, set()))
    stage.expect("and one was let in", _members(stage, "A"), {"A", "B", guest.name})
    stage.meet("A", guest.name)


def _lost_phone_pairs_again(stage: Stage) -> None:
    stage.revoke("A", "B")
    showing = Showing(stage.world, stage["A"])
    met = showing.tried_by(stage["B"], showing.code())
    stage.expect("a key that was put out stays out", (met.error, met.words), (Untrusted, set()))
    anew = stage.world.add_device(Random("a key of its own"))
    anew.found()
    met = showing.tried_by(anew, showing.code())
    stage.expect("under a new one it is welcome", met.error, None)
    rid = stage.remember("A", "for the new one")
    stage.meet("A", anew.name)
    stage.expect("and hears of all", stage.memory(anew.name, rid) is not None, True)


SCENARIOS = (
    Scenario(
        "one_introduces_all",
        "Where each pair of devices has to be introduced by hand, the fifth one means four codes, and one of them is "
        "never typed. Here whoever pairs with one device of the group is known to all, and so is all that it holds.",
        _one_introduces_all,
    ),
    Scenario(
        "wrong_words",
        "A short code that may be guessed at leisure is no secret: whoever is on the network tries them all. Here a "
        "wrong guess burns the code, and the third one closes the window.",
        _wrong_words,
    ),
    Scenario(
        "somebody_between",
        "A relay that passes on what two devices say, and shows each its own certificate, is paired with both of them "
        "where the code proves only that it is known. Here it proves which certificates each of them saw.",
        _somebody_between,
    ),
    Scenario(
        "stale_code",
        "A code that stays good lies about on screens and in photos, and one that is good twice lets in whoever reads "
        "over a shoulder. This one is good for ten minutes and for one device.",
        _stale_code,
    ),
    Scenario(
        "lost_phone_pairs_again",
        "Pairing that brings a revoked key back undoes the revocation for whoever finds the phone and a screen that is "
        "left open. The key stays out; the phone comes back under another one.",
        _lost_phone_pairs_again,
    ),
)
