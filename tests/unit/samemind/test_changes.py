"""The stream of changes: what a program that keeps something beside the memory goes by."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import cast

import pytest

import samemind
from tests.support import cli
from tests.support.loops import run_awaited


def test_changes_come_in_their_order_and_go_on_from_a_position(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        start = mind.log(limit=0).position
        mind.remember("The sky is wide", no_facts=True)
        rid = mind.remember("A door stands open", no_facts=True).rid
        mind.forget(rid)
        told = list(islice(mind.changes(after=start), 3))
        assert [(op.kind, op.rid == rid) for op in told] == [
            ("remember", False),
            ("remember", True),
            ("forget", False),
        ]
        assert [op.rids for op in told] == [[], [], [rid]], "whoever keeps a copy has to know what to drop"
        assert [op.kind for op in islice(mind.changes(after=told[1].position), 1)] == ["forget"]
        assert mind.log(after=told[1].position).position == told[2].position == mind.log(limit=0).position
        with pytest.raises(samemind.Usage, match="a position of this log, which ends at"):
            next(mind.changes(after=10**6))


def test_who_waits_for_changes_hears_of_them_and_of_the_end(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        coming = mind.changes()
        threading.Timer(0.02, lambda: mind.remember("The sky is wide", no_facts=True)).start()
        assert next(coming).kind == "remember"
        threading.Timer(0.02, mind.close).start()
        with pytest.raises(samemind.Unreachable, match="closed"):
            next(coming)


def test_changes_by_another_program_come_under_asyncio_too(tmp_path: Path) -> None:
    async def main() -> str:
        async with samemind.open(tmp_path / "home") as mind:
            stream = cast("AsyncGenerator[samemind.OpView, None]", mind.changes(after=0))
            async with aclosing(stream) as changes:
                await asyncio.to_thread(cli.run, tmp_path / "home", "remember", "The sky is wide")
                return (await anext(changes)).kind

    assert run_awaited(main()) == "remember"


def test_changes_go_on_when_a_daemon_takes_the_store_from_the_program_that_follows_them(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with ThreadPoolExecutor(1) as elsewhere, cli.daemon(home) as first, samemind.open_blocking(home) as mind:
        coming = mind.changes(after=0)
        mind.remember("The sky is wide", no_facts=True)
        assert next(coming).kind == "remember"
        first.end()
        rid = mind.remember("This program holds the store now", no_facts=True).rid
        assert next(coming).rid == rid
        waiting = elsewhere.submit(next, coming)
        with cli.daemon(home):
            rid = mind.remember("And now a daemon does", no_facts=True).rid
            assert waiting.result(30).rid == rid


@pytest.mark.parametrize("folded", ["pos = 2", "pos > 1", "TRUE"])
def test_who_was_away_for_too_long_is_told_to_look_at_everything_anew(tmp_path: Path, folded: str) -> None:
    with samemind.open_blocking(tmp_path / "notes.db") as mind:
        mind.remember_many([f"Number {number}" for number in range(4)])
    with sqlite3.connect(tmp_path / "notes.db") as connection:
        connection.execute(f"DELETE FROM op WHERE {folded}")  # as folding the log away does
    connection.close()
    with samemind.open_blocking(tmp_path / "notes.db") as mind:
        for position in (0, 1):
            with pytest.raises(samemind.NotFound, match="folded away") as refused:
                list(islice(mind.changes(after=position), 2))
            assert refused.value.code == "too_late"
        assert mind.log(after=mind.log(limit=0).position).ops == []
