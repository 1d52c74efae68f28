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
import select
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.support import forked

_STREAMS: Final = 3
_ENDING_SECONDS_MAX: Final = 60
# What only some commands load, and what each system has of its own: `samemind.platform` loads the one that fits.
_NOT_LOADED: Final = tuple(
    f"samemind.{name}"
    for name in ("_tools", "adapters", "agents", "mcp.http", "phone", "platform.posix", "platform.windows")
)


# What only a process that starts can take: another clock, another place of modules.
_TAKEN_AT_START: Final = ("LD_", "PYTHON")


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    names = (name for name in environment if name.startswith(_TAKEN_AT_START) and name != "PYTHONWARNINGS")
    return {name: environment[name] for name in names}


_BEGAN_WITH: Final = _at_start(os.environ)


def can_fork(environment: Mapping[str, str]) -> bool:
    """Say whether a forked command is what one that is started with this environment would be."""
    return hasattr(os, "fork") and _at_start(environment) == _BEGAN_WITH


class Loaded:
    """A process that has loaded the command, and the Unix socket at which it is asked to fork.

    In `commands` is a `samemind` for shells, which asks for it.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="samemind-loaded-")
        self.path = str(Path(self._folder.name) / "socket")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forking", self.path],
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
        words = shlex.join([sys.executable, "-IS", forked.__file__, self.path])
        command.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        command.chmod(0o700)

    def end(self) -> None:
        """End it, and what was started and goes on."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(_ENDING_SECONDS_MAX)
        self._process.stdout.close()
        self._folder.cleanup()


class Forked(subprocess.Popen[str]):
    """A command that `Loaded` starts, with words that are all its own; in all else as any that `subprocess` starts.

    What is overridden has no public name: `tests/endtoend/test_forked_commands.py` fails where a Python calls it
    otherwise.
    """

    def _execute_child(self, args: Sequence[str], *given: Any) -> None:
        _, _, _, _, cwd, environment, _, _, _, *pipes = given[:15]
        theirs = [pipes[0], pipes[3], pipes[5]]  # the others are our ends of the pipes
        streams = [number if pipe == -1 else pipe for number, pipe in enumerate(theirs)]
        try:
            self.pid, self._connection = forked.start(
                loaded().path, args, environment or os.environ, os.fspath(cwd or os.getcwd()), streams
            )
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
        self._child_created = True

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if not select.select([self._connection], [], [], 0 if wait_flags & os.WNOHANG else None)[0]:
            return 0, 0
        with self._connection:
            return self.pid, forked.answer(self._connection)

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        if self.returncode is None:
            with self._waitpid_lock:  # type: ignore[attr-defined]
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode


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
        self._listener = socket.socket(forked.UNIX)
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
        length, streams = forked.receive(connection, _STREAMS)
        document = connection.recv(length, socket.MSG_WAITALL)
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
        self._open_anew()
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        if action := os.environ.get("PYTHONWARNINGS"):
            warnings.simplefilter(action)  # type: ignore[arg-type]
        words: list[str] = asked["words"]
        return words

    def _open_anew(self) -> None:
        """Open the standard streams as Python does at its start: those there are know what stood there before."""
        for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
            before = getattr(sys, name)
            buffering = 1 if name == "stderr" else -1
            stream = os.fdopen(number, mode, buffering, before.encoding, before.errors, closefd=False)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

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
