"""Let callers in: a member gets its link, who was put out is told so, and a stranger gets nothing, and not for long.

Until a handshake proves who calls, anybody may be calling; so there is a bound to how many are listened to at once.
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from replica.ids import DeviceId
from sync.dialling import remote_host
from sync.errors import SyncError
from sync.group import Group
from sync.identity import Identity
from sync.revocation_notice import tell_revoked
from sync.tls import prepare, secure
from sync.web_hello import mail_origin
from sync.web_link import NOT_ADMITTED, TOO_MANY, Socket, close_quietly, secure_web, turn_away
from sync.wire.messages import Trust

# A handshake takes milliseconds. If strangers hold all of these at one door, one makes room: of those from the host
# that has most of them, the one that waited longest, so that one machine cannot push out another's.
HANDSHAKES_MAX: Final = 16

# A few kilobytes over the slowest network.
TELL_SECONDS_MAX: Final = 30.0

Keep = Callable[[trio.abc.Stream, DeviceId], Awaitable[None]]
Knocking = dict[trio.CancelScope, str | None]
"""From which host each handshake comes that is under way, as far as that is known; the longest first."""
Prove = Callable[[tuple[bytes, ...]], Awaitable[tuple[trio.abc.Stream, DeviceId]]]

_log = logging.getLogger(__name__)


class Acceptor:
    """How one device answers its callers. `keep` holds the link of one that is let in, until it ends."""

    def __init__(
        self,
        identity: Identity,
        group: Group,
        *,
        keep: Keep,
        now_ms: Callable[[], int],
        hear: Callable[[DeviceId, Trust], Awaitable[None]],
        has_room: Callable[[DeviceId], bool],
    ) -> None:
        """`hear`: takes what a revoked device says of the group. `has_room`: whether a member can be linked now."""
        self._identity = identity
        self._group = group
        self._keep = keep
        self._now_ms = now_ms
        self._hear = hear
        self._has_room = has_room
        self._knocking: Knocking = {}
        self._knocking_on_the_web: Knocking = {}

    def prepare(self) -> None:
        """Make ahead what the first caller would wait for."""
        pins = self._group.trust.pins() + tuple(self._group.to_be_told().values())
        prepare(self._identity, pins, server_side=True)

    async def answer(self, stream: trio.SocketStream) -> None:
        """Find out who calls, and deal with that."""

        async def prove(pins: tuple[bytes, ...]) -> tuple[trio.abc.Stream, DeviceId]:
            return await secure(
                stream,
                identity=self._identity,
                pins=pins,
                server_side=True,
                has_room=lambda peer: not self._group.trust.admits(peer) or self._has_room(peer),
            )

        await self._answer(prove, self._knocking, host=remote_host(stream))

    async def answer_web(
        self, socket: Socket, origin: str, *, protocol: str, admitted: Callable[[], None]
    ) -> None:
        """Do the same for a page of that origin, and tell when it is let in; the WebSocket is over after that."""

        async def prove(pins: tuple[bytes, ...]) -> tuple[trio.abc.Stream, DeviceId]:
            proved = await secure_web(
                socket, identity=self._identity, pins=pins, origin=origin, protocol=protocol
            )
            admitted()
            return proved

        if not await self._answer(prove, self._knocking_on_the_web):
            await close_quietly(socket, TOO_MANY)

    async def tell_web(self, socket: Socket, origin: str, told: Callable[[], bytes]) -> None:
        """Tell a page of that origin something if its device is a member, and close; anybody else hears nothing."""

        async def prove(pins: tuple[bytes, ...]) -> tuple[trio.abc.Stream, DeviceId]:
            return await secure_web(socket, identity=self._identity, pins=pins, origin=mail_origin(origin))

        async def tell(stream: trio.abc.Stream, peer: DeviceId) -> None:
            with trio.move_on_after(TELL_SECONDS_MAX):
                await stream.send_all(told())
                await stream.aclose()

        if not await self._answer(prove, self._knocking_on_the_web, tell):
            await close_quietly(socket, TOO_MANY)

    async def _answer(
        self, prove: Prove, knocking: Knocking, tell: Keep | None = None, host: str | None = None
    ) -> bool:
        """Return whether the caller was dealt with: one that had to make room was not. `tell`: instead of a link."""
        if len(knocking) >= HANDSHAKES_MAX:
            _makes_room(knocking).cancel()
        with trio.CancelScope() as scope:
            knocking[scope] = host
            try:
                out = self._group.to_be_told() if tell is None else {}
                pins = self._group.trust.pins() + tuple(out.values())
                secured, peer = await prove(pins)
            except SyncError as error:
                _log.debug("a caller was not let in: %s", error)
                return True
            finally:
                knocking.pop(scope)
        if scope.cancelled_caught:
            return False
        if peer in out:
            hears = peer in self._group.heard_out
            self._group.telling(peer)
            hear = partial(self._hear, peer) if hears else None
            if await tell_revoked(secured, self._group.grounds(peer), self._now_ms(), hear=hear):
                await self._group.told(peer)
        elif not self._group.trust.admits(peer):
            await turn_away(secured, NOT_ADMITTED)
        else:
            await (tell or self._keep)(secured, peer)
        return True


def _makes_room(knocking: Knocking) -> trio.CancelScope:
    """Return which handshake ends for one more."""
    count = Counter(knocking.values())
    most = max(count.values())
    return next(scope for scope, host in knocking.items() if count[host] == most)
