"""Open a store as its daemon, also where an agent's server holds it at the moment.

A server that an agent started holds the store only because nobody else did. Asked to be up in its stead, it lets go and
goes through the daemon from then on. A verb of the command line is done in a moment, and waited for. Whoever else holds
the store keeps it.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import trio

from samemind.config import Home
from samemind.control.remote import Remote
from samemind.device import Device, open_device
from samemind.errors import Locked, SamemindError, Unreachable
from samemind.reach import PATIENCE_S, POLL_S
from sync.syncer import Syncer


@asynccontextmanager
async def take_over(
    home: Home, *, program: str, linking: Callable[[Device], AbstractAsyncContextManager[Syncer]]
) -> AsyncIterator[Device]:
    """Open the device of a home for good; `Locked` when somebody holds it who will not let go."""
    deadline = trio.current_time() + PATIENCE_S
    while True:
        async with AsyncExitStack() as stack:
            try:
                device = await stack.enter_async_context(
                    open_device(home, program=program, answers=True, linking=linking)
                )
            except Locked as error:
                if error.code != "locked" or trio.current_time() >= deadline or not await _may_end(home):
                    raise
                await trio.sleep(POLL_S)
                continue
            yield device
            return


async def _may_end(home: Home) -> bool:
    """Say whether it is worth trying again: the holder lets go now, or is one that holds it for a moment only."""
    remote = await Remote.connect(home)
    if remote is None:
        return True
    try:
        await remote.ask("up", {}, _unheard)
    except Unreachable:
        return True  # it ended meanwhile
    except SamemindError:
        return False
    finally:
        await remote.aclose()
    return True


async def _unheard(said: object) -> None:
    """A holder that lets go says nothing meanwhile."""
