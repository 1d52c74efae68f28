"""Devices whose daemons run: pair two of them, and wait until all agree."""

import json
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tests.support import cli
from tests.support.hearing import next_line

AGREE_SECONDS_MAX: Final = 120.0


def pair(offering: Path, joining: Path) -> None:
    """Pair two devices."""
    with subprocess.Popen(
        [*cli.COMMAND, "--home", str(offering), "--json", "pair"],
        stdout=subprocess.PIPE,
        text=True,
        env=cli.environment(),
    ) as offer:
        said = json.loads(next_line(offer))
        joined = cli.run(joining, "pair", said["code"], "--address", said["address"], "--json")
        assert joined.code == 0, joined.err or joined.out
        assert offer.wait(cli.SECONDS_MAX) == 0


def seconds_until(holds: Callable[[], bool], otherwise: str) -> float:
    """Wait for what becomes true by itself, and say how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < AGREE_SECONDS_MAX, otherwise
        time.sleep(0.05)
    return time.monotonic() - began


def seconds_until_agreed(homes: Iterable[Path]) -> float:
    """Wait until all of them show one digest."""
    listed = list(homes)

    def agree() -> bool:
        return len({cli.run(home, "digest", "--json").json["digest"] for home in listed}) == 1

    return seconds_until(agree, "they do not agree")
