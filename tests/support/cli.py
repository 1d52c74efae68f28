"""Run the real command, and a real daemon, as separate processes.

`run`, `start` and `daemon` fork it from a process that has loaded it (`forking`), which costs a tenth; `run_afresh`
starts Python.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final

from tests.support.forking import Forked, can_fork
from tests.support.hearing import next_line

COMMAND: Final = (sys.executable, "-m", "samemind")
# Far beyond what anything takes: a test that gets here has found a hang.
SECONDS_MAX: Final = 240


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which no home is preset, and in which a warning is an error."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SAMEMIND") or name == "SAMEMIND_STATE"  # not this machine's own (conftest.py)
    }
    return {**kept, "PYTHONWARNINGS": "error", **more}


def run(home: Path, *words: str, stdin: str = "", **more: str) -> Ran:
    """Run `samemind` on a home to its end, in a process of its own that was forked from one that had loaded it."""
    with start(home, *words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, environ=more) as process:
        try:
            out, err = process.communicate(stdin, SECONDS_MAX)
        except BaseException:
            process.kill()
            raise
        return Ran(process.returncode, out, err)


def start(
    home: Path,
    *words: str,
    stdin: int | None = None,
    stderr: int | IO[bytes] | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> "subprocess.Popen[str]":
    """Start `samemind` on a home, as `run` does, and go on; its output is read from a pipe."""
    given = ["--home", str(home), *words]
    streams: Any = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": stderr, "encoding": "utf-8"}
    wanted = environment(**environ)
    if cwd is None and can_fork(wanted):  # a folder may hold another release, which Python would start
        return Forked(given, env=wanted, **streams)
    return subprocess.Popen([*COMMAND, *given], env=wanted, cwd=cwd, **streams)


def run_afresh(home: Path, *words: str, stdin: str = "", **more: str) -> Ran:
    """Run `samemind` on a home to its end, as a user starts it: by a Python that has loaded nothing yet."""
    done = subprocess.run(
        [*COMMAND, "--home", str(home), *words],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(**more),
        timeout=SECONDS_MAX,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """A daemon that is up. `said` is its first document."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(SECONDS_MAX)


@contextmanager
def daemon(
    home: Path, *words: str, cwd: Path | None = None, stderr: IO[bytes] | None = None, **more: str
) -> Iterator[RunningDaemon]:
    """Run `samemind up` for the block, from the moment at which it answers."""
    up = ("--json", "up", "--no-mdns", "--listen", "127.0.0.1:0")
    process = start(home, *up, *words, stderr=stderr, cwd=cwd, environ=more)
    assert process.stdout is not None
    try:
        line = next_line(process)
        assert line, "the daemon ended before it was up"
        yield RunningDaemon(process, json.loads(line))
    finally:
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(SECONDS_MAX)
        finally:
            process.kill()
            process.stdout.close()
