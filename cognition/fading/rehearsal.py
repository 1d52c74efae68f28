"""Count what is recalled: every recall begins a memory's fading anew, on all devices.

A recall writes nothing. What it brought is noted in memory, kept in a table of this device when the program ends, and
told to the others at most once a minute, as one op of running totals: a log that held every recall would hold little
else. A crash loses the notes of a minute at most, which only makes a memory look a minute staler than it is.
"""

import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Final

from replica import Core, MemoryId, Replica, ReplicaError, access_write, transaction

TELL_MS: Final = 60_000
# As many as one op may name; a program that recalls more than this within a minute tells the rest in the next.
TOLD_MAX: Final = 1_000

_KEEP: Final = """INSERT INTO recall_untold (rid, recalls, last, since) VALUES (?, ?, ?, ?)
    ON CONFLICT (rid) DO UPDATE SET recalls = recalls + excluded.recalls, last = max(last, excluded.last)"""
_UNTOLD: Final = "SELECT rid, recalls, last FROM recall_untold ORDER BY since, rid LIMIT ?"


class Rehearsals:
    """The recalls that nobody else has heard of yet; `telling` tells of them."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._noting = threading.Lock()  # any thread may recall
        self.noted: dict[MemoryId, tuple[int, int]] = {}
        """How often each was recalled since they were last kept, and when last."""

    def note(self, rids: Iterable[MemoryId]) -> None:
        """Note that these were recalled just now."""
        now_ms = self._now_ms()
        with self._noting:
            for rid in rids:
                self.noted[rid] = self.noted.get(rid, (0, 0))[0] + 1, now_ms

    async def keep(self, replica: Replica) -> None:
        """Keep what was noted, and tell it once the oldest of it is a minute old."""
        with self._noting:
            noted, self.noted = self.noted, {}
        try:
            await replica.run(lambda core, connection: keep(core, connection, noted, self._now_ms()))
        except ReplicaError:  # a full disk: others say so; what was noted is still here
            with self._noting:
                for rid, (count, last_ms) in noted.items():
                    more, later_ms = self.noted.get(rid, (0, 0))
                    self.noted[rid] = count + more, max(last_ms, later_ms)


def keep(
    core: Core, connection: sqlite3.Connection, noted: dict[MemoryId, tuple[int, int]], now_ms: int
) -> bool:
    """Add notes to the table, and tell what is due; say whether anything was told."""
    if noted:
        with transaction(connection):
            connection.executemany(_KEEP, [(rid, *each, now_ms) for rid, each in noted.items()])
    ((since,),) = connection.execute("SELECT min(since) FROM recall_untold")
    if since is None or now_ms - since < TELL_MS:
        return False
    rows = connection.execute(_UNTOLD, (TOLD_MAX,)).fetchall()
    write = access_write(core, {MemoryId(rid): (recalls, last) for rid, recalls, last in rows}, now_ms)
    with transaction(
        connection
    ):  # before the commit: a crash between the two loses a count rather than telling it twice
        connection.executemany("DELETE FROM recall_untold WHERE rid = ?", [(rid,) for rid, *_ in rows])
    if write is not None:
        core.commit([write], now_ms)
    return write is not None


@asynccontextmanager
async def telling(replica: Replica, rehearsals: Rehearsals) -> AsyncIterator[None]:
    """Tell of recalls until the block ends; what is not told by then is kept."""
    import trio  # a command that waits for nothing does without

    async def tell() -> None:
        while True:
            await trio.sleep(TELL_MS / 1_000)
            await rehearsals.keep(replica)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        try:
            yield
        finally:
            nursery.cancel_scope.cancel()
            if rehearsals.noted:
                with trio.CancelScope(shield=True):
                    await rehearsals.keep(replica)
