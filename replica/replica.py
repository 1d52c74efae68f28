"""One device's replica behind trio: run whole functions on the core, and hear of what was committed.

`run` is the one way to write: it takes a synchronous function of the core, which reads what it needs, decides and
commits, all in one call on the store's own thread. Nothing else can write between its reading and its writing, and no
await lies inside. `read` runs beside the writer, on a connection of its own, and sees the last commit.
"""

import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Final, TypeVar

from replica.alongside import Alongside
from replica.core import Core, TakingIn
from replica.errors import StoreFailed
from replica.ids import DeviceId
from replica.purging import purge
from replica.refold import refold_after_upgrade
from replica.rollback_guard import RollbackGuard
from replica.signing import Sign
from replica.storage.inline import InlineDriver, open_inline
from replica.storage.shown import DerivedTables
from replica.storage.sql import as_trouble, bring_much_over, bring_over, connect
from replica.storage.store import SqliteStore, reading_ahead

if TYPE_CHECKING:
    import trio

    from replica.asyncio_host import AsyncioHost
    from replica.storage.driver import Driver

Result = TypeVar("Result")
# While somebody tells one thing after the other, those who watch hear of it fifty times a second.
BURST_S: Final = 0.02


def wall_clock_ms() -> int:
    """Return the wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Replica:
    """One device's memory; made by `open_replica`."""

    def __init__(
        self,
        driver: "Driver | InlineDriver",
        core: Core,
        clock: Callable[[], int],
        rollback_guard: RollbackGuard | None,
        derived: Sequence[DerivedTables],
    ) -> None:
        self._driver = driver
        self._core = core
        self._derived = derived
        self._clock = clock
        self.rollback_guard = rollback_guard
        """What is kept outside of the store's home, if anything is; it belongs to the store's thread."""
        self.alongside: Callable[[sqlite3.Connection], Alongside] | None = None
        """Makes what each conversation may hand over beside the ops, where something is (`replica.alongside`)."""
        self.finder: Callable[[str, int], Awaitable[Sequence[bytes]]] | None = None
        """Finds memories by a question, at most so many, where there is what finds by meaning; returns their ids."""
        # The core's own position is ahead of the disk while it commits, and belongs to the store's thread.
        self._position, self._news = core.position, core.news
        self._written = _own_end(core)
        self._let_go = 0
        self._watchers: set[trio.Event] = set()
        self._rows_brought_over = 0  # the store's thread's own
        self._noting = threading.Lock()
        self._is_told = False  # that there is news, by `_tell_watchers` and a moment ago
        # Of the loop that watchers wait in, where there is one.
        self._token = None
        if not isinstance(driver, InlineDriver):
            self._token = _trio_token()
            core.give_way = driver.give_way

    @property
    def device(self) -> DeviceId:
        """Whose replica this is."""
        return self._core.device

    def now_ms(self) -> int:
        """Return the time by which this replica stamps."""
        return self._clock()

    async def run(
        self,
        function: Callable[[Core, sqlite3.Connection], Result],
        *,
        tells: bool = False,
        in_between: bool = False,
    ) -> Result:
        """Run `function(core, connection)` on the store's thread, to its end even if cancelled; wakes watchers.

        The connection is for reading what shows, and for a layer's own derived tables; ops go through the core. A
        function that `tells` something reads nothing of what shows, which may lack what was told before. Neither that
        nor what may come `in_between` waits for the whole of a large base that is being merged.
        """
        ended, news, written = self._position, self._news, self._written

        def run(connection: sqlite3.Connection) -> Result:
            nonlocal ended, news, written
            try:
                return self._run(function, connection, tells)
            finally:
                ended, news, written = self._core.position, self._core.news, _own_end(self._core)

        try:
            with _trouble_told():
                return await self._driver.run(run, in_between=tells or in_between)
        finally:
            if self._comes_to(ended, news, written):
                self._wake()

    def run_from_thread(
        self, function: Callable[[Core, sqlite3.Connection], Result], *, tells: bool = False
    ) -> Result:
        """Run `function` likewise, for a thread that runs no trio and waits for it: there and back in one step each.

        What it asks of trio's thread afterwards comes behind the news of this.
        """

        def run(connection: sqlite3.Connection) -> Result:
            try:
                return self._run(function, connection, tells)
            finally:
                core = self._core
                if self._comes_to(core.position, core.news, _own_end(core)):
                    self._tell_watchers()

        with _trouble_told():
            return self._driver.run_from_thread(run, in_between=tells)

    def _comes_to(self, position: int, news: int, written: tuple[int, int] | None) -> bool:
        """Note how far the store has come, unless that is known; two that ended together come in either order."""
        with self._noting:
            if news <= self._news:
                return False
            self._position, self._news, self._written = position, news, written
            return True

    def _tell_watchers(self) -> None:
        """Have trio's thread wake watchers, on the store's thread: at once, and then no more often than `BURST_S`.

        To wake them takes as long as half a commit, and who tells one thing after the other shares the interpreter.
        """
        if not self._is_told and self._token is not None:
            import trio

            self._is_told = True
            with suppress(trio.RunFinishedError):  # nobody is left who watches
                self._token.run_sync_soon(self._wake_in_turn)

    def _wake_in_turn(self) -> None:
        import trio

        told = self._news  # before they look
        self._wake()
        trio.lowlevel.spawn_system_task(self._wake_again, told)

    async def _wake_again(self, told: int) -> None:
        import trio

        await trio.sleep(BURST_S)
        self._is_told = False  # before the look: what is noted after that has them told anew
        if self._news != told:
            self._wake()

    def _run(
        self,
        function: Callable[[Core, sqlite3.Connection], Result],
        connection: sqlite3.Connection,
        tells: bool,
    ) -> Result:
        if not tells:
            self._follow(connection)
        result = function(self._core, connection)
        if self.rollback_guard is not None:
            self.rollback_guard.note(self._core)
            self.rollback_guard.share(self._core, self._clock())
        if self._core.has_unpurged:  # what was erased, here or elsewhere, leaves the files at once
            try:
                purge(self._core, self._clock())
            except (sqlite3.OperationalError, StoreFailed) as error:
                raise StoreFailed(
                    f"what was asked for is done, but erased words are still in this device's files ({error}): they "
                    "leave them with the next write that finds room on the disk"
                ) from error
        return result

    async def read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function(connection)` on a read-only connection; a cancelled caller does not wait for it."""
        with _trouble_told():
            return await self._driver.read(await self.reading(function))

    async def reading(
        self, function: Callable[[sqlite3.Connection], Result]
    ) -> Callable[[sqlite3.Connection], Result]:
        """Return what reads the same on a connection of the caller's own: of all that was told by now."""
        if self._core.store.lags and not await self._driver.run(self._follow, in_between=True):
            return reading_ahead(function, self._derived)
        return function

    def read_from_thread(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run `function` likewise, for a thread that runs no trio and waits for it."""
        with _trouble_told():
            if self._core.store.lags and not self._driver.run_from_thread(self._follow, in_between=True):
                function = reading_ahead(function, self._derived)
            return self._driver.read_from_thread(function)

    def _follow(self, connection: sqlite3.Connection) -> bool:
        """Have what was told show; return False where the store cannot be written, which keeps the rest."""
        try:
            if self._core.store.lags:
                self._core.store.follow()
        except StoreFailed:
            return False
        return True

    async def rest(self) -> None:
        """Bring what was written into the store's file, where that is much; for when there is nothing else to do."""
        with _trouble_told():
            await self._driver.run(self._bring_over)

    def _bring_over(self, connection: sqlite3.Connection) -> None:
        self._rows_brought_over = bring_much_over(connection, self._rows_brought_over)

    def _wake(self) -> None:
        watchers, self._watchers = self._watchers, set()
        for event in watchers:
            event.set()

    async def _other_than(self, since: object, look: Callable[[], Result]) -> Result:
        """Wait until something is no longer as it was, and return what it is."""
        import trio

        while (now := look()) == since:
            event = trio.Event()
            self._watchers.add(event)
            try:
                await event.wait()
            finally:
                self._watchers.discard(event)
        return now

    async def changed(self, since: int) -> int:
        """Wait until the log is longer than `since` and return its length: ops of mine and of others alike."""
        return await self._other_than(since, lambda: self._position)

    async def stirred(self, since: int) -> int:
        """Wait until `news` is another number than `since`, and return it."""
        return await self._other_than(since, lambda: self.news)

    def note_let_go(self) -> None:
        """Hear, on trio's thread, that much was let go which no write tells of, as where a snapshot broke off."""
        self._let_go += 1
        self._wake()

    async def used(self, since: object) -> object:
        """Wait until memory was used since then, by a write or by what was let go, and return what stands for now."""
        return await self._other_than(since, lambda: (self.news, self._let_go))

    async def wrote(self, since: object) -> None:
        """Wait until `written` is no longer `since`."""
        await self._other_than(since, lambda: self._written)

    @property
    def written(self) -> object:
        """Return what changes with every op of this device's own, as far as it is durable."""
        return self._written

    @property
    def news(self) -> int:
        """Return `Core.news` as far as it is durable."""
        return self._news

    @property
    def taking_in(self) -> TakingIn | None:
        """Return how far a snapshot is that is being merged: what writes, or asks for more than what shows, waits."""
        return self._core.taking_in

    @property
    def position(self) -> int:
        """Return how many ops were ever appended here."""
        return self._position


def _trio_token() -> "trio.lowlevel.TrioToken":
    import trio  # in functions, here and above: a command that waits for nothing does without

    return trio.lowlevel.current_trio_token()


@contextmanager
def _trouble_told() -> Iterator[None]:
    """Say of an error of SQLite's whether it is the file or its disk."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise as_trouble(error) or error from error.__cause__


def _own_end(core: Core) -> tuple[int, int] | None:
    return None if core.own_feed is None else (core.own_feed, core.feeds[core.own_feed].seq)


@contextmanager
def open_core(
    path: Path,
    *,
    device: DeviceId,
    sign: Sign,
    derived: Sequence[DerivedTables] = (),
    key: bytes | None = None,
) -> Iterator[tuple[Core, sqlite3.Connection]]:
    """Open a store for one program that does one thing with it, on its own thread and without a loop.

    Nothing outside of its home hears of that: it may be no more than an attempt. Afterwards all is in the file.
    """
    with closing(connect(str(path), key=key)) as connection:
        core = Core(SqliteStore(connection, derived), device=device, sign=sign, random=SystemRandom())
        refold_after_upgrade(core, wall_clock_ms())
        yield core, connection
        bring_over(connection)


def _opened(
    host: "AsyncioHost | None", connect: Callable[[], sqlite3.Connection]
) -> "AbstractAsyncContextManager[Driver | InlineDriver]":
    if host is None:
        return open_inline(connect)
    from replica.storage.driver import open_driver

    return open_driver(host, connect)


@asynccontextmanager
async def open_replica(
    path: Path,
    *,
    host: "AsyncioHost | None",
    device: DeviceId,
    sign: Sign,
    derived: Sequence[DerivedTables] = (),
    clock: Callable[[], int] = wall_clock_ms,
    random: Random | None = None,
    outside: Path | None = None,
    key: bytes | None = None,
) -> AsyncIterator[Replica]:
    """Open the store at `path`, creating it if need be; `StoreCorrupt` and `StoreNewer` leave the file as it is.

    `outside`: a folder, not in the home, for what a copied or restored store has to be told (`replica.rollback_guard`).
    `key`: of a store that is encrypted (`replica.storage.cipher`). Without a `host`, for a program that does one thing
    and ends: whatever it asks is done at once, on its own thread, and nothing waits (`replica.storage.inline`).
    """
    chance = random or SystemRandom()
    beside = None if outside is None else RollbackGuard(outside, device, path)
    async with _opened(host, lambda: connect(str(path), key=key)) as driver:

        def start(connection: sqlite3.Connection) -> Core:
            store = SqliteStore(connection, derived)
            core = Core(store, device=device, sign=sign, random=chance)
            if beside is not None:
                beside.open(core, chance, clock())
            refold_after_upgrade(core, clock())
            return core

        with _trouble_told():
            core = await driver.run(start)
        yield Replica(driver, core, clock, beside, derived)
