"""Import a file again and again in processes that are killed at random moments; say what each had acknowledged.

Run as a program: HOMES FILE KILLS SEED. An import that comes to its end is followed by one into the next home,
`HOMES/1` and so on. Every child is a fork of this process, so that it costs a store's opening and not an interpreter's
start; none shares anything with another but the home. Lines on standard output: `start ROWS` (what a child found),
`ack ROWS` (what it was told is durable), `done IMPORTED SKIPPED`, `anew`.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import trio

from samemind.commands.portable import _importing
from samemind.commands.portable.import_ import Import
from samemind.commands.portable.import_ import run as import_
from samemind.config import Home
from samemind.device import Device, open_device

# Small commits: a kill then falls between, before and in the middle of many.
LINES_PER_COMMIT = 25


async def child(home: Path, file: Path, out: int, begun: int) -> None:
    """Import the file, telling what is durable; a byte to `begun` says that the import itself begins."""
    async with open_device(Home.at(home), program="a test", answers=False) as device:
        tell(out, f"start {await rows(device)}")
        os.write(begun, b".")

        async def say(said: Mapping[str, Any]) -> None:
            tell(out, f"ack {await rows(device)}")

        done = await import_(device, Import(files=(str(file),), format="jsonl"), say)
        tell(out, f"done {done.imported} {done.skipped}")


async def rows(device: Device) -> int:
    """Count the memories that are committed."""
    return await device.replica.read(
        lambda connection: int(connection.execute("SELECT count(*) FROM memory").fetchone()[0])
    )


def tell(out: int, line: str) -> None:
    """Write a line in one call, so that a kill leaves it whole or not there."""
    os.write(out, f"{line}\n".encode())


def main() -> None:
    home, file, kills, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    _importing.BATCH = LINES_PER_COMMIT  # type: ignore[misc]
    draw = random.Random(seed)
    took_s, imported_s, killed, homes = 0.0, 0.0, 0, 0
    while True:
        began, (reading, writing) = time.monotonic(), os.pipe()
        pid = os.fork()
        if pid == 0:
            trio.run(child, home / str(homes), file, sys.stdout.fileno(), writing)
            os._exit(0)
        os.close(writing)
        kills_now = took_s and killed < kills
        opening = kills_now and killed % 2  # every second one may fall into the opening of the store too
        if not opening:
            os.read(reading, 1)
        importing = time.monotonic()
        os.close(reading)
        if kills_now:
            time.sleep(draw.uniform(0, took_s if opening else imported_s))
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            if os.waitstatus_to_exitcode(status):
                sys.exit(f"a child ended with {status}")
            if killed >= kills:
                return
            # How long a whole run takes: kills fall within it. Then begin anew, on another device.
            took_s = max(took_s, time.monotonic() - began)
            imported_s = max(imported_s, time.monotonic() - importing)
            homes += 1
            tell(sys.stdout.fileno(), "anew")
        else:
            killed += 1


if __name__ == "__main__":
    main()
