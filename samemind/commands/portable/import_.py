"""Import memories; what was imported before is skipped."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from samemind.commands.portable._parts import FailedLine, Imported
from samemind.declaring import Agents, ByHand, Command, Effects, Takes, argument, option
from samemind.errors import Usage
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    from cognition import TakenIn
    from replica import MemoryId
    from samemind.control.server import Say
    from samemind.device import Device


# What samemind.portable.files can read.
FORMATS: Final = (
    "auto",
    "jsonl",
    "markdown",
    "locomo",
    "chatgpt",
    "claude",
    "gemini",
    "whatsapp",
    "telegram",
    "slack",
    "discord",
    "keep",
    "mem0",
    "mcp-memory",
    "ics",
    "diary",
    "dayone",
    "csv",
    "mbox",
)


# `cognition.ingest.gate.BACKLOG_MAX`, which is not loaded to print a result: so few are no news to anybody.
READ_BEFORE_THE_NEXT_ANSWER: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Import memories; what was imported before is skipped."""

    files: tuple[str, ...] = argument(
        "files to read; a folder stands for the notes in it, or the export unpacked there, - for standard input",
        takes=Takes.PATH,
        many=True,
    )
    format: str = option("--format", "their format", default="auto", choices=FORMATS)
    workspace: str | None = option("--workspace", "the space to import them into")
    facts: bool = option(
        "--facts",
        "return once they are read for facts, including exports of samemind and LoCoMo",
        default=False,
    )
    no_facts: bool = option("--no-facts", "do not read them for facts and claims", default=False)
    dry_run: bool = option("--dry-run", "change nothing; show what would be imported", default=False)
    yes: bool = option(
        "--yes", "do not ask at a terminal before many notes are imported", default=False, short="-y"
    )


def _came_to_something(result: Mapping[str, Any]) -> bool:
    """Of a file some lines may be bad, and not all of them."""
    return bool(result["imported"] or result["skipped"] or result["held"] or not result["failed"])


async def run(device: "Device", options: Import, say: "Say") -> Imported:
    """Bring in every file; one that cannot be read as a whole keeps all of them out.

    They are read twice, first to see what is in them and then to take it, a batch at a time: a file may be larger than
    this machine's memory. What their texts state is read behind that.
    """
    with device.mind.ingest.gathering():
        return await _bring(device, options, say)


async def _bring(device: "Device", options: Import, say: "Say") -> Imported:
    import trio

    from cognition import FACTS_MAX
    from replica.limits import COMMIT_OPS_MAX
    from samemind.commands.portable._importing import (
        BATCH,
        FAILURES_MAX,
        Survey,
        bring_claims,
        new_links,
        next_page,
        outcome,
        records_of,
        sift,
        survey_files,
        take_apart,
        telling_what_came_in,
        to_be_read,
        undo_command,
        would_write,
        write_links,
        write_page,
    )
    from samemind.formats.op_ranges import Written
    from samemind.portable.texts import source_of

    counts, done = Counter[str](), 0
    failed: list[FailedLine] = []
    written = Written()
    paths = [
        await trio.to_thread.run_sync(source_of, Path(name), abandon_on_cancel=True) for name in options.files
    ]
    # What comes after all memories changes no count: a dry run has no need to read everything twice.
    survey = (
        Survey() if options.dry_run else await trio.to_thread.run_sync(survey_files, paths, options.format)
    )
    links = await device.replica.read(partial(new_links, survey.links))
    if options.facts and options.no_facts:
        raise Usage("expected --facts or --no-facts, got both", code="invalid")
    batch = COMMIT_OPS_MAX // (2 + FACTS_MAX) if options.facts else BATCH
    records = records_of(paths, options.format)
    seen, held = set[object](), set[object]()
    while page := await trio.to_thread.run_sync(next_page, records, batch, options.workspace):
        good, bad = sift(page)
        failed += bad[: FAILURES_MAX - len(failed)]
        if options.dry_run:
            counts.update(await device.replica.read(partial(would_write, good, seen)))
            continue
        taken: dict[MemoryId, TakenIn] = {}
        unread: dict[MemoryId, str | None] = {}
        if options.facts:  # in a thread: it takes a millisecond a text
            taken = await trio.to_thread.run_sync(take_apart, good, survey.parents, device.now_ms())
        elif not options.no_facts:
            unread = to_be_read(good, survey.parents)
        write = partial(write_page, device, good, taken, unread, held)
        with telling_what_came_in(device, counts, written):
            counts.update(await device.replica.run(written.noting(write)))
        done += len(page)
        await say({"progress": {"done": done, "total": max(done, survey.total)}})
    if options.dry_run:
        return outcome(counts, failed, dry_run=True)
    with telling_what_came_in(device, counts, written):
        counts["held"] += await bring_claims(device, survey.claims, survey.judged, written)
        for start in range(0, len(links), BATCH):
            part = partial(write_links, device, links[start : start + BATCH])
            await device.replica.run(written.noting(part))
    undo = undo_command(device, written) if written.ranges else None
    return outcome(counts, failed, unread=device.mind.ingest.brought, undo=undo)


def render(document: Document) -> list[str]:
    imported = f"{document['imported']} {'would come in' if document['dry_run'] else 'imported'}"
    if relations := document.get("relations"):
        rest = document["imported"] - relations
        memories = f"{counted(rest, 'memory', 'memories')} and " if rest else ""
        imported += f" ({memories}{counted(relations, 'relation')})"
    known = document["skipped"] - document["forgotten"]
    lines = [f"{imported}, {known} known already, {len(document['failed'])} failed"]
    if document["forgotten"]:
        stay = counted(
            document["forgotten"],
            "was forgotten or taken back before, and stays so unless its words change",
            "were forgotten or taken back before, and stay so unless their words change",
        )
        lines.append(stay)
    if document["held"] and document["dry_run"]:
        look = counted(document["held"], "looks secret", "look secret")
        lines.append(f"{look} and would be held here")
    elif document["held"]:
        look = counted(document["held"], "looks secret and is", "look secret and are")
        lines.append(f"{look} held here: samemind held")
    if document["unread"] > READ_BEFORE_THE_NEXT_ANSWER:
        wait = counted(document["unread"], "text is", "texts are")
        lines.append(f"{wait} read for facts in the background: `samemind queue wait` waits for it")
    if document["undo"]:
        lines.append(f"to take that back: {document['undo']}")
    return lines + [f"line {each['line']}: {each['reason']}" for each in document["failed"]]


COMMAND: Final = Command(
    "import",
    Import,
    Imported,
    run=run,
    render=render,
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=ByHand("import_"),
    went_well=_came_to_something,
    kept="what came in so far is kept; import the same files again to go on",
    streams=True,
    place=1,
    daily=True,
    elsewhere=("load",),
)
