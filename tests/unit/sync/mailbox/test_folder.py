"""A file in a shared folder outlives a loss of power as a whole, or is not there."""

import os
from pathlib import Path
from typing import Any

import pytest
import trio

from sync.mailbox.folder import FolderBox
from tests.support.visits import any_name


def test_a_file_is_on_the_disk_before_its_name_and_that_before_it_counts_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noting(name: str, does: Any) -> Any:
        def noted(*arguments: Any) -> None:
            does(*arguments)
            done.append(name)

        return noted

    monkeypatch.setattr("sync.mailbox.folder.replace_file", noting("renamed", os.replace))
    monkeypatch.setattr("sync.mailbox.folder.sync_folder", noting("names synced", lambda path: None))
    monkeypatch.setattr(os, "fsync", noting("synced", os.fsync))
    name = any_name()
    trio.run(FolderBox(tmp_path).put, name, b"words")
    assert done == ["synced", "renamed", "names synced"]
    assert (tmp_path / name).read_bytes() == b"words"
