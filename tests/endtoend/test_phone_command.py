"""`samemind phone` on a real daemon: the address, the authority, the code, and being there again after a restart."""

import hashlib
import json
import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
import trio

from samemind.home.phone_place import has_app
from tests.support.cli import Ran, daemon
from tests.support.cli import run as samemind
from tests.support.devices import devices, run
from tests.support.http import Caller, stranger
from tests.support.pages import Page, waiting
from tests.support.ports import free_port

pytestmark = pytest.mark.endtoend


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least that daemons can serve a phone, beside samemind: the real one takes minutes to build."""
    static = tmp_path / "beside" / "samemind_phone" / "static"
    static.mkdir(parents=True)
    (static.parent / "__init__.py").touch()
    about = {"sha256": "5" * 64, "type": "text/html", "immutable": False, "encodings": []}
    (static / "index.html").write_text("the app")
    (static / "manifest.json").write_text(json.dumps({"files": {"index.html": about}}))
    monkeypatch.setenv("PYTHONPATH", str(static.parents[1]))


served = pytest.mark.usefixtures("app")


def refused(home: Path, *words: str) -> Ran:
    done = samemind(home, "--json", "phone", *words)
    assert done.code != 0, done
    return done


def given(port: int) -> tuple[bytes, Caller]:
    """The authority as anybody on the network is given it, and who asked."""
    caller = stranger(f"https://localhost:{port}")
    answer = caller.get("/phone/samemind.crt")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/x-x509-ca-cert")
    return answer.body, caller


def trusts(authority: bytes, host: str, port: int) -> bool:
    """Whether a browser that trusts this authority, and nobody else, takes what is served there under that name."""
    context = ssl.create_default_context(cadata=authority)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        try:
            with context.wrap_socket(plain, server_hostname=host):
                return True
        except ssl.SSLCertVerificationError:
            return False


@served
def test_a_phone_is_shown_a_place_that_it_can_trust_and_joins_there(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()

    async def main() -> None:
        with daemon(home):
            with waiting(home, "phone", "--at", f"den.local:{port}") as (offer, command):
                assert offer["url"] == f"https://den.local:{port}/phone/"
                assert offer["trust"] == f"https://den.local:{port}/phone/trust"
                authority, caller = given(port)
                digest = hashlib.sha256(authority).hexdigest().upper()
                assert offer["fingerprint"].replace(":", "") == digest
                assert trusts(authority, "den.local", port)
                assert not trusts(authority, "bank.example", port)
                walk = caller.get("/phone/trust")
                assert (walk.status, offer["fingerprint"].encode() in walk.body) == (200, True)
                where = caller.get("/phone/where").json
                assert where == {"origin": f"https://den.local:{port}", "fingerprint": offer["fingerprint"]}
                url, _, fragment = offer["invitation"].partition("#")
                said = dict(each.split("=") for each in fragment.split("&"))
                assert (url, said["pair"]) == (offer["url"], offer["code"])
                async with devices(tmp_path, "pocket") as (device,):
                    page = Page(device, f"https://localhost:{port}")
                    paired = await page.pair(said["pair"], expected=bytes.fromhex(said["with"]))
                    out, _ = await trio.to_thread.run_sync(command.communicate)
                    joined = json.loads(out.splitlines()[-1])
                    assert (joined["name"], joined["words"]) == ("pocket", " ".join(paired.words))
                    assert joined["url"] == offer["url"]

    run(main)


async def joined(folder: Path, home: Path, name: str, *words: str) -> tuple[Any, Any]:
    """What the command showed a phone of that name, and what came of it."""
    with waiting(home, "phone", *words) as (offer, command):
        async with devices(folder, name) as (device,):
            page = Page(device, offer["url"].removesuffix("/phone/"))
            await page.pair(offer["code"])
            async with page.linked() as link:
                await link.settle()
            out, _ = await trio.to_thread.run_sync(command.communicate)
    return offer, json.loads(out.splitlines()[-1])


@served
def test_a_phone_that_is_gone_is_shown_and_gives_its_place_to_another(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()

    async def main() -> None:
        with daemon(home, "--panel", "127.0.0.1:0"):
            offer, first = await joined(tmp_path / "one", home, "pocket")
            assert (offer["away"], first["replaced"]) == ([], None)
            done = refused(home, "--replacing", "bag")
            assert done.json["error"]["code"] == "no_such_phone"
            assert f"pocket ({first['device_id'][:12]})" in done.json["error"]["message"]
            offer, second = await joined(tmp_path / "two", home, "purse", "--replacing", "pocket")
            (gone,) = offer["away"]
            assert (gone["device_id"], gone["name"]) == (first["device_id"], "pocket")
            assert gone["last_sync"] is not None
            assert second["replaced"] == first["device_id"]
            peers = samemind(home, "--json", "peers", "list").json["peers"]
            assert {each["device_id"]: each["state"] for each in peers} == {
                first["device_id"]: "revoked",
                second["device_id"]: "away",
            }
            with waiting(home, "phone") as (offer, _):
                assert [each["device_id"] for each in offer["away"]] == [second["device_id"]]

    run(main)


@served
def test_it_is_there_again_after_a_restart_and_says_when_it_is_not(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    with daemon(home) as running:
        assert running.said["panel_url"] is None
        with waiting(home, "phone", "--at", f"den.local:{port}"):
            authority, _ = given(port)
        running.end()
    with daemon(home) as running:  # nothing was said of a panel, and it is there
        assert running.said["panel_url"].endswith(f":{port}/")
        assert given(port)[0] == authority
        with waiting(home, "phone") as (offer, _):
            assert (offer["url"], offer["note"]) == (f"https://den.local:{port}/phone/", None)
        done = refused(home, "--at", f"attic.local:{port}")
        assert done.json["error"]["code"] == "opened_elsewhere"
        running.end()
    other = free_port()
    with daemon(home, "--panel", f"0.0.0.0:{other}") as running:
        with waiting(home, "phone") as (offer, _):
            assert offer["url"] == f"https://den.local:{other}/phone/"
            assert f"https://den.local:{port}" in offer["note"], "those who joined before do not find it here"
        with waiting(home, "phone", "--at", f"den.local:{other}") as (offer, _):
            assert offer["note"] is None
        running.end()
    assert json.loads((home / "phone.json").read_text()) == {"name": "den.local", "port": other}
    with daemon(home, "--panel", "127.0.0.1:0"):
        with waiting(home, "phone") as (offer, _):
            assert (offer["trust"], offer["fingerprint"]) == (None, None)
            assert "this machine only" in offer["note"]
        assert refused(home, "--at", "den.local").json["error"]["code"] == "local_panel"


@served
def test_a_port_that_is_taken_is_said_and_not_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with socket.create_server(("", 0)) as taken, daemon(home):
        done = refused(home, "--at", f"den.local:{taken.getsockname()[1]}")
        assert done.json["error"]["code"] == "cannot_listen"
        assert not (home / "phone.json").exists()


@pytest.mark.skipif(has_app(), reason="the app for phones is installed beside this samemind")
def test_without_the_app_it_says_what_to_install_and_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    home = tmp_path / "home"
    with daemon(home):
        done = refused(home)
        assert done.json["error"]["code"] == "extra_missing"
        assert "make phone" in done.json["error"]["hint"]
        assert not (home / "phone.json").exists()
        assert not samemind(home, "--json", "panel").json["url"].startswith("https")


def test_without_a_daemon_it_says_how_to_start_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert samemind(home, "remember", "something").code == 0
    done = refused(home)
    assert "samemind up" in done.json["error"]["hint"]


def test_the_authority_is_given_over_https_or_not_at_all(tmp_path: Path) -> None:
    """Over plain HTTP anybody between could give another; and where nothing has to be trusted, nothing is given."""
    home, port = tmp_path / "home", free_port()
    with daemon(home, "--panel", f"0.0.0.0:{port}") as running:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
            plain.sendall(f"GET /phone/samemind.crt HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
            said = b""
            try:
                while piece := plain.recv(4096):
                    said += piece
            except ConnectionResetError:
                pass
            assert b"HTTP/" not in said
        for host in ("evil.example", f"evil.example:{port}"):
            caller = Caller(f"https://localhost:{port}", {"Host": host})
            for path in ("/phone/samemind.crt", "/phone/trust", "/phone/where", "/phone/"):
                assert caller.get(path).status == 421
        running.end()
    with daemon(home, "--panel", f"127.0.0.1:{port}"):
        answer = stranger(f"http://127.0.0.1:{port}").get("/phone/samemind.crt")
        assert (answer.status, answer.code) == (404, "no_authority")
