"""A device whose talk is read by a model behind a real server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from samemind.config import Home, Settings
from samemind.device import Device, open_device
from samemind.library.mind import Mind
from samemind.local import Local
from tests.support.model_server import ModelServer, Script, serving


@asynccontextmanager
async def device_reading(folder: Path, url: str) -> AsyncIterator[tuple[Device, Mind]]:
    """Open a device that has a model to ask."""
    home = Home.at(folder)
    home.create()
    Settings(name="laptop", model_url=url, model="tiny").save(home)
    async with open_device(home, program="a test", answers=False) as device:
        yield device, Mind(Local(device))


def run(
    folder: Path,
    script: Script,
    main: Callable[[Device, Mind, ModelServer], Any],
) -> Any:
    """Run a test's body with a device whose model is a real server."""

    async def body(url: str) -> Any:
        with trio.fail_after(30):
            async with device_reading(folder, url) as (device, mind):
                return await main(device, mind, server)

    with serving(script) as server:
        return trio.run(body, server.url)


async def say(mind: Mind, *texts: str, session: str = "chat") -> list[str]:
    """Have Ann say these in a chat; return the ids of her messages."""
    return [(await mind.remember(text, session=session, speaker="Ann")).rid for text in texts]


def lines(count: int, start: int = 0) -> list[str]:
    """Return messages of which nothing can be made."""
    return [f"Message number {number} says nothing" for number in range(start, start + count)]
