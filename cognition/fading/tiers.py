"""Say where a memory stands: hot, warm or cold. Pure; computed whenever it is shown, written never.

Cold is what a person archived or a summary stands for: it is left out of a recall unless cold memories are asked for.
Hot is what is pinned, or within the first half-life since it was told or last recalled. All else is warm, however
faint: what fades sinks in the ranking, but never goes where a plain question cannot find it.
"""

import math
import sqlite3
from collections import Counter
from typing import Final, Literal

from cognition.decay import TYPE_DEFAULT, DecayProfile, Life
from cognition.filters import TIME
from replica import Memory

Tier = Literal["hot", "warm", "cold"]
# One half-life.
HOT_MIN: Final = 0.5


# The moments of a `Life` in SQL, of a memory `m`.
_MOMENTS: Final = {
    "told_ms": TIME,
    "updated_ms": "m.updated >> 16",
    "last_access_ms": "CASE WHEN m.last_access BETWEEN 1 AND :now THEN m.last_access END",
}


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
    of_type = " ".join(f"WHEN '{name}' THEN {each!r}" for name, each in profile.half_lives_s.items())
    # Where there is none it is NULL, and a memory is hot: nothing fades.
    latest = "max({0})" if len(profile.moments) > 1 else "{0}"
    since = latest.format(", ".join(f"ifnull({_MOMENTS[name]}, -1e18)" for name in profile.moments))
    rows = connection.execute(
        f"""SELECT tier, count(*), max(id) FROM (
            SELECT m.id, CASE
                WHEN x.id IS NOT NULL OR m.archived THEN 'cold'
                WHEN m.pinned THEN 'hot'
                WHEN {since} = -1e18 THEN 'hot'
                WHEN (:now - {since}) / 1000.0 <= ifnull(nullif(m.half_life, 0),
                    CASE m.type {of_type} ELSE {profile.half_lives_s[TYPE_DEFAULT]!r} END) THEN 'hot'
                ELSE 'warm' END AS tier
            FROM shown_memory m LEFT JOIN summary_member x ON x.id = m.id WHERE m.id > :after ORDER BY m.id LIMIT :limit
        ) GROUP BY tier""",
        {"now": now_ms, "after": after, "limit": limit},
    ).fetchall()
    counts: Counter[Tier] = Counter({tier: count for tier, count, _ in rows})
    return counts, max((last for _, _, last in rows), default=None)


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
