"""Cut a snapshot into the parts in which it travels, and put a peer's together again, over several links if need be.

What has come is told once on each link, and the peer may leave it out. Two links to one peer may be up for a moment,
and other things make an end of what is kept (a snapshot that came whole, an erasure): so each link goes on with what
it told the peer, whatever is kept by now; the store is written by that on which a snapshot began to come last.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from replica.core import Core
from replica.feeds import join
from replica.ids import DeviceId
from replica.oplog import Partial
from replica.outbox import Outbox, Sent
from replica.partial import give_up_parts, keep_part, partial_from
from replica.snapshot import make_snapshot
from sync.errors import RemoteProtocolError
from sync.wire.messages import BASE_PART_BYTES, Base, Refused

Cut = Callable[[bytes], Iterable[Base]]
"""Cuts a snapshot. Equal snapshots must be cut alike, or what a peer holds of one is of no use."""


def parts_of(snapshot: bytes, *, part_bytes: int = BASE_PART_BYTES) -> Iterator[Base]:
    """Return a snapshot in parts, as it travels."""
    digest, count = hashlib.sha256(snapshot).digest(), -(-len(snapshot) // part_bytes)
    for i in range(count):
        yield Base(snapshot[i * part_bytes : (i + 1) * part_bytes], i, count, digest)


class Leaving:
    """Snapshots of mine, as they leave on one link."""

    def __init__(self, core: Core, cut: Cut = parts_of) -> None:
        self._core = core
        self._cut = cut
        self._parts: deque[Base] = deque()
        self._resume: tuple[bytes | None, int] = None, 0
        self._before_last: Sent = {}
        self._sent: Sent = {}
        self.reaches: dict[int, int] = {}
        """How far the snapshots reach that this link carried: each was taken, refused for good, or is on its way."""
        self.was_refused = False
        """Whether the last one was."""

    @property
    def is_under_way(self) -> bool:
        """Whether parts of one are still to be sent."""
        return bool(self._parts)

    def resume_at(self, base: bytes | None, held: int) -> None:
        """Hear that the peer holds so many parts of the snapshot of mine with this digest."""
        self._resume = base, held

    def next_part(self, outbox: Outbox) -> tuple[Base, Sent]:
        """Return the next part, and what has left with it: nothing before the last one.

        The whole is made when the first is due, so that all are of one piece. A base that has not changed makes the
        same bytes again, so a transfer that was cut goes on.
        """
        if not self._parts:
            self._parts = deque(self._cut(make_snapshot(self._core)))
            outbox.prove_base(self._core)
            join(self.reaches, outbox.sent_base(self._core))
            self._before_last, self._sent = {}, outbox.sent
            base, held = self._resume
            if base == self._parts[0].digest:
                for _ in range(min(held, len(self._parts) - 1)):
                    self._parts.popleft()
        return self._parts.popleft(), self._before_last if self._parts else self._sent

    def ended_with(self, sent: Sent) -> bool:
        """Say whether this is what left with the last part of the last snapshot."""
        return sent is self._sent

    def break_off(self, sent: Sent) -> Sent | None:
        """Send no more of the last snapshot if this left with a part of it, which was refused; return all of it."""
        if sent is not self._before_last:
            return None
        self._parts.clear()
        return self._sent

    def answered(self, refused: Sequence[Refused]) -> None:
        """Hear what the peer made of the last one; what it only had no room for goes again when it asks."""
        waits = bool(refused) and all(each.gap for each in refused)
        self.was_refused = bool(refused) and not waits
        if waits:
            self.reaches.clear()

    def close(self) -> None:
        """Let go what is not sent."""
        self._parts.clear()


class Incoming:
    """Snapshots of one peer's, as they come on one link."""

    def __init__(self, core: Core, peer: DeviceId) -> None:
        self._core = core
        self._peer = peer
        self._coming: Partial | None = None
        self._told: Partial | None = None
        self._has_told = False
        self._may_hold = True
        self._left: tuple[bytes, tuple[Refused, ...]] = b"", ()
        """The snapshot that was left with the peer, and why."""
        self._proofs_shared = 0

    @property
    def is_under_way(self) -> bool:
        """Whether parts of one are held in memory."""
        return self._coming is not None or self._told is not None

    def shared(self, proofs: int) -> None:
        """Hear that the peer will know of this many erasures, all that are known here, before it cuts anything."""
        self._proofs_shared = proofs

    def tell(self) -> Partial | None:
        """Return what to tell the peer that has come: once a link, or nobody knew behind which a snapshot goes on."""
        if self._has_told:
            return None
        self._has_told = True
        self._told = partial_from(self._core, self._peer)
        return self._told

    def take(self, part: Base) -> bytes | None:
        """Keep the next part, durably; return the whole with the last one."""
        coming = self._coming or self._begin(part)
        if (part.index, part.count, part.digest) != (len(coming.parts), coming.count, coming.digest):
            raise RemoteProtocolError(
                f"expected part {len(coming.parts)} of a snapshot, got part {part.index}"
            )
        if self._coming is None:
            self._coming, self._may_hold, self._left = coming, True, (b"", ())
            if self._knows_of_every_erasure():  # or the peer may have cut it before it heard of one
                self._core.partials[self._peer] = coming
        if part.index < part.count - 1:
            keep_part(self._core, self._peer, coming, part.part)
            return None
        whole = b"".join([*coming.parts, part.part])
        self.close()  # or the parts would lie beside the whole in memory for as long as that is taken in
        if hashlib.sha256(whole).digest() != part.digest:
            self.give_up()  # or it would end the next link, too
            raise RemoteProtocolError("expected the snapshot that was announced, its parts make another")
        return whole

    def leave(self, part: Base, why: tuple[Refused, ...]) -> None:
        """Take neither this part nor what comes behind it, and forget what came before."""
        self._coming = self._told = None
        self._left = part.digest, why
        self.give_up()

    def is_left(self, part: Base) -> bool:
        """Say whether a part comes behind one that was left, whose peer did not hear of that or sends all anyway."""
        return part.index > 0 and part.digest == self._left[0]

    def answer_to_left(self, part: Base) -> tuple[Refused, ...]:
        """Return what to answer to such a part: with the last one, once more why it was left."""
        return self._left[1] if part.index == part.count - 1 else ()

    def give_up(self) -> None:
        """Forget what has come."""
        give_up_parts(self._core, self._peer)

    def rest(self) -> None:
        """Hear that the link is quiet: what parts would have brought has come otherwise."""
        if self._may_hold and self._coming is None:
            self._may_hold = False
            self.give_up()

    def close(self) -> None:
        """Hear that the link is over: what has come is in the store alone, and the next link reads it there."""
        for held in (self._coming, self._told):
            if held is not None and self._core.partials.get(self._peer) is held:
                del self._core.partials[self._peer]
        self._coming = self._told = None

    def _begin(self, part: Base) -> Partial:
        """Return what came before the part with which a snapshot begins to come here."""
        told, self._told = self._told, None
        goes_on = told is not None and (told.digest, told.count) == (part.digest, part.count)
        return Partial(part.digest, part.count, told.parts[: part.index] if told and goes_on else [])

    def _knows_of_every_erasure(self) -> bool:
        return self._proofs_shared == len(self._core.proofs)
