"""Go through long listings in a thread beside the one that answers people, one listing at a time.

Threads that read take turns with that one: of fourteen it got a fifteenth of the time, and took eleven seconds to say
how it stands.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import trio

_READERS_MAX: Final = 1
_READS: Final = trio.lowlevel.RunVar[trio.CapacityLimiter]("reads of long listings")

Result = TypeVar("Result")


async def read_beside(fn: Callable[[], Result], *, abandon: bool) -> Result:
    """Call a function in that thread. `abandon`: who is cancelled need not wait until it returns."""
    return await trio.to_thread.run_sync(fn, abandon_on_cancel=abandon, limiter=_reads())


def _reads() -> trio.CapacityLimiter:
    """Return what bounds how many are gone through at once, of whichever mailbox."""
    try:
        return _READS.get()
    except LookupError:
        _READS.set(trio.CapacityLimiter(_READERS_MAX))
        return _READS.get()
