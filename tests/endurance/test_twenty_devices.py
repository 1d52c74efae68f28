"""Twenty daemons, as twenty people run them, restarted and written to at random: `make endurance MINUTES=10`.

Outside of `make test`. Each is `samemind up` on a home of its own, paired by a code, asked over its control socket, and
embeds what it gets. `NEIGHBOURS`: at how many others' addresses each of them calls, without mDNS; the 19 make what a
network with mDNS makes, links of everybody with everybody, and with 3 news travels through devices in between.
What was acknowledged must be there at the end.
"""

import os
import random
import signal
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.growth import Growth, cpu_seconds, resident_mb
from tests.support.household import Member, members_agree, seconds_until

DEVICES = 20
AGREE_SECONDS_MAX = 10.0
# Each write is embedded twenty times over on this machine: what it can keep up with, and a restart every few seconds.
PAUSE_SECONDS = 0.3
RESTART_CHANCE = 0.05


@dataclass
class Measured(Member):
    """One of the twenty. `grown`: what it used in each run that was long enough to tell."""

    running_mb: Growth = field(default_factory=Growth)
    grown: list[Growth] = field(default_factory=list)
    ended_cpu_s: float = 0.0

    def start(self) -> None:
        """Start its daemon."""
        super().start()
        self.running_mb = Growth()

    def look(self) -> float:
        """Return what it uses, and keep that."""
        assert self.up is not None
        used = resident_mb(self.up.process.pid)
        self.running_mb.note(time.monotonic(), used)
        return used

    def cpu_s(self) -> float:
        """How long all its daemons have computed."""
        return self.ended_cpu_s + (0.0 if self.up is None else cpu_seconds(self.up.process.pid))

    def end(self, number: int = signal.SIGTERM) -> None:
        """End its daemon, having looked once more."""
        self.look()
        self.ended_cpu_s = self.cpu_s()
        if self.running_mb.is_told:
            self.grown.append(self.running_mb)
        super().end(number)


def introduce(members: list[Measured], neighbours: int, chance: random.Random) -> None:
    """Pair all with the first, wait until each knows of all, and tell each where some others can be reached."""
    first, *others = members
    for other in others:
        first.pair(other)

    def all_know_all() -> bool:
        return all(len(each.ask("peers list")["peers"]) == len(others) for each in members)

    seconds_until(all_know_all, "not everybody has heard of everybody")
    for member in members:
        for other in chance.sample([each for each in members if each is not member], neighbours):
            member.ask("peers add", device=other.home.name, address=other.address)


def test_twenty_daemons_that_come_and_go_agree_within_seconds_of_the_last_write(tmp_path: Path) -> None:
    minutes = float(os.environ.get("MINUTES", "10"))
    neighbours = int(os.environ.get("NEIGHBOURS", str(DEVICES - 1)))
    seed = int(os.environ.get("SEED", str(random.randrange(2**32))))
    chance = random.Random(seed)
    print(
        f"\nits choices again: make endurance MINUTES={minutes:g} NEIGHBOURS={neighbours} SEED={seed}",
        flush=True,
    )
    members = [Measured(tmp_path / f"device{n}") for n in range(DEVICES)]
    written = restarts = 0

    def remember(member: Measured) -> None:
        nonlocal written
        member.ask("remember", text=f"thing {written} that {member.home.name} saw", no_dedup=True)
        written += 1

    with ExitStack() as everything:
        for member in members:
            member.make()
            everything.push(member.running)
        with ThreadPoolExecutor(4) as starters:
            for _ in starters.map(Measured.start, members):
                pass
        started_s = statistics.median(member.cpu_s() for member in members)
        introduce(members, neighbours, chance)
        began = time.monotonic()
        computed_s = sum(member.cpu_s() for member in members)
        quarters = iter((15 * minutes, 30 * minutes, 45 * minutes, float("inf")))
        due = next(quarters)
        while (elapsed := time.monotonic() - began) < 60 * minutes:
            used = sorted(member.look() for member in members if member.up is not None)
            if elapsed >= due:
                due = next(quarters)
                print(
                    f"{elapsed:.0f} s: {written} writes, {restarts} restarts, "
                    f"RSS {used[0]:.1f} to {used[-1]:.1f} MB, {used[len(used) // 2]:.1f} in the middle",
                    flush=True,
                )
            member = chance.choice(members)
            if member.up is None:
                member.start()
            elif chance.random() < RESTART_CHANCE:
                member.end(chance.choice((signal.SIGTERM, signal.SIGKILL)))
                restarts += 1
            else:
                for _ in range(chance.randint(1, 3)):
                    remember(member)
            time.sleep(PAUSE_SECONDS)
        for member in members:
            if member.up is None:
                member.start()
        remember(members[0])

        took = members_agree(members)
        computed_s = sum(member.cpu_s() for member in members) - computed_s
        # Those that were summed up meanwhile are cold; a summary is nothing that anybody wrote.
        listed = members[-1].ask("list", limit=100_000, include_cold=True)["memories"]
        found = sum(not each["summary_of"] for each in listed)
        for member in members:
            member.end()
        grown = sorted((each for member in members for each in member.grown), key=lambda each: each.ratio)
        print(f"{written} writes, {restarts} restarts, agreed {took:.1f} s after the last", flush=True)
        print(
            f"a start took {started_s:.2f} s of CPU, a write {1000 * computed_s / written:.0f} ms over all devices"
        )
        print(f"RSS of {len(grown)} that were up for long, {Growth.RULE}:")
        for each in grown:
            print(f"  {each}")
        assert found == written, "what was acknowledged is there"
        assert took <= AGREE_SECONDS_MAX
        assert grown, "no daemon was up for long enough to tell whether it grows: run it for longer"
        assert grown[-1].is_flat, f"it grows: {grown[-1]}"
