"""Keep the number of pinned memories small enough to be read whole."""

import sqlite3
from typing import Final

from replica import MemoryId
from replica.reads.counts import count_pinned
from samemind.errors import NeedsDecision

# As many as fit a prompt beside what was asked. Devices that pin while apart may come to more: those stay.
PINS_MAX: Final = 10


def check_pins(connection: sqlite3.Connection, rid: MemoryId | None = None) -> None:
    """Refuse to pin one more than the core profile has room for; `rid` is the one, if it is there already."""
    others = count_pinned(connection, beside=rid)
    if others >= PINS_MAX:
        raise NeedsDecision(
            f"{others} memories are pinned already, and {PINS_MAX} is the most that can be",
            code="pins_full",
            hint="unpin one of them first",
        )
