"""Files to be brought in, as somebody else made them: what is wrong with one is told, and none leads elsewhere."""

import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import samemind
from replica import MemoryId
from samemind.errors import SamemindError
from samemind.portable.files import read_path
from samemind.portable.records import Item, Unreadable, in_characters

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


HALF = "\ud83d"
MEMORY = {"kind": "memory", "rid": "01a21b7d-9540-77a1-a254-000000000001", "text": "Ann lives in Bern"}
EDGE = {"kind": "edge", "source": "Ann", "relation": "knows", "target": "Bob"}


@pytest.mark.parametrize(
    ("line", "is_taken"),
    [
        ({**MEMORY, "text": f"Ann waves {HALF}"}, True),
        ({**MEMORY, "topic": HALF}, True),
        ({**MEMORY, "tags": [f"a{HALF}", "b"]}, True),
        ({**MEMORY, "meta": {HALF: 1}}, True),
        ({**MEMORY, "meta": {"a": HALF}}, True),
        ({"kind": "setting", "name": HALF, "value": "x"}, False),
        ({"kind": "setting", "name": "profile.city", "value": HALF}, False),
        ({**EDGE, "source": HALF}, False),
        ({**EDGE, "weight": 10**400}, False),
        ({**EDGE, "weight": float("nan")}, False),
    ],
)
def test_one_line_that_cannot_be_told_keeps_no_other_out(
    tmp_path: Path, line: dict[str, object], is_taken: bool
) -> None:
    """Exports that cut texts at so many characters hold halves of emojis; one kept a whole file out."""
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, [line, {"text": "the other one"}])) + "\n")
    with samemind.open_blocking(tmp_path / "home") as mind:
        imported = mind.import_(file)
        assert [each.line for each in imported.failed] == ([] if is_taken else [1])
        texts = [each.text for each in mind.list()]
        assert "the other one" in texts
        assert len(texts) == 1 + is_taken
        assert all(text.encode() for text in texts)


def test_halves_that_meet_are_a_whole_and_no_item_is_made_anew_for_nothing() -> None:
    half = Item(line=1, rid=MemoryId(bytes(16)), text="\ud83d\ude00 \ud83d", fields={"tags": ["a"]})
    assert in_characters(half).text == "\U0001f600 \ufffd"
    whole = replace(half, text="\U0001f600")
    assert in_characters(whole) is whole
