"""What all of cognition shares about memories as they show; the rows are read by `replica.reads`."""

from typing import Final

from replica import ShownMemory as Shown
from replica import fields_of
from replica import memories_of as read_memories

__all__ = ["CHARACTERS_MAX", "EACH", "IDS_MAX", "RECALLED", "Shown", "fields_of", "read_memories"]

# Where many memories are looked at, so much is read of the text of each, and of its labels and metadata, of which
# anybody may have written 20 MB: a hundred times what people write, and of hundreds some ten megabytes.
CHARACTERS_MAX: Final = 100_000
# SQLite takes 32,766 parameters; one size keeps the statement cached.
IDS_MAX: Final = 1_000
# Numbers as one parameter: a statement of as many marks as there are numbers would be another each time, and to
# compile it costs as much as to run it.
EACH: Final = "SELECT value FROM json_each(?)"

# The source of text that came out of a recall: it says what is known already, and is never taken apart again.
RECALLED: Final = "recall"
