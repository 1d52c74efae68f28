"""Ask a process that has loaded `samemind` to fork one that is it: `forking` is that process.

    python -IS forked.py SOCKET [WORD...]

is what a shell starts in the place of `samemind`: it ends when the command does, and passes signals on to it. It
imports little, since what it saves is the time that importing takes.
"""

import array
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
# By number: where `without_posix` has taken their names away, from tests too, Linux still has what they name.
UNIX: Final = 1
_RIGHTS: Final = 1
# For the kernel's header and some descriptors.
_ROOM: Final = 64
# A machine that is busy with other tests takes long.
_STARTING_SECONDS_MAX: Final = 120


def start(
    path: str, words: Sequence[str], environment: Mapping[str, str], cwd: str, streams: Sequence[int]
) -> tuple[int, socket.socket]:
    """Start the command with these words and streams; return its process id, and where it is told how it ends."""
    document = json.dumps({"words": words, "environment": dict(environment), "cwd": cwd}).encode()
    connection = socket.socket(UNIX)
    connection.settimeout(_STARTING_SECONDS_MAX)
    connection.connect(path)
    passed = array.array("i", streams)
    connection.sendmsg([LENGTH.pack(len(document))], [(socket.SOL_SOCKET, _RIGHTS, passed)])
    connection.sendall(document)
    return answer(connection), connection


def receive(connection: socket.socket, streams: int) -> tuple[int, list[int]]:
    """Return how long the document of a request is, and the streams that came beside it."""
    passed = array.array("i")
    length, [(_, _, data)], _, _ = connection.recvmsg(LENGTH.size, _ROOM)
    passed.frombytes(data[: streams * passed.itemsize])
    return LENGTH.unpack(length)[0], [*passed]


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
