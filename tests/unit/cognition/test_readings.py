"""Readings of a reranker: whose they are, when they are dropped, and what the model of the wheel says by them."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from cognition.embedding.packaged import PackagedModel
from cognition.reranking import LateInteraction
from cognition.reranking.readings import keep, readings_of, unread
from cognition.reranking.reranker import Scores
from replica import Forget, Write
from tests.support.minds import open_memory, remember
from tests.support.models import OverlapReranker, needs_models


def read_all(connection: sqlite3.Connection) -> None:
    while page := unread(connection):
        keep(connection, page, [b">" + one.text.encode() for one in page])


def test_what_comes_under_a_number_that_was_read_before_is_read_again(tmp_path: Path) -> None:
    """Numbers of the last memories are given anew once these are gone and the store was opened again."""

    async def main() -> None:
        path = tmp_path / "m.db"
        async with open_memory(path) as (replica, _):
            rids = await remember(replica, *(f"walrus {n}" for n in range(4)))
            await replica.run(lambda core, connection: read_all(connection))
            gone = [Write(Forget(tuple(sorted(rids[2:]))))]
            await replica.run(lambda core, connection: core.commit(gone, replica.now_ms()))
        async with open_memory(path) as (replica, _):
            await remember(replica, "a seal")
            numbers = await replica.read(
                lambda connection: connection.execute("SELECT id FROM memory ORDER BY id").fetchall()
            )
            assert numbers == [(1,), (2,), (3,)], "that of the third is given anew"
            assert [one.text for one in await replica.read(unread)] == ["a seal"]
            await replica.run(lambda core, connection: read_all(connection))
            found = await replica.read(lambda connection: readings_of(connection, [1, 2, 3, 4]))
            assert found == {1: b">walrus 0", 2: b">walrus 1", 3: b">a seal"}

    trio.run(main)


class Other(OverlapReranker):
    """Another model, which cannot make anything of what the first one read."""

    name = "other"

    def scores(self, question: str, readings: Sequence[bytes], before: Sequence[int] | None = None) -> Scores:
        assert not any(b"by the first" in reading for reading in readings)
        return super().scores(question, readings, before)


def test_a_mind_that_opens_with_another_model_uses_nothing_that_the_first_one_read(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "m.db"
        async with open_memory(path, reranker=OverlapReranker()) as (replica, mind):
            await remember(replica, "a walrus", "another walrus")
            await mind.settle()
            await replica.run(
                lambda core, connection: keep(connection, unread(connection), [b">by the first"] * 2)
            )
            await mind.recall("which walrus")
        other = Other()
        async with open_memory(path, reranker=other) as (_, mind):
            assert len(await mind.recall("which walrus")) == 2
        assert sorted(other.judged[0]) == ["a walrus", "another walrus"]

    trio.run(main)


@needs_models
def test_the_model_tells_a_question_from_a_text_and_texts_from_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A processor changes the last digits of a score; marks or a middle that are wrong change more."""
    marks: list[int | None] = []
    run = PackagedModel.run

    def watched(model: PackagedModel, text: str, **options: Any) -> Any:
        marks.append(options["marker"])
        return run(model, text, **options)

    monkeypatch.setattr(PackagedModel, "run", watched)
    texts = [
        "Ann lives in Lisbon now",
        "the tax report is late",
        "Ann: my flat has a view of the river Tagus",
    ]
    reranker = LateInteraction()
    kept = reranker.read(texts)
    assert set(marks) == {2}, "[unused1], by which it was taught what a text is"
    marks.clear()
    said = reranker.scores("Where does Ann live?", kept)
    assert marks == [1], "[unused0], by which it was taught what a question is"
    assert said.tolist() == pytest.approx([0.49, 0.17, 0.39], abs=0.05)
