"""Devices that reach nothing but a mailbox, and are never up together: daemons in network namespaces, real servers."""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samemind.config import Home, Settings
from sync.mailbox.nkeys import new_seed, public_nkey, read_seed
from sync.mailbox.serving import certificate_command, server_settings
from tests.bench import mailbox
from tests.support.mailbox_servers import PASSWORD, USER, needs_package, needs_program
from tests.support.netns import Host, hub_and_hosts, needs_netns

PORT = 4222
SEED, WRONG_SEED = new_seed(bytes(range(32))), new_seed(bytes(range(1, 33)))
READY_SECONDS_MAX = 60.0
# Long enough for a ping of NATS's, which goes every twenty seconds.
IDLE_SECONDS = 24.0


@dataclass
class Daemon:
    """A device on a host, as its owner uses it."""

    host: Host
    home: Path

    def call(self, *words: str, codes: tuple[int, ...] = (0,)) -> Any:
        done = self.host.run(
            [sys.executable, "-m", "samemind", "--home", str(self.home), *words, "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in codes, (words, done.stdout, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])  # before it, long work says how far it is

    @contextmanager
    def up(self) -> Iterator[None]:
        """Run the daemon; what it put off is in the mailbox when it has ended.

        It ends within two seconds, and on a busy machine it may say that this was too short: then it is written here.
        """
        command = [sys.executable, "-m", "samemind", "--home", str(self.home), "up", "--no-mdns"]
        process = self.host.popen(
            [*command, "--listen", "127.0.0.1:0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert b"running" in process.stdout.readline()
        self.until_looked()
        yield
        self.call("down")
        assert process.wait(READY_SECONDS_MAX) == 0
        log = Home.at(self.home).log
        if "what was put off is written when" in log.read_text():
            self.call("mailbox", "look")
            log.unlink()

    def until_looked(self) -> None:
        until = time.monotonic() + READY_SECONDS_MAX
        while True:
            (mailbox,) = self.call("mailbox", "list")["mailboxes"]
            assert mailbox["trouble"] is None, mailbox
            if mailbox["looked_at"] is not None:
                return
            assert time.monotonic() < until, mailbox

    def texts(self) -> set[str]:
        return {memory["text"] for memory in self.call("list", "--limit", "100")["memories"]}

    def digest(self) -> tuple[str, str]:
        found = self.call("digest")
        return found["digest"], found["state_digest"]


def strangers(folder: Path, hosts: list[Host]) -> tuple[Daemon, Daemon]:
    """Two devices that know nothing of each other."""
    for name in ("laptop", "phone"):
        home = Home.at(folder / name)
        home.create()
        Settings(name=name, mdns=False).save(home)
    return Daemon(hosts[0], folder / "laptop"), Daemon(hosts[1], folder / "phone")


def pair_by_mailbox(laptop: Daemon, phone: Daemon) -> None:
    """Let both be up for once, and pair them by a code that one shows and the other is told."""
    command = [
        sys.executable,
        "-m",
        "samemind",
        "--home",
        str(laptop.home),
        "pair",
        "--mailbox",
        "box",
        "--json",
    ]
    showing = laptop.host.popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert showing.stdout is not None
    shown = json.loads(showing.stdout.readline())
    words = phone.call("pair", shown["code"], "--mailbox", "box")["words"]
    assert json.loads(showing.stdout.readline())["words"] == words
    assert showing.wait(READY_SECONDS_MAX) == 0


@contextmanager
def serving(kind: str, hub: Host, folder: Path) -> Iterator[list[list[str]]]:
    """Serve a mailbox on the hub; return the words that add it, for host 0 and host 1. NATS: as we tell to run it."""
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    where = [f"10.78.{n}.1:{PORT}" for n in range(2)]
    if kind == "NATS":
        needs_package("nats")
        secret.write_text(SEED)
        config, files = folder / "nats.conf", (folder / "box.crt", folder / "box.key")
        certificate, key = map(str, files)
        made = certificate_command(["meet.example"], certificate=certificate, key=key)
        subprocess.run([needs_program("openssl"), *shlex.split(made)[1:]], check=True, capture_output=True)
        nkey = public_nkey(read_seed(SEED))
        config.write_text(
            server_settings(
                nkey,
                listen=f"0.0.0.0:{PORT}",
                store=f"{folder}/store",
                certificate=certificate,
                key=key,
            )
        )
        command = [needs_program("nats-server"), "-c", str(config)]
        adds = [[f"nats+tls://{each}", "--certificate", certificate] for each in where]
    else:
        (folder / "files").mkdir()
        command = [
            needs_program("rclone"),
            "serve",
            "webdav",
            str(folder / "files"),
            "--addr",
            f"0.0.0.0:{PORT}",
        ]
        command += ["--user", USER, "--pass", PASSWORD, "--config", str(folder / "rclone.conf")]
        adds = [[f"webdav+http://{USER}@{each}/box"] for each in where]
    with (folder / "server.log").open("ab") as log:
        server = hub.popen(command, stdout=log, stderr=log)
        until = time.monotonic() + READY_SECONDS_MAX
        knock = [sys.executable, "-c", f"import socket; socket.create_connection(('127.0.0.1', {PORT}))"]
        while hub.run(knock, check=False, capture_output=True).returncode:
            assert server.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < until
        yield [[*add, "--name", "box", "--secret-file", str(secret)] for add in adds]


@needs_netns
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["NATS", "WebDAV"])
def test_two_daemons_that_are_never_up_together_agree_through_a_mailbox(kind: str, tmp_path: Path) -> None:
    """Paired through it; then what one writes, contradicts, forgets, erases and settles is read on the other."""
    with hub_and_hosts(2) as (hub, hosts):
        laptop, phone = strangers(tmp_path, hosts)
        way = f"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('{hosts[1].address}', 9))"
        tried = hosts[0].run([sys.executable, "-c", way], check=False, capture_output=True)
        assert b"unreachable" in tried.stderr, "they reach each other"
        with serving(kind, hub, tmp_path) as adds:
            for device, add in zip((laptop, phone), adds, strict=True):
                device.call("mailbox", "add", *add)
            laptop.call("remember", "known before they met")
            laptop.call("mailbox", "look")
            phone.call("remember", "known on the other side")
            pair_by_mailbox(laptop, phone)
            known = {"known before they met", "known on the other side"}
            assert laptop.texts() == phone.texts() == known, "both were there: they need not look again"

            with laptop.up():
                laptop.call("remember", "Ann lives in Lisbon")
                going = laptop.call("remember", "buy some milk on the way")["rid"]
                secret_rid = laptop.call("remember", "the alarm code is xyzzyplugh")["rid"]
            with phone.up():
                assert phone.texts() == known | {
                    "Ann lives in Lisbon",
                    "buy some milk on the way",
                    "the alarm code is xyzzyplugh",
                }
                phone.call("remember", "Ann lives in Porto")
                phone.call("forget", going)
                phone.call("forget", "--erase", secret_rid)
            with laptop.up():
                assert "Ann lives in Porto" in laptop.texts()
                assert not {"buy some milk on the way", "the alarm code is xyzzyplugh"} & laptop.texts()
                laptop.call("think")
                (open_one,) = laptop.call("contradictions", "list")["contradictions"]
                laptop.call("contradictions", "resolve", open_one["id"], "--keep-b")
                settled = laptop.digest()
                (as_settled,) = laptop.call("contradictions", "list")["contradictions"]
            with phone.up():
                assert phone.digest() == settled
                (there,) = phone.call("contradictions", "list")["contradictions"]
                assert (there["id"], there["status"]) == (open_one["id"], as_settled["status"])
                assert there["status"] != open_one["status"]
                (peer,) = phone.call("mailbox", "list")["mailboxes"][0]["peers"]
                assert peer["name"] == "laptop"
            # Of letters that no name of a file has: those are random, and stand in the store. Full text may leave the
            # first one to the word before.
            assert (
                b"yzzyplugh"
                not in (laptop.home / "memory.db").read_bytes() + (phone.home / "memory.db").read_bytes()
            )


@needs_netns
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [("NATS", SEED, WRONG_SEED), ("WebDAV", PASSWORD, "hush-hush")],
    ids=["NATS", "WebDAV"],  # the name of a test is in the environment of what it starts
)
def test_a_secret_that_is_refused_is_told_by_doctor_and_lies_in_no_log(
    kind: str, right: str, wrong: str, tmp_path: Path
) -> None:
    with hub_and_hosts(2) as (hub, hosts):
        laptop, _ = strangers(tmp_path, hosts)
        with serving(kind, hub, tmp_path) as (add, _):
            file = tmp_path / "wrong"
            file.write_text(wrong)
            laptop.call("mailbox", "add", *add[:-1], str(file))
            assert laptop.call("mailbox", "look", codes=(1,))["error"]["code"] == "mailbox_denied"
            laptop.call("mailbox", "add", *add)
            with laptop.up():
                (check,) = [
                    each
                    for each in laptop.call("doctor", codes=(0, 1))["checks"]
                    if each["name"] == "mailbox"
                ]
                assert check["ok"], check
                pid = laptop.call("status")["pid"]
                for shown in ("cmdline", "environ", "comm"):
                    assert right.encode() not in Path(f"/proc/{pid}/{shown}").read_bytes()
                for words in (["mailbox", "list"], ["status"], ["doctor"]):
                    assert right not in json.dumps(laptop.call(*words, codes=(0, 1)))
            for each in (file for file in laptop.home.rglob("*") if file.is_file()):
                holds = each.name == "mailboxes.json"
                assert (right.encode() in each.read_bytes()) is holds, each
                assert wrong.encode() not in each.read_bytes()
                assert not holds or each.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_mailbox_that_nobody_writes_to_costs_next_to_no_processor(tmp_path: Path) -> None:
    """Two processes at a real server wake every other second at most, and neither spins.

    What that costs is measured by `python -m tests.bench.mailbox --idle 60`, on a machine that does not sleep itself: a
    virtual one bills tens of ms for waking once.
    """
    found = mailbox.measure(1, 0.2, idle_s=IDLE_SECONDS)
    assert len(found.beyond_ms) == 1
    assert len(found.idle_ms) == len(found.woke) == 2
    assert max(found.woke) <= 30
    assert max(found.idle_ms) <= 0.02 * 60_000
