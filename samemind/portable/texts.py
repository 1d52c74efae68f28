"""Open a file as the text that it holds: UTF-8 or UTF-16, as it is or in a zip, in pieces or whole.

Whether all of it is text, and unpacks to no more than a real one would, is checked before anything of it is read, in
pieces too: a file that is refused is refused as a whole.
"""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, TextIO

from samemind.control.pouring import PIPED_BYTES_MAX, PipeContent, no_such_file, read_poured
from samemind.errors import Usage
from samemind.platform import system

# What is read whole is held in memory too.
WHOLE_BYTES_MAX: Final = PIPED_BYTES_MAX
# Chats compress to a tenth; a file that unpacks to more than this many times its size is a trap.
ZIP_RATIO_MAX: Final = 200
_PIECE_BYTES: Final = 1 << 18
_CHATS: Final = "conversations.json"
_MAY_HOLD_CHATS: Final = (".txt", ".json", ".ics", ".html", ".csv", ".tsv", ".mbox")
_ZIP: Final = b"PK\x03\x04"
# The largest export has a file for each day of each channel; the list of them takes some 100 bytes a file.
ZIP_FILES_MAX: Final = 200_000
ZIP_LIST_BYTES_MAX: Final = 64 << 20
# The end of a zip says how long its list of files is: 22 bytes, behind which stands a note of at most 65,535. A longer
# list than 4 GB, which none of ours is, is told elsewhere.
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22
_NOTE_BYTES_MAX: Final = (1 << 16) - 1
_LIST_LENGTH_AT: Final = slice(12, 16)
# What its parts fail with: the list of files, names in it, and each way to pack them. `OSError` comes of bzip2, and of
# a list that says that a file lies before the beginning.
FAULTS_OF_A_ZIP: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
)
NOTE: Final = ".md"
# The marks with which such a text begins.
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of a zip that is open."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        return self.info.filename.rpartition("/")[2]


Source = Path | PipeContent | PackedFile
"""What can be read as often as is needed."""


def source_of(path: Path) -> Source:
    """Return a file or a folder as it is, and what another program drew out of a pipe and pours here."""
    if system.is_poured(path):
        return read_poured(path)
    if path.is_file() or path.is_dir():
        return path
    if not path.exists():
        raise no_such_file(path)
    raise _bad(path, "expected a file, a folder or a pipe of the program that asks")


@contextmanager
def open_text(source: Source) -> Iterator[TextIO]:
    """Open a file that was checked, for reading lines or pieces."""
    with open_bytes(source) as file:
        beginning = file.read(len(_UTF_16[0]) + 1)
    encoding = "utf-16" if beginning[:2] in _UTF_16 and len(beginning) > len(_UTF_16[0]) else "utf-8-sig"
    with open_bytes(source) as file, io.TextIOWrapper(file, encoding, newline="\n") as text:
        yield text


def check_text(source: Source) -> None:
    """Refuse a file that is no text, or that would unpack to far more than it is."""
    allowed, found = _bytes_allowed(source), 0
    try:
        with open_text(source) as text:
            try:
                while piece := text.read(_PIECE_BYTES):
                    found += len(piece)
                    if found > allowed:
                        raise _bad(source, f"expected it to unpack to at most {allowed} bytes, it holds more")
            except UnicodeDecodeError as error:
                # It counts from the start of what was decoded last, which ends where was read to.
                place = text.buffer.tell() - len(error.object) + error.start
                raise _bad(
                    source, f"expected text in UTF-8, found other bytes at place {place}: {error.reason}"
                ) from None
    except (*FAULTS_OF_A_ZIP, OSError) as error:
        if isinstance(error, OSError) and not (isinstance(source, PackedFile) or is_zip(source)):
            raise  # the disk's own
        raise _unreadable(source, error) from None


@contextmanager
def open_zip(source: Path | PipeContent) -> Iterator[dict[str, PackedFile]]:
    """Open a zip: its files that may be read, by their places in it; notes, where it holds nothing else.

    How many it has, and how large they say to be, is bounded before anything is unpacked; no more is ever read of a
    file than it says. Raises `Usage` where it is no zip, or one of more.
    """
    _check_list(source)
    with _bytes(source) as file:
        try:
            archive = zipfile.ZipFile(file)
        except (*FAULTS_OF_A_ZIP, ValueError, OSError) as error:
            raise _unreadable(source, error) from None
        with archive:
            all_files = {
                info.filename: PackedFile(archive, info)
                for info in sorted(archive.infolist(), key=lambda info: info.filename)
                if not info.is_dir()
            }
            # What stands beside other things is about these.
            found = _ending_so(all_files, _MAY_HOLD_CHATS) or _ending_so(all_files, (NOTE,))
            if len(archive.infolist()) > ZIP_FILES_MAX:
                raise _bad(source, f"expected at most {ZIP_FILES_MAX} files in the zip, it has more")
            allowed = _bytes_allowed(source)
            if sum(each.info.file_size for each in found.values()) > allowed:
                raise _bad(source, f"expected it to unpack to at most {allowed} bytes, it holds more")
            yield found


def _ending_so(files: Mapping[str, PackedFile], ends: tuple[str, ...]) -> dict[str, PackedFile]:
    return {name: file for name, file in files.items() if name.lower().endswith(ends)}


def _check_list(source: Path | PipeContent) -> None:
    """Refuse a zip whose list of files is longer than that of any export: reading it takes ten times its size."""
    with _bytes(source) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _END_BYTES - _NOTE_BYTES_MAX))
        tail = file.read()
    at = tail.rfind(_END)
    if at >= 0 and int.from_bytes(tail[at:][_LIST_LENGTH_AT], "little") > ZIP_LIST_BYTES_MAX:
        raise _bad(source, f"expected at most {ZIP_FILES_MAX} files in the zip, it has more")


def _bytes_allowed(source: Source) -> int:
    match source:
        case PipeContent():
            size = len(source.data)
        case PackedFile():
            size = source.info.compress_size
        case _:
            size = source.stat().st_size
    # Files of the system, as in /proc, say that they are empty and are not.
    return (size or _PIECE_BYTES) * ZIP_RATIO_MAX


def whole_text(source: Source) -> str:
    """Return all of a file that is read whole."""
    check_text(source)
    with open_text(source) as text:
        found = text.read(WHOLE_BYTES_MAX + 1)
    if len(found) > WHOLE_BYTES_MAX:
        raise _bad(source, f"expected at most {WHOLE_BYTES_MAX >> 20} MB, it holds more")
    return found


def is_zip(source: Path | PipeContent) -> bool:
    """Say whether something begins as a zip does."""
    with _bytes(source) as file:
        return file.read(len(_ZIP)) == _ZIP


@contextmanager
def open_bytes(source: Source) -> Iterator[IO[bytes]]:
    """Open a file as it is, or what it was packed of; no more is read of a zip than it says."""
    if isinstance(source, PackedFile):
        with source.archive.open(source.info) as file:
            yield file
        return
    if not is_zip(source):
        with _bytes(source) as file:
            yield file
        return
    with open_zip(source) as files:
        member = the_one(files)
        if member is None:
            raise _bad(
                source,
                f"expected a {_CHATS} in the zip, or files of a known format, found none",
                hint="`samemind help import` tells the formats",
            )
        with open_bytes(member) as file:
            yield file


def the_one(files: Mapping[str, PackedFile]) -> PackedFile | None:
    """Return the file of a zip that it is brought in for: the one named as chats are, or the only one that it holds."""
    named = [file for file in files.values() if file.name == _CHATS] or [*files.values()]
    # WhatsApp and Google name theirs in the language of whoever asked, and put pictures beside them.
    return named[0] if len(named) == 1 else None


def _bytes(source: Path | PipeContent) -> IO[bytes]:
    return io.BytesIO(source.data) if isinstance(source, PipeContent) else source.open("rb")


def _unreadable(source: Source, error: Exception) -> Usage:
    return _bad(source, f"expected a zip that can be read, {str(error) or type(error).__name__}")


def _bad(source: Source, why: str, hint: str = "") -> Usage:
    return Usage(f"{source.name}: {why}", code="invalid", hint=hint)
