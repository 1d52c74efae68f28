"""Three daemons that are used all day, in minutes: `make soak MINUTES=30`.

Outside of `make test`. Programs write to them, read and forget; now and then one of them is silent for some seconds (it
is stopped, so its peers see a network that swallows everything) or is restarted. What they take from the machine must
not grow with time: memory (told anew for each run of a daemon, from when it is warm), file descriptors, log files; and
at the end all three agree.
"""

import json
import os
import random
import signal
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import samemind
from samemind.config import Home
from tests.support import cli
from tests.support.growth import Growth, resident_mb
from tests.support.household import pair, seconds_until_agreed

NAMES = ("laptop", "phone", "server")
# Memories that live at a time: the oldest is forgotten for each new one, so that what is held stays of one size.
ALIVE = 300
# Of how many things they speak: the words of a question are remembered, twenty thousand of them, which is no growth.
WORDS = 1_000
# Often enough that each quarter of the shortest run that is told is looked at several times.
LOOK_SECONDS = 2.0
# Room for what a restart opens anew, in any order.
DESCRIPTORS_MORE_MAX = 8
# One line for each start, end, link and sync of note; a line for each write would be a hundred times that.
LOG_BYTES_A_MINUTE_MAX = 64 << 10


@dataclass
class Daemon:
    """One of the three, and what it took over time. `grown`: in each run that was long enough to tell."""

    home: Path
    pid: int = 0
    address: str = ""
    running_mb: Growth = field(default_factory=Growth)
    grown: list[Growth] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    def measure(self) -> None:
        """Note what it holds now."""
        self.running_mb.note(time.monotonic(), resident_mb(self.pid))
        self.descriptors.append(len(os.listdir(f"/proc/{self.pid}/fd")))

    def end_run(self) -> None:
        """Its process is about to end: what the next one uses is another series."""
        self.measure()
        if self.running_mb.is_told:
            self.grown.append(self.running_mb)
        self.running_mb = Growth()


def test_three_daemons_that_are_used_for_long_take_no_more_than_at_first(tmp_path: Path) -> None:
    minutes = float(os.environ.get("MINUTES", "30"))
    seed = int(os.environ.get("SEED", str(random.randrange(2**32))))
    chance = random.Random(seed)
    print(f"seed {seed}, {minutes:g} minutes")
    daemons = {name: Daemon(tmp_path / name) for name in NAMES}
    written = reads = silences = restarts = 0
    with ExitStack() as everything:
        running = {name: everything.enter_context(ExitStack()) for name in NAMES}

        def start(name: str) -> None:
            # Where it was before: that is where the others call it, without mDNS.
            place = ("--listen", daemons[name].address) if daemons[name].address else ()
            up = running[name].enter_context(cli.daemon(daemons[name].home, *place))
            daemons[name].pid, daemons[name].address = up.process.pid, up.said["address"]

        for name in NAMES:
            assert cli.run(daemons[name].home, "init", "--name", name).code == 0
            start(name)
        for name in NAMES[1:]:
            pair(daemons[NAMES[0]].home, daemons[name].home)
        alive: dict[str, list[str]] = {name: [] for name in NAMES}
        began = time.monotonic()
        silent: tuple[str, float] | None = None
        next_measure = began
        while (now := time.monotonic()) < began + 60 * minutes:
            if now >= next_measure:
                next_measure = now + LOOK_SECONDS
                for daemon in daemons.values():
                    daemon.measure()
            if silent is not None and now > silent[1]:
                os.kill(daemons[silent[0]].pid, signal.SIGCONT)
                silent = None
            drawn = chance.random()
            if drawn < 0.01 and silent is None:
                silent = chance.choice(NAMES), now + chance.uniform(1, 10)
                os.kill(daemons[silent[0]].pid, signal.SIGSTOP)
                silences += 1
            elif drawn < 0.012 and silent is None:
                name = chance.choice(NAMES)
                daemons[name].end_run()
                running[name].close()
                start(name)
                restarts += 1
            else:
                name = chance.choice([each for each in NAMES if silent is None or each != silent[0]])
                own = alive[name]
                with samemind.open_blocking(daemons[name].home) as mind:
                    for _ in range(10):
                        own.append(
                            mind.remember(f"thing {written % WORDS} that {name} saw", no_dedup=True).rid
                        )
                        written += 1
                    some = [rid for each in alive.values() for rid in each]
                    with suppress(samemind.NotFound):  # another device's, and no news of it came here yet
                        mind.edit(chance.choice(some), f"told otherwise by {name} at {written}")
                        mind.set(chance.choice(some), importance=round(chance.random(), 2))
                    while len(own) > ALIVE // len(NAMES):
                        with suppress(samemind.NotFound):  # it went with another of the same words
                            mind.forget(own.pop(0))
                    mind.recall(f"what did {name} see", k=5)
                    reads += 1
            time.sleep(0.02)
        if silent is not None:
            os.kill(daemons[silent[0]].pid, signal.SIGCONT)
        agreed_after = seconds_until_agreed([daemon.home for daemon in daemons.values()])
        for daemon in daemons.values():
            daemon.end_run()
        stats = [cli.run(daemon.home, "stats", "--json").json for daemon in daemons.values()]
        assert all(cli.run(daemon.home, "verify").code == 0 for daemon in daemons.values())
    print(f"{written} writes, {reads} reads, {silences} silences, {restarts} restarts")
    print(f"they agreed {agreed_after:.1f} s after the last write")
    print(f"RSS of each run that was long enough, {Growth.RULE}:")
    for name, daemon in daemons.items():
        log_bytes = Home.at(daemon.home).log.stat().st_size
        print(
            f"{name}: descriptors {min(daemon.descriptors)} to {max(daemon.descriptors)}; log {log_bytes} bytes"
        )
        for grown in daemon.grown:
            print(f"  {grown}")
        assert all(grown.is_flat for grown in daemon.grown), f"the memory of {name} grows"
        quarter = len(daemon.descriptors) // 4
        settled = daemon.descriptors[quarter:]
        assert max(settled[-quarter:]) <= max(settled[:quarter]) + DESCRIPTORS_MORE_MAX, (
            f"{name} leaks descriptors"
        )
        assert log_bytes <= LOG_BYTES_A_MINUTE_MAX * max(minutes, 1), f"{name} fills its log"
    assert any(daemon.grown for daemon in daemons.values()), (
        "no daemon was up for long enough to tell: run it for longer"
    )
    print(json.dumps(stats[0])[:400])
