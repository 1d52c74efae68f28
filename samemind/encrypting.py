"""Encrypt a device's store, or make it plain again; nothing else may have it open meanwhile.

What the store was before is overwritten (`samemind/recoding.py`): a disk that keeps old blocks (any SSD, any file
system that copies on write) may hold them for a while all the same, so who fears for the disk itself encrypts before
anything is told. Stores that `restore` put aside are encrypted with it. Either verb, if it was killed, is run again to
finish. The device's own key stays a plain file: it holds no memory, and a device that is stolen is revoked
(`docs/explanation/attacks.md`).
"""

import secrets
from typing import Final

import trio

from replica import SALT_BYTES, DeviceId, WrongKey, make_key, salt_of
from samemind.config import Home
from samemind.device import open_device
from samemind.errors import Locked, Usage
from samemind.lock import hold
from samemind.passphrase import keep, key_of, new_passphrase
from samemind.recoding import check, clear, leftovers, recode_in_place, stores
from samemind.results.keeping_safe import Ciphered
from samemind.surface.keeping_safe import Decrypt, Encrypt

PROGRAM: Final = "samemind encrypt"


def encrypt(home: Home, options: Encrypt) -> Ciphered:
    """Encrypt the store, which is made first where there is none, and whatever plain text lies beside it."""
    device = trio.run(_open, home)
    with hold(home, program=PROGRAM):
        plain = [path for path in stores(home.store) if salt_of(path) is None]
        if not plain and not leftovers(home.store):
            raise Usage(f"expected a plain store, but {home.store} is encrypted", code="encrypted_already")
        for path in plain:
            check(path, None)  # before the first is encrypted: nobody is refused half-way
        # The rest of what was begun goes under the key of the store: one that is drawn anew would shut the store out.
        key = key_of(home.store, device)
        if key is None:
            # A key of 256 random bits needs no rounds; it is shown once, for the day on which the keychain is gone.
            passphrase = secrets.token_hex(32) if options.keychain else new_passphrase()
            key = make_key(passphrase, secrets.token_bytes(SALT_BYTES))
        shown = key[:-SALT_BYTES].hex() if options.keychain else None
        if shown is not None:
            keep(device, shown)
        clear(home.store)
        for path in plain:
            recode_in_place(path, None, key)
    return Ciphered(path=home.shown(), encrypted=True, passphrase=shown)


def decrypt(home: Home, options: Decrypt) -> Ciphered:
    """Make the store plain again, and those that were put aside; none, where one of them does not open."""
    device = trio.run(_open, home)
    with hold(home, program=PROGRAM):
        keys, shut = {}, []
        for path in stores(home.store):
            try:
                keys[path] = key_of(path, device)
            except (WrongKey, Locked):
                shut.append(str(path))
        if shut:
            raise Locked(
                f"expected a passphrase that opens every store of the home, but not: {', '.join(shut)}",
                code="stores_shut",
                hint="run it at a terminal and type each passphrase, or move these out of the home",
            )
        if not any(keys.values()):
            raise Usage(f"expected an encrypted store, but {home.store} is plain", code="plain_already")
        clear(home.store)
        for path, key in keys.items():
            if key is not None:
                recode_in_place(path, key, None)
    keep(device, None)
    return Ciphered(path=home.shown(), encrypted=False, passphrase=None)


async def _open(home: Home) -> DeviceId:
    """Open the device once: it is whole, and whatever lies in a log beside the store is in it."""
    async with open_device(home, program=PROGRAM, answers=False) as device:
        return device.device_id
