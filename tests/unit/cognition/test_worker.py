"""The index of a worker holds what the table holds, whoever made a vector and whenever somebody first recalls."""

from pathlib import Path

import numpy as np
import trio

from cognition import HashedEmbedder, queue
from cognition.mind import Mind
from cognition.worker import EmbeddingWorker
from replica import MemoryId, Replica
from tests.support.minds import FaultyEmbedder, open_memory, remember

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
    await replica.run(lambda core, _: core.commit([core.edit_of(rid, text)], replica.now_ms()))


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


def test_nothing_is_kept_for_an_index_that_nobody_asked_for(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder=Slow()) as (replica, mind):
            (rid,) = await remember(replica, "poison ivy")
            await a_vector_comes(replica, rid, "poison ivy")
            await mind.settle()
            assert mind.embedding._came is None

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


async def held(replica: Replica, mind: Mind) -> int:
    """Return how many vectors the index holds."""
    return await replica.read(lambda connection: len(mind.embedding.loaded(connection)))
