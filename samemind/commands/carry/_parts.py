"""What several commands of this family return and show."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """A file of a folder that was not taken, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedIn:
    """What was taken. `refused`: why ops were not, such as that an earlier file is missing."""

    ops: int
    files: int
    refused: list[str] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
