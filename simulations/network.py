"""Carry bytes between devices: late, in pieces, or not at all.

A link is one TLS stream, so below a cut nothing is lost, doubled or reordered, and nothing here pretends otherwise:
what a network can do to TLS is delay it, stop it in one direction, and cut it anywhere, also inside a frame. Loss,
duplication and reordering happen to whole links (several at once between two devices, cut and opened anew), and
inside frames by a relay that lies (`simulations.liar`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Final, Protocol

from simulations.device import Device
from sync.wire.frames import FrameReader, encode_frame

# How long a device waits on a silent link before it gives up.
STALL_MS: Final = 60_000


class Conversation(Protocol):
    """One side of a link: `sync.exchange.Exchange`, or the contestant's."""

    @property
    def is_over(self) -> bool:
        """Whether one side said goodbye."""
        ...

    def receive(self, data: bytes, now_ms: int) -> list[bytes]:
        """Take in one message and return what to say to it."""
        ...

    def more(self, now_ms: int) -> list[bytes]:
        """Return what there is to say now."""
        ...


@dataclass(slots=True, eq=False)
class End:
    """One end of a link: whose it is, what it has said and heard."""

    device: Device
    conversation: Conversation
    reader: FrameReader = field(default_factory=FrameReader)
    due_ms: int = 0
    """When the last byte under way to this end arrives."""

    def has_ended(self) -> bool:
        """Whether its conversation is over; asked anew each time, since hearing something may end it."""
        return self.conversation.is_over


@dataclass(slots=True, eq=False)
class Link:
    """One connection between two devices."""

    number: int
    ends: tuple[End, End]
    random: Random
    lives: bool
    delay_ms: int
    chunked: bool
    cut_percent: int
    is_open: bool = True
    stalled: bool = False
    under_way: int = 0
    heard: int = 0
    """How many messages its ends have heard."""

    def other(self, end: End) -> End:
        """Return the end on the other side."""
        return self.ends[1] if end is self.ends[0] else self.ends[0]

    def is_up(self) -> bool:
        """Whether it still carries anything; asked anew each time, since what it carries may bring it down."""
        return self.is_open

    @property
    def name(self) -> str:
        """Which devices it joins, for the trace."""
        return f"#{self.number} {self.ends[0].device.name}-{self.ends[1].device.name}"


Schedule = Callable[[int, Callable[[], None]], None]


def transmit(
    link: Link,
    to: End,
    messages: list[bytes],
    *,
    now_ms: int,
    schedule: Schedule,
    deliver: Callable[[Link, End, bytes], None],
    lose: Callable[[Link, str], None],
) -> None:
    """Put messages on their way to one end of a link; some of it may never arrive."""
    for message in messages:
        if link.stalled:
            return
        data = encode_frame(message)
        cut = link.cut_percent and link.random.randrange(100) < link.cut_percent
        if cut:
            data = data[: int(link.random.random() * len(data))]
        for chunk in _chunks(data, link):
            to.due_ms = max(to.due_ms, now_ms + link.random.randint(1, link.delay_ms))
            link.under_way += 1
            schedule(to.due_ms, _arrival(link, to, chunk, deliver))
        if cut:
            link.stalled = True
            schedule(to.due_ms + 1, lambda: lose(link, "cut inside a frame"))


def _arrival(
    link: Link, to: End, chunk: bytes, deliver: Callable[[Link, End, bytes], None]
) -> Callable[[], None]:
    return lambda: deliver(link, to, chunk)


def _chunks(data: bytes, link: Link) -> list[bytes]:
    """Cut data anywhere. The number of draws does not depend on the size, which depends on the version of zstd."""
    if not link.chunked:
        return [data]
    at = sorted([0, *(int(link.random.random() * len(data)) for _ in range(2)), len(data)])
    return [data[start:stop] for start, stop in pairwise(at)]
