"""Notice that this machine is in another network than a moment ago, or was asleep.

TCP finds out late: a connection whose address is gone looks quiet for minutes. So the machine's own addresses and both
clocks are looked at every few seconds, which takes half a millisecond: the wall clock goes on while a machine sleeps,
the one by which the program waits does not. Only the look is done here; what follows is the syncer's to do.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

# How long a device may take to come back after its network did; an announcement takes as long.
LOOK_SECONDS: Final = 3.0
# More than a busy machine is late, and more than a clock is corrected by in one step, as a rule.
SLEPT_SECONDS_MIN: Final = 10.0


class Change(Enum):
    """What is different from the last look."""

    NOTHING = auto()
    ADDRESSES = auto()
    """Addresses came or went: some links may have lost theirs."""
    SLEPT = auto()
    """The machine was asleep: every link is in doubt."""


@dataclass(slots=True)
class Looks:
    """What was seen last."""

    addresses: frozenset[str]
    wall_seconds: float
    seconds: float

    def look(self, addresses: frozenset[str], *, wall_seconds: float, seconds: float) -> Change:
        """Say what has changed since the last look."""
        slept = (wall_seconds - self.wall_seconds) - (seconds - self.seconds)
        moved = addresses != self.addresses
        self.addresses, self.wall_seconds, self.seconds = addresses, wall_seconds, seconds
        if slept >= SLEPT_SECONDS_MIN:
            return Change.SLEPT
        return Change.ADDRESSES if moved else Change.NOTHING
