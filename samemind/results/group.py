"""What the verbs about other devices return."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerView:
    """One other device of the group. `state` is `linked`, `dialling`, `away` or `revoked`.

    `quota` is the share that it has used up of what one device may send here in an hour: from 1 on the rest
    waits there.
    `quota_of` says of what: `ops`, `bytes`, `packed`, `chains` or `introductions`, or one of these `passed on`.
    """

    device_id: str
    name: str
    state: str = "away"
    last_sync: datetime | None = None
    offset_ms: int | None = None
    behind: int | None = None
    address: str | None = None
    error: str | None = None
    quota: float = 0.0
    quota_of: str = "ops"
    revoked_by: str | None = None
    """The name of the eldest device that revoked it."""
    revoked_at: datetime | None = None
    """When this device heard that it is out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMember:
    """One device of a group, this one too. `state`: `member`, `revoked`, `out`, for its introducer is, or `expected` in
    a group that was rebuilt: it has not moved in yet.

    `rank`: 0 for the eldest, in the order in which devices prevail over each other; None in a group without a root.
    """

    device_id: str
    name: str
    state: str
    here: bool = False
    rank: int | None = None
    introduced_by: str | None = None
    revoked_by: list[str] = field(default_factory=list)
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """The group, the eldest device first. `root`: `founder`, `recovery code` or `none`, as in groups of 0.1.0."""

    root: str
    root_id: str | None = None
    members: list[GroupMember] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A recovery code: printed once, kept nowhere. `group_id` is what others know it by."""

    code: str
    group_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A memory that a rebuilt group does not have, since only devices told it that are left out.

    `edited`: somebody who stays had changed it since.
    """

    rid: str
    text: str
    told_by: str
    edited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What came of a group that was rebuilt, or, after a dry run, what would come of it.

    `stays`: the devices that may move into it. `left_out`: whose ops are not in it, and `known`: those that were in the
    group earlier, whose ops are. `ops` are in it, `ops_left_out` are not. `memories_back`: those that left-out
    devices had forgotten; `memories_left_out`: those that only they had told. `texts_mended`: memories that read as
    those who stay left them, who had edited what a left-out device wrote. `words_lost`: memories that a left-out
    device erased: this device has their words no more. `refused`: why ops were not taken over.
    `before`: where the store is kept that was there.
    """

    dry_run: bool
    stays: list[str]
    left_out: list[str]
    known: list[str] = field(default_factory=list)
    ops: int = 0
    ops_left_out: int = 0
    memories: int = 0
    memories_left_out: list[LeftOut] = field(default_factory=list)
    memories_back: list[str] = field(default_factory=list)
    memories_kept: list[str] = field(default_factory=list)
    texts_mended: list[str] = field(default_factory=list)
    words_lost: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoined:
    """What came of moving into a rebuilt group. `ops`: those of this device, or of others, that it had not yet.

    `memories_told_again`: of this device's own, where the op that told them could not be taken over.
    """

    name: str
    words: str
    ops: int
    memories: int
    memories_told_again: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """The other devices of the group."""

    peers: list[PeerView]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOffer:
    """A code that pairs one device, once, until it expires; `invitation` is the same for a QR code."""

    code: str
    address: str
    expires_at: datetime
    invitation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Another device joined the group; both ends show the same words."""

    device_id: str
    name: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerSync:
    """One sync with one peer: ops each way, bytes on the wire, time and round trips."""

    device_id: str
    name: str
    sent: int
    received: int
    bytes_out: int
    bytes_in: int
    took_ms: float
    round_trips: int
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreachedPeer:
    """A peer that could not be synced with, and why."""

    device_id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What was synced with whom."""

    peers: list[PeerSync]
    unreached: list[UnreachedPeer] = field(default_factory=list)
