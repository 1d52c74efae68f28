"""Who asks a program that holds the store and is stopped, or hangs, is told so; who asks for long work waits."""

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import trio

from samemind import starting
from samemind.config import Home
from samemind.control import client, remote
from samemind.control.client import Control
from samemind.control.remote import Remote
from samemind.control.server import Say, serve
from samemind.errors import Unreachable
from samemind.platform import system

SILENT_S = 0.4  # a busy machine may be as late with a sign of life
LONG_S = 3 * SILENT_S  # several silences long


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (client, remote):
        monkeypatch.setattr(module, "SILENT_S", SILENT_S)


async def work(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    await trio.sleep(LONG_S)
    return {"verb": verb}


async def unheard(said: object) -> None:
    pass


@contextmanager
def stopped(home: Home) -> Iterator[None]:
    """A program whose queue takes connections, and that does nothing with them."""
    home.lock.write_text(json.dumps({"pid": os.getpid(), "program": "samemind up"}))
    with closing(system.listen(home.control, 8)):
        yield


def asked(home: Home) -> Mapping[str, Any] | None:
    """Ask as the command line does."""
    control = Control.connect(home)
    assert control is not None
    with closing(control):
        return [result for _, result in control.ask("stats", {})][-1]


def test_a_command_says_who_does_not_answer(tmp_path: Path) -> None:
    """It waited for ever, and so did the command that was to end the daemon."""
    home = Home.at(tmp_path)
    with stopped(home), pytest.raises(Unreachable, match="does not answer") as caught:
        asked(home)
    assert caught.value.code == "holder_silent"
    assert f"samemind up (process {os.getpid()})" in str(caught.value)


def test_a_daemon_that_was_begun_does_not_stay_where_another_holds_the_store_and_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun waits for the store, and came up unasked once the other one ended."""
    home, begun = Home.at(tmp_path), tmp_path / "begun"
    waiting = (
        f"import os, pathlib, time; pathlib.Path({str(begun)!r}).write_text(str(os.getpid())); time.sleep(60)"
    )
    monkeypatch.setattr(starting, "own_command", lambda home: [sys.executable, "-c", waiting])
    raised: list[Exception] = []

    def start() -> None:
        try:
            starting.start_daemon(home)
        except Exception as error:
            raised.append(error)

    thread = Thread(target=start)
    thread.start()
    while not (begun.exists() and begun.read_text()):
        time.sleep(0.01)
    with stopped(home):
        thread.join()
    assert isinstance(raised[0], Unreachable)
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


def test_a_command_waits_for_long_work(tmp_path: Path) -> None:
    home, found = Home.at(tmp_path), []

    async def main() -> None:
        async with serve(home, work):
            asking = Thread(target=lambda: found.append(asked(home)))
            asking.start()
            await trio.to_thread.run_sync(asking.join)

    trio.run(main)
    assert found == [{"verb": "stats"}]


def test_a_library_says_who_does_not_answer_and_waits_for_long_work(tmp_path: Path) -> None:
    home = Home.at(tmp_path)

    async def ask() -> Mapping[str, Any]:
        found = await Remote.connect(home)
        assert found is not None
        try:
            return await found.ask("stats", {}, unheard)
        finally:
            await found.aclose()

    async def main() -> None:
        with stopped(home), pytest.raises(Unreachable, match="does not answer") as caught:
            await ask()
        assert caught.value.code == "holder_silent"
        async with serve(home, work):
            assert await ask() == {"verb": "stats"}

    trio.run(main)
