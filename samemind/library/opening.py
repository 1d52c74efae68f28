"""Open a home for whichever async library runs the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import trio

from samemind.errors import Usage
from samemind.library.mind import Mind, open_mind

if TYPE_CHECKING:
    import os
    from collections.abc import Generator
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from samemind.library.asyncio_mind import AsyncioMind

_NOT_OPEN: Final = (
    "samemind.open(...) is not open yet: `async with samemind.open(...) as mind`, or under asyncio"
    " `mind = await samemind.open(...)`; for plain blocking calls, samemind.open_blocking"
)


class MindOpening:
    """A home to be opened: by `async with` under trio or asyncio; under asyncio also by `await`, until it is closed."""

    def __init__(self, path: str | os.PathLike[str], name: str | None) -> None:
        self._path = path
        self._name = name
        self._opened: AbstractAsyncContextManager[Mind]

    async def __aenter__(self) -> Mind:
        runs_trio = trio.lowlevel.in_trio_task()
        self._opened = open_mind(self._path, name=self._name) if runs_trio else await self
        return await self._opened.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._opened.__aexit__(kind, error, traceback)

    def __await__(self) -> Generator[Any, Any, AsyncioMind]:
        if trio.lowlevel.in_trio_task():
            raise Usage("expected `async with samemind.open(...)` under trio: tasks have to end with a block")
        from samemind.library.asyncio_mind import AsyncioMind  # loads asyncio

        return AsyncioMind.open(self._path, name=self._name).__await__()

    if not TYPE_CHECKING:  # a type checker says it without being told

        def __enter__(self) -> NoReturn:
            raise Usage(_NOT_OPEN)

        def __exit__(self, *_: object) -> None:
            """Never reached; without it Python speaks of a protocol."""

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                _NOT_OPEN if hasattr(Mind, name) else f"'MindOpening' has no attribute {name!r}"
            )
