"""What several commands of this family show."""

from collections.abc import Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Final

from replica.values import dataclass
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, counted

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "min"))


def standing(mailboxes: Sequence[Document]) -> list[str]:
    """Say for `status` how it stands with mailboxes and, through them, with other devices."""
    lines = [mailbox_line(each) for each in mailboxes]
    for each in mailboxes:
        lines += [
            f"{one_line(peer['name'])}: {'in step' if peer['in_step'] else 'heard'} by mailbox "
            f"{one_line(each['name'])}, {ago(peer['heard_at'])}"
            for peer in each["peers"]
        ]
    return lines


def ago(moment: str, now: datetime | None = None) -> str:
    """Say how long ago something was, as people say it."""
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(moment)).total_seconds()
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit} ago" if unit == "min" else f"{counted(count, unit)} ago"
    return "just now"


def mailbox_line(each: Document) -> str:
    now = each["looking_since"]
    return _stands(each) + (f", a look under way since {clock(now)}" if now is not None else "")


def _stands(each: Document) -> str:
    line = f"mailbox {one_line(each['name'])}"
    if each["trouble"] is not None:
        return f"{line}: {one_line(each['trouble'])}, since {clock(each['trouble_since'])}"
    if each["looked_at"] is None:
        known = f", {counted(each['files'], 'file')} when it was looked into last" if each["files"] else ""
        return f"{line} at {one_line(each['url'])}{known}"
    bound = f" of {each['bytes_max'] / 1e6:.0f}" if each["bytes_max"] else ""
    line += f": {counted(each['files'], 'file')}, {each['bytes'] / 1e6:.1f}{bound} MB, looked {ago(each['looked_at'])}"
    if each["unread"]:
        line += f", {each['unread']} unread"
    return line + (", news waiting" if each["putting_off"] else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxPeer:
    """Another device, as a mailbox tells of it. `in_step`: when it was heard, it held everything this device wrote.

    `stale`: files of it that may hold erased words.
    """

    device_id: str
    name: str
    heard_at: datetime
    in_step: bool
    stale: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxView:
    """A mailbox: its address holds no secret. Until a daemon has looked, this is how it was found the last time.

    `looking_since`: since when a look is under way; `unread`: files that could not be taken; `altered`: the names of
    those (at most ten) that were read more than once and hold something else than what was written under their name;
    `stale`: files that may hold erased words; `foreign`: files of revoked devices; `sealed`: files that are whole and
    sealed for others, as of another group; `lost`: how often it lately lost files that were written again;
    `putting_off`: news of this device is about to be written.
    """

    name: str
    url: str
    looking_since: datetime | None = None
    looked_at: datetime | None = None
    wrote_at: datetime | None = None
    files: int = 0
    bytes: int = 0
    bytes_max: int | None = None
    unread: int = 0
    altered: list[str] = field(default_factory=list)
    stale: int = 0
    foreign: int = 0
    sealed: int = 0
    lost: int = 0
    putting_off: bool = False
    trouble: str | None = None
    trouble_since: datetime | None = None
    peers: list[MailboxPeer] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableMailboxView:
    """An entry of `mailboxes.json` that is unusable. `why`: what was expected and found; `fix`: what to do."""

    name: str
    why: str
    fix: str
