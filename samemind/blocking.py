"""The verbs as plain methods, for scripts, notebooks and threads of programs that do not run trio.

A thread of its own runs trio and the device, or the way to the program that holds the store. Any thread may call; calls
wait for their answer. Each method is the one of `samemind.library` with the same name, signature and words.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self
from warnings import warn

import trio

from samemind._blocking_methods import BlockingMethods
from samemind.commands.memories._remembered import Remembered
from samemind.errors import SamemindError
from samemind.library import Mind, open_mind
from samemind.waiting import ThreadedMind, waiting_for

if TYPE_CHECKING:
    from cognition.sensory import Kind as SensedKind
    from samemind.commands.memories.recall import Recalled

Options = ParamSpec("Options")


class _LookedAtLater(Remembered):
    """A memory that was stored; what was found in it is waited for when somebody looks at it."""

    _ask: Callable[..., Remembered]

    def __getattribute__(self, name: str) -> Any:
        if name not in _FOUND_LATER:
            return super().__getattribute__(name)
        known: dict[str, Any] = self.__dict__
        if name not in known:
            asked = "nominees" if name == "nominees" else "read"
            answer = known["_ask"](**{asked: True})
            wanted = _FOUND_LATER if asked == "nominees" else _FOUND_LATER - {"nominees"}
            known |= {each: getattr(answer, each) for each in wanted}
        return known[name]

    def __repr__(self) -> str:
        """Show all of it, or the memory alone to whoever may not wait: an error that names it as a wrong value."""
        try:
            return super().__repr__()
        except (RuntimeError, SamemindError):
            return f"{type(self).__qualname__}(rid={self.rid!r})"

    def __reduce__(self) -> tuple[Callable[[], Remembered], tuple[()]]:
        """Be a plain result for another process, which cannot ask; as one that was not read once that is too late."""
        try:
            known = {each.name: getattr(self, each.name) for each in fields(Remembered)}
        except SamemindError:
            known = {name: getattr(self, name) for name in _FOUND_AT_ONCE}
        return functools.partial(Remembered, **known), ()


_LookedAtLater.__qualname__ = Remembered.__qualname__  # as it is shown

# What was is made anew from the log, beside whoever reads.
_PAST: Final = frozenset({"as_of", "seen_by"})
# Looking for nominees costs more than all the rest; whoever looks at them has the rest as well.
_FOUND_LATER: Final = frozenset({"facts", "says_same", "contradictions", "facts_dropped", "read", "nominees"})
_FOUND_AT_ONCE: Final = tuple(each.name for each in fields(Remembered) if each.name not in _FOUND_LATER)


def _looked_at_later(
    method: Callable[Concatenate[Mind, Options], Awaitable[Remembered]],
) -> Callable[Concatenate[ThreadedMind, Options], Remembered]:
    """Return `remember` for whoever waits: only for the storing, unless the options say more."""

    @functools.wraps(method)
    def wait(self: ThreadedMind, /, *args: Any, **options: Any) -> Remembered:
        remember: Any = method
        if not options.keys().isdisjoint({"read", "wait", "nominees"}):
            at_once: Remembered = self._run(lambda: remember(self._mind, *args, **options))
            return at_once
        stored = _stored(self, lambda mind: remember(mind, *args, **options, read=False), options)
        if stored.held:
            return stored

        def ask(**asked: bool) -> Remembered:
            again = {**options, "rid": stored.rid, **asked}
            found: Remembered = self._run(lambda: remember(self._mind, *args, **again))
            return found

        later = object.__new__(_LookedAtLater)
        for name in _FOUND_AT_ONCE:
            object.__setattr__(later, name, getattr(stored, name))
        later.__dict__["_ask"] = ask
        return later

    return wait


def _stored(
    mind: ThreadedMind, call: Callable[[Mind], Coroutine[Any, Any, Remembered]], options: Mapping[str, Any]
) -> Remembered:
    """Store a memory; what comes with other words for it has trio's thread wake who embeds those."""
    straight = mind.straight
    if straight is not None and not options.get("wordings") and not trio.lowlevel.in_trio_task():
        try:
            return straight.run(call)
        except trio.ClosedResourceError:
            pass  # the other way says why
    return mind._run(lambda: call(mind._mind))


def _recalled_straight(
    method: Callable[Concatenate[Mind, Options], Coroutine[Any, Any, Recalled]],
) -> Callable[Concatenate[ThreadedMind, Options], Recalled]:
    """Return `recall` for whoever waits: on their own thread, unless it is asked what was, or has to wait itself."""

    @functools.wraps(method)
    def wait(self: ThreadedMind, /, *args: Options.args, **options: Options.kwargs) -> Recalled:
        def call(mind: Mind) -> Coroutine[Any, Any, Recalled]:
            return method(mind, *args, **options)

        straight = self.straight
        if straight is not None and _PAST.isdisjoint(options) and not trio.lowlevel.in_trio_task():
            try:
                answer = straight.recall(call)
            except trio.ClosedResourceError:
                answer = None  # the other way says why
            if answer is not None:
                return answer
        return self._run(lambda: call(self._mind))

    return wait


class BlockingMind(BlockingMethods):
    """One device's memory. Made by `samemind.open_blocking`; open until `close`, or the end of a `with`."""

    absorb = waiting_for(Mind.absorb)
    remember = _looked_at_later(Mind.remember)
    recall = _recalled_straight(Mind.recall)

    def __init__(self, path: str | os.PathLike[str], *, name: str | None = None) -> None:
        self._worker = _Worker(path, name)
        self._worker.start()
        try:
            opened = self._worker.opened()
        except BaseException:  # as Ctrl-C is, while the thread goes on opening
            self._worker.end()
            raise
        super().__init__(*opened)

    def sense(self, text: str, *, kind: SensedKind = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        self._mind.sense(text, kind=kind, speaker=speaker)

    def close(self) -> None:
        """Let go of the store; what other threads still wait for is cancelled. A second time, it does nothing."""
        if not self._is_forked:
            self.closing = True
            self._worker.end()
            self._worker.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # One that did not open has no thread to end; who collects it may be that thread, which cannot be waited for.
        if hasattr(self, "closing") and not self.closing and not self._is_forked:
            self._worker.end()
            warn(f"a memory was not closed: {self!r}", ResourceWarning, stacklevel=2, source=self)

    def __repr__(self) -> str:
        return f"<samemind.{type(self).__name__} {self._worker.path!r}{', closed' if self.closing else ''}>"


class _Worker(threading.Thread):
    """The thread that runs trio for one open store. It knows nothing of the mind, which may be collected."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        super().__init__(
            name="samemind", daemon=True
        )  # an interpreter that ends without closing is not held up
        self.path = path
        self._device_name = name
        self._looked_for = threading.Event()
        self._opened: tuple[Mind, trio.lowlevel.TrioToken] | None = None
        self._ended: Final = trio.Event()
        self._is_wanted = True
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            # Signals are the main thread's: a Ctrl-C reaches the caller, who closes us.
            trio.run(self._serve)
        except BaseException as error:
            self._failure = error
        finally:
            self._looked_for.set()

    def opened(self) -> tuple[Mind, trio.lowlevel.TrioToken]:
        """Return what was opened, or raise what kept it from being opened."""
        self._looked_for.wait()
        if self._opened is None:
            assert self._failure is not None
            raise self._failure
        return self._opened

    def end(self) -> None:
        """Have the thread end, if it is still opening too. What other threads still wait for is cancelled."""
        self._is_wanted = False
        if self._opened is not None:
            try:
                self._opened[1].run_sync_soon(self._ended.set)
            except trio.RunFinishedError:
                pass  # it ended by itself; `_failure` says why, and every call since has said so

    async def _serve(self) -> None:
        async with open_mind(self.path, name=self._device_name) as mind:
            self._opened = mind, trio.lowlevel.current_trio_token()
            self._looked_for.set()
            if self._is_wanted:
                await self._ended.wait()
