"""How far long work is that another thread does: said with counts, of what is known beforehand."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio

import samemind
from replica import Core
from replica import verify as verify_module
from samemind import progress as progress_module
from samemind.catalog import verb_named
from samemind.declaring import read_options
from samemind.errors import Failed
from samemind.local import Local
from samemind.performing import perform
from samemind.progress import Progress, while_telling

MEMORIES = 700
WAIT_S = 30


def test_what_is_done_is_said_until_the_end_and_the_result_is_given() -> None:
    said: list[tuple[int, int]] = []
    heard = trio.Event()

    async def say(document: Mapping[str, Any]) -> None:
        said.append((document["progress"]["done"], document["progress"]["total"]))
        heard.set()

    async def work(progress: Progress) -> str:
        await trio.sleep(2 * progress_module.EVERY_S)
        assert not said, "nobody knows how much there is"
        progress.total = 10
        progress.note(4)
        await heard.wait()
        progress.note(10)
        await trio.sleep(2 * progress_module.EVERY_S)
        return "done"

    assert trio.run(while_telling, say, work) == "done"
    assert said[0] == (4, 10)
    assert said[-1] == (9, 10), "the end is told by the result"


def test_what_fails_is_raised_as_it_is() -> None:
    async def say(document: Mapping[str, Any]) -> None: ...

    async def work(progress: Progress) -> None:
        raise Failed("no")

    with pytest.raises(Failed, match="no"):
        trio.run(while_telling, say, work)


@pytest.mark.parametrize(
    ("verb", "options"),
    [("verify", {}), ("export", {"output": "out.jsonl"}), ("backup", {"file": "backup.db"})],
)
def test_long_work_that_nobody_waits_for_any_longer_ends_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, options: dict[str, Any]
) -> None:
    """Ctrl-C was answered once all was done: with 40,000 memories `verify` went on for seven seconds."""
    monkeypatch.chdir(tmp_path)
    noted: list[int] = []
    scope = trio.CancelScope()
    token: trio.lowlevel.TrioToken

    class Left(Progress):
        """Whoever asked for it leaves as soon as anything is done."""

        def note(self, done: int) -> None:
            noted.append(done)
            # Not by the task that waits for this thread: it would not hear of it before it waits again.
            trio.from_thread.run_sync(scope.cancel, trio_token=token)
            super().note(done)

    monkeypatch.setattr(progress_module, "Progress", Left)

    async def say(_: Mapping[str, Any]) -> None:
        """Nobody listens."""

    async def main() -> None:
        nonlocal token
        token = trio.lowlevel.current_trio_token()
        async with samemind.open(tmp_path / "home") as mind:
            await mind.remember_many([f"thing number {n}" for n in range(MEMORIES)])
            assert isinstance(mind._reached, Local)
            declared = verb_named(verb)
            with scope:
                await perform(mind._reached.device, declared, read_options(declared, options), say)
            assert scope.cancelled_caught

    trio.run(main)
    assert len(noted) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize(
    ("verb", "options", "total"),
    [
        ("verify", {}, 2 * MEMORIES),
        ("export", {"output": "out.jsonl"}, MEMORIES),
        ("export", {"output": "notes", "format": "markdown"}, MEMORIES),
        ("backup", {"file": "backup.db"}, None),
    ],
)
def test_long_commands_say_how_much_of_how_much_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, options: dict[str, Any], total: int | None
) -> None:
    monkeypatch.setattr(progress_module, "EVERY_S", 0.0)
    monkeypatch.chdir(tmp_path)
    noted: list[tuple[int, int | None]] = []

    class Slow(Progress):
        """Whoever notes something waits until that can be said."""

        def __setattr__(self, name: str, value: int | None) -> None:
            super().__setattr__(name, value)
            if name == "done" and value:
                noted.append((value, self.total))
                time.sleep(0.05)

    monkeypatch.setattr(progress_module, "Progress", Slow)
    said: list[Mapping[str, Any]] = []

    async def say(document: Mapping[str, Any]) -> None:
        said.append(document["progress"])

    async def main() -> None:
        async with samemind.open(tmp_path / "home") as mind:
            await mind.remember_many([f"thing number {n}" for n in range(MEMORIES)])
            assert isinstance(mind._reached, Local)
            declared = verb_named(verb)
            await perform(mind._reached.device, declared, read_options(declared, options), say)

    trio.run(main)
    assert noted == sorted(noted)
    done, of = noted[-1]
    assert of is not None
    assert done <= of
    assert total in (None, of)
    assert any(each["done"] > 0 for each in said)
    assert all(each["done"] < each["total"] == of for each in said if each["done"])


def test_who_waits_for_a_snapshot_hears_how_far_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said nothing for 45 s at a million memories: whoever asked by MCP had given up, and told it again."""
    monkeypatch.setattr(progress_module, "EVERY_S", 0.01)
    began, heard = threading.Event(), threading.Event()
    said: list[Mapping[str, Any]] = []

    def take_in(core: Core, _: object) -> None:
        with core.taking() as taking_in:
            began.set()
            taking_in.memories, taking_in.written = 20, 7
            assert heard.wait(WAIT_S), "nobody heard what they wait for"

    async def say(document: Mapping[str, Any]) -> None:
        said.append(document)
        heard.set()

    async def main() -> None:
        async with samemind.open(tmp_path / "home") as mind:
            assert isinstance(mind._reached, Local)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(mind._reached.device.replica.run, take_in)
                assert await trio.to_thread.run_sync(began.wait, WAIT_S)
                await mind._reached.ask("remember", {"text": "told meanwhile"}, say)
            told, before = len(said), said[0]
            assert before == {"progress": {"done": 7, "total": 20}, "taking_in": True}
            await mind._reached.ask("remember", {"text": "told later"}, say)
            assert len(said) == told
            assert (await mind.stats()).memories == 2

    trio.run(main)


def test_who_tells_something_does_not_wait_for_a_verification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It held the writer to its end: at 100,000 memories everybody else waited ten seconds and more."""
    began, told = threading.Event(), threading.Event()
    verify = verify_module.verify_replica

    def slowly(core: Core, **more: Any) -> verify_module.Verification:
        began.set()
        assert told.wait(WAIT_S), "a write waited for the verification"
        return verify(core, **more)

    monkeypatch.setattr(verify_module, "verify_replica", slowly)

    async def main() -> None:
        async with samemind.open(tmp_path / "home") as mind:
            await mind.remember("told before")
            before = (await mind.stats()).ops
            found: list[samemind.Verified] = []

            async def look() -> None:
                found.append(await mind.verify())

            async with trio.open_nursery() as looking:
                looking.start_soon(look)
                assert await trio.to_thread.run_sync(began.wait, WAIT_S)
                rid = (await mind.remember("told meanwhile", wait=True)).rid
                await mind.forget(rid)
                told.set()
            assert (found[0].ok, found[0].ops) == (True, before), "what it found when it began"

    trio.run(main)
