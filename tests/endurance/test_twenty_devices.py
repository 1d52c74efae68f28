"""Twenty devices in processes of their own, restarted and written to at random: `make endurance MINUTES=10`.

Outside of `make test`. Each device knows the addresses of three others, so news travels through devices in between.
"""

import os
import random
import signal
import time
from pathlib import Path

from tests.support.processes import Process

DEVICES = 20
NEIGHBOURS = 3
AGREE_SECONDS_MAX = 10.0
# What a process uses once it has been up for a while and met the others, it goes on using; give or take what SQLite
# keeps in memory of a store that grows meanwhile.
WARM_SECONDS = 60.0
GROWTH_MAX = 1.2


def resident_mb(process: Process) -> float:
    """How much of a process is in memory."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def test_twenty_devices_that_come_and_go_agree_within_seconds_of_the_last_write(tmp_path: Path) -> None:
    minutes = float(os.environ.get("MINUTES", "10"))
    seed = int(os.environ.get("SEED", str(random.randrange(2**32))))
    chance = random.Random(seed)
    print(f"seed {seed}, {minutes:g} minutes")
    names = [f"device{n}" for n in range(DEVICES)]
    running: dict[str, Process] = {}
    addresses: dict[str, str] = {}
    started: dict[str, float] = {}
    warm_mb: dict[str, float] = {}
    grown: list[float] = []

    def start(name: str) -> None:
        knows = [word for other in names if other != name for word in ("--knows", other)]
        known = [addresses[other] for other in names if other != name and other in addresses]
        calls = [
            word for each in chance.sample(known, min(NEIGHBOURS, len(known))) for word in ("--call", each)
        ]
        port = addresses[name].rpartition(":")[2] if name in addresses else "0"
        running[name] = Process(tmp_path, name, *knows, "--listen", "127.0.0.1", "--port", port, *calls)
        addresses[name] = running[name].up["address"]
        started[name] = time.monotonic()

    def end(name: str, number: int) -> None:
        if name in warm_mb:
            grown.append(resident_mb(running[name]) / warm_mb.pop(name))
        running.pop(name).end(number)

    def look() -> None:
        """Note what those use that are warm since the last look."""
        for name, process in running.items():
            if name not in warm_mb and time.monotonic() - started[name] >= WARM_SECONDS:
                warm_mb[name] = resident_mb(process)

    written = restarts = 0
    try:
        for name in names:
            start(name)
        begun = told = time.monotonic()
        while time.monotonic() < begun + 60 * minutes:
            look()
            if time.monotonic() - told >= 60:
                told = time.monotonic()
                used = sorted(map(resident_mb, running.values()))
                print(
                    f"{told - begun:.0f} s: {written} writes, {restarts} restarts, "
                    f"RSS {used[0]:.1f} to {used[-1]:.1f} MB, {used[len(used) // 2]:.1f} in the middle",
                    flush=True,
                )
            name = chance.choice(names)
            if name not in running:
                start(name)
            elif chance.random() < 0.1:
                end(name, chance.choice((signal.SIGTERM, signal.SIGKILL)))
                restarts += 1
            else:
                count = chance.randint(2, 20)
                running[name].ask(f"remember {count} by {name} at {written}")
                written += count
        for name in names:
            if name not in running:
                start(name)
        for process in running.values():
            process.ask("sync")
        running[names[0]].ask("remember 1 the last word")
        last = time.monotonic()
        while len({tuple(process.ask("digest").values()) for process in running.values()}) > 1:
            assert time.monotonic() - last < 6 * AGREE_SECONDS_MAX, "they do not agree"
        took = time.monotonic() - last
        for name in list(running):
            end(name, signal.SIGTERM)
        grown.sort()
        print(f"{written + 1} writes, {restarts} restarts, agreed {took:.1f} s after the last")
        assert took <= AGREE_SECONDS_MAX
        assert grown, (
            f"no device was up for {WARM_SECONDS:g} s, so nothing is known of growth: run it for longer"
        )
        print(f"RSS of {len(grown)} that were up for long: grew {grown[0]:.2f}- to {grown[-1]:.2f}-fold")
        assert grown[-1] <= GROWTH_MAX
    finally:
        for process in running.values():
            process.end(signal.SIGKILL)
