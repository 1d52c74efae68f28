"""One cycle of thinking: its order, its bounds, and what a cancelled one leaves."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import pytest
import trio

from cognition.thinking import cycle
from cognition.thinking.cycle import StepOutcome, think
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
            found = await think(laptop.replica, steps)
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
            found = await think(laptop.replica, [Noted("patterns", calls, left=99), Noted("triggers", calls)])
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
                await think(laptop.replica, [first, Noted("triggers", calls)])
        assert calls == called

    run(main)
