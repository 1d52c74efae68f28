"""Read what another device wrote with `carry export`: a file, or every file in a folder."""

import errno
import os
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from samemind.commands.carry._parts import CarriedIn
from samemind.declaring import Agents, Command, Effects, Method, Takes, argument
from samemind.errors import NotFound
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from samemind.device import Device
    from sync.carrier.cargo import Taking
    from sync.carrier.header import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryImport:
    """Read what another device wrote with `carry export`: a file, or every file in a folder."""

    file: str = argument("the file, or the folder", takes=Takes.PATH)


async def run(device: "Device", options: CarryImport) -> CarriedIn:
    """Take a file, or whatever is new in a folder."""
    import trio

    from samemind.commands.carry._work import distinct, visit

    path = Path(options.file)
    if await trio.to_thread.run_sync(path.is_dir):
        came, _ = await visit(device, path, writes=False)
        return came
    taking = await _take(device, path)
    return CarriedIn(ops=taking.brought.ops, files=1, refused=distinct(taking.brought.refused))


async def _check(device: "Device", path: Path) -> "Header":
    from replica import Core
    from sync.carrier.cargo import check
    from sync.carrier.header import Header

    def read(core: Core, _: object) -> Header:
        with _opened(path) as file:
            return check(core, device.identity, file)

    try:
        return await device.replica.run(read)
    except FileNotFoundError:
        raise NotFound(f"no such file: {path}", code="no_such_file") from None
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror or error}", code="cannot_read") from None


async def _take(device: "Device", path: Path) -> "Taking":
    from replica import Core
    from sync.carrier.cargo import Taking, messages
    from sync.carrier.header import Vectors
    from sync.wire.messages import Message

    taking = Taking(await _check(device, path), is_handed_over=True)

    def take(message: Message | Vectors, core: Core, _: object) -> None:
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
    from replica.file_system import open_descriptor

    descriptor = open_descriptor(path, os.O_RDONLY, waits=False)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "expected a regular file")
    return os.fdopen(descriptor, "rb")


def render(document: Document) -> list[str]:
    lines = [f"{counted(document['ops'], 'new op')} from {counted(document['files'], 'file')}"]
    lines += [f"refused: {reason}" for reason in document["refused"]]
    return lines + [f"passed over {each['file']}: {each['reason']}" for each in document["skipped"]]


COMMAND: Final = Command(
    "carry import",
    CarryImport,
    CarriedIn,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method("carry_import"),
    place=2,
)
