"""What results of this family hold."""

from dataclasses import dataclass

from samemind.formats.memory_view import TextVariant


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuestion:
    """A contradiction that waits for its owner: whose what, and the values of which one can be true."""

    id: str
    entity: str
    relation: str
    values: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedText:
    """A memory whose text was merged of edits of one place, and what each device wrote, the latest first."""

    rid: str
    variants: list[TextVariant]
