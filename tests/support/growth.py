"""What a process takes from the machine, and whether that grows with time."""

import os
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

# A process that has just started loads what it needs, as it needs it: nothing is held against it for so long.
WARM_SECONDS: Final = 60.0
# So much more in the last quarter than in the second: a leak of what each write needs is far more in a run of minutes,
# and an allocator gives and takes a few pages.
GROWTH_MAX: Final = 1.10


def resident_mb(pid: int) -> float:
    """How much of a process is in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def cpu_seconds(pid: int) -> float:
    """How long a process has computed, for itself and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Growth:
    """What one process used over time, told by quarters from when it was warm."""

    RULE = f"by quarters once up for {WARM_SECONDS:g} s; the last at most {GROWTH_MAX:g} times the second"

    _looks: list[tuple[float, float]] = field(default_factory=list)

    def note(self, at: float, used: float) -> None:
        """Keep what it used at a time."""
        self._looks.append((at, used))

    @property
    def is_told(self) -> bool:
        """Whether it was warm for as long as it takes to be."""
        return bool(self._looks) and self._looks[-1][0] - self._looks[0][0] >= 2 * WARM_SECONDS

    @property
    def quarters(self) -> list[float]:
        """The median of each quarter."""
        first, last = self._looks[0][0] + WARM_SECONDS, self._looks[-1][0]
        parts: list[list[float]] = [[], [], [], []]
        for at, used in self._looks:
            if at >= first:
                parts[min(3, int(4 * (at - first) / (last - first)))].append(used)
        return [statistics.median(part) if part else 0.0 for part in parts]

    @property
    def ratio(self) -> float:
        """The last quarter against the second."""
        _, second, _, last = self.quarters
        return last / second

    @property
    def is_flat(self) -> bool:
        """Whether it does not grow."""
        return self.ratio <= GROWTH_MAX

    def __str__(self) -> str:
        seconds = self._looks[-1][0] - self._looks[0][0]
        told = ", ".join(f"{used:.1f}" for used in self.quarters)
        return f"up for {seconds:.0f} s: {told} MB, {self.ratio:.2f}-fold"
