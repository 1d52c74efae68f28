"""What the verbs about this device return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from samemind.results.group import PeerView
from samemind.results.mailbox import MailboxView


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """This home is a device. After a divorce: whose copy it was, and which devices have heard of it."""

    device_id: str
    name: str
    home: str
    divorced_from: str | None = None
    told: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentView:
    """What made a device go on under a new incarnation, or its chain part.

    `what`: `copied`, `rolled back`, `heard of itself`, `clock` or `branch`.
    """

    at: datetime
    what: str
    device_id: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """Another store under this device's key: on this machine at `where`, or elsewhere.

    `must_part`: it is the older one, so this one has to become a device of its own: `init --divorce`.
    """

    where: str | None
    last_wrote: datetime | None
    must_part: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkStatus:
    """How the daemon thinks: whether it does now, who does for all that are linked, when it will at the latest.

    `found` counts what the last cycle raised, by step; `trouble` says why it did not come to its end.
    """

    thinking: bool
    runner: str
    next_at: datetime | None
    last_at: datetime | None = None
    took_ms: float | None = None
    found: Mapping[str, int] = field(default_factory=dict)
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStatus:
    """Whether the daemon runs here, where it listens, and how its peers are.

    `revoked_by` is the name of the device that put this one out of the group, if one did.
    """

    running: bool
    device_id: str
    name: str
    home: str
    pid: int | None = None
    address: str | None = None
    panel_url: str | None = None
    mcp_url: str | None = None
    peers: list[PeerView] = field(default_factory=list)
    mailboxes: list[MailboxView] = field(default_factory=list)
    incidents: list[IncidentView] = field(default_factory=list)
    clone: Clone | None = None
    think: ThinkStatus | None = None
    revoked_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The daemon was asked to stop and did."""

    device_id: str
    pid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierEntry:
    """The last op held of one feed."""

    origin: str
    seq: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """Equal on replicas that agree: `digest` over what shows, `state_digest` over everything folded."""

    digest: str
    state_digest: str
    memories: int
    ops: int
    frontier: list[FrontierEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpView:
    """One op of the log."""

    position: int
    op_id: str
    hash: str
    origin: str
    device: str
    device_name: str | None
    seq: int
    hlc: int
    at: datetime
    kind: str
    rid: str | None
    signed: bool
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Ops in the order in which this device committed them."""

    ops: list[OpView]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Whether chains, signatures and the state recomputed from the log all hold.

    `vouched` counts the writes that came within a snapshot, by the device on whose word alone they are known: no
    signature of their authors' is here. `accepted` counts the missing writes of this device that were taken as lost.
    """

    ok: bool
    ops: int
    problems: list[str]
    vouched: dict[str, int] = field(default_factory=dict)
    accepted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at, and what to do where it is not well."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctored:
    """What was looked at; `ok` when nothing needs doing."""

    ok: bool
    checks: list[Check]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """How many ops left the log for the base, and how many it still holds.

    `horizon`: what was stamped up to then is not told in full any more.
    """

    compacted: int
    ops: int
    horizon: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much there is. `queue` counts memories that wait for their vector.

    `compactable`: about how many ops could leave the log now; `held_by`: the device that most others wait for;
    `horizon`: what was stamped up to then is not told in full any more.
    """

    memories: int
    forgotten: int
    edges: int
    ops: int
    devices: int
    queue: int
    queue_failed: int
    store_bytes: int
    log_bytes: int
    compactable: int
    held_by: str | None
    horizon: datetime | None
    by_type: Mapping[str, int]
    by_device: Mapping[str, int]
    by_workspace: Mapping[str, int] = field(default_factory=dict)
    """What belongs to no workspace is under the empty name."""
    by_tier: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """The model and the vectors are in memory; how long that took, and how many memories wait to be embedded."""

    took_ms: float
    unembedded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IdView:
    """An id, and the fewest of its characters that are safe to type."""

    id: str
    short: str
    kind: str
    """`memory` or `device`."""
    text: str
    """The beginning of what the memory says, or the device's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """Ids that begin as asked."""

    ids: list[IdView]
