"""What the command line refuses: bad input, stores that are damaged, newer or another's, a disk that is full."""

import base64
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import cli
from tests.support.calling import Call, remember


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["remember", "   "], "invalid"),
        (["remember", "x" * (1 << 20) + "y"], "too_large"),
        (["remember", "x", "--at", "2023-02-30"], "invalid"),
        (["remember", "x", "--event-start", "whenever"], "invalid"),
        (["remember", "x", "--importance", "nan"], "invalid"),
        (["remember", "x", "--importance", "1.5"], "invalid"),
        (["remember", "x", "--importance", "high"], "usage"),
        (["remember", "x", "--type", "mood"], "usage"),
        (["remember", "x", "--meta", "novalue"], "invalid"),
        (["remember", "x", "--meta", f"deep:={'[' * 5_000}"], "invalid"),
        (["remember", "x", "--speaker", ""], "invalid"),
        (["remember", "x", "--colour", "red"], "usage"),
        (["remember"], "usage"),
        (["recall", "x", "-k", "-1"], "invalid"),
        (["recall", "x", "--since", "2024-01-01", "--until", "2023-01-01"], "invalid"),
        (["relate", "a", "b", "c", "--weight", "inf"], "invalid"),
        (["graph", "a", "--hops", "99"], "invalid"),
    ],
)
def test_bad_input_is_refused_with_a_reason_and_nothing_is_stored(
    call: Call, words: list[str], code: str
) -> None:
    said = call(*words, "--json")
    assert (said.code, said.json["error"]["code"]) == (2, code), said
    assert call("digest", "--json").json["ops"] == 0


def test_a_field_that_is_mistyped_is_answered_with_the_one_that_is_near(call: Call) -> None:
    rid = remember(call, "Ann likes green tea")
    for typed, meant in (("important=0.5", "importance"), ("sessions=monday", "session"), ("qqqq=1", None)):
        said = call("set", rid, typed, "--json")
        assert (said.code, said.json["error"]["code"]) == (2, "unknown_field")
        message = said.json["error"]["message"]
        assert message.endswith("got 'qqqq'" if meant is None else f"; did you mean {meant}?"), message


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["remember", "--batch"], "bad_line"),
        (["context", "x", "--window", "4096", "--conversation"], "bad_line"),
        (["mailbox", "add", "--invitation"], "invalid"),
    ],
)
def test_a_file_of_lists_in_lists_without_end_is_refused_as_what_it_is(
    call: Call, tmp_path: Path, words: list[str], code: str
) -> None:
    file = tmp_path / "deep"
    deep = "[" * 5_000
    file.write_text(base64.urlsafe_b64encode(deep.encode()).decode() if "mailbox" in words else deep)
    said = call(*words, str(file), "--json")
    assert (said.code, said.json["error"]["code"]) == (2, code), said


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!",
        '"',
        "a AND",
        "NEAR(",
        "-",
        "*",
        "🦊",
        "שלום עולם",
        "x" * 100_000,
        "'; DROP TABLE op; --",
    ],
)
def test_any_question_gets_an_answer(call: Call, query: str) -> None:
    remember(call, "the fox 🦊 says שלום")
    said = call("recall", "--json", "--", query)
    assert said.code == 0, said
    assert isinstance(said.json["results"], list)


def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(call: Call, tmp_path: Path) -> None:
    remember(call, "x")
    store = tmp_path / "home" / "memory.db"
    store.unlink()
    for content in (
        b"not a database at all, but quite a lot of text" * 100,
        b"SQLite format 3\0" + b"\xff" * 5000,
    ):
        store.write_bytes(content)
        said = call("list", "--json")
        assert (said.code, said.json["error"]["code"]) == (1, "store_corrupt"), said
        assert store.read_bytes() == content
        assert {path.name for path in store.parent.iterdir()} == {"identity.pem", "lock", "memory.db"}


def test_a_store_that_is_damaged_inside_is_reported_not_trusted(call: Call, tmp_path: Path) -> None:
    call(
        "remember", "--batch", "-", stdin="\n".join(json.dumps(f"text number {i} " * 20) for i in range(200))
    )
    store = tmp_path / "home" / "memory.db"
    content = bytearray(store.read_bytes())
    content[8192:-4096] = b"\xa5" * (len(content) - 12288)
    store.write_bytes(content)
    said = call("list", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "store_corrupt"), said


def test_another_programs_database_is_refused_and_left_as_it_is(call: Call, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    store = tmp_path / "home" / "memory.db"
    with sqlite3.connect(store) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    content = store.read_bytes()
    said = call("remember", "x", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "store_corrupt"), said
    assert store.read_bytes() == content


def test_a_store_from_a_newer_version_is_refused_and_left_as_it_is(call: Call, tmp_path: Path) -> None:
    remember(call, "x")
    store = tmp_path / "home" / "memory.db"
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("PRAGMA user_version = 999")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = store.read_bytes()
    for words in (["list"], ["remember", "y"], ["verify"]):
        said = call(*words, "--json")
        assert (said.code, said.json["error"]["code"]) == (1, "store_newer"), said
        assert store.read_bytes() == content


def test_a_folder_where_the_store_should_be_is_an_error_not_a_crash(call: Call, tmp_path: Path) -> None:
    (tmp_path / "home" / "memory.db").mkdir(parents=True)
    said = call("list", "--json")
    assert said.code == 1
    assert said.json["error"]["code"] != "internal"


def test_a_key_that_cannot_be_read_is_named(call: Call, tmp_path: Path) -> None:
    remember(call, "x")
    (tmp_path / "home" / "identity.pem").write_text("rubbish")
    said = call("list", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "identity_unreadable")
    assert "identity.pem" in said.json["error"]["message"]


def test_a_key_without_its_store_opens_nothing_empty_and_a_backup_brings_it_back(
    call: Call, tmp_path: Path
) -> None:
    remember(call, "x")
    backup, moved = tmp_path / "backup", tmp_path / "moved"
    assert call("backup", str(backup)).code == 0
    moved.mkdir()  # where nothing noted how much there was
    (tmp_path / "home" / "identity.pem").rename(moved / "identity.pem")
    said = call("--home", str(moved), "list", "--json")
    assert (said.code, said.json["error"]["code"]) == (1, "store_gone")
    assert not (moved / "memory.db").exists()
    assert call("--home", str(moved), "restore", str(backup)).code == 0
    assert call("--home", str(moved), "list").out.endswith("x\n")


FULL_DISK = """
import resource, sys
from samemind.cli.main import main
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.exit(main())
"""


def test_a_full_disk_is_an_error_and_nothing_is_half_written(call: Call, tmp_path: Path) -> None:
    """A limit on the size of files stands in for the end of the disk: SQLite meets the same error."""
    remember(call, "before")
    home = tmp_path / "home"
    before = call("digest", "--json").json
    big = tmp_path / "big.jsonl"
    big.write_text("".join(json.dumps({"text": f"{i} " + "word " * 2_000}) + "\n" for i in range(300)))
    size = (home / "memory.db").stat().st_size + 1_000_000
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(size), "--home", str(home), "--json", "remember", "--batch", str(big)],
        capture_output=True, text=True, env=cli.environment(), timeout=cli.SECONDS_MAX, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done
    assert json.loads(done.stdout)["error"]["code"] == "store_failed"
    assert call("digest", "--json").json == before
    assert call("verify", "--json").json["ok"] is True
    assert call("remember", "after", "--json").code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_a_home_of_another_user_is_refused_as_not_permitted(call: Call, tmp_path: Path) -> None:
    remember(call, "mine")
    script = (
        "import locale, os, sys; from samemind.cli.main import main; import samemind.cli.opening, samemind.device;"
        "import samemind.commands.memories.remember; os.setuid(65534); sys.exit(main())"
    )
    for folder in list(tmp_path.parents)[:-1]:
        if folder.stat().st_mode & 0o011 != 0o011 and folder.is_relative_to("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o711)
    done = subprocess.run(
        [sys.executable, "-c", script, "--home", str(tmp_path / "home"), "--json", "list"],
        capture_output=True, text=True, env=cli.environment(), check=False, timeout=cli.SECONDS_MAX,
    )  # fmt: skip
    assert done.returncode == 6, done
    assert json.loads(done.stdout)["error"]["code"] == "not_permitted"
