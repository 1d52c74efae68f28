"""Tell one device's wrong time: a pure function of true time and of what was done to its clock.

Clocks here are wrong in the ways that clocks of phones and virtual machines are: some minutes or a year off, running
fast, stepped by a person, stopped. A coarse clock shows hours only, so that several devices write with one stamp.
"""

from dataclasses import dataclass
from typing import Final

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
YEAR_MS: Final = 365 * DAY_MS


@dataclass(slots=True)
class Clock:
    """What a device believes the time is. `rate_ppm`: how many millionths too fast it runs since `since_ms`."""

    offset_ms: int = 0
    rate_ppm: int = 0
    since_ms: int = 0
    frozen_ms: int | None = None
    coarse: bool = False

    def read(self, true_ms: int) -> int:
        """Return what the clock shows, never before 1970."""
        if self.frozen_ms is not None:
            return self.frozen_ms
        shown = true_ms + self.offset_ms + (true_ms - self.since_ms) * self.rate_ppm // 1_000_000
        return max(1, shown - shown % HOUR_MS if self.coarse else shown)

    def step(self, by_ms: int) -> None:
        """Set the clock forward or back."""
        self.offset_ms += by_ms
        if self.frozen_ms is not None:
            self.frozen_ms = max(1, self.frozen_ms + by_ms)

    def drift(self, rate_ppm: int, true_ms: int) -> None:
        """Run fast or slow from now on."""
        self.offset_ms += (true_ms - self.since_ms) * self.rate_ppm // 1_000_000
        self.rate_ppm, self.since_ms = rate_ppm, true_ms

    def freeze(self, true_ms: int) -> None:
        """Stop."""
        self.frozen_ms = self.read(true_ms)

    def correct(self) -> None:
        """Show the true time again."""
        self.offset_ms = self.rate_ppm = 0
        self.frozen_ms = None
        self.coarse = False
