"""Know the other devices of the group as this device knows them now: who is admitted, and what was heard of each.

Who belongs to the group is the replica's knowledge, looked up again whenever it grew; what is kept of a peer
(addresses, last sync) is read once and then followed here, and written back when a link comes to rest.
"""

import logging
import sqlite3
from dataclasses import replace
from typing import Final

import trio

from replica import peer_notes
from replica.errors import ReplicaError
from replica.ids import DeviceId
from replica.membership import Membership, Revocation, names_author
from replica.replica import Replica
from sync import peers
from sync.errors import SyncError
from sync.link import Link
from sync.peers import PeerRecord
from sync.trust import TrustStore

# A device that is out is heard again when its owner may have done something about it; it is no way to keep us busy.
HEARD_AGAIN_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)

Failure = SyncError | ReplicaError


class Group:
    """Members, what is kept of each, and what went wrong last."""

    def __init__(self, replica: Replica, own: DeviceId) -> None:
        self.trust = TrustStore.of(())
        self.names: dict[DeviceId, str] = {}
        """Everybody else who ever belonged to the group."""
        self.size = -1
        """How many introductions and revocations there are: it only grows."""
        self.untold: dict[DeviceId, bytes] = {}
        """Who was revoked and has not heard it from us yet, with its certificate."""
        self.heard_out: dict[DeviceId, bytes] = {}
        """Who is out in a group with a root: it may know of acts of an elder that we have not heard of."""
        self.banned: frozenset[DeviceId] = frozenset()
        """Who was revoked for good. Whoever is out only because its introducer is may pair again under its key."""
        self._membership = Membership()
        self._told: set[DeviceId] = set()
        self._heard: dict[DeviceId, float] = {}
        self._replica = replica
        self._own = own
        self._records: dict[DeviceId, PeerRecord] = {}
        self._failures: dict[DeviceId | None, tuple[float, Failure]] = {}

    async def look(self) -> dict[DeviceId, PeerRecord]:
        """Look again at who belongs to the group; return the records that are new here."""
        group, found = await self._replica.run(
            lambda core, connection: (
                core.membership.without(()),
                peers.load_records(core, connection),
            )
        )
        self._membership = group
        members, self.size = tuple(group.members.values()), group.size
        certified = ((each.device, each.certificate, each.name) for each in members)
        self.trust = TrustStore.of_group(certified, group.revoked)
        self.banned = frozenset(group.judgment.revoked_by)
        out = {
            device: group.members[device].certificate
            for device in group.revoked - {self._own}
            if not names_author(group.members[device])  # nobody knows its certificate: it is a stranger
        }
        self.untold = {
            device: certificate
            for device, certificate in out.items()
            if device in self.banned and device not in self._told
            if not found.get(device, PeerRecord()).told
        }
        self.heard_out = {} if group.root is None else out
        self.names = {each.device: each.name for each in members if each.device != self._own}
        new = {device: record for device, record in found.items() if device not in self._records}
        for device, record in found.items():
            known = self._records.get(device, record)
            self._records[device] = replace(known, nickname=record.nickname, fixed=record.fixed)
        return new

    def to_be_told(self) -> dict[DeviceId, bytes]:
        """Return who is out and is answered all the same: who has not heard it, and who is heard out, now and then."""
        now = trio.current_time()
        again = {
            device: certificate
            for device, certificate in self.heard_out.items()
            if now - self._heard.get(device, float("-inf")) >= HEARD_AGAIN_SECONDS
        }
        return again | self.untold

    def grounds(self, device: DeviceId) -> tuple[Revocation, ...]:
        """Return what shows a device that it is out."""
        return self._membership.grounds(device)

    def telling(self, device: DeviceId) -> None:
        """Hear that a device is being told that it was put out: this is the once, though it may call twice at once."""
        self._told.add(device)
        self._heard[device] = trio.current_time()
        self.untold.pop(device, None)

    async def told(self, device: DeviceId) -> None:
        """Keep that a device has heard it; a full disk only means that it hears it again from the next program."""
        try:
            await self._replica.run(lambda _, connection: peer_notes.note_told(connection, device))
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
