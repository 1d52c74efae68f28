"""Read the edges of the graph, and the links between memories that say the same."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replica.ids import MemoryId


class ShownEdge(NamedTuple):
    """An edge of the graph; its ends are entities, or ids of memories as they are shown."""

    source: str
    relation: str
    target: str
    weight: float


def edge_weight(connection: sqlite3.Connection, source: str, relation: str, target: str) -> float | None:
    """Return the weight of an edge; None where there is none."""
    row = connection.execute(
        "SELECT weight FROM edge WHERE source = ? AND relation = ? AND target = ?", (source, relation, target)
    ).fetchone()
    return None if row is None else float(row[0])


def all_edges(connection: sqlite3.Connection) -> Iterator[ShownEdge]:
    """Return every edge, in the order of its ends and its relation."""
    rows = connection.execute("SELECT source, relation, target, weight FROM edge ORDER BY 1, 2, 3")
    return (ShownEdge(*row) for row in rows)


def edges_of(connection: sqlite3.Connection, name: str, *, limit: int) -> list[ShownEdge]:
    """Return at most `limit` edges from or to an entity, in the order of their ends and their relation."""
    rows = connection.execute(
        """SELECT source, relation, target, weight FROM edge WHERE source = ?1
           UNION SELECT source, relation, target, weight FROM edge WHERE target = ?1 LIMIT ?2""",
        (name, limit),
    )
    return list(map(ShownEdge._make, rows))


def edges_related(
    connection: sqlite3.Connection, names: Iterable[str], relations: Sequence[str]
) -> list[ShownEdge]:
    """Return the edges of these relations from or to any of these, in the order of their ends and their relation."""
    rows = connection.execute(
        """SELECT source, relation, target, weight FROM edge
            WHERE source IN (SELECT value FROM json_each(?1)) AND relation IN (SELECT value FROM json_each(?2))
            UNION SELECT source, relation, target, weight FROM edge
            WHERE target IN (SELECT value FROM json_each(?1)) AND relation IN (SELECT value FROM json_each(?2))""",
        (json.dumps([*names]), json.dumps([*relations])),
    )
    return list(map(ShownEdge._make, rows))


def edge_stamps(
    connection: sqlite3.Connection, sources: Iterable[str], relations: Sequence[str]
) -> dict[tuple[str, str, str], int]:
    """Return the stamp of the last write of each edge of these relations from any of these."""
    rows = connection.execute(
        """SELECT source, relation, target, hlc FROM edge
           WHERE source IN (SELECT value FROM json_each(?)) AND relation IN (SELECT value FROM json_each(?))""",
        (json.dumps([*sources]), json.dumps([*relations])),
    )
    return {(source, relation, target): hlc for source, relation, target, hlc in rows}


def edges_stamped(
    connection: sqlite3.Connection, first_hlc: int, last_hlc: int
) -> dict[tuple[str, str, str], int]:
    """Return the stamp of the last write of each edge that was written in this range, both ends in it."""
    rows = connection.execute(
        "SELECT source, relation, target, hlc FROM edge WHERE hlc BETWEEN ? AND ?", (first_hlc, last_hlc)
    )
    return {(source, relation, target): hlc for source, relation, target, hlc in rows}


def neighbours_of(connection: sqlite3.Connection, names: Sequence[str], *, limit: int) -> list[str]:
    """Return at most `limit` names that an edge connects with any of these, in their order."""
    if connection.execute("SELECT 1 FROM edge LIMIT 1").fetchone() is None:
        return []  # as in most stores: to look up each name twice takes as long as many a search
    marks = ",".join("?" * len(names))
    rows = connection.execute(
        f"""SELECT target FROM edge WHERE source IN ({marks})
            UNION SELECT source FROM edge WHERE target IN ({marks}) ORDER BY 1 LIMIT ?""",
        (*names, *names, limit),
    )
    return [name for (name,) in rows]


class ShownLink(NamedTuple):
    """Two memories that say the same, and how sure that is."""

    one: MemoryId
    other: MemoryId
    sureness: int


def all_links(connection: sqlite3.Connection) -> Iterator[ShownLink]:
    """Return every link between two memories that show, in the order of their ids."""
    rows = connection.execute(
        """SELECT s.one, s.other, s.sureness FROM says_same s JOIN memory a ON a.rid = s.one
           JOIN memory b ON b.rid = s.other ORDER BY 1, 2, 3"""
    )
    return (ShownLink(MemoryId(one), MemoryId(other), sureness) for one, other, sureness in rows)
