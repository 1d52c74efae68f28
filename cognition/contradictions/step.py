"""The first step of thinking: tell of the contradictions that came up, or were settled, since the last cycle.

They are found where claims are folded, in every commit and every sync, so there is nothing to search for here, and what
the step costs is in proportion to what is new. It is first so that what follows sees them: memories that contradict
each other are not consolidated into one.
"""

import sqlite3
from typing import Final

from cognition.thinking.cycle import StepOutcome
from replica import Core, transaction

# Records told of in one call; a cycle calls again while there are more.
PAGE: Final = 500


class ContradictionStep:
    """A `cognition.thinking.cycle.Step`."""

    name: Final = "contradictions"

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Return the ids of contradictions that changed, and note that they were told."""
        slots = [
            slot
            for (slot,) in connection.execute(
                "SELECT slot FROM contradiction WHERE told = 0 ORDER BY raised, slot LIMIT ?", (PAGE,)
            )
        ]
        if slots:
            with transaction(connection):
                connection.executemany(
                    "UPDATE contradiction SET told = 1 WHERE slot = ?", [(slot,) for slot in slots]
                )
        return StepOutcome(tuple(slot.hex() for slot in slots), more=len(slots) == PAGE)
