"""Hostile behaviour that needs no knowledge of the product's insides: noise, forgery, and one's own chains misused."""

from collections.abc import Mapping
from random import Random
from typing import Final

from replica.codec import SALT_BYTES, encode_payload
from replica.evidence import Fault
from replica.frame import Frame
from replica.ids import new_memory_id
from replica.ops import OpKind, Remember, Write
from simulations.clock import DAY_MS, HOUR_MS, YEAR_MS
from simulations.crafting import craft, wrong_bodies
from simulations.device import Device
from simulations.hostile.behaviour import Behaviour, hand, hand_raw, mingle, speak
from simulations.world import World
from sync.wire.messages import Ack, Known, Ops, encode_message

# Enough that a device which slowed down with each would show it, few enough for a world to stay quick.
_CHAINS: Final = 12
_STAMPS_MS: Final = (23 * HOUR_MS, 30 * DAY_MS, 90 * YEAR_MS, -90 * YEAR_MS)


def remembering(
    world: World, hostile: Device, random: Random, feed: str, *, ahead_ms: int = 0, text: str = ""
) -> Frame:
    """Sign one memory, on a chain of that name."""
    now = hostile.now(world.now_ms)
    body = Remember(text or f"{world.memo.word(hostile.name)} of a hostile device", {})
    return craft(
        hostile,
        feed=f"{hostile.name} {feed}",
        kind=OpKind.REMEMBER,
        version=1,
        rid=new_memory_id(now, random),
        payload=encode_payload(random.randbytes(SALT_BYTES), body),
        hlc=max(1, world.stamp(hostile) + (ahead_ms << 16)),
    )


def _plays_along(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    now = hostile.now(world.now_ms)
    words = f"{world.memo.word(hostile.name)} as if nothing were wrong"
    world.write(hostile, [Write(Remember(words, {}), new_memory_id(now, random))])
    return mingle(world, hostile, victim)


def _noise(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    noise = (
        random.randbytes(40),
        b"",
        encode_message(Ack(3, ())),
        encode_message(Known(())),
        encode_message(Ops(random.randbytes(30), True)),
    )
    return speak(world, hostile, victim, [random.choice(noise)])


def _forges(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    known = victim.core.membership.members
    others = [each.key.device for each in world.devices if each.key.device in known]
    body = Remember(f"{world.memo.word(hostile.name)} put into another's mouth", {})
    frame = craft(
        hostile,
        feed=f"forged {random.random()}",
        kind=OpKind.REMEMBER,
        version=1,
        rid=new_memory_id(hostile.now(world.now_ms), random),
        payload=encode_payload(random.randbytes(SALT_BYTES), body),
        hlc=world.stamp(hostile),
        author=random.choice(others),
    )
    return hand_raw(world, hostile, victim, [frame])


def _signs_nonsense(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    rid = random.choice(world.memo.rids or [random.randbytes(16)])
    kind, target, payload = wrong_bodies(random, rid)
    stamp = world.stamp(hostile)
    frame = craft(
        hostile,
        feed=f"{hostile.name} nonsense",
        kind=kind,
        version=1,
        rid=target,
        payload=payload,
        hlc=stamp,
    )
    was_heard = hand(world, hostile, victim, [frame], sound=False)
    # Of what was erased, whoever knows of it drops the words unread, and passes on none: there is nothing to judge.
    return was_heard and target not in world.proven


def _chains_of_one(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    frames = [remembering(world, hostile, random, f"chain {random.random()}") for _ in range(_CHAINS)]
    return hand(world, hostile, victim, frames, sound=True)


def _equivocates(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Sign one place twice, and tell each version to somebody else."""
    chain = f"equivocation {random.random()}"
    one, other = (remembering(world, hostile, random, chain) for _ in range(2))
    past, second = hostile.held, random.choice(world.devices)
    heard = hand(world, hostile, victim, [one], sound=True)
    return hand(world, hostile, second, [other], sound=True, past=past) and heard


def _misdates(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    chain = f"misdated {random.random()}"
    frame = remembering(world, hostile, random, chain, ahead_ms=random.choice(_STAMPS_MS))
    return hand(world, hostile, victim, [frame], sound=True)


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "plays along": Behaviour("writes and syncs like anybody", _plays_along),
    "noise": Behaviour("says on a link what the protocol does not allow", _noise, Fault.PROTOCOL),
    "forges": Behaviour("hands over ops in another's name", _forges, Fault.FORGED_OP),
    "signs nonsense": Behaviour("signs ops whose bodies make no sense", _signs_nonsense, Fault.CROOKED_OP),
    "chains of one": Behaviour("begins many chains of one op each", _chains_of_one),
    "equivocates": Behaviour("signs one place of its chain twice, for two devices", _equivocates),
    "misdates": Behaviour("stamps its ops days ahead, or years off", _misdates),
}
