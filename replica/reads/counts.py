"""Count what shows, and what the log holds."""

import sqlite3

from replica.ids import MemoryId
from replica.oplog import FoldStatus
from replica.reads.devices import WRITERS


def count_tellings(connection: sqlite3.Connection) -> int:
    """Return how many memories show, without the facts that were taken from others."""
    ((count,),) = connection.execute("SELECT count(*) FROM memory WHERE parent IS NULL")
    return int(count)


def count_memories(connection: sqlite3.Connection) -> int:
    """Return how many memories show, facts included."""
    ((count,),) = connection.execute("SELECT count(*) FROM memory")
    return int(count)


def count_facts(connection: sqlite3.Connection) -> int:
    """Return how many of these memories are facts that were read out of others."""
    ((count,),) = connection.execute("SELECT count(*) FROM memory WHERE parent IS NOT NULL")
    return int(count)


def count_forgotten(connection: sqlite3.Connection) -> int:
    """Return how many memories were forgotten."""
    ((count,),) = connection.execute("SELECT count(*) FROM tombstone")
    return int(count)


def count_edges(connection: sqlite3.Connection) -> int:
    """Return how many edges the graph has."""
    ((count,),) = connection.execute("SELECT count(*) FROM edge")
    return int(count)


def count_ops(connection: sqlite3.Connection) -> int:
    """Return how many ops the log holds."""
    ((count,),) = connection.execute("SELECT count(*) FROM op")
    return int(count)


def count_ops_of(connection: sqlite3.Connection, status: FoldStatus) -> int:
    """Return how many ops of the log have this status."""
    ((count,),) = connection.execute("SELECT count(*) FROM op WHERE status = ?", (status,))
    return int(count)


def payload_bytes(connection: sqlite3.Connection) -> int:
    """Return how many bytes the payloads in the log have, those of erased ops not among them."""
    ((size,),) = connection.execute("SELECT ifnull(sum(length(payload)), 0) FROM op")
    return int(size)


def count_pinned(connection: sqlite3.Connection, *, beside: MemoryId | None) -> int:
    """Return how many memories are pinned and not archived, without one of them."""
    ((count,),) = connection.execute(
        "SELECT count(*) FROM memory WHERE pinned = 1 AND archived IS NOT 1 AND rid IS NOT ?", (beside,)
    )
    return int(count)


def count_by_type(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many memories have each type, in the order of types; those without one are `none`."""
    return dict(connection.execute("SELECT ifnull(type, 'none'), count(*) FROM memory GROUP BY 1 ORDER BY 1"))


def count_by_workspace(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many memories are in each workspace, in the order of names; those in none are under an empty one."""
    return dict(
        connection.execute("SELECT ifnull(workspace, ''), count(*) FROM memory GROUP BY 1 ORDER BY 1")
    )


def count_by_device(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many memories each device told, by its name here, else by its id, in this order."""
    return dict(
        connection.execute(
            f"""SELECT ifnull(p.nickname, ifnull(n.name, hex(f.device))), count(*) FROM memory m
                JOIN feed f ON f.no = m.feed {WRITERS} GROUP BY f.device ORDER BY 1"""
        )
    )
