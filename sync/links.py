"""Hold one link to each peer, whoever dialled, and let none of them hurt another.

A second link to a peer takes the place of the first or goes, by a rule under which the two ends never drop both
(`sync.roster`); for a moment both may stand, and then the newest is the one that counts. What a link comes to is
followed here: who holds what, when, and that the group has grown.
"""

import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import trio

from replica.errors import ReplicaError
from replica.ids import DeviceId
from replica.replica import Replica
from replica.supervision import Supervisor
from sync.address import Address
from sync.errors import LinkLost, SyncError
from sync.group import Group
from sync.link import Link
from sync.neighbours import LinkLimits, gives_way
from sync.roster import DuplicateLink, LinkRank, duplicate
from sync.web_link import RecordStream

# A phone's radio may sleep for a minute; three probes ten seconds apart outlast a lossy moment.
KEEPALIVE_IDLE_SECONDS: Final = 60
KEEPALIVE_INTERVAL_SECONDS: Final = 10
KEEPALIVE_PROBES: Final = 3
# A peer that dials by several ways at once closes all but one of them in a moment.
LINKS_OF_A_PEER_MAX: Final = 4
# A row for each peer is written when a link comes to rest, but not for every single op of a busy one.
SAVE_SECONDS_MIN: Final = 60.0
# A short sync is over by then, and need not wait for a note; whoever is killed in a longer one knows where to go on.
SAVE_WAITS_SECONDS_MAX: Final = 1.0
# Long enough to hear what the peer has: a snapshot keeps a link from coming to rest.
SPARE_SECONDS_MIN: Final = 30.0
# A last word to every peer must not hold up whoever waits for the program to end.
CLOSE_SECONDS_MAX: Final = 1.0

_log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class LinkSlot:
    """A link that stands, and what decides when a second one to the same peer comes up."""

    link: Link
    standing: LinkRank
    since: float
    local: str | None = None
    """At which of this machine's addresses it ends; None where that says nothing."""
    saved: float = float("-inf")
    leaves: bool = False
    """Whether it is about to end, to make room for another."""
    gone: trio.Event = field(default_factory=trio.Event)


class Links:
    """All links of one device.

    Told of what happens: `changed` of anything, `grown` of a group that grew, `linked` and `lost` of a peer, the last
    with whether this device made the link and it may have carried what comes by no other way.
    """

    def __init__(
        self,
        replica: Replica,
        group: Group,
        tasks: Supervisor,
        *,
        changed: Callable[[], None],
        grown: Callable[[], None],
        linked: Callable[[DeviceId], None],
        lost: Callable[[DeviceId, bool], None],
        limits: LinkLimits = LinkLimits(),
    ) -> None:
        self._replica = replica
        self._group = group
        self._tasks = tasks
        self._changed = changed
        self._grown = grown
        self._linked = linked
        self._lost = lost
        self._limits = limits
        self._kept: dict[DeviceId, list[LinkSlot]] = {}

    def __contains__(self, peer: object) -> bool:
        return peer in self._kept

    def get(self, peer: DeviceId) -> LinkSlot | None:
        """Return the link to a peer, if one stands."""
        standing = self._kept.get(peer)
        return standing[-1] if standing else None

    def has_room(self, peer: DeviceId) -> bool:
        """Whether a peer can be linked now, if need be in place of another (`sync.neighbours`)."""
        return self._stays(peer) or not self._is_full or self._gives_way(peer) is not None

    def admit(self, stream: trio.abc.Stream, peer: DeviceId, address: Address | None) -> LinkSlot | None:
        """Give a new link its place, in place of one that stands if need be; None: it has to go.

        `address`: where we dialled it. Whoever gets a place has to be held.
        """
        standing = self._kept.get(peer, [])
        new = LinkRank(address is not None, int(trio.current_time() * 1000))
        verdicts = [duplicate(old.standing, new, own=self._replica.device, peer=peer) for old in standing]
        if DuplicateLink.OLD_STAYS in verdicts:
            return None
        staying = [
            old for old, verdict in zip(standing, verdicts, strict=True) if verdict is DuplicateLink.BOTH_STAY
        ]
        if len(staying) >= LINKS_OF_A_PEER_MAX or not self.has_room(peer):
            return None
        if not self._stays(peer) and self._is_full and (out := self._gives_way(peer)) is not None:
            self._end(out, "this device makes room for another")
        for old in standing:
            if old not in staying:
                old.link.drop()
        transport = stream.transport_stream if isinstance(stream, trio.SSLStream) else None
        if isinstance(transport, trio.SocketStream):
            keep_alive(transport)
        is_asked = isinstance(stream, RecordStream) and stream.is_asked
        link = Link(stream, replica=self._replica, peer=peer, turned=self._turned, answers=is_asked)
        kept = LinkSlot(link, new, trio.current_time(), _local_address(transport))
        self._kept[peer] = [*staying, kept]
        if address is not None:
            record = self._group.record(peer)
            self._group.update(peer, replace(record, last=address))
            if record.last != address:  # soon: who is killed in its first sync knows where to go on
                self._tasks.once("noting how a link went", self._save, link)
        self._linked(peer)
        self._changed()
        return kept

    async def hold(self, kept: LinkSlot) -> None:
        """Run a link to its end; what ends it is noted, and ends nothing else."""
        link, peer = kept.link, kept.link.peer
        try:
            await link.run()
        except (SyncError, ReplicaError) as error:
            self._group.note(peer, error)
        except Exception as error:  # a bug that shows on one link must not end the others
            _log.exception("the link to %s ended on an error of ours", peer.hex()[:8])
            self._group.note(peer, LinkLost(f"an error of ours ended the link: {error!r:.200}"))
        finally:
            if kept in (standing := self._kept.get(peer, [])):
                standing.remove(kept)
                if not standing:
                    del self._kept[peer]
                    is_needed = not kept.leaves and kept.standing.dialled_by_us and link.progress.carries_news
                    self._lost(peer, is_needed)
                    for other in self._all():  # some may have heard from it alone what it wrote last
                        other.link.flush()
            kept.gone.set()
            self._changed()
        await self._tasks.attempt("noting how a link went", self._group.save, link)

    def revalidate(self, addresses: frozenset[str], *, all_of_them: bool) -> None:
        """Drop the links that this machine has no address for any more, or all; have the others prove themselves."""
        for kept in [each for found in self._kept.values() for each in found]:
            if all_of_them or (kept.local is not None and kept.local not in addresses):
                kept.link.drop()
            else:
                self._tasks.once("probing a link", self._attempt, kept.link, kept.link.probe)

    def nudge(self) -> None:
        """Let every conversation go on: the group has grown."""
        for kept in self._all():
            self._tasks.once("telling of the group", self._attempt, kept.link, kept.link.nudge)

    def end_spare(self, peers: Iterable[DeviceId]) -> None:
        """End the links to these that this device made, and that carry nothing that comes by no other way."""
        now = trio.current_time()
        for peer in peers:
            kept = self.get(peer)
            if kept is None or not kept.standing.dialled_by_us or now - kept.since < SPARE_SECONDS_MIN:
                continue
            progress = kept.link.progress
            if progress.quiet and not progress.unsent and not progress.carries_news:
                self._end(peer, "this device is linked to enough others")

    async def leave(self) -> None:
        """Say goodbye to everybody, and wait for a second at most until that was said."""
        with trio.CancelScope(deadline=trio.current_time() + CLOSE_SECONDS_MAX, shield=True):
            async with trio.open_nursery() as nursery:
                for kept in self._all():
                    say = partial(kept.link.leave, "the device is going offline")
                    nursery.start_soon(self._attempt, kept.link, say)
            for kept in self._all():
                await kept.gone.wait()

    @property
    def _is_full(self) -> bool:
        return len(self._all()) >= self._limits.most

    def _stays(self, peer: DeviceId) -> bool:
        return any(not kept.leaves for kept in self._kept.get(peer, ()))

    def _gives_way(self, caller: DeviceId) -> DeviceId | None:
        """Return whose link ends to make room for a caller."""
        now = trio.current_time()
        stood_s = {
            peer: now - standing[0].since for peer, standing in self._kept.items() if self._stays(peer)
        }
        return gives_way(self._replica.device, caller, stood_s, self._limits)

    def _end(self, peer: DeviceId, reason: str) -> None:
        """End what links a peer, and tell it so: it would take silence for a loss, and call at once."""
        for kept in self._kept[peer]:
            kept.leaves = True
            self._tasks.once("ending a link", self._attempt, kept.link, partial(kept.link.leave, reason))

    def _all(self) -> list[LinkSlot]:
        return [kept for standing in self._kept.values() for kept in standing]

    async def _attempt(self, link: Link, what: Callable[[], Awaitable[None]]) -> None:
        """Have a link do something from outside of its own tasks; if that fails, the link goes, nothing else."""
        try:
            await what()
        except Exception:
            _log.exception("the link to %s is dropped", link.peer.hex()[:8])
            link.drop()

    async def _save(self, link: Link) -> None:
        """Write down what a link came to, but not before its words: they would wait for the store's thread."""
        with trio.move_on_after(SAVE_WAITS_SECONDS_MAX), suppress(SyncError, ReplicaError):
            await link.settle()
        await self._group.save(link)

    def _turned(self, link: Link) -> None:
        """Follow what a link has come to."""
        kept, progress = self.get(link.peer), link.progress
        if kept is None or kept.link is not link:
            return
        record = self._group.record(link.peer)
        if progress.offset_ms is not None:
            record = replace(record, offset_ms=progress.offset_ms)
        if progress.quiet:
            self._group.went_well(link.peer)
            covered = progress.position - (progress.unsent or 0)  # it may have refused some
            record = replace(record, covered=covered, last_sync_ms=self._replica.now_ms())
        self._group.update(link.peer, record)
        if progress.quiet and trio.current_time() - kept.saved >= SAVE_SECONDS_MIN:
            kept.saved = trio.current_time()
            self._tasks.once("noting how a link went", self._save, link)
        if progress.group > self._group.size >= 0:
            self._group.size = progress.group
            self._grown()
        self._changed()


def keep_alive(stream: trio.SocketStream) -> None:
    """Have the kernel find out whether the other end is still there while nothing is said."""
    with suppress(OSError):  # some systems refuse once the other end has gone; the first read says so, too
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (
            ("TCP_KEEPIDLE", KEEPALIVE_IDLE_SECONDS),
            ("TCP_KEEPALIVE", KEEPALIVE_IDLE_SECONDS),  # what macOS calls it
            ("TCP_KEEPINTVL", KEEPALIVE_INTERVAL_SECONDS),
            ("TCP_KEEPCNT", KEEPALIVE_PROBES),
        ):
            option = getattr(socket, name, None)
            if option is not None:
                stream.setsockopt(socket.IPPROTO_TCP, option, value)


def _local_address(transport: trio.abc.Stream | None) -> str | None:
    if not isinstance(transport, trio.SocketStream):
        return None
    try:
        host = str(transport.socket.getsockname()[0]).partition("%")[0]
    except OSError:  # some systems forget it as soon as the other end has gone
        return None
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return None if address.is_loopback else str(address)
