"""Store many memories at once."""

from typing import NamedTuple

from cognition import Extraction
from replica import Value

Fields = dict[str, Value]


class BatchLine(NamedTuple):
    """A line of a batch: what is to be remembered, and the facts that are to stand beside it."""

    text: str
    fields: Fields
    found: Extraction = Extraction()
    wordings: list[str] | None = None
