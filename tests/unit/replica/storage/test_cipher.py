"""Stores under a key: what SQLCipher makes of them, and what happens with the wrong one."""

import sqlite3
from pathlib import Path
from random import Random

import pytest

from replica.errors import StoreCorrupt, WrongKey
from replica.storage.cipher import SALT_BYTES, make_key, open_encrypted, recode, salt_of
from replica.storage.sql import connect
from replica.storage.store import SqliteStore
from tests.support.devices import remember
from tests.support.replicas import core_of

sqlcipher = pytest.importorskip("sqlcipher3.dbapi2", reason="no SQLCipher for this platform")

SALT = bytes(range(SALT_BYTES))
# 64 digits are a key already: no test has to wait for the rounds, but the one that is about them.
RAW = "ab" * 32
KEY = make_key(RAW, SALT)
MARKER = "zyzzyvaquux"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A plain store that remembers something."""
    path = tmp_path / "plain.db"
    store = SqliteStore(connect(str(path)))
    remember(core_of("laptop", store), [f"the {MARKER} is in the attic", "Ann bakes"], 1_000)
    store.connection.close()
    return path


def texts(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    found = connection.execute("SELECT id, text FROM memory ORDER BY id").fetchall()
    connection.close()
    return found


def test_a_store_that_is_written_under_a_key_and_back_is_the_same_store(plain: Path, tmp_path: Path) -> None:
    secret, again = tmp_path / "secret.db", tmp_path / "again.db"
    recode(plain, None, secret, KEY)
    assert (salt_of(plain), salt_of(secret)) == (None, SALT)
    assert MARKER.encode() in plain.read_bytes()
    assert MARKER.encode() not in secret.read_bytes()
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        sqlite3.connect(secret).execute("SELECT count(*) FROM op")
    recode(secret, KEY, again, None)
    assert texts(connect(str(again))) == texts(connect(str(secret), key=KEY)) == texts(connect(str(plain)))
    before, after = SqliteStore(connect(str(plain))), SqliteStore(connect(str(again)))
    assert core_of("laptop", before).digests() == core_of("laptop", after).digests()


def test_what_is_written_under_a_key_is_plain_in_no_file(plain: Path, tmp_path: Path) -> None:
    secret = tmp_path / "home" / "secret.db"
    secret.parent.mkdir()
    recode(plain, None, secret, KEY)
    store = SqliteStore(connect(str(secret), key=KEY))
    remember(core_of("laptop", store), [f"another {MARKER}"], 2_000)
    files = sorted(each.name for each in secret.parent.iterdir())
    assert files == ["secret.db", "secret.db-shm", "secret.db-wal"], "the log beside it is there too"
    assert not any(MARKER.encode() in each.read_bytes() for each in secret.parent.iterdir())
    reader = connect(str(secret), read_only=True, key=KEY)
    assert len(texts(reader)) == 3
    store.connection.close()


def test_any_program_that_speaks_sqlcipher_opens_it_by_the_passphrase(plain: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.db"
    recode(plain, None, secret, make_key("correct horse, it's a staple", SALT))
    other = sqlcipher.connect(str(secret))
    other.execute("PRAGMA key = 'correct horse, it''s a staple'")
    assert len(texts(other)) == 2


def test_a_wrong_key_is_said_to_be_wrong_and_changes_nothing(plain: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.db"
    recode(plain, None, secret, KEY)
    before = secret.read_bytes()
    with pytest.raises(WrongKey, match="does not open the file"):
        connect(str(secret), key=make_key("cd" * 32, SALT))
    with pytest.raises(StoreCorrupt, match="cannot read the file"):
        connect(str(secret))
    assert secret.read_bytes() == before


def test_sqliters_catch_what_sqlcipher_raises(tmp_path: Path) -> None:
    connection = open_encrypted(str(tmp_path / "new.db"), KEY, uri=False)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        connection.execute("SELECT * FROM absent")
    connection.execute("CREATE TABLE one (x PRIMARY KEY)")
    connection.execute("INSERT INTO one VALUES (1)")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("INSERT INTO one VALUES (1)")
    connection.close()


def test_only_a_file_of_whole_pages_is_taken_for_encrypted(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    assert salt_of(file) is None, "it is not there"
    for size, salted in (
        (0, False),
        (16, False),
        (4_095, False),
        (4_096, True),
        (8_192, True),
        (8_193, False),
    ):
        file.write_bytes(Random(size).randbytes(size))
        assert (salt_of(file) is not None) == salted


def test_letters_fold_alike_in_a_plain_store_and_in_an_encrypted_one(plain: Path, tmp_path: Path) -> None:
    for connection in (connect(str(plain)), connect(str(tmp_path / "other.db"), key=KEY)):
        assert connection.execute("SELECT casefold('ЖÉ'), casefold(NULL), casefold(5)").fetchone() == (
            "жé",
            None,
            5,
        )
        connection.close()
