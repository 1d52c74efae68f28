"""What the syncer tells others: how it stands with each peer, and what one sync came to."""

from dataclasses import dataclass
from typing import Literal

from replica.errors import ReplicaError
from replica.ids import DeviceId
from sync.address import Address
from sync.errors import SyncError

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
