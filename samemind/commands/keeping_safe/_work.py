"""Encrypt a device's store, or make it plain again; nothing else may have it open meanwhile.

What the store was before is overwritten (`samemind/home/recoding.py`): a disk that keeps old blocks (any SSD, any file
system that copies on write) may hold them for a while all the same, so who fears for the disk itself encrypts before
anything is told. Stores that `restore` put aside are encrypted with it. Either verb, if it was killed, is run again to
finish. The device's own key stays a plain file: it holds no memory, and a device that is stolen is revoked
(`docs/explanation/attacks.md`).
"""

from typing import Final

from replica import DeviceId
from samemind.config import Home
from samemind.device import open_device

PROGRAM: Final = "samemind encrypt"


async def open_home(home: Home) -> DeviceId:
    """Open the device once: it is whole, and whatever lies in a log beside the store is in it."""
    async with open_device(home, program=PROGRAM, answers=False) as device:
        return device.device_id
