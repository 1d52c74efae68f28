"""Whoever else writes to a shared folder puts things there that are no files: nobody waits for them."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from sync.errors import Gone, MailboxError
from sync.mailbox.folder import FolderBox

NAME = "0" * 32 + ".samemind"
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


PLANTED = [plant_pipe, plant_socket, plant_device, plant_folder]


@pytest.mark.parametrize("plant", PLANTED)
def test_what_is_no_file_is_not_listed_and_not_read(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    """Also where it came after the folder was listed, in the place of a file."""
    plant(tmp_path / NAME)

    async def visit() -> None:
        box = FolderBox(tmp_path)
        assert not await box.names()
        with pytest.raises(MailboxError):
            await box.get(NAME)

    began = time.monotonic()
    trio.run(visit)
    assert time.monotonic() - began < SECONDS_MAX


def test_a_file_is_read_as_far_as_it_was_when_it_was_opened(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"a sealed file")

    async def visit() -> bytes:
        box = FolderBox(tmp_path)
        assert dict(await box.names()) == {NAME: 13}
        return await box.get(NAME)

    assert trio.run(visit) == b"a sealed file"


def test_a_file_that_went_is_gone(tmp_path: Path) -> None:
    async def visit() -> None:
        with pytest.raises(Gone):
            await FolderBox(tmp_path).get(NAME)

    trio.run(visit)
