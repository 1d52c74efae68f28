"""Whole devices in this process, used through the library: alone, or with links on loopback as the daemon has them."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from samemind.config import Home, Settings
from samemind.device import Device, open_device
from samemind.library.mind import Mind
from samemind.local import Local
from sync.syncer import Syncer, open_syncer


@dataclass(frozen=True, slots=True)
class Opened:
    """A device, and its memory as programs use it."""

    device: Device
    mind: Mind

    @property
    def address(self) -> str:
        """Where it listens."""
        assert self.device.syncer is not None
        return str(self.device.syncer.address)


def _links(device: Device) -> AbstractAsyncContextManager[Syncer]:
    return open_syncer(
        device.replica, device.identity, device.host, name=device.name, listen_on=("127.0.0.1", 0), mdns=False
    )


@asynccontextmanager
async def opened(
    folder: Path, *, online: bool = True, embedder: str = "multilingual"
) -> AsyncIterator[Opened]:
    """Open the device of a folder, called as the folder is; it looks for nobody by multicast."""
    home = Home.at(folder)
    home.create()
    Settings(name=folder.name, mdns=False, embedder=embedder).save(home)
    async with open_device(
        home, program="a test", answers=False, linking=_links if online else None
    ) as device:
        yield Opened(device, Mind(Local(device)))


async def pair(offering: Opened, joining: Opened) -> tuple[str, str]:
    """Pair two devices through their doors; return the words that each shows."""
    import trio

    shown, words = trio.Event(), []
    offer = {}

    def tell(said: object) -> None:
        assert isinstance(said, dict)
        offer.update(said)
        shown.set()

    async def offering_side() -> None:
        words.append((await offering.mind.pair(tell=tell)).words)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(offering_side)
        await shown.wait()
        joined = await joining.mind.pair(offer["code"], address=offer["address"])
    return words[0], joined.words
