"""Show the claims of memories in a table, so that whoever compares them need not open cells.

One row a claim, under the number of the memory it was taken from. `claim` is the short id of the op that made it, by
which other claims name it in `replaces` (short ids, one after the other); `verdicts` holds the heads of the register of
resolutions on it. Which claims contradict each other is not decided here.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from replica.codec import pack, unpack
from replica.ids import ID8_BYTES
from replica.state.memories import MemoryCell
from replica.storage.of_memories import shown_rows, write_rows

_COLUMNS: Final = "claim, feed, seq, hlc, entity, relation, value, valid_from, replaces, verdicts"
_SELECT: Final = ", ".join(f"c.{name}" for name in _COLUMNS.split(", "))


class ShownVerdict(NamedTuple):
    """One head of a claim's register: who resolved (as an op of which feed), when, and to which end."""

    feed: int
    seq: int
    op: bytes
    hlc: int
    keep: bool


class ShownClaim(NamedTuple):
    """One row of the claim table. `claim` and `replaces` are short ids of ops."""

    id: int
    claim: bytes
    feed: int
    seq: int
    hlc: int
    entity: str
    relation: str
    value: str
    valid_from: int | None
    replaces: tuple[bytes, ...]
    verdicts: tuple[ShownVerdict, ...]


def read_claims(connection: sqlite3.Connection, where: str, values: Sequence[Any] = ()) -> list[ShownClaim]:
    """Return the claims `c` that a join and a condition let through; `c` has the columns of the view `shown_claim`."""
    rows = connection.execute(f"SELECT c.id, {_SELECT} FROM claim c {where}", values)
    return [
        ShownClaim(
            number,
            claim,
            feed,
            seq,
            hlc,
            entity,
            relation,
            value,
            valid_from,
            tuple(replaces[at : at + ID8_BYTES] for at in range(0, len(replaces), ID8_BYTES)),
            tuple(ShownVerdict(*verdict) for verdict in unpack(verdicts)) if verdicts else (),
        )
        for number, claim, feed, seq, hlc, entity, relation, value, valid_from, replaces, verdicts in rows
    ]


def write_claims(
    connection: sqlite3.Connection, stale: Sequence[tuple[int]], cells: Sequence[tuple[int, MemoryCell]]
) -> None:
    """Follow a batch: see `write_rows`."""
    write_rows(connection, "claim", _COLUMNS, claim_rows, stale, cells)


def claim_rows(cell: MemoryCell) -> Iterator[tuple[Any, ...]]:
    """Return a cell's claims as columns, without the number of the memory."""
    for dot, claim in cell.claims.items():
        heads = cell.verdicts.get(dot, {})
        verdicts = sorted([*head, hlc, keep] for head, (hlc, keep) in heads.items())
        yield (
            dot.id8,
            dot.feed,
            dot.seq,
            claim.hlc,
            claim.entity,
            claim.relation,
            claim.value,
            claim.valid_from,
            b"".join(place.id8 for place in claim.replaces),
            pack(verdicts) if verdicts else b"",
        )


def shown_claims(connection: sqlite3.Connection) -> dict[bytes, set[tuple[Any, ...]]]:
    """Return the whole table by memory, as `claim_rows` has it, to be checked against the cells."""
    return shown_rows(connection, "claim", _COLUMNS)
