"""Get to a store: through whoever holds it and answers, or by opening it; nobody has to know which.

A verb on the command line holds a store for a fraction of a second and does not answer, so an opener waits
for its turn for a while. Somebody who answers is used at once.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

import trio

from samemind.config import Home
from samemind.control.remote import Remote
from samemind.control.server import Say
from samemind.declaring import Command
from samemind.device import open_device
from samemind.errors import Locked
from samemind.performing import Local, raise_translated

Result = TypeVar("Result")
# Some ten verbs in a row, on a slow machine.
PATIENCE_S: Final = 10.0
# Far below what starting a verb takes, so that a turn is not missed for long.
POLL_S: Final = 0.02


class ReachedDevice(Protocol):
    """A device that performs verbs: in this process, or in the one that holds the store."""

    async def ask(self, verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        """Perform a verb and return its result as a document; what it says meanwhile goes to `say`."""
        ...

    async def result(self, verb: Command[Any, Result], options: Mapping[str, Any], say: Say) -> Result:
        """Perform a verb and return its result as what it is, which is made of a document only beyond this process."""
        ...


@asynccontextmanager
async def reach(
    home: Home,
    *,
    program: str,
    answers: bool,
    lets_go: bool = False,
    name: str | None = None,
    opens_mind: bool = True,
) -> AsyncIterator[ReachedDevice]:
    """Reach the device of a home; `Locked` if somebody who does not answer keeps it.

    Without `opens_mind`, a device in this process is opened for verbs that need none.
    """
    deadline = trio.current_time() + PATIENCE_S
    while True:
        remote = await Remote.connect(home)
        if remote is not None:
            try:
                yield remote
            finally:
                await remote.aclose()
            return
        async with AsyncExitStack() as stack:
            try:
                device = await stack.enter_async_context(
                    open_device(
                        home,
                        program=program,
                        answers=answers,
                        lets_go=lets_go,
                        name=name,
                        opens_mind=opens_mind,
                    )
                )
            except Locked:
                if trio.current_time() >= deadline:
                    raise
                await trio.sleep(POLL_S)
                continue
            except Exception as error:
                raise_translated(error)
            yield Local(device)
            return
