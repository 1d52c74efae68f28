"""What a reranker reads in the background: whatever the model does, the device goes on."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio

from cognition import ModelUnavailable
from cognition.mind import Cognition
from cognition.ranking.signals import RERANKER
from cognition.reranking import readings
from cognition.reranking.readings import AHEAD_MAX, UNREADABLE, keep, keep_fresh, readings_of, unread
from cognition.reranking.reranker import Scores
from replica import Forget, Replica, StoreFailed, Write
from tests.support.minds import Home, open_memory, remember
from tests.support.models import OverlapReranker


class Faulty(OverlapReranker):
    """Fails as a runtime fails: at what holds a word, or at everything."""

    def __init__(self, refuse: str) -> None:
        super().__init__()
        self.refuse = refuse

    def read(self, texts: Sequence[str]) -> list[bytes]:
        if any(self.refuse in text for text in texts):
            raise RuntimeError("bad_alloc")
        return super().read(texts)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for before something is read."""
    monkeypatch.setattr("cognition.reranking.worker.IDLE_S", 0)
    monkeypatch.setattr("cognition.background.naming.QUIET_S", 0.01)


async def until(holds: Callable[[], bool], what: str) -> None:
    with trio.move_on_after(60):
        while not holds():
            await trio.lowlevel.checkpoint()
        return
    pytest.fail(f"waited a minute for {what}")


async def kept(replica: Replica) -> list[bytes | None]:
    rows = await replica.read(
        lambda connection: connection.execute("SELECT data FROM reading ORDER BY id").fetchall()
    )
    return [data for (data,) in rows]


@pytest.mark.usefixtures("at_once")
def test_a_text_that_the_model_fails_at_holds_up_no_other_and_is_not_tried_again(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = Faulty("poison")
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await remember(replica, "poison", *(f"walrus {n}" for n in range(20)))
            await mind.settle()
            with trio.fail_after(60):
                await mind.reranking.settle()
            assert await kept(replica) == [UNREADABLE, *(b">walrus %d" % n for n in range(20))]
            reranker.has_read.clear()
            (hit,) = await mind.recall("poison", k=1)
            assert hit.memory.text == "poison"
            assert reranker.has_read == []
            assert mind.reranking.trouble is None

    trio.run(main)


@pytest.mark.usefixtures("at_once")
def test_a_model_that_fails_at_everything_ends_nothing_and_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = Faulty("")
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await remember(replica, "a walrus")
            await until(lambda: mind.reranking.trouble is not None, "the trouble to be noted")
            assert "RuntimeError: bad_alloc" in str(mind.reranking.trouble)
            (hit,) = await mind.recall("walrus")
            assert RERANKER not in hit.signals
            await mind.try_models()
            assert isinstance(mind.reranking.trouble, ModelUnavailable)
            reranker.refuse = "nothing"
            await remember(replica, "a seal")
            await until(lambda: len(reranker.has_read) >= 2, "both to be read")
            await mind.try_models()
            assert mind.reranking.trouble is None

    trio.run(main)


@pytest.mark.usefixtures("at_once")
def test_a_full_disk_ends_no_reading_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, _):

            def full(*_: object) -> None:
                raise StoreFailed("disk full")

            with monkeypatch.context() as patch:
                patch.setattr("cognition.reranking.worker.keep", full)
                await remember(replica, "a walrus")
                await until(lambda: bool(reranker.has_read), "the first reading")
                await trio.testing.wait_all_tasks_blocked()
            await remember(replica, "a seal")
            done: list[bytes | None] = []
            with trio.fail_after(60):
                while len(done) < 2:
                    done = await kept(replica)

    trio.run(main)


def test_scores_that_fail_leave_the_order_to_the_signals(tmp_path: Path) -> None:
    class Broken(OverlapReranker):
        def scores(
            self, question: str, readings: Sequence[bytes], before: Sequence[int] | None = None
        ) -> Scores:
            raise ValueError("cannot reshape")

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", reranker=Broken()) as (replica, mind):
            await remember(replica, "a walrus")
            await mind.settle()
            assert len(await mind.recall("walrus")) == 1
            assert isinstance(mind.reranking.trouble, ValueError)

    trio.run(main)


async def filled(replica: Replica, mind: Cognition) -> None:
    await remember(replica, *(f"walrus {n}" for n in range(20)))
    await mind.settle()


def test_what_a_recall_read_is_kept_and_a_damaged_reading_is_made_anew(tmp_path: Path) -> None:
    async def main() -> None:
        reranker = OverlapReranker()
        async with open_memory(tmp_path / "m.db", reranker=reranker) as (replica, mind):
            await filled(replica, mind)
            told = []

            async def tell(pending: int) -> None:
                told.append(pending)

            assert await mind.reranking.pending() == 20
            await mind.recall("which walrus")
            assert reranker.has_read == [], (
                "of a store that is yet to be read, nothing is read while somebody waits"
            )
            await mind.reranking.settle(tell)
            assert (told, await mind.reranking.pending()) == ([20, 12, 4], 0)
            reranker.has_read.clear()
            await remember(replica, "walrus new")
            await mind.recall("which walrus")
            await mind.recall("which walrus")
            assert reranker.has_read == [["walrus new"]]
            assert await mind.reranking.pending() == 0
            for damaged in (b"x" * 47, b"?"):
                reranker.has_read.clear()
                await replica.run(
                    lambda core, connection: connection.execute(
                        "UPDATE reading SET data = ? WHERE id = 3",
                        (damaged,),  # noqa: B023
                    )
                )
                await mind.recall("which walrus")
                assert len(reranker.has_read) == 1
                assert damaged not in await kept(replica)

    trio.run(main)


def read_all(home: Home) -> None:
    while page := unread(home.connection):
        keep(home.connection, page, [b">" + one.text.encode() for one in page])


def test_what_a_recall_read_leaves_what_stands_before_it_to_the_background() -> None:
    home = Home()
    numbers = [home.number(home.remember(f"walrus {n}")) for n in range(6)]
    keep_fresh(home.connection, [((numbers[4], "walrus 4"), b">walrus 4")])
    assert readings_of(home.connection, numbers) == {numbers[4]: b">walrus 4"}
    assert {one.text for one in unread(home.connection)} == {f"walrus {n}" for n in (0, 1, 2, 3, 5)}
    assert readings.count_unread(home.connection) == 5
    read_all(home)
    assert len(readings_of(home.connection, numbers)) == 6


def test_what_lies_far_ahead_of_the_background_is_not_kept() -> None:
    home = Home()
    numbers = [home.number(home.remember(f"walrus {n}")) for n in range(AHEAD_MAX + 2)]
    keep_fresh(home.connection, [((numbers[-1], f"walrus {AHEAD_MAX + 1}"), b">x")])
    assert home.connection.execute("SELECT count(*) FROM reading").fetchone() == (0,)
    keep_fresh(home.connection, [((numbers[-3], f"walrus {AHEAD_MAX - 1}"), b">x")])
    assert readings_of(home.connection, numbers) == {numbers[-3]: b">x"}


def test_no_row_is_left_of_memories_that_are_gone() -> None:
    home = Home()
    rids = [home.remember(f"walrus {n}") for n in range(12)]
    read_all(home)
    home.commit(Write(Forget(tuple(sorted(rids[:10])))))
    assert home.connection.execute("SELECT count(*) FROM reading").fetchone() == (2,)
    home.commit(Write(Forget((rids[11],))))
    assert home.connection.execute("SELECT max(id) FROM reading").fetchone() == (12,), (
        "the last one says how far reading has come"
    )
    late = [home.remember("a seal"), home.remember("an orca")]
    page = unread(home.connection)
    home.commit(Write(Forget((late[0],))))
    keep(home.connection, page, [b">" + one.text.encode() for one in page])
    assert home.connection.execute("SELECT count(*) FROM reading WHERE data IS NULL").fetchone()[0] <= 1
    assert unread(home.connection) == []
