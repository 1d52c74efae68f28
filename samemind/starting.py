"""Start the daemon in the background, and know how this very installation is started.

Whoever asks for it gets an answer when the daemon answers, or hears why it did not come up. Two that ask at once get
one daemon: the second finds the store taken and ends, and both find the first.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from samemind.config import Home, Settings
from samemind.control.client import Control
from samemind.errors import HOLDER_ENDED, Failed, Unreachable
from samemind.home.lock import DAEMON, Holder
from samemind.platform import system

COMMAND: Final = "samemind"
# Loading everything and finding a free port takes a second or two, on a slow machine ten.
SECONDS_MAX: Final = 30.0
POLL_S: Final = 0.02
# Of what a daemon said that did not come up: the end tells most.
SAID_BYTES_MAX: Final = 500


def own_command(home: Home) -> list[str]:
    """Return the words that start this very installation on a home, whatever the PATH of the program that runs them."""
    return [*system.beside_python(Path(sys.executable), COMMAND), "--home", home.shown()]


def wants_daemon(home: Home) -> bool:
    """Say whether the owner wants the daemon to be started by whoever needs it."""
    return Settings.load(home).on_demand


def start_daemon(home: Home, options: Sequence[str] = ()) -> Mapping[str, Any]:
    """Start the daemon of a home, unless it runs, and return what it says of itself.

    An agent's server that has the store open meanwhile hands it over, and a daemon that is ending is waited for;
    `Failed` where whoever has the store keeps it.
    """
    if (status := _running(home)) is not None:
        return status
    # What only wants to know whether one runs loads no SQLite.
    from samemind.home.passphrase import for_daemon

    environment = {**os.environ, **for_daemon(home)}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(  # type: ignore[call-overload]
            [*own_command(home), "up", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # its log has what it says while it goes on
            stderr=said,
            env=environment,
            **system.detached(),  # it outlives the terminal and the agent that wanted it
        )
        try:
            status = _came_up(home, process, said)
        except BaseException:  # also where whoever holds the store hangs, or nobody wants to wait any longer
            process.kill()
            process.wait()
            raise
    # It is on its own from here: nobody waits for its end, and Python should not complain.
    process.returncode = 0
    return status


def _came_up(home: Home, process: "subprocess.Popen[bytes]", said: IO[bytes]) -> Mapping[str, Any]:
    deadline = time.monotonic() + SECONDS_MAX
    while (status := _running(home)) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            said.seek(0)
            why = said.read().decode("utf-8", "replace").strip()[-SAID_BYTES_MAX:]
            raise Failed(
                f"expected the daemon to come up, but it did not: {why or 'it said nothing'}",
                code="daemon_did_not_start",
                hint="run `samemind up` in a terminal to see why",
            )
        time.sleep(POLL_S)
    return status


def _running(home: Home) -> Mapping[str, Any] | None:
    """Return the status of the daemon; None where none runs, or it is ending.

    That it takes a connection says nothing: the kernel does that for it. An agent's server answers, too, and the daemon
    would take its place.
    """
    holder = Holder.of(home)
    control = None if holder is None or holder.program != DAEMON else Control.connect(home)
    if control is None:
        return None
    try:
        status = next(result for _, result in control.ask("status", {}) if result is not None)
    except Unreachable as error:
        if error.code != HOLDER_ENDED:
            raise
        return None
    finally:
        control.close()
    return status if status["running"] else None
