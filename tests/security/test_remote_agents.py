"""The interface for remote agents, tried by those who should not get in: a real daemon, and anybody's requests."""

import base64
import hashlib
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from samemind.agents.grants import CLIENT_BYTES_MAX, PENDING_MAX, STATE_CHARACTERS_MAX
from samemind.mcp.http import BODY_BYTES_MAX, OPEN_BODY_BYTES_MAX, SESSIONS_MAX
from samemind.mcp.oauth import redirect_is_safe
from tests.support.cli import RunningDaemon, daemon, run

SECRET = "the spare key is with Mrs. Okafor"
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"},
    },
}  # fmt: skip


class Served:
    def __init__(self, home: Path, running: RunningDaemon) -> None:
        self.home = home
        self.url = running.said["mcp_url"]
        self.base = self.url.removesuffix("/mcp")
        self.host = urlsplit(self.url).netloc
        self.token = run(home, "--json", "agents", "add", "desk").json["token"]

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request with exactly these headers, and return what came."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given.setdefault("Host", self.host)
        if data is not None:
            given.setdefault("Content-Type", "application/json")
            given.setdefault("Accept", "application/json, text/event-stream")
        connection.request(method, path, data, given)
        answer = connection.getresponse()
        came = answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
        connection.close()
        return came

    def hello(self, **headers: str) -> tuple[int, dict[str, str], bytes]:
        return self.ask("POST", "/mcp", HELLO, **headers)


@contextmanager
def serving(home: Path) -> Iterator[Served]:
    assert run(home, "remember", SECRET).code == 0
    with daemon(home, "--mcp-http", "127.0.0.1:0", PYTHONWARNINGS="default") as running:
        yield Served(home, running)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("remote") / "home") as it:
        yield it


def test_only_a_token_of_this_device_lets_anybody_in(served: Served) -> None:
    good = f"Bearer {served.token}"
    assert served.hello(Authorization=good)[0] == 200
    for bad in (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {served.token}",
        f"Bearer {served.token}0",
        "Bearer " + "0" * 64,
    ):
        status, headers, body = served.hello(Authorization=bad)
        assert status == 401, bad
        assert "resource_metadata=" in headers["www-authenticate"]
        assert SECRET.encode() not in body
    assert served.hello()[0] == 401
    assert served.ask("GET", f"/mcp?token={served.token}")[0] == 401, "not in an address, which logs keep"


def test_a_foreign_name_or_a_foreign_page_gets_nothing(served: Served) -> None:
    good = f"Bearer {served.token}"
    port = served.host.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1:1", f"127.0.0.2:{port}", ""):
        assert served.hello(Authorization=good, Host=host)[0] in (400, 421), host
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", "http://127.0.0.1:1"):
        assert served.hello(Authorization=good, Origin=origin)[0] == 403, origin
    assert served.hello(Authorization=good, Origin=served.base)[0] == 200


def test_a_session_is_its_agents_alone(served: Served) -> None:
    _, headers, _ = served.hello(Authorization=f"Bearer {served.token}")
    session = headers["mcp-session-id"]
    other = run(served.home, "--json", "agents", "add", "other").json["token"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    own = served.ask("POST", "/mcp", listing, Authorization=f"Bearer {served.token}", Mcp_Session_Id=session)
    assert own[0] == 200
    theirs = served.ask("POST", "/mcp", listing, Authorization=f"Bearer {other}", Mcp_Session_Id=session)
    assert theirs[0] == 404


def test_a_session_that_was_forgotten_makes_room_for_a_new_one(served: Served) -> None:
    """As of an agent that is started for each prompt, and never says that it goes: it was refused for half an hour."""
    good = f"Bearer {run(served.home, '--json', 'agents', 'add', 'restless').json['token']}"
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}

    def asked(session: str) -> int:
        return served.ask("POST", "/mcp", listing, Authorization=good, Mcp_Session_Id=session)[0]

    opened = [served.hello(Authorization=good)[1]["mcp-session-id"] for _ in range(SESSIONS_MAX)]
    assert asked(opened[0]) == 200
    status, headers, _ = served.hello(Authorization=good)
    assert status == 200
    assert [asked(opened[0]), asked(headers["mcp-session-id"])] == [200, 200]
    assert asked(opened[1]) == 404, "it was idle for longest"


def test_a_body_without_end_is_refused(served: Served) -> None:
    good = f"Bearer {served.token}"
    told = {"Content-Length": str(BODY_BYTES_MAX + 1)}  # refused by its length, before anything of it comes
    assert served.ask("POST", "/mcp", b"", Authorization=good, **told)[0] == 413
    assert served.ask("POST", "/register", b"[" * 50_000)[0] == 400
    assert served.hello(Authorization=good)[0] == 200


def test_what_a_stranger_says_is_bounded_before_it_is_read(served: Served) -> None:
    """Of 3.9 MB of addresses each was checked, and for half a second nobody else was answered."""
    uris = json.dumps({"redirect_uris": ["https://app.example/cb"] * 3_000}).encode()
    assert len(uris) > OPEN_BODY_BYTES_MAX
    for path in ("/register", "/token", "/authorize", "/revoke"):
        assert served.ask("POST", path, uris)[0] == 413, path
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(uris), uris)
    assert served.ask("POST", "/register", chunk, Transfer_Encoding="chunked")[0] == 413, "of no told length"


def registered(served: Served, *uris: str) -> tuple[int, dict[str, Any]]:
    said = {"redirect_uris": uris or ["https://app.example/cb"], "client_name": "app"}
    status, _, body = served.ask("POST", "/register", said)
    return status, json.loads(body)


def test_a_program_may_be_answered_only_where_it_can_be(served: Served) -> None:
    assert registered(served)[0] == 201
    assert registered(served, "http://127.0.0.1:7000/cb")[0] == 201
    assert registered(served, "cursor://anysphere.cursor/oauth")[0] == 201
    for uri in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://app.example/cb"):
        assert registered(served, uri)[0] == 400, uri
        assert registered(served, "https://app.example/cb", uri)[0] == 400, uri
        assert not redirect_is_safe(uri)
    assert not redirect_is_safe("http://[bad/cb")


def test_a_program_that_says_a_lot_of_itself_is_not_kept(served: Served) -> None:
    """Anybody may register, a web page too, and what is kept of all is read and written with every change."""
    size = (served.home / "agents.json").stat().st_size
    for said in ({"client_name": "x" * CLIENT_BYTES_MAX}, {"jwks": ["x"] * CLIENT_BYTES_MAX}):
        body = {"redirect_uris": ["https://app.example/cb"], **said}
        status, _, answer = served.ask("POST", "/register", body)
        assert (status, json.loads(answer)["error"]) == (400, "invalid_client_metadata")
    _, client = registered(served)
    for long in ({"state": "s" * (STATE_CHARACTERS_MAX + 1)}, {"code_challenge": "x" * 4_000}):
        _, location = authorize(served, client, **long)
        assert "/approve?" not in location
        assert "error=invalid_request" in location
    assert (served.home / "agents.json").stat().st_size < size + 4_096


def test_one_address_written_in_many_ways_is_one(served: Served) -> None:
    """What answers is kept for each address; a stranger who writes one in a thousand ways fills no memory."""
    host, _, port = served.host.rpartition(":")
    for written in (f"{host}:000{port}", f"{host}%zone:{port}", f"[::ffff:{host}]:{port}"):
        status, _, body = served.ask("GET", "/.well-known/oauth-protected-resource/mcp", Host=written)
        assert (status, json.loads(body)["resource"]) == (200, served.url)
    status, _, body = served.ask(
        "GET", "/.well-known/oauth-protected-resource/mcp", Host=f"LocalHost:0{port}"
    )
    assert json.loads(body)["resource"] == f"http://localhost:{port}/mcp"


def authorize(served: Served, client: dict[str, Any], **changed: str) -> tuple[int, str]:
    query = {
        "client_id": client["client_id"], "redirect_uri": "https://app.example/cb", "response_type": "code",
        "code_challenge": "x" * 43, "code_challenge_method": "S256", "state": "s", "resource": served.url, **changed,
    }  # fmt: skip
    words = "&".join(f"{name}={value}" for name, value in query.items() if value)
    status, headers, _ = served.ask("GET", f"/authorize?{words}")
    return status, headers.get("location", "")


def test_authorisation_wants_pkce_the_registered_address_and_this_server(served: Served) -> None:
    _, client = registered(served)
    status, location = authorize(served, client)
    assert status == 302
    assert location.startswith(f"{served.base}/approve?request=")
    for changed in (
        {"code_challenge": ""},
        {"code_challenge_method": "plain"},
        {"resource": "https://elsewhere.example/mcp"},
        {"redirect_uri": "https://evil.example/cb"},
        {"client_id": "nobody"},
    ):
        _, location = authorize(served, client, **changed)
        assert "/approve?" not in location, changed
        assert "evil.example" not in location
    assert served.ask("GET", "/approve?request=0000")[0] == 410


def test_a_code_is_good_for_its_program_its_proof_and_once(served: Served) -> None:
    _, client = registered(served)
    _, location = authorize(served, client)
    path = location.removeprefix(served.base)
    waiting = run(served.home, "--json", "agents").json["waiting"][-1]
    assert served.ask("GET", path)[0] == 200
    assert run(served.home, "agents", "approve", waiting["code"]).code == 0
    status, headers, _ = served.ask("GET", path)
    assert status == 302
    code = headers["location"].partition("code=")[2].partition("&")[0]
    secret = client.get("client_secret") or ""
    form = "&".join(
        (
            "grant_type=authorization_code", f"code={code}", f"client_id={client['client_id']}",
            f"client_secret={secret}", "redirect_uri=https://app.example/cb", "code_verifier=" + "y" * 43,
        )
    ).encode()  # fmt: skip
    kind = {"Content_Type": "application/x-www-form-urlencoded"}
    status, _, body = served.ask("POST", "/token", form, **kind)
    assert (status, json.loads(body)["error"]) == (400, "invalid_grant"), "the proof does not fit"
    _, other = registered(served)
    stolen = form.replace(client["client_id"].encode(), other["client_id"].encode())
    stolen = stolen.replace(secret.encode(), (other.get("client_secret") or "").encode())
    status, _, body = served.ask("POST", "/token", stolen, **kind)
    assert (status, json.loads(body)["error"]) == (400, "invalid_grant"), "it is another program's"


def test_a_code_that_is_shown_twice_ends_what_came_of_it(served: Served) -> None:
    """A copy of it is about, and nobody can tell whose: the tokens go, and so does what was opened with them."""
    verifier = "v" * 43
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    _, client = registered(served)
    _, location = authorize(served, client, code_challenge=challenge)
    path = location.removeprefix(served.base)
    waiting = run(served.home, "--json", "agents").json["waiting"][-1]
    assert run(served.home, "agents", "approve", waiting["code"]).code == 0
    code = served.ask("GET", path)[1]["location"].partition("code=")[2].partition("&")[0]

    def fetch(verifier: str) -> tuple[int, dict[str, Any]]:
        form = urlencode(
            {
                "grant_type": "authorization_code", "code": code, "client_id": client["client_id"],
                "client_secret": client.get("client_secret") or "", "redirect_uri": "https://app.example/cb",
                "code_verifier": verifier,
            }
        ).encode()  # fmt: skip
        kind = {"Content_Type": "application/x-www-form-urlencoded"}
        status, _, body = served.ask("POST", "/token", form, **kind)
        return status, json.loads(body)

    status, tokens = fetch(verifier)
    assert status == 200, tokens
    bearer = f"Bearer {tokens['access_token']}"
    assert served.hello(Authorization=bearer)[0] == 200
    elsewhere = {"Host": served.host.replace("127.0.0.1", "localhost")}
    assert served.hello(Authorization=bearer, **elsewhere)[0] == 401, (
        "it is good where it was asked for alone"
    )
    assert served.hello(Authorization=f"Bearer {served.token}", **elsewhere)[0] == 200
    assert fetch("w" * 43)[1]["error"] == "invalid_grant", "the proof does not fit"
    assert served.hello(Authorization=bearer)[0] == 200, "so it is not the program's, and ends nothing"
    status, said = fetch(verifier)
    assert (status, said["error"]) == (400, "invalid_grant")
    assert served.hello(Authorization=bearer)[0] == 401
    assert fetch(verifier)[0] == 400


def test_a_page_does_not_ask_behind_its_users_back(served: Served) -> None:
    """A picture in a web page is fetched from any address, so one page could ask without end."""
    _, client = registered(served)
    path = (
        f"/authorize?client_id={client['client_id']}&redirect_uri=https://app.example/cb&response_type=code"
        f"&code_challenge={'x' * 43}&code_challenge_method=S256&state=s"
    )
    for kind in ("image", "empty", "iframe", "script"):
        assert served.ask("GET", path, Sec_Fetch_Dest=kind)[0] == 403
    assert served.ask("GET", path, Sec_Fetch_Dest="document")[0] == 302


def test_asking_without_end_is_refused_and_pushes_nobody_out(tmp_path: Path) -> None:
    """By a daemon of its own: the others would wait for a place behind this one."""
    with serving(tmp_path / "home") as served:
        _, client = registered(served)
        _, first = authorize(served, client)
        last = [authorize(served, client)[1] for _ in range(PENDING_MAX)][-1]
        assert "error=temporarily_unavailable" in last
        assert served.ask("GET", first.removeprefix(served.base))[0] == 200, "who waits goes on waiting"
