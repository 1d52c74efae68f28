"""Measure how soon what one device writes shows on another, through a NATS server and two processes.

    python -m tests.bench.mailbox [--writes 30] [--group 2.0] [--idle 60]

Everything is real: Debian's `nats-server` with its disk, a store and a keeper in each process, files sealed and signed.
A write waits for `--group` seconds first, so that what is said in one go becomes one file; printed is what passes
beyond that, from durable there to durable here, and which part of it each end took. The load of the machine stands
beside it, because nothing else says more about the time that passed. With `--idle`, both are then left alone for so
many seconds, and what their processors did meanwhile is told for a minute, with how often they woke: a virtual machine
that sleeps meanwhile bills tens of ms for waking once.
"""

import argparse
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import IO, Final

import trio

from replica import AsyncioHost, Core, Write, new_memory_id, wall_clock_ms
from replica.ops import Remember
from replica.replica import Replica, open_replica
from sync.mailbox.box import Mailbox
from sync.mailbox.keeping import Keeper
from sync.mailbox.pace import GROUP_SECONDS_RINGING
from sync.mailbox.places import MailboxAddress, open_box
from tests.support.devices import introduced
from tests.support.links import identity
from tests.support.mailbox_servers import nats_server

TARGET_MS: Final = 50.0
# What keeping a mailbox may cost while nobody writes, in ms of a processor a minute.
IDLE_MS_MAX: Final = 5.0
# After so many groupings whatever was put off is written, and each has heard of it.
_QUIET_GROUPS: Final = 4
# And on a busy machine, so much later.
_SETTLED_SECONDS: Final = 6.0
NAMES: Final = ("laptop", "phone")


class Timed:
    """A mailbox that notes how long each verb took, in ms."""

    def __init__(self, box: Mailbox) -> None:
        self._box = box
        self.took: dict[str, list[float]] = defaultdict(list)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        began = time.monotonic()
        await self._box.put(name, data)
        self._note("put", began)

    async def names(self) -> Mapping[str, int]:
        """List files."""
        began = time.monotonic()
        found = await self._box.names()
        self._note("names", began)
        return found

    async def get(self, name: str, bytes_max: int, into: IO[bytes]) -> None:
        """Read a file."""
        began = time.monotonic()
        await self._box.get(name, bytes_max, into)
        self._note("get", began)

    async def remove(self, name: str) -> None:
        """Remove a file."""
        await self._box.remove(name)

    async def bell(self) -> None:
        """Wait for the bell."""
        await self._box.bell()

    async def aclose(self) -> None:
        """Let go of it."""
        await self._box.aclose()

    def _note(self, verb: str, began: float) -> None:
        self.took[verb].append((time.monotonic() - began) * 1_000)

    def told(self) -> str:
        """Say medians."""
        return ", ".join(f"{verb} {statistics.median(each):.1f} ms" for verb, each in self.took.items())


async def device(name: str, folder: Path, url: str, *, group_s: float, writes: int, idle_s: float) -> None:
    """Be one of the two: the laptop writes when it is told to, and both say when something came."""
    who, other = identity(name), next(each for each in NAMES if each != name)
    async with (
        AsyncioHost.open() as host,
        open_replica(folder / f"{name}.db", host=host, device=who.device_id, sign=who.sign) as replica,
        trio.open_nursery() as nursery,
    ):
        await replica.run(lambda core, _: core.found(introduced(name)))
        await replica.run(lambda core, _: core.learn([introduced(other, by=name)], []))
        box = Timed(open_box(MailboxAddress(url), host))

        async def took() -> None:
            pass

        keeper = Keeper(
            box,
            replica,
            who,
            url,
            group_s=group_s,
            bytes_max=None,
            folder=folder,
            random=Random(1),
            took=took,
        )
        nursery.start_soon(keeper.run)
        await trio.sleep(3 * group_s + 1.0)  # they tell each other who they are
        print("ready", flush=True)
        await (_write(replica, group_s, writes) if name == NAMES[0] else _read(replica, writes))
        print(f"told {box.told()}; processor {time.process_time() * 1_000:.0f} ms in all", flush=True)
        if idle_s:
            await trio.sleep(_QUIET_GROUPS * group_s + _SETTLED_SECONDS)
            before, waited = time.process_time(), _waits()
            await trio.sleep(idle_s)
            print(f"idle {(time.process_time() - before) * 60_000 / idle_s}", flush=True)
            print(f"woke {(_waits() - waited) * 60 / idle_s}", flush=True)
        nursery.cancel_scope.cancel()


def _waits() -> int:
    """Return how often any thread of this process has begun to wait, which ends by its waking."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


async def _write(replica: Replica, group_s: float, writes: int) -> None:
    await trio.to_thread.run_sync(sys.stdin.readline)
    for n in range(writes):
        now_ms = wall_clock_ms()
        write = Write(Remember(f"the train to Porto leaves at {n}", {}), new_memory_id(now_ms, Random(n)))
        await replica.run(partial(_commit, write, now_ms))
        print(f"at {time.monotonic()}", flush=True)
        await trio.sleep(group_s + 1.5)


def _commit(write: Write, now_ms: int, core: Core, _: object) -> None:
    core.commit([write], now_ms)


async def _read(replica: Replica, writes: int) -> None:
    position = replica.position
    for _ in range(writes):
        with trio.move_on_after(30):
            position = await replica.changed(position)
        print(f"at {time.monotonic()}", flush=True)


@dataclass(frozen=True)
class Measured:
    """What both came to. `beyond_ms`: for each write, what passed beyond the grouping; `idle_ms`, `woke`: a minute.

    `woke` counts for all threads.
    """

    beyond_ms: list[float]
    idle_ms: list[float]
    woke: list[float]
    told: list[str]


def measure(writes: int, group_s: float, idle_s: float = 0.0) -> Measured:
    """Let one device write, and both be idle for so long after it."""
    with tempfile.TemporaryDirectory() as folder, nats_server(Path(folder)) as url:
        command = [sys.executable, "-m", "tests.bench.mailbox", "--folder", folder, "--url", url]
        command += ["--writes", str(writes), "--group", str(group_s), "--idle", str(idle_s)]
        ends = [
            subprocess.Popen(
                [*command, "--device", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for name in NAMES
        ]
        for each in ends:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        assert ends[0].stdin is not None
        ends[0].stdin.write("go\n")
        ends[0].stdin.flush()
        said: dict[str, list[list[str]]] = {"at": [], "idle": [], "woke": [], "told": []}
        for each in ends:
            lines = each.communicate(timeout=60 + 2 * idle_s + writes * (group_s + 10))[0].splitlines()
            for word, found in said.items():
                found.append([line.removeprefix(f"{word} ") for line in lines if line.startswith(f"{word} ")])
    beyond = [(float(seen) - float(wrote) - group_s) * 1_000 for wrote, seen in zip(*said["at"], strict=True)]
    idle = [float(line) for lines in said["idle"] for line in lines]
    woke = [float(line) for lines in said["woke"] for line in lines]
    told = [f"{name}: {line}" for name, (line,) in zip(NAMES, said["told"], strict=True)]
    return Measured(beyond, idle, woke, told)


def p95(took: Sequence[float]) -> float:
    """Return what 95 of 100 writes take at most, by nearest rank: of twenty all but one."""
    return sorted(took)[math.ceil(0.95 * len(took)) - 1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="how soon a write shows elsewhere through a NATS mailbox")
    parser.add_argument("--writes", type=int, default=30)
    parser.add_argument("--group", type=float, default=GROUP_SECONDS_RINGING, help="seconds")
    parser.add_argument("--idle", type=float, default=0.0, help="seconds in which nobody writes")
    parser.add_argument("--device", choices=NAMES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.device:
        kept = partial(device, group_s=options.group, writes=options.writes, idle_s=options.idle)
        trio.run(kept, options.device, options.folder, options.url)
        return
    before = os.getloadavg()[0]
    found = measure(options.writes, options.group, options.idle)
    took = found.beyond_ms
    print(*(f"  {line}" for line in found.told), sep="\n")
    print(
        f"beyond the grouping: median {statistics.median(took):.1f} ms, p95 {p95(took):.1f}, "
        f"fastest {min(took):.1f} (target p95 {TARGET_MS:g}); load {before:.1f} to {os.getloadavg()[0]:.1f}"
    )
    if options.idle:
        print(f"idle: {', '.join(f'{ms:.1f}' for ms in found.idle_ms)} ms a minute (target {IDLE_MS_MAX:g})")
        print(f"woke: {', '.join(f'{woke:.0f}' for woke in found.woke)} times a minute")


if __name__ == "__main__":
    main()
