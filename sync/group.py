"""Know the other devices of the group as this device knows them now: who is admitted, and what was heard of each.

Who belongs to the group is the replica's knowledge, looked up again whenever it grew; what is kept of a peer
(addresses, last sync) is read once and then followed here, and written back when a link comes to rest.
"""

import logging
import sqlite3
from dataclasses import replace

import trio

from replica.errors import ReplicaError
from replica.ids import DeviceId
from replica.membership import Revocation
from replica.replica import Replica
from sync import peers
from sync.errors import SyncError
from sync.link import Link
from sync.peers import PeerRecord
from sync.trust import Trust

_log = logging.getLogger(__name__)

Failure = SyncError | ReplicaError


class Group:
    """Members, what is kept of each, and what went wrong last."""

    def __init__(self, replica: Replica, own: DeviceId) -> None:
        self.trust = Trust.of(())
        self.names: dict[DeviceId, str] = {}
        """Everybody else who ever belonged to the group."""
        self.size = -1
        """How many introductions and revocations there are: it only grows."""
        self.untold: dict[DeviceId, tuple[bytes, Revocation]] = {}
        """Who was put out and has not heard it from us yet: certificate and revocation."""
        self._told: set[DeviceId] = set()
        self._replica = replica
        self._own = own
        self._records: dict[DeviceId, PeerRecord] = {}
        self._failures: dict[DeviceId | None, tuple[float, Failure]] = {}

    async def look(self) -> dict[DeviceId, PeerRecord]:
        """Look again at who belongs to the group; return the records that are new here."""
        (members, revocations, revoked, self.size), found = await self._replica.run(
            lambda core, connection: (
                (
                    tuple(core.membership.members.values()),
                    core.membership.revocations,
                    core.membership.revoked,
                    len(core.membership.members) + len(core.membership.revocations),
                ),
                peers.load_records(core, connection),
            )
        )
        self.trust = Trust.of_group(((each.device, each.certificate, each.name) for each in members), revoked)
        certificates = {each.device: each.certificate for each in members}
        self.untold = {
            each.device: (certificates[each.device], each)
            for each in revocations
            if each.device in certificates and each.device not in self._told and each.device != self._own
            if not found.get(each.device, PeerRecord()).told
        }
        self.names = {each.device: each.name for each in members if each.device != self._own}
        new = {device: record for device, record in found.items() if device not in self._records}
        for device, record in found.items():
            known = self._records.get(device, record)
            self._records[device] = replace(known, nickname=record.nickname, fixed=record.fixed)
        return new

    def telling(self, device: DeviceId) -> None:
        """Hear that a device is being told that it was put out: this is the once, though it may call twice at once."""
        self._told.add(device)
        self.untold.pop(device, None)

    async def told(self, device: DeviceId) -> None:
        """Keep that a device has heard it; a full disk only means that it hears it again from the next program."""
        try:
            await self._replica.run(lambda _, connection: peers.note_told(connection, device))
        except (ReplicaError, sqlite3.Error) as error:
            _log.warning("that %s was told is not written down: %s", device.hex()[:8], error)

    def record(self, device: DeviceId) -> PeerRecord:
        """Return what is kept of a peer."""
        return self._records.get(device, PeerRecord())

    def fixed(self) -> list[DeviceId]:
        """Return the peers for which the owner gave an address."""
        return [device for device, record in self._records.items() if record.fixed is not None]

    def update(self, device: DeviceId, record: PeerRecord) -> None:
        """Take what was heard of a peer."""
        self._records[device] = record

    async def save(self, link: Link) -> None:
        """Write down what a link came to, even while everything ends; a full disk is no reason to end anything."""
        record = self.record(link.peer)
        try:
            with trio.CancelScope(shield=True):
                await self._replica.run(
                    lambda core, connection: peers.note_sync(
                        connection,
                        link.peer,
                        last_sync_ms=record.last_sync_ms,
                        offset_ms=record.offset_ms,
                        address=record.last,
                        known=core.frontier()
                        if link.progress.quiet
                        and not link.progress.unsent
                        and link.progress.news == core.news
                        else None,
                    )
                )
        except (ReplicaError, sqlite3.Error) as error:
            _log.warning("what was heard of %s was not written down: %s", link.peer.hex()[:8], error)

    def note(self, device: DeviceId | None, error: Failure) -> None:
        """Keep why a call or a link ended badly, and log it where it is news; None stands for whoever was called."""
        _, before = self._failures.get(device, (None, None))
        self._failures[device] = (trio.current_time(), error)
        if str(before) != str(error):  # a peer that is away for a week is called two thousand times
            _log.info("%s: %s", "somebody" if device is None else device.hex()[:8], error)

    def went_well(self, device: DeviceId) -> None:
        """Forget what went wrong before."""
        self._failures.pop(device, None)

    def failure(self, device: DeviceId | None, *, since: float = float("-inf")) -> Failure | None:
        """Return what went wrong last, unless that was earlier."""
        when, error = self._failures.get(device, (float("-inf"), None))
        return error if when >= since else None
