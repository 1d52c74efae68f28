"""Hold what is fetched from a mailbox: a small file in memory, a larger one on the disk, where nobody else finds it.

The largest file has 256 MB, and a device may have sixteen mailboxes that all hand one out at once. On the disk it has
no name, or goes with its process where a system knows no files without one: a kill leaves nothing behind. What lies
there is sealed, as it came.
"""

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from sync.errors import Unreached

# More than most news takes.
FETCHED_IN_MEMORY_MAX: Final = 1 << 20
# What is fetched can be fetched again later, and what this device is told cannot: so much is left for its store.
DISK_LEFT_MIN: Final = 128 << 20


class FetchedFile(tempfile.SpooledTemporaryFile[bytes]):
    """A file as it comes; it is gone once nobody holds it any more. `folder`: where to put it if it is large."""

    def __init__(self, folder: Path) -> None:
        super().__init__(FETCHED_IN_MEMORY_MAX, dir=str(folder))
        self._folder = folder

    def __del__(self) -> None:
        self.close()

    def write(self, data: Any) -> int:
        """Write some; `Unreached` where this device has no room for it."""
        try:
            if self.tell() + len(data) > FETCHED_IN_MEMORY_MAX:
                if shutil.disk_usage(self._folder).free < DISK_LEFT_MIN + len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self.rollover()
            count = super().write(data)
            self.flush()
        except OSError as error:
            raise Unreached(
                f"there is no room on this device, in {self._folder}, for a file of it ({error.strerror})",
                fix=f"make room on this device's own disk: {DISK_LEFT_MIN >> 20} MB of it are left free",
            ) from None
        return count
