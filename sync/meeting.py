"""Bring two devices together that never met: offer a code, or find who offers one and prove it.

This is the part of pairing that knows about addresses and groups: where the code is shown, where its owner
is found, and at which port the new partner can be called afterwards. What a code proves is `sync.pairing`'s.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

import trio

from replica.asyncio_host import AsyncioHost
from replica.codec import pack, unpack
from replica.errors import InvalidOp
from replica.ids import DeviceId
from sync.address import PORT_MAX, Address
from sync.code import Invitation, PairingCode
from sync.dialling import listen, own_places, port_of
from sync.discovery.sightings import ServiceType, Sighting
from sync.errors import LinkLost, SyncError, WrongCode
from sync.identity import Identity, certificate_key, fingerprint
from sync.pairing import Introduction, PairingResult
from sync.pairing_link import CodeShown, Offering, OfferNews, answer_page, join, offer
from sync.web_hello import pairing_context
from sync.web_link import DONE, NO_CODE_SHOWN, Socket, close_quietly

if TYPE_CHECKING:
    from sync.discovery.mdns import MdnsFinder

# A device that shows a code is announced within two seconds; one more for a slow network.
FIND_SECONDS_MAX: Final = 5.0


@dataclass(frozen=True, slots=True)
class CodeOffered:
    """Show this; it replaces what was shown before. `invitation` is the same for a QR code."""

    code: str
    invitation: str
    addresses: tuple[Address, ...]
    expires_ms: int


@dataclass(frozen=True, slots=True)
class PairingRefusal:
    """Somebody tried and was turned away."""

    error: SyncError


@dataclass(frozen=True, slots=True)
class Partner:
    """Who was paired with.

    `words`: the same on both ends, for people to compare. `address`: where it syncs, if that is known.
    """

    device_id: DeviceId
    certificate: bytes
    public_key: bytes
    name: str
    words: tuple[str, ...]
    address: Address | None


class Meeting:
    """How one device meets others. `listening_on` is the host of its listeners, `sync_port` where it syncs."""

    def __init__(
        self,
        identity: Identity,
        name: str,
        host: AsyncioHost,
        *,
        mdns: bool,
        listening_on: str,
        sync_port: int | None,
        now_ms: Callable[[], int],
    ) -> None:
        self._identity = identity
        self._introduction = Introduction(name, pack(sync_port))
        self._host = host
        self._mdns = mdns
        self._listening_on = listening_on
        self._now_ms = now_ms
        self._offerings: list[Offering] = []

    async def offer(
        self,
        tell: Callable[[CodeOffered | PairingRefusal], None],
        revoked: Collection[DeviceId],
        *,
        take_in: Callable[[Partner], Awaitable[None]],
    ) -> Partner:
        """Show a code, and whatever replaces it, until one device proved it and was taken in."""
        async with AsyncExitStack() as stack:
            finder = await stack.enter_async_context(_finder(self._host)) if self._mdns else None
            listeners = await listen(self._listening_on, 0)  # the last that may fail: `offer` closes them
            if finder is not None:
                await stack.enter_async_context(finder.announce(ServiceType.PAIRING, port_of(listeners)))
            return await self._offer(listeners, tell, revoked, take_in)

    async def _offer(
        self,
        listeners: Sequence[trio.SocketListener],
        tell: Callable[[CodeOffered | PairingRefusal], None],
        revoked: Collection[DeviceId],
        take_in: Callable[[Partner], Awaitable[None]],
    ) -> Partner:
        places = own_places(self._listening_on, port_of(listeners))

        def pass_on(news: OfferNews) -> None:
            if isinstance(news, CodeShown):
                invitation = Invitation(news.code, fingerprint(self._identity.certificate), places)
                expires_ms = self._now_ms() + news.expires_in_ms
                tell(CodeOffered(str(news.code), str(invitation), places, expires_ms))
            else:
                tell(PairingRefusal(news.error))

        offering = Offering(self._identity, self._introduction, tell=pass_on, revoked=revoked)
        self._offerings.append(offering)
        try:
            paired = await offer(offering, listeners=listeners)
            partner = partner_of(paired, paired.host)
            await take_in(partner)
        finally:
            self._offerings.remove(offering)
            offering.settled.set()
        return partner

    async def hear_page(self, socket: Socket, origin: str) -> None:
        """Let a page of that origin prove the code that was shown last; the WebSocket is over after that."""
        if not self._offerings:
            await close_quietly(socket, NO_CODE_SHOWN)
            return
        offering = self._offerings[-1]
        try:
            is_paired = await offering.hear(
                partial(answer_page, socket, certificate=self._identity.certificate),
                host=None,  # a page listens nowhere
                context=pairing_context(origin),
                sign=self._identity.sign,
            )
            if is_paired:
                await offering.settled.wait()  # it calls as soon as this is over
        finally:
            await close_quietly(socket, DONE)

    async def join(self, code: str, address: Address | None, revoked: Collection[DeviceId]) -> Partner:
        """Prove a code at the address given, at those of the invitation, or at whoever is sighted."""
        if self._mdns:
            import_module("sync.discovery.mdns")  # else it is loaded in the midst of the first sync
        expected: bytes | None = None
        places: tuple[Address, ...] = () if address is None else (address,)
        if len(code.split()) > 1 and code.startswith("samemind:"):
            invitation = Invitation.parse(code)
            proof, expected = invitation.code, invitation.fingerprint
            places = places or invitation.addresses
        else:
            proof = PairingCode.parse(code)
        errors: list[LinkLost] = []

        async def prove_at(some: Iterable[Address]) -> Partner | None:
            for place in some:
                try:
                    paired = await join(
                        self._identity,
                        self._introduction,
                        proof,
                        place,
                        expected_fingerprint=expected,
                        revoked=revoked,
                    )
                except LinkLost as error:
                    errors.append(error)
                except WrongCode as error:
                    if some is places:
                        raise
                    # Another may show the code that was meant. It is not asked: each proof is a guess for who gets it.
                    raise WrongCode(
                        f"{place}, which was found on this network: {error}. Where several devices show codes, "
                        "give the address of yours as well"
                    ) from error
                else:
                    return partner_of(paired, place.host)
            return None

        partner = await prove_at(places)
        if partner is None and address is None and self._mdns:
            partner = await self._look(prove_at)
        if partner is not None:
            return partner
        if errors:
            raise errors[-1]
        raise LinkLost(
            "no device on this network shows a pairing code: is `pair` open on the other device? "
            "Where mDNS does not reach, give the address that it shows"
        )

    async def _look(
        self, prove_at: Callable[[Iterable[Address]], Awaitable[Partner | None]]
    ) -> Partner | None:
        async with AsyncExitStack() as stack:
            finder = await stack.enter_async_context(_finder(self._host))
            seen = await stack.enter_async_context(finder.watch(ServiceType.PAIRING))
            while True:
                with trio.move_on_after(FIND_SECONDS_MAX) as looking:
                    news = await seen.receive()
                if looking.cancelled_caught:
                    return None
                if isinstance(news, Sighting) and (partner := await prove_at(news.addresses)) is not None:
                    return partner


def _finder(host: AsyncioHost) -> "AbstractAsyncContextManager[MdnsFinder]":
    """Return what finds devices by mDNS: loaded here, since a device that stays alone needs no zeroconf."""
    from sync.discovery.mdns import MdnsFinder

    return MdnsFinder.open(host)


def partner_of(paired: PairingResult, host: str | None) -> Partner:
    """Return who was paired with; `host`: from where it came, if that is where it can be called."""
    member = paired.member
    port = _read_port(paired.payload)
    return Partner(
        member.device_id,
        member.certificate,
        certificate_key(member.certificate),
        member.name,
        paired.words,
        None if port is None or host is None else Address(host, port),
    )


def _read_port(payload: bytes) -> int | None:
    """The port at which the partner syncs, if it said one."""
    try:
        plain = unpack(payload)
    except InvalidOp:
        return None
    return plain if isinstance(plain, int) and 0 < plain <= PORT_MAX else None
