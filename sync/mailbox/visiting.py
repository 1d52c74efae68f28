"""Make a visit to a mailbox: the one place where the steps of `sync.carrier.visit` meet a network and a store.

What is remembered of a mailbox lies in the store beside what was taken from it, so that a copy or a backup of the store
never remembers files whose ops it does not hold.
"""

from collections.abc import Generator
from typing import Any

from replica.mailbox_files import files_taken, forget_files, note_files
from replica.replica import Replica
from sync.carrier.shelf import Shelf
from sync.carrier.visit import GetFile, Looked, Names, Put, Remove, Run, Save, Step, VisitUnderWay
from sync.mailbox.box import Mailbox


async def load_shelf(replica: Replica, mailbox: str) -> Shelf:
    """Return what is remembered of a mailbox, by the name that this device has for it."""
    return Shelf(await replica.run(lambda _, connection: files_taken(connection, mailbox)))


async def forget_shelf(replica: Replica, mailbox: str) -> None:
    """Remember nothing of a mailbox any more."""
    await replica.run(lambda _, connection: forget_files(connection, mailbox))


async def look(box: Mailbox, replica: Replica, mailbox: str, visit: Generator[Step, Any, Looked]) -> Looked:
    """Do what a visit wants done until it is over."""
    under_way = VisitUnderWay(visit)
    while (step := under_way.proceed()) is not None:
        with under_way.trying():
            under_way.result = await _do(step, box, replica, mailbox)
    return under_way.looked


async def _do(step: Step, box: Mailbox, replica: Replica, mailbox: str) -> Any:
    match step:
        case Names():
            return await box.names()
        case GetFile(name, size):
            return await box.get(name, size)
        case Put(name, data):
            return await box.put(name, data)
        case Remove(name):
            return await box.remove(name)
        case Run(fn):
            return await replica.run(lambda core, _: fn(core))
        case Save(new, gone):
            return await replica.run(lambda _, connection: note_files(connection, mailbox, new, gone))
