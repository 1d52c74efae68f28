"""samemind through its library door, as a program on one device has it."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import samemind
from tests.bench.compare.contestant import Synced

_LINES_A_COMMIT = 5_000


class Ours:
    """A home in a folder; nothing is left out: facts are looked for, duplicates too, and every commit is fsynced."""

    name = "samemind"

    def __init__(self) -> None:
        self.version = version("samemind")
        self._mind: Any = None
        self._door: Any = None
        self._embedder: Any = None

    def open(self, folder: Path) -> None:
        self._door = samemind.open_blocking(folder / "home")
        self._mind = self._door.__enter__()

    def close(self) -> None:
        self._door.__exit__(None, None, None)

    def remember(self, text: str) -> None:
        self._mind.remember(text)

    def fill(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _LINES_A_COMMIT):
            self._mind.remember_many(texts[start : start + _LINES_A_COMMIT])

    def settle(self) -> None:
        self._mind.remember("that is all", wait=True)

    def recall(self, query: str) -> int:
        return len(self._mind.recall(query, k=10))

    def embed(self, query: str) -> None:
        """With a second copy of the embedder that the settings name: the door has no verb for it."""
        if self._embedder is None:
            from cognition.choosing import embedder_called
            from samemind.config import Settings

            self._embedder = embedder_called(Settings().embedder)
            self._embedder.embed([query])
        self._embedder.embed([query])

    def think(self) -> None:
        while self._mind.think().more:
            pass

    def sync(self, texts: Sequence[str], folder: Path) -> Synced:
        """Two processes, a fresh TLS link; every memory a commit of its own, verified, folded, fsynced."""
        # Here: what listens and dials is in nobody's memory who does neither.
        import trio

        from samemind.config import Settings
        from samemind.device import derived_tables
        from sync.address import Address
        from tests.bench.sync import fetch, serving
        from tests.bench.sync import fill as fill_apart

        fill_apart(folder / "laptop.db", len(texts))
        (folder / "phone").mkdir()
        with serving(folder) as server:
            server.ask("digest")
            derived = derived_tables(Settings())
            ((report, _),) = trio.run(
                fetch, folder / "phone", Address.parse(server.up["address"]), 1, derived
            )
        assert report.received == len(texts)
        return Synced(report.took_ms / 1_000, report.bytes_in + report.bytes_out)
