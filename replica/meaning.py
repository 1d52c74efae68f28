"""Say of a batch of ops what each of them says, and which cells it names.

Both follow from the op alone and from what is understood here, so a simulation of many replicas in one process works
them out once for all of them.
"""

from collections.abc import Sequence

from replica.ops import Body, Op
from replica.rows import Understood, body_of
from replica.state.cells import Key
from replica.state.fold import keys_of

Meaning = tuple[Body | None, Sequence[Key]]
"""What an op says, or None where it is not to be folded; and the cells that folding it reads or writes."""


def meanings_of(ops: Sequence[Op], understood: Understood) -> list[Meaning]:
    """Return the meaning of each of some ops."""
    return [meaning_of(op, understood) for op in ops]


def meaning_of(op: Op, understood: Understood) -> Meaning:
    """Return what an op says, and the cells that it names."""
    body = body_of(op, understood)
    return (None, ()) if body is None else (body, keys_of(op, body))
