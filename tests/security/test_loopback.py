"""The control channel over loopback TCP, as Windows has it: whoever does not know the token gets nothing at all.

Every program of the machine can reach the port, of whichever user, and every page in a browser. Run on Linux, by the
variant that was written for Windows.
"""

import hmac
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.config import Home
from samemind.control import client, pouring, remote, server
from samemind.platform import loopback, windows
from samemind.platform.loopback import GREETING_BYTES, MARK

asked: list[str] = []


async def perform(verb: str, options: Mapping[str, Any], say: server.Say) -> Mapping[str, Any]:
    asked.append(verb)
    return {"verb": verb}


@pytest.fixture(autouse=True)
def on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other variant, in this process."""
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "profile"))
    for module in ("config", "control.client", "control.remote", "control.server", "control.pouring"):
        monkeypatch.setattr(f"samemind.{module}.system", windows)
    asked.clear()


@contextmanager
def answering(home: Home) -> Iterator[int]:
    """A program that holds the store and answers, in a thread; gives its port."""
    up, ended = threading.Event(), trio.Event()
    token: list[trio.lowlevel.TrioToken] = []

    async def main() -> None:
        token.append(trio.lowlevel.current_trio_token())
        async with server.serve(home, perform):
            up.set()
            await ended.wait()

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    assert up.wait(60)
    try:
        found = loopback._read(home.control)
        assert found is not None
        yield found[0]
    finally:
        trio.from_thread.run_sync(ended.set, trio_token=token[0])
        thread.join(60)


def ask(home: Home) -> Mapping[str, Any] | None:
    control = client.Control.connect(home)
    if control is None:
        return None
    try:
        ((_, result),) = control.ask("stats", {})
        return result
    finally:
        control.close()


def all_that_comes(port: int, sent: bytes, *, hangs_up: bool = False) -> bytes:
    """Send something and return everything that is answered, to the end."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        found = b""
        # It may close with our words unread, or half sent.
        with suppress(ConnectionResetError, BrokenPipeError):
            connection.sendall(sent)
            if hangs_up:
                connection.shutdown(socket.SHUT_WR)
            while more := connection.recv(4096):
                found += more
    return found


def test_a_program_of_the_same_user_is_answered_and_the_port_is_this_machines_alone(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with answering(home) as port:
        assert ask(home) == {"verb": "stats"}

        async def through_the_library() -> Mapping[str, Any]:
            found = await remote.Remote.connect(home)
            assert found is not None

            async def unheard(said: object) -> None:
                pass

            try:
                return await found.ask("stats", {}, unheard)
            finally:
                await found.aclose()

        assert trio.run(through_the_library) == {"verb": "stats"}
        mode, folder = home.control.stat().st_mode, home.control.parent.stat().st_mode
        assert (mode & 0o777, folder & 0o777) == (0o600, 0o700)
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", port), 5)
    assert not home.control.exists()
    assert ask(home) is None


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + bytes(GREETING_BYTES),
        b"POST / HTTP/1.1\r\nHost: rebound.example\r\nContent-Length: 200\r\n\r\n" + MARK + bytes(200),
        b'{"verb": "export", "options": {}}\n' + bytes(GREETING_BYTES),
        b"\x16\x03\x01\x02\x00\x01\x00" + bytes(200),
        MARK + secrets.token_bytes(GREETING_BYTES - len(MARK)) + b'{"verb": "export"}\n',
        MARK + bytes(GREETING_BYTES - len(MARK)),
        MARK[:-1] + b"2" + bytes(GREETING_BYTES - len(MARK)),
        secrets.token_bytes(1 << 20),
    ],
    ids=["HTTP", "a rebound name", "a request", "TLS", "a guess", "zeros", "another version", "a megabyte"],
)
def test_a_stranger_gets_not_a_byte_and_nothing_is_done(tmp_path: Path, sent: bytes) -> None:
    home = Home.at(tmp_path / "home")
    with answering(home) as port:
        assert all_that_comes(port, sent) == b""
        assert asked == []
        assert ask(home) == {"verb": "stats"}, "and nobody else is disturbed"


def test_the_token_itself_is_no_way_in_and_a_proof_of_the_listener_is_none_either(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with answering(home) as port:
        found = loopback._read(home.control)
        assert found is not None
        nonce = secrets.token_bytes(32)
        mirrored = MARK + nonce + loopback._proof(found[1], b"listener", nonce)
        of_another = MARK + nonce + loopback._proof(found[1], b"caller", secrets.token_bytes(32))
        for sent in (found[1].ljust(GREETING_BYTES), mirrored, of_another):
            assert all_that_comes(port, sent, hangs_up=True) == b""
    assert asked == []


def test_a_proof_is_compared_in_constant_time_and_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = loopback.listen(tmp_path / "token", 1)
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    with socket.socket() as connection:
        assert listener.admit(connection, bytes(GREETING_BYTES)) is None
        assert listener.admit(connection, MARK + bytes(GREETING_BYTES - len(MARK))) is None
        assert listener.admit(connection, b"") is None
    assert [len(one) for one, _ in compared] == [32, 32]
    assert all(len(other) == 32 for _, other in compared)
    listener.close()


def test_a_stranger_who_says_nothing_is_let_go_of_and_a_crowd_of_them_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "GREETING_SECONDS_MAX", 0.5)
    monkeypatch.setattr(server, "UNPROVEN_MAX", 8)
    home = Home.at(tmp_path / "home")
    with answering(home) as port:
        crowd = [socket.create_connection(("127.0.0.1", port), 60) for _ in range(40)]
        try:
            assert [each.recv(1) for each in crowd] == [b""] * 40
        finally:
            for each in crowd:
                each.close()
        assert ask(home) == {"verb": "stats"}


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_another_user_can_read_no_token_and_guesses_none(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    with answering(home) as port:
        for folder in (home.control.parent, *home.control.parents):
            if folder.is_relative_to(tmp_path):
                folder.chmod(0o755)  # as if the folder were open
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.setuid(65534)
                try:
                    home.control.read_bytes()
                except PermissionError:
                    code = 0 if all_that_comes(port, bytes(GREETING_BYTES)) == b"" else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked == []


# -- what a crash leaves --------------------------------------------------------------------------------------


@contextmanager
def listening(port: int, say: bytes) -> Iterator[list[bytes]]:
    """Somebody else's program that got a port; gives what it hears."""
    heard: list[bytes] = []
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        plain.bind(("127.0.0.1", port))
        plain.listen()

        def hear() -> None:
            connection, _ = plain.accept()
            with connection, suppress(ConnectionResetError):  # by who hangs up on us
                heard.append(connection.recv(4096))
                connection.sendall(say)
                if not say:
                    connection.shutdown(socket.SHUT_WR)
                while more := connection.recv(4096):
                    heard.append(more)

        thread = threading.Thread(target=hear, daemon=True)
        thread.start()
        yield heard
        thread.join(60)


def test_the_file_of_a_killed_program_leads_nowhere_and_is_mended_by_the_next(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    left = loopback.listen(home.control, 1)
    before = home.control.read_bytes()
    left.plain.close()  # as a kill does: the file stays
    began = time.monotonic()
    assert ask(home) is None
    assert time.monotonic() - began < 30
    with answering(home):
        assert home.control.read_bytes() != before
        assert ask(home) == {"verb": "stats"}
    left = loopback.listen(home.control, 1)
    left.plain.close()
    windows.clear_control(home.control)  # as who opens the store for itself does
    assert not home.control.exists()


def test_a_stranger_at_the_port_of_a_killed_program_hears_one_question_and_no_request(tmp_path: Path) -> None:
    """And is not believed, whatever it says: nothing private goes to it."""
    home = Home.at(tmp_path / "home")
    left = loopback.listen(home.control, 1)
    port, token = left.plain.getsockname()[1], left._token
    left.plain.close()
    greeting = b""
    for said in (bytes(32), secrets.token_bytes(32), b"HTTP/1.1 200 OK\r\n\r\n" + bytes(99), b""):
        with listening(port, said) as heard:
            assert ask(home) is None
        (greeting,) = heard
        assert len(greeting) == GREETING_BYTES
        assert token not in greeting
    with answering(home) as port:  # what it heard is of no use with the next, who drew another token
        assert all_that_comes(port, greeting) == b""


@pytest.mark.parametrize(
    "content",
    [b"", b"rubbish", b"[]", b"{}", b'{"kind": "samemind local 1"}', b"\xff" * 2_000, b"[" * 900,
     b'{"kind": "samemind local 1", "port": 0, "token": "00"}',
     b'{"kind": "samemind local 1", "port": 99999, "token": "%s"}' % (b"00" * 32)],
)  # fmt: skip
def test_a_file_that_says_nothing_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    home = Home.at(tmp_path / "home")
    home.control.parent.mkdir(parents=True)
    home.control.write_bytes(content)
    assert ask(home) is None
    with answering(home):
        assert ask(home) == {"verb": "stats"}


# -- what is drawn from a pipe --------------------------------------------------------------------------------


def test_what_is_poured_goes_to_who_knows_the_token_and_to_nobody_else(tmp_path: Path) -> None:
    with pouring.poured([pouring.PipeContent("notes.jsonl", b"secret")]) as (place,):
        assert windows.is_poured(Path(place))
        found = loopback._read(Path(place))
        assert found is not None
        assert all_that_comes(found[0], b"GET / HTTP/1.1\r\n\r\n" + bytes(GREETING_BYTES)) == b""
        assert pouring.read_poured(Path(place)) == pouring.PipeContent("notes.jsonl", b"secret")
        assert not Path(place).exists()
    (tmp_path / "notes.json").write_text('{"kind": "note", "port": 1}')
    assert not windows.is_poured(tmp_path / "notes.json")
