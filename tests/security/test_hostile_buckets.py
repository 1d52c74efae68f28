"""A bucket whose keeper answers as nobody honest would: that costs its mailbox time, and a device nothing."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sync.errors import Full, Unreached
from sync.mailbox import buckets
from sync.mailbox.azure import AzureFiles
from sync.mailbox.buckets import LISTING_BYTES_MAX, PAGE_BYTES_MAX, PAGES_MAX, read_page
from sync.mailbox.http_files import HttpAnswer, HttpFiles
from sync.mailbox.s3 import S3Files, _S3Page
from tests.security.test_hostile_webdav import (
    CHUNKED,
    FLOODS,
    OK,
    SENT_MAX,
    VERBS,
    Raw,
    ask,
    get,
    in_pieces,
    list_without_end,
    names,
    raw,
    saying,
)
from tests.support.mailbox_servers import AZURE_KEY

PAGE = 1_000
FILE = f"{'0123456789abcdef' * 2}.samemind"
KINDS = ("s3", "azblob")


def bucket(kind: str, url: str) -> HttpFiles:
    """Return the files of a bucket on a server."""
    if kind == "s3":
        return S3Files(url, "bucket", "box/", region="eu-1", key_id="ada", secret="hush", now_s=lambda: 1e9)
    return AzureFiles(url, "bucket", "box/", account="ada", key=b"hush", now_s=lambda: 1e9)


def s3_page(entries: str, token: int) -> bytes:
    """Return a page of a bucket's listing after which there is another one."""
    following = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
    return f"<ListBucketResult>{following}{entries}</ListBucketResult>".encode()


def azure_page(entries: str, token: int) -> bytes:
    """Return the same of a container's."""
    return (
        f"<EnumerationResults><Blobs>{entries}</Blobs><NextMarker>{token}</NextMarker></EnumerationResults>"
    ).encode()


def s3_file(name: str) -> str:
    about = "<LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>10</Size>"
    return f"<Contents><Key>box/{name}</Key>{about}</Contents>"


def s3_folder(name: str) -> str:
    return f"<CommonPrefixes><Prefix>box/{name}/</Prefix></CommonPrefixes>"


def azure_file(name: str) -> str:
    return f"<Blob><Name>box/{name}</Name><Properties><Content-Length>10</Content-Length></Properties></Blob>"


def azure_folder(name: str) -> str:
    return f"<BlobPrefix><Name>box/{name}/</Name></BlobPrefix>"


def whole(data: bytes) -> bytes:
    """Return an answer that is well."""
    return OK + b"content-length: %d\r\n\r\n%b" % (len(data), data)


@contextmanager
def paging(page: Callable[[str, int], bytes], entries: str) -> Iterator[Raw]:
    """Answer every listing with one more page."""

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, whole(page(entries, len(server.asked))))

    with raw(answer) as server:
        yield server


@pytest.mark.parametrize(
    ("kind", "page", "entry"),
    [
        ("s3", s3_page, s3_file(FILE)),
        ("s3", s3_page, s3_folder("other")),
        ("azblob", azure_page, azure_file(FILE)),
        ("azblob", azure_page, azure_folder("other")),
    ],
    ids=["S3, one file", "S3, folders", "Azure, one file", "Azure, folders"],
)
def test_a_listing_ends_that_names_no_other_file_on_any_page(
    kind: str, page: Callable[[str, int], bytes], entry: str
) -> None:
    """Only files that were new were counted: it went on, at full speed, until the time for an answer was over."""
    with paging(page, entry * PAGE) as server, pytest.raises(Full, match="lists more"):
        ask("", names, files=bucket(kind, server.url))
    assert len(server.asked) <= 101


@pytest.mark.parametrize(("kind", "page"), [("s3", s3_page), ("azblob", azure_page)], ids=KINDS)
def test_a_listing_ends_whose_pages_are_empty(kind: str, page: Callable[[str, int], bytes]) -> None:
    with paging(page, "") as server, pytest.raises(Full, match="it has more"):
        ask("", names, files=bucket(kind, server.url))
    assert len(server.asked) == PAGES_MAX


@pytest.mark.parametrize(("kind", "page"), [("s3", s3_page), ("azblob", azure_page)], ids=KINDS)
def test_a_listing_that_leads_back_to_the_page_before_is_left_at_once(
    kind: str, page: Callable[[str, int], bytes]
) -> None:
    """It was asked for a thousand times."""
    with raw(saying(whole(page("", 7)))) as server, pytest.raises(Unreached, match="again and again"):
        ask("", names, files=bucket(kind, server.url))
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("kind", "page", "entry"), [("s3", s3_page, s3_file), ("azblob", azure_page, azure_file)], ids=KINDS
)
@pytest.mark.parametrize("what", ["comments", "long names"])
def test_all_pages_of_a_listing_have_a_bound_together(
    kind: str, page: Callable[[str, int], bytes], entry: Callable[[str], str], what: str
) -> None:
    """A thousand pages of tags took minutes of a processor with each look, a hundred of long names 400 MB for good."""
    comments, names_ = "<!--" + "x" * 30_000 + "-->", (entry(f"{n}{'x' * 4_000}") for n in range(900))
    body = page(comments * 130 if what == "comments" else "".join(names_), 0)
    calling, asked = bucket(kind, "http://127.0.0.1:1").names(), 0

    def list_all() -> None:
        nonlocal asked
        next(calling)
        while True:
            asked += 1
            calling.send(HttpAnswer(200, body.replace(b">0<", b">%d<" % asked)))

    with pytest.raises(Full, match="at most 64 MB"):
        list_all()
    assert asked * len(body) < LISTING_BYTES_MAX + 2 * PAGE_BYTES_MAX


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("kind", KINDS)
def test_nobody_goes_where_a_redirect_points(kind: str, status: int, verb: Callable[..., Any]) -> None:
    """OpenDAL followed one for a listing or a file: whoever ran a bucket had a device ask machines of its network."""
    with raw(saying(OK + b"content-length: 0\r\n\r\n")) as other:
        moved = b"HTTP/1.1 %d Moved\r\nlocation: http://127.0.0.1:%d/admin\r\ncontent-length: 0\r\n\r\n"
        with raw(saying(moved % (status, other.port))) as server:
            with pytest.raises(Unreached) as caught:
                ask("", verb, files=bucket(kind, server.url))
        assert server.asked
        assert other.connections == 0
    said = f"sends us to http://127.0.0.1:{other.port}, and"
    assert said in str(caught.value)
    assert f"with endpoint=http://127.0.0.1:{other.port} in its address" in str(caught.value)


ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "files": (
        OK + CHUNKED + in_pieces(b"<ListBucketResult>"),
        in_pieces(s3_file(FILE).encode() * 400),
    ),
    "spaces": (OK + b"\r\n", b" " * 65_536),
    "tags": (OK + b"\r\n<EnumerationResults>", b"<a/>" * 16_384),
    "one word": (OK + b"\r\n<ListBucketResult><Contents><Key>", b"x" * 65_536),
}


@pytest.mark.parametrize("what", ENDLESS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_listing_without_end_takes_so_much_memory_and_no_more(kind: str, what: str) -> None:
    """OpenDAL read it whole: 2.9 GB in eight seconds, until a look at the memory of the process ended it."""

    def url(server: Raw) -> str:
        return f"{kind}://ada@bucket/box?endpoint=http://127.0.0.1:{server.port}"

    assert list_without_end(ENDLESS[what], url, PAGE_BYTES_MAX, secret=AZURE_KEY) == "Unreached"


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_head_without_end_is_not_read_to_it(kind: str, flood: str) -> None:
    first, more = FLOODS[flood]

    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, first)
        server.forever(line, more)

    with raw(answer) as server, pytest.raises(Unreached, match=r"without end|nobody can read"):
        ask("", names, files=bucket(kind, server.url))
    assert server.sent < SENT_MAX


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_file_without_end_only_what_was_listed_is_read(kind: str) -> None:
    def answer(server: Raw, line: socket.socket) -> None:
        server.send(line, OK + CHUNKED)
        server.forever(line, in_pieces(b"a" * 65_536))

    with raw(answer) as server:
        assert ask("", get, files=bucket(kind, server.url)) == b"a" * 1_000
    assert server.sent < SENT_MAX


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_cannot_write_lines_into_the_next_request(kind: str) -> None:
    """What a page says of the next one goes into its address."""
    token = "&#13;&#10;x-evil: 1&#13;&#10;?a=b&amp;prefix=/ HTTP/1.1"
    data = {
        "s3": f"<ListBucketResult><NextContinuationToken>{token}</NextContinuationToken></ListBucketResult>",
        "azblob": f"<EnumerationResults><NextMarker>{token}</NextMarker></EnumerationResults>",
    }[kind].encode()
    end = {"s3": b"<ListBucketResult/>", "azblob": b"<EnumerationResults/>"}[kind]

    def answer(server: Raw, line: socket.socket) -> None:
        said = data if len(server.asked) == 1 else end
        server.send(line, OK + b"content-length: %d\r\n\r\n%b" % (len(said), said))

    with raw(answer) as server:
        ask("", names, files=bucket(kind, server.url))
    line, *heads = server.asked[1].split(b"\r\n")
    assert line.startswith(b"GET /box/bucket?")
    assert line.count(b" ") == 2
    assert line.count(b"prefix=") == 1
    assert not any(head.startswith(b"x-evil") for head in heads)


@pytest.mark.parametrize("kind", KINDS)
def test_a_listing_of_as_many_files_as_there_may_be_is_whole_and_one_more_is_too_many(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and folders count alike, each once."""
    monkeypatch.setattr(buckets, "FILES_MAX", 4)
    file, folder = (s3_file, s3_folder) if kind == "s3" else (azure_file, azure_folder)
    page = s3_page if kind == "s3" else azure_page
    pages = [page(file("a" + FILE) + folder("b"), 1), page(file("c" + FILE) + folder("d"), 2), page("", 0)]
    pages[2] = pages[2].replace(b">true<", b">false<").replace(b">0<", b"><")

    def listed(bodies: list[bytes]) -> int:
        calling = bucket(kind, "http://127.0.0.1:1").names()
        next(calling)
        for body in bodies[:-1]:
            calling.send(HttpAnswer(200, body))
        with pytest.raises(StopIteration) as end:
            calling.send(HttpAnswer(200, bodies[-1]))
        return len(end.value.value)

    assert listed(pages) == 2
    with pytest.raises(Full):
        listed([pages[0], page(file("c" + FILE) + folder("d") + file("e" + FILE), 2), pages[2]])


def test_an_entry_takes_nothing_over_from_the_one_before() -> None:
    body = f"<ListBucketResult>{s3_file('x')}<Contents><Size>7</Size></Contents></ListBucketResult>"
    assert read_page(body.encode(), _S3Page()).files == {"x": 10}
