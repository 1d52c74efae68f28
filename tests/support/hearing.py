"""Hear what a process says, line by line, and never wait for ever for one that says nothing."""

import subprocess
from threading import Timer
from typing import Any, Final

# Far beyond what anything takes: a test that gets here has found a hang.
SECONDS_MAX: Final = 120.0


def next_line(process: "subprocess.Popen[Any]", seconds_max: float = SECONDS_MAX) -> str:
    """Return the next line of its standard output; a process that is silent for so long is killed."""
    assert process.stdout is not None
    silent: list[str] = []

    def give_up() -> None:
        silent.append(
            f"expected a line from {process.args!r} within {seconds_max:g} s, got silence: killed it"
        )
        process.kill()

    patience = Timer(seconds_max, give_up)
    patience.daemon = True
    patience.start()
    try:
        line: str = process.stdout.readline()
    finally:
        patience.cancel()
    assert line or not silent, silent[0]
    return line
