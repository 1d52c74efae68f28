"""Decide whether a store is the one that was open last here, and note what made a device start anew.

An origin may go on only where nobody else goes on with it. A store that was copied, restored or rolled back does not
know that it was; but a *twin* does: a small file outside the home, which says what the store held when it was last
seen. The store holds a nonce that changes at every open, and the one before it, since a crash may fall between the two
writes. A store whose twin says otherwise begins a new incarnation before anything is read for a commit.

The twin also says how many ops the store had written, and is brought up to date after every commit. The log of a store
that was killed lies beside it, and ends for SQLite where its checksums cease to hold, be that by a power cut or by bits
that flipped; the twin, written after the commit was durable, tells the two apart (`replica.verify`).

A twin that is missing is no proof of anything, but a store that had one before and has none now was most likely carried
to another machine: a new incarnation costs a few bytes, a fork costs a branch for ever.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

NONCE_BYTES: Final = 16
# What doctor tells: the last few things that happened to a device, not its life; and whatever misses writes.
INCIDENTS_MAX: Final = 20


class ChainEvent(StrEnum):
    """What happened to a device's chain of ops."""

    COPIED = "copied"
    """The store is not the one that was open here last: a copied disk, or a backup put back."""
    ROLLED_BACK = "rolled back"
    """The store holds less than it held when it was last seen: a rolled back disk, or writes that were lost."""
    ECHO = "heard of itself"
    """A peer holds ops of this device that this device does not: it was restored, or has a clone."""
    CLOCK = "clock"
    """This device's stamps were more than a day ahead of its corrected clock."""
    BRANCH = "branch"
    """Two ops claim one place in a device's chain; both are kept."""


class Incident(NamedTuple):
    """One thing that happened: when it was noticed, what it was, and whose chain it is about."""

    at_ms: int
    why: ChainEvent
    device: bytes
    incarnation: bytes = b""
    seq: int = 0
    """How many ops of that incarnation this device had written, where fewer were left; 0 where none are missed."""
    head: bytes = b""
    """The short id of the last of them, where it is known: a clone may have written as many others since."""


class Opened(NamedTuple):
    """The nonce of this opening of a store, and of the one before."""

    before: bytes
    now: bytes


class Twin(NamedTuple):
    """What was last seen of a store, kept outside of it. `before`: the nonce of the opening before that one;
    `seq`: how many ops its origin had written, and `head` the short id of the last, unless an older version wrote it.
    """

    before: bytes
    nonce: bytes
    incarnation: bytes
    seq: int
    head: bytes = b""


def judge(opened: Opened | None, incarnation: bytes, held: int, twin: Twin | None) -> ChainEvent | None:
    """Return why this store's origin must not go on, or None where it may. `held`: how many ops of the twin's
    incarnation the store has, of those that the twin knows of.
    """
    if twin is None:
        return None if opened is None else ChainEvent.COPIED
    if opened is None:
        # New, or opened only where nothing can be kept outside of the home; or nothing is left of it.
        return ChainEvent.ROLLED_BACK if twin.seq > held else None
    if twin.seq > held and opened.now in (twin.before, twin.nonce):
        return ChainEvent.ROLLED_BACK
    if twin.nonce not in opened:
        return ChainEvent.COPIED
    if twin.nonce == opened.now and twin.incarnation != incarnation and not twin.seq:
        return ChainEvent.ROLLED_BACK
    # It holds all that the twin knows of: if they differ, it was killed before the twin was written.
    return None


def happened(incidents: Sequence[Incident], at_ms: int, why: ChainEvent, device: bytes) -> list[Incident]:
    """Return the incidents with one more; of too many the oldest go, but for those that say that writes are missing."""
    more = [*incidents, Incident(at_ms, why, device)]
    last = len(more) - INCIDENTS_MAX
    return [incident for at, incident in enumerate(more) if at >= last or incident.seq]


def read_incidents(plain: Iterable[Sequence[Any]]) -> list[Incident]:
    """Return the incidents that were kept as lists."""
    return [Incident(at_ms, ChainEvent(why), *rest) for at_ms, why, *rest in plain]


def pardoned(incidents: Sequence[Incident]) -> list[Incident]:
    """Return the same incidents, with nothing missed any more: its owner knows, or meant it."""
    return [incident._replace(incarnation=b"", seq=0, head=b"") for incident in incidents]
