"""Hostile edits: updates made by hand, on which the text library spins or panics, or which hold it up for long."""

from collections.abc import Mapping
from random import Random
from typing import Final

from replica.codec import SALT_BYTES, encode_payload
from replica.evidence import Fault
from replica.ids import MemoryId
from replica.ops import Edit, OpKind
from replica.state.cells import memory_key
from replica.state.memories import MemoryCell, document_of
from simulations.crafting import craft
from simulations.device import Device
from simulations.hostile.behaviour import Behaviour, hand
from simulations.world import World

# Once met, they froze a device until it was killed: runs from places that are not there, numbers beyond all bounds,
# gaps without end. The last one deletes one letter after the other, the last one first.
_UPDATES: Final = tuple(
    bytes.fromhex(each)
    for each in (
        "0101b9600101010474657874808080800800",
        "0101b9600101010474657874ffffffff0f00",
        "0101b960010080808080802000",
        "0101b960010101047465787480808080802000",
        "000105036301620161016001",
    )
)


def _crooked(world: World, hostile: Device, victim: Device, random: Random) -> bool:
    # Of what was erased, whoever knows of it drops the words unread: there is nothing to judge.
    rids = [rid for rid in world.memo.rids if rid not in world.proven]
    rid = MemoryId(random.choice(rids or [bytes(16)]))
    cell = hostile.core.store.load([memory_key(rid)]).get(memory_key(rid))
    shows = isinstance(cell, MemoryCell) and cell.adds
    base = document_of(rid, cell)[0] if shows and isinstance(cell, MemoryCell) else b"8 bytes."
    frame = craft(
        hostile,
        feed=f"{hostile.name} edits",
        kind=OpKind.EDIT,
        version=1,
        rid=rid,
        payload=encode_payload(random.randbytes(SALT_BYTES), Edit(base, random.choice(_UPDATES))),
        hlc=world.stamp(hostile),
    )
    return hand(world, hostile, victim, [frame], sound=False)


BEHAVIOURS: Final[Mapping[str, Behaviour]] = {
    "crooked updates": Behaviour("signs edits that no text library may meet", _crooked, Fault.CROOKED_OP)
}
