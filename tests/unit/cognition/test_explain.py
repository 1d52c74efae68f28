from pathlib import Path

import trio

from cognition import Filters
from cognition.mind import Cognition
from cognition.recall.explain import ExplainedStage
from replica import Forget, MemoryId, Replica, Set, Write
from tests.support.minds import open_memory, remember


async def dropped_by(
    mind: Cognition, rid: MemoryId, query: str, *, filters: Filters = Filters()
) -> ExplainedStage:
    stages = await mind.why_not(rid, query, k=2, filters=filters)
    assert all(stage.passed for stage in stages[:-1])
    return stages[-1]


async def write(replica: Replica, *writes: Write) -> None:
    await replica.run(lambda core, _: core.commit(list(writes), replica.now_ms()))


def test_the_stage_that_dropped_a_memory_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            best, second, third = await remember(
                replica,
                "the walrus of the north",
                "a walrus is a walrus",
                "once there was a walrus, they say",
            )
            (hidden, gone) = await remember(replica, "a walrus in the attic", "a walrus long ago")
            (stranger,) = await remember(replica, "quarterly report")
            await mind.settle()
            await write(replica, Write(Set("archived", True), hidden), Write(Forget((gone,))))

            shown = await dropped_by(mind, best, "the walrus of the north")
            assert (shown.name, shown.passed) == ("ranking", True)
            assert "at 1 of 2" in shown.detail
            places = [await dropped_by(mind, rid, "the walrus of the north") for rid in (second, third)]
            (late,) = [stage for stage in places if not stage.passed]
            assert late.name == "ranking"
            assert "ranked 3 of" in late.detail
            assert (await dropped_by(mind, hidden, "walrus")).name == "filters"
            assert (await dropped_by(mind, third, "walrus", filters=Filters(project="sea"))).name == "filters"
            forgotten = await dropped_by(mind, gone, "walrus")
            assert (forgotten.name, forgotten.detail) == ("store", "it was forgotten")
            unknown = await dropped_by(mind, MemoryId(bytes(16)), "walrus")
            assert unknown.detail == "no memory here has this id"
            nothing = await dropped_by(mind, stranger, "?!")
            assert (nothing.name, nothing.passed) == ("candidates", False)

    trio.run(main)


def test_a_duplicate_is_shown_under_its_twin(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            twins = await remember(replica, "a walrus", "a walrus")
            await mind.settle()
            last = [(await mind.why_not(rid, "walrus"))[-1] for rid in twins]
            assert sorted(stage.name for stage in last) == ["duplicates", "ranking"]

    trio.run(main)


def test_a_memory_that_waits_for_its_vector_is_said_to(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_memory(tmp_path / "m.db") as (replica, mind):
            (rid,) = await remember(replica, "quarterly report")
            await mind.settle()
            await replica.run(
                lambda core, connection: connection.execute(
                    "INSERT INTO embed_queue (id, enqueued_at, attempts, status) SELECT id, 0, 5, 'failed' FROM memory"
                )
            )
            stage = await dropped_by(mind, rid, "walrus")
            assert stage.name == "candidates"
            assert "its vector is failed" in stage.detail

    trio.run(main)
