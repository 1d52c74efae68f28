"""One cycle of thinking: its order, its bounds, and what a cancelled one leaves."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import pytest
import trio

from cognition.thinking import cycle
from cognition.thinking.cycle import Deadline, Round, StepOutcome, think
from replica import Core
from tests.support.devices import devices, run


@dataclass
class Noted:
    """A step that notes its calls in a list that all share."""

    name: str
    calls: list[str]
    left: int = 0
    after: Callable[[], None] = field(default=lambda: None)

    def run(self, core: Core, connection: sqlite3.Connection, now_ms: int) -> StepOutcome:
        self.calls.append(self.name)
        self.after()
        self.left -= 1
        return StepOutcome((f"{self.name} {len(self.calls)}",), more=self.left > 0)


def test_a_step_with_work_left_is_called_again_before_the_next_begins(tmp_path: Path) -> None:
    calls: list[str] = []
    steps = [Noted("contradictions", calls, left=3), Noted("consolidated", calls)]

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            found = await think(laptop.replica, Round(steps), Deadline(inf))
        assert calls == ["contradictions"] * 3 + ["consolidated"]
        assert [*found.ids] == ["contradictions", "consolidated"]
        assert len(found.ids["contradictions"]) == 3
        assert not found.more

    run(main)


def test_a_step_that_never_ends_does_not_keep_the_next_from_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle, "CALLS_MAX", 3)
    calls: list[str] = []

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            steps = [Noted("patterns", calls, left=99), Noted("triggers", calls)]
            found = await think(laptop.replica, Round(steps), Deadline(inf))
        assert calls == ["patterns"] * 3 + ["triggers"]
        assert found.more

    run(main)


@pytest.mark.parametrize(
    ("visit_s", "called"),
    [
        (0.0, ["patterns"]),  # it ran to its end, and nothing began after it
        (inf, ["patterns", "triggers"]),  # a visit is not cut short
    ],
)
def test_a_cancelled_cycle_ends_between_two_visits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visit_s: float, called: list[str]
) -> None:
    monkeypatch.setattr(cycle, "VISIT_S", visit_s)
    calls: list[str] = []

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            with trio.CancelScope() as scope:
                token = trio.lowlevel.current_trio_token()
                first = Noted("patterns", calls, after=lambda: token.run_sync_soon(scope.cancel))
                await think(laptop.replica, Round([first, Noted("triggers", calls)]), Deadline(inf))
        assert calls == called

    run(main)


def test_a_cycle_without_time_makes_one_visit_and_the_next_ones_go_on_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle, "VISIT_S", 0.0)
    calls: list[str] = []
    ours = Round([Noted("linked", calls, left=3), Noted("patterns", calls, left=2), Noted("triggers", calls)])

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            cycles = [await think(laptop.replica, ours, Deadline(0.0)) for _ in range(6)]
        assert calls == ["linked"] * 3 + ["patterns"] * 2 + ["triggers"], "in the order of one long cycle"
        assert [each.more for each in cycles] == [True] * 5 + [False]
        ids = [each.ids["linked"] for each in cycles]
        assert ids == [("linked 1",), ("linked 2",), ("linked 3",), (), (), ()], (
            "each says what it did itself"
        )

    run(main)


def test_a_cycle_ends_at_the_first_visit_after_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cycle, "VISIT_S", 0.0)
    calls: list[str] = []
    clock = [100.0]

    def takes_a_second() -> None:
        clock[0] += 1.0

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            ours = Round([Noted("linked", calls, left=99, after=takes_a_second)])
            found = await think(laptop.replica, ours, Deadline(3.0, lambda: clock[0]))
        assert len(calls) == 3
        assert found.more
        assert found.took_ms == 3_000

    run(main)


def test_what_came_since_a_round_began_has_its_turn_in_the_cycle_that_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks for a cycle asks for what was told a moment ago, too."""
    monkeypatch.setattr(cycle, "VISIT_S", 0.0)
    calls: list[str] = []
    ours = Round([Noted("linked", calls), Noted("triggers", calls)])

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            assert (await think(laptop.replica, ours, Deadline(0.0))).more
            assert not (await think(laptop.replica, ours, Deadline(inf))).more
        assert calls == ["linked", "triggers", "linked", "triggers"]

    run(main)


def test_a_step_that_fails_leaves_the_steps_before_it_their_turn_in_the_next_cycle(tmp_path: Path) -> None:
    calls: list[str] = []

    def fail() -> None:
        raise KeyError("sure")

    async def main() -> None:
        async with devices(tmp_path, "laptop") as (laptop,):
            ours = Round([Noted("linked", calls), Noted("patterns", calls, after=fail)])
            for _ in range(2):
                with pytest.raises(KeyError):
                    await think(laptop.replica, ours, Deadline(inf))
        assert calls == ["linked", "patterns"] * 2

    run(main)
