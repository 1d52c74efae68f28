"""Show summaries: text, fields and vector of each, computed from the members that stand under it now.

A summary looks like a memory, and is none: no op ever made it, so it can be neither edited nor forgotten by itself.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cognition.consolidation.extract import SummarySource, raised, summarise
from cognition.memories import EACH, IDS_MAX, Shown, read_memories
from replica import DeviceId, Memory, MemoryId

# What a summary says of itself only where all its members say the same.
_COMMON: Final = ("workspace", "speaker", "topic", "project", "domain", "conversation")
# A summary's number among those of memories, which are counted from 1: no store will hold so many.
NUMBERS_FROM: Final = 1 << 40


class Summary(NamedTuple):
    """One summary: its number in its table, how it shows, and its members, the oldest first."""

    no: int
    memory: Memory
    members: tuple[Shown, ...]

    @property
    def rid(self) -> MemoryId:
        """The summary's id."""
        return MemoryId(self.memory.rid)

    @property
    def device(self) -> DeviceId:
        """Who told the oldest of what it says."""
        return self.members[0].device

    @property
    def incarnation(self) -> bytes:
        """In which of its incarnations."""
        return self.members[0].incarnation


def read_summaries(connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[Summary]:
    """Return the summaries of these numbers, in no particular order."""
    for chunk in _chunks(numbers):
        marks = ",".join("?" * len(chunk))
        ids = dict(
            connection.execute(f"SELECT id, summary FROM summary_member WHERE summary IN ({marks})", chunk)
        )
        members: dict[int, list[Shown]] = {}
        for shown in read_memories(connection, ids):
            members.setdefault(ids[shown.id], []).append(shown)
        for no, rid in connection.execute(f"SELECT no, rid FROM summary WHERE no IN ({marks})", chunk):
            yield _summary(no, rid, members[no])


def summary_named(connection: sqlite3.Connection, rid: bytes) -> Summary | None:
    """Return the summary of this id."""
    row = connection.execute("SELECT no FROM summary WHERE rid = ?", (rid,)).fetchone()
    return None if row is None else next(read_summaries(connection, row))


def standing_under(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return, for those memories that stand under a summary, which one."""
    if connection.execute("SELECT 1 FROM summary_member LIMIT 1").fetchone() is None:
        return {}  # as in most small stores: to be told so of hundreds of rows takes ten times as long
    return dict(
        connection.execute(
            f"SELECT id, summary FROM summary_member WHERE id IN ({EACH})", (json.dumps(list(ids)),)
        )
    )


def summary_rids(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, MemoryId]:
    """Return the ids of the summaries of these numbers."""
    return {
        no: MemoryId(rid)
        for no, rid in connection.execute(
            f"SELECT no, rid FROM summary WHERE no IN ({EACH})", (json.dumps(list(numbers)),)
        )
    }


def members_of(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, list[int]]:
    """Return the rows of the members of each of these summaries."""
    found: dict[int, list[int]] = {}
    for chunk in _chunks(numbers):
        for no, number in connection.execute(
            f"""SELECT summary, id FROM summary_member WHERE summary IN ({",".join("?" * len(chunk))})
                ORDER BY summary, id""",
            chunk,
        ):
            found.setdefault(no, []).append(number)
    return found


def summary_rid(connection: sqlite3.Connection, rid: bytes) -> MemoryId | None:
    """Return the id of the summary under which a memory stands."""
    row = connection.execute(
        """SELECT s.rid FROM shown_memory m JOIN summary_member x ON x.id = m.id JOIN summary s ON s.no = x.summary
           WHERE m.rid = ?""",
        (rid,),
    ).fetchone()
    return None if row is None else MemoryId(row[0])


def _summary(no: int, rid: bytes, found: Sequence[Shown]) -> Summary:
    members = sorted(found, key=lambda shown: (shown.memory.created, shown.memory.rid))
    memories = [shown.memory for shown in members]
    fields: dict[str, Any] = {
        name: memories[0].fields[name]
        for name in _COMMON
        if name in memories[0].fields and len({each.fields.get(name) for each in memories}) == 1
    }
    fields["type"] = "semantic"
    fields["importance"] = raised(each.fields.get("importance") for each in memories)
    told = [each.fields["told_at"] for each in memories if "told_at" in each.fields]
    if len(told) == len(memories):
        fields["told_at"] = max(told)
    tags = sorted({tag for each in memories for tag in each.fields.get("tags") or ()})
    if tags:
        fields["tags"] = tags
    memory = Memory(
        rid,
        summarise(map(source_of, memories)).text,
        fields,
        memories[0].created,
        max(each.updated for each in memories),
        memories[0].feed,
        sum(each.accesses for each in memories),
        max(each.last_access for each in memories),
    )
    return Summary(no, memory, tuple(members))


def source_of(memory: Memory) -> SummarySource:
    """Return what a summary takes from a memory."""
    fields: Mapping[str, Any] = memory.fields
    return SummarySource(
        memory.rid, memory.text, memory.created, fields.get("importance"), fields.get("speaker")
    )


def _chunks(numbers: Iterable[int]) -> Iterator[list[int]]:
    wanted = [*numbers]
    for start in range(0, len(wanted), IDS_MAX):
        yield wanted[start : start + IDS_MAX]
