"""Files to be brought in, as somebody else made them: what is wrong with one is told, and none leads elsewhere."""

import io
import os
import zipfile
from pathlib import Path
from random import Random

import pytest

from samemind.errors import SamemindError
from samemind.portable.files import read_path
from samemind.portable.records import Item, Unreadable

CHATS = b'[{"uuid": "u", "name": "n", "chat_messages": [{"uuid": "m", "sender": "human", "text": "I live in Bern"}]}]'
PACKINGS = {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}


def zipped(packing: int) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", packing) as archive:
        archive.writestr("conversations.json", CHATS * 3)
    return written.getvalue()


@pytest.mark.parametrize("packing", PACKINGS.values(), ids=PACKINGS)
def test_a_zip_that_is_damaged_anywhere_is_told_as_such(tmp_path: Path, packing: int) -> None:
    """Each way to pack fails with errors of its own, and so do a list of files and names that are damaged."""
    random, whole, file = Random(packing), zipped(packing), tmp_path / "export.zip"
    for number in range(400):
        data = bytearray(whole[: random.randrange(4, len(whole))] if number % 3 == 0 else whole)
        for _ in range(number % 3):
            data[random.randrange(4, len(data))] = random.randrange(256)
        file.write_bytes(data)
        try:
            records = list(read_path(file, "auto"))
        except SamemindError:
            continue
        assert all(isinstance(each, Item | Unreadable) for each in records)


def test_a_file_that_its_disk_does_not_give_is_not_called_a_bad_zip(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        list(read_path(tmp_path / "gone.zip", "auto"))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_in_a_folder_from_elsewhere_brings_in_nothing_beside_it(tmp_path: Path) -> None:
    """A folder that was unpacked may hold a note that is a link to a key of its owner; memories go to all devices."""
    secret = tmp_path / "id_ed25519"
    secret.write_text("a private key\n")
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_text("I live in Bern\n")
    (folder / "key.md").symlink_to(secret)
    (folder / "again.md").symlink_to(folder / "note.md")
    records = list(read_path(folder, "auto"))
    assert {each.text for each in records if isinstance(each, Item)} == {"I live in Bern"}
    (bad,) = (each for each in records if isinstance(each, Unreadable))
    assert bad.reason.startswith("key.md: ")
    chats = tmp_path / "chats"
    chats.mkdir()
    (chats / "conversations.json").symlink_to(secret)
    (chats / "note.md").write_text("milk\n")
    assert [each.text for each in read_path(chats, "auto") if isinstance(each, Item)] == ["milk"]
