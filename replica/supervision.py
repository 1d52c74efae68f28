"""Run what goes on in the background, and let no failure of it end the program.

A `Supervisor` starts tasks in a nursery. A task that is to go on for ever and fails is logged, and starts again after
a pause that doubles with each failure in a row; one that has an end and fails is logged, and that is all. Without it,
an error that nobody foresaw would end every other task of the nursery: one odd packet from a stranger, the daemon.

Cancellation passes through. What failed is kept in `troubles`, so that `samemind doctor` can name it.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from replica.values import dataclass

# Long enough that a task which fails at once costs nothing, short enough that nobody notices the pause.
PAUSE_SECONDS_MIN: Final = 1.0
# What fails for hours is worth a try every five minutes: a network or a disk may be back.
PAUSE_SECONDS_MAX: Final = 300.0
# Whoever ran for so long before it failed begins with the shortest pause again.
SOUND_SECONDS: Final = 600.0
# A peer chooses what fails and how often; names of tasks are ours, and few.
TROUBLE_CHARACTERS_MAX: Final = 200

_log = logging.getLogger(__name__)

Task = Callable[..., Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Trouble:
    """How often a task has failed, and the last time why."""

    times: int
    reason: str


class Supervisor:
    """Tasks of one nursery, none of which can end it by an error."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self.troubles: dict[str, Trouble] = {}
        """What has failed since the start, by the name of the task."""

    def keep(self, name: str, task: Task, *args: Any) -> None:
        """Start a task that is to go on until it returns; where it fails, it starts again after a pause."""
        self._nursery.start_soon(self._keep, name, task, args, name=name)

    def once(self, name: str, task: Task, *args: Any) -> None:
        """Start a task that has an end; where it fails, that is logged."""
        self._nursery.start_soon(self.attempt, name, task, *args, name=name)

    async def attempt(self, name: str, task: Task, *args: Any) -> bool:
        """Run a task here and now; say whether it came to its end without an error."""
        ended = False
        try:
            await task(*args)
            ended = True
        except* Exception as group:
            self._note(name, group)
        return ended

    async def _keep(self, name: str, task: Task, args: tuple[Any, ...]) -> None:
        pause = PAUSE_SECONDS_MIN
        while True:
            began = trio.current_time()
            if await self.attempt(name, task, *args):
                return
            if trio.current_time() - began >= SOUND_SECONDS:
                pause = PAUSE_SECONDS_MIN
            await trio.sleep(pause)
            pause = min(2 * pause, PAUSE_SECONDS_MAX)

    def _note(self, name: str, group: BaseExceptionGroup[Exception]) -> None:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        before = self.troubles.get(name, Trouble(0, ""))
        reason = f"{type(error).__name__}: {error}"[:TROUBLE_CHARACTERS_MAX]
        self.troubles[name] = Trouble(before.times + 1, reason)
        if reason == before.reason:  # the same a thousand times is one traceback
            _log.warning("%s failed again, %d times by now: %s", name, before.times + 1, reason)
        else:
            _log.error("%s failed and goes on after a pause", name, exc_info=group)
