"""One connection of the control socket, whatever becomes of it, ends none of the others and nothing behind them."""

import errno
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from samemind import performing
from samemind.catalog import verb_named
from samemind.commands.memories.list import List
from samemind.commands.memories.remember_many import RememberMany
from samemind.config import Home
from samemind.control import server
from samemind.control.protocol import RECORDS_AT_ONCE, encode, encode_large
from samemind.control.remote import Remote
from samemind.control.server import Say, serve
from samemind.device import open_device
from samemind.errors import Failed, Unreachable
from samemind.formats.plain import to_json
from samemind.platform import posix


async def perform(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    return {"strength": float("nan")} if verb == "odd" else {"verb": verb}


async def unheard(said: object) -> None:
    pass


async def ask(home: Home, verb: str) -> Mapping[str, Any]:
    remote = await Remote.connect(home)
    assert remote is not None
    try:
        return await remote.ask(verb, {}, unheard)
    finally:
        await remote.aclose()


def test_a_result_that_is_no_json_is_told_as_a_bug_and_ends_nothing_else(tmp_path: Path) -> None:
    """It ended the daemon: what is sent was made outside of what catches errors."""
    home = Home.at(tmp_path)

    async def main() -> None:
        async with serve(home, perform):
            with pytest.raises(Failed) as caught:
                await ask(home, "odd")
            assert caught.value.code == "internal"
            assert await ask(home, "stats") == {"verb": "stats"}

    trio.run(main)


def test_an_answer_that_is_too_long_for_a_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked took the line's end for the end of the program, and asked again."""
    home = Home.at(tmp_path)
    monkeypatch.setattr(server, "LINE_BYTES_MAX", 1 << 20)
    fits = (1 << 20) - len(b'{"result": {"text": ""}}\n')

    async def long(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        return {"text": "x" * (fits + int(verb))}

    async def main() -> None:
        async with serve(home, long):
            assert await ask(home, "0") == {"text": "x" * fits}
            with pytest.raises(Failed, match="expected an answer of at most 1 MB") as caught:
                await ask(home, "1")
            assert caught.value.code == "too_large"
            assert await ask(home, "-5") == {"text": "x" * (fits - 5)}

    trio.run(main)


@pytest.mark.parametrize("waits", [True, False])
def test_what_waits_for_a_snapshot_is_still_answered_where_the_program_ends(
    tmp_path: Path, waits: bool
) -> None:
    """What goes on has no end to wait for; a short request has, whatever was said meanwhile."""
    home, said, ended = Home.at(tmp_path), trio.Event(), trio.Event()

    async def slow(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        await say({"progress": {"done": 1, "total": 2}, **({"taking_in": True} if waits else {})})
        said.set()
        await ended.wait()
        return {"verb": verb}

    async def asked(answers: list[Mapping[str, Any] | None]) -> None:
        try:
            answers.append(await ask(home, "remember"))
        except Unreachable:
            answers.append(None)

    async def main() -> None:
        answers: list[Mapping[str, Any] | None] = []
        async with trio.open_nursery() as nursery:
            async with serve(home, slow):
                nursery.start_soon(asked, answers)
                await said.wait()
                nursery.start_soon(end_soon)
        assert answers == [{"verb": "remember"} if waits else None]

    async def end_soon() -> None:
        await trio.testing.wait_all_tasks_blocked(0.05)
        ended.set()

    trio.run(main)


class Watched(dict[str, Any]):
    """A record that notes which thread makes a document of it, or encodes it."""

    def __init__(self, threads: set[int]) -> None:
        super().__init__({"text": "Ann moved to Lisbon"})
        self._threads = threads

    def items(self) -> Any:
        self._threads.add(threading.get_ident())
        return super().items()


@pytest.mark.parametrize(
    ("count", "is_apart"), [(RECORDS_AT_ONCE, False), (RECORDS_AT_ONCE + 1, True), (3_000, True)]
)
def test_a_large_answer_is_made_apart_from_the_loop(tmp_path: Path, count: int, is_apart: bool) -> None:
    """Answers of many megabytes kept everybody who asked at the time waiting for a second."""
    home = Home.at(tmp_path)
    threads: set[int] = set()

    async def much(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        return {"total": count, "memories": [Watched(threads) for _ in range(count)], "more": {"a": 1}}

    async def main() -> None:
        async with serve(home, much):
            memories = [{"text": "Ann moved to Lisbon"}] * count
            assert await ask(home, "list") == {"total": count, "memories": memories, "more": {"a": 1}}

    trio.run(main)
    assert len(threads) == 1
    assert (threads == {threading.get_ident()}) is not is_apart


@pytest.mark.parametrize("count", [0, 1, RECORDS_AT_ONCE + 1, 2 * RECORDS_AT_ONCE, 2 * RECORDS_AT_ONCE + 1])
def test_a_large_line_is_the_same_line(count: int) -> None:
    result = {
        "é": [{"n": no, "t": "\ud800ü"} for no in range(count)],
        "b": [],
        "c": {"d": [1] * count},
        "e": None,
    }
    assert encode_large(result) == encode({"result": result})


def test_a_document_of_many_memories_is_made_apart_from_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []

    def noted(result: object) -> object:
        threads.append(threading.get_ident())
        return to_json(result)

    monkeypatch.setattr("samemind.performing.to_json", noted)

    async def main() -> None:
        async with open_device(Home.at(tmp_path), program="a test", answers=False) as device:
            lines = tuple(f'{{"text": "note {number}"}}' for number in range(RECORDS_AT_ONCE + 1))
            many = RememberMany(lines=lines)
            await performing.perform(device, verb_named("remember-many"), many, unheard)
            threads.clear()
            for limit in (RECORDS_AT_ONCE, RECORDS_AT_ONCE + 1):
                asked = List(limit=limit)
                told = await performing.perform(device, verb_named("list"), asked, unheard)
                assert len(told["memories"]) == limit

    trio.run(main)
    assert [each == threading.get_ident() for each in threads] == [True, False]


@contextmanager
def full_queue(place: Path) -> Iterator[socket.socket]:
    """A program that listens and takes no connection, in whose queue there is no room for another."""
    with ExitStack() as stack:
        listener = stack.enter_context(closing(posix.listen(place, 0))).plain
        while True:
            caller = stack.enter_context(socket.socket(socket.AF_UNIX))
            caller.settimeout(0.0)
            try:
                caller.connect(str(place))
            except BlockingIOError:
                break
        yield listener


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
def test_whoever_finds_the_queue_full_waits_for_a_turn(tmp_path: Path) -> None:
    """Of 129 programs that asked at once, one was told that a resource was temporarily unavailable."""
    with full_queue(tmp_path / "socket") as listener, ThreadPoolExecutor(1) as thread:
        connecting = thread.submit(posix.connect, tmp_path / "socket", 60.0)
        time.sleep(5 * posix.QUEUE_FULL_S)
        assert not connecting.done()
        with closing(listener.accept()[0]):
            connected = connecting.result(60.0)
            assert connected is not None
            connected.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
def test_a_queue_that_stays_full_is_told(tmp_path: Path) -> None:
    with full_queue(tmp_path / "socket"), pytest.raises(Unreachable, match=r"within 0\.05 s"):
        posix.connect(tmp_path / "socket", 0.05)


def test_a_system_that_sets_no_mode_on_an_unbound_socket_sets_it_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As macOS and the BSDs do; no device could be opened there."""
    home = Home.at(tmp_path)

    def fchmod(descriptor: int, mode: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fchmod", fchmod)

    async def main() -> None:
        async with serve(home, perform):
            assert home.control.stat().st_mode & 0o777 == 0o600
            assert await ask(home, "stats") == {"verb": "stats"}

    trio.run(main)


def test_idle_connections_make_room_for_others_and_whoever_had_one_is_still_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that never hung up could use up all the files that a daemon may have open."""
    monkeypatch.setattr(server, "IDLE_MAX", 4)
    home = Home.at(tmp_path)

    async def main() -> None:
        async with serve(home, perform):
            first = await Remote.connect(home)
            assert first is not None
            assert await first.ask("stats", {}, unheard) == {"verb": "stats"}
            others = [await trio.open_unix_socket(home.control) for _ in range(20)]
            await others[-1].send_all(b'{"verb":')  # half a request is none
            with trio.fail_after(60):
                for other in others[:16]:
                    assert not await other.receive_some(1)
                assert await first.ask("stats", {}, unheard) == {"verb": "stats"}
                await others[-1].send_all(b'"list"}\n')
                assert b"list" in await others[-1].receive_some(100)
            for other in others:
                await trio.aclose_forcefully(other)
            await first.aclose()

    trio.run(main)


def test_whoever_waits_for_an_answer_is_not_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "IDLE_MAX", 1)
    home, asked, go = Home.at(tmp_path), trio.Event(), trio.Event()

    async def slow(verb: str, options: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        if verb == "verify":
            asked.set()
            await go.wait()
        return {"verb": verb}

    async def main() -> None:
        async with serve(home, slow), trio.open_nursery() as nursery:
            nursery.start_soon(verify)
            await asked.wait()
            for _ in range(4):
                assert await ask(home, "stats") == {"verb": "stats"}
            go.set()

    async def verify() -> None:
        assert await ask(home, "verify") == {"verb": "verify"}

    trio.run(main)
