"""Stand in for `msvcrt.locking` on Linux, by locks of the kernel's: of a range of bytes, held by an open file.

Like Windows: between processes, and between two openings in one; from where the file is read next; gone with the last
descriptor. Unlike it: whoever asks for no lock reads and writes a locked byte here. So that nobody has to read one is a
test of its own (tests/unit/samemind/test_platform.py).
"""

import errno
import fcntl
import os
import struct
import time

LK_UNLCK, LK_LOCK, LK_NBLCK, LK_RLCK, LK_NBRLCK = range(5)
_TRIES = 10


def locking(descriptor: int, mode: int, count: int, /) -> None:
    """Lock or unlock as many bytes, from the place of the descriptor."""
    start = os.lseek(descriptor, 0, os.SEEK_CUR)
    kind = fcntl.F_UNLCK if mode == LK_UNLCK else fcntl.F_WRLCK
    wanted = struct.pack("hhqqi4x", kind, os.SEEK_SET, start, count, 0)
    waits = mode in (LK_LOCK, LK_RLCK)
    for tried in range(_TRIES if waits else 1):
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, wanted)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
        else:
            return
        if waits and tried + 1 < _TRIES:
            time.sleep(1)
    raise OSError(errno.EDEADLK if waits else errno.EACCES, "the byte is locked")
