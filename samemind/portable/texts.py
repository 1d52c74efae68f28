"""Open a file as the text that it holds: UTF-8 or UTF-16, as it is or in a zip, in pieces or whole.

Whether all of it is text, and unpacks to no more than a real one would, is checked before anything of it is read, in
pieces too: a file that is refused is refused as a whole.
"""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
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
_MAY_HOLD_CHATS: Final = (".txt", ".json", ".ics")
_ZIP: Final = b"PK\x03\x04"
# What its parts fail with: the list of files, names in it, and each way to pack them. `OSError` comes of bzip2, and of
# a list that says that a file lies before the beginning.
_FAULTS_OF_A_ZIP: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeDecodeError,
)
# The marks with which such a text begins.
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


Source = Path | PipeContent
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
    with _opened(source) as file:
        beginning = file.read(len(_UTF_16[0]) + 1)
    encoding = "utf-16" if beginning[:2] in _UTF_16 and len(beginning) > len(_UTF_16[0]) else "utf-8-sig"
    with _opened(source) as file, io.TextIOWrapper(file, encoding, newline="\n") as text:
        yield text


def check_text(source: Source) -> None:
    """Refuse a file that is no text, or that would unpack to far more than it is."""
    size = len(source.data) if isinstance(source, PipeContent) else source.stat().st_size
    # Files of the system, as in /proc, say that they are empty and are not.
    allowed, found = (size or _PIECE_BYTES) * ZIP_RATIO_MAX, 0
    try:
        with open_text(source) as text:
            try:
                while piece := text.read(_PIECE_BYTES):
                    found += len(piece)
                    if found > allowed:
                        raise _bad(
                            source, f"expected {_CHATS} to unpack to at most {allowed} bytes, it holds more"
                        )
            except UnicodeDecodeError as error:
                # It counts from the start of what was decoded last, which ends where was read to.
                place = text.buffer.tell() - len(error.object) + error.start
                raise _bad(
                    source, f"expected text in UTF-8, found other bytes at place {place}: {error.reason}"
                ) from None
    except (*_FAULTS_OF_A_ZIP, OSError) as error:
        if isinstance(error, OSError) and not _is_zip(source):
            raise  # the disk's own
        raise _bad(source, f"expected a zip that can be read, {str(error) or type(error).__name__}") from None


def whole_text(source: Source) -> str:
    """Return all of a file that is read whole."""
    check_text(source)
    with open_text(source) as text:
        found = text.read(WHOLE_BYTES_MAX + 1)
    if len(found) > WHOLE_BYTES_MAX:
        raise _bad(source, f"expected at most {WHOLE_BYTES_MAX >> 20} MB, it holds more")
    return found


def _is_zip(source: Source) -> bool:
    with _bytes(source) as file:
        return file.read(len(_ZIP)) == _ZIP


@contextmanager
def _opened(source: Source) -> Iterator[IO[bytes]]:
    if not _is_zip(source):
        with _bytes(source) as file:
            yield file
        return
    with _bytes(source) as file, zipfile.ZipFile(file) as archive:
        with archive.open(_member(source, archive)) as member:
            yield member


def _member(source: Source, archive: zipfile.ZipFile) -> str:
    """Return the file of a zip that holds the chats: one of that name, or the only one that may."""
    names = [each for each in archive.namelist() if each.rpartition("/")[2] == _CHATS]
    # WhatsApp and Google name theirs in the language of whoever asked, and put pictures beside them.
    others = [each for each in archive.namelist() if each.lower().endswith(_MAY_HOLD_CHATS)]
    if names or len(others) == 1:
        return (names or others)[0]
    found = f"{len(others)} files that may be them" if others else "none"
    raise _bad(
        source,
        f"expected a {_CHATS} in the zip, or one .txt or .json file, found {found}",
        hint="unpack it, and import the folder" if others else "",
    )


def _bytes(source: Source) -> IO[bytes]:
    return io.BytesIO(source.data) if isinstance(source, PipeContent) else source.open("rb")


def _bad(source: Source, why: str, hint: str = "") -> Usage:
    return Usage(f"{source.name}: {why}", code="invalid", hint=hint)
