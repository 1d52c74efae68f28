"""A phone pairs with a device and meets it, frame by frame, with no socket between them."""

import pytest

from replica.membership import revoke
from sync.errors import SomebodyElse, WrongCode
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
    assert here.status()["memories"] == 51
    state = link.state()
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
    assert [each["text"] for each in there.recent(limit=5)] == ["Told in the middle"]


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
