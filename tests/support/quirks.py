"""Replicas with a quirk, each the real one behind a thin front."""

from collections.abc import Callable
from typing import Any

import trio

from replica import Replica


class Overtaking:
    """A replica whose answers overtake each other: every second call comes back late, its work done in turn."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replica, name)

    async def run(self, function: Callable[..., Any]) -> Any:
        self._calls += 1
        late = self._calls % 2
        try:
            return await self._replica.run(function)
        finally:
            if late:
                await trio.sleep(0.02)


class Slow:
    """A replica whose store is at work for as long as the test wants, once it has begun to be."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self.works = False
        self.waiting = trio.Event()
        self.done = trio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replica, name)

    async def run(self, function: Callable[..., Any]) -> Any:
        if self.works:
            self.waiting.set()
            await self.done.wait()
        return await self._replica.run(function)


class Counting:
    """A replica that counts how often its store was asked for anything."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._replica, name)

    async def run(self, function: Callable[..., Any]) -> Any:
        self.calls += 1
        return await self._replica.run(function)
