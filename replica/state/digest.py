"""Summarise state in 32 bytes that change with it, a cell at a time.

A set hash: the sum, modulo 2^256, of the SHA-256 of every element (AdHash: Bellare and Micciancio, 1997). Adding or
taking away an element costs one hash, whatever the size of the set, and order does not matter. It detects divergence
between members who trust each other; it is not meant to resist a member who crafts collisions.

Two digests. The *digest* is over what shows (texts, fields, counts, edges, settings, claims, lessons), without dots,
origins or arrival data, so that two devices that were told the same things agree even if each was told separately. The
*state digest* is over dots, tombstones, ops not folded yet and the frontier: what sync must make equal.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from replica.codec import by_name, pack
from replica.ids import Origin
from replica.state.cells import Cell, CellKind, Key, Lesson, Proposal, Receipts, TellingLink
from replica.state.memories import BareMemory, Memory, MemoryCell
from replica.state.register import Dot, winner

_MODULUS: Final = 1 << 256
EMPTY: Final = 0
_MEMORY: Final = int(CellKind.MEMORY)


def reduced(total: int) -> int:
    """Return the set hash that a sum of elements, some of them negative, comes to."""
    return total % _MODULUS


def element(plain: Any) -> int:
    """Return the number that stands for one element in a set hash."""
    return int.from_bytes(hashlib.sha256(pack(plain)).digest())


def elements(
    key: Key, cell: Cell, memory: Memory | None, origin_of: Callable[[int], Origin]
) -> tuple[int, int]:
    """Return what a cell adds to the digest, and what to the state digest."""
    return visible_element(key, cell, memory), state_element(key, cell, origin_of)


def visible_element(key: Key, cell: Cell, memory: Memory | None) -> int:
    """Return what a cell adds to the digest, 0 where nothing of it shows; `memory` is what shows of a memory cell."""
    match cell:
        case Proposal() | Receipts() | TellingLink():
            return 0
        case dict() if (
            key.part is CellKind.SAME_SLOT
        ):  # it names ops, and two devices that were told alike have others
            return 0
        case Lesson():
            return element([key.part, cell.rid, [list(amount) for amount in cell.amounts]])
        case MemoryCell():
            assert memory is not None
            fields = memory.fields
            named = [[name, by_name(fields[name])] for name in sorted(fields)] if fields else []
            plain: list[Any] = [key.part, key.name, memory.text, named]
            if memory.accesses or cell.claims or cell.triggers:
                plain += [
                    memory.accesses,
                    _visible_claims(cell),
                    sorted(
                        [trigger, held.status, held.raised[1], list(held.raised[2])]
                        for trigger, held in cell.triggers.items()
                    ),
                ]
            return element(plain)
        case _:
            value = winner(cell)[2] if cell else None
            return 0 if value is None else element([key.part, key.name, by_name(value)])


def state_element(key: Key, cell: Cell, origin_of: Callable[[int], Origin]) -> int:
    """Return what a cell adds to the state digest: its dots, by names that all replicas share."""
    if isinstance(cell, MemoryCell):
        plain: list[Any] = [key.part, key.name, _named(cell.adds, origin_of)]
        if cell.fields or cell.claims or cell.labels:
            plain += [
                [[name, _named(cell.fields[name], origin_of)] for name in sorted(cell.fields)],
                _named(cell.claims, origin_of),
                [
                    [_name(dot, origin_of), _named(cell.verdicts[dot], origin_of)]
                    for dot in sorted(cell.verdicts, key=lambda dot: _name(dot, origin_of))
                ],
            ]
        if cell.labels:
            off = cell.untagged
            plain += [
                [[label, _named(cell.labels[label], origin_of)] for label in sorted(cell.labels)],
                sorted([*_name(dot, origin_of), list(off[dot])] for dot in off),
            ]
        return element(plain)
    if isinstance(cell, Proposal | Lesson | TellingLink):
        return element([key.part, key.name])
    if isinstance(cell, Receipts):
        return element([key.part, key.name, sorted(cell.devices)])
    return element([key.part, key.name, _named(cell, origin_of)])


def added_elements(added: Iterable[BareMemory], origin_of: Callable[[int], Origin]) -> tuple[int, int]:
    """Return what the cells of these memories add to the digest, and what to the state digest."""
    visible: list[bytes] = []
    state: list[bytes] = []
    origins: dict[int, Origin] = {}
    sha256 = hashlib.sha256  # by the hundred thousand, `element` takes a third longer
    for rid, (feed, seq, id8), (_, text, fields) in added:
        if feed not in origins:
            origins[feed] = origin_of(feed)
        device, incarnation = origins[feed]
        named: Sequence[tuple[str, Any]] = sorted(fields.items()) if fields else ()
        if dict in map(type, fields.values()):
            named = [(name, by_name(value)) for name, value in named]
        visible.append(sha256(pack((_MEMORY, rid, text, named))).digest())
        state.append(sha256(pack((_MEMORY, rid, ((device, incarnation, seq, id8),)))).digest())
    return sum(map(int.from_bytes, visible)), sum(map(int.from_bytes, state))


def _named(dots: Iterable[Dot], origin_of: Callable[[int], Origin]) -> list[list[Any]]:
    names = [[*origin_of(feed), seq, id8] for feed, seq, id8 in dots]
    if len(names) > 1:
        names.sort()
    return names


def _name(dot: Dot, origin_of: Callable[[int], Origin]) -> list[Any]:
    return [*origin_of(dot.feed), dot.seq, dot.id8]


def tombstone_element(rid: bytes) -> int:
    """Return what a tombstone adds to the state digest."""
    return element([CellKind.MEMORY, rid])


def _visible_claims(cell: MemoryCell) -> list[Any]:
    shown: set[tuple[str, str, str, bool]] = set()
    for dot, claim in cell.claims.items():
        verdicts = cell.verdicts.get(dot, {})
        hidden = bool(verdicts) and not any(keep for _, keep in verdicts.values())
        shown.add((claim.entity, claim.relation, claim.value, hidden))
    return sorted([*item] for item in shown)
