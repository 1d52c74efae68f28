"""What results of this family hold."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuestion:
    """A contradiction that waits for its owner: whose what, and the values of which one can be true."""

    id: str
    entity: str
    relation: str
    values: list[str]
