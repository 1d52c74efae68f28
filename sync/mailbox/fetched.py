"""Hold what is fetched from a mailbox: a small file in memory, a larger one on the disk, where nobody else finds it.

The largest file has 256 MB, and a device may have sixteen mailboxes that all hand one out at once. On the disk it has
no name, or goes with its process where a system knows no files without one: a kill leaves nothing behind. What lies
there is sealed, as it came.
"""

import errno
import math
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from sync.errors import NoRoomHere

# More than most news takes.
FETCHED_IN_MEMORY_MAX: Final = 1 << 20
# What is fetched can be fetched again later, and what this device is told cannot: so much is left for its store.
DISK_LEFT_MIN: Final = 128 << 20


class FetchedFile(tempfile.SpooledTemporaryFile[bytes]):
    """A file as it comes, of at most `size` bytes; it is gone once nobody holds it any more.

    `folder`: where to put it if it is large. `NoRoomHere`: there is no room for it; nothing need be fetched to know.
    """

    def __init__(self, folder: Path, size: int) -> None:
        super().__init__(FETCHED_IN_MEMORY_MAX, dir=str(folder))
        self._folder = folder
        self._size = size
        if size > FETCHED_IN_MEMORY_MAX:
            missing = self._missing(size)
            if missing > 0:
                raise self._no_room(f"{math.ceil(missing / 1e5) / 10} MB more are needed", missing)

    def __del__(self) -> None:
        self.close()

    def write(self, data: Any) -> int:
        """Write some; `NoRoomHere` where others filled the disk meanwhile, as what comes from another mailbox does."""
        try:
            if self.tell() + len(data) > FETCHED_IN_MEMORY_MAX:
                if self._missing(len(data)) > 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self.rollover()
            count = super().write(data)
            self.flush()
        except OSError as error:
            raise self._no_room(f"{error.strerror or error} while it came") from None
        return count

    def _missing(self, size: int) -> int:
        return DISK_LEFT_MIN + size - shutil.disk_usage(self._folder).free

    def _no_room(self, why: str, missing: int = 0) -> NoRoomHere:
        return NoRoomHere(
            f"this device has no room for a file of {self._size / 1e6:.1f} MB that is there: {why} in {self._folder}",
            missing=missing,
            fix=f"make room on this device's own disk, of which {DISK_LEFT_MIN >> 20} MB are left free; "
            "then it is fetched by itself",
        )
