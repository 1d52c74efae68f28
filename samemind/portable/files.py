"""Find out what a file holds, and read it: by the format that was asked for, or else by its looks.

A file that is no text, or a zip that would fill the disk, is refused as a whole; whatever else it holds ends in
records, or in lines that say why not. A folder stands for the Markdown notes in it, and one bad note keeps
none of the others out; a folder of an unpacked export of chats, for that export; and one without notes, for the files
of a known format in it.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from replica.json_text import parse_json
from samemind.control.pouring import PipeContent
from samemind.errors import Usage
from samemind.portable import (
    calendar,
    chatgpt,
    claude,
    dayone,
    diary,
    discord,
    jsonl,
    locomo,
    mail,
    markdown,
    mcp_memory,
    mem0,
    notes,
    slack,
    streaming,
    table,
    takeout,
    telegram,
    whatsapp,
)
from samemind.portable.records import Record, Unreadable
from samemind.portable.texts import (
    FAULTS_OF_A_ZIP,
    NOTE,
    WHOLE_BYTES_MAX,
    PackedFile,
    Source,
    check_text,
    is_zip,
    open_bytes,
    open_text,
    open_zip,
    the_one,
    whole_text,
)

# As many as in a zip: a disk has more, and each is looked at before the first is read.
FOLDER_FILES_MAX: Final = 200_000
# A file is known by so much of it: its first line, or the first items of its list.
BEGINNING_CHARACTERS: Final = 1 << 18
LOOKED_AT: Final = 8
# How to know each format of one document, and how to read it.
_DOCUMENTS: Final[Mapping[str, tuple[Callable[[object], bool], Callable[[object], Iterator[Record]]]]] = {
    "locomo": (locomo.looks_like, locomo.read),
    "chatgpt": (chatgpt.looks_like, chatgpt.read),
    "claude": (claude.looks_like, claude.read),
    "mem0": (mem0.looks_like, mem0.read),
    "gemini": (takeout.looks_like_gemini, takeout.read_gemini),
    "discord": (discord.looks_like, discord.read),
    "telegram": (telegram.looks_like, telegram.read),
    "keep": (takeout.looks_like_note, takeout.read_note),
    dayone.SOURCE: (dayone.looks_like, dayone.read),
}
# Likewise those of text.
_TEXTS: Final[Mapping[str, tuple[Callable[[str, str], bool], Callable[[str, str], Iterator[Record]]]]] = {
    calendar.SOURCE: (lambda _, text: calendar.looks_like(text), lambda _, text: calendar.read(text)),
    takeout.GEMINI: (
        lambda _, text: takeout.looks_like_activity(text),
        lambda _, text: takeout.read_activity(text),
    ),
    whatsapp.SOURCE: (lambda _, text: whatsapp.looks_like(text), whatsapp.read),
    table.SOURCE: (table.looks_like, table.read),
    diary.SOURCE: (diary.looks_like, diary.read),
}
# Those of which an export may be of any size: they are lists of chats or memories, or of lines.
_LISTS: Final = ("locomo", "chatgpt", "claude", "mem0", "gemini", "discord")
# Only people write other notes, and a long book has a fourth of this. Ours hold what a store holds.
NOTE_CHARACTERS_MAX: Final = 16 << 20
# What an unpacked export is known by; a large one of ChatGPT has several. Beside it is what Claude keeps of chats.
_CHATS: Final = ("conversations.json", "conversations-*.json")
_KEPT: Final = "memories.json"
_KNOWN: Final = (
    "exports of chats and notes as they come, mail (.mbox), calendars (.ics), tables (.csv), diaries and notes "
    "(.txt, .md) and JSON lines"
)
# What a folder without notes is looked through for.
_DOCUMENT_NAMES: Final = ("*.json", "*.jsonl", "*.txt", "*.ics", "*.html", "*.csv", "*.tsv", "*.mbox")
_MEM0_LINES: Final = "mem0 lines"
_LINES: Final[Mapping[str | None, Callable[[Iterable[str]], Iterator[Record]]]] = {
    "jsonl": jsonl.read,
    "mcp-memory": mcp_memory.read,
    _MEM0_LINES: mem0.read_lines,
}
# What other programs give out that is not read here, each known by keys that belong to it alone.
_NOT_READ: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "an agent file of Letta": (frozenset({"agents", "blocks"}), frozenset({"core_memory", "messages"})),
    "a graph of Zep": (frozenset({"fact", "source_node_uuid"}), frozenset({"role_type", "content"})),
    "the items of a LangGraph store": (frozenset({"namespace", "key", "value"}),),
    "a checkpoint of LangGraph": (frozenset({"channel_values", "channel_versions"}),),
}


def read_path(path: Source, format: str) -> Iterator[Record]:
    """Return what a file, a zip or a folder holds. Lines, and lists of chats, are read as they are asked for."""
    if isinstance(path, Path) and path.is_dir():
        yield from _read_folder(path, format)
    elif not isinstance(path, PackedFile) and is_zip(path):
        yield from _read_zip(path, format)
    else:
        yield from _read_file(path, format)


def _read_folder(folder: Path, format: str) -> Iterator[Record]:
    chats = [] if format == "markdown" else exports_in(folder)
    for each in chats:
        yield from read_path(each, format)
    if chats:
        return
    export = slack.export_in(slack.files_in(folder)) if format in ("auto", slack.SOURCE) else None
    if export is not None:
        yield from slack.read(export)
        return
    found = notes_in(folder, plain=format == "markdown")
    if not found and not _led_out(folder):
        yield from _known_in(folder, format)
        return
    for link in _led_out(folder):
        name = link.relative_to(folder).as_posix()
        yield Unreadable(line=1, reason=f"{name}: expected a note of this folder, it is a link out of it")
    yield from _notes_of({note.relative_to(folder).as_posix(): note for note in found})


def _notes_of(found: Mapping[str, Source]) -> Iterator[Record]:
    for name, note in found.items():
        try:
            yield from read_text(name, _note(note), "markdown")
        except Usage as error:
            why = str(error).removeprefix(f"{note.name}: ")
            yield Unreadable(line=1, reason=f"{name}: {why}")


def _read_zip(path: Path | PipeContent, format: str) -> Iterator[Record]:
    """Return what a zip holds: an export of Slack, the files that it is brought in for, or all of a known format."""
    with open_zip(path) as files:
        export = slack.export_in(files) if format in ("auto", slack.SOURCE) else None
        chats = [file for file in files.values() if any(fnmatchcase(file.name, each) for each in _CHATS)]
        chats += [file for file in files.values() if chats and file.name == _KEPT]
        if export is not None:
            yield from slack.read(export)
        elif files and format in ("auto", "markdown") and all(name.lower().endswith(NOTE) for name in files):
            yield from _notes_of(files)
        elif len(chats) > 1:
            for each in chats:
                yield from read_path(each, format)
        elif the_one(files) is None and files:
            known = yield from _known_of(files, format)
            if not known:
                raise Usage(
                    f"{path.name}: expected files of a known format in the zip, found none",
                    code="unreadable",
                    hint=f"known formats: {_KNOWN}",
                )
        else:
            # The text of WhatsApp in a zip has no name of its own.
            one = the_one(files)
            is_named = one is not None and not one.name.lower().endswith(".txt")
            yield from _read_file(one if one is not None and is_named else path, format)


def _read_file(path: Source, format: str) -> Iterator[Record]:
    if format in ("auto", mail.SOURCE):
        if _is_mail(path):
            yield from mail.read(path.name, partial(open_bytes, path))
            return
        if format == mail.SOURCE:
            raise Usage(
                f"{path.name}: expected an mbox, whose first line is such as `From - Mon Jan  1 10:00:00 2024`",
                code="unreadable",
            )
    check_text(path)
    kind = _streamed(path, format)
    if kind in _LINES:
        with open_text(path) as file:
            yield from _LINES[kind](file)
    elif kind is not None:
        yield from _listed(path, kind)
    else:
        text = _note(path) if is_note(path.name, format) else whole_text(path)
        yield from read_text(path.name, text, format)


def _is_mail(path: Source) -> bool:
    """Say whether a file begins as an mbox: its messages may be in any encoding, each in its own."""
    try:
        with open_bytes(path) as file:
            return mail.looks_like(file.read(BEGINNING_CHARACTERS))
    except (*FAULTS_OF_A_ZIP, OSError):
        return False  # what is wrong with it is told where it is read as a text


def _is_within(path: Path, folder: Path) -> bool:
    """Say whether a file lies in a folder in truth: a link in a folder from elsewhere may lead to any file of ours."""
    return path.resolve().is_relative_to(folder.resolve())


def _led_out(folder: Path) -> list[Path]:
    return [note for note in _notes(folder) if not _is_within(note, folder)]


def _known_in(folder: Path, format: str) -> Iterator[Record]:
    """Return what the files of a known format hold, in a folder without notes; others are passed over."""
    files = {
        path.relative_to(folder).as_posix(): path
        for path in _visible(folder, *_DOCUMENT_NAMES)
        if _is_within(path, folder)
    }
    known = yield from _known_of(files, format)
    if not known:
        raise Usage(
            f"{folder.name}: expected Markdown notes in this folder, found none",
            code="unreadable",
            hint="`--format markdown` reads text files as notes, too"
            if any(path.suffix.lower() == ".txt" for path in files.values())
            else "",
        )


def _known_of(files: Mapping[str, Source], format: str) -> Generator[Record, None, bool]:
    """Return what those of several files hold that are of a known format, or damaged; say whether there was one."""
    known = False
    for name, file in files.items():
        try:
            for record in read_path(file, format):
                if isinstance(record, Unreadable):
                    record = replace(record, reason=f"{name}: {record.reason}")
                yield record
                known = True
        except Usage as error:
            if error.code not in ("unknown_format", "unreadable"):
                yield Unreadable(line=1, reason=str(error))
                known = True
    return known


def exports_in(folder: Path) -> list[Path]:
    """Return the files of an export of chats, of ChatGPT or of Claude, that was unpacked into a folder; else none."""
    found = sorted(
        path
        for pattern in _CHATS
        for path in folder.glob(pattern)
        if path.is_file() and _is_within(path, folder)
    )
    kept = folder / _KEPT
    return [*found, kept] if found and kept.is_file() and _is_within(kept, folder) else found


def notes_in(folder: Path, *, plain: bool = False) -> list[Path]:
    """Return the notes that a folder stands for, in their order; what is hidden, or leads out of it, is not meant.

    Where there is no Markdown, `plain` takes text for it.
    """
    found = _notes(folder) or (_visible(folder, "*.txt") if plain else [])
    return [note for note in found if _is_within(note, folder)]


def _notes(folder: Path) -> list[Path]:
    return _visible(folder, f"*{NOTE}")


def _visible(folder: Path, *patterns: str) -> list[Path]:
    """Return the files of these names, sorted; folders that go away meanwhile, or that nobody may read, are empty."""
    found: list[Path] = []
    looked_at = 0
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        looked_at += len(files)
        if looked_at > FOLDER_FILES_MAX:
            raise Usage(
                f"{folder}: expected at most {FOLDER_FILES_MAX} files in the folder, it has more",
                code="unreadable",
                hint="import the folder that the notes lie in",
            )
        visible = (name for name in files if not name.startswith("."))
        found += (
            Path(above, name) for name in visible if any(fnmatchcase(name, pattern) for pattern in patterns)
        )
    return sorted(file for file in found if file.is_file())


def _streamed(path: Source, format: str) -> str | None:
    """Return the format of a file of lines or of a list that is known by its beginning; None: it is read whole."""
    name = path.name.lower()
    if is_note(name, format):
        return None
    with open_text(path) as file:
        beginning = file.read(BEGINNING_CHARACTERS)
    first, _, _ = beginning.lstrip().partition("\n")
    if format == "mcp-memory" or (format == "auto" and mcp_memory.looks_like(first)):
        return "mcp-memory"
    if _is_line_of_mem0(format, first):
        return _MEM0_LINES
    if format == "jsonl" or (format == "auto" and name.endswith(".jsonl")):
        return "jsonl"
    if format == "auto" and _is_line_of_ours(first):
        return "jsonl"
    kinds = _LISTS if first.startswith("[") else ("mem0",) if first.startswith("{") else ()
    if format != "auto":
        return format if format in kinds else None
    some: list[object] = []
    with open_text(path) as file, suppress(streaming.Damaged):  # what stands before the damage tells as much
        some.extend(islice(streaming.items(file.read, under=mem0.LISTS), LOOKED_AT))
    return next((kind for kind in kinds if _DOCUMENTS[kind][0](some)), None)


def is_note(name: str, format: str) -> bool:
    """Say whether a file of this name is read as a note."""
    return format == "markdown" or (format == "auto" and name.lower().endswith((".md", ".markdown")))


def _is_line_of_mem0(format: str, line: str) -> bool:
    return format in ("auto", mem0.SOURCE) and mem0.looks_like_line(line) and not _is_line_of_ours(line)


def _is_line_of_ours(line: str) -> bool:
    """Say whether a line is an object of its own that says something, as those of our exports are."""
    try:
        found = parse_json(line)
    except ValueError:
        return False
    return isinstance(found, dict) and ("text" in found or "kind" in found)


def _note(source: Source) -> str:
    """Return a note, which is read whole."""
    check_text(source)
    with open_text(source) as file:
        text = file.read(BEGINNING_CHARACTERS)
        allowed = WHOLE_BYTES_MAX if notes.is_ours(text) else NOTE_CHARACTERS_MAX
        text += file.read(allowed)
    if len(text) > allowed:
        raise Usage(
            f"{source.name}: expected a note of at most {allowed >> 20} million characters, it has more: part it",
            code="too_large",
        )
    return text


def _listed(path: Source, format: str) -> Iterator[Record]:
    """Return what the items of a list hold; where it is damaged, what stands before that."""
    count = 0

    def counted(items: Iterator[object]) -> Iterator[object]:
        nonlocal count
        for count, item in enumerate(items, start=1):  # noqa: B007 - it is told below
            yield item

    with open_text(path) as file:
        try:
            yield from _DOCUMENTS[format][1](counted(streaming.items(file.read, under=mem0.LISTS)))
        except streaming.Damaged as error:
            if not count:
                raise Usage(f"{path.name}: expected a JSON document, {error}", code="unreadable") from None
            yield Unreadable(line=count + 1, reason=f"expected a JSON list to its end, {error}")


def read_text(name: str, text: str, format: str) -> Iterator[Record]:
    """Return what a text holds."""
    if is_note(name, format):
        return notes.read(text) if notes.is_ours(text) else markdown.read(name, text)
    for kind, (is_such, read_such) in _TEXTS.items():
        # What may be a document as well is read as a text where it looks like one.
        is_sure = format == kind and kind not in _DOCUMENTS
        if is_sure or (format in ("auto", kind) and is_such(name, text)):
            return read_such(name, text)
    if format == slack.SOURCE:
        raise Usage(f"{name}: expected the zip of a Slack export, or its folder", code="unreadable")
    lines = text.split("\n")
    if format == "mcp-memory" or (format == "auto" and mcp_memory.looks_like(_first(lines))):
        return mcp_memory.read(lines)
    if _is_line_of_mem0(format, _first(lines)):
        return mem0.read_lines(lines)
    if format == "jsonl" or (format == "auto" and name.endswith(".jsonl")):
        return jsonl.read(lines)
    try:
        document: object = parse_json(text)
    except ValueError as error:
        if format == "auto":
            if not any(line.lstrip().startswith(("{", "[")) for line in lines if line):
                raise Usage(
                    f"{name}: expected a file of a known format, found text that is none of them",
                    code="unknown_format",
                    hint="where it was exported, ask for JSON instead of HTML"
                    if text.lstrip().startswith("<")
                    else f"`--format markdown` reads it as notes; known formats: {_KNOWN}",
                ) from None
            return jsonl.read(lines)
        raise Usage(f"{name}: expected a JSON document, {error}", code="unreadable") from None
    if format != "auto":
        return _DOCUMENTS[format][1](document)
    for looks_like, read in _DOCUMENTS.values():
        if looks_like(document):
            return read(document)
    if isinstance(document, list) or not _is_line_of_ours(_first(lines)):
        raise _unknown(name, document)
    return jsonl.read(lines)


def _unknown(name: str, document: object) -> Usage:
    called = _not_read(document)
    if called is not None:
        return Usage(
            f"{name}: expected a format that is read here, got {called}",
            code="unknown_format",
            hint="write what is worth keeping as JSON lines, an object with a `text` on each",
        )
    kind = "list" if isinstance(document, list) else "document"
    return Usage(
        f"{name}: expected JSON lines or a known format, got a JSON {kind} of something else",
        code="unknown_format",
        hint="`samemind help import` tells the formats; an object with a `text` on each line is one of them",
    )


def _not_read(document: object) -> str | None:
    """Return what a document of another program is called, by its own keys or those of what it lists."""
    lists = [document] if isinstance(document, list) else []
    lists += (
        [each for each in document.values() if isinstance(each, list)] if isinstance(document, dict) else []
    )
    objects = [each for each in (document, *(one[0] for one in lists if one)) if isinstance(each, dict)]
    return next(
        (
            called
            for called, known_by in _NOT_READ.items()
            if any(keys <= each.keys() for keys in known_by for each in objects)
        ),
        None,
    )


def _first(lines: list[str]) -> str:
    return next((line for line in lines if line.strip()), "")
