"""Whoever else writes to a shared folder puts things there that are no files: nobody waits for them."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

import samemind
from sync.errors import Full, Gone, MailboxError
from sync.mailbox import folder
from sync.mailbox.folder import FolderBox
from tests.support.visits import read_file

NAME, SIZE = "0" * 32 + ".samemind", 1 << 20
# Nothing here waits for anybody; a read of a pipe would, for ever.
SECONDS_MAX = 5.0


def plant_pipe(path: Path) -> None:
    os.mkfifo(path)


def plant_socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as planted:
            planted.bind(f"/proc/self/fd/{folder}/{path.name}")  # its own name is too long for an address
    finally:
        os.close(folder)


def plant_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def plant_folder(path: Path) -> None:
    path.mkdir()


def plant_circle(path: Path) -> None:
    path.symlink_to(path.name)


PLANTED = [plant_pipe, plant_socket, plant_device, plant_folder, plant_circle]


@pytest.mark.parametrize("plant", PLANTED)
def test_what_is_no_file_is_not_listed_and_not_read(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    """Also where it came after the folder was listed, in the place of a file."""
    plant(tmp_path / NAME)

    async def visit() -> None:
        box = FolderBox(tmp_path)
        assert not await box.names()
        with pytest.raises(MailboxError):
            await read_file(box, NAME, SIZE)

    began = time.monotonic()
    trio.run(visit)
    assert time.monotonic() - began < SECONDS_MAX


def test_a_file_is_read_as_far_as_it_was_when_it_was_opened(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"a sealed file")

    async def visit() -> bytes:
        box = FolderBox(tmp_path)
        assert dict(await box.names()) == {NAME: 13}
        return await read_file(box, NAME, SIZE)

    assert trio.run(visit) == b"a sealed file"


def test_a_file_that_went_is_gone(tmp_path: Path) -> None:
    async def visit() -> None:
        with pytest.raises(Gone):
            await read_file(FolderBox(tmp_path), NAME, SIZE)

    trio.run(visit)


def test_a_file_that_grew_since_it_was_listed_is_read_only_so_far(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"a sealed file, and more than anybody was told of")

    async def visit() -> bytes:
        return await read_file(FolderBox(tmp_path), NAME, 13)

    assert trio.run(visit) == b"a sealed file"


def test_a_folder_of_more_files_than_there_ever_are_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "FILES_MAX", 3)

    async def visit() -> int:
        return len(await FolderBox(tmp_path).names())

    for number in range(3):
        (tmp_path / f"{number:032x}.samemind").write_bytes(b"words")
    assert trio.run(visit) == 3
    (tmp_path / NAME.replace("0", "f")).write_bytes(b"words")
    with pytest.raises(Full, match="lists more"):
        trio.run(visit)


def test_what_a_kill_left_half_written_is_removed_after_a_day(tmp_path: Path) -> None:
    """Names are never used twice, so nobody else would; what is being written stays, and what is not ours."""
    left, written, foreign = (
        tmp_path / name for name in (f".{NAME}.07.part", f".1{NAME[1:]}.07.part", ".notes.part")
    )
    for path in (left, written, foreign):
        path.write_bytes(b"half of")
    for path in (left, foreign):
        os.utime(path, (0, 0))

    async def visit() -> None:
        assert not await FolderBox(tmp_path).names()

    trio.run(visit)
    assert [path.exists() for path in (left, written, foreign)] == [False, True, True]


def test_a_name_that_is_no_utf_8_keeps_nobody_from_the_rest(tmp_path: Path) -> None:
    """Its row could not be written, and each look ended there: no file of anybody was taken, and none written."""
    box = tmp_path / "box"
    box.mkdir()
    try:
        (box / os.fsdecode(b"Stra\xdfe.samemind")).write_bytes(b"no file of ours")
    except OSError as error:
        pytest.skip(f"this system takes no such name: {error}")
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.add_mailbox(f"folder://{box}", name="box")
        mind.remember("Ann likes green tea")
        (looked,) = mind.look_into_mailboxes().mailboxes
    assert (looked.files, looked.fetched, looked.wrote) == (1, 0, 1)
