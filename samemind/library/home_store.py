"""Find the memory when it is first wanted, and again when whoever held it has gone.

Several programs run at once, agents' servers and users of the library, and one store has one writer. With a daemon, all
of them go through it. Without one, the first to come holds the store and answers the others; when it ends, the next of
them takes its place, and when a daemon comes up, it lets go for that. None of this shows in a call, but that a call may
wait for a moment. (The first user of the library keeps the store in its own process: `samemind.library.mind`.)

A call whose holder ended before it answered is made again where doing it twice is the same as doing it once;
otherwise the caller is told that it may have been done.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Final, Protocol

import trio

from samemind.config import Home
from samemind.control.remote import Remote
from samemind.control.server import Say
from samemind.errors import HOLDER_ENDED, Unreachable, explain
from samemind.starting import start_daemon, wants_daemon

# How long the calls of this very process may take to end when a daemon asks for the store.
GRACE_S: Final = 1.0
# A daemon that asked for the store takes it at once; one that did not come leaves it to us again.
TAKEN_WITHIN_S: Final = 5.0
POLL_S: Final = 0.02
PROGRAM: Final = "samemind mcp"


class VerbPerformer(Protocol):
    """Whatever has verbs performed: the store of a home, or the daemon's own device."""

    async def ask(
        self, verb: str, options: Mapping[str, Any], *, again: bool, hear: Say | None = None
    ) -> Mapping[str, Any]:
        """Have a verb performed; `again` says that doing it twice is no different from doing it once.

        `hear` is called with what the verb says meanwhile.
        """
        ...


class HomeStore:
    """The way to one home's memory. `keep` runs beside everything else, until `close`.

    `serves_agents`: where no daemon runs, it brings up what is due, and thinks.
    """

    def __init__(self, home: Home, *, program: str = PROGRAM, serves_agents: bool = True) -> None:
        self._home = home
        self._program = program
        self._serves_agents = serves_agents
        self._closed = trio.Event()
        self._wanted = trio.Event()
        self._turned = trio.Event()
        self._lost = trio.Event()
        self._reached: Any = None
        self._failure: Exception | None = None
        self._calls: set[trio.CancelScope] = set()
        self._idle = trio.Event()

    async def ask(
        self, verb: str, options: Mapping[str, Any], *, again: bool, hear: Say | None = None
    ) -> Mapping[str, Any]:
        """Have a verb performed; `again` says that doing it twice is no different from doing it once."""
        looked_anew = False
        while True:
            reached = await self._reach()
            if not looked_anew and _is_copy_for_reading(reached, verb):
                looked_anew = True  # the home may take writes by now
                self._lose(reached)
                continue
            call = trio.CancelScope()
            self._calls.add(call)
            try:
                with call:
                    document: Mapping[str, Any] = await reached.ask(verb, options, hear or _unheard)
                    return document
            except Unreachable as error:
                if error.code != HOLDER_ENDED:
                    raise
                self._lose(reached)
                if not again:
                    raise
                continue
            except trio.ClosedResourceError:
                if self._closed.is_set() or self._reached is reached:
                    raise
            finally:
                self._calls.remove(call)
                if not self._calls:
                    self._idle.set()
            # This process held the store, and let go of it before that was done.
            if not again and not self._closed.is_set():
                raise Unreachable(
                    "a daemon took the store before this was done",
                    code=HOLDER_ENDED,
                    hint="some of it may have been done: check, then ask again",
                )

    def _lose(self, reached: Any) -> None:
        """Have another way be looked for, unless that is done."""
        if self._reached is reached:
            self._lost.set()
            self._reached = None

    async def keep(self) -> None:
        """Hold the way open while it lasts, and find another when it is wanted."""
        while True:
            await _first_of(self._wanted, self._closed)
            if self._closed.is_set():
                self._turn()
                return
            self._wanted = trio.Event()
            self._lost = trio.Event()
            handed_over = False
            try:
                async with self._opened() as (reached, stop):
                    self._reached = reached
                    self._turn()
                    await _first_of(self._lost, stop, self._closed)
                    self._reached = None
                    handed_over = stop.is_set()
                    if handed_over:
                        await self._finish_calls()
                for call in self._calls:  # what waits for news, as of a store that is closed, hears of none
                    call.cancel()
            except Exception as error:
                self._failure = explain(error)
                self._reached = None
                self._turn()
            if handed_over:
                await self._until_taken()

    def close(self) -> None:
        """Have `keep` end, once the store is closed; `ask` raises `trio.ClosedResourceError` from then on."""
        self._closed.set()

    async def _reach(self) -> Any:
        while self._reached is None:
            if self._closed.is_set():
                raise trio.ClosedResourceError("the store is closed")
            self._failure = None
            self._wanted.set()
            await self._turned.wait()
            if self._failure is not None:
                raise self._failure
        return self._reached

    def _turn(self) -> None:
        turned, self._turned = self._turned, trio.Event()
        turned.set()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[Any, trio.Event]]:
        """Reach the memory; with it comes the event at which a holder lets go."""
        remote = await Remote.connect(self._home)
        if remote is None and wants_daemon(self._home):
            await trio.to_thread.run_sync(start_daemon, self._home)
            remote = await Remote.connect(self._home)
        if remote is not None:
            try:
                yield remote, trio.Event()
            finally:
                await remote.aclose()
            return
        # Everything heavy, in a thread: whoever just said hello is answered meanwhile.
        reach = (await trio.to_thread.run_sync(import_module, "samemind.reach")).reach_or_copy
        async with reach(self._home, program=self._program, answers=True, lets_go=True) as reached:
            if not hasattr(reached, "device"):
                yield reached, trio.Event()
            elif not self._serves_agents:
                yield reached, reached.device.stop
            else:
                tended = (await trio.to_thread.run_sync(import_module, "samemind.daemon.tending")).tended
                async with tended(reached.device):
                    yield reached, reached.device.stop

    async def _finish_calls(self) -> None:
        with trio.move_on_after(GRACE_S):
            while self._calls:
                self._idle = trio.Event()
                await self._idle.wait()

    async def _until_taken(self) -> None:
        with trio.move_on_after(TAKEN_WITHIN_S):
            while (remote := await Remote.connect(self._home)) is None:  # noqa: ASYNC110 -- another process
                await trio.sleep(POLL_S)
            await remote.aclose()


async def _first_of(*events: trio.Event) -> None:
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)


def _is_copy_for_reading(reached: Any, verb: str) -> bool:
    """Say whether a verb that writes would be asked of a copy, of a home that took no writes when it was reached."""
    answers = getattr(reached, "answers", None)
    return answers is not None and not answers(verb)


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile, where only its result is wanted."""
