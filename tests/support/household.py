"""Devices whose daemons run: ask them over their control sockets, pair two of them, and wait until all agree."""

import json
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from samemind.config import Home, Settings
from samemind.control.client import Control
from tests.support import cli
from tests.support.hearing import next_line

AGREE_SECONDS_MAX: Final = 120.0


@dataclass
class Member:
    """A home, and its daemon while that is up: again at the address at which the others know it.

    `build`: the folder of the build that it runs, where that is not the present one.
    """

    home: Path
    running: ExitStack = field(default_factory=ExitStack)
    up: cli.RunningDaemon | None = None
    address: str = ""
    build: Path | None = None

    def make(self) -> None:
        """Make the home, called as its folder is."""
        Home.at(self.home).create()
        Settings(name=self.home.name, mdns=False).save(Home.at(self.home))

    def start(self) -> None:
        """Start the daemon."""
        place = ("--listen", self.address) if self.address else ()
        self.up = self.running.enter_context(cli.daemon(self.home, *place, cwd=self.build))
        self.address = self.up.said["address"]

    def end(self, number: int = signal.SIGTERM) -> None:
        """End the daemon by a signal."""
        assert self.up is not None
        self.up.end(number)
        self.running.close()
        self.up = None

    @contextmanager
    def asked(self, verb: str, **options: Any) -> Iterator[Iterator[dict[str, Any]]]:
        """Ask for a verb over the control socket, and hear what is said, and at last the result."""
        control = Control.connect(Home.at(self.home))
        assert control is not None, f"{self.home.name} is up and does not answer"
        with closing(control):
            yield (said or result or {} for said, result in control.ask(verb, options))

    def ask(self, verb: str, **options: Any) -> dict[str, Any]:
        """Ask for a verb, and return its result."""
        with self.asked(verb, **options) as answers:
            return [*answers][-1]

    def pair(self, other: "Member") -> None:
        """Pair it with another, both of them up."""
        with self.asked("pair") as offering:
            offer = next(offering)
            other.ask("pair", code=offer["code"], address=offer["address"])
            assert [*offering], "whoever shows the code hears of the other, too"


def members_agree(members: Iterable[Member]) -> float:
    """Wait until all show one digest, and say how long that took."""
    listed = list(members)

    def agree() -> bool:
        return len({each.ask("digest")["digest"] for each in listed}) == 1

    return seconds_until(agree, "they do not agree")


def pair(offering: Path, joining: Path) -> None:
    """Pair two devices."""
    with cli.start(offering, "--json", "pair") as offer:
        said = json.loads(next_line(offer))
        joined = cli.run(joining, "pair", said["code"], "--address", said["address"], "--json")
        assert joined.code == 0, joined.err or joined.out
        assert offer.wait(cli.SECONDS_MAX) == 0


def seconds_until(holds: Callable[[], bool], otherwise: str) -> float:
    """Wait for what becomes true by itself, and say how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < AGREE_SECONDS_MAX, otherwise
        time.sleep(0.05)
    return time.monotonic() - began


def seconds_until_agreed(homes: Iterable[Path]) -> float:
    """Wait until all of them show one digest."""
    listed = list(homes)

    def agree() -> bool:
        return len({cli.run(home, "digest", "--json").json["digest"] for home in listed}) == 1

    return seconds_until(agree, "they do not agree")
