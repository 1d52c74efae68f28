"""Say how far a long piece of work is that another thread does, be it what was asked for or what that waits for."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

import outcome
import trio

from samemind.control.protocol import TAKING_IN

if TYPE_CHECKING:
    from replica import Replica
    from samemind.control.server import Say

Result = TypeVar("Result")
# Often enough for a bar that moves, and seldom beside what saying it costs.
EVERY_S: Final = 0.2


class Progress:
    """How much is done, of how much: noted by any thread, and said by one task."""

    def __init__(self) -> None:
        self.done = 0
        self.total: int | None = None

    def note(self, done: int) -> None:
        """Note that so much is done by now; in a thread of trio's, end the work if nobody waits for it any longer."""
        self.done = done
        with suppress(RuntimeError):  # in any other thread, the work goes on to its end
            trio.from_thread.check_cancelled()

    def document(self) -> Mapping[str, object]:
        """Return what is said: less than all of it, since the end is told by the result."""
        done = self.done if self.total is None else min(self.done, self.total - 1)
        return {"progress": {"done": max(0, done), "total": self.total}}


async def while_telling(say: "Say", work: Callable[[Progress], Awaitable[Result]]) -> Result:
    """Do a piece of work that notes how far it is, and `say` that now and then, once it knows how much there is."""
    progress = Progress()

    async def tell() -> None:
        while True:
            await trio.sleep(EVERY_S)
            if progress.total:
                await say(progress.document())

    return await _beside(tell, lambda: work(progress))


async def while_taking_in(replica: "Replica", say: "Say", work: Callable[[], Awaitable[Result]]) -> Result:
    """Do what was asked, and `say` meanwhile how far the snapshot is that the store takes in: most work waits for it.

    MCP's clients give up on what says nothing for a minute, and people sooner.
    """

    async def tell() -> None:
        await trio.sleep(EVERY_S)
        while (taken := replica.taking_in) is not None:
            progress = Progress()
            progress.total, progress.done = taken.memories, taken.written
            if progress.total:
                await say({**progress.document(), TAKING_IN: True})
            await trio.sleep(EVERY_S)

    return await _beside(tell, work)


async def _beside(tell: Callable[[], Awaitable[None]], work: Callable[[], Awaitable[Result]]) -> Result:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        came: outcome.Outcome[Result] = await outcome.acapture(work)  # a nursery would wrap what fails
        nursery.cancel_scope.cancel()
    return came.unwrap()
