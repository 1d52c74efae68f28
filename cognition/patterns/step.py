"""The step of thinking that looks for patterns; what it finds is brought up by the step after it."""

import sqlite3

from cognition.patterns.found import compare, keep, look
from cognition.patterns.tables import note_memories, waiting
from cognition.thinking.cycle import StepOutcome
from replica import Core, derived_transaction, show_memory_id


class Patterns:
    """A `cognition.thinking.cycle.Step`: reads a page of new memories, and compares a page of new vectors."""

    name = "patterns"

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        """Read what is new; the ids are of patterns that were not there before."""
        with derived_transaction(connection):
            numbers = waiting(connection)
            found = look(connection, note_memories(connection, numbers))
            themes, more = compare(connection)
            new = keep(connection, [*found, *themes])
        more = more or bool(waiting(connection))
        return StepOutcome(tuple(show_memory_id(each) for each in new), more)
