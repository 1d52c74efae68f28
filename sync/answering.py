"""Let callers in: a member gets its link, who was put out is told so, and a stranger gets nothing, and not for long.

Until a handshake proves who calls, anybody may be calling; so there is a bound to how many are listened to at once.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from replica.ids import DeviceId
from sync.errors import SyncError
from sync.farewell import tell_revoked
from sync.group import Group
from sync.identity import Identity
from sync.tls import SecureStream, secure
from sync.wire.messages import Trust

# A handshake takes milliseconds. If strangers hold all of these, the one that waited longest makes room.
HANDSHAKES_MAX: Final = 16

_log = logging.getLogger(__name__)


class Answering:
    """How one device answers its callers. `keep` holds the link of one that is let in, until it ends."""

    def __init__(
        self,
        identity: Identity,
        group: Group,
        *,
        keep: Callable[[SecureStream, DeviceId], Awaitable[None]],
        now_ms: Callable[[], int],
        hear: Callable[[DeviceId, Trust], Awaitable[None]],
    ) -> None:
        """`hear`: takes what a revoked device says of the group."""
        self._identity = identity
        self._group = group
        self._keep = keep
        self._now_ms = now_ms
        self._hear = hear
        self._knocking: dict[trio.CancelScope, None] = {}

    async def answer(self, stream: trio.SocketStream) -> None:
        """Find out who calls, and deal with that."""
        if len(self._knocking) >= HANDSHAKES_MAX:
            next(iter(self._knocking)).cancel()
        with trio.CancelScope() as scope:
            self._knocking[scope] = None
            try:
                out = self._group.to_be_told()
                pins = self._group.trust.pins() + tuple(each.certificate for each in out.values())
                secured, peer = await secure(stream, identity=self._identity, pins=pins, server_side=True)
            except SyncError as error:
                _log.debug("a caller was not let in: %s", error)
                return
            finally:
                self._knocking.pop(scope)
        if scope.cancelled_caught:
            return
        if peer in out:
            hears = peer in self._group.heard_out
            self._group.telling(peer)
            hear = partial(self._hear, peer) if hears else None
            if await tell_revoked(secured, out[peer].revocation, self._now_ms(), hear=hear):
                await self._group.told(peer)
        elif not self._group.trust.admits(peer):
            await trio.aclose_forcefully(secured)
        else:
            await self._keep(secured, peer)
