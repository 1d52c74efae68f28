"""Decide what is a pattern, from counts. Pure; each miner has its boundary in a test.

Two names *come up together* in more than three memories (YD-65). A *routine* is a part of the week on which
something comes up on four days or more, and at least half of the days on which it comes up at all (YD-66). A *mood*
is a subject whose last eight memories with a feeling all feel the same way, or lead steadily from one end to the
other (YD-67). A *theme* is more than three memories that are like one of them, and have words in common (YD-68). A
*hub* is a name that comes up with five others or more (YD-69), in more than one memory: each name of a long note comes
up with all the others there, and nothing recurs.
"""

from collections.abc import Sequence
from enum import Enum
from itertools import combinations
from typing import Final

TOGETHER_MORE_THAN: Final = 3
ROUTINE_DAYS_MIN: Final = 4
ROUTINE_SHARE_MIN: Final = 0.5
MOOD_WINDOW: Final = 8
# As steady as one in seventy random orders of eight is.
MOOD_STEADINESS_MIN: Final = 0.7
MOOD_RISE_MIN: Final = 0.4
MOOD_LEVEL_MIN: Final = 0.2
THEME_MORE_THAN: Final = 3
THEME_COSINE_ABOVE: Final = 0.7
THEME_WINDOW_DAYS: Final = 30
# Words that half of a theme's memories share: without them they are alike in tone only, as greetings are.
THEME_WORDS_MIN: Final = 2
HUB_DEGREE_MIN: Final = 5
HUB_MEMORIES_MIN: Final = 2
# The memories that a pattern names as its witnesses: the first that came here, so that few have to be looked at.
SHOWN_BY_MAX: Final = 20


class Miner(Enum):
    """What sort of pattern it is; the value is what ops carry, and never changes."""

    TOGETHER = "co_occurrence"
    ROUTINE = "routine"
    MOOD = "mood"
    THEME = "theme"
    HUB = "hub"


def come_together(memories: int) -> bool:
    """Say whether two names come up together often enough."""
    return memories > TOGETHER_MORE_THAN


def is_routine(days_there: int, days: int) -> bool:
    """Say whether a part of the week is a habit: on how many days of it, of how many days in all."""
    return days_there >= ROUTINE_DAYS_MIN and days_there >= ROUTINE_SHARE_MIN * days


def mood(valences: Sequence[float]) -> str | None:
    """Return how a subject's last feelings go, in the order of their times: rising, falling, good, bad, or no way."""
    if len(valences) < MOOD_WINDOW:
        return None
    last = valences[-MOOD_WINDOW:]
    steps = [(later > earlier) - (later < earlier) for earlier, later in combinations(last, 2)]
    steadiness = sum(steps) / len(steps)
    half = MOOD_WINDOW // 2
    rise = sum(last[half:]) / half - sum(last[:half]) / half
    if steadiness >= MOOD_STEADINESS_MIN and rise >= MOOD_RISE_MIN:
        return "rising"
    if steadiness <= -MOOD_STEADINESS_MIN and rise <= -MOOD_RISE_MIN:
        return "falling"
    if all(each >= MOOD_LEVEL_MIN for each in last):
        return "good"
    if all(each <= -MOOD_LEVEL_MIN for each in last):
        return "bad"
    return None


def is_theme(memories: int) -> bool:
    """Say whether enough memories are alike."""
    return memories > THEME_MORE_THAN


def is_hub(degree: int) -> bool:
    """Say whether a name comes up with enough others."""
    return degree >= HUB_DEGREE_MIN
