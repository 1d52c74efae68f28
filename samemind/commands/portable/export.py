"""Export every memory, with everything that belongs to it.

The store is read by a connection of its own in one transaction: an export shows one moment, and nobody waits for it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from samemind.declaring import Agents, ByHand, Command, Effects, Takes, option
from samemind.errors import Usage
from samemind.formats.rendering import Document, counted

if TYPE_CHECKING:
    import sqlite3

    from samemind.control.server import Say
    from samemind.device import Device
    from samemind.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Export every memory, with everything that belongs to it."""

    format: str = option("--format", "the format to write", default="jsonl", choices=("jsonl", "markdown"))
    output: str | None = option(
        "--output",
        "the file to write, for markdown a new folder; without it, standard output",
        takes=Takes.NEW_PATH,
        short="-o",
    )


Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """How many memories were taken out, and to where.

    A null path means to the one who asked, as `records`.
    """

    count: int
    path: str | None
    records: list[Meta] | None = None


LINES_PER_PAGE: Final = 500


async def run(device: "Device", options: Export, say: "Say") -> Exported:
    """Take everything out, to a file that appears when it is whole, or to the one who asked."""
    import trio

    from samemind.progress import while_telling

    if options.output is not None:
        device.home.check_foreign(Path(options.output))
    if options.format == "markdown":
        if options.output is None:
            raise Usage("expected --output FOLDER: Markdown is a folder of notes", code="invalid")
        folder = Path(options.output)
        count = await while_telling(
            say, lambda progress: trio.to_thread.run_sync(_export_notes, device, folder, progress)
        )
        return Exported(count=count, path=options.output)
    if options.output is None:

        def tell(lines: list[str]) -> None:
            trio.from_thread.run(say, {"lines": lines})

        return Exported(count=await trio.to_thread.run_sync(_export, device, tell), path=None)
    path = Path(await trio.Path(options.output).absolute())
    count = await while_telling(
        say, lambda progress: trio.to_thread.run_sync(_export_to, device, path, progress)
    )
    return Exported(count=count, path=str(path))


def export_lines(connection: "sqlite3.Connection") -> Iterator[str]:
    from replica import all_edges, all_links, all_memories, read_settings, show_memory_id, unknown_fields
    from samemind.commands.portable._claim_lines import claim_records, judgment_records
    from samemind.formats.views import view_of_memory
    from samemind.portable import jsonl

    unknown = {show_memory_id(rid): fields for rid, fields in unknown_fields(connection).items()}
    for view in map(view_of_memory, all_memories(connection)):
        yield jsonl.memory_line(view, unknown.get(view.rid, {}))
    for edge in all_edges(connection):
        yield jsonl.edge_line(*edge)
    for link in all_links(connection):
        yield jsonl.link_line(*link)
    for name, value in read_settings(connection, "").items():
        yield jsonl.setting_line(name, value)
    yield from map(jsonl.claim_line, claim_records(connection))
    yield from map(jsonl.judgment_line, judgment_records(connection))


def _opened(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="\n")  # the same bytes on every system


def _export_to(device: "Device", path: Path, progress: "Progress") -> int:
    from samemind.durable import whole_file

    with whole_file(path, mode=0o666) as scratch, _opened(scratch) as file:
        return _export(device, file.writelines, progress)


def _export_notes(device: "Device", folder: Path, progress: "Progress") -> int:
    """Write a folder of notes, which appears when it is whole; one with anything in it is not written into."""
    from samemind.durable import whole_folder
    from samemind.portable import notes

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Usage(f"expected a new or an empty folder, found something in {folder}", code="invalid")
    lines: list[str] = []
    count = _export(device, lines.extend, progress)
    with whole_folder(folder) as scratch:
        notes.write(scratch, lines)
    return count


def _export(device: "Device", write: Callable[[list[str]], None], progress: "Progress | None" = None) -> int:
    """Write every line, a page at a time; return how many memories that are, which come first and are nearly all."""
    import trio

    from replica import connect, count_memories

    def tell(connection: "sqlite3.Connection") -> int:
        if not connection.in_transaction:  # as it is on a disk that has no room for what is read
            connection.execute("BEGIN")
        count = count_memories(connection)
        lines = export_lines(connection)
        if progress is not None:
            progress.total = count
        while page := list(islice(lines, LINES_PER_PAGE)):
            write(page)
            if progress is not None:
                progress.note(progress.done + len(page))
        return count

    connection = connect(str(device.home.store), key=device.key)
    try:
        connection.execute("PRAGMA query_only = ON")
        return trio.from_thread.run(device.replica.reading, tell)(connection)
    finally:
        connection.close()


def render(document: Document) -> list[str]:
    return (
        []
        if document["path"] is None
        else [f"{counted(document['count'], 'memory', 'memories')} in {document['path']}"]
    )


COMMAND: Final = Command(
    "export",
    Export,
    Exported,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=ByHand("export"),
    streams=True,
    kept="a file appears only when it is whole, and what was printed is not: export again",
    place=2,
    elsewhere=("dump",),
)
