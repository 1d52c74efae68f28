"""Count what devices write to a mailbox in a year, over the same cores and visits as the daemon, by a clock that jumps.

So many times a day some device looks, every second time with something to say; logs are compacted once a week, and now
and then words are erased. Counted is every byte that is put. *News* are the files that bring ops nobody had put there
before, as they were written then; a *base* is everything in one file, as a newcomer would be sent it at the end. What
lies beyond the news was written to keep files few and words erased: it should come to no more than twice the news and a
base a week.

    python -m simulations.mailbox_year --devices 20 --days 365 --looks 20
"""

import argparse
import io
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from replica.compaction import compact
from replica.core import Core
from replica.ids import MemoryId, new_memory_id
from replica.ops import Erase, Remember, Write
from replica.storage.memory_store import MemoryStore
from simulations.clock import DAY_MS
from simulations.device import Key
from simulations.mailboxes import START_MS, Box, Visiting, drive, introduction
from sync.carrier.cargo import export
from sync.carrier.visit import Looked, Visitor

# What is asked for: bases a year, what is written for each byte of news, and files of each device at any time.
BASES_A_YEAR: Final = 52
NEWS_FACTOR: Final = 3
FILES_A_DEVICE_MAX: Final = 48
_DAYS_A_YEAR: Final = 365
_COMPACTED_EVERY_DAYS: Final = 7
_TOLD_EVERY_DAYS: Final = 30
_SAID: Final = "the train to Porto leaves at nine and Ann waits with the blue bag near platform four"


@dataclass
class Written:
    """What was counted. Sizes are bytes of files."""

    days: int
    news: int = 0
    others: int = 0
    files: int = 0
    files_most: int = 0
    """Of one device, at any time."""
    base: int = 0
    left: int = 0
    """What lies in the mailbox at the end."""
    memories: int = 0
    fetched: int = 0
    erasures: int = 0

    @property
    def bound(self) -> int:
        """What may be written."""
        return NEWS_FACTOR * self.news + BASES_A_YEAR * self.base * self.days // _DAYS_A_YEAR

    def lines(self) -> list[str]:
        """Say it to people."""
        total = self.news + self.others
        shares = f"{total / max(1, self.news):.2f} times the news; allowed {self.bound / 1e6:.2f} MB"
        return [
            f"{self.memories} memories in {self.days} days, {self.erasures} erasures",
            f"written: {total / 1e6:.2f} MB in {self.files} files, of that news {self.news / 1e6:.2f} MB; {shares}",
            f"a base is {self.base / 1e6:.2f} MB; {self.left / 1e6:.2f} MB are there at the end",
            f"files of one device at any time: {self.files_most}; files fetched: {self.fetched}",
        ]


class Year:
    """A group that meets through one honest mailbox only."""

    def __init__(self, seed: int, devices: int, *, looks_a_day: int, erased_every_days: int = 14) -> None:
        self.random = Random(f"year {seed}")
        self.now_ms = START_MS
        self.box = Box(Random(0))
        self.looks_a_day = looks_a_day
        self.erased_every_days = erased_every_days
        self.devices = [self._new(f"device {n}") for n in range(devices)]
        for one in self.devices:
            one.core.learn(
                [introduction(one, other) for other in self.devices if other is not one],
                [],
                now_ms=self.now_ms,
            )
        self.owner: dict[str, str] = {}
        self.rids: list[MemoryId] = []

    def run(self, days: int, tell: Callable[[str], None] = lambda _: None) -> Written:
        """Live through so many days, and count."""
        written = Written(days)
        for day in range(days):
            if day % _TOLD_EVERY_DAYS == 0:
                tell(f"day {day}: {written.files} files, {len(self.rids)} memories")
            visits = self.random.choices(self.devices, k=self.looks_a_day)
            says = set(self.random.sample(range(len(visits)), len(visits) // 2))
            for n, device in enumerate(visits):
                self.now_ms += DAY_MS // len(visits)
                if n in says:
                    self._remember(device, self.random.choice([1, 1, 2, 5]))
                self._visit(device, written)
            if day % self.erased_every_days == self.erased_every_days - 1:
                self._erase(self.random.choice(self.devices))
                written.erasures += 1
            if day % _COMPACTED_EVERY_DAYS == _COMPACTED_EVERY_DAYS - 1:
                for device in self.devices:
                    compact(device.core, self.now_ms)
        written.memories = len(self.rids)
        written.left = sum(map(len, self.box.files.values()))
        whole = io.BytesIO()
        export(self.devices[0].core, {}, self.now_ms, whole, entropy=self.random.randbytes)
        written.base = len(whole.getvalue())
        return written

    def _visit(self, device: Visiting, written: Written) -> None:
        visitor = Visitor(
            device.shelf, device.identity, now_ms=lambda: self.now_ms, entropy=self.random.randbytes
        )
        looked = drive(visitor.visit(), device, self.box, self.random)
        self._count(device, looked, written)

    def _count(self, device: Visiting, looked: Looked, written: Written) -> None:
        written.fetched += looked.fetched
        for wrote in looked.wrote:
            self.owner[wrote.name] = device.name
            written.files += 1
            if wrote.news:
                written.news += wrote.size
            else:
                written.others += wrote.size
        held = Counter(self.owner[name] for name in self.box.files)
        written.files_most = max(written.files_most, *held.values())

    def _remember(self, device: Visiting, count: int) -> None:
        writes = []
        for _ in range(count):
            rid = new_memory_id(self.now_ms, self.random)
            text = " ".join(self.random.choices(_SAID.split(), k=12)) + f" {len(self.rids)}"
            writes.append(Write(Remember(text, {}), rid))
            self.rids.append(rid)
        device.core.commit(sorted(writes, key=lambda write: write.rid or b""), self.now_ms)

    def _erase(self, device: Visiting) -> None:
        device.core.commit(
            [Write(Erase((self.rids[self.random.randrange(len(self.rids))],)), None)], self.now_ms
        )

    def _new(self, name: str) -> Visiting:
        key = Key.draw(self.random)
        core = Core(
            MemoryStore(), device=key.device, sign=key.private.sign, random=Random(self.random.random())
        )
        device = Visiting(name, key, core)
        device.core.found(introduction(device, device))
        return device


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a year; print what was counted; 1 if it is more than it may be."""
    parser = argparse.ArgumentParser(description="what devices write to a mailbox in a year")
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--days", type=int, default=_DAYS_A_YEAR)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--looks", type=int, default=20, help="a day, by all; before half of them something is said"
    )
    options = parser.parse_args(arguments)
    year = Year(options.seed, options.devices, looks_a_day=options.looks)
    written = year.run(options.days, lambda line: print(line, file=sys.stderr))  # noqa: T201
    print(*written.lines(), sep="\n")  # noqa: T201
    over = written.news + written.others > written.bound or written.files_most > FILES_A_DEVICE_MAX
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
