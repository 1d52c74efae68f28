"""Spoil what comes in by the doors of a daemon: a line on its control socket, a request to its panel.

A real daemon stands behind both, in a folder of its own, one for each process that fuzzes. Whatever it is told, it
answers in the documented words, never `internal` and never with a traceback, tells a stranger nothing, and goes on
answering.
"""

import atexit
import functools
import json
import os
import socket
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from samemind.catalog import NAMES, verb_named
from samemind.config import Home
from samemind.declaring import Command, Declared, declared
from samemind.panel.api import offered, path_of
from samemind.platform.posix import short_path
from tests.support import cli
from tests.support.http import let_in
from tests.support.mangling import as_json, mangled, mangled_bytes

SECRET: Final = "the spare key is with Mrs. Okafor"
# What goes on by itself, or waits for somebody: heard for a moment, then hung up on.
GOES_ON: Final = frozenset({"pair", "log", "queue wait", "sync", "up"})
LISTENED_S: Final = 0.3
# A peer that was revoked or a daemon that was ended answers nothing more; each has tests of its own.
LEFT_OUT: Final = frozenset({"down", "peers revoke"})
ASKED: Final = tuple(name for name in NAMES if not verb_named(name).alone and name not in LEFT_OUT)
WORDS: Final = (
    "Ann", "Ann moved to Lisbon in spring", "likes", "2025-03-01", "yesterday", "note.jsonl", "out.bin", "user", "high",
    "importance=0.5", "a=b", "127.0.0.1:9", "goals", "", "\u202e", "<b>", "../x", "f" * 200, "000000", "-1", "null",
)  # fmt: skip
# A daemon that was told so much more is slow to verify; the next call gets a new one.
CALLS_MAX: Final = 1_500


@dataclass
class Doors:
    """A daemon, and what is needed to ask it."""

    home: Path
    url: str
    headers: dict[str, str]
    rids: tuple[str, ...]
    complaints: Path
    process: cli.RunningDaemon
    stack: ExitStack
    calls: int = 0


@functools.cache
def _current() -> list[Doors]:
    kept: list[Doors] = []

    def close() -> None:
        for each in kept:
            each.stack.close()

    atexit.register(close)
    return kept


def doors() -> Doors:
    """Return the daemon of this process, a new one after many calls."""
    kept = _current()
    if kept and not kept[0].url:
        kept.pop().stack.close()
    elif kept and kept[0].calls > CALLS_MAX:
        _well(kept[0], "what came before")
        kept.pop().stack.close()
    if not kept:
        with ExitStack() as stack:
            base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fuzz-")))
            away = base / "cwd" / "deep"
            away.mkdir(parents=True)
            complaints = base / "stderr"
            home = base / "home"
            texts = [SECRET, "Ann moved to Lisbon in spring", "Ann works at Meta", "Ann works at Google"]
            rids = tuple(cli.run(home, "--json", "remember", text).json["rid"] for text in texts)
            errors = stack.enter_context(complaints.open("wb"))
            up = stack.enter_context(
                cli.daemon(home, "--panel", "127.0.0.1:0", cwd=away, stderr=errors, HOME=str(base))
            )
            url, _, token = cli.run(home, "--json", "panel").json["url"].partition("#launch=")
            assert url == up.said["panel_url"]
            owner = let_in(url, token)
            kept.append(Doors(home, url, dict(owner.headers), rids, complaints, up, stack.pop_all()))
    kept[0].calls += 1
    return kept[0]


def control(random: Random) -> None:
    """Lines on the control socket: verbs with options that are nearly right, and bytes that are no line at all."""
    held = doors()
    sent: list[tuple[str, bytes]] = []
    for _ in range(random.randint(1, 3)):
        name = random.choice(ASKED)
        asked: Any = {"verb": name, "options": _options(held, verb_named(name), random)}
        if random.random() < 0.6:
            asked = mangled(random, asked)
        line = as_json(asked)
        if random.random() < 0.2:
            line = mangled_bytes(random, line).replace(b"\n", b" ")
        sent.append((name, line + b"\n"))
    with socket.socket(socket.AF_UNIX) as line_to, short_path(Home.at(held.home).control) as path:
        line_to.settimeout(cli.SECONDS_MAX)
        line_to.connect(path)
        heard = line_to.makefile("rb")
        for name, line in sent:
            line_to.sendall(line)
            line_to.settimeout(LISTENED_S if name in GOES_ON else cli.SECONDS_MAX)
            if not _answered(heard, line):
                break
        heard.close()
    _well(held, sent)


def _answered(heard: Any, line: bytes) -> bool:
    """Hear one answer to its end; False where it goes on and nobody waits for that."""
    while True:
        try:
            said = heard.readline()
        except TimeoutError:
            return False
        assert said.endswith(b"\n"), f"no answer to {line[:2000]!r}"
        document = json.loads(said)
        if "error" in document:
            _documented(document["error"], line)
            return True
        if "result" in document:
            return True
        assert set(document) == {"say"}, document


def http(random: Random) -> None:
    """Requests to the panel: routes, headers, bodies and lengths that are nearly right; bytes that are no request."""
    held = doors()
    _well(held, "what came before")
    place = urlsplit(held.url)
    route = random.choice(_ROUTES)
    verb = random.choice(offered()) if route == "verb" else None
    method, path = ("POST", path_of(verb)) if verb is not None else route.split(" ")
    body: Any = {} if verb is None else _options(held, verb, random)
    if verb is None and random.random() < 0.7:
        body = {"launch": "x", "rids": [random.choice(held.rids)], "id": "x", "text": random.choice(WORDS)}
    if random.random() < 0.5:
        body = mangled(random, body)
    data = as_json(body)
    if random.random() < 0.2:
        data = mangled_bytes(random, data)
    headers = {"Host": place.netloc, **held.headers, "Content-Length": str(len(data)), "Connection": "close"}
    let_in_still = True
    if random.random() < 0.4:
        spoiled = random.choice(sorted(headers))
        let_in_still = spoiled not in held.headers
        match random.randrange(3):
            case 0:
                del headers[spoiled]
            case 1:
                headers[spoiled] = random.choice(
                    ("", "x", "-1", "1e9", "\x7f", "é", "chunked", "0", "9" * 40)
                )
            case _:
                headers[f"x-{spoiled}"] = headers.pop(spoiled)
    if random.random() < 0.2:
        headers[
            random.choice(("Transfer-Encoding", "Expect", "Upgrade", "Range", "Cookie", "Sec-Fetch-Site"))
        ] = random.choice(
            ("chunked", "100-continue", "h2c", "websocket", "bytes=0-", "a=\x01;;=", "cross-site")
        )
    if random.random() < 0.15:
        method = random.choice(("GET", "PUT", "OPTIONS", "HEAD", "CONNECT", "PRI", "x" * 50))
    if random.random() < 0.15:
        path += random.choice(("/", "/..", "?x=1", "%2e%2e/", "%00", "//", "#", "é"))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "replace") + data
    whole = random.random() < 0.8
    if not whole:
        request, let_in_still = mangled_bytes(random, request), True  # the cookie may be whole in it
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=cli.SECONDS_MAX) as link:
        told = _told(link, request, wait=whole and len(headers) == 4 + len(held.headers) - 1)
    status, _, rest = told.partition(b"\r\n")
    if told:
        _, _, answer = rest.partition(b"\r\n\r\n")
        assert let_in_still or SECRET.encode() not in told, f"told to a stranger: {request!r}"
        number = int(status.split()[1])
        if number >= 400 and answer.startswith(b'{"error"'):
            _documented(json.loads(answer)["error"], request)
        else:
            # A transfer coding that nobody knows is 501 by HTTP's own words.
            assert number < 500 or number == 501, (request, told[:2000])
    _well(held, request)


def _told(link: socket.socket, request: bytes, *, wait: bool) -> bytes:
    """Send and hear what comes; a request that was spoiled may leave the other side waiting for more of it."""
    told = b""
    try:
        link.sendall(request)
        link.settimeout(cli.SECONDS_MAX if wait else LISTENED_S)
        while chunk := link.recv(1 << 16):
            told += chunk
            link.settimeout(LISTENED_S)  # news goes on for ever
    except (TimeoutError, ConnectionError):
        pass
    return told


_ROUTES: Final = (
    *("verb",) * 12, "POST /api/v1/panel/session", "GET /api/v1/panel/session", "POST /api/v1/panel/forget",
    "POST /api/v1/panel/undo", "POST /api/v1/panel/hold", "POST /api/v1/panel/qr", "POST /api/v1/panel/invite",
    "GET /api/v1/panel/events",
    "GET /api/v1/openapi.json", "GET /", "GET /app.js", "GET /../identity.pem",
)  # fmt: skip


def _options(held: Doors, verb: Command[Any, Any], random: Random) -> dict[str, Any]:
    """Draw options that might be meant."""
    drawn = {}
    for one in declared(verb.options):
        if one.required or random.random() < 0.3:
            drawn[one.name] = (
                [_value(held, one, random) for _ in range(random.randrange(4))]
                if one.many
                else _value(held, one, random)
            )
    return drawn


def _value(held: Doors, one: Declared, random: Random) -> Any:
    if one.word.choices and random.random() < 0.9:
        return random.choice(one.word.choices)
    if one.type is bool:
        return random.random() < 0.5
    if one.type is int:
        return random.choice((0, 1, 3, 10, -1, 1_000, 10**9, 2**63, 2**70))
    if one.type is float:
        return random.choice((0.0, 0.5, 1.0, -1.0, 3, 1e300, 1e-300))
    rid = random.choice(held.rids)
    return random.choice((*WORDS, rid, rid, rid, rid[:8]))


def _documented(error: dict[str, Any], asked: bytes) -> None:
    assert error["code"] != "internal", (asked[:3000], error)
    assert all(isinstance(error[name], str) and error[name] for name in ("code", "message")), (asked, error)


def _well(held: Doors, asked: object) -> None:
    """It still answers, and complained of nothing."""
    if held.calls % 50 == 1:
        found = cli.run(held.home, "--json", "verify")
        assert found.code == 0, (asked, found.out)
    ended = held.process.process.poll()
    if ended is not None or os.path.getsize(held.complaints):
        held.url = ""  # the next call gets a new one
        complaints = held.complaints.read_text("utf-8", "replace")[-4000:]
        raise AssertionError(f"{asked!r}\nthe daemon ended by {ended}, and complained: {complaints}")
