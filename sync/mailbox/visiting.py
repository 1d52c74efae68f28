"""Make a visit to a mailbox: the one place where the steps of `sync.carrier.visit` meet a network and a store.

What is remembered of a mailbox lies in the store beside what was taken from it, so that a copy or a backup of the store
never remembers files whose ops it does not hold.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import trio

from replica.mailbox_files import files_taken, forget_files, note_files
from replica.replica import Replica
from sync.carrier.shelf import Shelf
from sync.carrier.visit import GetFile, Looked, Names, Put, Remove, Run, Save, Step, VisitUnderWay
from sync.errors import Unreached
from sync.mailbox.box import Mailbox
from sync.mailbox.fetched import FetchedFile
from sync.mailbox.reading import read_beside

# Whoever runs the mailbox may send a byte a second, and a folder may be on a share that hangs: nothing else is looked
# for there meanwhile. A line of half a megabit a second has twice the time that it takes.
ANSWER_SECONDS_MAX: Final = 240.0
_BYTES_A_SECOND_MIN: Final = 32_768
# What to fetch of so many is said in ten milliseconds; of the most that a mailbox may list, it takes half a second.
_AT_ONCE_NAMES_MAX: Final = 2_000


async def load_shelf(replica: Replica, mailbox: str) -> Shelf:
    """Return what is remembered of a mailbox, by the name that this device has for it."""
    return Shelf(await replica.run(lambda _, connection: files_taken(connection, mailbox)))


async def forget_shelf(replica: Replica, mailbox: str) -> None:
    """Remember nothing of a mailbox any more."""
    await replica.run(lambda _, connection: forget_files(connection, mailbox))


async def look(
    box: Mailbox, replica: Replica, mailbox: str, visit: Generator[Step, Any, Looked], *, folder: Path
) -> Looked:
    """Do what a visit wants done until it is over. `folder`: on which disk a large file is held until it is taken."""
    under_way = VisitUnderWay(visit)
    step = under_way.proceed()
    while step is not None:
        with under_way.trying():
            under_way.result = await _do(step, box, replica, mailbox, folder)
        if isinstance(step, Names) and len(under_way.result or ()) > _AT_ONCE_NAMES_MAX:
            # Not given up before it is through: whoever looks next goes on with what is remembered of the place.
            step = await read_beside(under_way.proceed, abandon=False)
        else:
            step = under_way.proceed()
    return under_way.looked


async def _do(step: Step, box: Mailbox, replica: Replica, mailbox: str, folder: Path) -> Any:
    match step:
        case Names():
            with _in_time():
                return await box.names()
        case GetFile(name, size):
            with _in_time(size):
                file = FetchedFile(folder, size)
                await box.get(name, size, file)
            file.seek(0)
            return file
        case Put(name, data):
            with _in_time(len(data)):
                return await box.put(name, data)
        case Remove(name):
            with _in_time():
                return await box.remove(name)
        case Run(fn):
            return await replica.run(lambda core, _: fn(core))
        case Save(new, gone):
            return await replica.run(lambda _, connection: note_files(connection, mailbox, new, gone))


@contextmanager
def _in_time(size: int = 0) -> Iterator[None]:
    """Wait for an answer of so many bytes only so long."""
    seconds = ANSWER_SECONDS_MAX + size / _BYTES_A_SECOND_MIN
    try:
        with trio.fail_after(seconds):
            yield
    except trio.TooSlowError:
        raise Unreached(f"the mailbox was not done with its answer after {seconds:.0f} s") from None
