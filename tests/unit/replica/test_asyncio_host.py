"""The portal: an outcome crosses it whole, and no call outlives its await."""

import asyncio
import signal
import threading
import traceback
from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing

from replica.asyncio_host import AsyncioHost

GIVE_UP_S = 30  # a failure of the machine, never of the code: nothing here waits on purpose


def run(body: Callable[[AsyncioHost], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(GIVE_UP_S):
            async with AsyncioHost.open() as host:
                await body(host)

    trio.run(main)


async def add(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


def test_a_coroutine_runs_on_the_other_thread_and_its_result_comes_back() -> None:
    async def body(host: AsyncioHost) -> None:
        async def where() -> int:
            return threading.get_ident()

        assert await host.run(add, 2, 3) == 5
        assert await host.run_shielded(add, 2, 3) == 5
        assert await host.run(where) != threading.get_ident()
        assert await host.run(where) == await host.run_shielded(where)

    run(body)


def test_an_exception_crosses_with_the_line_that_raised_it() -> None:
    async def fails_here() -> None:
        raise LookupError("no such thing")

    async def body(host: AsyncioHost) -> None:
        with pytest.raises(LookupError, match="no such thing") as caught:
            await host.run(fails_here)
        assert "fails_here" in [frame.name for frame in traceback.extract_tb(caught.tb)]

    run(body)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, GeneratorExit])
def test_even_an_exception_that_ends_loops_leaves_the_loop_running(error: type[BaseException]) -> None:
    async def fails() -> None:
        raise error

    async def body(host: AsyncioHost) -> None:
        with pytest.raises(error):
            await host.run(fails)
        assert await host.run(add, 1, 1) == 2

    run(body)


def test_calls_begin_in_the_order_in_which_they_were_made() -> None:
    begun: list[int] = []

    async def begin(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(0)

    async def body(host: AsyncioHost) -> None:
        made: list[int] = []

        async def call(number: int) -> None:
            made.append(number)
            await host.run(begin, number)

        async with trio.open_nursery() as nursery:
            for number in range(64):
                nursery.start_soon(call, number)
        assert begun == made

    run(body)


def test_a_cancelled_run_cancels_the_asyncio_task_and_waits_for_its_cleanup() -> None:
    events: list[str] = []

    async def body(host: AsyncioHost) -> None:
        begun = trio.Event()
        token = trio.lowlevel.current_trio_token()

        async def waits() -> None:
            token.run_sync_soon(begun.set)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                events.append("cleaned up")
                raise

        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.run, waits)
            await begun.wait()
            nursery.cancel_scope.cancel()
        events.append("left")

    run(body)
    assert events == ["cleaned up", "left"]


def test_a_shielded_run_ends_first_and_its_caller_gets_the_result() -> None:
    results: list[int] = []

    async def body(host: AsyncioHost) -> None:
        begun = trio.Event()
        finish = asyncio.Event()
        token = trio.lowlevel.current_trio_token()

        async def waits() -> int:
            token.run_sync_soon(begun.set)
            await finish.wait()
            return 7

        async def caller() -> None:
            results.append(await host.run_shielded(waits))

        async def set_finish() -> None:
            finish.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(caller)
            await begun.wait()
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                await trio.testing.wait_all_tasks_blocked()
                assert results == []
                await host.run(set_finish)

    run(body)
    assert results == [7]


@pytest.mark.parametrize("way", ["run", "run_shielded"])
def test_a_caller_who_is_cancelled_already_begins_nothing(way: str) -> None:
    begun: list[bool] = []

    async def begin() -> None:
        begun.append(True)

    async def body(host: AsyncioHost) -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            await getattr(host, way)(begin)
        assert scope.cancelled_caught
        await host.run(add, 1, 1)

    run(body)
    assert begun == []


def test_closing_leaves_no_thread_and_no_task() -> None:
    ended: list[str] = []

    async def lingers() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("lingering task")

    keep: list[asyncio.Task[None]] = []

    async def leave_behind() -> None:
        keep.append(asyncio.create_task(lingers()))
        await asyncio.sleep(0)

    before = {*threading.enumerate()}

    async def body(host: AsyncioHost) -> None:
        await host.run(leave_behind)
        assert len({*threading.enumerate()} - before) == 1

    run(body)
    assert {*threading.enumerate()} <= before
    assert ended == ["lingering task"]


def test_a_call_in_flight_at_the_end_is_told_and_a_shielded_one_is_waited_for() -> None:
    async def main() -> None:
        begun = trio.Event()
        token = trio.lowlevel.current_trio_token()
        shielded: list[int] = []

        async def for_ever() -> None:
            await asyncio.Event().wait()

        async def a_while() -> int:
            token.run_sync_soon(begun.set)
            await asyncio.sleep(0.01)
            return 7

        async def expects_closed(host: AsyncioHost) -> None:
            with pytest.raises(trio.ClosedResourceError, match="during the call"):
                await host.run(for_ever)

        async def expects_result(host: AsyncioHost) -> None:
            shielded.append(await host.run_shielded(a_while))

        with trio.fail_after(GIVE_UP_S):
            async with trio.open_nursery() as nursery:
                async with AsyncioHost.open() as host:
                    nursery.start_soon(expects_closed, host)
                    nursery.start_soon(expects_result, host)
                    await begun.wait()
            assert shielded == [7]
            with pytest.raises(trio.ClosedResourceError, match="is closed"):
                await host.run(add, 1, 1)

    trio.run(main)


def test_ctrl_c_during_a_call_reaches_the_program_and_the_thread_ends() -> None:
    before = {*threading.enumerate()}

    async def body(host: AsyncioHost) -> None:
        async def interrupt_us() -> None:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()

        await host.run(interrupt_us)

    with pytest.raises(KeyboardInterrupt):
        run(body)
    assert {*threading.enumerate()} <= before


def test_two_hosts_are_two_loops() -> None:
    async def loop_id() -> int:
        return id(asyncio.get_running_loop())

    async def body(host: AsyncioHost) -> None:
        async with AsyncioHost.open() as other:
            assert await host.run(loop_id) != await other.run(loop_id)

    run(body)
