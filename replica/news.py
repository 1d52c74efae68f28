"""Wait for news of something, and miss none that comes while one looks at it."""

import trio


class NewsCounter:
    """Counts how often something changed. Whoever waits reads `count` before looking: what comes meanwhile is news."""

    def __init__(self) -> None:
        self.count = 0
        self._stirring = trio.Event()

    def stir(self) -> None:
        """Say that something changed."""
        self.count += 1
        self._stirring.set()
        self._stirring = trio.Event()

    async def after(self, since: int) -> int:
        """Wait until `count` is another number than `since`, and return it."""
        while self.count == since:
            await self._stirring.wait()
        return self.count
