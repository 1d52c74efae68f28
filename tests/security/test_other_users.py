"""Another user of the machine: links and folders that they plant, and what an umask of nothing would let them do."""

import os
from pathlib import Path

import pytest

from replica import DeviceId
from replica.rollback_guard import RollbackGuard
from samemind.config import Home
from samemind.durable import whole_file, whole_folder
from samemind.errors import Locked, Usage
from sync.identity import Identity
from tests.support.cli import run

OTHER = 1001
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make files of another user")


@needs_root
def test_nothing_is_written_where_a_link_of_another_user_leads(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    planted = tmp_path / "export.jsonl"
    planted.symlink_to(precious)
    os.lchown(planted, OTHER, OTHER)
    home = tmp_path / "home"
    assert run(home, "remember", "x").code == 0
    for words in (["export", "-o", str(planted)], ["backup", str(planted)]):
        done = run(home, "--json", *words)
        assert (done.code, done.json["error"]["code"]) == (2, "foreign_link"), words
    folder = tmp_path / "folder"
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    os.lchown(folder, OTHER, OTHER)
    with pytest.raises(Usage, match="a link that another user made"), whole_folder(folder):
        pass
    with pytest.raises(Usage, match="a link that another user made"), whole_file(folder / "a"):
        pass
    assert precious.read_text() == "mine"
    own = tmp_path / "own"
    own.symlink_to(precious)
    with whole_file(own) as scratch:
        scratch.write_text("by my own link")
    assert precious.read_text() == "by my own link"


@needs_root
def test_a_file_that_another_user_left_open_to_all_lends_its_mode_to_nothing(tmp_path: Path) -> None:
    planted = tmp_path / "export.jsonl"
    planted.write_text("")
    planted.chmod(0o666)
    os.chown(planted, OTHER, OTHER)
    with whole_file(planted) as scratch:
        scratch.write_text("mine")
    found = planted.stat()
    assert (found.st_uid, found.st_mode & 0o777) == (os.geteuid(), 0o600)


@needs_root
def test_a_data_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    os.chown(folder, OTHER, OTHER)
    with pytest.raises(Locked, match="belongs to user 1001"):
        Home.at(folder).create()
    done = run(folder, "--json", "remember", "x")
    assert (done.code, done.json["error"]["code"]) == (6, "foreign_home")
    assert list(folder.iterdir()) == [], "and nothing was put into it"


def test_what_lies_outside_is_its_owners_alone_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        outside = RollbackGuard(tmp_path / "state" / "samemind", DeviceId(bytes(32)), tmp_path / "memory.db")
        assert outside._write(outside._twin, b"x")
    finally:
        os.umask(before)
    for folder in (tmp_path / "state", tmp_path / "state" / "samemind", outside._folder):
        assert folder.stat().st_mode & 0o777 == 0o700, folder


def test_a_key_that_a_killed_program_was_writing_is_gone_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "identity.pem"
    identity = Identity.load_or_create(path)
    kept = tmp_path / "identity.pem_old_key"
    kept.write_text("the owner's own copy")
    with pytest.raises(KeyboardInterrupt), identity._written(path) as scratch:  # noqa: PT012
        left = scratch.with_name(scratch.name + "x")
        left.write_bytes(scratch.read_bytes())
        raise KeyboardInterrupt
    assert left.exists()
    Identity.sweep(path)
    assert not left.exists()
    assert kept.exists()
    assert Identity.load(path).device_id == identity.device_id
