"""What only we are measured in: live propagation, a sync with nothing new, the command line, simulated worlds."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from samemind.config import Settings
from samemind.device import derived_tables
from sync.address import Address
from tests.bench.sync import fetch, fill, live, serving
from tests.support.cli import daemon, run

_CALLS: Final = 20
_SEEDS: Final = "1..12"


def alone() -> dict[str, float]:
    """Return every figure by its name."""
    return _live() | _quiet() | _command() | _worlds()


def _live() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "laptop.db", 10)
        (folder / "live").mkdir()
        with serving(folder) as server:
            took = sorted(trio.run(live, folder / "live", server))
    return {"live_p50_ms": statistics.median(took), "live_p95_ms": took[int(len(took) * 0.95)]}


def _quiet() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "laptop.db", 1_000)
        (folder / "phone").mkdir()
        with serving(folder) as server:
            address = Address.parse(server.up["address"])
            _, (again, _) = trio.run(fetch, folder / "phone", address, 2, derived_tables(Settings()))
    return {
        "resync_ms": again.took_ms,
        "resync_round_trips": again.round_trips,
        "resync_bytes": again.bytes_in + again.bytes_out,
    }


def _command() -> dict[str, float]:
    """A whole process each time, with a daemon up and without one."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"

        def ask() -> None:
            assert run(home, "recall", "where does Ann live?").code == 0

        assert run(home, "remember", "Ann moved to Lisbon in spring", "--wait").code == 0
        apart = _median_ms(ask)
        with daemon(home):
            ask()
            beside = _median_ms(ask)
    return {"command_with_daemon_ms": beside, "command_without_daemon_ms": apart}


def _worlds() -> dict[str, float]:
    sweep = ["sweep", "--seeds", _SEEDS, "--faults", "none", "--jobs", "1", "--json"]
    ran = subprocess.run(
        [sys.executable, "-m", "simulations", *sweep], check=True, capture_output=True, text=True, timeout=600
    )
    found = json.loads(ran.stdout)
    return {"deliveries_per_s": found["deliveries"] / found["took_s"]}


def _median_ms(work: Callable[[], object]) -> float:
    def timed() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return statistics.median(timed() for _ in range(_CALLS)) * 1_000
