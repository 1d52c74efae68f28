"""What is found in a telling: at once for who asks, behind the commit for others, and the same either way."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

import samemind
from samemind import BlockingMind

TALK = "Today I met Alice at the coffee shop. She lives in Berlin. I just started at Stripe."
TOLD = ("I live in Lisbon", "I live in Berlin", TALK, TALK)


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def seen(mind: BlockingMind, text: str, *, at_once: bool) -> tuple[object, ...]:
    """Tell it, and look at what was found in it."""
    if at_once:
        told = mind.remember(text, speaker="Ann", read=True)
    else:
        told = mind.remember(text, speaker="Ann")
    facts, same = (sorted(mind.get(rid).text for rid in rids) for rids in (told.facts, told.says_same))
    return facts, same, len(told.contradictions), told.facts_dropped, told.read


def test_what_is_looked_at_later_is_what_would_have_been_found_at_once(tmp_path: Path) -> None:
    found = []
    for name in ("later", "at once"):
        with samemind.open_blocking(tmp_path / name) as mind:
            found.append([seen(mind, text, at_once=name == "at once") for text in TOLD])
    assert found[0] == found[1]
    _, (_, _, contradictions, _, read), (facts, *_), (_, same, *_) = found[0]
    assert (contradictions, read, same) == (1, True, [TALK])
    assert facts


def test_nominees_are_named_to_whoever_looks_at_them(mind: BlockingMind) -> None:
    before = mind.remember("The rent is 950 euros")
    told = mind.remember("The rent is 980 euros")
    assert [nominee.rid for nominee in told.nominees] == [before.rid]
    assert told.nominees is told.nominees, "asked for once"


def test_what_was_stored_is_told_without_a_second_question(mind: BlockingMind) -> None:
    told = mind.remember("The door code is 4711")
    mind.forget(told.rid)
    assert told.op_id is not None
    assert (str(told), told.held, told.duplicate_of) == (told.rid, False, None)
    assert told.facts == told.says_same == []
    assert told.nominees == [], "nothing is left to be found"


def test_it_is_shown_and_compared_as_any_result(mind: BlockingMind) -> None:
    told = mind.remember("Ben is at the station")
    assert repr(told).startswith(f"Remembered(rid='{told.rid}', op_id=")
    assert told != mind.remember("Ben is at the station")


def test_it_goes_to_another_process_as_a_plain_result(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        told = mind.remember(TALK, speaker="Ann")
        sent = pickle.loads(pickle.dumps(told))
        assert (type(sent), sent.facts, sent.read) == (samemind.Remembered, told.facts, True)
        unlooked = mind.remember("I live in Rome", speaker="Ann")
    sent = pickle.loads(pickle.dumps(unlooked))
    assert (sent.rid, sent.op_id, sent.read, sent.facts) == (unlooked.rid, unlooked.op_id, False, [])
    assert repr(unlooked) == f"Remembered(rid='{unlooked.rid}')", "a debugger shows it all the same"


def test_who_awaits_it_has_the_facts_at_once_and_may_say_not_to_wait(tmp_path: Path) -> None:
    async def tell() -> None:
        async with samemind.open(tmp_path / "home") as mind:
            told = await mind.remember(TALK, speaker="Ann")
            assert told.read
            assert told.facts
            quick = await mind.remember("I live in Rome", speaker="Ann", read=False)
            assert (quick.read, quick.facts) == (False, [])
            again = await mind.remember("I live in Rome", speaker="Ann", rid=quick.rid)
            assert (again.rid, again.op_id, again.read) == (quick.rid, None, True)

    trio.run(tell)


def test_a_telling_that_is_asked_for_again_is_answered_as_the_first_time(mind: BlockingMind) -> None:
    """Who never heard the answer asks again, and wants all of it."""
    rid = "0198f3c0-0000-7000-8000-00000000000a"
    first = mind.remember(TALK, speaker="Ann", rid=rid, read=True)
    again = mind.remember(TALK, speaker="Ann", rid=rid, read=True)
    assert (again.op_id, sorted(again.facts)) == (None, sorted(first.facts))
    assert again.facts_dropped == first.facts_dropped
