"""Keep this device in touch with every other of its group: listen, dial, and hold one link to each.

Whom to dial and when is the roster's decision; what is said on a link is the exchange's. The syncer does what
they say, and makes sure that one link's failure never hurts another. Time here is trio's clock, which only
goes forward; wall time is for people and is asked of the replica.

What it costs when all is quiet: one sleeping task for each listener and one that waits until the roster has
somebody to call, which is never while everybody is linked and nobody is new; once a minute a look at the links of a
large group. mDNS is joined only once there is a peer to find; then zeroconf answers its neighbours' questions. Every
few seconds one look at this machine's addresses (`sync.network`): half a millisecond of every three seconds. Links cost
what `sync.link` says.
"""

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from random import SystemRandom
from typing import Final

import trio

from replica.asyncio_host import AsyncioHost
from replica.core import Core
from replica.ids import DeviceId
from replica.membership import IntroducedMember, Revocation, introduce, name_root, revoking
from replica.news import NewsCounter
from replica.replica import Replica
from replica.supervision import Supervisor
from sync import peers
from sync.acceptor import Acceptor
from sync.address import Address
from sync.beat import next_beat
from sync.dialling import listen, own_places, port_of, reach
from sync.discovery.sightings import ServiceType, Sighting
from sync.errors import Crowded, PairingFailed, SomebodyElse, SyncError, Untrusted
from sync.group import Group
from sync.identity import Identity
from sync.links import Links
from sync.meeting import CodeOffered, Meeting, PairingRefusal, Partner
from sync.neighbours import LinkLimits
from sync.network import Change, follow
from sync.reports import PeerState, SyncReport, state_of
from sync.roster import DialTarget, Roster
from sync.sync_requests import SyncRequests
from sync.tls import prepare
from sync.trust import certified
from sync.web_link import TOO_MANY, Socket, turn_away
from sync.wire.messages import Trust

# A new partner may still be writing down who we are when we call.
PARTNER_RETRY_SECONDS: Final = (0.0, 0.2, 0.5, 1.0, 2.0)
# A wake-up a minute; a link that is tried for news stands for about as long.
TEND_SECONDS: Final = 60.0
# So long after pairing one of the two may still be about to call: whoever wants to sync waits for that.
PARTNER_SECONDS_MAX: Final = sum(PARTNER_RETRY_SECONDS) + 1.0

_log = logging.getLogger(__name__)


class Syncer:
    """One device's links; made by `open_syncer`."""

    def __init__(
        self,
        replica: Replica,
        identity: Identity,
        host: AsyncioHost,
        nursery: trio.Nursery,
        *,
        name: str,
        listeners: list[trio.SocketListener],
        listening_on: str,
        mdns: bool,
        fixed: tuple[Address, ...],
        limits: LinkLimits,
    ) -> None:
        self._name = name
        self._replica = replica
        self._identity = identity
        self._host = host
        self.tasks = Supervisor(nursery)
        """What goes on beside the links; a failure in it ends nothing else."""
        self._listeners = listeners
        self._listening_on = listening_on
        self._port = port_of(listeners) if listeners else None
        self._mdns = mdns
        self._untied = set(fixed)  # addresses of which it is not known yet who answers there
        self._random = SystemRandom()
        self.news = NewsCounter()
        """Of how it stands with somebody."""
        self._roster = Roster(identity.device_id, limits)
        self._group = Group(replica, identity.device_id)
        self._links = Links(
            replica,
            self._group,
            self.tasks,
            changed=self.news.stir,
            grown=lambda: self.tasks.once("looking at the group", self.refresh),
            linked=lambda peer: self._roster.linked(peer, now_ms=self._now_ms()),
            lost=self._lost,
            limits=limits,
        )
        self._answering = Acceptor(
            identity,
            self._group,
            keep=self._keep,
            now_ms=replica.now_ms,
            hear=self._hear_out,
            has_room=self._links.has_room,
        )
        self._meeting = Meeting(
            identity,
            name,
            host,
            mdns=mdns,
            listening_on=listening_on,
            sync_port=self._port,
            now_ms=replica.now_ms,
        )
        self._requests = SyncRequests(
            identity,
            self._group,
            self._links,
            self.tasks,
            wanted=self._asking_for,
            something=lambda: self.news.after(self.news.count),
            is_hopeless=self._is_hopeless,
        )
        self._calls: dict[str, DialTarget] = {}
        self._promised: dict[DeviceId, float] = {}  # until when the first link after pairing may come
        for address in fixed:
            self._roster.fix(address, now_ms=self._now_ms())

    # -- what it is asked ------------------------------------------------------------------------------------

    @property
    def address(self) -> Address | None:
        """Where others reach this device; None if it does not listen."""
        return None if self._port is None else own_places(self._listening_on, self._port)[0]

    def peers(self) -> list[PeerState]:
        """How it stands with every other device of the group, by name."""
        called = {contact.member for contact in self._calls.values()}
        found = [
            state_of(
                device, self._group, self._links, is_called=device in called, position=self._replica.position
            )
            for device in self._group.names
        ]
        return sorted(found, key=lambda peer: (peer.name, peer.device_id))

    async def sync_now(
        self,
        peer: DeviceId | None = None,
        *,
        address: Address | None = None,
    ) -> list[SyncReport]:
        """Sync with one peer, with whoever is at an address, or with all; wait until both sides are quiet.

        A peer that cannot be reached is reported with the error, and does not keep the others from syncing.
        """
        if address is not None:
            return [await self._requests.sync_at(address, peer)]
        wanted = (
            sorted(set(self._group.trust.members) - {self._identity.device_id}) if peer is None else [peer]
        )
        return await self._requests.sync_with(wanted)

    async def refresh(self) -> None:
        """Look again at who is in the group; call it after introducing or revoking somebody."""
        new = await self._group.look()
        now_ms = self._now_ms()
        is_out = self._identity.device_id in self._group.trust.revoked
        # Whoever was put out is told so once, and then calls nobody any more.
        self._roster.admit(() if is_out else self._group.trust.members.keys(), now_ms=now_ms)
        for device in self._group.fixed():
            if (address := self._group.record(device).fixed) is not None:
                self._roster.fix(address, now_ms=now_ms, member=device)
        for device, record in new.items():
            if record.last is not None and self._group.trust.admits(device):
                self._roster.remember(device, record.last, now_ms=now_ms)
        self._links.nudge()
        self.news.stir()

    def prepare(self) -> None:
        """Make ahead what the first links would wait for, where there is anybody to link with."""
        if not self._group.names:
            return
        if self._mdns:
            import_module("sync.discovery.mdns")
        prepare(self._identity, self._group.trust.pins(), server_side=False)
        if self._port is not None:
            self._answering.prepare()

    async def fix_address(self, device: DeviceId, address: Address) -> None:
        """Take an address that the owner gave for a peer, for good."""
        await self._replica.run(lambda _, connection: peers.fix_address(connection, device, address))
        await self.refresh()

    async def offer_pairing(
        self, tell: Callable[[CodeOffered | PairingRefusal], None], *, replacing: DeviceId | None = None
    ) -> Partner:
        """Show a code through `tell`, and whatever replaces it, until one device proved it; then link up.

        `replacing`: whom it comes in place of, and who is revoked along with that.
        CodeExpired: nobody came in time. PairingClosed: too many wrong guesses.
        """
        take_in = partial(self.take_in, shows_code=True, replacing=replacing)
        return await self._meeting.offer(tell, self._group.banned, take_in=take_in)

    async def join_pairing(self, code: str, *, address: Address | None = None) -> Partner:
        """Prove a code, typed or scanned, to the device that shows it; then link up.

        Without an address, and unless the invitation has one, the device is looked for by mDNS.
        """
        partner = await self._meeting.join(code, address, self._group.banned)
        await self.take_in(partner, shows_code=False)
        return partner

    async def _hear_out(self, peer: DeviceId, trust: Trust) -> None:
        """Take what a device that is out says of the group; perhaps it is not out by that."""
        members, revocations = certified(trust.members), trust.revocations
        if await self._replica.run(lambda core, _: core.learn(members, revocations, by=peer)):
            await self.refresh()

    # -- meeting somebody new --------------------------------------------------------------------------------

    @property
    def banned(self) -> frozenset[DeviceId]:
        """Who is never taken in."""
        return self._group.banned

    async def take_in(self, partner: Partner, *, shows_code: bool, replacing: DeviceId | None = None) -> None:
        """Introduce a partner to the group, and call it where it said that it listens.

        Of two that had no group, the one that shows the code founds it. `replacing`: who is revoked in the same commit,
        unless the partner is that one, or is not let in.
        """
        trust = self._group.trust
        if self._identity.device_id in trust.revoked and not trust.admits(partner.device_id):
            raise PairingFailed(
                f"{partner.name} proved the code, but this device is not in the group that it holds, so it takes "
                "nobody in: pair it with a device of that group first, or, if none is left, samemind group rebuild"
            )
        introduction = introduce(
            self._identity.sign,
            self._identity.device_id,
            public_key=partner.public_key,
            certificate=partner.certificate,
            name=partner.name,
        )
        root = name_root(
            self._identity.sign,
            self._identity.device_id,
            public_key=self._identity.public_key,
            name=self._name,
        )
        if partner.address is not None or self._port is not None:
            self._promised[partner.device_id] = trio.current_time() + PARTNER_SECONDS_MAX
        now_ms = self._now_ms()

        def take_in(core: Core, connection: sqlite3.Connection) -> None:
            core.expect_root(partner.device_id, root if shows_code else None)
            if partner.address is not None:  # kept before anybody was reached there: it may be off for now
                peers.note_address(connection, partner.device_id, partner.address)
            comes_in, out = [introduction], list[Revocation]()
            stays_out = core.membership.judgment.revoked_by.keys()
            if replacing is not None and partner.device_id not in (replacing, *stays_out):
                identity = self._identity
                members, out = revoking(core.membership, identity.sign, identity.device_id, [replacing])
                comes_in += members
            core.learn(comes_in, out, now_ms=now_ms)  # and this waits for the disk, with the note

        await self._replica.run(take_in)
        await self.refresh()
        if not self._group.trust.admits(partner.device_id):
            raise PairingFailed(
                f"{partner.name} proved the code, but this group does not take it in: it was revoked here. It has to "
                "come back under a new key: samemind init --divorce there, then pair again"
            )
        if partner.address is not None:
            # One that is known already has a place that may be an old one, and is not among what is new.
            record = self._group.record(partner.device_id)
            self._group.update(partner.device_id, replace(record, last=partner.address))
            self._roster.remember(partner.device_id, partner.address, now_ms=self._now_ms())
            self.tasks.once("greeting a new device", self._greet, partner.device_id, partner.address)

    async def _greet(self, device: DeviceId, address: Address) -> None:
        for wait in PARTNER_RETRY_SECONDS:
            await trio.sleep(wait)
            if device in self._links:
                return
            try:
                pins = self._group.trust.pins({device, self._identity.device_id})
                reached = await reach([address], identity=self._identity, pins=pins)
            except SyncError as error:
                self._group.note(device, error)
            else:
                await self._keep(reached.stream, reached.peer, address=address)
                return
        self._promised.pop(device, None)
        self.news.stir()

    # -- syncing when asked ----------------------------------------------------------------------------------

    @contextmanager
    def _asking_for(self, device: DeviceId) -> Iterator[None]:
        """Call a device for as long as the block lasts."""
        self._roster.ask_for(device, now_ms=self._now_ms())
        self.news.stir()
        try:
            yield
        finally:
            self._roster.ask_no_more(device)

    def _is_hopeless(self, device: DeviceId, since: float) -> bool:
        """Whether everything that could be tried has been, and nobody else may still be sighted."""
        if self._mdns or self._calls or trio.current_time() < self._promised.get(device, 0.0):
            return False
        record = self._group.record(device)
        if (record.last or record.fixed) and self._group.failure(device, since=since) is None:
            return False
        return not self._untied or self._group.failure(None, since=since) is not None

    # -- links -----------------------------------------------------------------------------------------------

    async def _keep(self, stream: trio.abc.Stream, peer: DeviceId, *, address: Address | None = None) -> None:
        kept = self._links.admit(stream, peer, address)
        if kept is not None:
            await self._links.hold(kept)
            return
        await turn_away(stream, TOO_MANY)
        if peer not in self._links:
            self._lost(peer)
            if address is not None and not self._links.has_room(peer):
                self._group.note(peer, Crowded("this device holds as many links as it can", peer=peer))

    async def _listen(self) -> None:
        if self._port is not None and not self._listeners:  # the last time failed, and closed them
            self._listeners = await listen(self._listening_on, self._port)
        listeners, self._listeners = self._listeners, []
        await trio.serve_listeners(self._answer, listeners)

    async def answer_web(
        self, socket: Socket, origin: str, *, protocol: str, admitted: Callable[[], None]
    ) -> None:
        """Hold the link of a page of that origin for as long as it lasts, if its device is let in."""
        answer = partial(self._answering.answer_web, protocol=protocol, admitted=admitted)
        await self.tasks.attempt("answering a page", answer, socket, origin)

    async def tell_page(self, socket: Socket, origin: str, told: Callable[[], bytes]) -> None:
        """Tell a page of that origin something, if its device is let in."""
        await self.tasks.attempt("telling a page", self._answering.tell_web, socket, origin, told)

    async def hear_page(self, socket: Socket, origin: str) -> None:
        """Let a page of that origin prove the code that is shown, if one is."""
        await self.tasks.attempt("pairing with a page", self._meeting.hear_page, socket, origin)

    async def _answer(self, stream: trio.SocketStream) -> None:
        await self.tasks.attempt("answering a call", self._answering.answer, stream)

    def _lost(self, peer: DeviceId, needed: bool = False) -> None:
        self._roster.lost(peer, now_ms=self._now_ms(), random=self._random, needed=needed)

    # -- finding and dialling --------------------------------------------------------------------------------

    async def _dial(self) -> None:
        while True:
            news = self.news.count
            for contact in self._roster.due(now_ms=self._now_ms()):
                self._roster.calling(contact.key, now_ms=self._now_ms())
                self._calls[contact.key] = contact
                self.tasks.once("calling a device", self._call, contact)
            wake_ms = self._roster.next_wake_ms(now_ms=self._now_ms())
            with trio.CancelScope() as waiting:
                if wake_ms is not None:
                    waiting.deadline = max(wake_ms / 1000, trio.current_time() + 0.001)
                await self.news.after(news)

    async def _call(self, contact: DialTarget) -> None:
        # Of those who are missing: somebody who is linked may answer there too, and would take a second link for the
        # end of the first.
        missing = [each for each in self._group.trust.members if each not in self._links]
        try:
            pins = self._group.trust.pins(missing)
            reached = await reach(contact.addresses, identity=self._identity, pins=pins)
        except Crowded as error:
            self._roster.crowded(contact.key, error.peer, now_ms=self._now_ms(), random=self._random)
            self._group.note(error.peer, error)
            return
        except SyncError as error:
            are_all = len(missing) == len(self._group.trust.members)
            if isinstance(error, SomebodyElse) and not (are_all and contact.member is None):
                error = SomebodyElse(f"another device answers at {contact.addresses[0]}")
            failed = partial(self._roster.failed, by_other=isinstance(error, SomebodyElse))
            told = self._roster.refused if isinstance(error, Untrusted) and are_all else failed
            told(contact.key, now_ms=self._now_ms(), random=self._random)
            self._group.note(contact.member, error)
            return
        except Exception:  # ours; it would never be called again
            self._roster.failed(contact.key, now_ms=self._now_ms(), random=self._random)
            raise
        finally:
            del self._calls[contact.key]
            self.news.stir()
        self._untied.discard(reached.address)
        is_wanted = reached.peer in self._roster.wanted or reached.peer in self._links
        self._roster.reached(
            contact.key, reached.peer, reached.address, now_ms=self._now_ms(), random=self._random
        )
        if is_wanted:
            await self._keep(reached.stream, reached.peer, address=reached.address)
            return
        # Links are enough, and somebody else was sought; now it is known who answers there.
        await trio.aclose_forcefully(reached.stream)
        self._lost(reached.peer)

    async def _tend(self) -> None:
        """In a large group, end links that are not needed, and look at those to whom there is none."""
        while True:
            await next_beat(TEND_SECONDS)
            self._links.end_spare(self._roster.spare)
            if self._roster.look(now_ms=self._now_ms()):
                self.news.stir()

    async def _discover(self) -> None:
        """Announce and watch, once there is somebody to find."""
        while not self._group.names:
            await self.news.after(self.news.count)
        from sync.discovery.mdns import MdnsFinder  # here: a device alone needs no zeroconf

        async with AsyncExitStack() as stack:
            finder = await stack.enter_async_context(MdnsFinder.open(self._host))
            if self._port is not None:
                await stack.enter_async_context(finder.announce(ServiceType.SYNC, self._port))
            async for news in await stack.enter_async_context(finder.watch(ServiceType.SYNC)):
                if isinstance(news, Sighting):
                    self._roster.sight(news.name, news.addresses, now_ms=self._now_ms())
                else:
                    self._roster.lose_sight(news.name)
                self.news.stir()

    def _moved(self, change: Change, addresses: frozenset[str]) -> None:
        """Come back within seconds after the network did: TCP alone would take minutes to notice."""
        _log.info("the network changed: %s", change.name.lower())
        self._links.revalidate(addresses, all_of_them=change is not Change.ADDRESSES)
        self._roster.nudge(now_ms=self._now_ms())
        self._roster.forget_meetings()
        self.news.stir()

    # -- how -------------------------------------------------------------------------------------------------

    def _now_ms(self) -> int:
        return int(trio.current_time() * 1000)


@asynccontextmanager
async def open_syncer(
    replica: Replica,
    identity: Identity,
    host: AsyncioHost,
    *,
    name: str,
    listen_on: tuple[str, int] | None = None,
    mdns: bool = True,
    fixed: Iterable[Address] = (),
    dials: bool = True,
    limits: LinkLimits = LinkLimits(),
) -> AsyncIterator[Syncer]:
    """Keep in touch for as long as the block lasts.

    `listen_on`: host and port; an empty host is every interface, port 0 any that is free; None: dial only.
    `fixed`: addresses of peers beside those that were given for one peer. `dials`: whether to call peers before
    being asked to. `limits`: how many links to hold.
    """
    listeners = [] if listen_on is None else await listen(*listen_on)
    raised: Exception | None = None
    async with trio.open_nursery() as nursery:
        syncer = Syncer(
            replica,
            identity,
            host,
            nursery,
            name=name,
            listeners=listeners,
            listening_on="" if listen_on is None else listen_on[0],
            mdns=mdns,
            fixed=tuple(fixed),
            limits=limits,
        )
        own = introduce(
            identity.sign,
            identity.device_id,
            public_key=identity.public_key,
            certificate=identity.certificate,
            name=name,
        )
        await replica.run(partial(_begin, own))
        await syncer.refresh()
        syncer.prepare()
        if listeners:
            syncer.tasks.keep("listening for calls", syncer._listen)
        if dials:
            syncer.tasks.keep("calling devices", syncer._dial)
            syncer.tasks.keep("following the network", follow, syncer._moved)
            syncer.tasks.keep("tending links", syncer._tend)
        if mdns:
            syncer.tasks.keep("looking for devices by mDNS", syncer._discover)
        try:
            yield syncer
        except Exception as error:  # what goes wrong in the block is not a group of one
            raised = error
        await syncer._links.leave()
        nursery.cancel_scope.cancel()
    if raised is not None:
        raise raised


def _begin(own: IntroducedMember, core: Core, _: sqlite3.Connection) -> None:
    """Introduce the device to itself; where nothing is held, have the disk ready for all that is about to come."""
    core.found(own)
    if core.position == 0:
        core.store.make_room()
