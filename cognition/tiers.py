"""Say where a memory stands: hot, warm or cold. Pure; computed whenever it is shown, written never.

Cold is what a person archived or a summary stands for: it is left out of a recall unless cold memories are asked for.
Hot is what is pinned, or within the first half-life since it was told or last recalled. All else is warm, however
faint: what fades sinks in the ranking, but never goes where a plain question cannot find it.
"""

from typing import Final, Literal

from cognition.decay import PROFILE_DEFAULT, PROFILES, Life, Profile
from replica import Memory

Tier = Literal["hot", "warm", "cold"]
# One half-life.
HOT_MIN: Final = 0.5


def tier(
    memory: Memory, *, stands_under_summary: bool, now_ms: int, profile: Profile = PROFILES[PROFILE_DEFAULT]
) -> Tier:
    """Return where a memory stands at a time."""
    if stands_under_summary or memory.fields.get("archived"):
        return "cold"
    if memory.fields.get("pinned") or profile(life_of(memory, now_ms), now_ms) >= HOT_MIN:
        return "hot"
    return "warm"


def life_of(memory: Memory, now_ms: int) -> Life:
    """Return what a memory's strength depends on; a recall that a wrong clock stamped ahead of now does not count."""
    return Life(
        memory.fields.get("type"),
        memory.created >> 16,
        memory.updated >> 16,
        memory.last_access if 0 < memory.last_access <= now_ms else None,
        memory.fields.get("half_life"),
    )
