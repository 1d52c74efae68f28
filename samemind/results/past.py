"""What the verbs about the past return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from samemind.results.memories import MemoryView

Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A memory that says something else than it did. `fields` holds those that differ, as they are now."""

    rid: str
    before: str
    after: str
    fields: Meta = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What became of memories between two moments.

    `forgotten` shows them as they were at the first; what was erased is in no past.
    """

    since: datetime | None
    until: datetime | None
    added: list[MemoryView]
    changed: list[Changed]
    forgotten: list[MemoryView]
