"""Bytes of an export that were spoiled on their way end in records, or in an error that says what is wrong."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pytest

from samemind.errors import SamemindError
from samemind.portable.files import read_path
from samemind.portable.records import Unreadable
from tests.support.mangling import mangled_bytes

FOLDER: Final = Path(__file__).parents[2] / "data" / "exports"
TRIES: Final = 120


def _zip_of(name: str, pack: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", pack) as archive:
        for path in sorted((FOLDER / name).rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(FOLDER / name).as_posix())
    return file.getvalue()


SPOILED: Final[dict[str, Callable[[], bytes]]] = {
    "slack.zip": lambda: _zip_of("slack", zipfile.ZIP_STORED),
    "slack-deflated.zip": lambda: _zip_of("slack", zipfile.ZIP_DEFLATED),
    "MyActivity.html": (FOLDER / "gemini_html" / "MyActivity.html").read_bytes,
    "daylio.csv": (FOLDER / "csv_daylio" / "daylio.csv").read_bytes,
    "mail.mbox": (FOLDER / "mbox_gmail_de" / "Alle E-Mails.mbox").read_bytes,
    "Sent": (FOLDER / "mbox_thunderbird" / "Sent").read_bytes,
    "diary.txt": (FOLDER / "diary_ru" / "дневник.txt").read_bytes,
}


@pytest.mark.parametrize("name", SPOILED)
def test_spoiled_bytes_raise_nothing_but_what_says_why(tmp_path: Path, name: str) -> None:
    random, whole = Random(name), SPOILED[name]()
    path = tmp_path / name
    read = refused = 0
    for _ in range(TRIES):
        path.write_bytes(mangled_bytes(random, whole))
        try:
            records = [*read_path(path, "auto")]
        except SamemindError:
            refused += 1
        else:
            assert all(record.reason for record in records if isinstance(record, Unreadable))
            read += 1
    assert read, "most of it is often unhurt"
    assert read + refused == TRIES


def test_a_zip_that_says_its_files_lie_before_its_beginning_is_told(tmp_path: Path) -> None:
    path, whole = tmp_path / "a.zip", bytearray(_zip_of("mbox_gmail_de", zipfile.ZIP_STORED))
    at = len(whole) - 6  # where its list of files begins
    whole[at : at + 4] = (int.from_bytes(whole[at : at + 4], "little") + 1_000).to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(SamemindError, match="zip"):
        list(read_path(path, "auto"))
