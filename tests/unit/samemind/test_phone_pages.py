"""How a file of the phone's page is sent: in the encoding that was asked for, once, and in pieces."""

from dataclasses import replace
from pathlib import Path

import pytest
import trio
from starlette.requests import Request
from starlette.types import Message

from samemind.panel.phone_pages import PageFile, _sending

PLAIN, SHORT = bytes(range(256)) * 1_000, b"as if by brotli"


@pytest.fixture
def file(tmp_path: Path) -> PageFile:
    (tmp_path / "a.wasm").write_bytes(PLAIN)
    (tmp_path / "a.wasm.br").write_bytes(SHORT)
    return PageFile(tmp_path / "a.wasm", "5" * 64, "application/wasm", True, ("br",))


def sent(file: PageFile, policy: str = "none", **headers: str) -> tuple[int, dict[str, str], list[bytes]]:
    """Ask for a file, and return what goes out, in the pieces in which it does."""
    messages: list[Message] = []
    asked = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]

    async def send(message: Message) -> None:
        messages.append(message)

    async def receive() -> Message:
        await trio.sleep_forever()
        raise AssertionError

    async def main() -> None:
        scope = {"type": "http", "method": "GET", "headers": asked, "asgi": {"spec_version": "2.4"}}
        await (await _sending(file, lambda: policy)(Request(scope)))(scope, receive, send)

    trio.run(main)
    start, *body = messages
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], told, [each["body"] for each in body if each.get("body")]


@pytest.mark.parametrize("accepts", ["br", "gzip, br;q=0.5", " deflate ,br"])
def test_whoever_takes_it_is_sent_the_short_form(file: PageFile, accepts: str) -> None:
    status, headers, pieces = sent(file, accept_encoding=accepts)
    assert (status, b"".join(pieces)) == (200, SHORT)
    assert headers["content-encoding"] == "br"
    assert headers["content-type"] == "application/wasm"
    assert headers["content-length"] == str(len(SHORT))
    assert "immutable" in headers["cache-control"]


@pytest.mark.parametrize("accepts", ["", "gzip", "br;q=0", "gzip, br; q=0", "brotli"])
def test_whoever_does_not_is_sent_the_file_as_it_is(file: PageFile, accepts: str) -> None:
    status, headers, pieces = sent(file, accept_encoding=accepts)
    assert (status, b"".join(pieces)) == (200, PLAIN)
    assert "content-encoding" not in headers
    assert headers["vary"] == "accept-encoding"


def test_no_piece_is_large_however_large_the_file(file: PageFile) -> None:
    """Each caller that stalls holds one: a crowd of them must not hold the whole file each."""
    _, _, pieces = sent(file)
    assert max(map(len, pieces)) <= 1 << 16
    assert len(pieces) == 4


def test_each_form_has_a_tag_of_its_own_and_is_sent_once(file: PageFile) -> None:
    tags = {sent(file, accept_encoding=accepts)[1]["etag"] for accepts in ("br", "")}
    assert len(tags) == 2
    for accepts, tag in (("br", sent(file, accept_encoding="br")[1]["etag"]), ("", sent(file)[1]["etag"])):
        for known in (tag, f"W/{tag}", f'"another", {tag}'):
            assert sent(file, accept_encoding=accepts, if_none_match=known)[0] == 304
        (other,) = tags - {tag}
        assert sent(file, accept_encoding=accepts, if_none_match=other)[0] == 200


def test_what_is_asked_for_again_is_another_as_soon_as_the_page_may_do_something_else(file: PageFile) -> None:
    """The worker may connect where the policy says that it was sent with: a browser that kept it would keep that."""
    worker = replace(file, immutable=False)
    tags = {sent(worker, policy)[1]["etag"] for policy in ("one", "another")}
    assert len(tags) == 2
    for tag in tags:
        told = [sent(worker, policy, if_none_match=tag)[0] for policy in ("one", "another")]
        assert sorted(told) == [200, 304]
    assert "immutable" not in sent(worker)[1]["cache-control"]
    assert sent(file, "one")[1]["etag"] == sent(file, "another")[1]["etag"]
