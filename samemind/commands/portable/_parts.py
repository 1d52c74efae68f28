"""What several commands of this family return and show."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedLine:
    """One item that could not be taken, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import. `imported` counts memories, and `relations` and settings beside them.

    `skipped` counts what was there already, or was forgotten here (`forgotten` of them); `facts` the facts stored
    beside the rest by then, and `unread` the texts that are still to be read for some; `held` what looks secret and
    waits on this device to be released. `undo` is the command that takes back what came in. With `dry_run` nothing was
    written, and the counts say what would have been; facts, and claims that look secret, are not counted then.
    """

    imported: int
    skipped: int
    relations: int = 0
    forgotten: int = 0
    facts: int = 0
    held: int = 0
    failed: list[FailedLine] = field(default_factory=list)
    unread: int = 0
    undo: str | None = None
    dry_run: bool = False
