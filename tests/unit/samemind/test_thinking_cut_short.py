"""A cycle whose time is up before all is embedded or read: no step begins, and it says what is left."""

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import samemind
from cognition import HashedEmbedder
from cognition.embedding.embedder import Vectors
from cognition.ingest.gate import BACKLOG_MAX
from cognition.thinking.cycle import Deadline
from samemind.commands.thinking.think import Raised, Thought, render
from samemind.formats.plain import to_json
from samemind.local import Local
from tests.support.devices import run
from tests.support.minds import open_memory, remember

ALIKE = (
    "we hiked around the blue lake at dawn",
    "we hiked around the blue lake in rain",
    "we hiked the blue lake",
)


class Stuck(HashedEmbedder):
    """An embedder that does nothing before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.may_go_on.wait()
        return super().embed(texts)


def test_what_waits_for_its_vector_is_waited_for_until_the_time_is_up(tmp_path: Path) -> None:
    embedder = Stuck()

    async def main() -> None:
        async with open_memory(tmp_path / "replica.db", embedder=embedder) as (replica, mind):
            embedder.may_go_on.set()
            await mind.warm_up()
            embedder.may_go_on.clear()
            await remember(replica, *ALIKE)
            try:
                cut = await mind.think(seconds=0.05)
            finally:
                embedder.may_go_on.set()
            assert cut.more
            assert not any(cut.ids.values()), "nothing is compared, or consolidated, by half of the vectors"
            assert cut.left == {"embed": 3, "compare": 3, "patterns": 3}
            assert 50 <= cut.took_ms < 60_000
            await mind.settle()
            done = await mind.think()
            assert (done.more, done.left) == (False, {})

    run(main)


class Loading(HashedEmbedder):
    """An embedder whose first answer takes a minute, by the clock of a test."""

    passed_s = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.passed_s = 60.0
        return super().embed(texts)


def test_the_time_that_a_model_takes_to_load_is_not_taken_from_a_cycle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Loading()
    monkeypatch.setattr("cognition.mind.Deadline", partial(Deadline, clock=lambda: embedder.passed_s))

    async def main() -> None:
        async with open_memory(tmp_path / "replica.db", embedder=embedder) as (replica, mind):
            await remember(replica, *ALIKE)
            cycle = await mind.think(seconds=0.4)
            assert (cycle.more, cycle.left) == (False, {})

    run(main)


def test_what_was_brought_in_is_read_before_anything_is_thought_about_it(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": str(n), "text": f"Ann {n} lives in Porto {n}.", "speaker": "Bob"})
        for n in range(400)
    ]
    (tmp_path / "export.jsonl").write_text("\n".join(lines), encoding="utf-8")

    async def main() -> None:
        async with samemind.open(tmp_path / "home") as opened:
            assert isinstance(opened._reached, Local)
            mind = opened._reached.device.mind
            await opened.import_(tmp_path / "export.jsonl")
            assert mind.ingest.brought > BACKLOG_MAX, "what is little is read at once"
            cut = await mind.think(reads_brought=True, seconds=0.0)
            assert cut.more
            assert not any(cut.ids.values())
            assert 0 < cut.left["read"] <= 400
            assert cut.left["compare"] == 400
            cycles = 0
            while (await mind.think(reads_brought=True, seconds=0.2)).more:
                cycles += 1
            assert cycles
            assert mind.ingest.brought == 0
            assert mind.last_cycle is not None
            assert mind.last_cycle.left == {}

    run(main)


def test_the_command_says_what_is_left_and_how_to_go_on() -> None:
    found = Raised(count=2, ids=["a", "b"])
    none = Raised()
    cut = Thought(
        contradictions=none, consolidated=found, patterns=none, triggers=none, took_ms=3_000, more=True,
        left={"link": 98_000, "patterns": 7},
    )  # fmt: skip
    lines = render(to_json(cut))
    assert lines[0].split() == ["consolidated", "2"]
    assert "98,000 to look for repetitions of, 7 to look for patterns in" in lines[1]
    assert lines[-1].endswith("samemind think")
    begun = render(to_json(replace(cut, consolidated=none, left={})))
    assert begun[:2] == ["nothing new so far", "not finished"]
    assert render(to_json(replace(cut, more=False, left={}))) == lines[:1]
