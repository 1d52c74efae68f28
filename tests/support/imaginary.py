"""Links between devices over wires that are memory, whole or with one end in the hands of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import memory_stream_pair

from sync.errors import SyncError
from sync.link import Link
from tests.support.devices import Device


@asynccontextmanager
async def linked(one: Device, other: Device) -> AsyncIterator[tuple[Link, Link]]:
    """A running link between two devices over an imaginary wire; whatever ends it is swallowed."""
    near, far = memory_stream_pair()
    ends = (
        Link(near, replica=one.replica, peer=other.identity.device_id),
        Link(far, replica=other.replica, peer=one.identity.device_id),
    )
    async with trio.open_nursery() as nursery:
        for end in ends:
            nursery.start_soon(ended, end)
        yield ends
        for end in ends:
            end.drop()


async def ended(link: Link) -> SyncError | None:
    """Run a link to its end and return what ended it."""
    try:
        await link.run()
    except SyncError as error:
        return error
    return None


@asynccontextmanager
async def facing(
    one: Device, other: Device, found: list[SyncError | None], *, answers: bool = False
) -> AsyncIterator[trio.abc.HalfCloseableStream]:
    """A running link whose other end is in the hands of the test; `answers`: it takes questions."""
    near, far = memory_stream_pair()
    link = Link(near, replica=one.replica, peer=other.identity.device_id, answers=answers)

    async def run_link() -> None:
        found.append(await ended(link))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_link)
        yield far
