"""Spoil what is imported: the files of every format, as documents and as bytes.

Whatever a file holds, reading it ends in records, in lines that say why not, or in an error that says what is wrong
with the file as a whole. Some are imported as well: what was taken can be recomputed, and taking it again adds nothing.
"""

import atexit
import functools
import io
import json
import tempfile
import zipfile
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, Final

import samemind
from samemind.commands.portable.import_ import FORMATS
from samemind.errors import SamemindError
from samemind.library.blocking import BlockingMind
from samemind.portable.files import read_path
from tests.support.exports import CHATGPT, CLAUDE, LOCOMO, MCP_MEMORY, MEM0, NOTE
from tests.support.mangling import as_json, mangled, mangled_bytes

# Importing costs a hundred times what reading does.
IMPORTED: Final = 0.08
# A mind that took in so much more is slow to verify.
IMPORTS_MAX: Final = 300


class _Taker:
    """A device that imports, a new one after many."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._left = 0

    def mind(self) -> BlockingMind:
        if not self._left:
            self.close()
            home = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-"))
            self._mind = self._stack.enter_context(samemind.open_blocking(Path(home) / "home"))
            self._left = IMPORTS_MAX
        self._left -= 1
        return self._mind

    def close(self) -> None:
        self._stack.close()
        self._left = 0


@functools.cache
def _taker() -> _Taker:
    taker = _Taker()
    atexit.register(taker.close)
    return taker


@functools.cache
def _ours() -> tuple[list[Any], str]:
    """Return what this program exports of a mind with something of everything: lines, and one note."""
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-") as folder,
        samemind.open_blocking(Path(folder) / "home") as mind,
    ):
        mind.import_(_written(Path(folder) / "mcp.jsonl", _lines(MCP_MEMORY)))
        rid = mind.remember("Ann works at Meta since May", speaker="Ann", tag=["work"], meta={"a": "b"}).rid
        mind.remember("Ann works at Google", speaker="Ann", importance=0.9, event_start="2025-03-01")
        mind.correct(rid, "Ann works at Acme now")
        mind.add_goal("learn Portuguese")
        mind.export(Path(folder) / "all.jsonl")
        mind.export(Path(folder) / "notes", format="markdown")
        notes = sorted((Path(folder) / "notes").rglob("*.md"))
        lines = (Path(folder) / "all.jsonl").read_text("utf-8").splitlines()
        return list(map(json.loads, lines)), notes[0].read_text("utf-8")


def importers(random: Random) -> None:
    """A file of any format."""
    lines, note = _ours()
    name, document = random.choice(
        [
            ("chats.json", CHATGPT), ("chats.json", CLAUDE), ("mem0.json", MEM0), ("locomo.json", LOCOMO),
            ("graph.jsonl", MCP_MEMORY), ("all.jsonl", lines), ("all.jsonl", lines), ("note.md", NOTE),
            ("note.md", note),
        ]
    )  # fmt: skip
    if isinstance(document, str):
        data = mangled_bytes(random, document.encode())
    else:
        spoiled = mangled(random, document)
        data = _lines(spoiled) if name.endswith("l") and isinstance(spoiled, list) else as_json(spoiled)
        if random.random() < 0.3:
            data = mangled_bytes(random, data)
    if random.random() < 0.1:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        name, data = "export.zip", packed.getvalue()
        data = mangled_bytes(random, data) if random.random() < 0.5 else data
    told = random.choice(("auto", "auto", *FORMATS))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = _written(Path(folder) / name, data)
        try:
            list(read_path(path, told))
        except SamemindError:
            return
        if random.random() < IMPORTED:
            _taken(_taker().mind(), path, told)


def _taken(mind: BlockingMind, path: Path, told: str) -> None:
    first = mind.import_(path, format=told)
    again = mind.import_(path, format=told)
    assert not again.imported, f"{first} and then {again}"
    assert first.failed == again.failed
    found = mind.verify()
    assert found.ok, found.problems


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _lines(documents: list[Any]) -> bytes:
    return b"\n".join(map(as_json, documents))
