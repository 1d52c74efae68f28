"""The calendar that programs subscribe to: a real daemon, a program that subscribes, and those who have no address."""

import json
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import icalendar
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from samemind.config import Home
from samemind.home.calendar_feed import TOKEN_BYTES, FeedPlace
from tests.support.cli import COMMAND, SECONDS_MAX, Ran, daemon, environment, run
from tests.support.hearing import next_line
from tests.support.http import Answer, Caller, let_in, stranger
from tests.support.netns import named, needs_netns, two_hosts
from tests.support.ports import free_port

DENTIST = "call the dentist about the crown"
AUTHORITY = "/phone/samemind.crt"
SECRET = "the spare key is with Mrs. Okafor"


@dataclass
class Feed:
    """A daemon that serves a calendar at an address, to a program that sends nothing but what it asks for."""

    home: Path
    url: str

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def program(self) -> Caller:
        return Caller(self.url, {})

    def get(self, **headers: str) -> Answer:
        return self.program.get(self.path, **headers)

    def entries(self) -> dict[str, str]:
        """What a program shows: title by id."""
        answer = self.get()
        assert answer.status == 200, answer
        calendar = icalendar.Calendar.from_ical(answer.body)
        assert not calendar.errors
        return {str(each["uid"]): str(each["summary"]) for each in calendar.walk("VEVENT")}


def remind(home: Path, text: str, when: str = "2031-03-03T14:00:00Z") -> str:
    """Store a reminder, and return its id."""
    done = run(home, "--json", "remember", text, "--type", "prospective", "--event-start", when)
    assert done.code == 0, done
    return str(done.json["rid"])


def fed(home: Path, *words: str) -> Any:
    """What `calendar --feed` answers."""
    done = run(home, "--json", "calendar", "--feed", *words)
    assert done.code == 0, done
    return done.json


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Feed]:
    home = tmp_path_factory.mktemp("feed") / "home"
    assert run(home, "remember", SECRET).code == 0
    remind(home, DENTIST)
    with daemon(home, "--panel", "127.0.0.1:0"):
        yield Feed(home, fed(home)["url"])
        assert run(home, "--json", "status").code == 0  # whatever was tried, it answers its owner


def nothing(answer: Answer) -> None:
    """It says no more than that there is no such page."""
    assert (answer.status, answer.code) == (404, "not_found")
    assert not {"etag", "last-modified"} & answer.headers.keys()
    for word in (DENTIST, SECRET, "VCALENDAR", "calendar"):
        assert word.encode() not in answer.body


# -- who has the address -----------------------------------------------------------------------------------------


def test_a_program_that_subscribes_sees_what_is_told_changed_and_forgotten(feed: Feed) -> None:
    before = feed.entries()
    assert [*before.values()] == [DENTIST]
    rid = remind(feed.home, "water the plants")
    assert feed.entries() == {**before, f"{rid}@samemind": "water the plants"}
    assert run(feed.home, "edit", rid, "water the cactus").code == 0
    assert feed.entries() == {**before, f"{rid}@samemind": "water the cactus"}, "the same entry"
    assert run(feed.home, "set", rid, "event_start=2031-05-01").code == 0
    (moved,) = [
        each for each in icalendar.Calendar.from_ical(feed.get().body).walk("VEVENT") if rid in each["uid"]
    ]
    assert moved.decoded("dtstart").isoformat().startswith("2031-05-01")
    assert moved.decoded("dtstamp") == moved.decoded("last-modified") >= moved.decoded("created")
    assert run(feed.home, "forget", rid).code == 0
    assert feed.entries() == before


def test_it_holds_what_the_file_holds(feed: Feed) -> None:
    assert feed.get().body.decode() == run(feed.home, "--json", "calendar").json["text"]


def test_what_looks_secret_is_in_no_calendar_until_it_is_released(feed: Feed) -> None:
    told = "remind me on 3 March 2031 at 14:00 to renew sk-proj-4f9aT3BlbkFJx8Qk2LmNpRsTuVwXyZ01"
    done = run(feed.home, "--json", "remember", told)
    assert done.json["held"] is True
    assert b"T3BlbkFJ" not in feed.get().body
    held = run(feed.home, "--json", "held").json["held"][0]["id"]
    assert run(feed.home, "held", "drop", held).code == 0


def test_it_is_sent_again_only_where_something_changed(feed: Feed) -> None:
    first = feed.get()
    assert first.headers["content-type"] == "text/calendar; charset=utf-8"
    assert first.headers["cache-control"] == "private, no-cache"
    assert first.headers["x-content-type-options"] == "nosniff"
    assert (first.headers["cross-origin-resource-policy"], first.headers["referrer-policy"]) == (
        "same-origin",
        "no-referrer",
    )
    assert not {"set-cookie", "access-control-allow-origin"} & first.headers.keys()
    for tag in (first.headers["etag"], f'W/"x", W/{first.headers["etag"]}', "*"):
        again = feed.get(If_None_Match=tag)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", first.headers["etag"])
    rid = remind(feed.home, "bring the ladder back")
    later = feed.get(If_None_Match=first.headers["etag"])
    assert (later.status, later.headers["etag"] == first.headers["etag"]) == (200, False)
    assert run(feed.home, "forget", rid).code == 0
    assert feed.get().headers["etag"] == first.headers["etag"], "the same calendar has the same tag"
    assert b"REFRESH-INTERVAL;VALUE=DURATION:PT15M\r\nX-PUBLISHED-TTL:PT15M\r\n" in first.body


def test_a_program_may_ask_for_the_head_alone(feed: Feed) -> None:
    whole, head = feed.get(), feed.program.send("HEAD", feed.path, None, {})
    assert (head.status, head.body) == (200, b"")
    assert all(
        head.headers[name] == whole.headers[name] for name in ("etag", "content-length", "content-type")
    )


def test_the_address_opens_nothing_else(feed: Feed) -> None:
    """Neither as a token of another route, nor as a cookie, nor as what lets a browser in."""
    token = feed.path.removeprefix("/calendar/").removesuffix(".ics")
    caller = stranger(feed.url.removesuffix(feed.path))
    assert caller.post("/api/v1/panel/session", {"launch": token}).status == 403
    name = f"samemind_{run(feed.home, '--json', 'status').json['device_id'][:12]}"
    for path in ("/api/v1/list", "/api/v1/calendar-feed", "/api/v1/calendar", f"/api/v1{feed.path}"):
        for headers in ({}, {"Cookie": f"{name}={token}"}, {"Authorization": f"Bearer {token}"}):
            answer = caller.post(f"{path}?token={token}", {}, **headers)
            assert (answer.status, answer.code) == (401, "no_session"), path


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "TRACE", "REPORT"]
)
def test_nothing_can_be_written_to_it(feed: Feed, method: str) -> None:
    before = feed.get().body
    for headers in ({}, {"Origin": feed.url.removesuffix(feed.path)}):
        answer = feed.program.send(method, feed.path, b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", headers)
        assert answer.status in (403, 404), answer
        assert DENTIST.encode() not in answer.body
    assert feed.get().body == before


# -- who has none ------------------------------------------------------------------------------------------------


def test_a_wrong_address_is_a_page_that_is_not_there(feed: Feed) -> None:
    """The answer is, byte for byte, that of any other page, so nobody learns whether there is a calendar."""
    token = feed.path.removeprefix("/calendar/").removesuffix(".ics")
    unknown = feed.program.get("/no/such/page")
    nothing(unknown)
    for wrong in (
        "/calendar/",
        "/calendar/.ics",
        "/calendar.ics",
        f"/calendar/{token}",
        f"/calendar/{token}.ICS",
        f"/calendar/{token.upper()}.ics",
        f"/calendar/{token[:-1]}.ics",
        f"/calendar/{token}0.ics",
        f"/calendar/{'0' * len(token)}.ics",
        f"/calendar//{token}.ics",
        f"//calendar/{token}.ics",
        f"/calendar/{token}.ics.ics",
        f"/calendar/x/../{token}.ics",
        f"/calendar/..%2fcalendar%2f{token}.ics",
        f"/calendar/{token}%00.ics",
        f"/calendar/{token}%0d%0a.ics",
        "/calendar/%ff%fe%ed%a0%80.ics",
        f"/calendar/{'%c3%a9' * len(token)}.ics",
        "/calendar/../calendar.json",
        "/calendar/..%2fcalendar.json",
        "/calendar.json",
        f"/calendar/?token={token}",
        f"/calendar/{'9' * 15_000}.ics",
    ):
        answer = feed.program.get(wrong)
        nothing(answer)
        assert answer.body == unknown.body, wrong


def test_a_slash_behind_it_is_taken_away_whether_the_address_is_right_or_wrong(feed: Feed) -> None:
    for path in (feed.path, f"/calendar/{'0' * 2 * TOKEN_BYTES}.ics"):
        answer = feed.program.get(f"{path}/")
        assert (answer.status, answer.body) == (307, b"")


def test_a_host_or_a_site_that_is_not_ours_gets_nothing_even_with_the_address(feed: Feed) -> None:
    """A page of somebody else's may not read it through its visitor's browser."""
    for headers, status in (
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ):
        answer = feed.get(**headers)
        assert answer.status == status
        assert DENTIST.encode() not in answer.body


def test_endless_addresses_end_that_connection_and_no_other(feed: Feed) -> None:
    place = urlsplit(feed.url)
    with socket.create_connection((place.hostname or "", place.port or 0), SECONDS_MAX) as line:
        try:
            for _ in range(1_000):
                line.sendall(b"GET /calendar/" + b"a" * 65_536)
            assert b" 200 " not in line.recv(65_536)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert feed.entries()


def test_many_at_once_are_all_answered_and_told_the_same(feed: Feed) -> None:
    wrong = f"/calendar/{'0' * 2 * TOKEN_BYTES}.ics"
    with ThreadPoolExecutor(8) as pool:
        right = pool.map(lambda _: feed.get(), range(80))
        guessed = pool.map(lambda _: feed.program.get(wrong), range(80))
        assert {(each.status, each.headers["etag"]) for each in right} == {(200, feed.get().headers["etag"])}
        for each in guessed:
            nothing(each)


# -- its address -------------------------------------------------------------------------------------------------


def test_the_address_is_kept_for_its_owner_alone_and_shown_in_no_log(feed: Feed) -> None:
    file = feed.home / "calendar.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = json.loads(file.read_text())["token"]
    assert len(token) == 2 * TOKEN_BYTES
    feed.get()
    holding = [
        each for each in feed.home.rglob("*") if each.is_file() and token.encode() in each.read_bytes()
    ]
    assert holding == [file]
    assert fed(feed.home)["url"] == feed.url, "who asks again is shown the same"


def test_a_new_address_ends_the_one_before_and_off_ends_all(tmp_path: Path) -> None:
    home = tmp_path / "home"
    remind(home, DENTIST)
    with daemon(home, "--panel", "127.0.0.1:0"):
        first = Feed(home, fed(home)["url"])
        assert first.entries()
        second = Feed(home, fed(home, "--new")["url"])
        nothing(first.get())
        assert second.entries()
        assert fed(home, "--off")["url"] is None
        assert not (home / "calendar.json").exists()
        for each in (first, second):
            nothing(each.get())
        third = Feed(home, fed(home)["url"])
        assert third.url not in (first.url, second.url)
        assert third.entries()
        assert fed(home, "--off")["urls"] == []
        assert run(home, "calendar", "--feed", "--off").out == "no calendar is served any more\n"


def test_it_is_there_again_after_a_restart_and_without_a_daemon_says_what_to_do(tmp_path: Path) -> None:
    home = tmp_path / "home"
    remind(home, DENTIST)

    def refused() -> Ran:
        done = run(home, "--json", "calendar", "--feed")
        assert (done.code, done.json["error"]["code"]) == (5, "not_running")
        assert "samemind up --background" in done.json["error"]["hint"]
        return done

    refused()
    with daemon(home) as running:
        assert running.said["panel_url"] is None
        feed = Feed(home, fed(home)["url"])
        assert feed.entries()
        running.end()
    refused()
    with daemon(home):  # nothing was said of a panel, and it is there
        assert feed.entries()
        assert fed(home)["url"] == feed.url
    assert fed(home, "--off")["url"] is None, "which no daemon is needed for"
    with daemon(home) as running:
        assert running.said["panel_url"] is None


def test_doctor_says_that_programs_do_not_find_it_and_what_mends_it(tmp_path: Path) -> None:
    """What else came to listen there while the daemon was down kept programs out, and only the log said so."""
    home = tmp_path / "home"
    remind(home, DENTIST)

    def looked() -> Any:
        done = run(home, "--json", "doctor")
        (check,) = [each for each in done.json["checks"] if each["name"] == "calendar"]
        return check

    with daemon(home, "--panel", f"127.0.0.1:{free_port()}"):
        feed = Feed(home, fed(home)["url"])
        assert looked()["ok"]
    assert "samemind up" in looked()["fix"]
    port = urlsplit(feed.url).port
    with socket.create_server(("127.0.0.1", port or 0)):
        with daemon(home):
            found = looked()
            assert (found["ok"], f"127.0.0.1:{port}" in found["detail"]) == (False, True)
            assert "samemind down" in found["fix"]
    with daemon(home):
        assert looked()["ok"]
        assert feed.entries()


def test_the_panel_of_a_browser_here_serves_it_where_programs_look_for_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    remind(home, DENTIST)
    with daemon(home, "--panel", f"127.0.0.1:{free_port()}"):
        feed = Feed(home, fed(home)["url"])
    with daemon(home):
        assert run(home, "--json", "panel").json["url"].startswith(feed.url.removesuffix(feed.path))


def test_other_machines_are_shown_names_and_a_way_to_trust_them(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    remind(home, DENTIST)
    with daemon(home, "--panel", "127.0.0.1:0"):
        here = fed(home)
        assert (here["trust"], here["fingerprint"], here["urls"]) == (None, None, [here["url"]])
        assert "--panel 0.0.0.0:7412" in here["note"]
    with daemon(home, "--panel", f"0.0.0.0:{port}"):
        told = fed(home)
        name = urlsplit(told["url"])
        assert (name.scheme, name.port) == ("https", port)
        assert (name.hostname or "").endswith(".local")
        assert told["trust"] == f"https://{name.netloc}/phone/trust"
        assert f"while the panel was at 127.0.0.1:{urlsplit(here['url']).port}" in told["note"]
        assert fed(home)["note"] is None, "that is said once"
        away = FeedPlace("0f" * 32, "0.0.0.0", 1)
        away.keep(Home.at(home))
        assert fed(home, "--new")["note"] is None, "whoever subscribes anew looks nowhere else"
        told = fed(home)
        name = urlsplit(told["url"])
        for url in (f"https://localhost:{port}{name.path}", *told["urls"][1:]):
            assert Feed(home, url).entries()
        trusting = ssl.create_default_context(
            cadata=stranger(f"https://localhost:{port}").get(AUTHORITY).body
        )
        with (
            socket.create_connection(("127.0.0.1", port), SECONDS_MAX) as plain,
            trusting.wrap_socket(plain, server_hostname=name.hostname) as line,
        ):  # as a phone that trusts this device, by the name that it was given
            line.sendall(
                f"GET {name.path} HTTP/1.1\r\nHost: {name.netloc}\r\nConnection: close\r\n\r\n".encode()
            )
            said = b"".join(iter(lambda: line.recv(65_536), b""))
            assert said.startswith(b"HTTP/1.1 200")
            assert DENTIST.encode() in said
        plain = socket.create_connection(("127.0.0.1", port), SECONDS_MAX)
        with plain:
            plain.sendall(f"GET {name.path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
            try:
                assert b"VCALENDAR" not in plain.recv(65_536)
            except ConnectionResetError:
                pass
    with daemon(home):  # as it is with phones
        assert Feed(home, f"https://localhost:{port}{name.path}").entries()


def test_a_page_that_was_let_in_may_ask_for_the_address_and_change_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    remind(home, DENTIST)
    with daemon(home, "--panel", "127.0.0.1:0"):
        url, _, token = run(home, "--json", "panel").json["url"].partition("#launch=")
        page = let_in(url, token)
        shown = page.post("/api/v1/calendar-feed").json
        assert Feed(home, shown["url"]).entries()
        assert page.post("/api/v1/calendar-feed", {"new": True}).json["url"] != shown["url"]
        nothing(Feed(home, shown["url"]).get())
        both = page.post("/api/v1/calendar-feed", {"new": True, "off": True})
        assert (both.status, both.code) == (400, "invalid")
        assert page.post("/api/v1/calendar-feed", {"off": True}).json["url"] is None


FETCH = """
import ssl, sys, urllib.error, urllib.request
context = ssl.create_default_context(cafile=sys.argv[2])
try:
    with urllib.request.urlopen(sys.argv[1], context=context, timeout=20) as answer:
        sys.stdout.write(answer.read().decode())
except urllib.error.HTTPError as error:
    sys.stdout.write(str(error.code))
"""


@needs_netns
def test_another_machine_that_trusts_this_one_subscribes_by_its_name_and_its_number(tmp_path: Path) -> None:
    """A phone's calendar, as far as it can be had without a phone: another host, by TLS that it checks."""
    home, trusted = tmp_path / "home", tmp_path / "authority.crt"
    remind(home, DENTIST)
    with two_hosts() as (laptop, phone):
        up = laptop.popen(
            [*COMMAND, "--home", str(home), "--json", "up", "--no-mdns", "--panel", "0.0.0.0:7412"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert json.loads(next_line(up))["panel_url"].startswith("https://")
        told = fed(home)
        name = urlsplit(told["url"])
        authority = x509.load_pem_x509_certificate((home / "authority.pem").read_bytes())
        trusted.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
        assert any(f"//{laptop.address}:7412/" in url for url in told["urls"])
        wrong = told["url"].replace(name.path, f"/calendar/{'0' * 2 * TOKEN_BYTES}.ics")

        def fetched(url: str) -> str:
            asked = [sys.executable, "-c", FETCH, url, str(trusted)]
            return str(phone.run(asked, capture_output=True, text=True).stdout)

        with named(phone, str(name.hostname), laptop.address):
            for url in (told["url"], f"https://{laptop.address}:7412{name.path}"):
                assert DENTIST in fetched(url)
            assert fetched(wrong) == "404"
            assert fed(home, "--off")["url"] is None
            assert fetched(told["url"]) == "404"
