"""Keep what is to be forgotten, decided or parted until it is too late to take it back; only then is it written.

Nothing of a window is an op: other devices never hear of what was undone, and a process that dies within the
window has done nothing. The page hides what waits here, and every page of this panel hides the same.

Nobody is hurried: a page holds a window open for as long as somebody is at its notice. It asks for that again and
again, so that the window of a page that went away closes soon.
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
# What one asking holds a window open for, from then on: pages ask every three seconds, also on a busy machine.
HOLD_S: Final = 10.0
# From its opening: more than ten times what the longest takes (WCAG 2.2.1), and not for ever, as other devices wait.
HELD_S_MAX: Final = 300.0
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


@dataclass(slots=True)
class _Window:
    waiting: PendingUndo
    act: Callable[[], Awaitable[object]]
    until: trio.CancelScope
    """Its deadline is when the window closes."""
    opened_s: float
    is_closing: bool = False
    """Hidden still, and too late: it is being written."""


class UndoWindows:
    """All windows that are open. `nursery` outlives every one of them, or drops them."""

    def __init__(
        self, nursery: trio.Nursery, forget: Callable[[Sequence[str]], Awaitable[object]], random: Random
    ) -> None:
        self._nursery = nursery
        self._forget = forget
        self._random = random
        self._open: dict[str, _Window] = {}
        self.news = NewsCounter()
        """Of a window that opened or closed."""

    def waiting(self) -> list[PendingUndo]:
        """Return what waits, the oldest first."""
        return [window.waiting for window in self._open.values()]

    def open(
        self, rids: Sequence[str], seconds: float, *, covered: Sequence[str] | None = None
    ) -> PendingUndo:
        """Forget these when the window closes, or all that they stand for (`covered`)."""
        return self._start(rids, seconds, lambda: self._forget(rids if covered is None else covered))

    def decide(self, about: str, act: Callable[[], Awaitable[object]]) -> PendingUndo:
        """Do something about one thing when the window closes; another decision about it takes the place of this."""
        for window in [*self._open.values()]:
            if window.waiting.about == about and not window.is_closing:
                self.undo(window.waiting.id)
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
        now_s = trio.current_time()
        window = _Window(waiting, act, trio.CancelScope(deadline=now_s + seconds), now_s)
        self._open[waiting.id] = window
        self._nursery.start_soon(self._wait, window)
        self.news.stir()
        return waiting

    def undo(self, id: str) -> PendingUndo:
        """Take it back; `NotFound` when that is too late."""
        window = self._open.get(id)
        if window is None or window.is_closing:
            raise NotFound("it is too late to undo that", code="too_late")
        del self._open[id]
        window.until.cancel()
        self.news.stir()
        return window.waiting

    def hold(self, id: str) -> float:
        """Let it be taken back for `HOLD_S` from now at least, within `HELD_S_MAX` of its opening.

        Returns the seconds that are left: none where it was taken back, or it is too late, as no page knows before.
        """
        window, now_s = self._open.get(id), trio.current_time()
        if window is None or window.is_closing or window.until.cancel_called:
            return 0.0
        window.until.deadline = max(window.until.deadline, min(now_s + HOLD_S, window.opened_s + HELD_S_MAX))
        return window.until.deadline - now_s

    async def _wait(self, window: _Window) -> None:
        with window.until:
            await trio.sleep_forever()
        if window.waiting.id not in self._open:
            return  # taken back, perhaps at the very moment
        window.is_closing = True
        try:
            await window.act()
        except Exception:  # a full disk, say: it is not done, so it shows again, and the daemon goes on
            _log.exception("could not do what was chosen in the panel")
        finally:
            del self._open[window.waiting.id]
            self.news.stir()
