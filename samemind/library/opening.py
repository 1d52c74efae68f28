"""Open a home for whichever async library runs the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from samemind.errors import Usage
from samemind.library.mind import Mind, open_mind

if TYPE_CHECKING:
    import os
    from collections.abc import Generator
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from samemind.library.asyncio_mind import AsyncioMind


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
