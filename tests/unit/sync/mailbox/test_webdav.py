"""What a page requests of a folder of WebDAV, and what it makes of answers that a hostile server gives."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox import webdav
from sync.mailbox.http_files import HttpAnswer, HttpCall
from sync.mailbox.webdav import LISTING_BYTES_MAX, WebdavFiles, read_listing
from tests.support.visits import any_name

NAME = any_name()
FILES = WebdavFiles("https://cloud.example/dav/ada und bob/", "ada", "geheim")


def listing(*entries: tuple[str, str, bool]) -> bytes:
    told = "".join(
        f"<D:response><D:href>{href}</D:href><D:propstat><D:prop>"
        f"<D:getcontentlength>{size}</D:getcontentlength>"
        f"<D:resourcetype>{'<D:collection/>' if is_folder else ''}</D:resourcetype>"
        "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        for href, size, is_folder in entries
    )
    return f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{told}</D:multistatus>'.encode()


def ended(calling: Any, *answers: HttpAnswer) -> tuple[list[HttpCall], Any]:
    """Return what was requested where these answers come, and what came of it."""
    calls, waiting, answer = [], [*answers], None
    try:
        while True:
            calls.append(calling.send(answer))
            answer = waiting.pop(0)
    except StopIteration as end:
        assert not waiting
        return calls, end.value


def test_a_folder_is_listed_with_sizes_and_without_folders() -> None:
    body = listing(
        ("/dav/ada%20und%20bob/", "", True),
        (f"/dav/ada%20und%20bob/{NAME}", "4096", False),
        ("https://cloud.example/dav/ada%20und%20bob/notes%20of%20mine.txt", "7", False),
        ("/dav/ada%20und%20bob/endless", "9" * 40, False),
        ("/dav/ada%20und%20bob/wordy", "many", False),
    )
    calls, found = ended(FILES.names(), HttpAnswer(207, body))
    assert found == {NAME: 4096, "notes of mine.txt": 7}
    (call,) = calls
    assert (call.method, call.url) == ("PROPFIND", "https://cloud.example/dav/ada%20und%20bob/")
    assert call.headers["authorization"] == "Basic YWRhOmdlaGVpbQ=="


def test_a_folder_that_is_not_there_is_empty_and_made_by_whoever_writes_first() -> None:
    assert ended(FILES.names(), HttpAnswer(404))[1] == {}
    made = [HttpAnswer(405), HttpAnswer(201), HttpAnswer(201)]
    calls, _ = ended(FILES.put(NAME, b"words"), HttpAnswer(409), *made[:2], HttpAnswer(201))
    assert [call.method for call in calls] == ["PUT", "MKCOL", "MKCOL", "PUT"]
    assert [call.url for call in calls[1:3]] == [
        "https://cloud.example/dav/",
        "https://cloud.example/dav/ada%20und%20bob/",
    ]


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        (HttpAnswer(401), Denied),
        (HttpAnswer(403), Denied),
        (HttpAnswer(404), Gone),
        (HttpAnswer(413), Full),
        (HttpAnswer(507), Full),
        (HttpAnswer(503, retry_after="120"), Unreached),
        (HttpAnswer(302), Unreached),
        (HttpAnswer(999), Unreached),
    ],
)
def test_a_status_is_one_of_four_errors(answer: HttpAnswer, meant: type[MailboxError]) -> None:
    with pytest.raises(meant) as caught:
        ended(FILES.get(NAME, 10, io.BytesIO()), answer)
    if answer.retry_after:
        assert isinstance(caught.value, Unreached)
        assert caught.value.retry_after_s == 120


@pytest.mark.parametrize(
    ("location", "said"),
    [
        (
            "http://cloud.example/dav/ada%20und%20bob/",
            r"us to http://cloud\.example, .* with webdav\+http://cloud\.example in",
        ),
        (
            "//new.example:8443/x",
            r"us to https://new\.example:8443, .* with webdav\+https://new\.example:8443 in",
        ),
        ("https://ada:hush@new.example/hush?token=hush#hush", r"us to https://new\.example, "),
        ("http://[2001:db8::1]:80/", r"us to http://\[2001:db8::1\]:80, "),
        ("/login", "to another path"),
        ("https://cloud.example/index.php", "to another path"),
        ("file:///etc/passwd", "an address that is none"),
        ("https://new.example\x1b[2J/", "an address that is none"),
        ("https://" + "a" * 300 + ".example/", "an address that is none"),
        ("https://[::1/", "an address that is none"),
        ("https://new example/", "an address that is none"),
        ("", r"answered 302 \(Found\)"),
    ],
)
def test_of_a_redirect_it_is_said_which_server_it_names_and_nothing_else(location: str, said: str) -> None:
    """Nothing is requested there: an owner who knows it gives it as the mailbox's address."""
    for doing in (
        FILES.names(),
        FILES.get(NAME, 10, io.BytesIO()),
        FILES.remove(NAME),
        FILES.put(NAME, b"x"),
    ):
        with pytest.raises(Unreached, match=said) as caught:
            ended(doing, HttpAnswer(302, location=location))
        assert "hush" not in str(caught.value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 700


def test_removing_what_is_gone_is_nothing() -> None:
    assert ended(FILES.remove(NAME), HttpAnswer(404))[1] is None


def test_no_more_is_taken_of_a_file_than_was_asked_for() -> None:
    calls, _ = ended(FILES.get(NAME, 3, file := io.BytesIO()), HttpAnswer(200, b"words"))
    assert file.getvalue() == b"wor"
    assert calls[0].bytes_max == 3


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><multistatus xmlns="DAV:">&b;</multistatus>'

DEEP = b'<multistatus xmlns="DAV:">' + b"<a>" * 40 + b"</a>" * 40 + b"</multistatus>"


@pytest.mark.parametrize("body", [b"", b"<html>sign in</html>", b"<multistatus", b"\xff\xfe", BOMB, DEEP])
def test_what_is_no_listing_is_told_apart_from_an_empty_folder(body: bytes) -> None:
    with pytest.raises(Unreached):
        ended(FILES.names(), HttpAnswer(207, body))


def test_a_listing_without_end_is_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Full):
        ended(FILES.names(), HttpAnswer(207, b" " * LISTING_BYTES_MAX))
    monkeypatch.setattr(webdav, "FILES_MAX", 3)
    with pytest.raises(Full):
        read_listing(listing(*((f"/{n}", "1", False) for n in range(5))))


@given(st.binary(max_size=300), st.sampled_from([bytes, lambda data: listing()[:60] + data]))
def test_any_bytes_are_a_listing_or_refused(data: bytes, made: Callable[[bytes], bytes]) -> None:
    try:
        read_listing(made(data))
    except Unreached:
        return


def test_a_name_from_a_listing_stays_in_the_folder() -> None:
    calls, _ = ended(FILES.get("a/../b?c#d.samemind", 1, io.BytesIO()), HttpAnswer(200, b"x"))
    assert calls[0].url == "https://cloud.example/dav/ada%20und%20bob/a%2F..%2Fb%3Fc%23d.samemind"
