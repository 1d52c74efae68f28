"""Hostile proofs: erasures that nobody can look up, and erasures in another's name."""

from collections.abc import Mapping
from random import Random
from typing import Final

from replica.codec import SALT_BYTES, encode_payload
from replica.erasure import read_proof
from replica.frame import encode_frame
from replica.ids import DeviceId, MemoryId, new_memory_id
from replica.ops import Erase, OpKind
from simulations.crafting import craft
from simulations.device import Device
from simulations.hostile.behaviour import Behaviour, speak
from simulations.world import World
from sync.wire.messages import Trust, encode_message

# Of memories that are there, and of some that never were.
_INVENTED: Final = 3


def _proof(
    world: World,
    hostile: Device,
    rids: tuple[MemoryId, ...],
    random: Random,
    author: DeviceId | None = None,
) -> bytes:
    frame = craft(
        hostile,
        feed=f"proof {random.random()}",
        kind=OpKind.ERASE,
        version=1,
        rid=None,
        payload=encode_payload(random.randbytes(SALT_BYTES), Erase(rids)),
        hlc=world.stamp(hostile),
        author=author,
    )
    return encode_message(Trust((), (), (read_proof(encode_frame(frame)),)))


def _target(world: World, random: Random) -> tuple[MemoryId, ...]:
    rids = sorted({MemoryId(each) for each in world.memo.rids})
    return (random.choice(rids),) if rids else ()


def _without_op(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Erase something, as any member may, and keep the op back for ever: its author is named all the same."""
    invented = [new_memory_id(hostile.now(world.now_ms), random) for _ in range(_INVENTED)]
    rids = tuple(sorted({*_target(world, random), *invented}))
    world.proven.update(rids)
    heard = speak(world, hostile, victim, [_proof(world, hostile, rids, random)])
    by = {proof.author for proof in victim.core.proofs.values() if not rids_apart(proof.rids, rids)}
    if heard and rids[-1] in victim.core.erased and hostile.key.device not in by:
        world.violate("erasure", f"{victim.name} does not know that {hostile.name} erased something")
    return heard


def rids_apart(one: tuple[MemoryId, ...], other: tuple[MemoryId, ...]) -> bool:
    """Whether two erasures have no memory in common."""
    return {*one}.isdisjoint(other)


def _for_others(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    """Hand over a proof in another's name: nothing may be erased by it."""
    rids = _target(world, random)
    if not rids or rids[0] in world.proven:
        return False
    author = world.pick(random).key.device
    heard = speak(world, hostile, victim, [_proof(world, hostile, rids, random, author)])
    if rids[0] in victim.core.erased:
        world.violate("erasure", f"{victim.name} erased {rids[0].hex()[:8]} by a forged proof")
    return heard


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "proves without op": Behaviour("erases by proofs whose ops never come", _without_op),
    "forges proofs": Behaviour("hands over erasures in another's name", _for_others),
}
