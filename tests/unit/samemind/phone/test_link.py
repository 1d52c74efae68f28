"""A phone pairs with a device and meets it, frame by frame, with no socket between them."""

import pytest

from replica import parse_memory_id
from replica.membership import revoke
from replica.quotas import Quotas, What
from sync.errors import RemoteProtocolError, SomebodyElse, WrongCode
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL
from sync.wire.messages import QUESTION_CHARACTERS_MAX, Findings, Inquiry
from tests.support.phones import NOW_MS, meet, pair, phone, talk


def test_two_pair_by_a_code_meet_and_hold_the_same() -> None:
    here, there = phone(), phone("laptop")
    here.remember("Told on the phone before it met anybody", now_ms=NOW_MS)
    ours, theirs = pair(here, there)
    assert ours == theirs
    for number in range(50):
        there.remember(f"Told on the laptop, number {number}", now_ms=NOW_MS + number)
    link, _ = meet(here, there)
    assert here.digests() == there.digests()
    assert here.status(now_ms=NOW_MS)["memories"] == 51
    state = link.state(NOW_MS)
    assert (state["open"], state["quiet"], state["name"], state["refused"]) == (True, True, "laptop", [])
    assert [each["name"] for each in here.devices()] == ["phone", "laptop"]


def test_what_is_told_while_they_are_linked_goes_over_at_once() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there)
    here.remember("Told in the middle", now_ms=NOW_MS + 1)
    said = link.more(NOW_MS + 1)
    assert said
    talk(link, other, said)
    assert [each["text"] for each in there.recent(limit=5, now_ms=NOW_MS)] == ["Told in the middle"]


def test_edits_made_apart_are_both_kept() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    rid = there.remember("milk, bread", now_ms=NOW_MS)["rid"]
    meet(here, there)
    here.edit(rid, "milk, bread, Käse 🧀", now_ms=NOW_MS + 1)
    there.edit(rid, "oat milk, bread", now_ms=NOW_MS + 2)
    meet(here, there, now_ms=NOW_MS + 3)
    assert here.digests() == there.digests()
    assert here.memory(rid)["text"] == there.memory(rid)["text"] == "oat milk, bread, Käse 🧀"


def test_a_device_that_takes_questions_is_asked_and_its_answer_comes_once() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    rid = there.remember("The car stands in Elm Street", now_ms=NOW_MS)["rid"]
    link, other = meet(here, there, protocol=ASKING_PROTOCOL)
    assert link.found() is None
    talk(link, other, link.question("where did I park?", 5, NOW_MS))
    assert link.found() is None, "nobody has answered"
    assert link.question("and the bicycle?", 5, NOW_MS) == [], "one at a time"
    assert other.exchange.take_asked() == Inquiry("where did I park?", 5)
    other.exchange.answer_memory([parse_memory_id(rid)])
    talk(link, other, [])
    assert link.found() == (parse_memory_id(rid),)
    assert link.found() is None
    assert link.question("and the bicycle?", 5, NOW_MS)


def test_what_had_no_room_is_asked_for_again_though_nothing_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that is quiet hears nothing: the page has to know when to go on by itself."""
    here, there = phone(), phone("laptop")
    pair(here, there)
    there.remember("The car stands in Elm Street", now_ms=NOW_MS)
    with monkeypatch.context() as full:
        full.setattr(Quotas, "over", lambda *_: (What.OPS, 600_000))
        link, other = meet(here, there)
    assert link.state(NOW_MS)["asks_again_ms"] == 600_000
    assert link.more(NOW_MS + 599_999) == []
    later_ms = NOW_MS + 600_000
    talk(link, other, link.more(later_ms), now_ms=later_ms)
    assert link.state(later_ms)["asks_again_ms"] is None
    assert here.digests() == there.digests()


def test_an_older_device_is_asked_nothing() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, _ = meet(here, there, protocol=LINK_PROTOCOL)
    assert link.question("where did I park?", 5, NOW_MS) == []
    assert link.state(NOW_MS)["may_ask"] is False


@pytest.mark.parametrize("question", ["", " \n", "\ud83d", "x" * 5_000])
def test_whatever_is_typed_is_no_fault_of_the_link(question: str) -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there, protocol=ASKING_PROTOCOL)
    talk(link, other, link.question(question, 5, NOW_MS))
    asked = other.exchange.take_asked()
    assert (asked is not None) == bool(question.strip())
    assert asked is None or len(asked.question) <= QUESTION_CHARACTERS_MAX


def test_a_device_that_could_not_tell_has_found_nothing() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there, protocol=ASKING_PROTOCOL)
    talk(link, other, link.question("where did I park?", 5, NOW_MS))
    other.exchange.answer_memory(None)
    talk(link, other, [])
    assert link.found() == ()


def test_more_than_was_asked_for_ends_the_link() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there, protocol=ASKING_PROTOCOL)
    talk(link, other, link.question("where did I park?", 2, NOW_MS))
    other.exchange.answer_memory([bytes([number]) * 16 for number in range(3)])
    with pytest.raises(RemoteProtocolError, match="expected at most 2 memories in answer, got 3"):
        talk(link, other, [])


def test_an_answer_to_no_question_ends_the_link() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there, protocol=ASKING_PROTOCOL)
    with pytest.raises(RemoteProtocolError, match="Findings answers no Inquiry"):
        link.receive(other.sealed(Findings(())), NOW_MS)


def test_a_wrong_code_pairs_nobody() -> None:
    here, there = phone(), phone("laptop")
    with pytest.raises(WrongCode):
        pair(here, there, typed="417-maple-otter")
    assert len(here.devices()) == 1


def test_a_stranger_who_answers_hears_nothing() -> None:
    here, there, stranger = phone(), phone("laptop"), phone("stranger")
    pair(here, there)
    pair(phone("other"), stranger)
    stranger.core.learn([*here.core.membership.members.values()], [])
    with pytest.raises(SomebodyElse):
        meet(here, stranger)


def test_who_was_put_out_knows_it_once_told() -> None:
    here, there = phone(), phone("laptop")
    pair(here, there)
    link, other = meet(here, there)
    assert not here.is_out
    who = there.identity
    there.core.learn([], [revoke(who.sign, who.device_id, here.core.device)])
    for message in other.more(NOW_MS):
        link.receive(message, NOW_MS)
    assert here.is_out
