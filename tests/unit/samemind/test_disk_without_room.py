"""What was told, where the disk has no room to show it."""

from pathlib import Path

import pytest

import samemind
from replica.errors import StoreFailed
from replica.storage.store import SqliteStore


def test_what_was_told_is_read_though_the_disk_has_no_room_to_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open program listed 1 of 96 memories whose telling it had acknowledged."""

    def no_room(store: SqliteStore) -> None:
        raise StoreFailed("the store could not be written (database or disk is full)")

    with samemind.open_blocking(tmp_path) as mind:
        mind.remember("Ann moved to Lisbon")
        assert len(mind.recall("who bakes rye bread?").results) == 1
        with monkeypatch.context() as full:
            full.setattr(SqliteStore, "follow", no_room)
            for told, name in enumerate(("Bob", "Cleo", "Dan"), 2):
                mind.remember(f"{name} bakes rye bread")
                assert mind.list().memories[0].text == f"{name} bakes rye bread"
                assert len(mind.list().memories) == mind.stats().memories == told
                found = [each.text for each in mind.recall("who bakes rye bread?").results]
                assert f"{name} bakes rye bread" in found
        assert [each.text for each in mind.list().memories] == [
            "Dan bakes rye bread",
            "Cleo bakes rye bread",
            "Bob bakes rye bread",
            "Ann moved to Lisbon",
        ]
        assert mind.verify().ok
