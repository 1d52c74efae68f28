"""Decide what two replicas still owe each other.

A `Session` holds one conversation. It is told what is said and what is heard, and refuses what may not be; it never
reads a socket, a clock or a log, so any history can be replayed from a list of messages. Both sides run the same code:
there is no client and no server.

    both    Hello     what I speak, and hashes of whom I trust and what I hold
    both    Trust     if those hashes differ: members and revocations, before anything else; later, what is new
    puller  Heads     if the frontiers differ: what I hold; send me the rest
    pusher  Locator   if some of those heads are news: which of these places of mine do you hold?
    puller  Known     those
    pusher  Base …    if the puller lacks ops that left my log: a snapshot, in parts
    pusher  Ops …     at most `credits` frames ahead of the puller's Ack, which follows its fsynced commit;
                      right behind the Hellos, if the puller's says that it holds nothing
    pusher  CaughtUp  (or `last` on the last frame): that was all; later commits follow as they are made
    puller  Want      if both embed with one slow model: which vectors it lacks, some at a time
    pusher  Grant     those of them that it has
    either  Inquiry   if both agreed on questions (`sync.web_hello`): what to find in the other's memory
    other   Findings  the ids of what it found

Each side is puller and pusher at once, and the two directions never wait for each other. A session is quiet when both
sides are caught up and everything sent is acknowledged; two quiet sessions hold equal frontiers. What may be said and
heard when stands in one table: `sync.states`.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from sync.errors import LocalProtocolError, RemoteProtocolError
from sync.states import ANSWERS, TRANSITIONS, Phase, Receiving, Sending, SessionFinding, State, Step, Way
from sync.wire.messages import Ack, Findings, Grant, Hello, Inquiry, Known, Message, Ops, Want

# Enough frames under way to keep a link busy while one is being written; four bound what a peer makes us hold.
CREDITS: Final = 4

_CONCERNED: Final = {
    type(state): {step for of, step in TRANSITIONS if type(of) is type(state)} for state, _ in TRANSITIONS
}


@dataclass(slots=True)
class Session:
    """One conversation between two replicas, seen from one of them."""

    hello: Hello
    asks: bool = False
    """Whether the peer agreed to take questions about its memory."""
    answers: bool = False
    """Whether I agreed to take them."""
    phase: Phase = Phase.GREETING
    sending: Sending = Sending.UNASKED
    receiving: Receiving = Receiving.LACKING
    _peer: Hello | None = None
    _outgoing: deque[Message] = field(default_factory=deque)
    _awaited: Counter[type[Message]] = field(default_factory=Counter)
    """How many answers of each kind the peer owes me."""
    _owed: Counter[type[Message]] = field(default_factory=Counter)
    """How many I owe the peer."""

    def __post_init__(self) -> None:
        self._outgoing.append(self.hello)

    @property
    def is_quiet(self) -> bool:
        """Whether both sides have everything and know it."""
        return (
            self.phase is Phase.OPEN
            and self.sending is Sending.DONE
            and self.receiving is Receiving.DONE
            and not self._outgoing
            and not self._awaited[Ack]
            and not self._owed[Ack]
        )

    @property
    def may_push(self) -> bool:
        """Whether a frame may be sent now: it is known what the peer lacks, and it has room.

        A peer may say that it has room for more than we take; what waits to be sent is held here until it reads.
        """
        return (
            self.phase is Phase.OPEN
            and self.sending in (Sending.READY, Sending.DONE)
            and self._peer is not None
            and self._awaited[Ack] < min(self._peer.credits, CREDITS)
        )

    @property
    def may_want(self) -> bool:
        """Whether vectors may be asked for now: of one model, when all memories are here and no answer is owed."""
        return (
            self.phase is Phase.OPEN
            and self.receiving is Receiving.DONE
            and self._share_model
            and not self._awaited[Grant]
        )

    @property
    def may_ask(self) -> bool:
        """Whether a question may be asked now: the peer takes them, and owes no answer."""
        return self.phase is Phase.OPEN and self.asks and not self._awaited[Findings]

    @property
    def owes_found(self) -> bool:
        """Whether the peer waits for what I find."""
        return self.phase is Phase.OPEN and self._owed[Findings] > 0

    @property
    def _share_model(self) -> bool:
        return (
            self._peer is not None and self.hello.space is not None and self._peer.space == self.hello.space
        )

    def next_message(self) -> Message | None:
        """Return what to say next; None when there is nothing to say."""
        return self._outgoing.popleft() if self._outgoing else None

    def say(self, message: Message) -> None:
        """Say this next. Raises `LocalProtocolError` when it may not be said now: a bug of the caller's."""
        kind = type(message)
        if ANSWERS.get(kind) is Ack and not self.may_push:
            raise LocalProtocolError("a frame was pushed without credit")
        if kind is Want and not self.may_want:
            raise LocalProtocolError("vectors were asked for out of turn")
        if kind is Inquiry and not self.may_ask:
            raise LocalProtocolError("a question was asked out of turn")
        if kind in ANSWERS.values() and not self._owed[kind]:
            raise LocalProtocolError(f"{kind.__name__} answers no {_questions(kind)}")
        if not self._step((Way.SAID, kind)):
            raise LocalProtocolError(f"{kind.__name__} may not be said now: {self._where()}")
        if kind in ANSWERS:
            self._awaited[ANSWERS[kind]] += 1
        elif kind in ANSWERS.values():
            self._owed[kind] -= 1
        self._outgoing.append(message)
        if isinstance(message, Ops) and message.last:
            self.conclude(SessionFinding.SENT_ALL)

    def hear(self, message: Message) -> None:
        """Take in what the peer says. Raises `RemoteProtocolError` when it is not allowed now."""
        kind = type(message)
        if kind in ANSWERS.values() and self.phase is Phase.OPEN and not self._awaited[kind]:
            raise RemoteProtocolError(f"{kind.__name__} answers no {_questions(kind)}")
        if not self._step((Way.HEARD, kind)):
            raise RemoteProtocolError(f"{kind.__name__} is not allowed now: {self._where()}")
        if kind in ANSWERS:
            self._bound(kind)
            self._owed[ANSWERS[kind]] += 1
        elif kind in ANSWERS.values():
            self._awaited[kind] -= 1
        match message:
            case Hello():
                self._peer = message
                if message.trust == self.hello.trust:
                    self.conclude(SessionFinding.SAME_TRUST)
                if message.frontier == self.hello.frontier:
                    self.conclude(SessionFinding.SAME_HEADS)
            case Known() if self.sending is Sending.LOCATING and not self._awaited[Known]:
                self.conclude(SessionFinding.LOCATED)
            case Ops(last=True):
                self.conclude(SessionFinding.GOT_ALL)

    def conclude(self, found: SessionFinding) -> None:
        """Go on from what was found out. Raises `LocalProtocolError` when it cannot have been found out now."""
        if not self._step(found):
            raise LocalProtocolError(f"{found.name} cannot be concluded now: {self._where()}")

    def _bound(self, question: type[Message]) -> None:
        """Refuse a question that is more than may be open at once."""
        answer = ANSWERS[question]
        if answer is Ack and self._owed[Ack] >= self.hello.credits:
            raise RemoteProtocolError(f"expected at most {self.hello.credits} frames ahead, got one more")
        if question is Want and not self._share_model:
            raise RemoteProtocolError("Want asks for vectors of another model than mine")
        if question is Want and self._owed[Grant]:
            raise RemoteProtocolError("expected one Want at a time, got one more")
        if question is Inquiry and not self.answers:
            raise RemoteProtocolError("expected no Inquiry: no questions were agreed on for this link")
        if question is Inquiry and self._owed[Findings]:
            raise RemoteProtocolError("expected one Inquiry at a time, got one more")

    def _step(self, step: Step) -> bool:
        """Let every machine that a step concerns take it; say whether all of them may. Otherwise none does."""
        states: tuple[State, ...] = (self.phase, self.sending, self.receiving)
        after = [
            TRANSITIONS.get((state, step)) if _concerns(step, type(state)) else state for state in states
        ]
        if None in after:
            return False
        for state in after:
            match state:
                case Phase():
                    self.phase = state
                case Sending():
                    self.sending = state
                case Receiving():
                    self.receiving = state
        return True

    def _where(self) -> str:
        return f"the conversation is {self.phase.name}, sending {self.sending.name}, receiving {self.receiving.name}"


def _concerns(step: Step, machine: type[State]) -> bool:
    """Say whether a machine takes a step at all: every message concerns the conversation."""
    return step in _CONCERNED[machine] or (machine is Phase and not isinstance(step, SessionFinding))


def _questions(answer: type[Message]) -> str:
    return " or ".join(question.__name__ for question, each in ANSWERS.items() if each is answer)
