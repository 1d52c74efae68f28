"""Decide what two replicas still owe each other.

A `Session` holds one conversation. It is told what arrived and asked what to say next; it never reads a socket, a
clock or a log, so any history can be replayed from a list of messages. Both sides run the same code: there is no client
and no server.

    both    Hello     what I speak, and hashes of whom I trust and what I hold
    both    Trust     if those hashes differ: members and revocations, before anything else; later, what is new
    puller  Heads     if the frontiers differ: what I hold; send me the rest
    pusher  Locator   if some of those heads are news: which of these places of mine do you hold?
    puller  Known     those
    pusher  Base …    if the puller lacks ops that left my log: a snapshot, in parts
    pusher  Ops …     at most `credits` frames ahead of the puller's Ack, which follows its fsynced commit
    pusher  CaughtUp  (or `last` on the last frame): that was all; later commits follow as they are made
    puller  Want      if both embed with one slow model: which vectors it lacks, some at a time
    pusher  Grant     those of them that it has

Each side is puller and pusher at once, and the two directions never wait for each other. A session is quiet when both
sides are caught up and everything sent is acknowledged; two quiet sessions hold equal frontiers.
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, assert_never

from replica.alongside import Wish
from replica.frontier import Frontier
from replica.ids import Place
from sync.errors import LocalProtocolError, RemoteProtocolError
from sync.wire.messages import (
    LOCATOR_PLACES_MAX,
    Ack,
    Base,
    Bye,
    CaughtUp,
    Grant,
    Heads,
    Hello,
    Known,
    Locator,
    Message,
    Ops,
    Refused,
    Trust,
    Want,
)

# Enough frames under way to keep a link busy while one is being written; four bound what a peer makes us hold.
CREDITS: Final = 4


class State(Enum):
    """How far the opening has come, and whether the conversation is over."""

    GREETING = auto()
    TRUSTING = auto()
    OPEN = auto()
    OVER = auto()


class _Push(Enum):
    """What I know of what the peer lacks."""

    UNASKED = auto()
    """The peer has not said what it holds."""
    LOCATING = auto()
    """I asked which of my places it holds."""
    READY = auto()
    """I know what to send."""


@dataclass(frozen=True, slots=True)
class Greeted:
    """The peer's first words are here. `same`: it holds exactly what I stated to hold."""

    clock_ms: int
    same: bool
    folded: bool


@dataclass(frozen=True, slots=True)
class Learn:
    """Take these members and revocations, durably, and then call `learned`."""

    trust: Trust


@dataclass(frozen=True, slots=True)
class Compare:
    """Find out what the peer lacks, and call `compared`.

    `base`: it holds the first `parts` parts of this snapshot of mine.
    """

    heads: tuple[Place, ...]
    base: bytes | None = None
    parts: int = 0


@dataclass(frozen=True, slots=True)
class Locate:
    """Find out which of these places are held here, and call `located`."""

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class PeerHolds:
    """The peer holds these places of mine, and nothing else that I asked about: the sending may begin."""

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """Take this frame, durably, and then call `taken`."""

    frame: bytes


@dataclass(frozen=True, slots=True)
class TakePart:
    """Keep this part of a snapshot; when it is the last one, take the whole durably. Then call `taken`."""

    part: Base


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The peer has my oldest frame on its disk, less what it refused."""

    taken: int
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The peer lacks the vectors of these: find those that are here, and call `grant`."""

    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class Granted:
    """The answer to what I wanted: keep it. I may want more then."""

    vectors: tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The peer said goodbye, and why."""

    reason: str


Event = (
    Greeted | Learn | Compare | Locate | PeerHolds | Take | TakePart | Acknowledged | Wanted | Granted | Ended
)

# What may be heard when. A message that is not listed here is the peer's fault.
_ALLOWED: Final = {
    State.GREETING: frozenset({Hello, Bye}),
    State.TRUSTING: frozenset({Trust, Bye}),
    State.OPEN: frozenset({Trust, Heads, Locator, Known, Ops, Base, Ack, CaughtUp, Want, Grant, Bye}),
    State.OVER: frozenset[type[Message]](),
}


@dataclass(slots=True)
class Session:
    """One conversation between two replicas, seen from one of them."""

    hello: Hello
    state: State = State.GREETING
    _outgoing: deque[Message] = field(default_factory=deque)
    _push: _Push = _Push.UNASKED
    _heard_all_trust: bool = False
    _locators: int = 0
    _credits: int = 0
    _unacknowledged: int = 0
    _to_take: int = 0
    _sent_all: bool = False
    _got_all: bool = False
    _one_space: bool = False
    _wanting: bool = False

    def __post_init__(self) -> None:
        self._outgoing.append(self.hello)

    # -- what is said ----------------------------------------------------------------------------------------

    def next_message(self) -> Message | None:
        """Return what to say next; None when there is nothing to say."""
        return self._outgoing.popleft() if self._outgoing else None

    @property
    def is_quiet(self) -> bool:
        """Whether both sides have everything and know it."""
        return (
            self.state is State.OPEN
            and self._sent_all
            and self._got_all
            and not self._outgoing
            and not self._unacknowledged
            and not self._to_take
        )

    @property
    def may_push(self) -> bool:
        """Whether a frame may be sent now: it is known what the peer lacks, and it has room."""
        return self.state is State.OPEN and self._push is _Push.READY and self._unacknowledged < self._credits

    @property
    def may_want(self) -> bool:
        """Whether vectors may be asked for now: of one model, when all memories are here and no answer is owed."""
        return self.state is State.OPEN and self._one_space and self._got_all and not self._wanting

    # -- what is heard ---------------------------------------------------------------------------------------

    def receive(self, message: Message) -> Event | None:
        """Take in one message; the event says what it asks of the replica. Raises when it is not allowed now."""
        if type(message) not in _ALLOWED[self.state]:
            raise RemoteProtocolError(f"{type(message).__name__} is not allowed while {self.state.name}")
        match message:
            case Hello():
                return self._greeted(message)
            case Trust():
                self._heard_all_trust = not message.more
                return Learn(message)
            case Heads(frontier, base, parts):
                self._push = _Push.UNASKED  # heard again: the peer wants to start over
                return Compare(frontier.heads, base, parts)
            case Locator(places):
                return Locate(places)
            case Known(places):
                if not self._locators:
                    raise RemoteProtocolError("Known answers no Locator")
                self._locators -= 1
                if self._push is _Push.LOCATING and not self._locators:
                    self._push = _Push.READY
                return PeerHolds(places)
            case Ops(frame, last):
                self._spend()
                self._got_all = last
                return Take(frame)
            case Base():
                self._spend()
                self._got_all = False  # what follows the last part says so
                return TakePart(message)
            case Ack(taken, refused):
                if not self._unacknowledged:
                    raise RemoteProtocolError("Ack answers no Ops")
                self._unacknowledged -= 1
                return Acknowledged(taken, refused)
            case CaughtUp():
                self._got_all = True
                return None
            case Want(wishes):
                if not self._one_space:
                    raise RemoteProtocolError("Want asks for vectors of another model than mine")
                return Wanted(wishes)
            case Grant(vectors):
                if not self._wanting:
                    raise RemoteProtocolError("Grant answers no Want")
                self._wanting = False
                return Granted(vectors)
            case Bye(reason):
                self.state = State.OVER
                return Ended(reason)
            case _:
                assert_never(message)

    def _spend(self) -> None:
        """Count a frame that the peer sent ahead of my Ack."""
        if self._to_take >= self.hello.credits:
            raise RemoteProtocolError(f"expected at most {self.hello.credits} frames ahead, got one more")
        self._to_take += 1

    def _greeted(self, theirs: Hello) -> Greeted:
        self._credits = theirs.credits
        self._one_space = self.hello.space is not None and theirs.space == self.hello.space
        same = theirs.frontier == self.hello.frontier
        if same:
            self._push, self._sent_all, self._got_all = _Push.READY, True, True
        self.state = State.OPEN if theirs.trust == self.hello.trust else State.TRUSTING
        return Greeted(theirs.clock_ms, same, theirs.folded)

    # -- what the replica answers ----------------------------------------------------------------------------

    def introduce(self, trust: Trust) -> None:
        """Say whom I know: everybody when the hashes differ, later on whoever is new."""
        if self.state is not State.TRUSTING:
            self._expect(State.OPEN)
        self._outgoing.append(trust)

    def learned(self) -> None:
        """Say that the peer's members and revocations, as far as it has said them, are on my disk."""
        if self.state is not State.OPEN:
            self._expect(State.TRUSTING)
        if self._heard_all_trust:
            self.state = State.OPEN

    def pull(self, frontier: Frontier, base: bytes | None = None, parts: int = 0) -> None:
        """Ask for what I lack, stating what I hold. May be asked again, when something was refused for a gap."""
        self._expect(State.OPEN)
        self._got_all = False
        self._outgoing.append(Heads(frontier, base, parts))

    def compared(self, unsure: tuple[Place, ...]) -> None:
        """Say what is unclear after comparing: places to ask about, or none, and then frames may follow."""
        self._expect(State.OPEN)
        self._sent_all = False
        if unsure:
            self._push = _Push.LOCATING
            for start in range(0, len(unsure), LOCATOR_PLACES_MAX):
                self._locators += 1
                self._outgoing.append(Locator(unsure[start : start + LOCATOR_PLACES_MAX]))
        else:
            self._push = _Push.READY

    def located(self, places: tuple[Place, ...]) -> None:
        """Answer which of the peer's places I hold."""
        self._expect(State.OPEN)
        self._outgoing.append(Known(places))

    def push(self, frame: bytes, *, last: bool) -> None:
        """Send a frame; `may_push` must hold."""
        if not self.may_push:
            raise LocalProtocolError("a frame was pushed without credit")
        self._unacknowledged += 1
        self._sent_all = last
        self._outgoing.append(Ops(frame, last))

    def push_base(self, part: Base) -> None:
        """Send a part of a snapshot; `may_push` must hold."""
        if not self.may_push:
            raise LocalProtocolError("a part of a snapshot was pushed without credit")
        self._unacknowledged += 1
        self._sent_all = False
        self._outgoing.append(part)

    def caught_up(self) -> None:
        """Say that there is nothing (more) to send; said once for each time it becomes true."""
        if not self._sent_all and self._push is _Push.READY:
            self._sent_all = True
            self._outgoing.append(CaughtUp())

    def taken(self, taken: int, refused: tuple[Refused, ...]) -> None:
        """Say that the oldest frame is on my disk."""
        if not self._to_take:
            raise LocalProtocolError("a frame was acknowledged that never came")
        self._to_take -= 1
        self._outgoing.append(Ack(taken, refused))

    def want(self, wishes: tuple[Wish, ...]) -> None:
        """Ask for vectors; `may_want` must hold."""
        if not self.may_want:
            raise LocalProtocolError("vectors were asked for out of turn")
        self._wanting = True
        self._outgoing.append(Want(wishes))

    def grant(self, vectors: tuple[bytes | None, ...]) -> None:
        """Answer what the peer wanted."""
        self._expect(State.OPEN)
        self._outgoing.append(Grant(vectors))

    def end(self, reason: str) -> None:
        """Say goodbye."""
        self._outgoing.append(Bye(reason))
        self.state = State.OVER

    def _expect(self, state: State) -> None:
        if self.state is not state:
            raise LocalProtocolError(f"expected the session to be {state.name}, it is {self.state.name}")
