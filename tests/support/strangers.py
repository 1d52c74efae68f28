"""Whoever is on the network, and neither paired nor told a code: what they can say to a daemon, for as long as wanted.

python -m tests.support.strangers link|pairing|panel HOST PORT SECONDS SEED: bother this place; prints how often.

`besieged` holds a daemon in a network namespace of its own, with one peer that is away (so that it looks for it), the
panel open and pairing open again and again, and strangers in the other namespace who do all of this at once.
"""

import json
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from samemind.config import Home, Settings
from sync.identity import Identity
from tests.support import cli
from tests.support.growth import resident_mb
from tests.support.hearing import next_line
from tests.support.household import Member
from tests.support.mangling import mangled_bytes
from tests.support.netns import Host, two_hosts

# A stranger who waits for an answer gives up sooner than a daemon that waits for a stranger.
_WAIT_SECONDS: Final = 2.0
_HELD: Final = 20
# Two cores are shared with the strangers and with other tests: an owner waits at most so long, nearly always far less.
ANSWER_SECONDS_MAX: Final = 30.0
_LOOK_SECONDS: Final = 2.0
_PORT: Final = 47_411


def _context(identity: Path | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if identity is not None:
        context.load_cert_chain(identity)
    return context


def _bother(kind: str, place: tuple[str, int], random: Random, held: list[socket.socket], key: Path) -> None:
    """Do one thing that a stranger may do to a listener."""
    link = socket.create_connection(place, timeout=_WAIT_SECONDS)
    how = random.randrange(6)
    if kind == "panel" and how > 2:
        with link:
            link.sendall(_request(random))
            answer = link.recv(65_536)
            # A transfer coding that nobody knows is 501 by HTTP's own words.
            assert answer[:12] == b"HTTP/1.1 501" or not answer.startswith(b"HTTP/1.1 5"), answer[:200]
        return
    if how == 0:  # say nothing, and stay
        held.append(link)
        if len(held) > _HELD:
            held.pop(0).close()
        return
    with link:
        if how == 1:
            link.sendall(random.randbytes(random.randint(1, 400)))
            link.recv(100)
            return
        if how == 2:  # a right beginning of TLS, spoiled
            outgoing = ssl.MemoryBIO()
            try:
                _context(None).wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
            except ssl.SSLWantReadError:
                link.sendall(mangled_bytes(random, outgoing.read()))
            link.recv(100)
            return
        with _context(random.choice([None, key])).wrap_socket(link) as secure:
            for _ in range(random.randint(1, 5)):
                body = _said(kind, random)
                size = len(body) if random.random() < 0.8 else random.choice([0, 1, 2**32 - 1, 2**24])
                secure.sendall(size.to_bytes(4) + body)
            secure.recv(100)


def _request(random: Random) -> bytes:
    """A request to the panel by somebody who was not let in."""
    path = random.choice(
        ["/", "/api/v1/recall", "/api/v1/panel/session", "/../x", "/app.js", "/api/v1/x", "*"]
    )
    method = random.choice(["GET", "POST", "PUT", "HEAD", "OPTIONS"])
    headers = {"Host": random.choice(["127.0.0.1:8765", "evil.example", ""]), "Content-Length": "2"}
    more = ("Origin", "Cookie", "Upgrade", "Transfer-Encoding", "Sec-Fetch-Site", "Expect", "Connection")
    for name in random.sample(more, random.randrange(4)):
        headers[name] = random.choice(
            ["x", "", "http://evil.example", "websocket", "chunked", "9" * 30, "a=b;;"]
        )
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"{method} {path} HTTP/1.1\r\n{head}\r\n{{}}".encode()
    return mangled_bytes(random, request) if random.random() < 0.4 else request


def _said(kind: str, random: Random) -> bytes:
    """The body of a frame that is nearly right where a code is asked for, and noise on a link."""
    if kind == "link":
        return random.choice([b"\x98\x01", random.randbytes(random.randint(0, 60)), b"\x00" * 400])
    version, number = random.choice([(1, 1), (1, 2), (1, 3), (2, 1), (0, 0), (1, 255)])
    return bytes([version, number]) + random.randbytes(random.choice([0, 1, 32, 33, 33, 33, 65, 300]))


def main(kind: str, host: str, port: int, seconds: float, seed: int) -> int:
    """Bother a place for so long; what is refused or hung up on is what was to be expected."""
    random, end, count = Random(seed), time.monotonic() + seconds, 0
    held: list[socket.socket] = []
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "stranger.pem")
        Identity.create().save(key)
        while time.monotonic() < end:
            try:
                _bother(kind, (host, port), random, held, key)
            except OSError:
                pass
            count += 1
            time.sleep(0.005)
    for each in held:
        each.close()
    return count


@dataclass
class Siege:
    """What strangers did to one daemon, and how it answered its owner meanwhile."""

    done: dict[str, int] = field(default_factory=dict)
    answers: list[float] = field(default_factory=list)
    remembered: int = 0
    windows: int = 0
    first_mb: float = 0.0
    last_mb: float = 0.0
    met_again_s: float = 0.0

    def __str__(self) -> str:
        slowest = max(self.answers, default=0.0)
        said = ", ".join(f"{count:,} times {kind}" for kind, count in sorted(self.done.items()))
        return (
            f"{said}; {len(self.answers)} answers to its owner, the slowest after {slowest:.1f} s; "
            f"{self.windows} openings of pairing; {self.first_mb:.0f} MB, then {self.last_mb:.0f} MB; "
            f"the peer that came back agreed after {self.met_again_s:.1f} s"
        )


class _Crowd:
    """Strangers in a namespace, one process each, started anew as long as the siege lasts."""

    def __init__(self, siege: Siege, host: Host, until: float, seed: int) -> None:
        self._siege, self._host, self._until, self._seed = siege, host, until, seed
        self._threads: list[threading.Thread] = []
        self.failures: list[str] = []

    def send(self, kind: str, command: Callable[[float, int], list[str]], seconds: float = 10.0) -> None:
        """Have them do this by turns of some seconds each."""

        def go() -> None:
            turn = 0
            while (left := self._until - time.monotonic()) > 1:
                turn += 1
                words = [sys.executable, "-m", *command(min(seconds, left), self._seed + turn)]
                done = self._host.run(
                    words, capture_output=True, text=True, check=False, timeout=seconds + 120
                )
                if done.returncode:
                    self.failures.append(f"{kind}: {done.stderr[-600:]}")
                    return
                self._siege.done[kind] = self._siege.done.get(kind, 0) + int(done.stdout.split()[-1])

        self._threads.append(threading.Thread(target=go, daemon=True))
        self._threads[-1].start()

    def call(self, what: Callable[[float], None]) -> None:
        """Do something of our own until the siege is over."""

        def go() -> None:
            try:
                what(self._until)
            except Exception as error:
                self.failures.append(repr(error))

        self._threads.append(threading.Thread(target=go, daemon=True))
        self._threads[-1].start()

    def wait(self) -> None:
        """Wait until all have gone home."""
        for thread in self._threads:
            thread.join(300)
            assert not thread.is_alive(), "a stranger does not go home"
        assert not self.failures, "\n".join(self.failures)


def _up(home: Path, host: Host, complaints: Any, *words: str) -> "subprocess.Popen[str]":
    process = host.popen(
        [*cli.COMMAND, "--home", str(home), "--json", "up", "--listen", f"{host.address}:{_PORT}", *words],
        stdout=subprocess.PIPE,
        stderr=complaints,
        text=True,
        env=cli.environment(),
    )
    assert next_line(process), "the daemon ended before it was up"
    return process


def besieged(folder: Path, seconds: float, seed: int) -> Siege:
    """Let strangers at a daemon for so long; it answers its owner throughout, and finds its peer in the end."""
    laptop, phone = Member(folder / "laptop"), Member(folder / "phone")
    for each in (laptop, phone):
        each.make()
        each.start()
    laptop.pair(phone)
    for each in (laptop, phone):
        each.end()
        Settings(name=each.home.name, mdns=True).save(Home.at(each.home))
    siege = Siege()
    with two_hosts() as (inside, outside), (folder / "stderr").open("wb") as complaints:
        daemon = _up(laptop.home, inside, complaints, "--panel", "127.0.0.1:8765")
        siege.first_mb = resident_mb(daemon.pid)
        crowd = _Crowd(siege, outside, time.monotonic() + seconds, seed)
        crowd.send("mdns", lambda s, n: ["tests.support.mdns_packets", outside.address, str(s), str(n)])
        link = [inside.address, str(_PORT)]
        crowd.send("link", lambda s, n: ["tests.support.strangers", "link", *link, str(s), str(n)])
        panel = _Crowd(siege, inside, time.monotonic() + seconds, seed)
        panel.send(
            "panel", lambda s, n: ["tests.support.strangers", "panel", "127.0.0.1", "8765", str(s), str(n)]
        )
        crowd.call(lambda until: _pairing(siege, laptop.home, inside, outside, until, seed))
        _watch(siege, laptop, daemon, time.monotonic() + seconds)
        crowd.wait()
        panel.wait()
        siege.last_mb = resident_mb(daemon.pid)
        phone_up = _up(phone.home, outside, complaints)
        began = time.monotonic()
        while laptop.ask("digest")["digest"] != phone.ask("digest")["digest"]:
            assert time.monotonic() < began + 120, "the peer that came back was not found"
            time.sleep(0.2)
        siege.met_again_s = time.monotonic() - began
        assert daemon.poll() is None, "the daemon ended"
        for process in (daemon, phone_up):
            process.terminate()
            code = process.wait(cli.SECONDS_MAX)
            assert code == 0, f"a daemon ended by {code}"
    verified = cli.run(laptop.home, "verify")
    assert verified.code == 0, verified.out + verified.err
    complaints_made = (folder / "stderr").read_text("utf-8", "replace")
    assert "Traceback" not in complaints_made, complaints_made[-3000:]
    return siege


def _watch(siege: Siege, laptop: Member, daemon: "subprocess.Popen[str]", until: float) -> None:
    """Be the owner: ask for something every few seconds, and be answered."""
    while time.monotonic() < until:
        began = time.monotonic()
        assert daemon.poll() is None, f"the daemon ended by {daemon.returncode}"
        assert laptop.ask("status")["running"]
        laptop.ask("remember", text=f"told under siege {siege.remembered}")
        siege.remembered += 1
        assert laptop.ask("recall", query="told under siege")["results"]
        siege.answers.append(time.monotonic() - began)
        assert siege.answers[-1] < ANSWER_SECONDS_MAX, f"an answer took {siege.answers[-1]:.0f} s"
        time.sleep(_LOOK_SECONDS)


def _pairing(siege: Siege, home: Path, inside: Host, outside: Host, until: float, seed: int) -> None:
    """Open pairing again and again, and let strangers at it: none of them is ever paired."""
    while time.monotonic() < until - 2:
        siege.windows += 1
        opened = subprocess.Popen(
            [*cli.COMMAND, "--home", str(home), "--json", "pair"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
            env=cli.environment(),
        )
        try:
            offer = json.loads(next_line(opened))
            port = offer["address"].rpartition(":")[2]
            seconds = min(8.0, max(1.0, until - time.monotonic()))
            words = [
                sys.executable, "-m", "tests.support.strangers",
                "pairing", inside.address, port, str(seconds), str(seed + siege.windows),
            ]  # fmt: skip
            done = outside.run(words, capture_output=True, text=True, timeout=seconds + 120)
            siege.done["pairing"] = siege.done.get("pairing", 0) + int(done.stdout)
        finally:
            opened.terminate()
            said, _ = opened.communicate(timeout=cli.SECONDS_MAX)
        assert "device_id" not in said, f"a stranger was paired: {said}"


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])))
