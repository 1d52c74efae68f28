"""Keep what is to be forgotten, decided or parted until it is too late to take it back; only then is it written.

Nothing of a window is an op: other devices never hear of what was undone, and a process that dies within the
window has done nothing. The page hides what waits here, and every page of this panel hides the same.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import trio

from replica.news import NewsCounter
from samemind.errors import NotFound, Usage

FORGET_S: Final = 4.0
CLEAR_ALL_S: Final = 8.0
# A decision is read again before it is regretted.
DECIDE_S: Final = 10.0
# More than fingers can start within a window.
WAITING_MAX: Final = 256

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PendingUndo:
    """What will be forgotten, decided `about` something, or parted (an `edge`), unless it is taken back in time."""

    id: str
    rids: tuple[str, ...]
    seconds: float
    about: str | None = None
    edge: tuple[str, str, str] | None = None


class UndoWindows:
    """All windows that are open. `nursery` outlives every one of them, or drops them."""

    def __init__(
        self, nursery: trio.Nursery, forget: Callable[[Sequence[str]], Awaitable[object]], random: Random
    ) -> None:
        self._nursery = nursery
        self._forget = forget
        self._random = random
        self._acts: dict[str, Callable[[], Awaitable[object]]] = {}
        self._open: dict[str, tuple[PendingUndo, trio.CancelScope]] = {}
        self._closing: set[str] = set()  # hidden still, and too late: it is being written
        self.news = NewsCounter()
        """Of a window that opened or closed."""

    def waiting(self) -> list[PendingUndo]:
        """Return what waits, the oldest first."""
        return [waiting for waiting, _ in self._open.values()]

    def open(
        self, rids: Sequence[str], seconds: float, *, covered: Sequence[str] | None = None
    ) -> PendingUndo:
        """Forget these when the window closes, or all that they stand for (`covered`)."""
        return self._start(rids, seconds, lambda: self._forget(rids if covered is None else covered))

    def decide(self, about: str, act: Callable[[], Awaitable[object]]) -> PendingUndo:
        """Do something about one thing when the window closes; another decision about it takes the place of this."""
        for waiting in self.waiting():
            if waiting.about == about and waiting.id not in self._closing:
                self.undo(waiting.id)
        return self._start((), DECIDE_S, act, about=about)

    def part(self, edge: tuple[str, str, str], act: Callable[[], Awaitable[object]]) -> PendingUndo:
        """Take an edge away when the window closes; one that waits for that already is not taken away twice."""
        for waiting in self.waiting():
            if waiting.edge == edge:
                return waiting
        return self._start((), DECIDE_S, act, edge=edge)

    def _start(
        self,
        rids: Sequence[str],
        seconds: float,
        act: Callable[[], Awaitable[object]],
        *,
        about: str | None = None,
        edge: tuple[str, str, str] | None = None,
    ) -> PendingUndo:
        if len(self._open) >= WAITING_MAX:
            raise Usage(f"expected at most {WAITING_MAX} things to wait at once", code="too_many")
        waiting = PendingUndo(self._random.randbytes(8).hex(), tuple(rids), seconds, about, edge)
        self._acts[waiting.id] = act
        scope = trio.CancelScope()
        self._open[waiting.id] = waiting, scope
        self._nursery.start_soon(self._wait, waiting, scope)
        self.news.stir()
        return waiting

    def undo(self, id: str) -> PendingUndo:
        """Take it back; `NotFound` when that is too late."""
        if id not in self._open or id in self._closing:
            raise NotFound("it is too late to undo that", code="too_late")
        waiting, scope = self._open.pop(id)
        del self._acts[id]
        scope.cancel()
        self.news.stir()
        return waiting

    async def _wait(self, waiting: PendingUndo, scope: trio.CancelScope) -> None:
        with scope:
            await trio.sleep(waiting.seconds)
        if waiting.id not in self._open:
            return  # taken back, perhaps at the very moment
        self._closing.add(waiting.id)
        try:
            await self._acts[waiting.id]()
        except Exception:  # a full disk, say: it is not done, so it shows again, and the daemon goes on
            _log.exception("could not do what was chosen in the panel")
        finally:
            self._closing.discard(waiting.id)
            del self._acts[waiting.id]
            del self._open[waiting.id]
            self.news.stir()
