"""Verbs through a running daemon, and programs that share one store."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import samemind
from samemind.config import Home
from samemind.control.client import Control
from samemind.control.protocol import decode
from tests.support import cli
from tests.support.cli import daemon
from tests.support.hearing import next_line
from tests.support.published import published


def test_a_verb_goes_through_the_daemon_and_says_the_same_as_without_it(tmp_path: Path) -> None:
    before = cli.run(tmp_path, "remember", "Ann moved to Lisbon", "--json").json
    with daemon(tmp_path) as up:
        assert up.said["running"] is True
        assert up.said["pid"] == up.process.pid
        through = cli.run(tmp_path, "get", before["rid"], "--json")
        assert through.json["text"] == "Ann moved to Lisbon"
        rid = cli.run(tmp_path, "remember", "Bob bakes", "--wait", "--json").json["rid"]
        (hit,) = cli.run(tmp_path, "recall", "Bob", "-k", "1", "--json").json["results"]
        assert hit["rid"] == rid
        missing = cli.run(tmp_path, "get", "123456", "--json")
        assert (missing.code, missing.json["error"]["code"]) == (3, "not_found")
        status = cli.run(tmp_path, "status", "--json").json
        assert (status["running"], status["device_id"]) == (True, up.said["device_id"])
        assert (status["think"]["runner"], status["think"]["thinking"]) == (up.said["device_id"], False)
        assert cli.run(tmp_path, "think", "--json").json["consolidated"] == {"count": 0, "ids": []}
        thought = cli.run(tmp_path, "status", "--json").json["think"]
        assert thought["found"]["consolidated"] == 0
        assert thought["last_at"] < thought["next_at"]
        digest = cli.run(tmp_path, "digest", "--json").json
    assert cli.run(tmp_path, "digest", "--json").json == digest
    alone = cli.run(tmp_path, "status", "--json").json
    assert (alone["running"], alone["think"]) == (False, None)


def test_a_verb_through_the_daemon_loads_nothing_heavy(tmp_path: Path) -> None:
    with daemon(tmp_path):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "samemind", "--home", str(tmp_path), "recall", "x"],
            capture_output=True, text=True, env=cli.environment(), check=True, timeout=cli.SECONDS_MAX,
        )  # fmt: skip
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    # The leaves that read JSON, and say which types of memories there are.
    assert {name for name in modules if name.startswith("replica")} <= {
        "replica",
        "replica.json_text",
        "replica.lazily",
        "replica.memory_types",
        "replica.values",
    }
    imported = {name.partition(".")[0] for name in modules}
    assert "samemind" in imported
    ours = {"sync", "cognition", "simulations"}
    theirs = {
        "trio",
        "numpy",
        "pycrdt",
        "cryptography",
        "rich",
        "platformdirs",
        "keyring",
        "sqlcipher3",
        "zeroconf",
    }
    pythons = {
        "asyncio",
        "sqlite3",
        "ssl",
        "http",
        "email",
        "logging",
        "tempfile",
        "threading",
        "subprocess",
        "tomllib",
    }
    assert imported & (ours | theirs | pythons) == set()
    assert "importlib.metadata" not in modules
    declared = {name for name in modules if name.startswith("samemind.commands.")}
    assert declared == set(), "of all commands the one that was asked for, which is loaded by its name"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_cleanly_within_two_seconds(tmp_path: Path, number: int) -> None:
    took: list[float] = []
    while not took or (
        min(took) >= 2 and len(took) < 5
    ):  # on a quiet machine each is quick; on a busy one some are
        with daemon(tmp_path) as up:
            began = time.monotonic()
            assert up.end(number) == 0
            took.append(time.monotonic() - began)
    assert min(took) < 2
    assert not Home.at(tmp_path).control.exists()
    assert cli.run(tmp_path, "digest", "--json").code == 0


def test_down_ends_the_daemon_and_returns_when_the_store_is_free(tmp_path: Path) -> None:
    with daemon(tmp_path) as up:
        said = cli.run(tmp_path, "down", "--json")
        assert (said.code, said.json["pid"]) == (0, up.process.pid)
        assert not Home.at(tmp_path).control.exists()
        assert up.process.wait(cli.SECONDS_MAX) == 0
    again = cli.run(tmp_path, "down", "--json")
    assert (again.code, again.json["error"]["code"]) == (5, "not_running")


def test_a_second_daemon_is_told_who_holds_the_store(tmp_path: Path) -> None:
    with daemon(tmp_path) as up:
        second = cli.run(tmp_path, "up", "--json")
        assert second.code == 6
        assert f"samemind up (process {up.process.pid})" in second.json["error"]["message"]
        assert cli.run(tmp_path, "digest").code == 0, "the first goes on"


def test_a_killed_daemon_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    with daemon(tmp_path) as up:
        rid = cli.run(tmp_path, "remember", "kept", "--json").json["rid"]
        up.end(signal.SIGKILL)
    assert Home.at(tmp_path).control.exists(), "nobody was there to tidy up"
    assert cli.run(tmp_path, "get", rid, "--json").json["text"] == "kept"
    with daemon(tmp_path):
        assert cli.run(tmp_path, "get", rid, "--json").code == 0


def test_a_home_deep_in_the_file_system_has_a_daemon_too(tmp_path: Path) -> None:
    home = tmp_path / ("deep" * 20) / ("folder" * 20)
    assert len(os.fsencode(Home.at(home).control)) > 107
    with daemon(home) as up:
        assert cli.run(home, "status", "--json").json["pid"] == up.process.pid


def test_a_long_request_holds_nobody_up(tmp_path: Path) -> None:
    with daemon(tmp_path):
        following = Control.connect(Home.at(tmp_path))
        assert following is not None
        said = following.ask("log", {"follow": True})
        rid = cli.run(tmp_path, "remember", "while another follows the log", "--json").json["rid"]
        op, result = next(said)
        assert op is not None
        assert (op["rid"], op["kind"], result) == (rid, "remember", None)
        following.close()
        assert cli.run(tmp_path, "digest", "--json").code == 0


def test_log_follow_prints_a_line_for_each_op_as_it_comes(tmp_path: Path) -> None:
    with daemon(tmp_path):
        following = subprocess.Popen(
            [*cli.COMMAND, "--home", str(tmp_path), "--json", "log", "--follow"],
            stdout=subprocess.PIPE, text=True, env=cli.environment(),
        )  # fmt: skip
        assert following.stdout is not None
        for text in ("one", "two"):
            rid = cli.run(tmp_path, "remember", text, "--json").json["rid"]
            assert json.loads(next_line(following))["rid"] == rid
        following.send_signal(signal.SIGINT)
        assert following.wait(cli.SECONDS_MAX) == 130
        following.stdout.close()


def test_the_control_socket_is_its_owners_alone(tmp_path: Path) -> None:
    with daemon(tmp_path):
        assert Home.at(tmp_path).control.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_another_user_is_refused_even_where_the_files_would_let_them(tmp_path: Path) -> None:
    """The kernel says who is at the other end; the socket's mode is not the only guard."""
    script = """
import os, socket, sys
sock = socket.socket(socket.AF_UNIX)
os.setuid(65534)
sock.connect(sys.argv[1])
print(sock.makefile().readline())
"""
    home = tmp_path / "home"
    with daemon(home):
        for folder in (home, *list(home.parents)[:-1]):
            if folder.stat().st_uid == os.geteuid():
                folder.chmod(folder.stat().st_mode | 0o011)
        Home.at(home).control.chmod(0o666)
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(Home.at(home).control))
        done = subprocess.run(
            [sys.executable, "-c", script, str(Home.at(home).control)],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
    assert decode(done.stdout.encode())["error"]["code"] == "not_permitted"


@pytest.mark.parametrize(
    "line",
    [b"rubbish\n", b"[]\n", b"{}\n", b'{"verb": 5}\n', b'{"verb": "list", "options": []}\n', b"\xff\xfe\n",
     b'{"verb": "list", "options": {"limit": "many"}}\n', b'{"verb": "rob"}\n', b"[" * 100_000 + b"\n"],
)  # fmt: skip
def test_rubbish_on_the_socket_gets_an_error_and_the_next_request_an_answer(
    shared: Path, line: bytes
) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(cli.SECONDS_MAX)
        connection.connect(str(Home.at(shared).control))
        connection.sendall(line)
        with connection.makefile("rb") as lines:
            assert decode(lines.readline())["error"]["code"] == "usage"
            connection.sendall(b'{"verb": "digest"}\n')
            assert "digest" in decode(lines.readline())["result"]


def test_a_client_that_hangs_up_in_the_middle_of_a_line_disturbs_nobody(shared: Path) -> None:
    for sent in (b"", b'{"verb": "rem', b'{"verb": "log", "options": {"follow": true}}\n'):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(cli.SECONDS_MAX)
            connection.connect(str(Home.at(shared).control))
            connection.sendall(sent)
    assert cli.run(shared, "digest", "--json").code == 0


def test_the_library_goes_through_the_daemon(shared: Path) -> None:
    with samemind.open_blocking(shared) as mind:
        remembered = mind.remember("Eve paints", speaker="Eve", tag=["art"])
        assert mind.get(remembered).tags == ["art"]
        assert mind.status().running
        with pytest.raises(samemind.NotFound):
            mind.get("123456")
    assert cli.run(shared, "get", remembered.rid, "--json").json["speaker"] == "Eve"


def test_a_program_that_holds_a_store_answers_the_command_line(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path) as mind:
        rid = cli.run(tmp_path, "remember", "said by the command", "--json").json["rid"]
        assert mind.get(rid).text == "said by the command"
        refused = cli.run(tmp_path, "down", "--json")
        assert (refused.code, refused.json["error"]["code"]) == (6, "locked")


@published("YD-78")
@pytest.mark.slow
def test_five_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Without a daemon they take turns at the store; each holds it for a moment."""
    cli.run(tmp_path, "init")

    def write(writer: int) -> list[str]:
        lines = "\n".join(json.dumps(f"{writer} wrote {i}") for i in range(20))
        return list(cli.run(tmp_path, "remember", "--batch", "-", "--json", stdin=lines).json["rids"])

    with ThreadPoolExecutor(5) as pool:
        rids = [rid for written in pool.map(write, range(5)) for rid in written]
    listed = cli.run(tmp_path, "list", "--limit", "200", "--json").json
    assert sorted(memory["rid"] for memory in listed["memories"]) == sorted(rids)
    assert len(set(rids)) == 100
    assert cli.run(tmp_path, "verify", "--json").json["ok"] is True


@published("YD-78")
def test_a_reader_is_not_held_up_by_a_write(tmp_path: Path) -> None:
    import trio

    from samemind.commands.memories.list import List
    from samemind.commands.memories.list import run as list_
    from samemind.device import open_device

    async def main() -> None:
        async with open_device(Home.at(tmp_path), program="a test", answers=False) as device:
            writing, done = trio.Event(), trio.Event()
            token = trio.lowlevel.current_trio_token()

            def hold(core: object, connection: object) -> None:
                connection.execute("BEGIN IMMEDIATE")  # type: ignore[attr-defined]
                trio.from_thread.run_sync(writing.set, trio_token=token)
                trio.from_thread.run(done.wait, trio_token=token)
                connection.execute("ROLLBACK")  # type: ignore[attr-defined]

            async with trio.open_nursery() as nursery:
                nursery.start_soon(device.replica.run, hold)
                await writing.wait()
                with trio.fail_after(10):
                    assert (await list_(device, List())).total == 0
                done.set()

    trio.run(main)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A daemon that several tests talk to."""
    home = tmp_path_factory.mktemp("shared")
    with daemon(home):
        yield home
