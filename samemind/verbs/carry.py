"""Carry ops by hand: write them sealed into a file or a folder, and take them from there.

A file is read to its end and checked before anything of it is taken. A folder is a mailbox without a daemon: it is
taken first and then written, as two devices on a link do both; files in it that are not ours to read, or not whole yet,
are passed over and named.
"""

import errno
import os
import stat
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

import trio

from replica import Core, DeviceId
from samemind.device import Device
from samemind.durable import whole_file
from samemind.errors import Failed, NotFound, Usage
from samemind.results.carry import CarriedIn, CarriedOut, SkippedFile
from samemind.surface.carry import CarryExport, CarryImport
from samemind.verbs.ids import find_device
from sync.carrier.cargo import Exported, Header, Taking, check, export, messages
from sync.carrier.shelf import State
from sync.carrier.visit import Looked, Visitor
from sync.errors import MailboxError
from sync.mailbox.folder import FolderBox
from sync.mailbox.visiting import load_shelf, look
from sync.peers import known_of
from sync.wire.messages import Message

# Each look that finds what the one before made readable is followed by another.
_LOOKS_MAX: Final = 100


async def carry_export(device: Device, options: CarryExport) -> CarriedOut:
    """Write a file of what somebody may lack, or into a folder what is not in it."""
    path = Path(options.file)
    if await trio.to_thread.run_sync(path.is_dir):
        if options.since_peer is not None:
            raise Usage(
                "expected a file beside --since-peer: what goes into a folder depends on what is in it"
            )
        return await _export_into(device, path)
    device.home.check_foreign(path)
    peer: DeviceId | None = None
    if (name := options.since_peer) is not None:
        peer = await device.replica.read(lambda connection: find_device(connection, name))

    def write(core: Core, connection: object) -> Exported:
        known = {} if peer is None else known_of(core, connection, peer)  # type: ignore[arg-type]
        # Sealed, and others may carry it: whoever may read the folder may read the file.
        with whole_file(path, mode=0o666) as scratch, scratch.open("wb") as file:
            return export(core, known, device.now_ms(), file)

    try:
        exported = await device.replica.run(write)
    except OSError as error:
        raise Failed(f"{path} could not be written: {error.strerror or error}", code="cannot_write") from None
    return CarriedOut(
        ops=exported.ops,
        path=str(path),
        bytes=(await trio.Path(path).stat()).st_size,
        snapshot=exported.has_base,
        readable_by=await _names(device),
    )


async def carry_import(device: Device, options: CarryImport) -> CarriedIn:
    """Take a file, or whatever is new in a folder."""
    path = Path(options.file)
    if await trio.to_thread.run_sync(path.is_dir):
        came, _ = await _visit(device, path, writes=False)
        return came
    taking = await _take(device, path)
    return CarriedIn(ops=taking.brought.ops, files=1, refused=_told(taking.brought.refused))


async def _export_into(device: Device, folder: Path) -> CarriedOut:
    _, looked = await _visit(device, folder, writes=True)
    return CarriedOut(
        ops=sum(each.ops for each in looked.wrote),
        path=str(folder / looked.wrote[-1].name) if looked.wrote else None,
        bytes=sum(each.size for each in looked.wrote),
        snapshot=any(each.has_base for each in looked.wrote),
        readable_by=await _names(device),
        removed=looked.removed,
    )


async def _visit(device: Device, folder: Path, *, writes: bool) -> tuple[CarriedIn, Looked]:
    """Look into a folder until nothing more is to be done at once."""
    mailbox = f"file://{await trio.Path(folder).resolve()}"
    shelf = await load_shelf(device.replica, mailbox)
    visitor, box = Visitor(shelf, device.identity, now_ms=device.now_ms), FolderBox(folder)
    ops, files, looked = 0, 0, Looked()
    try:
        for _ in range(_LOOKS_MAX):
            looked = await look(box, device.replica, mailbox, visitor.visit(writes=writes))
            ops, files = ops + looked.ops, files + looked.taken
            if not looked.again:
                break
    except MailboxError as error:
        raise Failed(str(error), code="cannot_carry") from None
    skipped = [
        SkippedFile(file=name, reason=kept.reason)
        for name, kept in sorted(shelf.kept.items())
        if kept.state is not State.TAKEN
    ]
    if ops and device.syncer is not None:
        await device.syncer.refresh()
    return CarriedIn(ops=ops, files=files, refused=_told(looked.refused), skipped=skipped), looked


async def _check(device: Device, path: Path) -> Header:
    def read(core: Core, _: object) -> Header:
        with _opened(path) as file:
            return check(core, device.identity, file)

    try:
        return await device.replica.run(read)
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror or error}", code="cannot_read") from None


async def _take(device: Device, path: Path) -> Taking:
    taking = Taking(await _check(device, path))

    def take(message: Message, core: Core, _: object) -> None:
        taking.take(core, message, device.now_ms())

    with _opened(path) as file:
        for message in messages(device.identity, file):
            await device.replica.run(partial(take, message))
    await device.replica.run(lambda core, _: taking.done(core, device.now_ms()))
    if device.syncer is not None:
        await device.syncer.refresh()
    return taking


def _opened(path: Path) -> BinaryIO:
    """Open a file; a pipe would keep everybody waiting for whoever writes to it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "expected a regular file")
    return os.fdopen(descriptor, "rb")


async def _names(device: Device) -> list[str]:
    def read(core: Core, _: object) -> list[str]:
        members = core.membership.members
        return sorted(members[each].name for each in core.membership.standing if each != core.device)

    return await device.replica.run(read)


def _told(refused: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(refused))
