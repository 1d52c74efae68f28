"""Find out what a file holds, and read it: by the format that was asked for, or else by its looks.

A file that is no text, or a zip that would fill the disk, is refused as a whole; whatever else it holds ends in
records, or in lines that say why not. A folder stands for the Markdown notes in it, and one bad note keeps
none of the others out.
"""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from samemind.errors import Usage
from samemind.portable import chatgpt, claude, jsonl, locomo, markdown, mcp_memory, mem0, notes
from samemind.portable.records import Record, Unreadable

# A decade of somebody's chats is some 200 MB; what is larger does not fit a small device's memory.
FILE_BYTES_MAX: Final = 512 << 20
# Chats compress to a tenth; a file that unpacks to more than this many times its size is a trap.
ZIP_RATIO_MAX: Final = 200
_CHATS: Final = "conversations.json"
_ZIP: Final = b"PK\x03\x04"
# The marks with which such a text begins.
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
# How to know each format of one document, and how to read it.
_DOCUMENTS: Final[Mapping[str, tuple[Callable[[object], bool], Callable[[object], Iterator[Record]]]]] = {
    "locomo": (locomo.looks_like, locomo.read),
    "chatgpt": (chatgpt.looks_like, chatgpt.read),
    "claude": (claude.looks_like, claude.read),
    "mem0": (mem0.looks_like, mem0.read),
}


def read_path(path: Path, format: str) -> Iterator[Record]:
    """Return what a file or a folder holds."""
    if path.is_dir():
        notes = sorted(
            note
            for note in path.rglob("*.md")
            if note.is_file() and not any(part.startswith(".") for part in note.relative_to(path).parts)
        )
        if not notes:
            raise Usage(f"{path.name}: expected Markdown notes in this folder, found none", code="unreadable")
        for note in notes:
            name = note.relative_to(path).as_posix()
            try:
                yield from read_text(name, _text(note), "markdown")
            except Usage as error:
                yield Unreadable(line=1, reason=f"{name}: {error}")
    else:
        yield from read_text(path.name, _text(path), format)


def read_text(name: str, text: str, format: str) -> Iterator[Record]:
    """Return what a text holds."""
    if format == "markdown" or (format == "auto" and name.lower().endswith((".md", ".markdown"))):
        return notes.read(text) if notes.is_ours(text) else markdown.read(name, text)
    lines = text.split("\n")
    if format == "mcp-memory" or (format == "auto" and mcp_memory.looks_like(_first(lines))):
        return mcp_memory.read(lines)
    if format == "jsonl" or (format == "auto" and name.endswith(".jsonl")):
        return jsonl.read(lines)
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        if format == "auto":
            return jsonl.read(lines)
        raise Usage(f"{name}: expected a JSON document, {error}", code="unreadable") from None
    if format != "auto":
        return _DOCUMENTS[format][1](document)
    for looks_like, read in _DOCUMENTS.values():
        if looks_like(document):
            return read(document)
    if isinstance(document, list):
        raise Usage(f"{name}: expected JSON lines or a known format, got a JSON list of something else")
    return jsonl.read(lines)


def _text(path: Path) -> str:
    size = path.stat().st_size
    if size > FILE_BYTES_MAX:
        raise _bad(path, f"expected at most {FILE_BYTES_MAX >> 20} MB, got {size >> 20}")
    try:
        data = path.read_bytes()
        if data.startswith(_ZIP):
            data = _unpacked(path, size)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        raise _bad(path, f"expected a zip that can be read, {error}") from None
    encoding = "utf-16" if data[:2] in _UTF_16 and len(data) > len(_UTF_16[0]) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise _bad(path, f"expected text in UTF-8, found other bytes at place {error.start}") from None


def _unpacked(path: Path, size: int) -> bytes:
    """Return the chats in an export, reading no more than a real one could hold."""
    with zipfile.ZipFile(path) as archive:
        names = [each for each in archive.namelist() if each.rpartition("/")[2] == _CHATS]
        if not names:
            raise _bad(path, f"expected a {_CHATS} in the zip, found none")
        allowed = min(FILE_BYTES_MAX, size * ZIP_RATIO_MAX)
        with archive.open(names[0]) as file:
            data = file.read(allowed + 1)
    if len(data) > allowed:
        raise _bad(path, f"expected {_CHATS} to unpack to at most {allowed} bytes, it holds more")
    return data


def _bad(path: Path, why: str) -> Usage:
    return Usage(f"{path.name}: {why}", code="invalid")


def _first(lines: list[str]) -> str:
    return next((line for line in lines if line.strip()), "")
