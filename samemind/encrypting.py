"""Encrypt a device's store, or make it plain again; nothing else may have it open meanwhile.

The store is written anew beside itself under its key, looked through, and only then put in its own place. What it was
before is overwritten: a disk that keeps old blocks (any SSD, any file system that copies on write) may hold them for a
while all the same, so who fears for the disk itself encrypts before anything is told. Stores that `restore` put aside
are encrypted with it. The device's own key stays a plain file: it holds no memory, and a device that is stolen is
revoked (`docs/explanation/attacks.md`).
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import trio

from replica import SALT_BYTES, DeviceId, connect, make_key, recode, salt_of
from samemind.config import Home
from samemind.device import open_device
from samemind.errors import Failed, Usage
from samemind.lock import hold
from samemind.passphrase import keep, key_of, new_passphrase
from samemind.results.keeping_safe import Ciphered
from samemind.surface.keeping_safe import Decrypt, Encrypt

PROGRAM: Final = "samemind encrypt"
_WIPE_BYTES: Final = 1 << 20


def encrypt(home: Home, options: Encrypt) -> Ciphered:
    """Encrypt the store, which is made first where there is none."""
    device = trio.run(_open, home)
    with hold(home, program=PROGRAM, answers=False):
        if salt_of(home.store) is not None:
            raise Usage(f"expected a plain store, but {home.store} is encrypted", code="encrypted_already")
        # A key of 256 random bits needs no rounds; it is shown once, for the day on which the keychain is gone.
        passphrase = secrets.token_hex(32) if options.keychain else new_passphrase()
        if options.keychain:
            keep(device, passphrase)
        for path in _stores(home):
            if salt_of(path) is None:
                _recode(path, None, make_key(passphrase, secrets.token_bytes(SALT_BYTES)))
    return Ciphered(path=home.shown(), encrypted=True, passphrase=passphrase if options.keychain else None)


def decrypt(home: Home, options: Decrypt) -> Ciphered:
    """Make the store plain again."""
    device = trio.run(_open, home)
    with hold(home, program=PROGRAM, answers=False):
        if salt_of(home.store) is None:
            raise Usage(f"expected an encrypted store, but {home.store} is plain", code="plain_already")
        for path in _stores(home):
            if (before := key_of(path, device)) is not None:
                _recode(path, before, None)
    keep(device, None)
    return Ciphered(path=home.shown(), encrypted=False, passphrase=None)


async def _open(home: Home) -> DeviceId:
    """Open the device once: it is whole, and whatever lies in a log beside the store is in it."""
    async with open_device(home, program=PROGRAM, answers=False) as device:
        return device.device_id


def _stores(home: Home) -> Iterator[Path]:
    """Give the store, then every one that was put aside."""
    yield home.store
    yield from sorted(home.store.parent.glob(f"{home.store.name}.before-restore-*"))


def _recode(store: Path, before: bytes | None, after: bytes | None) -> None:
    fresh = store.with_name(f"{store.name}.recoded")
    fresh.unlink(missing_ok=True)
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        recode(store, before, fresh, after)
        _check(fresh, after)
        with fresh.open("rb+") as file:
            os.fsync(file.fileno())
        with store.open("rb+") as old:
            os.replace(fresh, store)
            if before is None:
                _wipe(old.fileno())
    finally:
        fresh.unlink(missing_ok=True)


def _check(path: Path, key: bytes | None) -> None:
    connection = connect(str(path), read_only=True, key=key)
    try:
        ((found,),) = connection.execute("PRAGMA quick_check(1)")
    except sqlite3.DatabaseError as error:
        found = str(error)
    finally:
        connection.close()
    if found != "ok":
        raise Failed(f"expected the store to come out whole, but: {found}", code="not_recoded")


def _wipe(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    nothing = bytes(_WIPE_BYTES)
    for start in range(0, size, _WIPE_BYTES):
        os.pwrite(descriptor, nothing[: size - start], start)
    os.fsync(descriptor)
