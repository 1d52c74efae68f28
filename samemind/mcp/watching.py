"""Tell agents' hosts that what they read has changed: one resource, or the list of them.

Nothing is watched until a host subscribes or lists resources. From then on the log is followed, and after a moment's
quiet what was asked for is read again: a host hears of a resource only where its text is another. Both ways of the
protocol are served: subscriptions that are a request of their own (from 2026-07-28 on), and notifications within a
session before that.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any, Final

import trio
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from samemind.errors import SamemindError
from samemind.library.home_store import VerbPerformer

# What comes within a moment is one change: an import must not be told memory by memory.
GATHER_S: Final = 0.3
# Before the log is followed again where that failed.
AGAIN_S: Final = 2.0
# Each is read again after every change.
SUBSCRIPTIONS_MAX: Final = 64

Context = ServerRequestContext[Any, Any]


class Subscriptions:
    """Who wants to hear of what. `run` goes beside the server for as long as that lives."""

    def __init__(
        self,
        store: VerbPerformer,
        read: Callable[[str], Awaitable[str]],
        listed: Callable[[], Awaitable[Hashable]],
    ) -> None:
        """Watch a store: `read` returns the text of a resource, `listed` something that differs when the list does."""
        self._store = store
        self._read = read
        self._list = listed
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus, max_subscriptions=SUBSCRIPTIONS_MAX)
        # By address: what it said last, and how many ask for it.
        self._texts: dict[str, str | None] = {}
        self._asked: dict[str, int] = {}
        self._listed: Hashable = None
        # Sessions of before 2026-07-28, by their ids: the way to them, and the addresses that they subscribed to.
        self._sessions: dict[str, tuple[Any, set[str]]] = {}
        self._wanted = trio.Event()
        self._stirred = trio.Event()

    async def run(self) -> None:
        """Follow the log once somebody wants to know, and tell them."""
        await self._wanted.wait()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._follow)
            while True:
                await self._stirred.wait()
                await trio.sleep(GATHER_S)
                self._stirred = trio.Event()
                await self._look()

    async def end_with(self, ending: trio.Event) -> None:
        """End every stream of changes once this server is ending, and tell its client that it did so on purpose."""
        await ending.wait()
        self._listen.close()

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream of changes, until its client ends it."""
        asked: list[str] = []
        try:
            for uri in params.notifications.resource_subscriptions or ():
                await self._ask_for(uri)
                asked.append(uri)
            if params.notifications.resources_list_changed:
                await self.watch_list(context)
            return await self._listen(context, params)
        finally:
            for uri in asked:
                self._give_up(uri)

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Tell this session when a resource changes."""
        uri = str(params.uri)
        _, uris = self._session(context)
        if uri not in uris:
            await self._ask_for(uri)
            uris.add(uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell it no more."""
        uri = str(params.uri)
        _, uris = self._session(context)
        if uri in uris:
            uris.remove(uri)
            self._give_up(uri)
        return types.EmptyResult()

    async def watch_list(self, context: Context) -> None:
        """Tell whoever lists resources when there are others."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._session(context)
        if self._listed is None:
            self._listed = await self._list()
        self._wanted.set()

    def _session(self, context: Context) -> tuple[Any, set[str]]:
        headers: Mapping[str, str] = getattr(context.request, "headers", {})
        name = headers.get("mcp-session-id", "")
        if name not in self._sessions:
            if len(self._sessions) >= SUBSCRIPTIONS_MAX:
                self._forget(next(iter(self._sessions)))
            self._sessions[name] = (context.session, set())
        return self._sessions[name]

    async def _ask_for(self, uri: str) -> None:
        if uri not in self._asked and len(self._asked) >= SUBSCRIPTIONS_MAX:
            raise MCPError(
                types.INVALID_PARAMS,
                f"expected at most {SUBSCRIPTIONS_MAX} resources at a time; end one first",
            )
        text = self._texts[uri] if uri in self._asked else await self._read(uri)
        self._texts[uri] = text
        self._asked[uri] = self._asked.get(uri, 0) + 1
        self._wanted.set()

    def _give_up(self, uri: str) -> None:
        self._asked[uri] -= 1
        if not self._asked[uri]:
            del self._asked[uri], self._texts[uri]

    def _forget(self, name: str) -> None:
        _, uris = self._sessions.pop(name)
        for uri in uris:
            self._give_up(uri)

    async def _follow(self) -> None:
        async def hear(_: Mapping[str, Any]) -> None:
            self._stirred.set()

        while True:
            try:
                await self._store.ask("log", {"limit": 1, "follow": True}, again=True, hear=hear)
            except SamemindError:
                await trio.sleep(AGAIN_S)

    async def _look(self) -> None:
        for uri in list(self._asked):
            text = await self._text(uri)
            if uri in self._asked and text != self._texts[uri]:
                self._texts[uri] = text
                await self._bus.publish(ResourceUpdated(uri))
                for name, (session, uris) in list(self._sessions.items()):
                    if uri in uris:
                        await self._say(name, session.send_resource_updated(uri))
        if self._listed is None:
            return
        try:
            listed = await self._list()
        except SamemindError:
            return
        if listed != self._listed:
            self._listed = listed
            await self._bus.publish(ResourcesListChanged())
            for name, (session, _) in list(self._sessions.items()):
                await self._say(name, session.send_resource_list_changed())

    async def _text(self, uri: str) -> str | None:
        """Return what a resource says; None where it is gone."""
        try:
            return await self._read(uri)
        except (MCPError, SamemindError):
            return None

    async def _say(self, name: str, sent: Awaitable[None]) -> None:
        try:
            await sent
        except Exception:  # the session has ended, in whichever way its transport says so
            if name in self._sessions:
                self._forget(name)
