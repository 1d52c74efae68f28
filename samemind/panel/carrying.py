"""Bring memories in through a page, and take them out.

A page sends a file in parts, each bounded as any request is, and the whole bounded here. It lies in a folder of its own
beside the store, which only the owner reads, until it was imported or given up. What an import wrote can be taken back
for as long as the panel is open; the command that does so later is told too.
"""

import shlex
import shutil
import tempfile
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import trio

from samemind.commands.keeping_safe.backup import Backup
from samemind.commands.keeping_safe.backup import run as backup
from samemind.commands.portable.export import Export
from samemind.commands.portable.export import run as export
from samemind.commands.portable.import_ import Import
from samemind.commands.portable.import_ import run as import_
from samemind.commands.thinking._parts import Retract
from samemind.commands.thinking.retract import run as retract
from samemind.declaring import declared
from samemind.errors import NotFound, Usage
from samemind.formats.plain import to_json
from samemind.formats.times import at_ms

if TYPE_CHECKING:
    from samemind.control.server import Say
    from samemind.device import Device

# The largest exports of chats that people have are a few hundred megabytes.
UPLOAD_BYTES_MAX: Final = 1 << 30
# Each is a file on the disk until it was imported or given up.
UPLOADS_MAX: Final = 4
# As many imports as anybody takes back by a button; later ones push earlier ones out.
UNDOS_MAX: Final = 16
# File systems take 255.
NAME_BYTES_MAX: Final = 200
# A line of an answer. A multiple of three, so that what it is written as has no end of its own.
PIECE_BYTES: Final = 3 << 16


@dataclass(slots=True)
class _Upload:
    path: Path
    bytes: int = 0


class Carrying:
    """The files that pages are sending, and the imports that they may take back."""

    def __init__(self, device: "Device") -> None:
        self._device = device
        self._uploads: OrderedDict[str, _Upload] = OrderedDict()
        self._undos: OrderedDict[str, Retract] = OrderedDict()
        shutil.rmtree(device.home.uploads, ignore_errors=True)  # of a program that was killed

    def begin(self, name: object) -> dict[str, Any]:
        """Make room for a file of that name, of which the end tells what it may be."""
        plain = "" if not isinstance(name, str) else _short(Path(name).name)
        if plain in ("", "..") or "\0" in plain:
            raise Usage("expected the name of a file", code="invalid")
        while len(self._uploads) >= UPLOADS_MAX:
            self.drop(next(iter(self._uploads)))
        folder = self._folder()
        upload = folder.name
        path = folder / plain
        path.touch(0o600)
        self._uploads[upload] = _Upload(path)
        return {"id": upload}

    async def add(self, id: str, part: bytes) -> dict[str, Any]:
        """Put a part behind what came of a file."""
        upload = self._named(id)
        if upload.bytes + len(part) > UPLOAD_BYTES_MAX:
            self.drop(id)
            raise Usage(f"expected a file of at most {UPLOAD_BYTES_MAX} bytes", code="too_large")
        upload.bytes += len(part)
        async with await trio.open_file(upload.path, "ab") as file:
            await file.write(part)
        return {"bytes": upload.bytes}

    async def bring_in(self, asked: Mapping[str, Any], say: "Say") -> Mapping[str, Any]:
        """Import a file that came whole; with `dry_run` only say what would come in, and keep it."""
        named = str(asked.get("id", ""))
        upload, dry_run = self._named(named), asked.get("dry_run") is True
        options = Import(
            files=(str(upload.path),), facts=asked.get("facts") is True, dry_run=dry_run, yes=True
        )
        try:
            done = await import_(self._device, options, say)
        finally:
            if not dry_run:
                self.drop(named)
        document: dict[str, Any] = to_json(done)
        if done.undo is not None:
            self._undos[named] = _undoing(done.undo)
            while len(self._undos) > UNDOS_MAX:
                self._undos.popitem(last=False)
            document["undo_id"] = named
        return document

    async def take_back(self, id: str) -> Mapping[str, Any]:
        """Take back what an import wrote."""
        options = self._undos.get(id)
        if options is None:
            raise NotFound("this import can no longer be undone here", code="too_late", hint=_BY_HAND)
        document: Mapping[str, Any] = to_json(await retract(self._device, options, _unheard))
        self._undos.pop(id, None)
        return document

    def drop(self, id: str) -> None:
        """Give a file up."""
        if (upload := self._uploads.pop(id, None)) is not None:
            shutil.rmtree(upload.path.parent, ignore_errors=True)

    def close(self) -> None:
        """Give every file up."""
        for upload in [*self._uploads]:
            self.drop(upload)
        shutil.rmtree(self._device.home.uploads, ignore_errors=True)

    async def take_out(self, asked: Mapping[str, Any], say: "Say") -> Mapping[str, Any]:
        """Say every memory: as lines of an export, or with the `format` markdown as pieces of a zip of notes."""
        wanted = str(asked.get("format", "jsonl"))
        if wanted not in _FORMATS:
            raise Usage(f"expected {' or '.join(_FORMATS)} as format, got {wanted!r:.60}", code="invalid")
        if wanted == "jsonl":
            document: Mapping[str, Any] = to_json(await export(self._device, Export(), say))
            return document
        scratch = self._folder()
        try:
            notes = scratch / "notes"
            done = await export(self._device, Export(format=wanted, output=str(notes)), say)
            packed = Path(await trio.to_thread.run_sync(shutil.make_archive, str(notes), "zip", str(notes)))
            async with await trio.open_file(packed, "rb") as file:
                while piece := await file.read(PIECE_BYTES):
                    await say({"base64": b64encode(piece).decode()})
            return {"count": done.count}
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    async def back_up(self) -> Mapping[str, Any]:
        """Copy the store into the folder of backups beside it, under the time of now."""
        folder = self._device.home.backups
        await trio.Path(folder).mkdir(mode=0o700, exist_ok=True)
        moment = at_ms(self._device.now_ms())
        assert moment is not None
        path = folder / f"{self._device.home.store.stem}-{moment:%Y-%m-%d-%H%M%S}.db"
        document: Mapping[str, Any] = to_json(await backup(self._device, Backup(file=str(path)), _unheard))
        return document

    def _folder(self) -> Path:
        """Make a folder that only the owner reads."""
        self._device.home.uploads.mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self._device.home.uploads))

    def _named(self, id: str) -> _Upload:
        if id not in self._uploads:
            raise NotFound("this file is no longer here", code="gone", hint="choose it again")
        return self._uploads[id]


def _short(name: str) -> str:
    """Return the end of a name, as a file system takes it: what is no character in it is left out."""
    return name.encode("utf-8", "ignore")[-NAME_BYTES_MAX:].decode("utf-8", "ignore")


# Those of the command line.
(_FORMATS,) = [one.word.choices for one in declared(Export) if one.name == "format"]
_BY_HAND: Final = "the end of the import said which command does"


def _undoing(command: str) -> Retract:
    """Return what the command that an import names would do."""
    words = shlex.split(command)
    return Retract(device=words[words.index("--device") + 1], ops=words[words.index("--ops") + 1])


async def _unheard(said: Mapping[str, Any]) -> None:
    """Take what a verb says meanwhile; its result is the answer."""
