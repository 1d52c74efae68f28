"""Say in a few bytes what a replica holds, and find what another one lacks.

A frontier is the last op of every feed, each named by (origin, seq, first 8 bytes of its id). Equal frontiers
hash alike, so two replicas that agree find out in 32 bytes. The 8 bytes are what makes a fork visible: two
heads with one (origin, seq) and different ids are two branches, where a plain version vector would call them
equal and lose one.

When heads of one origin do not know each other, the chains parted somewhere below. A *locator* then names
places of a chain, closely spaced near its head and ever wider towards its start (as git and Bitcoin do): the
other side finds the last one it knows, which is at most twice as far down as the true fork, and whatever is
sent twice is recognised.
"""

import hashlib
from collections.abc import Iterable
from typing import Any, Final

from replica.codec import pack, read_place, wire_place
from replica.errors import InvalidOp
from replica.feeds import Feeds
from replica.ids import OpRef, Origin
from replica.values import dataclass


@dataclass(frozen=True, slots=True)
class Frontier:
    """The last op of every feed held by one replica, sorted."""

    heads: tuple[OpRef, ...]

    @classmethod
    def of(cls, heads: Iterable[OpRef]) -> "Frontier":
        """Return the frontier with these heads, in whatever order they come."""
        return cls(tuple(sorted(heads)))

    def digest(self) -> bytes:
        """Return 32 bytes that are equal exactly when the frontiers are."""
        return hashlib.sha256(pack(self.plain())).digest()

    def plain(self) -> list[Any]:
        """Return the frontier as plain values for the wire."""
        return [wire_place(head) for head in self.heads]

    @classmethod
    def read(cls, plain: object) -> "Frontier":
        """Return the frontier that plain values state."""
        if not isinstance(plain, list):
            raise InvalidOp(f"expected a list of places, got {type(plain).__name__}")
        return cls.of(read_place(place) for place in plain)


NOTHING_HELD: Final = Frontier(()).digest()
"""The digest of a replica that holds no op."""


def locator(feeds: Feeds, origin: Origin) -> tuple[OpRef, ...]:
    """Return places of every chain of an origin: its head, then 1, 2, 4, … ops below it, and its first op."""
    places: dict[OpRef, None] = {}
    for feed in feeds.of(origin):
        seq, step = feed.seq, 1
        while seq > 1:
            places[feeds.place(feed.no, seq)] = None
            seq, step = seq - step, step * 2
        places[feeds.place(feed.no, 1)] = None
    return tuple(places)
