"""Write what other devices may lack to a file, sealed for them; to a folder, only what is not in it yet."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.errors import Failed, Usage
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryExport:
    """Write what other devices may lack to a file, sealed for them; to a folder, only what is not in it yet."""

    file: str = argument("the file to write, or a folder that exists", takes=Takes.PATH)
    since_peer: str | None = option(
        "--since-peer", "only what this device lacks, as far as known here", metavar="ID"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedOut:
    """What was written. `path` is None where a folder already held everything; `snapshot`: with what left the log."""

    ops: int
    path: str | None
    bytes: int
    snapshot: bool
    readable_by: list[str]
    removed: list[str] = field(default_factory=list)


async def run(device: "Device", options: CarryExport) -> CarriedOut:
    """Write a file of what somebody may lack, or into a folder what is not in it."""
    import trio

    from replica import Core, DeviceId
    from samemind.durable import whole_file
    from samemind.formats.ids import find_device
    from sync.carrier.cargo import CargoFile, export
    from sync.peers import known_of

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

    def write(core: Core, connection: object) -> CargoFile:
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


async def _export_into(device: "Device", folder: Path) -> CarriedOut:
    from samemind.commands.carry._work import visit

    _, looked = await visit(device, folder, writes=True)
    return CarriedOut(
        ops=sum(each.ops for each in looked.wrote),
        path=str(folder / looked.wrote[-1].name) if looked.wrote else None,
        bytes=sum(each.size for each in looked.wrote),
        snapshot=any(each.has_base for each in looked.wrote),
        readable_by=await _names(device),
        removed=looked.removed,
    )


async def _names(device: "Device") -> list[str]:
    from replica import Core

    def read(core: Core, _: object) -> list[str]:
        members = core.membership.members
        return sorted(members[each].name for each in core.membership.standing if each != core.device)

    return await device.replica.run(read)


def render(document: Document) -> list[str]:
    if document["path"] is None:
        return ["the folder holds everything already"]
    what = counted(document["ops"], "op") + (" and a snapshot" if document["snapshot"] else "")
    readers = ", ".join(document["readable_by"]) or "this device only"
    return [f"{what} in {document['path']} ({document['bytes']} bytes), readable by {readers}"]


COMMAND: Final = Command(
    "carry export",
    CarryExport,
    CarriedOut,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method(
        "carry_export",
        "Write what other devices may lack to a sealed file; to a folder, only what is not in it yet.",
    ),
    place=1,
)
