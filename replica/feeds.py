"""Know every feed held here: whose it is, where it ends, where it branched off, and what its writer had seen.

A feed is one unbroken chain of ops by one origin. Usually an origin is one feed. When a disk was rolled back
or a machine cloned, two ops claim one place; then the second becomes the start of a *branch*, a feed of its
own that leaves its stem after `fork`. Both are kept. Feed numbers are local to a replica; to others an op is
named by its `OpRef`.

A *vector* says for each feed number how far someone had read. A vector that reaches into a branch reaches up
its stem to the fork; `close` makes that explicit, so that comparing two numbers is always enough.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from replica.crowd import IdsOf, ShortIds
from replica.ids import DeviceId, OpId, OpRef, Origin
from replica.state.register import Dot, Vector

# Enough for the heads that a thousand devices name to each other; some 300 bytes each.
_LOCATED_MAX: Final = 4_096
# Chains of one origin that are looked into one after the other. A clone or a rolled back disk makes a second one, and
# hardly anybody has a third; of more, their ops are sought by their ids (`replica.crowd`), which takes memory.
CHAINS_LOOKED_INTO_MAX: Final = 4

_place = tuple.__new__  # by name it takes three times as long, and each greeting names all heads

Chain = list[tuple[int, int]]
"""A chain of ops as it lies here: (last seq, feed) of each run, from the first op on."""

IdAt = Callable[[int, int], bytes]
"""First 8 bytes of the id of the op of a feed (by number) at a seq that lies on that feed itself."""


@dataclass(slots=True)
class Feed:
    """One chain.

    `seq` and `head` are its last op's; `vector` is what that op's writer had seen, itself included.
    """

    no: int
    origin_no: int
    origin: Origin
    parent: int | None
    fork: int
    seq: int
    head: OpId
    vector: Vector = field(default_factory=dict)
    fork_vector: Vector = field(default_factory=dict)
    """What the writer of the stem's op at `fork` had seen; kept, since the base may swallow that op."""
    fork_head: OpId | None = None
    """The whole id of that op, likewise: the first header of a branch holds it, and the spine has 8 bytes of it."""
    base_seq: int = 0
    """Up to here the feed's ops are in the base and no longer in the log; `fork` where none are."""
    base_head: OpId | None = None
    base_signature: bytes | None = None
    base_vector: Vector = field(default_factory=dict)

    @property
    def head_place(self) -> OpRef:
        """The feed's last op, as others name it."""
        return _place(OpRef, (self.origin, self.seq, self.head[:8]))

    def copy(self) -> "Feed":
        """Return a feed that goes its own way."""
        return Feed(
            self.no,
            self.origin_no,
            self.origin,
            self.parent,
            self.fork,
            self.seq,
            self.head,
            dict(self.vector),
            dict(self.fork_vector),
            self.fork_head,
            self.base_seq,
            self.base_head,
            self.base_signature,
            dict(self.base_vector),
        )


class Feeds:
    """The feeds of one replica, by number and by origin. `id_at` and `ids_of` read the log and the spine."""

    def __init__(self, feeds: Iterable[Feed], id_at: IdAt, ids_of: IdsOf) -> None:
        self._feeds: list[Feed] = []
        self._by_origin: dict[Origin, list[Feed]] = {}
        self._origins: list[Origin] = []
        self._count_by_device: dict[DeviceId, int] = {}
        self._id_at = id_at
        self._ids_of = ids_of
        self._crowds: dict[Origin, ShortIds] = {}
        self._located: dict[OpRef, Dot] = {}
        """Ops stay where they are as long as this object lives, and the same few are asked for again and again."""
        for feed in feeds:
            self._keep(feed)

    def __iter__(self) -> Iterator[Feed]:
        return iter(self._feeds)

    def __getitem__(self, no: int) -> Feed:
        return self._feeds[no]

    def __len__(self) -> int:
        return len(self._feeds)

    def of(self, origin: Origin) -> list[Feed]:
        """Return the feeds of an origin, its first one and its branches."""
        return self._by_origin.get(origin, [])

    def count_of(self, device: DeviceId) -> int:
        """Return how many feeds a device has, over all its incarnations."""
        return self._count_by_device.get(device, 0)

    def origin_of(self, no: int) -> Origin:
        """Return whose feed this is."""
        return self._feeds[no].origin

    def origin(self, number: int) -> Origin:
        """Return the origin with this local number."""
        return self._origins[number]

    def origin_number(self, origin: Origin) -> int:
        """Return the local number of an origin, giving it the next one if it is new."""
        for feed in self.of(origin):
            return feed.origin_no
        return len(self._origins)

    def start(
        self,
        origin: Origin,
        parent: int | None = None,
        fork: int = 0,
        seen: Vector | None = None,
        fork_head: OpId | None = None,
    ) -> Feed:
        """Begin a feed that has no op yet: an origin's first, or a branch that leaves `parent` after `fork`.

        `seen` is what the writer of the stem's op at `fork` had seen, `fork_head` that op's id; it may be missing
        where the branch's first op will never be sent again, since it came in a base.
        """
        vector = dict(seen or {})
        feed = Feed(
            len(self._feeds),
            self.origin_number(origin),
            origin,
            parent,
            fork,
            seq=fork,
            head=OpId(b""),
            vector=vector,
            fork_vector=dict(vector),
            fork_head=fork_head,
            base_seq=fork,
        )
        self._keep(feed)
        return feed

    def id8(self, no: int, seq: int) -> bytes:
        """Return the short id of the op at `seq` on this feed's chain, on its stem if it branched later."""
        feed = self._feeds[no]
        while seq <= feed.fork:
            assert feed.parent is not None
            feed = self._feeds[feed.parent]
        return feed.head[:8] if seq == feed.seq else self._id_at(feed.no, seq)

    def locate(self, place: OpRef) -> Dot | None:
        """Return where an op stands here, or None if it is not held."""
        dot = self._located.get(place)
        if dot is not None:
            return dot
        for feed in self._that_may_hold(place):
            if feed.fork < place.seq <= feed.seq and self.id8(feed.no, place.seq) == place.id8:
                if len(self._located) >= _LOCATED_MAX:
                    self._located.clear()
                dot = self._located[place] = Dot(feed.no, place.seq, place.id8)
                return dot
        return None

    def grow(self, feed: Feed, seq: int, head: OpId) -> None:
        """Let a feed reach up to this op."""
        feed.seq, feed.head = seq, head
        if self._crowds and feed.origin in self._crowds:
            self._crowds[feed.origin].grew(feed.no, feed.fork, seq)

    def place(self, no: int, seq: int) -> OpRef:
        """Return the portable name of the op at `seq` on a feed's chain."""
        return OpRef(self._feeds[no].origin, seq, self.id8(no, seq))

    def heads(self) -> list[OpRef]:
        """Return the last op of every feed."""
        return [feed.head_place for feed in self._feeds if feed.seq > feed.fork]

    def held(self) -> Vector:
        """Return the vector that covers everything held."""
        return {feed.no: feed.seq for feed in self._feeds if feed.seq > feed.fork}

    def closed(self, vector: Vector) -> Vector:
        """Return the vector with the stems of its branches covered up to where they fork."""
        for no in list(vector):
            self._cover_stems(vector, self._feeds[no])
        return vector

    def raise_to(self, vector: Vector, dot: Dot) -> None:
        """Let a closed vector cover an op, and everything on its chain below it."""
        if vector.get(dot.feed, 0) < dot.seq:
            vector[dot.feed] = dot.seq
            self._cover_stems(vector, self._feeds[dot.feed])

    def vector_to(self, dots: Iterable[Dot]) -> Vector:
        """Return the closed vector that covers these ops and their chains."""
        vector: Vector = {}
        for dot in dots:
            if vector.get(dot.feed, 0) < dot.seq:
                vector[dot.feed] = dot.seq
        return self.closed(vector)

    def vector_of(self, places: Iterable[OpRef]) -> Vector:
        """Return the closed vector of what is held here of these: what whoever names them holds of ours."""
        return self.vector_to(dot for place in places if (dot := self.locate(place)) is not None)

    def held_of(self, places: Iterable[OpRef]) -> tuple[OpRef, ...]:
        """Return the last one held here of each feed among these: never more of them than were asked for."""
        last: Vector = {}
        for place in places:
            dot = self.locate(place)
            if dot is not None and last.get(dot.feed, 0) < dot.seq:
                last[dot.feed] = dot.seq
        return self.places(last)

    def places(self, vector: Vector) -> tuple[OpRef, ...]:
        """Return a vector in words that others understand: the last op it covers of each feed."""
        return tuple(self.place(no, seq) for no, seq in sorted(vector.items()) if seq)

    def _that_may_hold(self, place: OpRef) -> Iterable[Feed]:
        """Return the feeds in which to look for an op, few however many there are of its origin."""
        feeds = self.of(place.origin)
        if len(feeds) <= CHAINS_LOOKED_INTO_MAX:
            return feeds
        crowd = self._crowds.get(place.origin)
        if crowd is None:
            for feed in feeds:  # heads are what is asked for most, and need nothing to be read
                if feed.seq == place.seq and feed.head[:8] == place.id8:
                    return [feed]
            crowd = self._crowds[place.origin] = ShortIds(self._ids_of)
            for feed in feeds:
                crowd.grew(feed.no, feed.fork, feed.seq)
        return map(self._feeds.__getitem__, crowd.holding(place.id8))

    def _cover_stems(self, vector: Vector, feed: Feed) -> None:
        while feed.parent is not None:
            if vector.get(feed.parent, 0) < feed.fork:
                vector[feed.parent] = feed.fork
            feed = self._feeds[feed.parent]

    def _keep(self, feed: Feed) -> None:
        assert feed.no == len(self._feeds), "feeds are numbered in the order they came"
        if feed.origin_no == len(self._origins):
            self._origins.append(feed.origin)
        self._feeds.append(feed)
        device = feed.origin.device
        self._count_by_device[device] = self._count_by_device.get(device, 0) + 1
        self._by_origin.setdefault(feed.origin, []).append(feed)


def join(into: Vector, other: Vector) -> None:
    """Raise `into` to cover what `other` covers."""
    for no, seq in other.items():
        if into.get(no, 0) < seq:
            into[no] = seq


def chain_to(feeds: Feeds, no: int, seq: int) -> Chain:
    """Return the chain that ends at an op, from its first op on."""
    feed = feeds[no]
    runs = [(seq, no)]
    while feed.parent is not None:
        runs.append((feed.fork, feed.parent))
        feed = feeds[feed.parent]
    return runs[::-1]


def cut(chain: Chain, seq: int) -> Chain:
    """Return a chain as far as `seq`."""
    short: Chain = []
    for last, no in chain:
        short.append((min(last, seq), no))
        if last >= seq:
            break
    return short
