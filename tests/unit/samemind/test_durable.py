"""Files that are there whole or not at all."""

import os
from pathlib import Path

import pytest

from samemind.durable import whole_file, whole_folder
from samemind.errors import Usage


def test_a_file_takes_its_place_when_it_is_whole_and_is_its_owners(tmp_path: Path) -> None:
    place = tmp_path / "backup.db"
    place.write_text("before")
    (tmp_path / ".backup.db.part").write_text("of one that was killed, and longer")
    with whole_file(place) as scratch:
        scratch.write_text("after")
        assert place.read_text() == "before"
    assert (place.read_text(), place.stat().st_mode & 0o777) == ("after", 0o600)
    assert [*tmp_path.iterdir()] == [place]


def test_what_fails_leaves_what_was_there_and_nothing_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "backup.db"
    place.write_text("before")

    def write() -> None:
        with whole_file(place) as scratch:
            scratch.write_text("half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write()
    assert place.read_text() == "before"
    assert [*tmp_path.iterdir()] == [place]


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    place, link, pipe = tmp_path / "far" / "notes.jsonl", tmp_path / "link.jsonl", tmp_path / "pipe"
    place.parent.mkdir()
    link.symlink_to(place)
    for text in ("first", "second"):
        with whole_file(link) as scratch:
            scratch.write_text(text)
        assert (link.is_symlink(), place.read_text()) == (True, text)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe) as scratch:
            scratch.write_text("read at once")
        assert (os.read(reader, 100), pipe.is_fifo()) == (b"read at once", True)
    finally:
        os.close(reader)
    with pytest.raises(Usage), whole_file(place.parent):
        raise AssertionError("unreachable: a folder is no file")
    with (
        pytest.raises(FileNotFoundError, match=r"no such folder: '.*nowhere'"),
        whole_file(tmp_path / "nowhere" / "a"),
    ):
        raise AssertionError("unreachable: there is no such folder")


@pytest.mark.parametrize(
    ("was", "mode", "becomes"), [(0o600, 0o666, 0o600), (0o644, 0o600, 0o600), (0o444, 0o444, 0o444)]
)
def test_nobody_may_read_what_they_could_not_before(
    tmp_path: Path, was: int, mode: int, becomes: int
) -> None:
    place = tmp_path / "notes.jsonl"
    place.write_text("before")
    place.chmod(was)
    with whole_file(place, mode=mode) as scratch:
        assert scratch.stat().st_mode & 0o077 == 0
        scratch.write_text("after")
    assert (place.read_text(), place.stat().st_mode & 0o777) == ("after", becomes)


def test_of_two_who_write_one_file_at_once_none_publishes_the_others_half(tmp_path: Path) -> None:
    place = tmp_path / "notes.jsonl"

    def first() -> None:
        with whole_file(place) as scratch:
            scratch.write_text("of the first")
            with whole_file(place) as other:
                other.write_text("of the second")
                with pytest.raises(FileNotFoundError):
                    place.read_text()

    with pytest.raises(OSError, match=r"notes\.jsonl"):
        first()
    assert place.read_text() == "of the second"
    assert [*tmp_path.iterdir()] == [place]


def test_a_folder_takes_its_place_whole_and_a_failure_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    (tmp_path / ".notes.part").mkdir()
    (tmp_path / ".notes.part" / "of one that was killed").touch()

    def fail() -> None:
        with whole_folder(place) as scratch:
            assert list(scratch.iterdir()) == []
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []
    place.mkdir()  # an empty one is as good as none
    with whole_folder(place) as scratch:
        (scratch / "a.md").touch()
        assert list(place.iterdir()) == []
    assert [each.name for each in tmp_path.rglob("*")] == ["notes", "a.md"]
    with pytest.raises(OSError, match="not empty"), whole_folder(place):
        pass
    assert [each.name for each in tmp_path.rglob("*")] == ["notes", "a.md"]


def test_a_folder_waits_for_the_disk_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "notes"
    there = []
    monkeypatch.setattr(
        os, "sync", lambda: there.append((place.exists(), (tmp_path / ".notes.part" / "a.md").exists()))
    )
    with whole_folder(place) as scratch:
        (scratch / "a.md").touch()
    assert there == [(False, True)]


def test_a_folder_behind_a_link_is_written_where_the_link_leads_and_stays_as_private_as_it_was(
    tmp_path: Path,
) -> None:
    place, link = tmp_path / "notes", tmp_path / "link"
    place.mkdir(mode=0o700)
    link.symlink_to(place)
    with whole_folder(link) as scratch:
        (scratch / "a.md").touch()
        assert scratch.stat().st_mode & 0o777 == 0o700
    assert link.is_symlink()
    assert place.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in place.iterdir()] == ["a.md"]
    assert {each.name for each in tmp_path.iterdir()} == {"notes", "link"}
