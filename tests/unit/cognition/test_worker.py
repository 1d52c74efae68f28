"""The index of a worker holds what the table holds, whoever made a vector and whenever somebody first recalls."""

import sqlite3
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import trio
import trio.testing

import cognition.background.worker
import cognition.embedding.index
from cognition import HashedEmbedder, ModelUnavailable
from cognition.background import queue
from cognition.background.worker import ANSWER_S_MAX, ASKS_AGAIN_S, LINGER_S, TELLS_S_MAX, EmbeddingWorker
from cognition.mind import Cognition
from replica import Core, Forget, MemoryId, Remember, Replica, Write, new_memory_id
from tests.support.minds import NOW_MS, FaultyEmbedder, open_memory, remember

WIDTH = 64


class Slow(FaultyEmbedder):
    """A model that is slow, and cannot embed what is said to be poison."""

    @property
    def costly(self) -> bool:
        return True


async def a_vector_comes(replica: Replica, rid: MemoryId, text: str) -> None:
    """Let another device hand over the vector of a memory that waits here."""
    sent = HashedEmbedder(WIDTH).embed([text])[0].astype("<f2").tobytes()

    def keep(connection: object) -> None:
        assert replica.alongside is not None
        beside = replica.alongside(connection)  # type: ignore[arg-type]
        wishes = beside.next_wishes(10)
        assert [wish.rid for wish in wishes] == [rid]
        beside.keep(wishes, [sent])

    await replica.run(lambda core, connection: keep(connection))


async def nearest(replica: Replica, worker: EmbeddingWorker, text: str) -> float:
    """Return the cosine of a text to what the index holds nearest to it."""
    question = HashedEmbedder(WIDTH).embed([text])[0]
    ((_, cosine),) = await replica.read(lambda connection: worker.loaded(connection).search(question, 1))
    return cosine


async def edit(replica: Replica, rid: MemoryId, text: str) -> None:
    """Say something else in a memory."""
    await replica.run(lambda core, _: core.commit(core.edits_of(rid, text), replica.now_ms()))


def test_a_vector_that_came_before_anybody_recalled_does_not_displace_a_later_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (replica, mind):
            (rid,) = await remember(replica, "poison ivy")
            await a_vector_comes(replica, rid, "poison ivy")
            await edit(replica, rid, "a pot of tea")
            await mind.settle()
            assert await nearest(replica, mind.embedding, "a pot of tea") > 0.99

    trio.run(main)


def test_vectors_that_come_to_an_index_in_use_are_in_it_and_the_latest_counts(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (replica, mind):
            (rid,) = await remember(replica, "poison ivy")
            assert await held(replica, mind) == 0
            await a_vector_comes(replica, rid, "poison ivy")
            assert await nearest(replica, mind.embedding, "poison ivy") > 0.99
            await edit(replica, rid, "more poison")
            await a_vector_comes(replica, rid, "more poison")
            await edit(replica, rid, "a pot of tea")
            await mind.settle()
            assert await nearest(replica, mind.embedding, "a pot of tea") > 0.99
            assert await held(replica, mind) == 1

    trio.run(main)


def test_whoever_waited_for_all_vectors_finds_them_all_in_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine, the thread that has committed the last of them may come to rest right then."""
    done, committed = queue.done, threading.Event()

    def slow(*given: Any) -> list[int]:
        kept = done(*given)
        committed.set()
        time.sleep(0.2)
        return kept

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder(WIDTH)) as (replica, mind):
            assert await held(replica, mind) == 0
            await remember(replica, "a pot of tea")
            await trio.to_thread.run_sync(committed.wait, 10)
            await mind.settle()
            assert await held(replica, mind) == 1

    monkeypatch.setattr(queue, "done", slow)
    trio.run(main)


def test_nothing_is_kept_for_an_index_that_nobody_asked_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (replica, mind):
            (rid,) = await remember(replica, "poison ivy")
            await a_vector_comes(replica, rid, "poison ivy")
            await mind.settle()
            assert mind.embedding._came is None

    trio.run(main)


def test_what_a_question_met_with_stands_until_the_worker_has_tried_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (replica, mind):
            worker = mind.embedding
            due, tell, told = worker._until_due_s, worker._tell, list[object]()

            async def asked_meanwhile() -> float:
                monkeypatch.setattr(worker, "_until_due_s", due)
                worker.trouble = ModelUnavailable("a question met with it")
                return await due()

            def passed() -> None:
                told.append(worker.trouble)
                tell()

            monkeypatch.setattr(worker, "_until_due_s", asked_meanwhile)
            monkeypatch.setattr(worker, "_tell", passed)
            with trio.fail_after(20):
                await remember(replica, "a pot of tea")
                while not any(told):  # noqa: ASYNC110 -- by the worker, which knows of no test
                    await trio.sleep(0.01)
                await remember(replica, "another")
                while told[-1] is not None:  # noqa: ASYNC110
                    await trio.sleep(0.01)

    trio.run(main)


def test_vectors_of_some_memories_are_those_that_all_would_be(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, *(f"fact number {n}" for n in range(20)))
            await mind.settle()
            space = mind.embedding.space
            ((ids, rows),) = await replica.read(lambda it: list(queue.read_vectors(it, space, WIDTH)))
            some, found = await replica.read(lambda it: queue.vectors_of(it, space, WIDTH, [*ids[3:9], 999]))
            assert some == ids[3:9]
            assert np.array_equal(found, rows[3:9])
            none, empty = await replica.read(lambda it: queue.vectors_of(it, space, WIDTH, [999]))
            assert (none, empty.shape) == ([], (0, WIDTH))

    trio.run(main)


async def held(replica: Replica, mind: Cognition) -> int:
    """Return how many vectors the index holds."""
    return await replica.read(lambda connection: len(mind.embedding.loaded(connection)))


def test_vectors_that_are_on_their_way_are_waited_for_rather_than_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.background.worker.ANSWER_S_MAX", 0.5)

    async def main() -> None:
        embedder = Slow()
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):

            def learn_and_ask(core: Core, connection: sqlite3.Connection) -> float:
                rids = [new_memory_id(NOW_MS, Random(n)) for n in range(2)]
                core.commit([Write(Remember("a pot of tea", {}), rid) for rid in rids], NOW_MS)
                assert replica.alongside is not None
                asked_s = time.monotonic()
                assert len(replica.alongside(connection).next_wishes(10)) == 2
                return asked_s

            await trio.testing.wait_all_tasks_blocked(
                0.1
            )  # the worker's first look, which may see what is not asked for
            asked_s = await replica.run(learn_and_ask)
            await mind.settle()  # the other device never answers
            assert time.monotonic() - asked_s >= 0.4
            assert embedder.calls == [["a pot of tea"] * 2]

    trio.run(main)


def test_a_conversation_is_waited_for_until_it_says_so_or_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (_, mind):
            worker = mind.embedding
            now_s = time.monotonic()
            with monkeypatch.context() as patch:
                patch.setattr("cognition.background.worker.time.monotonic", lambda: now_s)
                laptop, phone = worker._awaiting(), worker._awaiting()
                assert not worker._vectors_come()
                laptop(True)
                phone(True)
                laptop(False)
                assert worker._vectors_come()
                phone(False)
                assert not worker._vectors_come()
                phone(True)
                now_s += ANSWER_S_MAX
                assert not worker._vectors_come()
                laptop(False)
                assert worker._awaited == {}, "what is over is not kept"

    trio.run(main)


def test_whoever_asks_goes_before_what_waits_unless_somebody_waits_for_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (_, mind):
            worker = mind.embedding
            now_s = time.monotonic()
            with monkeypatch.context() as patch:
                patch.setattr("cognition.background.worker.time.monotonic", lambda: now_s)
                assert not worker._somebody_asks()
                await mind.recall("tea")
                assert worker._somebody_asks()
                now_s += 2 * ASKS_AGAIN_S
                assert not worker._somebody_asks()
                worker.asked()
                worker._hurry.set()
                assert not worker._somebody_asks()

    trio.run(main)


def test_who_tells_one_thing_after_another_goes_before_a_costly_embedder_but_not_for_ever(
    tmp_path: Path,
) -> None:
    clock = trio.testing.MockClock()  # stands still until it is told to jump

    async def tell(replica: Replica, mind: Cognition, times: int) -> None:
        for number in range(times):
            await remember(replica, f"fact {number}")
            clock.jump(LINGER_S / 2)
            await trio.testing.wait_all_tasks_blocked(0.01)

    async def main() -> None:
        embedder = Slow(refuse="nothing")
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            await mind.embedding._progress.wait()
            await tell(replica, mind, int(TELLS_S_MAX / LINGER_S))
            assert embedder.calls == [], "for half of the time that it waits"
            await tell(replica, mind, int(TELLS_S_MAX / LINGER_S) + 4)
            for _ in range(1_000):  # it embeds in a thread
                if embedder.calls:
                    break
                await trio.testing.wait_all_tasks_blocked(0.01)
            assert embedder.calls
            await remember(replica, "one more")
            await mind.settle()  # without a jump: nobody waits for who waits
            assert await held(replica, mind) == 2 * int(TELLS_S_MAX / LINGER_S) + 5

    trio.run(main, clock=clock)


def test_a_small_backlog_is_embedded_by_the_recall_that_meets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.background.worker.LINGER_S", 60)

    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await trio.testing.wait_all_tasks_blocked(0.1)
            await remember(replica, *(f"fact number {n}" for n in range(100)))
            first = await mind.recall("number facts", k=100)
            assert first.unembedded == 0
            assert await held(replica, mind) == 100
            again = await mind.recall("number facts", k=100)
            assert [hit.rid for hit in first] == [hit.rid for hit in again]
            assert [hit.score for hit in first] == pytest.approx([hit.score for hit in again], abs=1e-6)

    trio.run(main)


def test_a_backlog_too_large_for_a_recall_is_counted_in_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.background.worker.LINGER_S", 60)
    monkeypatch.setattr("cognition.background.worker.CATCH_UP_MS_MAX", 50)

    async def main() -> None:
        embedder = FaultyEmbedder()
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            await trio.testing.wait_all_tasks_blocked(0.1)
            await remember(replica, *(f"fact number {n}" for n in range(1_000)))
            found = await mind.recall("facts")
            assert (found.unembedded, embedder.calls) == (1_000, [["facts"]])
            await mind.settle()
            assert (await mind.recall("facts")).unembedded == 0
            await remember(replica, "poison")
            assert (await mind.recall("facts")).unembedded == 1, "what cannot be embedded is counted"

    trio.run(main)


def test_a_cheap_embedder_does_not_yield_to_who_asks(tmp_path: Path) -> None:
    async def main(embedder: FaultyEmbedder) -> float:
        async with open_memory(tmp_path / f"{embedder.costly}.db", embedder=embedder) as (_, mind):
            mind.embedding.asked()
            began_s = time.monotonic()
            await mind.embedding._give_way()
            return time.monotonic() - began_s

    assert trio.run(main, FaultyEmbedder()) < ASKS_AGAIN_S / 2
    assert trio.run(main, Slow()) >= ASKS_AGAIN_S / 2


def test_a_store_whose_vectors_are_held_in_8_bits_answers_as_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of what comes, is edited and is erased while it is open: vectors are read where they are kept."""
    questions = ("note of 4 things", "scones for tea", "nothing of the kind")

    async def answers(replica: Replica, mind: Cognition) -> list[list[tuple[int, float]]]:
        asked = HashedEmbedder(WIDTH).embed(questions)
        return await replica.read(
            lambda connection: [mind.embedding.loaded(connection).search(query, 20) for query in asked]
        )

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder(WIDTH)) as (replica, mind):
            rids = await remember(replica, *(f"note {n} of {n * 7 % 31} things" for n in range(60)))
            await mind.settle()
            before = await answers(replica, mind)
        monkeypatch.setattr(cognition.embedding.index, "ALL_MAX", 20)
        monkeypatch.setattr(cognition.background.worker, "ALL_MAX", 20)
        async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder(WIDTH)) as (replica, mind):
            assert await answers(replica, mind) == before
            index = mind.embedding.index
            assert index is not None
            assert index._matrix.dtype == np.int8
            await remember(replica, "scones for tea")
            await edit(replica, rids[3], "not a note any more: crumpets")
            await replica.run(lambda core, _: core.commit([Write(Forget((rids[4],)))], replica.now_ms()))
            await mind.settle()
            assert (await mind.recall("scones for tea"))[0].memory.text == "scones for tea"
            assert (await mind.recall("crumpets"))[0].memory.rid == rids[3]
            found = await mind.recall(f"note 4 of {4 * 7 % 31} things")
            assert rids[4] not in {hit.memory.rid for hit in found}
            after = await answers(replica, mind)
        monkeypatch.undo()
        async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder(WIDTH)) as (replica, mind):
            assert await answers(replica, mind) == after

    trio.run(main)


def test_whoever_waits_for_a_backlog_has_it_counted_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting was done after each batch: of a million that wait, it took longer than the batch."""
    counted: list[int] = []
    state = queue.state

    def noted(connection: sqlite3.Connection) -> queue.QueueState:
        found = state(connection)
        counted.append(found.pending)
        return found

    monkeypatch.setattr(queue, "state", noted)
    monkeypatch.setattr(queue, "next_batch", lambda size, took_ms: 1)
    told: list[int] = []

    async def note(left: int) -> None:
        told.append(left)

    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, *(f"text number {n}" for n in range(40)))
            await mind.settle(note)
            assert (await mind.embedding.state()).pending == 0

    trio.run(main)
    assert told[0] > 30
    assert len([each for each in counted if each]) < 10


def test_the_count_of_what_is_left_is_told_as_often_as_it_is_wished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cognition.background.worker, "TOLD_EVERY_S", 0.0)
    monkeypatch.setattr(queue, "next_batch", lambda size, took_ms: 1)
    told: list[int] = []

    async def note(left: int) -> None:
        told.append(left)

    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, *(f"text number {n}" for n in range(40)))
            await mind.settle(note)

    trio.run(main)
    assert len(told) > 10
    assert told == sorted(told, reverse=True)
