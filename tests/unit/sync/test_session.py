"""What may be said when: one conversation, seen from one side, with neither replica nor link."""

import dataclasses

import pytest

from replica.alongside import Wish
from replica.frontier import Frontier
from replica.ids import DeviceId, Origin, Place
from sync.errors import LocalProtocolError, RemoteProtocolError
from sync.session import Acknowledged, Greeted, PeerHolds, Session, State, Take
from sync.wire.messages import (
    PROTOCOL,
    Ack,
    Base,
    CaughtUp,
    Grant,
    Heads,
    Hello,
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
PLACE = Place(Origin(DeviceId(b"d" * 32), b"i" * 8), 1, b"8" * 8)
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


def may_want(session: Session) -> bool:
    return session.may_want


def state_of(session: Session) -> State:
    return session.state


def opened(*, ours: Hello = OURS, theirs: Hello = THEIRS) -> Session:
    """A session that has greeted, and that knows what the peer lacks: nothing yet sent."""
    session = Session(ours)
    session.receive(theirs)
    session.receive(Heads(Frontier(())))
    session.compared(())
    said(session)
    return session


def test_two_that_hold_the_same_are_quiet_after_their_greetings() -> None:
    session = Session(OURS)
    assert not is_quiet(session)
    assert session.receive(OURS) == Greeted(0, same=True, folded=True)
    assert not is_quiet(session), "what I hold to say may be what the peer waits for"
    assert said(session) == [OURS]
    assert is_quiet(session)
    assert may_push(session)


def test_nobody_is_quiet_who_has_not_heard_that_it_has_everything() -> None:
    session = opened()
    session.caught_up()
    assert said(session) == [CaughtUp()]
    assert not is_quiet(session)
    session.receive(CaughtUp())
    assert is_quiet(session)


def test_caught_up_is_said_once_for_each_time_it_becomes_true() -> None:
    session = opened()
    session.caught_up()
    session.caught_up()
    assert said(session) == [CaughtUp()]
    session.push(b"", last=False)
    session.caught_up()
    assert said(session) == [Ops(b"", False), CaughtUp()]


def test_nobody_is_caught_up_before_it_knows_what_the_peer_lacks() -> None:
    session = Session(OURS)
    session.receive(THEIRS)
    said(session)
    session.caught_up()
    assert said(session) == []
    session.receive(Heads(Frontier(())))
    session.compared((PLACE,))
    session.caught_up()
    assert said(session) == [Locator((PLACE,))]


def test_a_last_frame_says_that_it_was_all() -> None:
    session = opened()
    session.receive(CaughtUp())
    session.push(b"", last=True)
    session.caught_up()
    assert said(session) == [Ops(b"", True)]
    assert not is_quiet(session), "it may be lost on the way"
    assert session.receive(Ack(1, ())) == Acknowledged(1, ())
    assert is_quiet(session)


def test_what_came_is_owed_an_answer_until_it_is_on_the_disk() -> None:
    session = opened()
    session.caught_up()
    said(session)
    assert session.receive(Ops(b"frame", True)) == Take(b"frame")
    assert not is_quiet(session)
    session.taken(1, ())
    assert not is_quiet(session), "nor is it said yet"
    assert said(session) == [Ack(1, ())]
    assert is_quiet(session)


def test_after_a_frame_that_is_not_the_last_more_will_come() -> None:
    session = opened()
    session.caught_up()
    session.receive(CaughtUp())
    said(session)
    session.receive(Ops(b"frame", False))
    session.taken(1, ())
    said(session)
    assert not is_quiet(session)
    session.receive(Ops(b"frame", True))
    session.taken(1, ())
    said(session)
    assert is_quiet(session)


def test_as_many_frames_as_the_peer_has_room_for_are_under_way_and_no_more() -> None:
    session = opened(theirs=dataclasses.replace(THEIRS, credits=3))
    for _ in range(3):
        assert may_push(session)
        session.push(b"", last=False)
    assert not may_push(session)
    with pytest.raises(LocalProtocolError, match="without credit"):
        session.push(b"", last=False)
    with pytest.raises(LocalProtocolError, match="without credit"):
        session.push_base(Base(b"", 0, 1, b"d" * 32))
    session.receive(Ack(0, ()))
    assert may_push(session)


@pytest.mark.parametrize("message", [Ops(b"", False), Base(b"", 0, 1, b"d" * 32)])
def test_a_peer_that_sends_more_than_there_is_room_for_is_at_fault(message: Message) -> None:
    session = opened()
    for _ in range(OURS.credits):
        session.receive(message)
    with pytest.raises(RemoteProtocolError, match="at most 2 frames ahead"):
        session.receive(message)


def test_an_answer_to_nothing_is_the_peers_fault() -> None:
    with pytest.raises(RemoteProtocolError, match="Ack answers no Ops"):
        opened().receive(Ack(0, ()))
    with pytest.raises(RemoteProtocolError, match="Known answers no Locator"):
        opened().receive(Known(()))
    with pytest.raises(RemoteProtocolError, match="Grant answers no Want"):
        opened().receive(Grant((None,)))
    with pytest.raises(LocalProtocolError, match="never came"):
        opened().taken(0, ())


def test_frames_follow_the_answer_to_the_last_question_and_not_to_an_earlier_one() -> None:
    """Asked again before it had heard what the peer holds: that answer is about what was asked before."""
    session = Session(OURS)
    session.receive(THEIRS)
    for _ in range(2):
        session.receive(Heads(Frontier(())))
        session.compared((PLACE,))
    assert session.receive(Known(())) == PeerHolds(())
    assert not may_push(session)
    session.receive(Known(()))
    assert may_push(session)


def test_who_asks_again_is_sent_nothing_before_it_is_compared() -> None:
    session = opened()
    assert may_push(session)
    session.receive(Heads(Frontier(())))
    assert not may_push(session)


def test_who_asked_again_is_told_again_that_it_was_all() -> None:
    session = opened()
    session.caught_up()
    said(session)
    session.receive(Heads(Frontier(())))
    session.compared(())
    session.caught_up()
    assert said(session) == [CaughtUp()]


def test_who_asks_has_not_everything_before_the_answer() -> None:
    session = Session(OURS)
    session.receive(OURS)
    session.pull(Frontier(()))
    said(session)
    assert not is_quiet(session)
    session.receive(CaughtUp())
    assert is_quiet(session)


def test_the_last_statement_of_trust_opens_and_those_before_it_do_not() -> None:
    session = Session(OURS)
    session.receive(dataclasses.replace(THEIRS, trust=b"u" * 32))
    session.receive(dataclasses.replace(NOBODY, more=True))
    session.learned()
    assert state_of(session) is State.TRUSTING
    session.receive(NOBODY)
    session.learned()
    assert state_of(session) is State.OPEN


def test_vectors_are_wanted_and_granted_between_two_with_one_model_only() -> None:
    for ours, theirs in ((MODEL, None), (None, MODEL), (MODEL, b"n" * 32), (None, None)):
        session = opened(
            ours=dataclasses.replace(OURS, space=ours), theirs=dataclasses.replace(THEIRS, space=theirs)
        )
        session.receive(CaughtUp())
        assert not may_want(session)
        with pytest.raises(LocalProtocolError, match="out of turn"):
            session.want((WISH,))
        with pytest.raises(RemoteProtocolError, match="another model"):
            session.receive(Want((WISH,)))


def test_vectors_are_wanted_once_everything_is_here_and_one_answer_at_a_time() -> None:
    ours, theirs = (dataclasses.replace(each, space=MODEL) for each in (OURS, THEIRS))
    session = opened(ours=ours, theirs=theirs)
    assert not may_want(session), "memories first"
    session.receive(CaughtUp())
    session.want((WISH,))
    assert not may_want(session)
    session.receive(Grant((None,)))
    assert may_want(session)
    assert said(session) == [Want((WISH,))]
    session.grant((None,))
    assert said(session) == [Grant((None,))]


def test_after_a_goodbye_nothing_may_be_said_or_heard() -> None:
    session = opened()
    session.end("enough")
    assert state_of(session) is State.OVER
    with pytest.raises(LocalProtocolError, match="expected the session to be OPEN, it is OVER"):
        session.pull(Frontier(()))
    with pytest.raises(LocalProtocolError, match="expected the session to be OPEN, it is OVER"):
        session.grant(())
    with pytest.raises(RemoteProtocolError, match="CaughtUp is not allowed while OVER"):
        session.receive(CaughtUp())
