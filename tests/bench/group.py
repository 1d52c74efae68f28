"""Measure what a group costs by its size: links, memory, messages and bytes for a write, time until everybody has it.

    make bench-group
    python -m tests.bench.group [--sizes 2 5 10 25 50 100] [--writes 20]

All devices run in one process, because a hundred processes would not fit; each has a store of its own on the disk, and
talks to the others over links of its own through loopback, with TLS, as daemons do. Nobody is announced by mDNS: each
is told where those are that came up before it, and which is where. Writes come from devices drawn at random, one when
the last one has reached everybody: the first half of them lets the links learn who hears of what from whom, the second
counts. Then everybody writes at once.

Memory is that of the whole process, less what it was before the first link, for each end of a link. Bytes are those of
the conversations, messages their frames, counted at everybody who sends. All share two cores here: the time until
everybody has a write is that of the whole group's work, and no device waits for another's processor at home.
"""

import argparse
import gc
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio

import sync.link
from replica import AsyncioHost, Core, IntroducedMember, open_replica
from replica.ids import DeviceId
from sync.address import Address
from sync.peers import fix_address
from sync.syncer import Syncer, open_syncer
from sync.wire.frames import encode_frame
from tests.support.devices import Device, introduced
from tests.support.links import identity

SIZES: Final = (2, 5, 10, 25, 50, 100)
SECONDS_MAX: Final = 1_800
_KIB: Final = 1024


@dataclass(slots=True)
class Sent:
    """What left all devices so far."""

    messages: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """What a group of one size came to; times in seconds, bytes and messages for each write."""

    size: int
    links: int
    linked_s: float
    kib_a_link: float
    first_bytes: float
    messages: float
    bytes: float
    spread_s: float
    burst_messages: float
    burst_bytes: float
    burst_s: float
    idle_cpu: float


def counting() -> Sent:
    """Count the frames that links write from now on."""
    sent = Sent()

    def counted(body: bytes) -> bytes:
        frame = encode_frame(body)
        sent.messages += 1
        sent.size += len(frame)
        return frame

    sync.link.__dict__["encode_frame"] = counted
    return sent


def rss_kib() -> int:
    """What of this process is in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // _KIB


def _meet(core: Core, _: object, *, name: str, first: str, members: Sequence[IntroducedMember]) -> None:
    """Leave a device as pairing with the first one does."""
    core.found(introduced(name))
    core.learn([introduced(first, by=name), *members], [])


def _know(_: Core, connection: sqlite3.Connection, *, addresses: Mapping[DeviceId, Address]) -> None:
    """Leave a device as its owner does who says where others are."""
    for device, address in addresses.items():
        fix_address(connection, device, address)


@asynccontextmanager
async def group(folder: Path, size: int) -> AsyncIterator[list[Device]]:
    """Open so many devices that were all introduced by the first."""
    names = [f"device {number}" for number in range(size)]
    members = [introduced(name, by=names[0]) for name in names]
    async with AsyncioHost.open() as host, AsyncExitStack() as stack:
        found = []
        for name in names:
            who = identity(name)
            replica = await stack.enter_async_context(
                open_replica(folder / f"{name}.db", host=host, device=who.device_id, sign=who.sign)
            )
            await replica.run(partial(_meet, name=name, first=names[0], members=members))
            found.append(Device(name, who, replica, host))
        yield found


@asynccontextmanager
async def linked(found: Sequence[Device]) -> AsyncIterator[list[Syncer]]:
    """Bring all of them up, each told where those are that came up before it."""
    async with AsyncExitStack() as stack:
        syncers: list[Syncer] = []
        addresses: dict[DeviceId, Address] = {}
        for device in found:
            await device.replica.run(partial(_know, addresses=dict(addresses)))
            syncer = await stack.enter_async_context(
                open_syncer(
                    device.replica,
                    device.identity,
                    device.host,
                    name=device.name,
                    listen_on=("127.0.0.1", 0),
                    mdns=False,
                )
            )
            assert syncer.address is not None
            addresses[device.identity.device_id] = Address("127.0.0.1", syncer.address.port)
            syncers.append(syncer)
        yield syncers


def ends(syncers: Sequence[Syncer]) -> int:
    """How many ends of links stand and rest."""
    return sum(peer.state == "linked" for syncer in syncers for peer in syncer.peers())


async def settled(syncers: Sequence[Syncer], sent: Sent) -> int:
    """Wait until no end of a link is added and nothing is said for a while; return the ends."""
    seen, since = (-1, -1), trio.current_time()
    while trio.current_time() - since < 2.0:
        await trio.sleep(0.1)
        now = (ends(syncers), sent.messages)
        if now != seen:
            seen, since = now, trio.current_time()
    return seen[0]


async def spread(found: Sequence[Device], ops: int) -> None:
    """Wait until everybody holds so many ops."""
    for device in found:
        while device.replica.position < ops:
            await device.replica.changed(device.replica.position)


async def measure(folder: Path, size: int, writes: int) -> Row:
    """Bring up a group of one size, and let it write."""
    sent, chance = counting(), random.Random(size)
    async with group(folder, size) as found:
        gc.collect()
        before, began = rss_kib(), time.perf_counter()
        async with linked(found) as syncers:
            standing = await settled(syncers, sent)
            linked_s = time.perf_counter() - began - 2.0
            gc.collect()
            grown, first = rss_kib() - before, sent.size
            messages, size_of, took = [], [], []
            held = 0
            for _ in range(writes):
                had, began = Sent(sent.messages, sent.size), time.perf_counter()
                await chance.choice(found).remember("the boat leaves at eight on Friday from the old pier")
                held += 1
                await spread(found, held)
                took.append(time.perf_counter() - began)
                await settled(syncers, sent)
                messages.append(sent.messages - had.messages)
                size_of.append(sent.size - had.size)
            had, began = Sent(sent.messages, sent.size), time.perf_counter()
            async with trio.open_nursery() as nursery:
                for device in found:
                    nursery.start_soon(device.remember, "the ferry was late again and nobody said why")
            await spread(found, held + size)
            burst_s = time.perf_counter() - began
            await settled(syncers, sent)
            cpu = time.process_time()
            await trio.sleep(5)
            return Row(
                size,
                standing // 2,
                linked_s,
                grown / standing,
                first / standing,
                statistics.median(messages[writes // 2 :]),
                statistics.median(size_of[writes // 2 :]),
                statistics.median(took[writes // 2 :]),
                (sent.messages - had.messages) / size,
                (sent.size - had.size) / size,
                burst_s,
                (time.process_time() - cpu) / 5 / size * 1_000,
            )


def told(rows: Sequence[Row]) -> str:
    """Return the table of the page."""
    head = (
        "| devices | links | all linked | memory an end | bytes an end, at first | messages a write | bytes a write"
        " | until all have it | all write at once: messages, bytes a write | until all have all | at rest |"
    )
    lines = [
        head,
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.size} | {row.links:,} | {row.linked_s:.1f} s | {row.kib_a_link:.0f} KiB | {row.first_bytes:,.0f} | "
        f"{row.messages:,.0f} | {row.bytes:,.0f} | {row.spread_s * 1_000:.0f} ms | "
        f"{row.burst_messages:,.0f}, {row.burst_bytes:,.0f} | {row.burst_s:.1f} s | {row.idle_cpu:.1f} ms/s |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure each size, the smallest first."""
    parser = argparse.ArgumentParser(description="What a group costs by its size.")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--writes", type=int, default=20)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (most, most)
    )  # two for each link, and a store's for each device
    rows: list[Row] = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory(prefix="samemind-group-") as folder:

            async def one(folder: str = folder, size: int = size) -> None:
                with trio.fail_after(SECONDS_MAX):
                    rows.append(await measure(Path(folder), size, options.writes))

            trio.run(one)
        print(told(rows[-1:]).splitlines()[-1], flush=True)
    print(told(rows))


if __name__ == "__main__":
    main()
