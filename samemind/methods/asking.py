"""Ask a verb of whoever holds the store."""

from collections.abc import Mapping
from typing import Any, TypeVar

from samemind.control.server import Say
from samemind.declaring import Command
from samemind.reach import Reached

Result = TypeVar("Result")


class Asking:
    """Has a way to the store, and asks by it."""

    def __init__(self, reached: Reached) -> None:
        self._reached = reached

    async def _ask(self, verb: Command[Any, Result], *, _say: Say | None = None, **options: Any) -> Result:
        given = {name: value for name, value in options.items() if value is not None}
        return await self._reached.result(verb, given, _say or _unheard)


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile; its result is all that a method returns."""
