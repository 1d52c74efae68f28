"""Files that are there whole or not at all."""

from pathlib import Path

import pytest

from samemind.durable import whole_file


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
