"""Retract everything learned from a source, a device or a speaker, and what was derived from it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from samemind.commands.thinking._parts import Retract, Retracted
from samemind.declaring import Agents, Command, Effects, Method
from samemind.errors import Usage
from samemind.formats.plain import to_json
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document, clock, counted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from replica import Core, MemoryId
    from samemind.commands.thinking._retracting import Retraction
    from samemind.control.server import Say
    from samemind.device import Device


async def run(device: "Device", options: Retract, say: "Say") -> Retracted:
    """Find what is to go, wait for the undo window to close, and let it go."""
    import trio

    from replica import show_memory_id
    from samemind.commands.thinking._retracting import UNDO_S_MAX, find_all, shown, write_all

    named = [each for each in (options.source, options.device, options.speaker) if each is not None]
    if len(named) != 1:
        raise Usage("expected exactly one of --source, --device and --speaker", code="invalid")
    if options.ops is not None and (options.device is None or options.since is not None):
        raise Usage("expected --ops with --device, and without --since", code="invalid")
    if not 0 <= options.undo_s <= UNDO_S_MAX:
        raise Usage(
            f"expected an undo window of 0 to {UNDO_S_MAX:g} seconds, got {options.undo_s:g}", code="invalid"
        )
    found = await device.replica.run(lambda core, connection: find_all(core, connection, options))
    if options.dry_run:
        told = await device.replica.read(lambda connection: _texts(connection, (*found.rids, *found.facts)))
        return replace(shown(found, dry_run=True), texts=told)
    if options.undo_s:
        closes_ms = device.now_ms() + int(options.undo_s * 1_000)
        closes_at = datetime.fromtimestamp(closes_ms / 1_000, UTC)
        await say({"rids": [show_memory_id(rid) for rid in found.rids], "closes_at": to_json(closes_at)})
        await trio.sleep(options.undo_s)

    def write(core: "Core", connection: "sqlite3.Connection") -> "Retraction":
        found = find_all(core, connection, options)  # anew: what came in meanwhile goes too
        write_all(core, found, device.now_ms())
        return found

    return shown(await device.replica.run(write), dry_run=False)


def _texts(connection: "sqlite3.Connection", rids: "Sequence[MemoryId]") -> dict[str, str]:
    """Return the words of memories, so that somebody can see what it is before it goes."""
    from replica import memories_called, show_memory_id

    return {show_memory_id(it.rid): it.memory.text for it in memories_called(connection, rids)}


def render(document: Document) -> list[str]:
    word = "would go" if document["dry_run"] else "gone"
    rids = (*document["rids"], *document["facts"])
    words = document["texts"]
    lines = [f"{word}: {rid}{f'  {one_line(words[rid])}' if rid in words else ''}" for rid in rids]
    lines += [f"{word}: {one_line(edge)}" for edge in document["edges"]]
    lines += [f"{word}: {one_line(setting)}" for setting in document["settings"]]
    lines += [f"{word}: what it said of claims of {pair}" for pair in document["judgments"]]
    lines += [f"look at: {rid}, which it changed" for rid in document["changed"]]
    if document["dry_run"] and len(rids) > 1:
        lines.append(
            f"{counted(len(rids), 'memory', 'memories')} would go; without --dry-run they do, on every device"
        )
    return lines or ["nothing came from there"]


def render_said(document: Document) -> list[str]:
    going = counted(len(document["rids"]), "memory", "memories")
    return [f"{going} to go at {clock(document['closes_at'])}; Ctrl-C takes it back"]


COMMAND: Final = Command(
    "retract",
    Retract,
    Retracted,
    run=run,
    render=render,
    render_said=render_said,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel="undoes or folds much at once: asked for where its result can be read",
    library=Method(
        "retract",
        (
            "Retract everything learned from a source, a device or a speaker; cancelled in time, it changes nothing."
        ),
    ),
    streams=True,
    kept="before its undo window closes, nothing is gone",
    place=4,
    elsewhere=("revert", "undo"),
)
