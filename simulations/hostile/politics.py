"""Hostile politics: a member introduces strangers, speaks through them, revokes the others, and claims to be the root.

In the worlds where that is played, the group has a founder, and half of them a recovery code on paper. In the end
somebody puts the group right, as a person would (`restore`): the founder, or whoever holds the paper. From then on no
act of a bad device counts with anybody, and whoever was honest belongs to the group (`simulations.checkers.politics`).
"""

import copy
from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from replica.codec import SALT_BYTES, encode_payload
from replica.ids import DeviceId, new_memory_id
from replica.membership import IntroducedMember, Revocation, introduce, name_root, revoke, revoking
from replica.ops import OpKind, Remember
from simulations.crafting import craft
from simulations.device import Device, Key, certificate_of
from simulations.hostile.behaviour import Behaviour, hand, mingle, speak
from simulations.household import Household, Restored
from simulations.world import World
from sync.wire.messages import Trust, encode_message

# Enough that some introduce others; not so many that a world grows by them alone.
_PUPPETS_AT_ONCE: Final = 3
_PUPPETS_MAX: Final = 12
_BELOW_ANOTHER: Final = 0.4


def tell(
    world: World,
    hostile: Device,
    victim: Device,
    members: Iterable[IntroducedMember] = (),
    revocations: Iterable[Revocation] = (),
) -> bool:
    """Say these things about the group on a link."""
    parts = Trust(tuple(members), tuple(revocations), ()).parts()
    return speak(world, hostile, victim, [encode_message(each) for each in parts])


def bad_devices(world: Household) -> frozenset[DeviceId]:
    """Return all hostile devices, and whom they made up."""
    return frozenset(key.device for each in world.hostiles for key in (each.key, *each.puppets))


def founds(world: World, random: Random) -> list[IntroducedMember]:
    """Return the acts by which the first device of a world founds its group, and in half of them prints a code."""
    first = world.devices[0]
    own = name_root(first.key.private.sign, first.key.device, public_key=first.key.public, name=first.name)
    if random.random() < 0.5:
        return [own]
    world.code = code = Key.draw(random)
    sign = code.private.sign
    return [
        own,
        name_root(sign, code.device, public_key=code.public, name="the code"),
        name_root(first.key.private.sign, first.key.device, public_key=code.public, name="the code"),
        _introduction(code, first.key, first.name),
    ]


def restore(world: World) -> Restored | None:
    """Let the founder, or somebody with the code, revoke all bad devices that are known there; None if nobody can.

    That is so where the founder turned, or lost all it knew, or somebody has revoked it, and there is no code; and
    where whoever could is known to the bad device alone, through which it was paired: a person pairs it again first.
    """
    random = Random(f"{world.options.seed} restore")
    wanted = [each for each in world.devices if each.key.device not in world.decided]
    able = [each for each in wanted if _is_known(each, wanted)]
    hands = [
        (each, each.key)
        for each in able
        if each.key.device == world.founder
        and each.key.device in each.core.membership.standing
        and each.core.membership.root
        is not None  # wiped, and told nothing since, its word is one among equals
    ][:1]
    code = world.code
    if code is not None:
        holders = [each for each in able if each.core.membership.root == code.device]
        hands += [(each, code) for each in random.sample(holders, min(1, len(holders)))]
    if not hands:
        return None
    holder, key = random.choice(hands)
    group = holder.core.membership
    known = [each for each in wanted if each.core.membership.root == group.root]
    kept = frozenset({each.key.device for each in known} & group.members.keys())
    gone = sorted(bad_devices(world) & group.members.keys())
    acts = revoking(group, key.private.sign, key.device, gone, undo=True, keep=sorted(kept))
    if not world.attempt(holder, lambda: holder.core.learn(*acts)):
        return None
    world.say(
        holder.name, "restores", f"without {len(gone)}, {'by the code' if key is code else 'its founder'}"
    )
    world.count("groups put right")
    _look_around(world, wanted, kept)
    return Restored(holder, kept & _meeting(holder, known, _undisputed(world, known, key.device)))


def _is_known(device: Device, wanted: list[Device]) -> bool:
    """Whether somebody of its group knows the device, so that what it decides can be heard."""
    root = device.core.membership.root
    others = [each for each in wanted if each is not device and each.core.membership.root == root]
    return not others or any(device.key.device in each.core.membership.members for each in others)


def _undisputed(world: World, known: list[Device], root: DeviceId) -> frozenset[DeviceId]:
    """Return whom all acts of honest devices let in, whoever has heard of which: from the root down, and none revoked.

    What two honest devices decided against each other is theirs to settle; so is whom a person kept out by revoking
    somebody together with all that it did.
    """
    groups, bad = [each.core.membership for each in known], bad_devices(world)
    revoked = {each.device for group in groups for each in group.revocations if each.by not in bad} | bad
    introductions = {(each.device, each.introduced_by) for group in groups for each in group.told()}
    sure, before = {root}, 0
    while len(sure) > before:
        before = len(sure)
        sure |= {device for device, by in introductions if by in sure and device not in revoked}
    return frozenset(sure)


def _meeting(holder: Device, known: list[Device], sure: frozenset[DeviceId]) -> frozenset[DeviceId]:
    """Return who hears of it: each knows, and is known to, another that does. A person has to pair the rest again."""
    if holder.key.device not in sure:
        return frozenset({holder.key.device})
    met, waiting = {holder.key.device}, [holder]
    while waiting:
        one = waiting.pop()
        for other in known:
            device, knows = other.key.device, other.core.membership.members
            if device in sure - met and device in one.core.membership.members and one.key.device in knows:
                met.add(device)
                waiting.append(other)
    return frozenset(met)


def _look_around(world: World, wanted: list[Device], kept: frozenset[DeviceId]) -> None:
    """Let people revoke the strangers that they see on their own devices, too.

    Whoever puts the group right may never have heard of those: they were paired where somebody holds it for revoked.
    """
    for device in wanted:
        group = device.core.membership
        if seen := sorted(bad_devices(world) & group.standing):
            keep = sorted(kept & group.members.keys())
            acts = revoking(group, device.key.private.sign, device.key.device, seen, undo=True, keep=keep)
            world.attempt(device, lambda device=device, acts=acts: device.core.learn(*acts))  # type: ignore[misc]


def hear_out(caller: Device, answers: Device) -> None:
    """Let a device call one that holds it for revoked: it hears that and no more (`sync.revocation_notice`)."""
    ours, theirs = caller.core.membership, answers.core.membership
    if answers.key.device not in ours.standing or caller.key.device not in theirs.members:
        return
    answers.core.learn(ours.told(), ours.revocations, by=caller.key.device)
    caller.core.learn([], answers.core.membership.grounds(caller.key.device), by=answers.key.device)


def _introduction(by: Key, of: Key, name: str) -> IntroducedMember:
    return introduce(
        by.private.sign, by.device, public_key=of.public, certificate=certificate_of(of.private), name=name
    )


def _hands(hostile: Device) -> list[Key]:
    """Return every key that a hostile device signs with."""
    return [hostile.key, *hostile.puppets]


def _new_puppets(world: World, hostile: Device, random: Random) -> list[IntroducedMember]:
    made = []
    for _ in range(min(_PUPPETS_AT_ONCE, _PUPPETS_MAX - len(hostile.puppets))):
        by = random.choice(_hands(hostile)) if random.random() < _BELOW_ANOTHER else hostile.key
        puppet = Key.draw(random)
        world.guilty.add(puppet.device)
        hostile.puppets.append(puppet)
        made.append(_introduction(by, puppet, f"puppet {len(hostile.puppets)}"))
    return made


def _introduces(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    return tell(world, hostile, victim, _new_puppets(world, hostile, random))


def _speaks_through_others(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Let somebody who was made up write a memory: whoever takes it must be able to pass it on to everybody."""
    made = _new_puppets(world, hostile, random)
    if not world.attempt(hostile, lambda: hostile.core.learn(made, [])) or not hostile.puppets:
        return False
    mouth = copy.copy(hostile)
    mouth.key = random.choice(hostile.puppets)
    if mouth.key.device not in hostile.core.membership.members:
        return mingle(world, hostile, victim)
    now = hostile.now(world.now_ms)
    body = Remember(f"{world.memo.word(hostile.name)} of somebody made up", {})
    frame = craft(
        mouth,
        feed=f"puppet {random.random()}",
        kind=OpKind.REMEMBER,
        version=1,
        rid=new_memory_id(now, random),
        payload=encode_payload(random.randbytes(SALT_BYTES), body),
        hlc=world.stamp(hostile),
    )
    return hand(world, hostile, victim, [frame], sound=True)


def _revokes(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Revoke somebody honest, the victim perhaps, by its own key or one that it made up."""
    by, target = random.choice(_hands(hostile)), world.pick(random).key.device
    return tell(world, hostile, victim, (), [revoke(by.private.sign, by.device, target)])


def _claims_the_root(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Say that it is the root, that the root handed its place on to it, and that it brings in whom the root did."""
    by, own = random.choice(_hands(hostile)), hostile.key
    other = world.pick(random)
    return tell(
        world,
        hostile,
        victim,
        [
            name_root(own.private.sign, own.device, public_key=own.public, name=hostile.name),
            name_root(by.private.sign, by.device, public_key=own.public, name=hostile.name),
            _introduction(own, other.key, other.name),
        ],
    )


def _signs_for_others(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Introduce and revoke in another's name: nobody may take that."""
    other, target = world.pick(random).key, world.pick(random).key.device
    puppet, sign = Key.draw(random), hostile.key.private.sign
    member = _introduction(hostile.key, puppet, "forged")._replace(introduced_by=other.device)
    forged = [name_root(sign, other.device, public_key=hostile.key.public, name="forged")]
    revocation = revoke(sign, other.device, target)
    heard = tell(world, hostile, victim, [*forged, member], [revocation])
    known = victim.core.membership
    took_root = known.root == hostile.key.device and known.root not in world.founded | {world.founder}
    if puppet.device in known.members or revocation in known.revocations or took_root:
        world.violate("politics", f"{victim.name} took what {hostile.name} signed in another's name")
    return heard


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "introduces strangers": Behaviour("introduces devices that nobody has", _introduces),
    "speaks through others": Behaviour("writes as devices that it made up", _speaks_through_others),
    "revokes": Behaviour("revokes honest devices", _revokes),
    "claims the root": Behaviour("says that it founded the group", _claims_the_root),
    "signs for others": Behaviour("introduces and revokes in another's name", _signs_for_others),
}
