"""Hold one thing that can be overwritten, when several devices may overwrite it at once.

A register holds the writes to it that no other write to it has seen. Its value is that of the one with the highest
(hlc, op id). So a write that knew the other always wins, whatever the clocks say, and stamps decide only between
writes that did not know of each other.

The trap this avoids: "seen wins, else the higher stamp", applied to two writes at a time, is not transitive once a
clock is wrong: three devices can then end with three values. Fold the set of unseen writes, then pick.
"""

from typing import Any, NamedTuple

Vector = dict[int, int]


class Dot(NamedTuple):
    """An op, as this replica's state refers to it: local feed number, seq, first 8 bytes of its id."""

    feed: int
    seq: int
    id8: bytes


Register = dict[Dot, tuple[int, Any]]
"""Heads: the dot of each unseen write, with its stamp and value."""


def saw(vector: Vector, dot: Dot) -> bool:
    """Say whether the writer whose vector this is held the op at `dot`."""
    return vector.get(dot.feed, 0) >= dot.seq


def write(register: Register, dot: Dot, hlc: int, value: Any, vector: Vector) -> Register:
    """Return the register after a write by someone who held what `vector` covers."""
    heads = {head: held for head, held in register.items() if vector.get(head[0], 0) < head[1]}  # not `saw`
    heads[dot] = (hlc, value)
    return heads


def winner(register: Register) -> tuple[Dot, int, Any]:
    """Return the dot, stamp and value of the head that shows; the register must hold one."""
    if len(register) == 1:
        ((dot, (hlc, value)),) = register.items()
        return dot, hlc, value
    dot = max(register, key=lambda head: (register[head][0], head.id8))
    hlc, value = register[dot]
    return dot, hlc, value
