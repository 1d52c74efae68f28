"""Ask a command of whoever holds the store."""

from collections.abc import Mapping
from typing import Any

from samemind.catalog import verb_named
from samemind.control.server import Say
from samemind.errors import SamemindError
from samemind.reach import ReachedDevice


class Asking:
    """Has a way to the store, and asks by it."""

    def __init__(self, reached: ReachedDevice) -> None:
        self._reached = reached

    async def _ask(self, name: str, /, *, _say: Say | None = None, **options: Any) -> Any:
        """Return the result of a command: an object of the type that it is declared with."""
        given = {option: value for option, value in options.items() if value is not None}
        try:
            return await self._reached.result(verb_named(name), given, _say or _unheard)
        except SamemindError as error:
            from samemind.library.in_python import say_in_python  # here: seldom wanted

            say_in_python(error, name)
            raise


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile; its result is all that a method returns."""
