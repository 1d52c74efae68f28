"""Say of a batch of ops what each of them says, and which cells it names.

Both follow from the op alone and from what is understood here, so a simulation of many replicas in one process works
them out once for all of them.
"""

from collections.abc import Sequence
from typing import Final

from replica.codec import decode_remembers
from replica.ops import Body, Op, OpKind
from replica.rows import Understood, body_of
from replica.state.cells import Key, memory_key
from replica.state.fold import keys_of

Meaning = tuple[Body | None, Sequence[Key]]
"""What an op says, or None where it is not to be folded; and the cells that folding it reads or writes."""

_NOTHING: Final[Meaning] = (None, ())
_REMEMBER: Final = OpKind.REMEMBER  # to look a member up in its enum takes as long as to compare with it


def meanings_of(ops: Sequence[Op], understood: Understood) -> list[Meaning]:
    """Return the meaning of each of some ops; those that add memories, nearly all, are read together."""
    newest = understood.get(_REMEMBER, 0)
    meanings: list[Meaning] = [_NOTHING] * len(ops)
    added: list[tuple[int, bytes, bytes]] = []
    for i, op in enumerate(ops):
        if op.kind != _REMEMBER:
            meanings[i] = meaning_of(op, understood)
        elif op.payload is not None and op.rid is not None and op.version <= newest:
            added.append((i, op.rid, op.payload))
    bodies = decode_remembers([payload for _, _, payload in added])
    for (i, rid, _), body in zip(added, bodies, strict=True):
        if body is not None:
            meanings[i] = body, (memory_key(rid),)
    return meanings


def meaning_of(op: Op, understood: Understood) -> Meaning:
    """Return what an op says, and the cells that it names."""
    body = body_of(op, understood)
    return _NOTHING if body is None else (body, keys_of(op, body))
