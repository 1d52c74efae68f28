"""A new device that joins by a snapshot: found by words at once, by meaning without embedding anything itself."""

from collections.abc import Sequence
from pathlib import Path

import trio.testing

from cognition import HashedEmbedder, open_mind
from cognition.embedding.embedder import Vectors
from cognition.errors import ModelUnavailable
from replica import compact
from tests.support.daemons import online, until
from tests.support.devices import devices, run
from tests.support.minds import derived_tables

TEXTS = [f"sentence number {i} about {'tea' if i % 2 else 'bread'}" for i in range(300)]


class Slow(HashedEmbedder):
    """A model that is said to be slow, and on some devices too slow to be asked at all."""

    def __init__(self, *, answers: bool) -> None:
        super().__init__()
        self.answers = answers
        self.asked: list[str] = []

    @property
    def costly(self) -> bool:
        return True

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        if not self.answers:
            raise ModelUnavailable("expected nobody to embed here")
        return super().embed(texts)


def test_a_new_device_has_every_vector_of_a_snapshot_without_embedding_anything(tmp_path: Path) -> None:
    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", derived=derived_tables()) as (laptop, phone):
            slow = Slow(answers=False)
            async with (
                open_mind(laptop.replica, embedder=Slow(answers=True)) as theirs,
                open_mind(phone.replica, embedder=slow) as mine,
            ):
                await laptop.remember(*TEXTS)
                await theirs.settle()
                assert await laptop.replica.run(lambda core, _: compact(core, laptop.replica.now_ms()))
                assert await mine.recall("tea") == []  # its index is loaded by now
                slow.asked.clear()
                async with online(laptop) as syncer, online(phone, calls=[syncer]):

                    async def has_all() -> bool:
                        return not (await mine.embedding.state()).pending and len(await phone.texts()) == 300

                    await until(has_all)
                assert slow.asked == []
                assert phone.replica.position == 0  # not one op came: it was the base alone
                slow.answers = True
                hits = await mine.recall("which sentences are about bread?", k=5)
                assert len(hits) == 5

                # The index hears of vectors once they are committed, so a moment after the queue is empty.
                async def are_all_found_by_meaning() -> bool:
                    found = await phone.replica.read(lambda connection: mine.embedding.loaded(connection))
                    return len(found) == 300

                await until(are_all_found_by_meaning)

    run(main)


def test_a_device_that_gets_memories_by_a_snapshot_alone_embeds_them(tmp_path: Path) -> None:
    """No op comes with a base, and the worker used to wait for one."""

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone", derived=derived_tables()) as (laptop, phone):
            async with open_mind(phone.replica, embedder=HashedEmbedder()) as mind:
                await laptop.remember(*TEXTS[:20])
                assert await laptop.replica.run(lambda core, _: compact(core, laptop.replica.now_ms()))
                await trio.testing.wait_all_tasks_blocked()
                async with online(laptop) as syncer, online(phone, calls=[syncer]):

                    async def embedded() -> bool:
                        return not (await mind.embedding.state()).pending and len(await phone.texts()) == 20

                    await until(embedded)

    run(main)
