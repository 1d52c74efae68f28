"""Say where a memory stands: hot, warm or cold. Pure; computed whenever it is shown, written never.

Cold is what a person archived or a summary stands for: it is left out of a recall unless cold memories are asked for.
Hot is what is pinned, or within the first half-life since it was told or last recalled. All else is warm, however
faint: what fades sinks in the ranking, but never goes where a plain question cannot find it.
"""

import math
import sqlite3
from collections import Counter
from typing import Final, Literal

from cognition.decay import DecayProfile, Life
from replica import Memory

Tier = Literal["hot", "warm", "cold"]
# One half-life.
HOT_MIN: Final = 0.5


# What decides where a memory stands, and no text.
_PAGE: Final = """SELECT m.id, x.id IS NOT NULL, m.rid, m.created, m.updated, m.last_access,
    m.type, m.half_life, m.pinned, m.archived, m.told_at
    FROM shown_memory m LEFT JOIN summary_member x ON x.id = m.id WHERE m.id > ? ORDER BY m.id LIMIT ?"""


def tier(memory: Memory, *, stands_under_summary: bool, now_ms: int, profile: DecayProfile) -> Tier:
    """Return where a memory stands at a time, as it fades by the device's profile."""
    if stands_under_summary or memory.fields.get("archived"):
        return "cold"
    if memory.fields.get("pinned") or profile(life_of(memory, now_ms), now_ms) >= HOT_MIN:
        return "hot"
    return "warm"


def count_tiers(
    connection: sqlite3.Connection, after: int, limit: int, *, now_ms: int, profile: DecayProfile
) -> tuple[Counter[Tier], int | None]:
    """Count where a page of memories stand, from the row after one on; and say which was the last, if there was any."""
    counts: Counter[Tier] = Counter()
    rows = connection.execute(_PAGE, (after, limit)).fetchall()
    for _, under, rid, created, updated, last_access, *held in rows:
        fields = dict(zip(("type", "half_life", "pinned", "archived", "told_at"), held, strict=True))
        memory = Memory(rid, "", fields, created, updated, 0, 0, last_access)
        counts[tier(memory, stands_under_summary=bool(under), now_ms=now_ms, profile=profile)] += 1
    return counts, rows[-1][0] if rows else None


def told_ms(memory: Memory) -> int:
    """Return when a memory was told, and not when it was brought in: recency and strength run by one clock."""
    told_at = memory.fields.get("told_at")
    return told_at if isinstance(told_at, int) else memory.created >> 16


def life_of(memory: Memory, now_ms: int) -> Life:
    """Return what a memory's strength depends on; a recall that a wrong clock stamped ahead of now does not count."""
    return Life(
        memory.fields.get("type"),
        told_ms(memory),
        memory.updated >> 16,
        memory.last_access if 0 < memory.last_access <= now_ms else math.nan,
        memory.fields.get("half_life"),
    )
