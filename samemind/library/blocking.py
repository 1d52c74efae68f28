"""The verbs as plain methods, for scripts, notebooks and threads of programs that do not run trio.

A thread of its own runs trio and the device, or the way to the program that holds the store. Any thread may call; calls
wait for their answer. Each method is the one of `samemind.library.mind` with the same name, signature and words.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self

import trio

from samemind.commands.memories._remembered import Remembered
from samemind.errors import SamemindError
from samemind.library._blocking_methods import BlockingMethods
from samemind.library.mind import CHANGES_AT_ONCE, Mind
from samemind.library.mind_thread import MindThread
from samemind.library.waiting import ThreadedMind, waiting_for

if TYPE_CHECKING:
    from cognition.ingest.sensory import Kind as SensedKind
    from samemind.commands.device.log import OpView
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
        thread = MindThread(path, name)
        thread.start()
        try:
            super().__init__(thread)
        except BaseException:  # as Ctrl-C is, while the thread goes on opening
            thread.end()
            raise

    def sense(self, text: str, *, kind: SensedKind = "turn", speaker: str | None = None) -> None:
        """Hold a turn, a document's chunk or an API's response for five seconds, until `absorb`."""
        self._mind.sense(text, kind=kind, speaker=speaker)

    def changes(self, *, after: int | None = None) -> Iterator[OpView]:
        """Iterate over changes as they come, of every program and device: ops behind a position, or from now on.

        Whoever keeps the `position` of the last op that it has handled goes on from there. `NotFound` (`too_late`)
        where ops behind it are folded away.
        """
        return self._changes_behind(self.log(limit=0).position if after is None else after)

    def _changes_behind(self, position: int) -> Iterator[OpView]:
        while True:
            page = self.log(after=position, wait=True, limit=CHANGES_AT_ONCE)
            yield from page.ops
            position = page.position

    def close(self) -> None:
        """Let go of the store; what other threads still wait for is cancelled. A second time, it does nothing."""
        thread = self._end()
        if thread is not None:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
