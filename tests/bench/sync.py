"""Measure a sync between two processes over loopback: time, bytes, round trips, live propagation.

    make bench-sync
    python -m tests.bench.sync [--ops 1000 100000] [--rounds 5] [--bare] [--profile]

Everything is real: a fresh TLS link for each round, signatures verified, ops folded into state, words filed for recall
with all else that a device derives, fsynced and acknowledged. Each memory is 60 characters of words and a commit of its
own. Printed are medians beside the targets, and the processor time that this process, the receiver, took: on a busy
machine that says more than the time that passed. Nothing is asserted, because a busy machine is no regression.
`--bare` leaves out what cognition derives, which is what a replica alone costs.
"""

import argparse
import cProfile
import pstats
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import trio

from replica import Core, DerivedTables, Write, connect, new_memory_id, wall_clock_ms
from replica.ops import Remember
from replica.storage.store import SqliteStore
from samemind.config import Settings
from samemind.device import derived_tables
from sync.address import Address
from sync.reports import SyncReport
from sync.syncer import open_syncer
from tests.bench.sentences import sentences
from tests.support.daemons import sync_once
from tests.support.devices import devices, introduce_to, introduced
from tests.support.links import identity
from tests.support.processes import Process

TARGET_MS = {1_000: 25.0, 100_000: 2_500.0}
LIVE_ROUNDS = 200


def fill(path: Path, count: int) -> None:
    """A laptop with so many memories, each a commit of its own."""
    who, chance = identity("laptop"), random.Random(1)
    connection = connect(str(path))
    connection.execute("PRAGMA synchronous = OFF")  # what is measured is the sync, not this
    core = Core(SqliteStore(connection), device=who.device_id, sign=who.sign, random=chance)
    core.found(introduced("laptop"))
    core.learn([introduced("phone", by="laptop")], [])
    now_ms = wall_clock_ms()
    for text in sentences(count):
        now_ms += 1_000
        core.commit([Write(Remember(text, {}), new_memory_id(now_ms, chance))], now_ms)
    connection.close()


@contextmanager
def serving(folder: Path) -> Iterator[Process]:
    """The laptop, in a process of its own."""
    server = Process(folder, "laptop", "--knows", "phone", "--listen", "127.0.0.1")
    try:
        yield server
    finally:
        server.end()


class Fetched(NamedTuple):
    """One sync: what it says of itself, and the processor time that it took here."""

    report: SyncReport
    cpu_ms: float


async def fetch(
    folder: Path, address: Address, times: int, derived: Sequence[DerivedTables]
) -> list[Fetched]:
    """Sync so many times, from whatever the folder holds, each over a link of its own."""
    fetched = []
    async with devices(folder, "phone", derived=derived) as (phone,):
        await introduce_to(phone, "laptop")
        for _ in range(times):
            began = time.process_time()
            report = await sync_once(phone, address)
            fetched.append(Fetched(report, (time.process_time() - began) * 1_000))
            if report.error is not None:
                raise report.error
    return fetched


def measure_bulk(folder: Path, ops: int, rounds: int, derived: Sequence[DerivedTables]) -> None:
    fill(folder / "laptop.db", ops)
    with serving(folder) as server:
        server.ask("digest")
        first, again = [], []
        for n in range(rounds):
            mine = folder / f"round {n}"
            mine.mkdir()
            one, two = trio.run(fetch, mine, Address.parse(server.up["address"]), 2, derived)
            assert one.report.received == ops
            first.append(one)
            again.append(two.report)
    took = statistics.median(each.report.took_ms for each in first)
    size = statistics.median(each.report.bytes_in + each.report.bytes_out for each in first)
    cpu = statistics.median(each.cpu_ms for each in first)
    quiet = again[-1]
    print(
        f"{ops:>7} ops: {took:8.1f} ms (target {TARGET_MS.get(ops, float('nan')):g}; "
        f"fastest {min(each.report.took_ms for each in first):.1f}; processor {cpu:.1f}), "
        f"{size / ops:.1f} bytes an op (target 90)"
    )
    print(
        f"        again: {statistics.median(report.took_ms for report in again):8.1f} ms, "
        f"{quiet.round_trips} round trip (target 1), {quiet.bytes_in + quiet.bytes_out} bytes (target 1000)"
    )


async def live(folder: Path, server: Process) -> list[float]:
    address = Address.parse(server.up["address"])
    took: list[float] = []
    async with devices(folder, "phone") as (phone,):
        await introduce_to(phone, "laptop")
        async with open_syncer(
            phone.replica,
            phone.identity,
            phone.host,
            name="phone",
            mdns=False,
            fixed=[address],
        ) as syncer:
            await syncer.sync_now()
            for n in range(LIVE_ROUNDS):
                position, seen = phone.replica.position, 0.0

                async def watch(position: int = position) -> None:
                    nonlocal seen
                    await phone.replica.changed(position)
                    seen = time.time()

                async with trio.open_nursery() as nursery:
                    nursery.start_soon(watch)
                    answer = await trio.to_thread.run_sync(server.ask, f"remember 1 news {n}")
                took.append((seen - answer["at"]) * 1_000)
    return took


def measure_live(folder: Path) -> None:
    fill(folder / "laptop.db", 10)
    (folder / "live").mkdir()
    with serving(folder) as server:
        took = sorted(trio.run(live, folder / "live", server))
    print(
        f"   live: median {statistics.median(took):.1f} ms, p95 {took[int(len(took) * 0.95)]:.1f} ms "
        "(target 100), from durable there to durable here"
    )


def profiled(measure: Callable[[], None]) -> None:
    """Run with a profile of every thread of the receiving process."""
    profiles: list[cProfile.Profile] = []

    def start(*_: object) -> None:
        profile = cProfile.Profile()
        profiles.append(profile)
        profile.enable()

    threading.setprofile(start)
    start()
    try:
        measure()
    finally:
        threading.setprofile(None)
        for profile in profiles:
            profile.disable()
    for profile in profiles:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ops", type=int, nargs="*", default=[1_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    derived = () if options.bare else derived_tables(Settings())
    for ops in options.ops:
        with tempfile.TemporaryDirectory() as folder:
            measure = partial(
                measure_bulk, Path(folder), ops, 1 if options.profile else options.rounds, derived
            )
            if options.profile:
                profiled(measure)
            else:
                measure()
    with tempfile.TemporaryDirectory() as folder:
        measure_live(Path(folder))


if __name__ == "__main__":
    main()
