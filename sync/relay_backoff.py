"""Decide how long to keep from a peer what others wrote, because it hears of it from them.

In a group in which everybody is linked with everybody, whoever wrote an op sends it to all. If all who took it passed
it on at once, each would get it as often as there are devices: twenty devices send one op four hundred times. Who is
linked with whom is not known, so what a peer answers decides: where it held already what was passed on, the next waits,
longer each time; where it did not, for nobody else was as quick, the next leaves at once. So news runs along the links
on which it comes first, and the others carry, a batch every few seconds, what those may have missed.

What a device wrote itself never waits, and takes along what does.
"""

from dataclasses import dataclass
from typing import Final

WAIT_MS_MIN: Final = 250
# As long as a person looks for what was written on another device, at most, where the link that carried it is gone.
WAIT_MS_MAX: Final = 4_000


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
