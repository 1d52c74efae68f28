"""Encrypt a device's store, under another passphrase, or make it plain again; nothing else may have it open meanwhile.

What the store was before is overwritten (`samemind/home/recoding.py`): a disk that keeps old blocks (any SSD, any file
system that copies on write) may hold them for a while all the same, so who fears for the disk itself encrypts before
anything is told. Stores that `restore` put aside are encrypted with it. Each verb, if it was killed, is run again to
finish. The device's own key stays a plain file: it holds no memory, and a device that is stolen is revoked
(`docs/explanation/attacks.md`).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from replica import DeviceId, WrongKey
from samemind.config import Home
from samemind.device import open_device
from samemind.errors import Locked
from samemind.home.passphrase import key_of

PROGRAM: Final = "samemind encrypt"


async def open_home(home: Home) -> DeviceId:
    """Open the device once: it is whole, and whatever lies in a log beside the store is in it."""
    async with open_device(home, program=PROGRAM, answers=False) as device:
        return device.device_id


def keys_of_stores(stores: Iterable[Path], device: DeviceId) -> dict[Path, bytes | None]:
    """Return what opens each store, None where it is plain.

    Raises `Locked` naming all that no passphrase opens which is known here or typed.
    """
    keys: dict[Path, bytes | None] = {}
    shut = []
    for path in stores:
        try:
            keys[path] = key_of(path, device)
        except (WrongKey, Locked):
            shut.append(str(path))
    if shut:
        raise Locked(
            f"expected a passphrase for every store in the data directory; it does not open: {', '.join(shut)}",
            code="stores_shut",
            hint="run it at a terminal and type each passphrase, or move these out of the data directory",
        )
    return keys
