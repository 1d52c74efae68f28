"""What went wrong, in the words of the doors."""

import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest
import trio

import cognition
import replica
import sync.errors
from samemind.commands.group.sync import _named
from samemind.config import Home
from samemind.errors import Ambiguous, Locked, NotFound, SamemindError, explain, from_document
from samemind.reach import reach


@pytest.mark.parametrize(
    ("error", "code", "exit_code"),
    [
        (replica.InvalidOp("x"), "invalid", 2),
        (replica.TooLarge("x"), "too_large", 2),
        (replica.NameNotFound("x"), "not_found", 3),
        (replica.StoreCorrupt("x"), "store_corrupt", 1),
        (replica.StoreNewer("x"), "store_newer", 1),
        (replica.StoreFailed("x"), "store_failed", 1),
        (sync.errors.LinkLost("x"), "unreachable", 5),
        (sync.errors.Untrusted("x"), "not_paired", 6),
        (sync.errors.SelfLink("x"), "not_paired", 6),
        (sync.errors.NotPairing("x"), "not_pairing", 1),
        (sync.errors.WrongCode("x"), "wrong_code", 6),
        (sync.errors.InvalidCode("x"), "invalid_code", 2),
        (sync.errors.InvalidRecoveryCode("x"), "invalid_code", 2),
        (cognition.InvalidQuery("x"), "invalid", 2),
        (sqlite3.DatabaseError("x"), "store_corrupt", 1),
        (FileNotFoundError("x"), "no_such_file", 3),
        (ConnectionResetError("x"), "unreachable", 5),
        (ExceptionGroup("x", [replica.NameNotFound("x")]), "not_found", 3),
        (RuntimeError("x"), "internal", 1),
        (ExceptionGroup("x", [KeyError("y"), replica.StoreCorrupt("x")]), "store_corrupt", 1),
        (
            BaseExceptionGroup("x", [ExceptionGroup("y", [replica.StoreFailed("x")]), OSError("z")]),
            "store_failed",
            1,
        ),
        (ExceptionGroup("x", [replica.NameNotFound("x"), KeyError("y")]), "internal", 1),
        (ExceptionGroup("x", [replica.NameNotFound("x"), OSError("y")]), "not_found", 3),
    ],
)
def test_every_error_of_the_layers_below_has_a_code_and_an_exit_status(
    error: BaseException, code: str, exit_code: int
) -> None:
    told = explain(error)
    assert (told.code, told.exit_code) == (code, exit_code)


def test_what_the_system_says_is_told_without_its_number() -> None:
    assert explain(PermissionError(13, "Permission denied", "/x")).message == "/x: Permission denied"
    assert explain(OSError(28, "No space left on device")).message == "No space left on device"


def test_what_follows_from_a_damaged_store_is_told_as_damage() -> None:
    error = RuntimeError("so this could not be done")
    error.__context__ = sqlite3.DatabaseError("database disk image is malformed")
    assert explain(error).code == "store_corrupt"
    error.__context__ = KeyError("x")
    assert explain(error).code == "internal"


def test_every_class_that_is_explained_by_name_exists() -> None:
    """The names are text, so that nothing heavy is imported for them: a renamed class would be forgotten silently."""
    import importlib

    from samemind import errors

    for name in errors._EXPLANATIONS:
        module, _, kind = name.rpartition(".")
        assert issubclass(getattr(importlib.import_module(module), kind), Exception), name


def test_candidates_of_an_ambiguous_prefix_survive_the_socket() -> None:
    told = explain(Ambiguous("two fit", candidates=("aaaaaa1", "aaaaaa2")))
    again = from_document(told.document(), told.exit_code)
    assert isinstance(again, Ambiguous)
    assert again.candidates == ("aaaaaa1", "aaaaaa2")


@pytest.mark.parametrize("error", [NotFound("no", hint="look"), Locked("held", code="not_permitted")])
def test_an_error_comes_out_of_the_socket_as_it_went_in(error: SamemindError) -> None:
    again = from_document(error.document(), error.exit_code)
    assert type(again) is type(error)
    assert again.document() == error.document()


def test_an_error_that_is_its_own_cause_is_explained_all_the_same() -> None:
    """As `raise error from error` makes one: looking for its cause must come to an end."""
    first, second = RuntimeError("a bug"), ValueError("another")
    first.__cause__ = first
    assert explain(first).code == "internal"
    bug = RuntimeError("a bug")
    bug.__context__, second.__context__ = second, bug
    assert explain(bug).code == "internal"
    beneath = RuntimeError("a bug")
    beneath.__cause__ = KeyError("x")
    beneath.__cause__.__cause__ = sqlite3.DatabaseError("file is not a database")
    assert explain(beneath).code == "store_corrupt"


def test_a_bug_of_ours_is_raised_as_it_is_by_whoever_opens_a_store(tmp_path: Path) -> None:
    async def main() -> None:
        async with reach(Home.at(tmp_path), program="a test", answers=False) as reached:

            async def unheard(said: object) -> None: ...

            with patch("samemind.local.result_of", side_effect=RuntimeError("a bug")):
                with pytest.raises(RuntimeError, match="a bug") as caught:
                    await reached.ask("list", {}, unheard)
            assert caught.value.__cause__ is None

    trio.run(main)


def test_a_recovery_code_is_asked_for_as_it_stands_on_paper() -> None:
    """No device shows it, so nobody is sent to another device for it."""
    assert "17 words" in explain(sync.errors.InvalidRecoveryCode("x")).hint


def test_an_error_of_one_device_says_of_which() -> None:
    named = _named("phone", explain(sync.errors.LinkLost("nobody answers")))
    assert isinstance(named, SamemindError)
    assert (named.message, str(named), named.code) == (
        "phone: nobody answers",
        "phone: nobody answers",
        "unreachable",
    )
    assert _named("phone", bug := KeyError("x")) is bug


def test_an_upgrade_under_a_running_daemon_is_no_bug() -> None:
    """Commands load their parts when they are first asked for, and these may be newer than what runs."""
    ours = ImportError(
        "cannot import name 'x' from 'samemind.formats.rendering'", name="samemind.formats.rendering"
    )
    assert "samemind down" in explain(ours).hint
    assert "samemind down" in explain(ExceptionGroup("x", [ours])).hint
    assert "bug" in explain(ImportError("no such thing", name="else.where")).hint
    assert "bug" in explain(KeyError("x")).hint


def test_a_full_disk_is_told_as_one_however_it_is_noticed() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as full:
            connection.execute("INSERT INTO notes VALUES (zeroblob(100000))")
        with pytest.raises(sqlite3.OperationalError) as wrong:
            connection.execute("SELECT nothing")
    assert (explain(full.value).code, explain(full.value).hint) == (
        "store_failed",
        "make room on the disk, then try again",
    )
    assert "doctor" in explain(wrong.value).hint
