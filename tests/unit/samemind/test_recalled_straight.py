"""A recall of a plain thread is answered on that thread where it waits for nothing, and is the same either way."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trio

import samemind
from samemind import BlockingMind
from samemind.commands.memories.recall import Recalled

GIVE_UP_S = 30
TOLD = ("I live in Lisbon", "Ben bakes bread on Mondays", "The door code is 4711", "Ann plays the cello")
QUESTIONS = ("Where do I live?", "bread", "what is the door code and who plays the cello", "Benn", "")


@pytest.fixture
def mind(tmp_path: Path) -> Iterator[BlockingMind]:
    with samemind.open_blocking(tmp_path / "home") as opened:
        for text in TOLD[:-1]:
            opened.remember(text)
        opened.remember(TOLD[-1], wait=True)
        opened.recall("who bakes?")  # loads what embeds, and the vectors
        yield opened


def by_trio(mind: BlockingMind, question: str) -> Recalled:
    """Ask as any other verb is asked."""
    return mind._run(lambda: mind._mind.recall(question))


def same(one: Recalled, other: Recalled) -> bool:
    return replace(one, took_ms=0.0) == replace(other, took_ms=0.0)


def test_it_is_answered_while_the_loop_is_busy(mind: BlockingMind) -> None:
    go_on = threading.Event()
    mind._token.run_sync_soon(go_on.wait, GIVE_UP_S)
    found: list[Recalled] = []
    thread = threading.Thread(target=lambda: found.append(mind.recall("where do I live?")))
    thread.start()
    thread.join(GIVE_UP_S / 2)
    was_answered = bool(found)
    go_on.set()
    thread.join(GIVE_UP_S)
    assert was_answered, "it waited for the loop"
    assert found[0][0].text == TOLD[0]


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_is_what_the_loop_would_have_answered(mind: BlockingMind, question: str) -> None:
    assert same(mind.recall(question), by_trio(mind, question))
    assert mind.recall(question, k=0).results == []


def test_what_was_just_told_is_found_by_its_meaning_too(mind: BlockingMind) -> None:
    """What derives from a telling follows behind it: whoever asks right then waits until it has."""
    for number in range(10):
        mind.remember(f"Parcel {number} waits at the neighbour's")
        answer = mind.recall(f"where is parcel {number}?")
        assert (answer.unembedded, answer[0].text) == (0, f"Parcel {number} waits at the neighbour's")
        assert same(mind.recall(f"parcel {number}"), by_trio(mind, f"parcel {number}"))


def test_it_waits_for_what_is_to_follow(mind: BlockingMind) -> None:
    """While the loop stands still nothing is embedded or read, and no thread answers without it."""
    assert mind.straight is not None
    cognition = mind.straight._cognition
    position = cognition._replica.position
    assert cognition.answers_at_once
    go_on = threading.Event()
    mind._token.run_sync_soon(go_on.wait, GIVE_UP_S)
    try:
        mind.remember("Dora has moved to Bremen")
        came = cognition._replica.position
        waits = cognition.embedding.is_caught_up, cognition.ingest.waits
        cognition.embedding._none_waited = came  # as if it had its vector: it was still not read
        answers = cognition.answers_at_once
        cognition.embedding._none_waited = position
    finally:
        go_on.set()
    assert (came > position, waits, answers) == (True, (False, True), False)
    assert mind.recall("where is Dora?")[0].text == "Dora has moved to Bremen"


def test_what_was_forgotten_or_changed_is_so_at_once(mind: BlockingMind) -> None:
    told = mind.remember("Carla collects stamps")
    mind.edit(told.rid, "Carla collects coins")
    assert [hit.text for hit in mind.recall("what does Carla collect?", k=1)] == ["Carla collects coins"]
    mind.forget(told.rid)
    assert told.rid not in {hit.rid for hit in mind.recall("what does Carla collect?")}


def test_threads_that_ask_and_tell_at_once_are_all_answered(mind: BlockingMind) -> None:
    failed: list[BaseException] = []

    def asking() -> None:
        try:
            for _ in range(20):
                assert mind.recall("where do I live?")[0].text == TOLD[0]
        except BaseException as error:
            failed.append(error)

    def telling() -> None:
        try:
            for number in range(20):
                mind.remember(f"Bus {number} was late")
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for work in (asking, telling, asking, asking)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GIVE_UP_S)
    assert failed == []


def test_what_was_is_still_asked_for(mind: BlockingMind) -> None:
    assert mind.recall("where do I live?", as_of="2001-01-01").results == []


def test_a_task_of_trio_is_told_that_it_would_block(mind: BlockingMind) -> None:
    async def ask() -> None:
        with pytest.raises(samemind.Usage, match="expected a thread that runs no trio"):
            mind.recall("where do I live?")

    trio.run(ask)


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        mind.remember(TOLD[0], wait=True)
        mind.recall("where?")
        mind.recall("where?")
    with pytest.raises(samemind.Unreachable, match="closed"):
        mind.recall("where?")
