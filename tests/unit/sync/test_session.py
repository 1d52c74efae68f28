"""What may be said when: one conversation, seen from one side, with neither replica nor link."""

import dataclasses
from typing import Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replica.alongside import Wish
from replica.frontier import Frontier
from replica.ids import DeviceId, OpRef, Origin
from sync.errors import LocalProtocolError, RemoteProtocolError
from sync.session import CREDITS, Session
from sync.states import ANSWERS, TRANSITIONS, Phase, Receiving, Sending, SessionFinding, Way
from sync.wire.messages import (
    CREDITS_MAX,
    PROTOCOL,
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

MODEL = b"m" * 32
OURS = Hello(PROTOCOL, 0, b"t" * 32, b"f" * 32, True, 2)
THEIRS = dataclasses.replace(OURS, frontier=b"g" * 32)
PLACE = OpRef(Origin(DeviceId(b"d" * 32), b"i" * 8), 1, b"8" * 8)
WISH = Wish(b"r" * 16, b"h" * 8)
NOBODY = Trust((), (), ())


def said(session: Session) -> list[Message]:
    """What it says next."""
    words = []
    while (message := session.next_message()) is not None:
        words.append(message)
    return words


def is_quiet(session: Session) -> bool:
    """Asked anew each time, as the three below."""
    return session.is_quiet


def may_push(session: Session) -> bool:
    return session.may_push


def may_ask(session: Session) -> bool:
    return session.may_ask


def owes_found(session: Session) -> bool:
    return session.owes_found


def may_want(session: Session) -> bool:
    return session.may_want


def phase_of(session: Session) -> Phase:
    return session.phase


def say_caught_up(session: Session) -> None:
    """As the exchange does."""
    if session.sending is Sending.READY:
        session.say(CaughtUp())


def opened(
    *, ours: Hello = OURS, theirs: Hello = THEIRS, asks: bool = False, answers: bool = False
) -> Session:
    """A session that has greeted, and that knows what the peer lacks: nothing yet sent."""
    session = Session(ours, asks, answers)
    session.hear(theirs)
    session.hear(Heads(Frontier(())))
    session.conclude(SessionFinding.LOCATED)
    said(session)
    return session


def test_two_that_hold_the_same_are_quiet_after_their_greetings() -> None:
    session = Session(OURS)
    assert not is_quiet(session)
    session.hear(OURS)
    assert not is_quiet(session), "what I hold to say may be what the peer waits for"
    assert said(session) == [OURS]
    assert is_quiet(session)
    assert may_push(session)


def test_nobody_is_quiet_who_has_not_heard_that_it_has_everything() -> None:
    session = opened()
    say_caught_up(session)
    assert said(session) == [CaughtUp()]
    assert not is_quiet(session)
    session.hear(CaughtUp())
    assert is_quiet(session)


def test_caught_up_is_said_once_for_each_time_it_becomes_true() -> None:
    session = opened()
    say_caught_up(session)
    say_caught_up(session)
    assert said(session) == [CaughtUp()]
    session.say(Ops(b"", False))
    say_caught_up(session)
    assert said(session) == [Ops(b"", False), CaughtUp()]


def test_nobody_is_caught_up_before_it_knows_what_the_peer_lacks() -> None:
    session = Session(OURS)
    session.hear(THEIRS)
    said(session)
    say_caught_up(session)
    assert said(session) == []
    session.hear(Heads(Frontier(())))
    session.say(Locator((PLACE,)))
    say_caught_up(session)
    assert said(session) == [Locator((PLACE,))]


def test_a_last_frame_says_that_it_was_all() -> None:
    session = opened()
    session.hear(CaughtUp())
    session.say(Ops(b"", True))
    say_caught_up(session)
    assert said(session) == [Ops(b"", True)]
    assert not is_quiet(session), "it may be lost on the way"
    session.hear(Ack(1, ()))
    assert is_quiet(session)


def test_what_came_is_owed_an_answer_until_it_is_on_the_disk() -> None:
    session = opened()
    say_caught_up(session)
    said(session)
    session.hear(Ops(b"frame", True))
    assert not is_quiet(session)
    session.say(Ack(1, ()))
    assert not is_quiet(session), "nor is it said yet"
    assert said(session) == [Ack(1, ())]
    assert is_quiet(session)


def test_after_a_frame_that_is_not_the_last_more_will_come() -> None:
    session = opened()
    say_caught_up(session)
    session.hear(CaughtUp())
    said(session)
    session.hear(Ops(b"frame", False))
    session.say(Ack(1, ()))
    said(session)
    assert not is_quiet(session)
    session.hear(Ops(b"frame", True))
    session.say(Ack(1, ()))
    said(session)
    assert is_quiet(session)


def test_as_many_frames_as_the_peer_has_room_for_are_under_way_and_no_more() -> None:
    session = opened(theirs=dataclasses.replace(THEIRS, credits=3))
    for _ in range(3):
        assert may_push(session)
        session.say(Ops(b"", False))
    assert not may_push(session)
    with pytest.raises(LocalProtocolError, match="without credit"):
        session.say(Ops(b"", False))
    with pytest.raises(LocalProtocolError, match="without credit"):
        session.say(Base(b"", 0, 1, b"d" * 32))
    session.hear(Ack(0, ()))
    assert may_push(session)


def test_a_peer_with_endless_room_is_sent_no_more_ahead_than_we_would_take() -> None:
    """Whoever grants a thousand frames and reads none would have us hold them."""
    session = opened(theirs=dataclasses.replace(THEIRS, credits=CREDITS_MAX))
    for _ in range(CREDITS):
        assert may_push(session)
        session.say(Ops(b"", False))
    assert not may_push(session)


@pytest.mark.parametrize("message", [Ops(b"", False), Base(b"", 0, 1, b"d" * 32)])
def test_a_peer_that_sends_more_than_there_is_room_for_is_at_fault(message: Message) -> None:
    session = opened()
    for _ in range(OURS.credits):
        session.hear(message)
    with pytest.raises(RemoteProtocolError, match="at most 2 frames ahead"):
        session.hear(message)


def test_an_answer_to_nothing_is_the_peers_fault() -> None:
    with pytest.raises(RemoteProtocolError, match="Ack answers no Base or Ops"):
        opened().hear(Ack(0, ()))
    with pytest.raises(RemoteProtocolError, match="Known answers no Locator"):
        opened().hear(Known(()))
    with pytest.raises(RemoteProtocolError, match="Grant answers no Want"):
        opened().hear(Grant((None,)))
    with pytest.raises(LocalProtocolError, match="Ack answers no Base or Ops"):
        opened().say(Ack(0, ()))


def test_frames_follow_the_answer_to_the_last_question_and_not_to_an_earlier_one() -> None:
    """Asked again before it had heard what the peer holds: that answer is about what was asked before."""
    session = Session(OURS)
    session.hear(THEIRS)
    for _ in range(2):
        session.hear(Heads(Frontier(())))
        session.say(Locator((PLACE,)))
    session.hear(Known(()))
    assert not may_push(session)
    session.hear(Known(()))
    assert may_push(session)


def test_who_asks_again_is_sent_nothing_before_it_is_compared() -> None:
    session = opened()
    assert may_push(session)
    session.hear(Heads(Frontier(())))
    assert not may_push(session)


def test_who_asked_again_is_told_again_that_it_was_all() -> None:
    session = opened()
    say_caught_up(session)
    said(session)
    session.hear(Heads(Frontier(())))
    session.conclude(SessionFinding.LOCATED)
    say_caught_up(session)
    assert said(session) == [CaughtUp()]


def test_who_asks_has_not_everything_before_the_answer() -> None:
    session = Session(OURS)
    session.hear(OURS)
    session.say(Heads(Frontier(())))
    said(session)
    assert not is_quiet(session)
    session.hear(CaughtUp())
    assert is_quiet(session)


def test_the_last_statement_of_trust_opens_and_those_before_it_do_not() -> None:
    session = Session(OURS)
    session.hear(dataclasses.replace(THEIRS, trust=b"u" * 32))
    session.hear(dataclasses.replace(NOBODY, more=True))
    assert phase_of(session) is Phase.TRUSTING
    session.hear(NOBODY)
    session.conclude(SessionFinding.TRUST_KEPT)
    assert phase_of(session) is Phase.OPEN


def test_vectors_are_wanted_and_granted_between_two_with_one_model_only() -> None:
    for ours, theirs in ((MODEL, None), (None, MODEL), (MODEL, b"n" * 32), (None, None)):
        session = opened(
            ours=dataclasses.replace(OURS, space=ours), theirs=dataclasses.replace(THEIRS, space=theirs)
        )
        session.hear(CaughtUp())
        assert not may_want(session)
        with pytest.raises(LocalProtocolError, match="out of turn"):
            session.say(Want((WISH,)))
        with pytest.raises(RemoteProtocolError, match="another model"):
            session.hear(Want((WISH,)))


def test_vectors_are_wanted_once_everything_is_here_and_one_answer_at_a_time() -> None:
    ours, theirs = (dataclasses.replace(each, space=MODEL) for each in (OURS, THEIRS))
    session = opened(ours=ours, theirs=theirs)
    assert not may_want(session), "memories first"
    session.hear(CaughtUp())
    session.say(Want((WISH,)))
    assert not may_want(session)
    session.hear(Grant((None,)))
    assert may_want(session)
    assert said(session) == [Want((WISH,))]
    session.hear(Want((WISH,)))
    session.say(Grant((None,)))
    assert said(session) == [Grant((None,))]


def test_after_a_goodbye_nothing_may_be_said_or_heard() -> None:
    session = opened()
    session.say(Bye("enough"))
    assert phase_of(session) is Phase.OVER
    with pytest.raises(LocalProtocolError, match="Heads may not be said now: the conversation is OVER"):
        session.say(Heads(Frontier(())))
    with pytest.raises(LocalProtocolError, match="Grant answers no Want"):
        session.say(Grant(()))
    with pytest.raises(RemoteProtocolError, match="CaughtUp is not allowed now: the conversation is OVER"):
        session.hear(CaughtUp())


def test_the_peer_asks_for_vectors_once_at_a_time() -> None:
    ours, theirs = (dataclasses.replace(each, space=MODEL) for each in (OURS, THEIRS))
    session = opened(ours=ours, theirs=theirs)
    session.hear(Want((WISH,)))
    with pytest.raises(RemoteProtocolError, match="one Want at a time"):
        session.hear(Want((WISH,)))


def test_questions_are_asked_where_that_was_agreed_and_one_at_a_time() -> None:
    asking, silent = opened(asks=True), opened()
    assert may_ask(asking)
    assert not may_ask(silent)
    asking.say(ASKED)
    assert not may_ask(asking)
    with pytest.raises(LocalProtocolError, match="a question was asked out of turn"):
        asking.say(ASKED)
    with pytest.raises(LocalProtocolError, match="a question was asked out of turn"):
        silent.say(ASKED)
    asking.hear(Findings(()))
    assert may_ask(asking)
    with pytest.raises(RemoteProtocolError, match="Findings answers no Inquiry"):
        asking.hear(Findings(()))


def test_questions_are_taken_where_that_was_agreed_and_one_at_a_time() -> None:
    answering = opened(answers=True)
    assert not may_ask(answering)
    assert not owes_found(answering)
    answering.hear(ASKED)
    assert owes_found(answering)
    with pytest.raises(RemoteProtocolError, match="expected one Inquiry at a time"):
        answering.hear(ASKED)
    answering.say(Findings(None))
    assert not owes_found(answering)
    with pytest.raises(LocalProtocolError, match="Findings answers no Inquiry"):
        answering.say(Findings(None))
    answering.hear(ASKED)
    for other in (opened(), opened(asks=True)):
        with pytest.raises(RemoteProtocolError, match="no questions were agreed on"):
            other.hear(ASKED)


ASKED: Final = Inquiry("where did I park?", 3)
MESSAGES: Final = get_args(Message)


@pytest.mark.parametrize("machine", [Phase, Sending, Receiving])
def test_every_state_is_reached_and_every_message_has_its_row(
    machine: type[Phase | Sending | Receiving],
) -> None:
    first = next(iter(machine))
    reached = {first} | {after for (before, _), after in TRANSITIONS.items() if type(before) is machine}
    assert reached == set(machine)
    assert all(type(after) is type(before) for (before, _), after in TRANSITIONS.items())


def test_once_open_whatever_may_be_heard_may_be_said() -> None:
    """There is no client and no server; and a message nobody may ever hear would be dead."""
    for phase in Phase:
        said_then, heard = (
            {kind for kind in MESSAGES if (phase, (way, kind)) in TRANSITIONS}
            for way in (Way.SAID, Way.HEARD)
        )
        assert said_then | {Hello} == heard | {Hello}
    assert {step[1] for _, step in TRANSITIONS if not isinstance(step, SessionFinding)} == set(MESSAGES)
    assert set(ANSWERS) | set(ANSWERS.values()) < set(MESSAGES)


SAMPLES: Final[dict[type[Message], Message]] = {
    type(each): each
    for each in (
        THEIRS,
        NOBODY,
        Heads(Frontier(())),
        Locator((PLACE,)),
        Known(()),
        Base(b"", 0, 1, b"d" * 32),
        Ops(b"", True),
        Ack(0, ()),
        CaughtUp(),
        Want((WISH,)),
        Grant((None,)),
        ASKED,
        Findings(()),
        Bye("enough"),
    )
}


@given(st.lists(st.sampled_from(MESSAGES), max_size=30))
def test_a_peer_that_says_anything_at_any_time_is_taken_at_its_word_or_let_go(
    kinds: list[type[Message]],
) -> None:
    """What is refused is refused as the peer's fault, and leaves the conversation as it was."""
    session = Session(dataclasses.replace(OURS, space=MODEL))
    for kind in kinds:
        before = session.phase, session.sending, session.receiving
        allowed = (session.phase, (Way.HEARD, kind)) in TRANSITIONS
        try:
            session.hear(dataclasses.replace(THEIRS, space=MODEL) if kind is Hello else SAMPLES[kind])
        except RemoteProtocolError:
            if not allowed:
                assert (session.phase, session.sending, session.receiving) == before
            return
        assert allowed
