"""What the syncer tells others: how it stands with each peer, and what one sync came to."""

from dataclasses import dataclass
from typing import Literal

from replica.errors import ReplicaError
from replica.ids import DeviceId
from sync.address import Address
from sync.errors import SyncError
from sync.group import Group
from sync.links import Links

State = Literal["linked", "dialling", "away", "revoked"]


@dataclass(frozen=True, slots=True)
class PeerState:
    """How it stands with one other device of the group.

    `offset_ms`: how far its clock was ahead of ours. `behind`: how many of our ops it is known to lack, None
    if we never heard. `error`: why the last attempt or link ended, if it ended badly.
    """

    device_id: DeviceId
    name: str
    state: State
    last_sync_ms: int | None
    offset_ms: int | None
    behind: int | None
    address: Address | None
    error: str | None


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync with one peer came to. `refused`: why ops were not taken, on either side.

    `device_id` is None when nobody could be reached at an address. `error` is set when it was not finished.
    """

    device_id: DeviceId | None
    sent: int
    received: int
    bytes_out: int
    bytes_in: int
    took_ms: float
    round_trips: int
    refused: tuple[str, ...] = ()
    error: SyncError | ReplicaError | None = None


def state_of(device: DeviceId, group: Group, links: Links, *, is_called: bool, position: int) -> PeerState:
    """Say how it stands with a device of the group; `position` is that of the log."""
    record, kept, failure = group.record(device), links.get(device), group.failure(device)
    behind = None if record.covered is None else max(0, position - record.covered)
    state: State = "dialling" if is_called else "away"
    if device in group.trust.revoked:
        state = "revoked"
    elif kept is not None:
        state, failure = "linked", None
        behind = behind if kept.link.progress.quiet else kept.link.progress.unsent
    return PeerState(
        device,
        record.nickname or group.names[device],
        state,
        record.last_sync_ms,
        record.offset_ms,
        behind,
        record.last or record.fixed,
        None if failure is None else str(failure),
    )
