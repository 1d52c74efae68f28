import sqlite3
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from cognition import Filters, HashedEmbedder, ModelUnavailable, StaticEmbedder
from cognition.background import queue
from cognition.background.worker import LINGER_S
from cognition.embedding.embedder import Vectors
from cognition.mind import Cognition
from cognition.recall import stages as recall
from replica import Forget, Remember, Replica, StoreCorrupt, Write
from tests.support.daemons import until
from tests.support.minds import FaultyEmbedder, locomo, open_memory, remember, turns_of
from tests.support.published import published
from tests.support.replicas import spoil


def test_a_memory_is_recalled_by_its_words_at_once_and_by_meaning_when_settled(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, "Ann moved to Lisbon", "Bob sold his boat")
            (hit,) = await mind.recall("Lisbon", k=1)
            assert hit.memory.text == "Ann moved to Lisbon"
            await mind.settle()
            (hit,) = await mind.recall("Lisbon", k=1)
            assert {found.channel for found in hit.found} == {"words", "vectors"}
            # Once the index is in use, it follows what is written.
            await remember(replica, "Carl lives in Porto")
            await mind.settle()
            (hit,) = await mind.recall("Porto", k=1)
            assert {found.channel for found in hit.found} == {"words", "vectors"}

    trio.run(main)


def test_a_recall_reads_the_store_as_it_is_at_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            rids = await remember(replica, "Ann moved to Lisbon", "Bob sold his boat")
            await mind.settle()
            searched = recall._searched

            def search(*given: Any, **named: Any) -> Any:
                found = searched(*given, **named)
                replica.run_from_thread(
                    lambda core, _: core.commit([Write(Forget((rids[0],)))], replica.now_ms())
                )
                return found

            with monkeypatch.context() as patched:
                patched.setattr(recall, "_searched", search)
                (hit, *_) = await mind.recall("Lisbon")
            assert hit.rid == rids[0]
            assert [hit.rid for hit in await mind.recall("Lisbon")] == [rids[1]]

    trio.run(main)


@published("PM-51")
def test_a_hundred_facts_return_before_any_is_embedded(tmp_path: Path) -> None:
    async def main() -> None:
        embedder = FaultyEmbedder(refuse="nothing")
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            rids = await remember(replica, *(f"fact {n}" for n in range(100)))
            assert len(rids) == 100
            assert len(embedder.calls) == 0
            await mind.settle()
            assert sum(map(len, embedder.calls)) == 100

    trio.run(main)


@published("PM-55")
def test_what_an_earlier_run_left_is_embedded_by_the_next(tmp_path: Path) -> None:
    async def main() -> None:
        missing = FaultyEmbedder(refuse="", error=ModelUnavailable("no model here"))
        async with open_memory(tmp_path / "m.db", embedder=missing) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon")
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await mind.settle()
            assert await mind.embedding.state() == queue.QueueState(0, 0, None)
            (hit,) = await mind.recall("Lisbon")
            assert {found.channel for found in hit.found} == {"words", "vectors"}

    trio.run(main)


def test_one_bad_text_does_not_spoil_its_batch_and_is_given_up_after_five_tries(tmp_path: Path) -> None:
    async def main() -> None:
        now_ms = 1_700_000_000_000

        def clock() -> int:
            nonlocal now_ms
            now_ms += 30_000  # every look at the clock is past the next retry
            return now_ms

        embedder = FaultyEmbedder()
        async with open_memory(tmp_path / "m.db", embedder=embedder, clock=clock) as (replica, mind):
            await remember(replica, "good one", "poison", "good two")
            await mind.settle()
            state = await mind.embedding.state()
            assert (state.pending, state.failed) == (0, 1)
            (entry,) = await mind.embedding.entries(status="failed")
            assert (entry.text, entry.attempts, entry.last_error) == (
                "poison",
                5,
                "RuntimeError: cannot embed this",
            )
            embedder.refuse = "nothing"
            assert await mind.embedding.requeue() == 1
            await mind.settle()
            assert (await mind.embedding.state()).failed == 0

    trio.run(main)


def test_a_missing_model_is_said_so_costs_no_attempts_and_recall_goes_on_by_words(tmp_path: Path) -> None:
    async def main() -> None:
        missing = StaticEmbedder(tmp_path)
        async with open_memory(tmp_path / "m.db", embedder=missing) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon")
            with pytest.raises(ModelUnavailable, match="expected a tokenizer at"):
                await mind.settle()
            assert isinstance(mind.trouble, ModelUnavailable)
            (entry,) = await mind.embedding.entries()
            assert (entry.attempts, entry.status) == (0, "pending")
            (hit,) = await mind.recall("Lisbon")
            assert [found.channel for found in hit.found] == ["words"]

    trio.run(main)


class NarrowEmbedder(HashedEmbedder):
    """Promises one width and delivers another."""

    @property
    def width(self) -> int:
        return 3


def test_an_embedder_that_breaks_its_promise_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=NarrowEmbedder()) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon")
            with pytest.raises(ModelUnavailable, match=r"shape \(1, 3\) from hashed-1/64, got \(1, 64\)"):
                await mind.settle()

    trio.run(main)


def test_changing_the_embedder_never_mixes_spaces(tmp_path: Path) -> None:
    async def main() -> None:
        for width in (64, 32, 64):
            async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder(width)) as (replica, mind):
                await remember(replica, f"told at width {width}")
                await mind.settle()
                hits = await mind.recall("told at width", filters=Filters())
                assert all(len(hit.found) == 2 for hit in hits)

    trio.run(main)


def test_another_embedder_embeds_everything_anew_while_recall_goes_on_and_says_how_far_it_is(
    tmp_path: Path,
) -> None:
    class Other(HashedEmbedder):
        """The same vectors under another name; those of memories are given only when a test lets them."""

        def __init__(self) -> None:
            super().__init__()
            self.may = threading.Event()

        @property
        def name(self) -> str:
            return "other"

        def embed(self, texts: Sequence[str]) -> Vectors:
            if len(texts) > 1:
                self.may.wait(20)
            return super().embed(texts)

    async def main() -> None:
        texts = [f"note number {n} of many" for n in range(40)]
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, *texts)
            await mind.settle()
        other, left = Other(), []

        async def told(pending: int) -> None:
            left.append(pending)
            other.may.set()

        async with open_memory(tmp_path / "m.db", embedder=other) as (_, mind):
            assert (await mind.embedding.state()).pending == 40
            (hit,) = await mind.recall("note number 7", k=1)
            assert {found.channel for found in hit.found} == {"words"}, "a slow batch is not waited for"
            await mind.settle(told)
            assert left[0] == 40
            assert left == sorted(left, reverse=True)
            (hit,) = await mind.recall("note number 7", k=1)
            assert {found.channel for found in hit.found} >= {"words", "vectors"}

    trio.run(main)


def test_a_forgotten_memory_is_gone_from_recall_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            (rid,) = await remember(replica, "Ann moved to Lisbon")
            await mind.settle()
            assert len(await mind.recall("Lisbon")) == 1
            await replica.run(lambda core, _: core.commit([Write(Forget((rid,)))], replica.now_ms()))
            assert await mind.recall("Lisbon") == []

    trio.run(main)


@published("PM-36")
def test_each_part_of_a_compound_question_is_answered(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(
                replica,
                "I joined the gym in January",
                "I stopped going because my knee hurt",
                *(f"the gym is open on day {n}" for n in range(10)),
            )
            await mind.settle()
            hits = await mind.recall("when did I join the gym and why did I stop going there?", k=2)
            assert {hit.memory.text for hit in hits} == {
                "I joined the gym in January",
                "I stopped going because my knee hurt",
            }
            assert all(0 < hit.score <= 1 for hit in hits)

    trio.run(main)


def test_errors_of_the_caller_come_out_as_they_are(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(KeyError, match="mine"):
            async with open_memory(tmp_path / "m.db"):
                raise KeyError("mine")

    trio.run(main)


def test_locomo_the_turn_that_answers_is_among_the_first_ten(tmp_path: Path) -> None:
    conversation = next(it for it in locomo() if it["sample_id"] == "conv-26")

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=StaticEmbedder()) as (replica, mind):
            writes = [Write(Remember(turn.text, turn.fields), turn.rid) for turn in turns_of(conversation)]
            await replica.run(lambda core, _: core.commit(writes, replica.now_ms()))
            await mind.settle()
            hits = await mind.recall("When did Caroline go to the LGBTQ support group?", k=10)
            assert "D1:3" in [hit.memory.fields["turn"] for hit in hits]

    trio.run(main)


def test_a_burst_of_writes_is_not_disturbed_and_embedded_together_afterwards(tmp_path: Path) -> None:
    clock = trio.testing.MockClock()  # stands still until it is told to jump

    async def main() -> None:
        embedder = FaultyEmbedder(refuse="nothing")
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            # Its first look at the queue is as slow as its thread is: from here on only the clock lets it look again.
            await mind.embedding._progress.wait()
            for number in range(30):
                await remember(replica, f"fact {number}")
                await trio.testing.wait_all_tasks_blocked()
            assert embedder.calls == []
            clock.jump(LINGER_S)
            await mind.settle()
            assert sum(map(len, embedder.calls)) == 30
            assert len(embedder.calls) <= 4

    trio.run(main, clock=clock)


def visits_of(replica: Replica, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what is asked of the reading thread from now on."""
    visits: list[object] = []
    read = replica.read

    async def counted(function: Callable[[sqlite3.Connection], object]) -> object:
        visits.append(function)
        return await read(function)

    monkeypatch.setattr(replica, "read", counted)
    return visits


def test_a_recall_by_the_default_embedder_visits_the_reading_thread_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each visit costs more than embedding a question does."""

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=StaticEmbedder()) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon", "Bob sold his boat")
            await mind.settle()
            visits = visits_of(replica, monkeypatch)
            (hit,) = await mind.recall("Where did Ann move, and why did Bob sell the boat he had?", k=1)
            assert len(visits) == 1
            assert {"words", "vectors"} <= {found.channel for found in hit.found}

    trio.run(main)


class Costly(FaultyEmbedder):
    """Takes long, and is told apart by the thread that it was called on."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []
        self.blocked: dict[str, Callable[[], object]] = {}

    @property
    def costly(self) -> bool:
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.threads.append(threading.get_ident())
        for text in texts:
            self.blocked.get(text, bool)()
        return super().embed(texts)


def test_a_costly_embedder_takes_questions_as_they_are_meant_in_the_one_visit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip is put right by what is held there."""

    async def main() -> None:
        embedder = Costly()
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon", "the physiotherapist called")
            await mind.settle()
            visits = visits_of(replica, monkeypatch)
            for question, embedded in (
                ("Where did Ann move?", [["Where did Ann move?"]]),
                ("the phisiotherapist", [["the physiotherapist"]]),
                ("?!", []),
            ):
                visits.clear()
                embedder.calls.clear()
                hits = await mind.recall(question, k=1)
                assert (len(visits), embedder.calls) == (1, embedded)
                assert not embedded or {"words", "vectors"} <= {found.channel for found in hits[0].found}
            embedder.refuse, embedder.error = "", ModelUnavailable("no model here")
            (hit,) = await mind.recall("the phisiotherapist", k=1)
            assert {found.channel for found in hit.found} == {"words"}
            assert isinstance(mind.trouble, ModelUnavailable)

    trio.run(main)


def test_what_is_asked_beside_another_question_is_embedded_beside_the_reading_thread(tmp_path: Path) -> None:
    """Others wait on that thread: here the first question holds it until the second was embedded."""

    async def main() -> None:
        embedder = Costly()
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon", "Bob sold his boat")
            await mind.settle()
            reading = await replica.read(lambda connection: threading.get_ident())
            holds, lets_go = threading.Event(), threading.Event()

            def hold() -> None:
                holds.set()
                lets_go.wait(30)

            embedder.blocked = {
                "Where did Ann move?": hold,
                "who sold it": lets_go.set,
            }
            embedder.threads.clear()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(mind.recall, "Where did Ann move?")
                await trio.to_thread.run_sync(holds.wait, 30)
                assert "Bob sold his boat" in [hit.memory.text for hit in await mind.recall("who sold it")]
            assert [thread == reading for thread in embedder.threads[:2]] == [True, False]

    trio.run(main)


def test_a_model_that_was_not_loaded_yet_is_loaded_beside_the_reading_thread(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=HashedEmbedder()) as (replica, mind):
            await remember(replica, "Ann moved to Lisbon")
            await mind.settle()
        embedder = Costly()
        async with open_memory(tmp_path / "m.db", embedder=embedder) as (replica, mind):
            reading = await replica.read(lambda connection: threading.get_ident())
            for _ in range(2):
                assert len(await mind.recall("Where did Ann move?")) == 1
            assert [thread == reading for thread in embedder.threads] == [False, True]

    trio.run(main)


def stumbled(mind: Cognition) -> Callable[[], Awaitable[bool]]:
    async def asked() -> bool:
        return mind.trouble is not None

    return asked


def test_a_damaged_queue_is_told_and_waited_out_while_recall_goes_on_by_words(tmp_path: Path) -> None:
    """What works in the background met it as an error of SQLite's own, and took the device with it."""

    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            await remember(replica, "Ann moved to Lisbon")
        spoil(tmp_path / "m.db", "embed_queue")
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            with pytest.raises(StoreCorrupt, match="malformed"):
                await mind.settle()
            await until(stumbled(mind))
            assert isinstance(mind.trouble, StoreCorrupt)
            assert [hit.memory.text for hit in await mind.recall("Lisbon")] == ["Ann moved to Lisbon"]

    trio.run(main)
