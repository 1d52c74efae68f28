"""A bucket whose keeper answers as nobody honest would: OpenDAL asks for the next page as long as it is told of one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import trio

from replica.asyncio_host import AsyncioHost
from sync.errors import Full
from sync.mailbox.places import MailboxAddress, check_place, open_box
from tests.support.mailbox_servers import AZURE_KEY, needs_package

GIVE_UP_SECONDS = 60.0
PAGE = 1_000
FILE = f"{'0123456789abcdef' * 2}.samemind"


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


def azure_folder(name: str) -> str:
    return f"<BlobPrefix><Name>box/{name}/</Name></BlobPrefix>"


@contextmanager
def paging(page: Callable[[str, int], bytes], entries: str) -> Iterator[str]:
    """Answer every listing with one more page; return the address."""
    needs_package("opendal")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        pages = 0

        def do_GET(self) -> None:
            Handler.pages += 1
            data = page(entries, Handler.pages)
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("entry", [s3_file, s3_folder], ids=["the same file", "folders"])
def test_a_listing_ends_that_names_no_other_file_on_any_page(entry: Callable[[str], str]) -> None:
    """Only files that were new were counted: it went on, at full speed, until the time for an answer was over."""
    name = FILE if entry is s3_file else "other"
    with paging(s3_page, entry(name) * PAGE) as endpoint:
        list_it(f"s3://ada@bucket/box?endpoint={endpoint}&region=us-east-1", "secret")


def test_a_listing_of_a_container_ends_that_names_folders_alone() -> None:
    with paging(azure_page, azure_folder("other") * PAGE) as endpoint:
        list_it(f"azblob://ada@container/box?endpoint={endpoint}/ada", AZURE_KEY)


def list_it(url: str, secret: str) -> None:
    async def main() -> None:
        async with AsyncioHost.open() as host:
            box = open_box(check_place(MailboxAddress(url, secret)), host)
            with trio.fail_after(GIVE_UP_SECONDS), pytest.raises(Full, match="lists more"):
                await box.names()
            await box.aclose()

    trio.run(main)
