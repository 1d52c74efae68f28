"""What several commands of this family return and show."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from samemind.declaring import option
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, counted

LIST_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQueue:
    """List what still has to be embedded or read by a model, and what failed."""

    status: str | None = option("--status", "only these", choices=("pending", "failed"))
    limit: int = option(
        "--limit", "at most this many", default=50, metavar="N", short="-n", least=0, most=LIST_MAX
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """One thing still to be done, or given up: `work` is `embed`, or what a model is to read in a talk."""

    id: str
    work: str
    what: str
    status: str
    attempts: int
    enqueued_at: datetime | None
    last_attempt_at: datetime | None = None
    next_attempt_at: datetime | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How much waits, how much was given up after five attempts, and the entries, oldest first.

    What was brought in and is still to be read for facts is counted, and is no entry.
    """

    pending: int
    failed: int
    entries: list[QueueEntry]


def queue_lines(document: Document) -> list[str]:
    lines = [f"{document['pending']} waiting, {document['failed']} failed"]
    for entry in document["entries"]:
        told = f"  {one_line(entry['last_error'])}" if entry["last_error"] else ""
        lines.append(
            f"{entry['id']}  {entry['work']}, {entry['status']}, tried {counted(entry['attempts'], 'time')}  "
            f"{one_line(entry['what'])}{told}"
        )
    return lines
