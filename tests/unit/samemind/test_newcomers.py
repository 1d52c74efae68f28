"""What a newcomer brings counts: their own words are theirs, in any language, and nobody waits for the reading."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import samemind
from cognition.ingest import gate as ingest
from cognition.ingest import worker as ingest_worker
from samemind import BlockingMind
from samemind.commands.portable.import_ import READ_BEFORE_THE_NEXT_ANSWER
from tests.support.newcomers import ASSISTANT, NEWCOMERS, Newcomer, export_of

PORTO = "I live in Porto, by the river. It is lovely, and never too hot in August."


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        yield opened


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def chats(*turns: str, name: str = "one", at: str = "2024-05-01T08:00:00Z") -> dict[str, Any]:
    return {
        "uuid": name,
        "name": "A chat",
        "chat_messages": [
            {"uuid": f"{name}-{n}", "sender": "human", "text": turn, "created_at": at}
            for n, turn in enumerate(turns)
        ],
    }


def claimed(mind: BlockingMind, question: str) -> str | None:
    """Return what is believed of the owner, where something is."""
    found = [hit.claim for hit in mind.recall(question, k=1) if hit.claim is not None]
    return next((claim.value for claim in found if claim.entity == "owner"), None)


@pytest.mark.parametrize("newcomer", NEWCOMERS, ids=lambda newcomer: newcomer.name)
def test_what_a_newcomer_says_of_themselves_in_a_chat_is_the_owners(
    mind: BlockingMind, tmp_path: Path, newcomer: Newcomer
) -> None:
    """Their own home and work come first, and neither their family's nor what an assistant says of itself."""
    mind.import_(written(tmp_path / "conversations.json", export_of(newcomer)))
    for question, word in newcomer.asked:
        (hit,) = mind.recall(question, k=1)
        assert word in hit.text
    assert list(mind.contradictions()) == [], "what a sister does is no contradiction"
    told = " ".join(fact.text for fact in mind.profile().dynamic)
    assert ASSISTANT not in told
    assert {session.topic for session in mind.list(limit=50)} == {f"A chat of {newcomer.name}"}


def test_an_import_reads_what_changed_after_what_it_changed_whatever_the_order_of_the_file(
    mind: BlockingMind, tmp_path: Path
) -> None:
    """An export holds the newest chat first."""
    new = chats("I just started at Zalando.", name="new", at="2025-01-01T08:00:00Z")
    old = chats("I work at Siemens.", name="old", at="2023-01-01T08:00:00Z")
    mind.import_(written(tmp_path / "conversations.json", [new, old]))
    (found,) = mind.contradictions()
    assert (found.status, found.settled_by) == ("settled", "change")
    assert claimed(mind, "where do I work?") == "Zalando"


def test_the_same_export_twice_and_on_two_devices_claims_everything_once(tmp_path: Path) -> None:
    file = written(tmp_path / "conversations.json", [chats("I live in Porto. My sister Eva lives in Faro.")])
    digests = []
    for name in ("laptop", "phone"):
        with samemind.open_blocking(tmp_path / name) as mind:
            mind.import_(file)
            ops = mind.digest().ops
            assert mind.import_(file).unread == 0
            assert mind.digest().ops == ops
            digests.append(mind.digest().digest)
    assert digests[0] == digests[1]


def test_what_an_import_claims_goes_with_it(mind: BlockingMind, tmp_path: Path) -> None:
    mind.import_(
        written(
            tmp_path / "conversations.json",
            [chats(PORTO)],
        )
    )
    assert claimed(mind, "where do I live?") == "Porto"
    assert len(list(mind.list())) == 2
    mind.retract(source="claude")
    assert list(mind.list()) == []


def test_who_wants_no_facts_gets_none(mind: BlockingMind, tmp_path: Path) -> None:
    file = written(
        tmp_path / "conversations.json",
        [chats(PORTO)],
    )
    assert mind.import_(file, no_facts=True).unread == 0
    assert claimed(mind, "where do I live?") is None
    assert len(list(mind.list())) == 1
    with pytest.raises(samemind.SamemindError, match="`facts` or `no_facts`"):
        mind.import_(file, facts=True, no_facts=True)


def test_nobody_waits_for_the_reading_of_a_large_import_and_a_later_program_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "BACKLOG_MAX", 0)
    monkeypatch.setattr(ingest_worker, "QUIET_S", 60.0)  # nothing is read beside this test
    monkeypatch.setattr(ingest_worker, "PATIENCE_S", 60.0)
    file = written(tmp_path / "conversations.json", [chats("I live in Porto.", "Is it far from Faro?")])
    with samemind.open_blocking(tmp_path / "home") as mind:
        assert mind.import_(file).unread == 2
        assert claimed(mind, "where do I live?") is None, "found by its words alone"
        assert mind.queue().pending >= 2
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.wait_for_queue()
        assert mind.queue().pending == 0
        assert claimed(mind, "where do I live?") == "Porto"


def test_what_is_read_before_the_next_answer_is_no_news() -> None:
    assert READ_BEFORE_THE_NEXT_ANSWER == ingest.BACKLOG_MAX


def test_what_nobody_said_of_a_memory_is_guessed_and_shown_as_that(
    mind: BlockingMind, tmp_path: Path
) -> None:
    mind.import_(written(tmp_path / "conversations.json", [chats("I moved to Porto with Nora")]))
    (memory,) = mind.list()
    assert mind.get(memory.rid).guessed == {}
    shown = mind.get(memory.rid, guess=True)
    assert shown.type is None
    assert shown.guessed == {"type": "spatial", "people": ["Nora"], "places": ["Porto"]}
    mind.set(memory.rid, type="social")
    changed = mind.get(memory.rid, guess=True)
    assert changed.type == "social"
    assert "type" not in changed.guessed
