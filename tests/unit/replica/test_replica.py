"""The shell in trio around a core: whole functions, watchers, and cancellation."""

import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from replica import AsyncioHost, Core, Forget, MemoryId, Replica, StoreCorrupt, Write, open_replica
from replica.compaction import compact
from replica.errors import InvalidOp
from replica.ops import Set
from replica.snapshot import absorb, make_snapshot, read_snapshot
from replica.storage.sql import REST_ROWS_MIN
from tests.support.devices import SECONDS_MAX, devices, remember, run
from tests.support.links import identity
from tests.support.replicas import NOW_MS, spoil

FORGET = Write(Forget((MemoryId(bytes(16)),)))


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Replica]:
    who = identity("ann")
    async with (
        AsyncioHost.open() as host,
        open_replica(path, host=host, device=who.device_id, sign=who.sign, clock=lambda: NOW_MS) as replica,
    ):
        yield replica


def settle_theme(core: Core, value: str) -> None:
    core.commit([Write(Set("theme", value))], NOW_MS)


def test_what_one_function_committed_the_next_one_and_readers_see(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            assert await replica.run(lambda core, _: core.commit([FORGET], replica.now_ms())[0].seq) == 1
            assert await replica.run(lambda core, _: core.position) == replica.position == 1
            assert await replica.read(
                lambda connection: connection.execute("SELECT count(*) FROM op").fetchall()
            ) == [(1,)]

    run(main)


def test_what_was_acknowledged_is_there_after_closing_and_opening(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            await replica.run(lambda core, _: core.commit([FORGET], NOW_MS))
            digests = await replica.run(lambda core, _: core.digests())
        async with opened(tmp_path / "store.db") as replica:
            assert await replica.run(lambda core, _: core.digests()) == digests
            assert replica.position == 1

    run(main)


def test_at_rest_much_that_was_written_is_in_the_file_itself_and_little_is_not(tmp_path: Path) -> None:
    def log_began() -> bytes:
        return (tmp_path / "store.db-wal").read_bytes()[16:24]

    def in_the_file() -> int:
        alone = tmp_path / "alone.db"
        alone.write_bytes((tmp_path / "store.db").read_bytes())
        with closing(sqlite3.connect(alone)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_schema WHERE name = 'op'").fetchall()
            return sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in tables)

    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            await replica.run(lambda core, _: settle_theme(core, "dark"))
            await replica.rest()
            assert in_the_file() == 0
            many = [Write(Set("theme", str(n))) for n in range(REST_ROWS_MIN)]
            await replica.run(lambda core, _: core.commit(many, NOW_MS))
            assert in_the_file() == 0
            await replica.rest()
            assert in_the_file() == 1 + REST_ROWS_MIN
            begun = log_began()
            await replica.run(lambda core, _: settle_theme(core, "light"))
            assert log_began() == begun, (
                "the head of a log is flushed apart: nobody who writes waits for that"
            )

    run(main)


def test_watchers_wake_with_every_commit_and_not_before(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica, trio.open_nursery() as nursery:
            heard: list[int] = []

            async def watch() -> None:
                position = 0
                while position < 3:
                    position = await replica.changed(position)
                    heard.append(position)

            nursery.start_soon(watch)
            await trio.testing.wait_all_tasks_blocked()
            assert heard == []
            await replica.run(lambda core, _: core.position)
            await trio.testing.wait_all_tasks_blocked()
            assert heard == []
            for _ in range(3):
                await replica.run(lambda core, _: core.commit([FORGET], NOW_MS))
                await trio.testing.wait_all_tasks_blocked()
        assert heard == [1, 2, 3]

    run(main)


def test_asking_for_what_was_missed_returns_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            await replica.run(lambda core, _: core.commit([FORGET, FORGET], NOW_MS))
            assert await replica.changed(0) == await replica.changed(1) == 2

    run(main)


def test_watchers_hear_of_what_was_committed_before_a_function_failed(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica, trio.open_nursery() as nursery:
            nursery.start_soon(replica.changed, 0)
            await trio.testing.wait_all_tasks_blocked()

            def fail(core: Core, _: object) -> None:
                core.commit([FORGET], NOW_MS)
                core.commit([Write(Set("importance", 7))], NOW_MS)

            with pytest.raises(InvalidOp, match="importance"):
                await replica.run(fail)
            assert replica.position == 1

    run(main)


def test_a_cancelled_caller_abandons_the_wait_and_not_the_commit(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            with trio.CancelScope() as scope:
                scope.cancel()
                await replica.run(lambda core, _: settle_theme(core, "dark"))
            await replica.run(lambda core, _: settle_theme(core, "light"))
            positions = await replica.run(lambda core, _: [row.pos for row in core.store.rows()])
            assert positions == list(range(1, len(positions) + 1))
            assert replica.position == len(positions) in (1, 2)

    run(main)


def test_a_cancelled_watcher_leaves_nothing_behind(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            for _ in range(5):
                with trio.move_on_after(0):
                    await replica.changed(0)
            assert replica._watchers == set()

    run(main)


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:
            with pytest.raises(Exception, match="readonly"):
                await replica.read(lambda connection: connection.execute("DELETE FROM op"))

    run(main)


def test_a_page_that_is_damaged_is_told_as_damage_by_reads_and_writes_and_the_rest_still_answers(
    tmp_path: Path,
) -> None:
    """It was told as an error of SQLite's own, which whoever waits out troubles of a store did not know."""

    async def main() -> None:
        path = tmp_path / "store.db"
        async with opened(path) as replica:
            await replica.run(lambda core, _: core.commit([FORGET], replica.now_ms()))
        spoil(path, "edge")
        async with opened(path) as replica:
            for read in (
                replica.read(lambda connection: connection.execute("SELECT * FROM edge").fetchall()),
                replica.run(lambda _, connection: connection.execute("SELECT * FROM edge").fetchall()),
            ):
                with pytest.raises(StoreCorrupt, match=r"malformed.*samemind verify"):
                    await read
            assert (
                len(await replica.read(lambda connection: connection.execute("SELECT * FROM op").fetchall()))
                == 1
            )
            with pytest.raises(sqlite3.OperationalError, match="no such table"):  # a bug stays one
                await replica.read(lambda connection: connection.execute("SELECT * FROM nowhere"))

    run(main)


def test_a_file_that_is_not_ours_is_refused_by_name_and_left_alone(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "store.db"
        path.write_bytes(b"somebody's letter " * 99)
        with pytest.raises(StoreCorrupt, match="it was left as it is"):
            async with opened(path):
                raise AssertionError("a letter was opened as a store")
        assert path.read_bytes() == b"somebody's letter " * 99

    run(main)


def test_what_a_thread_wrote_is_seen_by_whoever_asks_behind_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:

            def write() -> tuple[int, int]:
                replica.run_from_thread(lambda core, _: core.commit([FORGET], NOW_MS))
                return replica.position, replica.news

            assert await trio.to_thread.run_sync(write) == (1, 1)

    run(main)


def test_watchers_hear_of_the_last_of_many_things_that_a_thread_wrote(tmp_path: Path) -> None:
    many = 200

    async def main() -> None:
        heard: list[int] = []
        async with opened(tmp_path / "store.db") as replica:

            async def watch() -> None:
                while heard[-1:] != [many]:
                    heard.append(await replica.changed(heard[-1] if heard else 0))

            def write_one(number: int) -> None:
                replica.run_from_thread(lambda core, _: settle_theme(core, str(number)))

            def write() -> None:
                for number in range(many):
                    write_one(number)

            with trio.fail_after(30):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(watch)
                    await trio.to_thread.run_sync(write)
        assert heard == sorted({*heard})

    run(main)


def test_what_a_thread_could_not_write_is_no_news(tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(tmp_path / "store.db") as replica:

            def write() -> None:
                with pytest.raises(InvalidOp):
                    replica.run_from_thread(lambda core, _: settle_theme(core, "\ud800"))

            await trio.to_thread.run_sync(write)
            assert replica.position == 0

    run(main)


@pytest.mark.parametrize("how", ["tells", "in_between"])
def test_who_tells_something_does_not_wait_for_a_large_base(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replica.snapshot.PACKED_MIN", 1)
    order: list[str] = []

    async def main() -> None:
        async with devices(tmp_path, "laptop", "phone") as (laptop, phone):
            await laptop.remember("one", "two")
            await laptop.replica.run(lambda core, _: compact(core, laptop.replica.now_ms()))
            snapshot = await laptop.replica.run(lambda core, _: make_snapshot(core))
            begun, go_on = threading.Event(), threading.Event()

            def merge(core: Core, _: sqlite3.Connection) -> None:
                begun.set()
                assert go_on.wait(SECONDS_MAX)
                assert absorb(core, read_snapshot(snapshot, core), phone.replica.now_ms())
                order.append("merged")

            def tell(core: Core, _: sqlite3.Connection) -> None:
                remember(core, ["told"], phone.replica.now_ms())
                order.append("told")

            async with trio.open_nursery() as nursery:
                nursery.start_soon(phone.replica.run, merge)
                await trio.to_thread.run_sync(begun.wait, SECONDS_MAX)
                nursery.start_soon(phone.replica.run, lambda *_: order.append("asked before"))
                await trio.testing.wait_all_tasks_blocked()
                nursery.start_soon(partial(phone.replica.run, tell, **{how: True}))
                await trio.testing.wait_all_tasks_blocked()
                go_on.set()
            assert order == ["told", "merged", "asked before"]
            assert await phone.texts() == {"one", "two", "told"}

    run(main)
