"""What was replaced is told as that, behind what holds; and who asks before the beginning is told when that was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import samemind
from samemind import BlockingMind
from samemind.commands.memories.list import render as listed
from samemind.commands.memories.recall import render as recalled
from samemind.formats.plain import to_json

OLD = "The allotment gate code is 1234. Ask Petra for the spare key."
NEW = "The code of the allotment gate is 9876 since the new lock. Petra has the key."


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


@pytest.mark.parametrize("question", ["allotment gate code", "Ask Petra for the spare key of the allotment"])
def test_what_somebody_said_has_changed_is_marked_and_stands_behind_what_holds(
    mind: BlockingMind, question: str
) -> None:
    old, new = mind.remember(OLD).rid, mind.remember(NEW).rid
    mind.settle(old, new, "changed")
    found = mind.recall(question)
    assert [hit.rid for hit in found] == [new, old]
    assert found[0].score >= found[1].score
    assert found[0].claim is None
    claim = found[1].claim
    assert claim is not None
    assert (claim.standing, [value.rid for value in claim.now]) == ("replaced", [new])
    shown = recalled(to_json(found))
    assert any(line.strip().startswith("no longer: The allotment gate") for line in shown)
    assert "NO LONGER" in mind.context(question).text


def test_two_things_and_repetitions_are_not_marked(mind: BlockingMind) -> None:
    old, new = mind.remember(OLD).rid, mind.remember(NEW).rid
    mind.settle(old, new, "two_things")
    assert all(hit.claim is None for hit in mind.recall("allotment gate code"))


def test_who_asks_before_the_beginning_is_told_when_that_was(mind: BlockingMind) -> None:
    mind.remember(OLD)
    found = mind.recall("gate code", as_of="2020-01-01")
    assert found.begins is not None
    assert recalled(to_json(found))[0].startswith("nothing found: this memory begins at ")
    assert listed(to_json(mind.list(as_of="2020-01-01")))[0].startswith("no memories: this memory begins at ")
    assert "--until" in recalled(to_json(found))[1]
    assert mind.context("gate code", as_of="2020-01-01").begins == found.begins
    assert mind.recall("gate code").begins is None
    assert recalled(to_json(mind.recall("gate code", domain="nowhere"))) == ["nothing found"]


def test_an_empty_question_is_not_said_to_have_found_nothing(mind: BlockingMind) -> None:
    mind.remember("the gate code is 4711")
    (line,) = recalled(to_json(mind.recall("  ")))
    assert line.startswith("the question is empty: say what to look for")


def test_who_asks_for_a_month_is_told_what_held_then_and_holds_no_more(mind: BlockingMind) -> None:
    """What was changed since is out of sight, and nothing would say that there is something to see."""
    mind.remember("I live in Porto", speaker="Ann", at="2026-01-10")
    name = mind.remember("I live in Lisbon", speaker="Ann", at="2026-03-20", read=True).contradictions[0]
    mind.resolve(name, keep_b=True, since="2026-03-15")
    until = "2026-02-28"
    hint = "  1 memory of that time is out of sight, replaced since or put away: --include-cold shows it"
    assert listed(to_json(mind.list(until=until))) == ["no memories", hint]
    assert recalled(to_json(mind.recall("where does Ann live?", until=until))) == ["nothing found", hint]
    assert mind.list(until=until, include_cold=True).put_away == 0
    assert [hit.text for hit in mind.recall("where does Ann live?", until=until, include_cold=True)] == [
        "I live in Porto"
    ]
    assert mind.list(until="2025-01-01").put_away == 0
    assert mind.list(domain="nowhere").put_away == 0
