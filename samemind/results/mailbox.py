"""What the verbs about mailboxes return."""

from dataclasses import dataclass, field
from datetime import datetime


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
    """A mailbox: its address holds no secret. Without a daemon, only what is saved is known.

    `unread`: files that could not be taken; `stale`: files that may hold erased words; `foreign`: files of revoked
    devices; `putting_off`: news of this device is about to be written.
    """

    name: str
    url: str
    looked_at: datetime | None = None
    wrote_at: datetime | None = None
    files: int = 0
    bytes: int = 0
    bytes_max: int | None = None
    unread: int = 0
    stale: int = 0
    foreign: int = 0
    putting_off: bool = False
    trouble: str | None = None
    trouble_since: datetime | None = None
    peers: list[MailboxPeer] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesListed:
    """The mailboxes of this device."""

    mailboxes: list[MailboxView]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxRemoved:
    """This device uses it no more; what lies in it was left there."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxLooked:
    """What looking came to: files read and taken, ops that were new, files written and removed."""

    name: str
    files: int
    bytes: int
    fetched: int
    taken: int
    ops: int
    wrote: int
    removed: int
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesLooked:
    """What was looked into."""

    mailboxes: list[MailboxLooked]


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxInvitation:
    """What another device needs to use the same mailbox, with its secret: `samemind mailbox add` takes the text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """What a NATS server needs that keeps a mailbox. `key_file` holds the secret that devices sign in with."""

    settings_path: str
    settings: str
    drop_in_path: str
    drop_in: str
    certificate_command: str
    key_file: str
    url: str
