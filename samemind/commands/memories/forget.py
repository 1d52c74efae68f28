"""Forget memories and others that say the same, on every device; or erase them from every file."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.memories._forgotten import Forgotten
from samemind.declaring import Command, CoreTool, Effects, Method, Takes, Workspace, argument, option
from samemind.errors import Usage
from samemind.formats.rendering import DEVICE_DIGITS, Document

if TYPE_CHECKING:
    import sqlite3

    from replica import Core, MemoryId
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetMemories:
    """Forget memories and others that say the same, on every device; or erase them from every file."""

    rids: tuple[str, ...] = argument("their ids", takes=Takes.RID, many=True)
    erase: bool = option("--erase", "remove every trace of their words from all devices", default=False)
    status: bool = option(
        "--status", "change nothing; show which devices have confirmed an erasure", default=False
    )
    only: bool = option("--only", "only these, not others that say the same", default=False)
    workspace: str | None = option(
        "--workspace", "only in this space: others that say the same elsewhere stay"
    )


async def run(device: "Device", options: ForgetMemories) -> Forgotten:
    """Put a tombstone on the memories named, and on those that say the same: forgotten is what they said.

    With `only`, those that say the same stay: a program that keeps its own records here deletes one and no other.
    The facts that were taken from them go with them, as they repeat it; a fact named by itself leaves its parent.

    Erasing also takes their words out of every log and file; what was only forgotten before can still be erased.
    """
    from replica import Erase, Write, memories_called, show_memory_id
    from replica.limits import NAMES_MAX
    from samemind.commands.memories._forgetting import facts_taken_from, forget_said, forgotten_view, told_as
    from samemind.formats.ids import find_memory

    def all_said(connection: "sqlite3.Connection", named: "set[MemoryId]") -> "set[MemoryId]":
        if options.only:
            return named
        return named.union(*(told_as(connection, rid, options.workspace) for rid in named))

    def tell(core: "Core", connection: "sqlite3.Connection") -> Forgotten:
        rids = sorted(find_memory(connection, text, forgotten=True) for text in options.rids)
        for known in memories_called(connection, rids):
            raise Usage(f"the memory {show_memory_id(known.rid)} was not forgotten", code="invalid")
        return forgotten_view(core, rids)

    def erase(core: "Core", connection: "sqlite3.Connection") -> "tuple[list[MemoryId], set[MemoryId]]":
        said = all_said(connection, {find_memory(connection, text, forgotten=True) for text in options.rids})
        facts = facts_taken_from(connection, said)
        rids = sorted(said | facts)
        for start in range(0, len(rids), NAMES_MAX):
            core.commit([Write(Erase(tuple(rids[start : start + NAMES_MAX])))], device.now_ms())
        return rids, facts

    def write(core: "Core", connection: "sqlite3.Connection") -> Forgotten:
        said = all_said(connection, {find_memory(connection, text) for text in options.rids})
        return forget_said(device, core, connection, said)

    if options.erase and not options.status:
        rids, facts = await device.replica.run(erase)  # its files are clean, and say so, when this returns
        return await device.replica.run(lambda core, _: forgotten_view(core, rids, facts))
    return await device.replica.run(tell if options.status else write)


def render(document: Document) -> list[str]:
    lines = [f"forgot {rid}" for rid in document["rids"]]
    if document["tellings"] > 1:
        lines.append(f"{document['tellings']} tellings in all: those named, and what said the same")
    confirmed, outstanding = document["confirmed_by"], document["outstanding"]
    if confirmed or outstanding:
        lines += [f"nothing of it is left on {device[:DEVICE_DIGITS]}" for device in confirmed]
        lines += [f"not confirmed yet by {device[:DEVICE_DIGITS]}" for device in outstanding]
    return lines or ["nothing was named, so nothing is forgotten"]


COMMAND: Final = Command(
    "forget",
    ForgetMemories,
    Forgotten,
    run=run,
    render=render,
    effects=Effects.DESTROY,
    agents=CoreTool(
        place=4,
        name="forget",
        title="Forget",
        description=(
            "Forget memories by id, on all devices, for good. With erase, their words are removed "
            "from every file too. Only when the user wants it, or for your own scratch notes."
        ),
        offered=(
            "rids",
            "erase",
        ),
    ),
    panel=True,
    library=Method("forget"),
    idempotent=True,
    workspace=Workspace.PUT | Workspace.CHANGED_BY_ID,
    place=13,
    elsewhere=("delete", "drop", "erase", "remove", "rm"),
    daily=True,
)
