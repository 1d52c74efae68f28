"""Who holds the store: a daemon takes over from a program that holds it only because there was none."""

import json
import os
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.cli.main import END_SECONDS_MAX, _wait_for_the_end
from samemind.config import Home, Settings
from samemind.control.client import Control
from samemind.control.remote import Remote
from samemind.errors import Failed, Locked, Unreachable
from samemind.home.lock import hold
from samemind.library.home_store import HomeStore
from samemind.platform import system
from samemind.starting import start_daemon
from tests.support import cli
from tests.support.cli import daemon


async def _unheard(said: object) -> None:
    pass


def test_a_daemon_takes_the_store_from_an_agents_server_which_goes_on_through_it(tmp_path: Path) -> None:
    home = Home.at(tmp_path)

    async def main() -> None:
        store = HomeStore(home)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            told = await store.ask("remember", {"text": "before the daemon"}, again=True)

            async def ask_throughout(done: trio.Event) -> None:
                while not done.is_set():
                    assert (await store.ask("get", {"rid": told["rid"]}, again=True))["text"]

            def through_a_daemon() -> dict[str, object]:
                with daemon(tmp_path) as up:
                    status: dict[str, object] = cli.run(tmp_path, "status", "--json").json
                    assert status["pid"] == up.process.pid
                    return status

            done = trio.Event()
            nursery.start_soon(ask_throughout, done)
            assert (await trio.to_thread.run_sync(through_a_daemon))["running"] is True
            done.set()
            # The daemon is gone again: the next call finds the store free, and takes it.
            assert (await store.ask("stats", {}, again=True))["memories"] == 1
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_a_program_goes_on_when_the_daemon_ends_and_lets_go_when_one_comes_back(tmp_path: Path) -> None:
    import samemind

    with ExitStack() as up:
        up.enter_context(daemon(tmp_path))
        with samemind.open_blocking(tmp_path) as mind:
            first = mind.remember("through the daemon")
            up.close()
            mind.remember("with no daemon about")
            with daemon(tmp_path) as again:
                assert cli.run(tmp_path, "status", "--json").json["pid"] == again.process.pid
                assert mind.get(first).text == "through the daemon"
                assert mind.list().total == 2


def test_an_agents_server_brings_up_what_is_due_where_no_daemon_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samemind.daemon.notifying.LOOK_SECONDS", 0.01)
    told = cli.run(
        tmp_path, "remember", "Call Bo", "--type", "prospective", "--event-start", "2020-01-01"
    ).out

    async def main() -> None:
        store = HomeStore(Home.at(tmp_path))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            (waiting,) = (await store.ask("context", {}, again=True))["triggers"]
            assert (waiting["rids"], waiting["status"]) == ([told.strip()], "pending"), (
                "before anything was asked"
            )
            soon = {"text": "Call Al", "type": "prospective", "event_start": "2020-01-02"}
            await store.ask("remember", soon, again=True)
            with trio.fail_after(cli.SECONDS_MAX):
                while len((await store.ask("context", {}, again=True))["triggers"]) < 2:
                    pass
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_a_program_that_needs_its_store_does_not_let_go_of_it(tmp_path: Path) -> None:
    import samemind

    with samemind.open_blocking(tmp_path):

        async def main() -> None:
            remote = await Remote.connect(Home.at(tmp_path))
            assert remote is not None
            with pytest.raises(Locked):
                await remote.ask("up", {}, _unheard)
            await remote.aclose()

        trio.run(main)
        refused = cli.run(tmp_path, "up", "--json")
        assert (refused.code, refused.json["error"]["code"]) == (6, "locked")


def test_a_call_finds_another_way_when_the_holder_of_the_store_was_killed(tmp_path: Path) -> None:
    async def main() -> None:
        store = HomeStore(Home.at(tmp_path))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            with daemon(tmp_path) as up:
                told = await store.ask("remember", {"text": "kept"}, again=True)
                up.process.kill()
                up.process.wait(cli.SECONDS_MAX)
                found = await store.ask("get", {"rid": told["rid"]}, again=True)
                assert found["text"] == "kept"
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_the_command_line_stores_a_memory_when_the_holder_of_the_store_was_killed(tmp_path: Path) -> None:
    with daemon(tmp_path) as up:
        os.kill(up.process.pid, signal.SIGSTOP)  # it takes the request and answers nothing
        with cli.start(tmp_path, "remember", "Ann moved to Lisbon", "--json") as asking:
            time.sleep(1)
            assert asking.poll() is None
            up.process.kill()
            told = json.loads(asking.communicate(timeout=cli.SECONDS_MAX)[0])
        assert asking.returncode == 0
    (memory,) = cli.run(tmp_path, "list", "--json").json["memories"]
    assert memory["rid"] == told["rid"]


def test_the_command_line_stores_a_memory_once_when_its_answer_was_lost(tmp_path: Path) -> None:
    import samemind

    cli.run(tmp_path, "init", "--json")
    home = Home.at(tmp_path)
    with hold(home, program="a test"):
        listener = system.listen(home.control, 1)
        asking = cli.start(tmp_path, "--json", "remember", "Ann moved to Lisbon", stdin=subprocess.DEVNULL)
        connection, _ = listener.plain.accept()
        answer = listener.admit(connection, connection.recv(listener.greeting_bytes))
        assert answer is not None
        connection.sendall(answer)
        asked = json.loads(connection.recv(65_536))["options"]
        listener.close()
    with asking, connection:
        with samemind.open_blocking(tmp_path) as mind:
            mind.remember(asked["text"], rid=asked["rid"])
        connection.close()
        told = json.loads(asking.communicate(timeout=cli.SECONDS_MAX)[0])
    assert asking.returncode == 0, told
    (memory,) = cli.run(tmp_path, "list", "--json").json["memories"]
    assert memory["rid"] == told["rid"]


def test_up_in_the_background_returns_when_the_daemon_answers(tmp_path: Path) -> None:
    said = cli.run(tmp_path, "up", "--background", "--no-mdns", "--listen", "127.0.0.1:0", "--json")
    try:
        assert said.json["running"] is True
        again = cli.run(tmp_path, "up", "--background", "--json")
        assert again.json["pid"] == said.json["pid"], "one is enough"
        assert f"process {said.json['pid']}\n" in cli.run(tmp_path, "up", "--background").out
    finally:
        assert cli.run(tmp_path, "down", "--json").json["pid"] == said.json["pid"]
    assert "ended" in Home.at(tmp_path).log.read_text(encoding="utf-8")


def test_a_daemon_comes_up_in_the_background_and_ends_beside_an_agents_server_that_goes_on(
    tmp_path: Path,
) -> None:
    """The server has the store before it and after it, and is not taken for the daemon."""
    background = ("up", "--background", "--no-mdns", "--listen", "127.0.0.1:0", "--json")

    async def main() -> None:
        store = HomeStore(Home.at(tmp_path))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.keep)
            told = await store.ask("remember", {"text": "before the daemon"}, again=True)

            async def go_on(done: trio.Event) -> None:
                while not done.is_set():
                    assert (await store.ask("get", {"rid": told["rid"]}, again=True))["text"]

            done = trio.Event()
            nursery.start_soon(go_on, done)
            up = await trio.to_thread.run_sync(cli.run, tmp_path, *background)
            assert up.json["running"] is True
            down = await trio.to_thread.run_sync(cli.run, tmp_path, "down", "--json")
            assert down.json["pid"] == up.json["pid"]
            done.set()
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_whoever_ends_a_daemon_does_not_wait_for_the_program_that_has_the_store_next(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.create()
    with hold(home, program="samemind mcp"):
        began = time.monotonic()
        _wait_for_the_end(home, pid=os.getppid())
        assert time.monotonic() - began < END_SECONDS_MAX


def test_a_command_that_reads_is_asked_again_where_the_program_that_holds_the_store_ends(
    tmp_path: Path,
) -> None:
    """Here it ends after it heard the question, which it does not answer; what writes may have been done."""
    home = Home.at(tmp_path)
    cli.run(tmp_path, "remember", "Ann moved to Lisbon")
    said: Any = None
    for words, code in ((("list",), 0), (("goals", "add", "Run"), Unreachable.exit_code)):
        with ExitStack() as up:
            up.enter_context(hold(home, program="a test"))
            listener = system.listen(home.control, 1)
            up.callback(listener.close)
            with cli.start(tmp_path, "--json", *words, stdin=subprocess.DEVNULL) as asking:
                connection, _ = listener.plain.accept()
                with connection:
                    admitted = listener.admit(connection, connection.recv(listener.greeting_bytes))
                    assert admitted is not None
                    connection.sendall(admitted)
                    connection.recv(65_536)
                    up.close()
                said = json.loads(asking.communicate(timeout=cli.SECONDS_MAX)[0])
        assert asking.returncode == code, said
    assert said["error"]["code"] == "holder_ended"
    assert cli.run(tmp_path, "list", "--json").json["total"] == 1


def test_a_daemon_that_is_not_given_the_store_does_not_come_up_in_the_background(tmp_path: Path) -> None:
    import samemind

    with samemind.open_blocking(tmp_path):
        refused = cli.run(tmp_path, "up", "--background", "--json")
        assert refused.json["error"]["code"] == "daemon_did_not_start"
        assert f"in use by a program (process {os.getpid()})" in refused.json["error"]["message"]


def test_a_daemon_that_is_wanted_on_demand_is_started_by_the_first_verb_or_agent(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.create()
    Settings(name="laptop", listen="127.0.0.1:0", mdns=False, on_demand=True).save(home)
    assert cli.run(tmp_path, "status", "--json").json["running"] is False, "asking starts none"
    rid = cli.run(tmp_path, "remember", "kept", "--json").json["rid"]
    try:
        status = cli.run(tmp_path, "status", "--json").json
        assert status["running"] is True
        cli.run(tmp_path, "down")

        async def ask() -> None:
            store = HomeStore(home)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(store.keep)
                assert (await store.ask("get", {"rid": rid}, again=True))["text"] == "kept"
                assert (await store.ask("status", {}, again=True))["running"] is True
                nursery.cancel_scope.cancel()

        trio.run(ask)
    finally:
        assert cli.run(tmp_path, "down", "--json").code == 0


def test_a_daemon_that_cannot_start_says_why(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.create()
    home.store.write_bytes(b"no store at all" * 100)
    with pytest.raises(Failed, match="store"):
        start_daemon(home)


@pytest.mark.parametrize("ends", ["signal", "down"])
def test_a_daemon_that_is_ending_is_not_taken_for_one_that_runs(tmp_path: Path, ends: str) -> None:
    with daemon(tmp_path) as first:
        if ends == "signal":
            first.process.terminate()
        else:
            control = Control.connect(Home.at(tmp_path))
            assert control is not None
            assert next(result for _, result in control.ask("down", {}) if result)["pid"] == first.process.pid
            control.close()
        options = ("--no-mdns", "--listen", "127.0.0.1:0")
        came = start_daemon(Home.at(tmp_path), options)
        if ends == "signal" and came["pid"] == first.process.pid:
            # It was asked before it heard the signal; what answers later has heard it.
            came = start_daemon(Home.at(tmp_path), options)
        try:
            assert came["pid"] != first.process.pid
            assert first.process.wait(cli.SECONDS_MAX) == 0
            assert cli.run(tmp_path, "status", "--json").json["pid"] == came["pid"]
        finally:
            cli.run(tmp_path, "down")


@pytest.mark.parametrize("words", [["list"], ["remember", "Ann moved to Lisbon"], ["status"]])
def test_a_file_that_is_no_store_is_left_alone_with_nothing_beside_it(
    tmp_path: Path, words: list[str]
) -> None:
    """Whoever names a file by mistake finds it as it was, and no key and no lock in its folder."""
    notes = tmp_path / "notes.txt"
    notes.write_text("no store at all" * 100, encoding="utf-8")
    before = notes.stat()
    asked = cli.run(notes, *words)
    assert asked.code != 0
    assert "store" in asked.err
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
    assert notes.read_text(encoding="utf-8") == "no store at all" * 100
    assert notes.stat().st_mode == before.st_mode
