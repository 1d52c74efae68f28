"""A backup lay where somebody else could change it: what runs by itself in it is not taken over."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

import samemind
from replica import StoreCorrupt
from samemind.cli.main import main
from samemind.commands.keeping_safe.restore import Restore
from samemind.config import Home
from samemind.errors import Failed
from tests.support.restoring import restore

TOLD = "the spare key is with Mrs. Okafor"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def backup(folder: Path, *changes: str) -> Path:
    """A backup of a store with a memory, with something done to it since."""
    file = folder / "backup.db"
    with samemind.open_blocking(folder / "made") as mind:
        mind.remember(TOLD)
        mind.backup(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.create_function("casefold", 1, str, deterministic=True)
        for change in changes:
            connection.execute(change)
    return file


def schema(file: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as connection:
        return set(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))


@pytest.mark.parametrize(
    "changes",
    [
        [f"CREATE TRIGGER more AFTER INSERT ON op BEGIN SELECT ({ENDLESS}); END"],
        [
            "CREATE TABLE kept (text)",
            "CREATE TRIGGER more AFTER DELETE ON memory BEGIN INSERT INTO kept VALUES (old.text); END",
        ],
        ["CREATE TRIGGER more BEFORE INSERT ON revocation BEGIN SELECT raise(IGNORE); END"],
        [
            "DROP TRIGGER telling_linked",
            "CREATE TRIGGER telling_linked AFTER INSERT ON says_same BEGIN DELETE FROM op; END",
        ],
        [
            "DROP TRIGGER telling_unlinked",  # which is the name of a table too
            "CREATE TRIGGER telling_unlinked AFTER DELETE ON says_same BEGIN DELETE FROM op; END",
        ],
        ["DROP VIEW shown_memory", f"CREATE VIEW shown_memory AS {ENDLESS}"],
        ["CREATE UNIQUE INDEX more ON op (kind)"],
        ["DROP INDEX op_by_feed", "CREATE INDEX op_by_feed ON op (length(zeroblob(1000000000)))"],
        ["CREATE VIRTUAL TABLE more USING fts5(text)"],
    ],
    ids=[
        "endless",
        "a keeper",
        "no revocations",
        "ours, otherwise",
        "a table's name",
        "a view",
        "an index",
        "ours",
        "virtual",
    ],
)
def test_what_runs_by_itself_in_a_backup_is_taken_out(tmp_path: Path, changes: Sequence[str]) -> None:
    """The rows are whole: they come back, and the schema beside them is that of a store of ours."""
    file, home = backup(tmp_path, *changes), Home.at(tmp_path / "home")
    restore(home, Restore(file=str(file)))
    plain = {name for name, sql in schema(home.store) if sql.startswith("CREATE TABLE kept")}
    assert {name for name, _ in schema(home.store) - schema(tmp_path / "made" / "memory.db")} == plain
    with samemind.open_blocking(home.folder) as mind:
        mind.remember("told after it")
        mind.recall("who has the spare key?")
        assert {memory.text for memory in mind.list()} == {TOLD, "told after it"}
        assert mind.verify().ok


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE memory ADD COLUMN computed GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL",
        "CREATE TABLE more (x CHECK (length(zeroblob(x)) > 0))",
    ],
)
def test_a_backup_whose_tables_compute_is_none(tmp_path: Path, change: str) -> None:
    file, home = backup(tmp_path, change), Home.at(tmp_path / "home")
    with samemind.open_blocking(home.folder) as mind:
        mind.remember("what was there")
    with pytest.raises(StoreCorrupt, match="expected"):
        restore(home, Restore(file=str(file)))
    assert {path.name for path in home.folder.iterdir()} <= {"memory.db", "identity.pem", "lock"}
    with samemind.open_blocking(home.folder) as mind:
        assert {memory.text for memory in mind.list()} == {"what was there"}


def test_what_lies_behind_a_backup_is_not_copied(tmp_path: Path) -> None:
    """A hole of a terabyte costs who sends it nothing, and whoever copies it the disk."""
    file, home = backup(tmp_path), Home.at(tmp_path / "home")
    os.truncate(file, 1 << 40)
    with pytest.raises(Failed, match="bytes of something else"):
        restore(home, Restore(file=str(file)))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory SET text = 'the spare key is under the mat'",
        "UPDATE op SET payload = zeroblob(40) WHERE kind = 1",
        "UPDATE op SET signature = zeroblob(64)",
        "UPDATE feed SET seq = 'many'",
        "DELETE FROM member",
        "DROP TABLE lesson",
    ],
)
def test_rows_that_nobody_signed_come_back_as_damaged(
    tmp_path: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody may have nothing else left, so they come; but nobody takes them for whole."""
    file, home = backup(tmp_path, change), tmp_path / "home"
    assert main(["--home", str(home), "restore", str(file)]) == 1
    assert "damaged or changed" in capsys.readouterr().out


def test_an_honest_backup_is_changed_by_nothing(tmp_path: Path) -> None:
    file, home = backup(tmp_path), Home.at(tmp_path / "home")
    before = schema(file)
    assert restore(home, Restore(file=str(file))).problems == []
    assert schema(home.store) == before


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (["PRAGMA user_version = 1"], "expected the tables of version 1 in the store, got others"),
        (["PRAGMA user_version = 0"], "of version 1 to {known}, got one that says it is of version 0"),
        (["PRAGMA user_version = -7"], "of version 1 to {known}, got one that says it is of version -7"),
        (["PRAGMA user_version = 999"], "version {known} or older, got version 999"),
        (["PRAGMA user_version = 999", "ALTER TABLE op RENAME TO operation"], "or older, got version 999"),
        (
            ["ALTER TABLE op RENAME TO operation"],
            "of version 1 to {known}, got a file of version {known}",
        ),
        (["PRAGMA application_id = 7"], "expected a samemind store, got another program's SQLite file"),
    ],
    ids=["older", "none", "below", "newer", "newer, others", "no tables", "another program's"],
)
def test_what_a_backup_of_another_version_is_and_what_was_expected_is_told(
    tmp_path: Path, changes: Sequence[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite's own words said that a table or a column was missing, or there twice."""
    with closing(sqlite3.connect(backup(tmp_path))) as connection:
        ((known,),) = connection.execute("PRAGMA user_version")
    (tmp_path / "backup.db").unlink()
    file, home = backup(tmp_path, *changes), tmp_path / "home"
    assert main(["--home", str(home), "restore", str(file)]) == 1
    assert expected.format(known=known) in capsys.readouterr().err
