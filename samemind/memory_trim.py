"""Give memory back to the system that a device took for a while, so that whoever holds one stays small.

Three things keep it otherwise, none of them a leak, each up to megabytes. The first cycle of thinking takes five for
its matrices; what SQLite keeps meanwhile comes to lie between them, so the allocator cannot join what they leave. glibc
has such a heap for each thread, and one does not use what another has left. And SQLite keeps what it ever read, up to a
limit for each of two connections.

So the caches are emptied and free pages given back a minute after something was written, or the parts of a snapshot
were let go that broke off or has left, and at once after what takes much in one go: a long cycle of thinking, a
thousand memories, the first recall, which loads the model and the vectors. What is needed again comes from the system's
own cache, at some microseconds a page. A device at rest does not wake for it. The threads of a daemon share one heap
besides.
"""

import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import trio

from replica import Replica, ReplicaError

if TYPE_CHECKING:
    import ctypes

# Long enough that a busy device reads its pages again once a minute and no oftener.
QUIET_SECONDS: Final = 60.0
# So many memories written together take some megabytes for a moment; giving back takes a fiftieth of the time of that.
MANY: Final = 1_000
# A cycle of thinking that lasts so long looked at thousands; giving back adds a hundredth, and some to the next.
LONG_MS: Final = 500
# Their names in glibc's malloc.h.
_M_ARENA_MAX: Final = -8
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
# Left to itself, glibc keeps up to twice the largest block that was ever freed at the end of its heap: after one matrix
# of 10,000 vectors was copied, 40 MB. What is freed beyond this goes back at once; less is soon used again.
_KEPT_FREE: Final = 1 << 20
# Blocks that are mapped for themselves, and given back when they are freed. To map smaller ones anew slows a recall.
_BLOCK_MIN: Final = 4 << 20


def share_one_heap() -> None:
    """Have all threads allocate from one heap, and that keep little of what is free.

    To be called before there are any, by a program that is ours. They hold the interpreter's lock nearly always, so
    that they hardly wait for each other.
    """
    if (mallopt := _glibc("mallopt")) is not None:
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_FREE)
        mallopt(_M_MMAP_THRESHOLD, _BLOCK_MIN)


async def give_back(replica: Replica) -> None:
    """Empty what SQLite caches, and give the system what is free; of a damaged store whoever needs it is told."""

    def release(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA shrink_memory").fetchall()
        if (malloc_trim := _glibc("malloc_trim")) is not None:
            malloc_trim(0)

    with suppress(ReplicaError):
        await replica.read(release)
        await replica.run(lambda core, connection: release(connection))


@asynccontextmanager
async def kept_small(replica: Replica) -> AsyncIterator[None]:
    """Do so a minute after something was written, or parts of a snapshot were let go, until the block ends."""

    async def keep_small() -> None:
        used: object = None
        while True:
            used = await replica.used(used)
            await trio.sleep(QUIET_SECONDS)
            await give_back(replica)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_small)
        yield
        nursery.cancel_scope.cancel()


def _glibc(name: str) -> "ctypes._NamedFuncPointer | None":
    """Return a function of the C library where that is glibc; other systems have other allocators."""
    import ctypes  # here: a command that only asks gives nothing back

    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
