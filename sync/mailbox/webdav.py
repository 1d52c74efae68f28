"""Decide which HTTP requests make a mailbox of a folder on a WebDAV server (RFC 4918)."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import IO, Final
from urllib.parse import quote, unquote, urlsplit

from sync.errors import Gone, Unreached
from sync.mailbox.box import FILES_MAX, check_name, too_long, too_many
from sync.mailbox.http_files import (
    ERROR_BYTES_MAX,
    Calling,
    Elements,
    HttpAnswer,
    HttpCall,
    is_size,
    refused,
)

# A server says some 400 bytes of each file: forty thousand of them, far more than a group ever has.
LISTING_BYTES_MAX: Final = 16 << 20
_ASKED: Final = (
    b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getcontentlength/><resourcetype/></prop></propfind>'
)


class WebdavFiles:
    """The files of one folder. `url`: the folder's, without a user and without a stroke at its end."""

    def __init__(self, url: str, user: str | None, password: str | None) -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = quote(unquote(parts.path.rstrip("/")))
        self.url = f"{self._origin}{self._path}/"
        self._headers: dict[str, str] = {}
        if user is not None:
            pair = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
            self._headers = {"authorization": f"Basic {pair}"}

    def put(self, name: str, data: bytes) -> Calling[None]:
        """Write a file, and make the folder where it is not there yet."""
        check_name(name)
        answer = yield self._file("PUT", name, data)
        if answer.status in (404, 409):
            yield from self._make_folder()
            answer = yield self._file("PUT", name, data)
        self._check(answer)

    def names(self) -> Calling[Mapping[str, int]]:
        """List the folder; one that is not there yet is empty."""
        headers = {**self._headers, "depth": "1", "content-type": "application/xml"}
        answer: HttpAnswer = yield HttpCall("PROPFIND", self.url, headers, _ASKED, LISTING_BYTES_MAX)
        if answer.status == 404:
            return {}
        self._check(answer)
        if len(answer.body) >= LISTING_BYTES_MAX:
            raise too_long(LISTING_BYTES_MAX)
        return read_listing(answer.body)

    def get(self, name: str, bytes_max: int, into: IO[bytes]) -> Calling[None]:
        """Read a file."""
        answer: HttpAnswer = yield replace(self._file("GET", name, bytes_max=bytes_max), into=into)
        self._check(answer)
        into.write(answer.body[:bytes_max])

    def remove(self, name: str) -> Calling[None]:
        """Remove a file."""
        answer = yield self._file("DELETE", name)
        if answer.status != 404:
            self._check(answer)

    def _file(self, method: str, name: str, body: bytes = b"", bytes_max: int = ERROR_BYTES_MAX) -> HttpCall:
        headers = {**self._headers, "content-type": "application/octet-stream"} if body else self._headers
        return HttpCall(method, f"{self.url}{quote(name, safe='')}", headers, body, bytes_max)

    def _make_folder(self) -> Calling[None]:
        """Make the folder and those above it; one that is there already is refused, and is as good."""
        parts = self._path.split("/")[1:]
        for end in range(1, len(parts) + 1):
            yield HttpCall("MKCOL", f"{self._origin}/{'/'.join(parts[:end])}/", self._headers)

    def _check(self, answer: HttpAnswer) -> None:
        """Raise what a status means that is none of success."""
        if 200 <= answer.status < 300:
            return
        if answer.status in (404, 410):
            raise Gone("there is no such file")
        raise refused(answer, self.url, "webdav+{}")


def read_listing(body: bytes) -> dict[str, int]:
    """Return the files that a listing names, with their sizes; `Unreached` for what is none."""
    listing = _Listing()
    try:
        listing.read(body)
    except ValueError:
        raise _unreadable() from None
    if not listing.is_listing:
        raise _unreadable()
    return listing.found


class _Listing(Elements):
    """Hears the parts of a multistatus (RFC 4918, 14.16)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, int] = {}
        self.is_listing = False
        self._path = self._size = ""
        self._is_folder = False

    def opened(self, tag: str) -> None:
        """Hear that an element begins."""
        if tag == "DAV: multistatus":
            self.is_listing = True
        elif tag == "DAV: response":
            self._path, self._size, self._is_folder = "", "", False
        elif tag == "DAV: collection":
            self._is_folder = True

    def closed(self, tag: str, text: str) -> None:
        """Hear that one ended."""
        if tag == "DAV: href":
            self._path = text
        elif tag == "DAV: getcontentlength":
            self._size = text
        elif tag == "DAV: response" and not self._is_folder and is_size(self._size):
            self.found[unquote(self._path).rpartition("/")[2]] = int(self._size)
            if len(self.found) > FILES_MAX:
                raise too_many()


def _unreadable() -> Unreached:
    return Unreached("expected the server to list a folder as WebDAV does, got something else")
