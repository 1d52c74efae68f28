"""Start `samemind` in processes of its own that need not load it: forked from one that has loaded it.

A command that remembers takes half a second of processor time to start, of which loading and compiling are nine tenths.
`Loaded` is a process that has done so and waits; each command is forked from it, with its own process id, directory,
environment and standard streams, and ends as Python ends. Three things differ from a command that was started afresh:
all modules are there already, strings have the same hashes in all that one `Loaded` starts, and the process table shows
another command line. Tests of loading, of the first lines of the program and of signals while it starts use
`cli.run_afresh` or `cli.COMMAND`.

    python -m tests.support.forking SOCKET

serves on a Unix socket until its standard input ends. A request is a document in JSON behind its length, with the
descriptors for standard input, output and error beside it; the answers are the process id and, later, the status.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.support import forked

_STREAMS: Final = 3
_ENDING_SECONDS_MAX: Final = 60
# What only some commands load, and what no command of this system does.
_NOT_LOADED: Final = tuple(
    f"samemind.{name}" for name in ("_tools", "adapters", "agents", "mcp", "phone", "platform.windows")
)


class Loaded:
    """A process that has loaded the command. In `commands` is a `samemind` for shells, which is started by it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="samemind-loaded-")
        self._path = str(Path(self._folder.name) / "socket")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking", self._path],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONWARNINGS": "error"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in a terminal ends the tests, which end this
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n", "the process that loads the command ended"
        self.commands = Path(self._folder.name) / "bin"
        self.commands.mkdir()
        command = self.commands / "samemind"
        words = shlex.join([sys.executable, "-IS", forked.__file__, self._path])
        command.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        command.chmod(0o700)

    def start(
        self, words: Sequence[str], environment: Mapping[str, str], streams: Sequence[int]
    ) -> "Started":
        """Start the command with these words, and with these descriptors for its standard streams."""
        return Started(*forked.start(self._path, words, environment, streams))

    def end(self) -> None:
        """End it, and what was started and goes on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(_ENDING_SECONDS_MAX)
        self._process.stdout.close()
        self._folder.cleanup()


@dataclass(frozen=True, slots=True)
class Started:
    """A command that was started."""

    pid: int
    _connection: socket.socket

    def wait(self, seconds: float) -> int:
        """Return its exit code, as `subprocess` gives it; whoever takes longer is killed."""
        self._connection.settimeout(seconds)
        with self._connection:
            try:
                return os.waitstatus_to_exitcode(forked.answer(self._connection))
            except TimeoutError:
                os.kill(self.pid, signal.SIGKILL)
                raise


@cache
def loaded() -> Loaded:
    """Return the process that this one starts commands by, made when it is first asked for."""
    made = Loaded()
    atexit.register(made.end)
    return made


# --- the process that has loaded it -----------------------------------------------------------------------------


def _load() -> None:
    """Import what commands import, and compile what they compile to read a text."""
    os.environ["OPENBLAS_NUM_THREADS"] = (
        "1"  # as `samemind.__main__` sets it; no thread may run when this forks
    )
    for name in ("samemind", "replica", "sync", "cognition"):
        package = importlib.import_module(name)
        for each in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not each.name.startswith(_NOT_LOADED) and "__main__" not in each.name:
                importlib.import_module(each.name)
    warming = importlib.import_module("cognition.warming")
    for _ in warming.make_ready():
        pass


class _Server:
    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._ended, self._wakes = socket.socketpair()
        for each in (self._ended, self._wakes):
            each.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes.fileno())
        self._running: dict[int, socket.socket] = {}

    def serve(self) -> list[str] | None:
        """Return the words of a command in each process that is to do it; None in this one when it is to end."""
        with selectors.DefaultSelector() as selector:
            for each in (self._listener, self._ended, sys.stdin):
                selector.register(each, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select()}
                if self._ended in ready:
                    self._ended.recv(4_096)
                    self._tell_who_ended()
                if sys.stdin in ready:
                    signal.set_wakeup_fd(-1)
                    self._end()
                    return None
                if self._listener in ready and (words := self._start()) is not None:
                    return words

    def _start(self) -> list[str] | None:
        connection, _ = self._listener.accept()
        length, streams, _, _ = socket.recv_fds(connection, forked.LENGTH.size, _STREAMS)
        document = connection.recv(forked.LENGTH.unpack(length)[0], socket.MSG_WAITALL)
        pid = os.fork()
        if pid == 0:
            connection.close()
            return self._become(json.loads(document), streams)
        for stream in streams:
            os.close(stream)
        self._running[pid] = connection
        connection.sendall(forked.ANSWER.pack(pid))
        return None

    def _become(self, asked: dict[str, Any], streams: list[int]) -> list[str]:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._listener, self._ended, self._wakes, *self._running.values()):
            each.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        words: list[str] = asked["words"]
        return words

    def _tell_who_ended(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            with self._running.pop(pid) as connection:
                try:
                    connection.sendall(forked.ANSWER.pack(status))
                except OSError:  # nobody waits for it any more
                    continue

    def _end(self) -> None:
        for pid, connection in self._running.items():
            os.kill(pid, signal.SIGKILL)
            connection.close()
        for each in (self._listener, self._ended, self._wakes):
            each.close()


def main() -> int:
    """Load the command, and be it in each process that is started."""
    _load()
    gc.freeze()
    server = _Server(sys.argv[1])
    print("ready", flush=True)
    words = server.serve()
    if words is None:
        return 0
    from samemind.__main__ import main as run

    sys.argv = ["samemind", *words]
    return run()


if __name__ == "__main__":
    sys.exit(main())
