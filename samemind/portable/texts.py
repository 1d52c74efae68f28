"""Open a file as the text that it holds: UTF-8 or UTF-16, as it is or in a zip, in pieces or whole.

Whether all of it is text, and unpacks to no more than a real one would, is checked before anything of it is read, in
pieces too: a file that is refused is refused as a whole.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, TextIO

from samemind.errors import Usage

# What is read whole has to fit a small device's memory several times.
WHOLE_BYTES_MAX: Final = 512 << 20
# Chats compress to a tenth; a file that unpacks to more than this many times its size is a trap.
ZIP_RATIO_MAX: Final = 200
_PIECE_BYTES: Final = 1 << 18
_CHATS: Final = "conversations.json"
_ZIP: Final = b"PK\x03\x04"
# The marks with which such a text begins.
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a file that was checked, for reading lines or pieces."""
    with _opened(path) as file:
        beginning = file.read(len(_UTF_16[0]) + 1)
    encoding = "utf-16" if beginning[:2] in _UTF_16 and len(beginning) > len(_UTF_16[0]) else "utf-8-sig"
    with _opened(path) as file, io.TextIOWrapper(file, encoding, newline="\n") as text:
        yield text


def check_text(path: Path) -> None:
    """Refuse a file that is no text, or that would unpack to far more than it is."""
    allowed, found = path.stat().st_size * ZIP_RATIO_MAX, 0
    try:
        with open_text(path) as text:
            while piece := text.read(_PIECE_BYTES):
                found += len(piece)
                if found > allowed:
                    raise _bad(path, f"expected {_CHATS} to unpack to at most {allowed} bytes, it holds more")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        raise _bad(path, f"expected a zip that can be read, {error}") from None
    except UnicodeDecodeError as error:
        raise _bad(path, f"expected text in UTF-8, found other bytes: {error.reason}") from None


def whole_text(path: Path) -> str:
    """Return all of a file that is read whole."""
    check_text(path)
    with open_text(path) as text:
        found = text.read(WHOLE_BYTES_MAX + 1)
    if len(found) > WHOLE_BYTES_MAX:
        raise _bad(path, f"expected at most {WHOLE_BYTES_MAX >> 20} MB, it holds more")
    return found


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if file.read(len(_ZIP)) != _ZIP:
            file.seek(0)
            yield file
            return
    with zipfile.ZipFile(path) as archive:
        names = [each for each in archive.namelist() if each.rpartition("/")[2] == _CHATS]
        if not names:
            raise _bad(path, f"expected a {_CHATS} in the zip, found none")
        with archive.open(names[0]) as member:
            yield member


def _bad(path: Path, why: str) -> Usage:
    return Usage(f"{path.name}: {why}", code="invalid")
