"""Carry ops by hand: write them sealed into a file or a folder, and take them from there.

A file is read to its end and checked before anything of it is taken. A folder is taken first and then written, as two
devices on a link do both; files in it that are not ours to read, or not whole yet, are passed over and named.
"""

import contextlib
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

import trio

from replica import Core, DeviceId, ReplicaError
from samemind.device import Device
from samemind.durable import whole_file
from samemind.errors import Failed, NotFound, Usage
from samemind.results.carry import CarriedIn, CarriedOut, SkippedFile
from samemind.surface.carry import CarryExport, CarryImport
from samemind.verbs.ids import find_device
from sync.carrier.cargo import Exported, Header, Taking, check, export, header_of, messages
from sync.carrier.folder import SUFFIX, Plan, next_name, plan
from sync.carrier.sealing import Sealer
from sync.errors import SyncError
from sync.peers import known_of
from sync.wire.messages import Message

# More is no folder of ours; each is read whole.
FILES_MAX: Final = 10_000


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

    def choose(core: Core, connection: object) -> Plan:
        return Plan({} if peer is None else known_of(core, connection, peer), nothing=False, old=())  # type: ignore[arg-type]

    return await _write(device, path, await device.replica.run(choose))


async def carry_import(device: Device, options: CarryImport) -> CarriedIn:
    """Take a file, or whatever is new in a folder."""
    path = Path(options.file)
    if await trio.to_thread.run_sync(path.is_dir):
        came, _ = await _take_folder(device, path)
        return came
    taking = await _take(device, path)
    return CarriedIn(ops=taking.brought.ops, files=1, refused=_told(taking.brought.refused))


async def _export_into(device: Device, folder: Path) -> CarriedOut:
    _, headers = await _take_folder(device, folder)
    chosen = await device.replica.run(lambda core, _: plan(core, headers))
    if chosen.nothing:
        return CarriedOut(ops=0, path=None, bytes=0, snapshot=False, readable_by=await _names(device))
    names = await trio.to_thread.run_sync(os.listdir, folder)
    written = await _write(device, folder / next_name(device.device_id, names), chosen)
    for name in chosen.old:
        with contextlib.suppress(OSError):  # gone already, or it will be removed by the next export
            await trio.to_thread.run_sync(os.unlink, folder / name)
    return written


async def _write(device: Device, path: Path, chosen: Plan) -> CarriedOut:
    def write(core: Core, _: object) -> Exported:
        with (
            whole_file(path, mode=0o666) as scratch,
            scratch.open("wb") as file,
        ):  # sealed, and others may carry it
            header = header_of(core, chosen.known, device.now_ms())
            keys = [core.membership.members[each].public_key for each in header.recipients]
            return export(core, header, chosen.known, Sealer(file, keys))

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
        removed=list(chosen.old),
    )


async def _take_folder(device: Device, folder: Path) -> tuple[CarriedIn, dict[str, Header]]:
    """Take every file that is for us, oldest first; return their headers too."""
    names = sorted(
        name
        for name in await trio.to_thread.run_sync(os.listdir, folder)
        if name.endswith(SUFFIX) and not name.startswith(".")
    )
    if len(names) > FILES_MAX:
        raise Usage(f"expected at most {FILES_MAX} files in {folder}, got {len(names)}", code="invalid")
    headers: dict[str, Header] = {}
    skipped: list[SkippedFile] = []
    for name in names:
        try:
            headers[name] = await _check(device, folder / name)
        except (SyncError, ReplicaError, Failed, NotFound) as error:
            skipped.append(SkippedFile(file=name, reason=str(error)))
    ops, refused, files = 0, list[str](), 0
    for name in _in_order(headers):
        if headers[name].maker == device.device_id and await _is_held(device, headers[name]):
            continue
        taking = await _take(device, folder / name, headers[name])
        ops, files = ops + taking.brought.ops, files + 1
        refused += taking.brought.refused
    return CarriedIn(ops=ops, files=files, refused=_told(tuple(refused)), skipped=skipped), headers


def _in_order(headers: Mapping[str, Header]) -> list[str]:
    """Return files so that one comes after those it goes on from, as far as clocks tell."""
    return sorted(headers, key=lambda name: (len(headers[name].since) > 0, headers[name].made_ms, name))


async def _is_held(device: Device, header: Header) -> bool:
    return await device.replica.run(
        lambda core, _: all(core.feeds.locate(place) is not None for place in header.covers)
    )


async def _check(device: Device, path: Path) -> Header:
    def read(core: Core, _: object) -> Header:
        with path.open("rb") as file:
            return check(core, device.identity, file)

    try:
        return await device.replica.run(read)
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror or error}", code="cannot_read") from None


async def _take(device: Device, path: Path, header: Header | None = None) -> Taking:
    taking = Taking(header or await _check(device, path))

    def take(message: Message, core: Core, _: object) -> None:
        taking.take(core, message, device.now_ms())

    with path.open("rb") as file:
        for message in messages(device.identity, file):
            await device.replica.run(partial(take, message))
    await device.replica.run(lambda core, _: taking.done(core, device.now_ms()))
    if device.syncer is not None:
        await device.syncer.refresh()
    return taking


async def _names(device: Device) -> list[str]:
    def read(core: Core, _: object) -> list[str]:
        members = core.membership.members
        return sorted(
            members[each].name for each in members.keys() - core.membership.revoked if each != core.device
        )

    return await device.replica.run(read)


def _told(refused: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(refused))
