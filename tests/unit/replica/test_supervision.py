"""What fails in the background is logged, waited out and started again, and ends nothing else."""

import pytest
import trio
import trio.testing

from replica.supervision import (
    PAUSE_SECONDS_MAX,
    PAUSE_SECONDS_MIN,
    SOUND_SECONDS,
    TROUBLE_CHARACTERS_MAX,
    Supervisor,
)


class Failing:
    """A task that fails a few times, after having run for some seconds, and then ends."""

    def __init__(self, times: int, *, runs: float = 0.0, inside: bool = False) -> None:
        self.times = times
        self.runs = runs
        self.inside = inside
        self.started: list[float] = []

    async def __call__(self) -> None:
        self.started.append(trio.current_time())
        await trio.sleep(self.runs)
        if len(self.started) <= self.times:
            if self.inside:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self.fail)
            await self.fail()

    async def fail(self) -> None:
        raise OverflowError("a number from the wire" + "x" * 1000)


def pauses(task: Failing) -> list[float]:
    """How long each pause took."""

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            Supervisor(nursery).keep("a task", task)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return [after - before - task.runs for before, after in zip(task.started, task.started[1:], strict=False)]


def test_what_fails_starts_again_after_pauses_that_double_up_to_a_bound() -> None:
    found = pauses(Failing(12))
    assert found[:4] == [PAUSE_SECONDS_MIN * 2**n for n in range(4)]
    assert found[-1] == max(found) == PAUSE_SECONDS_MAX


def test_what_ran_for_long_before_it_failed_begins_with_the_shortest_pause() -> None:
    assert pauses(Failing(5, runs=SOUND_SECONDS)) == [PAUSE_SECONDS_MIN] * 5


def test_a_failure_ends_no_other_task_and_is_named() -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            supervisor = Supervisor(nursery)
            supervisor.once("by itself", Failing(1))
            supervisor.once("in a nursery of its own", Failing(1, inside=True))
            await trio.testing.wait_all_tasks_blocked()
            assert not nursery.cancel_scope.cancel_called
            for name in ("by itself", "in a nursery of its own"):
                trouble = supervisor.troubles[name]
                assert trouble.times == 1
                assert trouble.reason.startswith("OverflowError: a number from the wire")
                assert len(trouble.reason) == TROUBLE_CHARACTERS_MAX

    trio.run(main)


def test_an_attempt_says_whether_it_came_to_its_end() -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            supervisor = Supervisor(nursery)
            assert not await supervisor.attempt("once", Failing(1))
            assert await supervisor.attempt("once", Failing(0))

    trio.run(main)


def test_cancelling_and_errors_of_the_interpreter_pass_through() -> None:
    """Only errors are held; whoever ends the program ends it."""

    async def interrupted() -> None:
        raise KeyboardInterrupt

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            supervisor = Supervisor(nursery)
            supervisor.keep("waiting", trio.sleep_forever)
            supervisor.keep("interrupted", interrupted)

    with pytest.raises(BaseExceptionGroup) as raised:
        trio.run(main)
    assert raised.group_contains(KeyboardInterrupt)
