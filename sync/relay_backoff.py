"""Decide how long to keep from a peer what others wrote, because it hears of it from them.

In a group in which everybody is linked with everybody, whoever wrote an op sends it to all. If all who took it passed
it on at once, each would get it as often as there are devices: twenty devices send one op four hundred times. Who is
linked with whom is not known, so what a peer answers decides: where it held already what was passed on, the next waits,
longer each time; where it did not, for nobody else was as quick, the next leaves at once. So news runs along the links
on which it comes first, and the others carry, a batch every few seconds, what those may have missed.

What a device wrote itself never waits, and takes along what does.

The same answers tell whether a link is needed: where everything that others wrote was there already, time and again,
it comes by other ways.
"""

from dataclasses import dataclass
from typing import Final

WAIT_MS_MIN: Final = 250
# As long as a person looks for what was written on another device, at most, where the link that carried it is gone.
WAIT_MS_MAX: Final = 4_000
# One answer may be chance: the way by which news came first this time may be slow, or gone, the next. Each op may give
# two, where both ends pass it on.
HELD_MAX: Final = 8


@dataclass(slots=True)
class LinkUse:
    """Whether a link may carry what comes by no other way: for all that is known, if it ever carried anything."""

    carries_news: bool = False
    _held: int = 0

    def carried(self, passed_on: int, news: int, *, own: bool) -> None:
        """Hear of a frame that crossed the link, either way: how many ops in it others than its sender wrote, and how
        many of those were news to its receiver. `own`: whether there were any of the sender's own that were news.

        What a device writes itself is told on all of its links at once, so whether it would have come another way is
        not known.
        """
        if news > 0:
            self.carries_news, self._held = True, 0
            return
        self._held += passed_on > 0
        if own:
            self.carries_news = True
        elif self._held >= HELD_MAX:
            self.carries_news = False

    def carried_snapshot(self) -> None:
        """Hear that a snapshot crossed the link: the receiver lacked much of it."""
        self.carries_news, self._held = True, 0


@dataclass(slots=True)
class RelayBackoff:
    """How one peer fares with what is passed on to it. `first`: of two that pass on to each other, this one is."""

    first: bool
    _wait_ms: int = 0

    @property
    def wait_ms(self) -> int:
        """How long the next op that somebody else wrote waits for more.

        One of two waits half as long as the other: what it sends then, the other need not send.
        """
        return self._wait_ms // 2 if self.first else self._wait_ms

    def answered(self, passed_on: int, taken: int) -> None:
        """Hear how many of the ops that were passed on the peer took; it held the others."""
        if 2 * taken >= passed_on:
            self._wait_ms = 0
        else:
            self._wait_ms = min(WAIT_MS_MAX, max(WAIT_MS_MIN, 2 * self._wait_ms))
