"""Ask a process that has loaded `samemind` to fork one that is it: `forking` is that process.

    python -IS forked.py SOCKET [WORD...]

is what a shell starts in the place of `samemind`: it ends when the command does, and passes signals on to it. It
imports little, since what it saves is the time that importing takes.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Final

# Before a request stands its length; an answer is a process id, or how a process ended.
LENGTH: Final = struct.Struct("!I")
ANSWER: Final = struct.Struct("!i")
# A machine that is busy with other tests takes long.
_STARTING_SECONDS_MAX: Final = 120


def start(
    path: str, words: Sequence[str], environment: Mapping[str, str], cwd: str, streams: Sequence[int]
) -> tuple[int, socket.socket]:
    """Start the command with these words and streams; return its process id, and where it is told how it ends."""
    document = json.dumps({"words": words, "environment": dict(environment), "cwd": cwd}).encode()
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_STARTING_SECONDS_MAX)
    connection.connect(path)
    socket.send_fds(connection, [LENGTH.pack(len(document))], [*streams])
    connection.sendall(document)
    return answer(connection), connection


def answer(connection: socket.socket) -> int:
    """Return the next number that is told."""
    told = connection.recv(ANSWER.size, socket.MSG_WAITALL)
    assert len(told) == ANSWER.size, "the process that has loaded the command ended"
    return int(ANSWER.unpack(told)[0])


def main() -> int:
    """Be the command, as far as a shell sees."""
    _, path, *words = sys.argv
    pid, connection = start(path, words, os.environ, os.getcwd(), (0, 1, 2))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    connection.settimeout(None)
    code = os.waitstatus_to_exitcode(answer(connection))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
