"""One SQLite store of a program that does one thing with it and ends: each function runs at once, on one connection.

Nobody else waits for that program, so it needs no thread, and none of what brings a call from one loop to another and
back: to load that takes a third of a short command.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TypeVar, TypeVarTuple

from replica.storage.sql import whole

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class InlineDriver:
    """A store without a thread; made by `open_inline`. Its coroutines never wait."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def run(
        self,
        fn: Callable[[sqlite3.Connection, *Arguments], Result],
        *args: *Arguments,
        in_between: bool = False,
    ) -> Result:
        """Run `fn(connection, *args)` to its end; nothing waits that could be in between."""
        return whole(self._connection, lambda: fn(self._connection, *args))

    def run_from_thread(
        self, fn: Callable[[sqlite3.Connection], Result], *, in_between: bool = False
    ) -> Result:
        """Run `fn(connection)` likewise: this is the only thread."""
        return whole(self._connection, lambda: fn(self._connection))

    async def read(self, fn: Callable[[sqlite3.Connection, *Arguments], Result], *args: *Arguments) -> Result:
        """Run `fn(connection, *args)`, which is refused if it writes."""
        with self._reading():
            return whole(self._connection, lambda: fn(self._connection, *args))

    def read_from_thread(self, fn: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `fn(connection)`, which is refused if it writes: this is the only thread."""
        with self._reading():
            return whole(self._connection, lambda: fn(self._connection))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        self._connection.execute("PRAGMA query_only = ON")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA query_only = OFF")


@asynccontextmanager
async def open_inline(connect: Callable[[], sqlite3.Connection]) -> AsyncIterator[InlineDriver]:
    """Open the store for the block."""
    with closing(connect()) as connection:
        yield InlineDriver(connection)
