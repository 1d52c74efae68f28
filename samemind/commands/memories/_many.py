"""Store many memories at once."""

from typing import NamedTuple

from cognition import Extraction
from replica import MemoryId, Value

Fields = dict[str, Value]


class BatchLine(NamedTuple):
    """A line of a batch: what is to be remembered, the facts that are to stand beside it, and the id it asks for."""

    text: str
    fields: Fields
    found: Extraction = Extraction()
    wordings: list[str] | None = None
    rid: MemoryId | None = None
