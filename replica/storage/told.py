"""Keep what was told, one thing after the other, aside until it is shown.

A commit that does nothing but add memories is a row here for each op, with all else that the commit changed: a fsync
waits for one page instead of those of the log, its two indices, the feed and the small facts. Before anything else is
written it goes where it belongs (`move`). That needs no fsync: what a power cut takes back of it is here still.
"""

import sqlite3
from typing import Any, Final, NamedTuple

from replica.codec import pack, unpack
from replica.errors import InvalidOp, StoreCorrupt
from replica.oplog import Changes, LogRow
from replica.rows import values_of

_OP_COLUMNS: Final = ", ".join(LogRow._fields)
_INSERT: Final = f"INSERT INTO op_aside VALUES ({', '.join('?' * len(LogRow._fields))}, ?, ?)"
ALL_OPS: Final = f"(SELECT {_OP_COLUMNS} FROM op UNION ALL SELECT {_OP_COLUMNS} FROM op_aside)"
"""The log with what is kept aside of it, to select from."""


class Aside(NamedTuple):
    """What is kept aside, beside the ops.

    `heads`: of each feed by its number its last seq, the id of the op there, and the packed vector of its writer.
    `meta`: the small facts that are new.
    """

    heads: dict[int, tuple[int, bytes, bytes]]
    meta: dict[str, bytes]


def may_be_kept_aside(changes: Changes) -> bool:
    """Say whether a row for each op can hold what one commit says that does nothing but add memories.

    It says where a feed ends, and cannot begin one.
    """
    (feed,) = changes.feeds
    return changes.entries[0].op.seq > feed.fork + 1


def keep_aside(connection: sqlite3.Connection, changes: Changes) -> None:
    """Write a commit that `may_be_kept_aside`, inside its transaction."""
    (feed,) = changes.feeds
    beside = pack(feed.vector), pack(dict(changes.meta()))
    connection.executemany(_INSERT, [(*values_of(entry), *beside) for entry in changes.entries])


def first_aside(connection: sqlite3.Connection) -> int | None:
    """Return the position of the first op that is kept aside; None if there is none."""
    ((first,),) = connection.execute("SELECT min(pos) FROM op_aside")
    return None if first is None else int(first)


def read_aside(connection: sqlite3.Connection) -> Aside:
    """Return what is kept aside, beside the ops."""
    heads: dict[int, tuple[int, bytes, bytes]] = {}
    meta: dict[str, Any] = {}
    for pos, feed, seq, op_id, vector, facts in connection.execute(
        "SELECT pos, feed, seq, id, vector, meta FROM op_aside ORDER BY pos"
    ):
        heads[feed] = seq, op_id, vector
        try:
            meta.update(unpack(facts))
        except (InvalidOp, TypeError, ValueError) as error:
            raise StoreCorrupt(
                f"expected small facts beside the op that is kept aside for position {pos}, got others ({error})"
            ) from error
    return Aside(heads, meta)


def move(connection: sqlite3.Connection) -> None:
    """Put what is kept aside where it belongs, inside a transaction."""
    heads, meta = read_aside(connection)
    advanced = connection.executemany(
        "UPDATE feed SET seq = ?, head = ?, vector = ? WHERE no = ?",
        [(*head, no) for no, head in heads.items()],
    )
    if heads and advanced.rowcount != len(heads):
        raise StoreCorrupt(f"expected ops that are kept aside to be of feeds held here, got feeds {[*heads]}")
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [*meta.items()])
    try:
        connection.execute(f"INSERT INTO op SELECT {_OP_COLUMNS} FROM op_aside ORDER BY pos")
    except sqlite3.IntegrityError as error:
        raise StoreCorrupt(
            f"expected ops that are kept aside to come behind those of the log, got others ({error})"
        ) from error
    connection.execute("DELETE FROM op_aside")
