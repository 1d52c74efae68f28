"""Read new memories for names and triples in the background, so that questions can be answered by them.

It takes a millisecond a text, in pure Python: too much to do while somebody waits, and too little to ask for a
thread of its own for long. So it starts when a store has been open for a while and nobody writes, takes small pages,
and rests as long as it worked: a burst of writes, or a program that ends at once, does not feel it.
"""

import sqlite3
import time
from typing import Final

import trio

from cognition.entities import PAGE as WAITED_FOR_PAGE
from cognition.entities import keep, read_some, unread
from replica import Core, Replica, ReplicaError

# A program that asks one thing is gone before.
IDLE_S: Final = 1.0
# Some thirty milliseconds.
PAGE: Final = 25
# Who writes one memory after another has not written for this long when that is over. Without end nobody is waited for.
QUIET_S: Final = 0.25
PATIENCE_S: Final = 5.0


async def read_names(replica: Replica, position: int) -> None:
    """Read what came, for ever; a store that cannot be written now is tried again with the next change."""
    while True:
        await trio.sleep(IDLE_S)
        try:
            while True:
                before = replica.news
                if (took_s := await _read_page(replica)) is None:
                    break
                await trio.sleep(took_s)
                if replica.news != before:
                    await quiet(replica)
        except ReplicaError:
            pass  # whoever writes is told; nothing is lost here
        position = await replica.stirred(position)
        await quiet(replica)


async def quiet(replica: Replica) -> None:
    """Wait until nobody has written for a while."""
    with trio.move_on_after(PATIENCE_S):
        while True:
            before = replica.news
            await trio.sleep(QUIET_S)
            if replica.news == before:
                return


async def read_all_names(replica: Replica) -> None:
    """Read all that came since, for somebody who waits for it."""
    while await _read_page(replica, WAITED_FOR_PAGE) is not None:
        pass


async def _read_page(replica: Replica, limit: int = PAGE) -> float | None:
    """Read a page, and return how long that took; None: there is nothing to read."""
    page = await replica.read(lambda connection: unread(connection, limit=limit))
    if not page:
        return None
    began = time.perf_counter()
    found = await trio.to_thread.run_sync(read_some, page)

    def write(core: Core, connection: sqlite3.Connection) -> None:
        keep(connection, page, found)

    await replica.run(write)
    return time.perf_counter() - began
