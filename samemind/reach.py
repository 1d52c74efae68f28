"""Get to a store: through whoever holds it and answers, or by opening it; nobody has to know which.

A verb on the command line holds a store for a fraction of a second and does not answer, so an opener waits
for its turn for a while. Somebody who answers is used at once.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

import trio

from samemind.catalog import verb_named
from samemind.config import Home
from samemind.control.remote import Remote
from samemind.control.server import Say
from samemind.declaring import Command, Effects
from samemind.device import open_device
from samemind.errors import Locked, SamemindError
from samemind.local import Local
from samemind.performing import raise_translated

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
            except Locked as error:
                if error.code != "locked" or trio.current_time() >= deadline:
                    raise
                await trio.sleep(POLL_S)
                continue
            except Exception as error:
                raise_translated(error)
            yield Local(device)
            return


class Copy:
    """A home that takes no writes, as a copy of it in memory, for what only reads."""

    def __init__(self, device: ReachedDevice, refused: SamemindError) -> None:
        self._device = device
        self._refused = refused

    @staticmethod
    def answers(verb: str) -> bool:
        """Say whether a verb may be asked of a copy: what is written there would be lost."""
        return verb_named(verb).effects is Effects.READ

    async def ask(self, verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        """Perform a verb that only reads; for any other, raise what the home was refused for."""
        self._check(verb)
        return await self._device.ask(verb, options, say)

    async def result(self, verb: Command[Any, Result], options: Mapping[str, Any], say: Say) -> Result:
        """Perform a verb that only reads, and return its result."""
        self._check(verb.name)
        return await self._device.result(verb, options, say)

    def _check(self, verb: str) -> None:
        if not self.answers(verb):
            refused = self._refused
            raise type(refused)(refused.message, code=refused.code, hint=refused.hint) from refused


@asynccontextmanager
async def reach_or_copy(
    home: Home, *, program: str, answers: bool, lets_go: bool = False, name: str | None = None
) -> AsyncIterator[ReachedDevice]:
    """Reach the device of a home, as `reach` does; where the home takes no writes, a copy of it in memory."""
    async with AsyncExitStack() as stack:
        try:
            reached = await stack.enter_async_context(
                reach(home, program=program, answers=answers, lets_go=lets_go, name=name)
            )
        except SamemindError as error:
            from samemind.home.copied import can_be_copied, copied  # here: hardly ever wanted

            if not can_be_copied(home, error):
                raise
            copy = await trio.to_thread.run_sync(stack.enter_context, copied(home, error))
            device = await stack.enter_async_context(reach(copy, program=program, answers=False))
            reached = Copy(device, error)
        yield reached
