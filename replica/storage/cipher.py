"""Keep a store encrypted at rest: every page of its file, and of the log beside it, under one key, by SQLCipher.

The file is what SQLCipher itself makes of a passphrase: a salt in its first sixteen bytes, and a key that 256,000
rounds of PBKDF2 make of the two, so any program that speaks SQLCipher opens it. The rounds are run here, once for a
device: SQLCipher would run them again for each connection. A passphrase of 64 hexadecimal digits is a key already.

Where the passphrase comes from is not decided here.
"""

import hashlib
import re
import sqlite3
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from replica.errors import CipherMissing, WrongKey

if TYPE_CHECKING:
    from types import ModuleType

SALT_BYTES: Final = 16
# What SQLCipher 4 does to a passphrase, and its pages.
_ROUNDS: Final = 256_000
_KEY_BYTES: Final = 32
_PAGE_BYTES: Final = 4_096
_PLAIN: Final = b"SQLite format 3\0"
# What SQLite says of a first page that the key makes nothing of; SQLCipher's errors carry no number.
_NOT_A_DATABASE: Final = "not a database"
_RAW_KEY: Final = re.compile(r"[0-9a-fA-F]{64}")


def salt_of(path: Path) -> bytes | None:
    """Return the salt of an encrypted file; None of one that is plain, empty, not there, or not made of pages.

    An encrypted file has nothing by which it could be told from noise: one that is damaged may look so too.
    """
    try:
        with path.open("rb") as file:
            found = file.read(SALT_BYTES)
            size = file.seek(0, SEEK_END)
    except FileNotFoundError:
        return None
    return found if size and size % _PAGE_BYTES == 0 and found != _PLAIN else None


def make_key(passphrase: str, salt: bytes) -> bytes:
    """Return what opens the file of this salt: a key, and the salt behind it."""
    if _RAW_KEY.fullmatch(passphrase):
        return bytes.fromhex(passphrase) + salt
    key = hashlib.pbkdf2_hmac(
        "sha512", passphrase.encode("utf-8", "surrogatepass"), salt, _ROUNDS, _KEY_BYTES
    )
    return key + salt


def open_encrypted(name: str, key: bytes, *, uri: bool) -> sqlite3.Connection:
    """Open an encrypted file, or begin one; `WrongKey` where the key is another's."""
    connection: sqlite3.Connection = _sqlcipher().connect(
        name, uri=uri, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA cipher_log_level = NONE")  # it would tell standard error of a wrong key
        connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.DatabaseError) and _NOT_A_DATABASE in str(error):
            raise WrongKey(
                f"expected the passphrase of an encrypted store, but it does not open the file ({error})"
            ) from None
        raise
    return connection


def recode(source: Path, before: bytes | None, target: Path, after: bytes | None) -> None:
    """Write a store that nobody has open to a new file, under another key or under none."""
    connection: sqlite3.Connection = (
        _sqlcipher().connect(str(source), isolation_level=None)
        if before is None
        else open_encrypted(str(source), before, uri=False)
    )
    try:
        ((application,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        given = "''" if after is None else f"\"x'{after.hex()}'\""
        connection.execute(f"ATTACH ? AS target KEY {given}", (str(target),))
        connection.execute("SELECT sqlcipher_export('target')").fetchall()
        # Neither is part of what an export copies.
        connection.execute(f"PRAGMA target.application_id = {application}")
        connection.execute(f"PRAGMA target.user_version = {version}")
        connection.execute("DETACH target")
    finally:
        connection.close()


def _sqlcipher() -> "ModuleType":
    try:
        from sqlcipher3 import dbapi2
    except ImportError:
        raise CipherMissing(
            "expected SQLCipher, which the store is encrypted with; it is not installed"
        ) from None
    _catch_as_sqlites(dbapi2)
    return dbapi2


def _catch_as_sqlites(dbapi2: Any) -> None:
    """Let whoever catches sqlite3's errors catch SQLCipher's: a second copy of one module raises them."""
    for name in ("DatabaseError", "OperationalError", "IntegrityError"):
        theirs, ours = getattr(dbapi2, name), getattr(sqlite3, name)
        if not issubclass(theirs, ours):
            theirs.__bases__ = (*theirs.__bases__, ours)
