"""samemind through its library door, as a program on one device has it."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from random import SystemRandom
from typing import Any

import samemind
from replica import Core, connect, introduce
from replica.frame import decode_frame, encode_frame
from replica.outbox import Outbox
from replica.storage.store import SqliteStore
from samemind.config import Home, Settings
from samemind.device import derived_tables
from sync.identity import Identity

_LINES_A_COMMIT = 5_000


class Ours:
    """A home in a folder; nothing is left out: facts are looked for, duplicates too, and every commit is fsynced."""

    name = "samemind"

    def __init__(self) -> None:
        self.version = version("samemind")
        self._mind: Any = None
        self._door: Any = None
        self._folder = Path()

    def open(self, folder: Path) -> None:
        self._folder = folder
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

    def think(self) -> None:
        self._mind.think()

    def receive(self, folder: Path) -> int:
        """Frames as they cross a link, decoded, verified, folded and fsynced; TLS is `make bench-sync`'s business."""
        self.close()
        sender, receiver = _core(Home.at(self._folder / "home")), _core(Home.at(folder / "home"))
        receiver.adopt(sender.membership)
        outbox, count = Outbox({}), 0
        while (frame := outbox.next_frame(sender)) is not None:
            count += receiver.take(decode_frame(encode_frame(frame)), 0).ops
        self.open(self._folder)
        return count


def _core(home: Home) -> Core:
    home.create()
    who = Identity.load_or_create(home.identity)
    store = SqliteStore(connect(str(home.store)), derived_tables(Settings.load(home)))
    core = Core(store, device=who.device_id, sign=who.sign, random=SystemRandom())
    own = introduce(
        who.sign, who.device_id, public_key=who.public_key, certificate=who.certificate, name="bench"
    )
    core.found(own)
    return core
