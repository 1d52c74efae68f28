"""Windows in which forgetting can be taken back, on a clock that jumps."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random

import pytest
import trio
import trio.testing

from samemind.errors import NotFound, Usage
from samemind.panel.undo import (
    CLEAR_ALL_S,
    DECIDE_S,
    FORGET_S,
    HELD_S_MAX,
    HOLD_S,
    WAITING_MAX,
    UndoWindows,
)
from tests.support.published import published


@asynccontextmanager
async def windows(forgotten: list[str]) -> AsyncIterator[UndoWindows]:
    """Windows that note what they forget."""

    async def forget(rids: Sequence[str]) -> None:
        await trio.lowlevel.checkpoint()
        forgotten.extend(rids)

    async with trio.open_nursery() as nursery:
        yield UndoWindows(nursery, forget, Random(1))
        nursery.cancel_scope.cancel()


@published("LO-33")
@pytest.mark.parametrize("seconds", [FORGET_S, CLEAR_ALL_S])
def test_a_moment_before_the_end_undoes_and_a_moment_after_it_is_too_late(seconds: float) -> None:
    assert (FORGET_S, CLEAR_ALL_S) == (4.0, 8.0)

    async def main() -> None:
        forgotten: list[str] = []
        async with windows(forgotten) as undo:
            kept, gone = undo.open(["a"], seconds), undo.open(["b"], seconds)
            await trio.sleep(seconds - 0.1)
            assert undo.undo(kept.id) == kept
            assert forgotten == []
            await trio.sleep(0.2)
            assert forgotten == ["b"]
            assert undo.waiting() == []
            with pytest.raises(NotFound, match="too late"):
                undo.undo(gone.id)
            await trio.sleep(60)
            assert forgotten == ["b"]

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


@published("LO-34")
def test_a_process_that_ends_within_the_window_has_forgotten_nothing() -> None:
    async def main() -> None:
        forgotten: list[str] = []
        async with windows(forgotten) as undo:
            undo.open(["a", "b", "c"], CLEAR_ALL_S)
            await trio.sleep(5)
        await trio.sleep(60)
        assert forgotten == []

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_what_is_being_written_is_hidden_still_and_cannot_be_taken_back() -> None:
    async def main() -> None:
        begun, done = trio.Event(), trio.Event()

        async def forget(rids: Sequence[str]) -> None:
            begun.set()
            await done.wait()

        async with trio.open_nursery() as nursery:
            undo = UndoWindows(nursery, forget, Random(1))
            waiting = undo.open(["a"], FORGET_S)
            await begun.wait()
            assert undo.waiting() == [waiting]
            with pytest.raises(NotFound):
                undo.undo(waiting.id)
            news = undo.news.count
            done.set()
            await undo.news.after(news)
            assert undo.waiting() == []

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_window_stays_open_while_it_is_held_and_for_a_while_after_that() -> None:
    async def main() -> None:
        forgotten: list[str] = []
        async with windows(forgotten) as undo:
            held = undo.open(["a"], FORGET_S)
            undo.open(["b"], FORGET_S)
            for _ in range(5):
                await trio.sleep(FORGET_S - 0.1)
                assert undo.hold(held.id) == pytest.approx(HOLD_S)
            assert forgotten == ["b"]
            await trio.sleep(HOLD_S - 0.1)
            assert forgotten == ["b"]
            await trio.sleep(0.2)
            assert forgotten == ["b", "a"]
            assert undo.hold(held.id) == undo.hold("no such window") == 0

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_window_is_not_held_for_ever_and_can_be_taken_back_to_the_end() -> None:
    assert 10 * max(FORGET_S, CLEAR_ALL_S, DECIDE_S) <= HELD_S_MAX, "as WCAG 2.2.1 asks for"

    async def main() -> None:
        forgotten: list[str] = []
        async with windows(forgotten) as undo:
            gone, kept = undo.open(["a"], FORGET_S), undo.open(["b"], FORGET_S)
            until = trio.current_time() + HELD_S_MAX
            while (left_s := until - trio.current_time()) > 1:
                assert min(undo.hold(gone.id), undo.hold(kept.id)) <= left_s
                await trio.sleep(1)
            assert forgotten == []
            undo.undo(kept.id)
            await trio.sleep(1.1)
            assert forgotten == ["a"]

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_holding_never_shortens_a_window() -> None:
    async def main() -> None:
        async with windows([]) as undo:
            waiting = undo.open(["a"], 3 * HOLD_S)
            assert undo.hold(waiting.id) == pytest.approx(3 * HOLD_S)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_so_many_windows_and_no_more() -> None:
    async def main() -> None:
        async with windows([]) as undo:
            for _ in range(WAITING_MAX):
                undo.open(["a"], FORGET_S)
            with pytest.raises(Usage, match="at most"):
                undo.open(["a"], FORGET_S)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_an_edge_is_taken_away_once_and_not_before_its_window_closes() -> None:
    async def main() -> None:
        parted: list[str] = []

        async def part() -> None:
            await trio.lowlevel.checkpoint()
            parted.append("Ann")

        async with windows([]) as undo:
            edge = ("Ann", "works_at", "Acme")
            waiting = undo.part(edge, part)
            assert undo.part(edge, part) == waiting
            assert [(each.edge, each.rids, each.about) for each in undo.waiting()] == [(edge, (), None)]
            await trio.sleep(DECIDE_S - 0.1)
            assert parted == []
            await trio.sleep(0.2)
            assert parted == ["Ann"]
            undo.undo(undo.part(edge, part).id)
            await trio.sleep(2 * DECIDE_S)
            assert parted == ["Ann"]

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_decision_is_made_when_its_window_closes_and_a_later_one_takes_its_place() -> None:
    async def main() -> None:
        decided: list[str] = []

        def deciding(what: str) -> Callable[[], Awaitable[None]]:
            async def decide() -> None:
                await trio.lowlevel.checkpoint()
                decided.append(what)

            return decide

        async with windows([]) as undo:
            first = undo.decide("where", deciding("Lisbon"))
            other = undo.decide("who", deciding("Ann"))
            second = undo.decide("where", deciding("Porto"))
            assert first.seconds == DECIDE_S == 10.0
            assert [(each.id, each.about) for each in undo.waiting()] == [
                (other.id, "who"),
                (second.id, "where"),
            ]
            await trio.sleep(DECIDE_S - 0.1)
            assert decided == []
            undo.undo(other.id)
            await trio.sleep(0.2)
            assert decided == ["Porto"]
            assert undo.waiting() == []

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
