"""The panel's door, tried by those who should not get in: a real daemon, and requests as anybody could send them."""

import hashlib
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from samemind.catalog import NAMES
from samemind.panel.crowd import STRANGERS_PER_HOST_MAX
from samemind.panel.guard import BODY_BYTES_MAX
from tests.support.cli import SECONDS_MAX, RunningDaemon, daemon, run
from tests.support.http import Answer, Caller, let_in, stranger
from tests.support.published import published

SESSION = "/api/v1/panel/session"
SECRET = "the spare key is with Mrs. Okafor"


@dataclass
class Served:
    """A daemon with a panel, its owner's page, and a stranger."""

    home: Path
    daemon: RunningDaemon
    url: str
    owner: Caller
    stranger: Caller


def launched(home: Path) -> tuple[str, str]:
    """Where a browser is let in, and the token for that."""
    url, _, token = run(home, "--json", "panel").json["url"].partition("#launch=")
    return url, token


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A panel on loopback."""
    home = tmp_path_factory.mktemp("served") / "home"
    assert run(home, "remember", SECRET).code == 0
    with daemon(home, "--panel", "127.0.0.1:0") as running:
        url, token = launched(home)
        assert url == running.said["panel_url"]
        yield Served(home, running, url, let_in(url, token), stranger(url))


def refused(answer: Answer, status: int, code: str) -> None:
    """It was refused so, and nothing that is remembered was in the answer."""
    assert (answer.status, answer.code) == (status, code)
    assert SECRET.encode() not in answer.body


def test_the_owners_page_is_answered(served: Served) -> None:
    assert served.owner.post("/api/v1/list").json["memories"][-1]["text"] == SECRET
    assert served.owner.get("/api/v1/openapi.json").json["openapi"].startswith("3.1")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "169.254.169.254", "[::1]"],
)
@pytest.mark.parametrize("path", ["/", "/api/v1/openapi.json", SESSION])
def test_a_foreign_host_is_refused_everywhere(served: Served, host: str, path: str) -> None:
    """A page of somebody else's whose name was pointed at this machine sends its own name."""
    refused(served.owner.get(path, Host=host), 421, "foreign_host")


def test_no_host_is_no_host_of_ours(served: Served) -> None:
    assert served.owner.get("/", Host="").status in (400, 421)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost", ""])
def test_a_foreign_origin_changes_nothing_though_it_has_the_cookie(served: Served, origin: str) -> None:
    before = served.owner.post("/api/v1/stats").json["ops"]
    refused(served.owner.post("/api/v1/remember", {"text": "planted"}, Origin=origin), 403, "foreign_origin")
    refused(served.stranger.post(SESSION, {"launch": "x"}, Origin=origin), 403, "foreign_origin")
    assert served.owner.post("/api/v1/stats").json["ops"] == before


def test_another_site_of_this_machine_is_told_nothing_by_the_cookie(served: Served) -> None:
    """Another program's page on another port of loopback is the same site to a browser, and still not us."""
    for site in ("same-site", "cross-site"):
        answer = served.owner.get("/api/v1/openapi.json", Origin="", Sec_Fetch_Site=site)
        refused(answer, 403, "foreign_origin")


def test_without_a_token_nothing_is_said(served: Served) -> None:
    for path in ("/api/v1/list", "/api/v1/recall", "/api/v1/panel/forget", "/api/v1/no-such-thing"):
        refused(served.stranger.post(path), 401, "no_session")
    for path in ("/api/v1/panel/events", "/api/v1/openapi.json", SESSION):
        refused(served.stranger.get(path), 401, "no_session")
    forged = {"Cookie": f"{served.owner.headers['Cookie'].partition('=')[0]}={'0' * 64}"}
    refused(Caller(served.url, {**served.owner.headers, **forged}).post("/api/v1/list"), 401, "no_session")


@pytest.mark.parametrize("rid", ["", "x", "../x", "01a202a7-3f6b-7041-87b1-694186"])
def test_what_is_no_id_is_refused_before_a_window_opens_for_it(served: Served, rid: str) -> None:
    """The page was told that it would be forgotten; the error came seconds later, to the log alone."""
    refused(served.owner.post("/api/v1/panel/forget", {"rids": [rid]}), 400, "invalid")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("..", None),
        ("a/..", None),
        (".", None),
        ("a\0b", None),
        ("\ud800", None),
        (7, None),
        ("/etc/notes.jsonl", "notes.jsonl"),
        ("\U0001f600" * 100 + ".jsonl", None),
        ("\ud800notes.jsonl", "notes.jsonl"),
    ],
)
def test_the_name_of_a_file_that_is_sent_leads_nowhere_and_is_one(
    served: Served, name: object, kept: str | None
) -> None:
    """As `..` it stood for the folder of everybody's files; a long one, or one that is no text, was a fault of ours."""
    answer = served.owner.post("/api/v1/panel/upload", {"name": name})
    if kept is None and not (isinstance(name, str) and len(name) > 20):
        refused(answer, 400, "invalid")
        return
    (file,) = (served.home / "uploads" / answer.json["id"]).iterdir()
    assert file.name == (kept or file.name)
    assert file.name.endswith(".jsonl")
    assert served.owner.send("POST", f"/api/v1/panel/upload/{answer.json['id']}", b"x", {}).status == 200


@pytest.mark.parametrize("asked", ["browse", "names", "graph"])
def test_the_last_day_that_can_be_written_is_a_moment_like_any_other(served: Served, asked: str) -> None:
    """It lies beyond what a device's clock can show, and was a fault of ours."""
    assert served.owner.post(f"/api/v1/panel/{asked}", {"at": "9999-12-31"}).status == 200


def test_a_launch_token_works_once(served: Served) -> None:
    _, token = launched(served.home)
    assert stranger(served.url).post(SESSION, {"launch": token}).status == 200
    for again in (token, token.upper(), "", "0" * 64):
        refused(stranger(served.url).post(SESSION, {"launch": again}), 403, "bad_launch")
    refused(stranger(served.url).post(SESSION, [token]), 400, "invalid")


def test_the_cookie_is_kept_from_scripts_and_other_sites(served: Served) -> None:
    _, token = launched(served.home)
    cookie = stranger(served.url).post(SESSION, {"launch": token}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_the_cookie_alone_changes_nothing(served: Served) -> None:
    for csrf in ("", "0" * 64):
        answer = Caller(served.url, {**served.owner.headers, "X-Samemind-CSRF": csrf}).post("/api/v1/list")
        refused(answer, 403, "csrf")


@pytest.mark.parametrize(
    "path",
    [
        "/../identity.pem",
        "/js/../../identity.pem",
        "/js/..%2f..%2f..%2fdoor.py",
        "/%2e%2e/door.py",
        "//etc/passwd",
        "/js/main.js%00.css",
        "/..\\..\\identity.pem",
        "/static/index.html",
    ],
)
def test_no_path_leads_out_of_the_page(served: Served, path: str) -> None:
    answer = served.owner.get(path)
    assert answer.status == 404
    assert b"PRIVATE KEY" not in answer.body
    assert b"import" not in answer.body


def test_ten_megabytes_are_refused_told_or_not(served: Served) -> None:
    large = b'{"text": "' + b"a" * (10 << 20) + b'"}'
    refused(served.owner.send("POST", "/api/v1/remember", large, {}), 413, "too_large")
    refused(served.stranger.send("POST", SESSION, large, {}), 413, "too_large")
    chunks = b"".join(
        b"%x\r\n%s\r\n" % (1 << 16, b"a" * (1 << 16)) for _ in range((BODY_BYTES_MAX >> 16) + 2)
    )
    untold = {"Transfer-Encoding": "chunked", "Content-Length": ""}
    refused(served.owner.send("POST", "/api/v1/remember", chunks + b"0\r\n\r\n", untold), 413, "too_large")
    assert served.owner.post("/api/v1/stats").status == 200, "and it goes on"


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"\xff\xfe", b"[" * 100_000, b'{"text": 1}', b"{}"])
def test_a_body_that_means_nothing_is_a_usage_error(served: Served, body: bytes) -> None:
    answer = served.owner.send("POST", "/api/v1/remember", body, {})
    assert answer.status == 400
    assert answer.json["error"]["message"]


def test_those_who_hold_the_door_and_say_nothing_are_few(served: Served) -> None:
    """One machine pushes out its own silent connections; a browser that was let in is answered meanwhile."""
    place = urlsplit(served.url)
    with ExitStack() as stack:
        silent = [
            stack.enter_context(
                socket.create_connection((place.hostname or "", place.port or 0), SECONDS_MAX)
            )
            for _ in range(3 * STRANGERS_PER_HOST_MAX)
        ]
        assert served.owner.post("/api/v1/list").status == 200
        for line in silent[: 2 * STRANGERS_PER_HOST_MAX]:
            assert line.recv(1) == b"", "the longest silent went first"
        silent[-1].sendall(f"GET / HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        assert silent[-1].recv(12) == b"HTTP/1.1 200"


def test_files_and_programs_are_out_of_reach(served: Served) -> None:
    for verb in (
        "import",
        "export",
        "remember-many",
        "up",
        "down",
        "init",
        "panel",
        "backup",
        "restore",
        "connect",
    ):
        if verb in NAMES:
            refused(
                served.owner.post(f"/api/v1/{verb}", {"output": "/tmp/x", "files": ["/etc/passwd"]}),
                404,
                "not_found",
            )


def test_a_web_socket_is_answered_by_nothing(served: Served) -> None:
    place = urlsplit(served.url)
    with socket.create_connection((place.hostname or "", place.port or 0), SECONDS_MAX) as line:
        cookie = served.owner.headers["Cookie"]
        line.sendall(
            f"GET /api/v1/panel/events HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert b" 101 " not in line.recv(65536)
    assert served.owner.post("/api/v1/stats").status == 200, "and it goes on"


def test_nothing_may_frame_or_script_the_page_and_nothing_of_it_is_kept(served: Served) -> None:
    for path in ("/", "/js/main.js", "/api/v1/openapi.json"):
        headers = served.owner.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert policy["require-trusted-types-for"] == "'script'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "microphone=()" in headers["permissions-policy"]
        assert "server" not in headers
    assert served.owner.get("/api/v1/openapi.json").headers["cache-control"] == "no-store"


def test_the_page_asks_nobody_else_for_anything(served: Served) -> None:
    """No address outside is in any file of the page, but the name that drawings have, and an example."""
    static = Path(__file__).parents[2] / "samemind" / "panel" / "static"
    for path in static.rglob("*.*"):
        text = path.read_text(encoding="utf-8", errors="replace").replace("http://www.w3.org/2000/svg", "")
        text = text.replace(
            '"webdav+https://ada@cloud.example/samemind"', ""
        )  # an example that a field shows
        assert "http:" not in text, path.name
        assert "https:" not in text, path.name
        assert "innerHTML" not in text, path.name


@published("LO-34")
def test_a_process_that_is_killed_within_the_window_has_forgotten_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert run(home, "remember", SECRET).code == 0
    with daemon(home, "--panel", "127.0.0.1:0") as running:
        url, token = launched(home)
        waiting = let_in(url, token).post("/api/v1/panel/forget", {"all": True}).json
        assert (len(waiting["rids"]), waiting["seconds"]) == (1, 8.0)
        running.end(signal.SIGKILL)
    assert run(home, "--json", "list").json["total"] == 1


def test_the_daemon_ends_at_once_though_a_page_listens(tmp_path: Path) -> None:
    with daemon(tmp_path / "home", "--panel", "127.0.0.1:0") as running:
        url, token = launched(tmp_path / "home")
        owner, place = let_in(url, token), urlsplit(url)
        with socket.create_connection((place.hostname or "", place.port or 0), SECONDS_MAX) as line:
            cookie = owner.headers["Cookie"]
            line.sendall(
                f"GET /api/v1/panel/events HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {cookie}\r\n\r\n".encode()
            )
            said = b""
            while b"event: hello" not in said:
                heard = line.recv(65536)
                assert heard, f"the page was let go before it was greeted: {said!r}"
                said += heard
            assert running.end() == 0
            while heard := line.recv(65536):
                said += heard
            assert said.endswith(b"0\r\n\r\n"), "the stream came to its end, and was not cut off"


def test_beyond_this_machine_it_is_https_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with daemon(home, "--panel", "0.0.0.0:0") as running:
        url = running.said["panel_url"]
        assert url.startswith("https://")
        opened = run(home, "--json", "panel").json
        assert opened["url"].startswith("https://")
        port = urlsplit(url).port
        here = f"https://127.0.0.1:{port}/"
        owner = let_in(here, opened["url"].partition("#launch=")[2])
        assert owner.post("/api/v1/list").status == 200
        session = owner.get(SESSION)
        assert session.json["local"] is False
        certificate = ssl.get_server_certificate(("127.0.0.1", port or 0))
        shown = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest().upper()
        assert opened["fingerprint"].replace(":", "") == shown, (
            "what a browser shows is what the owner was told"
        )
        invited = owner.post("/api/v1/panel/invite").json
        assert all(address.startswith("https://") for address in invited["urls"])
        assert (home / "panel.pem").stat().st_mode & 0o777 == 0o600
        with socket.create_connection(("127.0.0.1", port or 0), SECONDS_MAX) as line:
            line.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert not line.recv(65536).startswith(b"HTTP/1.1 200"), "plain HTTP is not spoken there"
        refused(owner.get("/", Host=f"localhost.evil.example:{port}"), 421, "foreign_host")
