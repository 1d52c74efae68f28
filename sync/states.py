"""State in one literal table what may be said and heard in a conversation, and when.

A conversation is three state machines that run side by side: the conversation itself (`Phase`), what I know of what the
peer lacks (`Sending`), and whether I have everything of the peer's (`Receiving`). They share one alphabet: the messages
of `sync.wire.messages`, each said or heard, and a few conclusions (`SessionFinding`) that no single message states.

1. Every message concerns `Phase`: one that has no row there for the present phase is not allowed now.
2. The other two are concerned only by the messages in their own rows; one that has rows, but none for the present
   state, is not allowed now.
3. An answer is allowed only while a question is open, and only so many questions may be open at once (`ANSWERS`).

What breaks a rule is the fault of whoever says it: `LocalProtocolError` for this side, `RemoteProtocolError` for the
peer. The table is drawn in docs/protocol/wire.md, from here.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from sync.wire.messages import (
    Ack,
    Base,
    Bye,
    CaughtUp,
    Findings,
    Grant,
    Heads,
    Hello,
    Inquiry,
    Known,
    Locator,
    Message,
    Ops,
    Trust,
    Want,
)


class Phase(Enum):
    """How far the opening has come, and whether the conversation is over."""

    GREETING = auto()
    """Nothing was heard yet."""
    TRUSTING = auto()
    """The two do not know the same members, revocations and proofs: nothing else is said before they do."""
    OPEN = auto()
    OVER = auto()


class Sending(Enum):
    """What I know of what the peer lacks."""

    UNASKED = auto()
    """The peer has not said what it holds."""
    COMPARING = auto()
    """The peer has just said what it holds."""
    LOCATING = auto()
    """I asked which of my places it holds."""
    READY = auto()
    """I know what to send."""
    DONE = auto()
    """The peer was sent everything, and told so."""


class Receiving(Enum):
    """Whether I have everything that the peer holds."""

    LACKING = auto()
    DONE = auto()


class Way(Enum):
    """Who says a message."""

    SAID = auto()
    HEARD = auto()


class SessionFinding(Enum):
    """What one side concludes from more than one message."""

    SAME_TRUST = auto()
    """Both Hellos name the same members, revocations and proofs."""
    SAME_HEADS = auto()
    """Both Hellos name the same ops."""
    HOLDS_NOTHING = auto()
    """The peer's Hello names no op, and mine are all in my log: it is sent everything before it says its Heads."""
    TRUST_KEPT = auto()
    """The last part of what the peer trusts is on my disk."""
    LOCATED = auto()
    """It is clear what the peer lacks: no Locator was needed, or the last one is answered."""
    SENT_ALL = auto()
    """The frame said last was the last of all."""
    GOT_ALL = auto()
    """The frame just heard was the last."""


State = Phase | Sending | Receiving
Step = tuple[Way, type[Message]] | SessionFinding

_SAID, _HEARD = Way.SAID, Way.HEARD

TRANSITIONS: Final[Mapping[tuple[State, Step], State]] = {
    (Phase.GREETING, (_HEARD, Hello)): Phase.TRUSTING,
    (Phase.GREETING, (_HEARD, Bye)): Phase.OVER,
    (Phase.GREETING, (_SAID, Bye)): Phase.OVER,
    (Phase.TRUSTING, SessionFinding.SAME_TRUST): Phase.OPEN,
    (Phase.TRUSTING, (_SAID, Trust)): Phase.TRUSTING,
    (Phase.TRUSTING, (_HEARD, Trust)): Phase.TRUSTING,
    (Phase.TRUSTING, SessionFinding.TRUST_KEPT): Phase.OPEN,
    (Phase.TRUSTING, (_HEARD, Bye)): Phase.OVER,
    (Phase.TRUSTING, (_SAID, Bye)): Phase.OVER,
    (Phase.OPEN, (_SAID, Trust)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Trust)): Phase.OPEN,
    (Phase.OPEN, SessionFinding.TRUST_KEPT): Phase.OPEN,
    (Phase.OPEN, (_SAID, Heads)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Heads)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Locator)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Locator)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Known)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Known)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Base)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Base)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Ops)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Ops)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Ack)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Ack)): Phase.OPEN,
    (Phase.OPEN, (_SAID, CaughtUp)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, CaughtUp)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Want)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Want)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Grant)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Grant)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Inquiry)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Inquiry)): Phase.OPEN,
    (Phase.OPEN, (_SAID, Findings)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Findings)): Phase.OPEN,
    (Phase.OPEN, (_HEARD, Bye)): Phase.OVER,
    (Phase.OPEN, (_SAID, Bye)): Phase.OVER,
    (Sending.UNASKED, SessionFinding.SAME_HEADS): Sending.DONE,
    (Sending.UNASKED, SessionFinding.HOLDS_NOTHING): Sending.READY,
    (Sending.UNASKED, (_HEARD, Heads)): Sending.COMPARING,
    (Sending.COMPARING, (_HEARD, Heads)): Sending.COMPARING,
    (Sending.COMPARING, (_SAID, Locator)): Sending.LOCATING,
    (Sending.COMPARING, SessionFinding.LOCATED): Sending.READY,
    (Sending.LOCATING, (_HEARD, Heads)): Sending.COMPARING,
    (Sending.LOCATING, (_SAID, Locator)): Sending.LOCATING,
    (Sending.LOCATING, SessionFinding.LOCATED): Sending.READY,
    (Sending.READY, (_HEARD, Heads)): Sending.COMPARING,
    (Sending.READY, (_SAID, Base)): Sending.READY,
    (Sending.READY, (_SAID, Ops)): Sending.READY,
    (Sending.READY, (_SAID, CaughtUp)): Sending.DONE,
    (Sending.READY, SessionFinding.SENT_ALL): Sending.DONE,
    (Sending.DONE, (_HEARD, Heads)): Sending.COMPARING,
    (Sending.DONE, (_SAID, Base)): Sending.READY,
    (Sending.DONE, (_SAID, Ops)): Sending.READY,
    (Receiving.LACKING, SessionFinding.SAME_HEADS): Receiving.DONE,
    (Receiving.LACKING, (_SAID, Heads)): Receiving.LACKING,
    (Receiving.LACKING, (_HEARD, Base)): Receiving.LACKING,
    (Receiving.LACKING, (_HEARD, Ops)): Receiving.LACKING,
    (Receiving.LACKING, (_HEARD, CaughtUp)): Receiving.DONE,
    (Receiving.LACKING, SessionFinding.GOT_ALL): Receiving.DONE,
    (Receiving.DONE, (_SAID, Heads)): Receiving.LACKING,
    (Receiving.DONE, (_HEARD, Base)): Receiving.LACKING,
    (Receiving.DONE, (_HEARD, Ops)): Receiving.LACKING,
    (Receiving.DONE, (_HEARD, CaughtUp)): Receiving.DONE,
}

# Of frames (Ops and Base together) as many may be open as whoever takes them gave credits for; of Want and of Inquiry
# one.
ANSWERS: Final[Mapping[type[Message], type[Message]]] = {
    Locator: Known,
    Base: Ack,
    Ops: Ack,
    Want: Grant,
    Inquiry: Findings,
}
