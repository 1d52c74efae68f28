"""A model behind an address, against a real HTTP server."""

import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from cognition.errors import ModelUnavailable
from cognition.models import ChatMessage, ModelFailed
from cognition.models.http import ANSWER_BYTES_MAX, HttpChatModel
from tests.support.model_server import Answer, serving

ASKED = [ChatMessage("system", "read"), ChatMessage("user", "this")]


def ask(answer: Answer, *, timeout_s: float = 10) -> str:
    with serving(lambda body: answer) as server:
        return HttpChatModel(server.url, "tiny", timeout_s=timeout_s).complete(
            ASKED, temperature=0.1, max_tokens=5
        )


def test_a_request_says_what_compatible_servers_expect() -> None:
    with serving(lambda body: "{}") as server:
        model = HttpChatModel(f"{server.url}/", "tiny", key="sesame")
        assert model.complete(ASKED, temperature=0.1, max_tokens=500) == "{}"
    (request,), (headers,) = server.requests, server.headers
    assert request == {
        "path": "/v1/chat/completions",
        "model": "tiny",
        "messages": [{"role": "system", "content": "read"}, {"role": "user", "content": "this"}],
        "temperature": 0.1,
        "max_tokens": 500,
        "response_format": {"type": "json_object"},
        "stream": False,
    }
    assert headers["Authorization"] == "Bearer sesame"


def test_what_leaves_the_device_is_logged_without_its_words(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "cognition.models.http")
    ask("{}")
    assert not caplog.messages
    monkeypatch.setattr(HttpChatModel, "remote", True)
    ask("{}")
    (line,) = caplog.messages
    assert "to 127.0.0.1:" in line
    assert "for the model tiny" in line
    assert "this" not in line


def test_a_server_that_is_too_busy_may_be_asked_later_and_one_that_refuses_may_not() -> None:
    for status in (429, 500, 503):
        with pytest.raises(ModelFailed, match=f"got status {status}: slow down"):
            ask((status, b"slow   down"))
    for status in (401, 404):
        with pytest.raises(ModelUnavailable, match=f"got status {status}"):
            ask((status, b"no"))


def test_a_redirect_is_not_followed_so_that_a_key_goes_nowhere_else() -> None:
    with pytest.raises(ModelUnavailable, match="got status 307"):
        ask((307, b""))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_completion_is_a_failure_of_this_try(body: bytes) -> None:
    with pytest.raises(ModelFailed):
        ask((200, body))


def test_an_answer_is_bounded_in_size() -> None:
    with pytest.raises(ModelFailed, match="got more"):
        ask((200, b" " * (ANSWER_BYTES_MAX + 1)))


def test_an_answer_is_bounded_in_time() -> None:
    release = threading.Event()

    def slow(body: object) -> str:
        release.wait(10)
        return "{}"

    with serving(slow) as server:
        with pytest.raises(ModelFailed, match=r"within 0\.05 s"):
            HttpChatModel(server.url, "tiny", timeout_s=0.05).complete(ASKED, temperature=0, max_tokens=1)
        release.set()


@pytest.mark.parametrize(
    "head", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"]
)
def test_an_answer_that_comes_byte_by_byte_is_bounded_in_time_too(head: bytes) -> None:
    """Each byte is in time; all of them would hold the thread for days. An answer may also end with its line."""
    began = time.monotonic()
    with ThreadPoolExecutor(1) as thread, socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            line, _ = listener.accept()
            with line, suppress(OSError):
                line.sendall(head)
                while time.monotonic() - began < 20:
                    line.sendall(b"h")
                    time.sleep(0.02)

        server = thread.submit(drip)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        with pytest.raises(ModelFailed, match=r"within 0\.3 s, got none"):
            HttpChatModel(url, "tiny", timeout_s=0.3).complete(ASKED, temperature=0, max_tokens=1)
        server.result()
    assert time.monotonic() - began < 10


def test_nobody_at_the_address_is_told_from_somebody_who_fails() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with pytest.raises(ModelUnavailable, match=f"expected a model at 127.0.0.1:{port}"):
        HttpChatModel(f"http://127.0.0.1:{port}/v1", "tiny").complete(ASKED, temperature=0, max_tokens=1)


def test_what_leaves_the_network_is_called_remote_and_gets_a_key_over_tls_only() -> None:
    remote = {
        url: HttpChatModel(url, "tiny").remote
        for url in ("http://localhost:1/v1", "http://127.0.0.1/v1", "http://192.168.1.7/v1", "http://[::1]:8080",
                    "https://api.example.com/v1", "http://8.8.8.8/v1")
    }  # fmt: skip
    assert [url for url, far in remote.items() if far] == ["https://api.example.com/v1", "http://8.8.8.8/v1"]
    with pytest.raises(ValueError, match="expected https"):
        HttpChatModel("http://api.example.com/v1", "tiny", key="sesame")
    for url in ("ftp://host/v1", "host:80", "http://", "http://user:word@host/v1"):
        with pytest.raises(ValueError, match="expected an address"):
            HttpChatModel(url, "tiny")


def test_an_answer_comes_through_as_it_was_said() -> None:
    said = json.dumps({"facts": ["日本語 ☂"]}, ensure_ascii=False)
    assert ask(said) == said
