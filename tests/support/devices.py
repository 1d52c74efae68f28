"""Whole replicas on the disk, of devices that belong to one group."""

import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from replica import (
    AsyncioHost,
    Core,
    DerivedTables,
    IntroducedMember,
    Replica,
    Write,
    introduce,
    new_memory_id,
    open_replica,
)
from replica.folding import Digests
from replica.ops import Op, Remember
from sync.identity import Identity
from tests.support.links import identity

# Tests on real threads and sockets end by themselves; a hang is a failure, not a wait.
SECONDS_MAX = 120


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a test to its end, or fail after a while."""

    async def bounded() -> None:
        with trio.fail_after(SECONDS_MAX):
            await main()

    trio.run(bounded)


@dataclass
class Device:
    """One device: who it is, and its open replica."""

    name: str
    identity: Identity
    replica: Replica
    host: AsyncioHost

    async def remember(self, *texts: str) -> list[Op]:
        """Commit one memory for each text, all in one commit."""
        return await self.replica.run(lambda core, _: remember(core, texts, self.replica.now_ms()))

    async def texts(self) -> set[str]:
        """What the device remembers."""
        return await self.replica.read(
            lambda connection: {text for (text,) in connection.execute("SELECT text FROM memory")}
        )

    async def digests(self) -> Digests:
        """Both digests."""
        return await self.replica.run(lambda core, _: core.digests())


_RANDOM = random.Random(7)


def remember(core: Core, texts: Iterable[str], now_ms: int) -> list[Op]:
    """Commit one memory for each text, all in one commit."""
    return core.commit([Write(Remember(text, {}), new_memory_id(now_ms, _RANDOM)) for text in texts], now_ms)


@asynccontextmanager
async def devices(
    folder: Path, *names: str, derived: Sequence[DerivedTables] = ()
) -> AsyncIterator[list[Device]]:
    """Open devices that were paired with each other; a folder that holds them already is gone on with."""
    async with AsyncioHost.open() as host:
        async with devices_on(host, folder, *names, derived=derived) as found:
            yield found


@asynccontextmanager
async def devices_on(
    host: AsyncioHost, folder: Path, *names: str, derived: Sequence[DerivedTables] = ()
) -> AsyncIterator[list[Device]]:
    """The same on an open host."""
    if not names:
        yield []
        return
    who = identity(names[0])
    async with open_replica(
        folder / f"{names[0]}.db", host=host, device=who.device_id, sign=who.sign, derived=derived
    ) as replica:
        await replica.run(lambda core, _: core.found(introduced(names[0])))
        async with devices_on(host, folder, *names[1:], derived=derived) as others:
            found = [Device(names[0], who, replica, host), *others]
            for one in found:
                for other in found:
                    await introduce_to(one, other.name)
            yield found


async def introduce_to(one: Device, other: str) -> None:
    """Let one device know another as a member, as pairing does."""
    await one.replica.run(lambda core, _: core.learn([introduced(other, by=one.name)], []))


def introduced(name: str, *, by: str | None = None) -> IntroducedMember:
    """An introduction of a device by another, or by itself."""
    who, introducer = identity(name), identity(by or name)
    return introduce(
        introducer.sign,
        introducer.device_id,
        public_key=who.public_key,
        certificate=who.certificate,
        name=name,
    )
