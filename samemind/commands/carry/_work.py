"""Carry ops by hand: write them sealed into a file or a folder, and take them from there.

A file is read to its end and checked before anything of it is taken. A folder is a mailbox without a daemon: it is
taken first and then written, as two devices on a link do both; files in it that are not ours to read, or not whole yet,
are passed over and named.
"""

from pathlib import Path
from typing import Final

import trio

from samemind.commands.carry._parts import CarriedIn, SkippedFile
from samemind.device import Device
from samemind.errors import Failed
from sync.carrier.shelf import FileState
from sync.carrier.visit import Looked, Visitor
from sync.errors import MailboxError
from sync.mailbox.folder import FolderBox
from sync.mailbox.visiting import load_shelf, look

# Each look that finds what the one before made readable is followed by another.
_LOOKS_MAX: Final = 100


async def visit(device: Device, folder: Path, *, writes: bool) -> tuple[CarriedIn, Looked]:
    """Look into a folder until nothing more is to be done at once."""
    mailbox = f"file://{await trio.Path(folder).resolve()}"
    shelf = await load_shelf(device.replica, mailbox)
    visitor, box = Visitor(shelf, device.identity, now_ms=device.now_ms), FolderBox(folder)
    looked = Looked()
    try:
        for _ in range(_LOOKS_MAX):
            visits = visitor.visit(writes=writes)
            looked.add(await look(box, device.replica, mailbox, visits, folder=device.home.store.parent))
            if not looked.again:
                break
    except MailboxError as error:
        raise Failed(str(error), code="cannot_carry") from None
    skipped = [
        SkippedFile(file=name, reason=kept.reason)
        for name, kept in sorted(shelf.kept.items())
        if kept.state is not FileState.TAKEN and name not in looked.no_room
    ]
    skipped += [
        SkippedFile(file=name, reason=f"{why}; {why.fix}") for name, why in sorted(looked.no_room.items())
    ]
    if looked.ops and device.syncer is not None:
        await device.syncer.refresh()
    came = CarriedIn(ops=looked.ops, files=looked.taken, refused=distinct(looked.refused), skipped=skipped)
    return came, looked


def distinct(refused: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(refused))
