"""Start and talk to devices in processes of their own (`tests.support.peer_process`)."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.hearing import next_line

Start = Callable[..., "subprocess.Popen[str]"]


class Process:
    """A device in a process of its own; `start` may be a network namespace's `popen`."""

    def __init__(self, folder: Path, name: str, *options: str, start: Start = subprocess.Popen) -> None:
        command: Sequence[str] = [sys.executable, "-m", "tests.support.peer_process", str(folder), name]
        self._process = start([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.up = self.hear()
        except BaseException:  # nobody else knows of it yet
            self.end(signal.SIGKILL)
            raise

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def hear(self) -> dict[str, Any]:
        """The next line it says."""
        line = next_line(self._process)
        assert line, "the process ended"
        heard: dict[str, Any] = json.loads(line)
        return heard

    def say(self, line: str) -> None:
        """Give it a line, and do not wait for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, line: str) -> dict[str, Any]:
        """Give it a line and return the answer."""
        self.say(line)
        return self.hear()

    def end(self, number: int = signal.SIGTERM) -> None:
        """Send it a signal, and wait for its end."""
        self._process.send_signal(number)
        self._process.wait(10)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
