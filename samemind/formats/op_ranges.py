"""Name exactly the ops that one call wrote, so that it can be taken back and nothing else with it.

A moment cannot do that: where a clock led, ops of many hours share one millisecond, and whatever is told later is later
too. Stamps can: a device writes none twice in one incarnation. So a range is an incarnation with its first and its
last stamp, and a call beside which others wrote has several. It holds also once the log was folded: what is shown keeps
the stamp of the op that it came from.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from replica import Core
from replica.hlc import HLC_MAX
from replica.reads.log import last_position, ranges_after
from samemind.errors import Usage

# Enough of an incarnation to tell it from any other of its device.
_INCARNATION_DIGITS: Final = 8
_RANGE: Final = re.compile(rf"([0-9a-f]{{{_INCARNATION_DIGITS}}})-([0-9a-f]{{1,16}})-([0-9a-f]{{1,16}})")


Result = TypeVar("Result")


class StampRange(NamedTuple):
    """Ops that an incarnation wrote, from one stamp to another, both with it."""

    incarnation: str
    first: int
    last: int


class Written:
    """Remembers what the calls that go through it wrote, and nothing of what others wrote between them."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, int, StampRange]] = []

    def noting(
        self, write: Callable[[Core, sqlite3.Connection], Result]
    ) -> Callable[[Core, sqlite3.Connection], Result]:
        """Return a write that is noted: while it runs, nobody else writes."""

        def noted(core: Core, connection: sqlite3.Connection) -> Result:
            before = last_position(connection)
            result = write(core, connection)
            self._note(connection, before)
            return result

        return noted

    def _note(self, connection: sqlite3.Connection, before: int) -> None:
        for incarnation, low, high, first, last in ranges_after(connection, before):
            name = incarnation.hex()[:_INCARNATION_DIGITS]
            if self._runs and self._runs[-1][1] == low - 1 and self._runs[-1][2].incarnation == name:
                low, _, (_, first, _) = self._runs.pop()
            self._runs.append((low, high, StampRange(name, first, last)))

    @property
    def ranges(self) -> list[StampRange]:
        """What was written, in its order; nothing where nothing was."""
        return [each for _, _, each in self._runs]


def show_ranges(ranges: Iterable[StampRange]) -> str:
    """Return ranges as a command line has them."""
    return ",".join(f"{each.incarnation}-{each.first:x}-{each.last:x}" for each in ranges)


def read_ranges(text: str) -> list[StampRange]:
    """Read what `show_ranges` wrote."""
    read = []
    for word in text.split(","):
        found = _RANGE.fullmatch(word.strip())
        if found is None:
            raise Usage(f"ops: expected them as an import names them, got {word!r:.60}", code="invalid")
        read.append(StampRange(found[1], int(found[2], 16), int(found[3], 16)))
    return read


@dataclass(frozen=True, slots=True)
class Meant:
    """Which stamps are meant: all from one on, or those of some ranges."""

    since: int = 0
    ranges: Sequence[StampRange] | None = None

    @property
    def reach(self) -> tuple[int, int]:
        """The first and the last stamp that can be."""
        if self.ranges is None:
            return min(self.since, HLC_MAX), HLC_MAX
        stamps = [stamp for each in self.ranges for stamp in each[1:]]
        return min(stamps), min(max(stamps), HLC_MAX)

    def holds(self, incarnation: bytes, stamp: int) -> bool:
        """Say whether a stamp of an incarnation is one of them."""
        if self.ranges is None:
            return stamp >= self.since
        name = incarnation.hex()[:_INCARNATION_DIGITS]
        return any(each.incarnation == name and each.first <= stamp <= each.last for each in self.ranges)
