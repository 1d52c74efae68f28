"""What an import stored goes by the command that it ends with, whatever the clock was and whoever wrote meanwhile."""

import json
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

import samemind
from replica import Core, MemoryId, Relate, Set, StoreFailed, Write, read_settings, show_memory_id
from samemind.catalog import verb_named
from samemind.cli.line import read_line, read_words
from samemind.commands.memories._to_remember import RememberMemory
from samemind.commands.memories.remember import run as remember
from samemind.commands.portable import _importing
from samemind.commands.portable._parts import Imported
from samemind.commands.portable.import_ import Import
from samemind.commands.portable.import_ import render as show_import
from samemind.commands.portable.import_ import run as import_
from samemind.commands.thinking._parts import Retracted
from samemind.commands.thinking.retract import run as retract
from samemind.config import Home
from samemind.declaring import read_options
from samemind.device import Device, open_device
from samemind.errors import Failed
from samemind.formats.plain import to_json

NOW_MS = 1_780_000_000_000
DAY_MS = 24 * 3_600_000


async def nobody(said: Any) -> None:
    """Hear what is said meanwhile."""


async def bring(device: Device, file: Path, texts: list[str], **given: Any) -> Imported:
    await trio.Path(file).write_text("".join(f'{{"text": "{text}"}}\n' for text in texts))
    return await import_(device, Import(files=(str(file),)), given.get("say", nobody))


async def tell(device: Device, *texts: str) -> set[str]:
    return {(await remember(device, RememberMemory(text=text, no_dedup=True))).rid for text in texts}


async def take_back(device: Device, imported: Imported) -> Retracted:
    """Do what the import said, as its words are read at a terminal."""
    assert imported.undo is not None
    line = read_line(shlex.split(imported.undo)[1:])
    assert line.home == str(device.home.folder)
    verb = verb_named(line.verb)
    return await retract(device, read_options(verb, read_words(verb, line.words)), nobody)


def at_home(folder: Path, main: Callable[[Device, list[int]], Any]) -> None:
    """Run something on a device whose clock can be set."""
    clock = [NOW_MS]

    async def opened() -> None:
        with trio.fail_after(120):
            async with open_device(
                Home.at(folder / "home"), program="a test", answers=False, clock=lambda: clock[0]
            ) as device:
                await main(device, clock)

    trio.run(opened)


async def held(device: Device) -> set[str]:
    rows = await device.replica.run(lambda _, found: found.execute("SELECT rid FROM memory").fetchall())
    return {show_memory_id(MemoryId(rid)) for (rid,) in rows}


def test_what_was_told_before_it_stays_where_the_clock_had_led(tmp_path: Path) -> None:
    async def main(device: Device, clock: list[int]) -> None:
        clock[0] += DAY_MS // 2
        kept = await tell(device, "told while the clock led")
        clock[0] = NOW_MS
        kept |= await tell(device, "the boat is red", "the car is blue", "the roof leaks")
        imported = await bring(device, tmp_path / "in.jsonl", ["one", "two", "three"])
        assert len((await take_back(device, imported)).rids) == 3
        assert await held(device) == kept

    at_home(tmp_path, main)


def test_what_was_told_after_it_and_between_its_batches_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_importing, "BATCH", 2)

    async def main(device: Device, clock: list[int]) -> None:
        kept: set[str] = set()

        async def between(said: Any) -> None:
            if said["progress"]["done"] < 6:
                kept.update(await tell(device, f"told when {said['progress']['done']} were in"))

        texts = [f"note {number}" for number in range(6)]
        imported = await bring(device, tmp_path / "in.jsonl", texts, say=between)
        assert len(kept) == 2
        later = await bring(device, tmp_path / "later.jsonl", ["another import"])
        kept |= await tell(device, "told after it")
        assert len((await take_back(device, imported)).rids) == 6
        assert len(await held(device) - kept) == 1, "of the other import"
        await take_back(device, later)
        assert await held(device) == kept

    at_home(tmp_path, main)


def test_what_was_taken_back_is_not_called_known_when_it_is_brought_again(tmp_path: Path) -> None:
    async def main(device: Device, clock: list[int]) -> None:
        texts = ["the boat is red", "the car is blue"]
        imported = await bring(device, tmp_path / "in.jsonl", texts)
        again = await bring(device, tmp_path / "in.jsonl", texts)
        assert (again.skipped, again.forgotten) == (2, 0)
        await take_back(device, imported)
        again = await bring(device, tmp_path / "in.jsonl", [*texts, "the roof leaks"])
        assert (again.imported, again.skipped, again.forgotten) == (1, 2, 2)
        shown = show_import(to_json(again))
        assert shown[0] == "1 imported, 0 known already, 0 failed"
        assert shown[1].startswith("2 were forgotten or taken back before, and stay so")
        dry = await import_(device, Import(files=(str(tmp_path / "in.jsonl"),), dry_run=True), nobody)
        assert (dry.imported, dry.skipped, dry.forgotten) == (0, 3, 2)

    at_home(tmp_path, main)


def test_batches_that_nobody_wrote_between_are_named_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_importing, "BATCH", 2)

    async def main(device: Device, clock: list[int]) -> None:
        imported = await bring(device, tmp_path / "in.jsonl", [f"note {number}" for number in range(9)])
        assert imported.undo is not None
        assert "," not in imported.undo

    at_home(tmp_path, main)


@pytest.mark.parametrize("before", [0, 2])
def test_an_import_that_the_disk_cut_short_says_what_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int
) -> None:
    """It said that nothing was changed, with two thirds of the file stored."""
    monkeypatch.setattr(_importing, "BATCH", 2)
    pages: list[None] = []

    def full(*args: Any) -> Any:
        pages.append(None)
        if len(pages) * 2 > before:
            raise StoreFailed("nothing was changed") from sqlite3.OperationalError("disk is full")
        return write_page(*args)

    write_page = _importing.write_page
    monkeypatch.setattr(_importing, "write_page", full)

    async def main(device: Device, clock: list[int]) -> None:
        with pytest.raises(StoreFailed if not before else Failed) as caught:
            await bring(device, tmp_path / "in.jsonl", [f"note {number}" for number in range(5)])
        assert len(await held(device)) == before
        if isinstance(caught.value, Failed):
            assert str(caught.value) == (
                "2 came in and are kept, then the store could not be written (disk is full)"
            )
            assert "import the same files again" in caught.value.hint
            undo = caught.value.hint.rpartition("to take back what came in: ")[2]
            await take_back(device, Imported(imported=2, skipped=0, undo=undo))
            assert await held(device) == set()

    at_home(tmp_path, main)


def test_lines_of_the_profile_go_too_and_what_was_here_before_is_as_it_was(tmp_path: Path) -> None:
    """They stayed; and an edge that the file gave another weight was gone, where it had been told here before."""

    async def main(device: Device, clock: list[int]) -> None:
        def write(core: Core, connection: sqlite3.Connection) -> None:
            core.commit(
                [Write(Relate("Ann", "knows", "Bob", 0.25)), Write(Set("profile.name", "Ann"))], clock[0]
            )

        def shown(core: Core, connection: sqlite3.Connection) -> tuple[object, object]:
            edges = connection.execute(
                "SELECT source, relation, target, weight FROM edge ORDER BY 1"
            ).fetchall()
            return edges, read_settings(connection, "profile.")

        await device.replica.run(write)
        before = await device.replica.run(shown)
        lines: list[dict[str, object]] = [
            {"kind": "edge", "source": "Ann", "relation": "knows", "target": "Bob", "weight": 1.0},
            {"kind": "edge", "source": "Bob", "relation": "knows", "target": "Carl", "weight": 1.0},
            {"kind": "setting", "name": "profile.name", "value": "Anna"},
            {"kind": "setting", "name": "profile.city", "value": "Lisbon"},
            {"kind": "setting", "name": "profile.tea", "value": "green"},
        ]
        file = tmp_path / "in.jsonl"
        await trio.Path(file).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        imported = await import_(device, Import(files=(str(file),)), nobody)
        assert (imported.imported, imported.skipped) == (3, 2)
        edges, profile = await device.replica.run(shown)
        assert profile == {"name": "Ann", "city": "Lisbon", "tea": "green"}
        # Told anew by hand since: that is no longer the import's.
        await device.replica.run(lambda core, _: core.commit([Write(Set("profile.tea", "black"))], clock[0]))
        gone = await take_back(device, imported)
        assert (gone.edges, gone.settings) == (["Bob knows Carl"], ["profile.city"])
        edges, profile = await device.replica.run(shown)
        assert (edges, profile) == (before[0], {"name": "Ann", "tea": "black"})

    at_home(tmp_path, main)


@pytest.mark.parametrize(
    "given",
    [
        {"ops": "0011aabb-1-2"},
        {"device": "laptop", "ops": "0011aabb-1-2", "since": "2026-01-01"},
        {"device": "laptop", "ops": "all of them"},
    ],
)
def test_ops_are_those_of_a_device_as_an_import_names_them(tmp_path: Path, given: dict[str, Any]) -> None:
    with (
        samemind.open_blocking(tmp_path / "home", name="laptop") as mind,
        pytest.raises(samemind.Usage, match="expected"),
    ):
        mind.retract(**given)
