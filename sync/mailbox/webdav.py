"""Decide which HTTP requests make a mailbox of a folder on a WebDAV server.

Each verb is a generator that says what to request next and is told the answer; it knows no connection. A daemon makes
the requests in `sync.mailbox.requesting`, a phone by the `fetch` of its browser. Servers are believed in nothing: a
listing has a bound, holds no document type, and may name what it likes, and nobody goes where a redirect points.
"""

import base64
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit
from xml.parsers import expat

from sync.errors import Full, Gone, MailboxError, Unreached
from sync.mailbox.box import FILES_MAX, check_name, refused_with, too_many

# A server says some 400 bytes of each file: forty thousand of them, far more than a group ever has.
LISTING_BYTES_MAX: Final = 16 << 20
# Servers say a few words with an error, which nobody reads.
_NOTHING_MAX: Final = 4_096
# A name is 41 characters, and a path before it may be long.
_TEXT_CHARACTERS_MAX: Final = 4_096
_RETRY_DIGITS_MAX: Final = 6
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
# A server and no more: a name, or an address of numbers, and a port.
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
# A listing is six deep. Whoever opens millions of elements and closes none has a reader hold them all: fifty bytes of
# memory for each that came, which is more than a phone gives a page.
_DEPTH_MAX: Final = 32
_ASKED: Final = (
    b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getcontentlength/><resourcetype/></prop></propfind>'
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class HttpCall:
    """Step: request something, and return the answer; of a longer one than `bytes_max` only so much is read."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    bytes_max: int = _NOTHING_MAX


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back. `retry_after`, `location`: the headers of these names."""

    status: int
    body: bytes = b""
    retry_after: str = ""
    location: str = ""


Calling = Generator[HttpCall, Any, Result]


class WebdavFiles:
    """The files of one folder. `url`: the folder's, without a user and without a stroke at its end."""

    def __init__(self, url: str, user: str | None, password: str | None) -> None:
        parts = urlsplit(url)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = quote(unquote(parts.path.rstrip("/")))
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
        url = f"{self._origin}{self._path}/"
        answer: HttpAnswer = yield HttpCall("PROPFIND", url, headers, _ASKED, LISTING_BYTES_MAX)
        if answer.status == 404:
            return {}
        self._check(answer)
        if len(answer.body) >= LISTING_BYTES_MAX:
            raise Full(f"expected a listing of at most {LISTING_BYTES_MAX >> 20} MB, it is longer")
        return read_listing(answer.body)

    def get(self, name: str, bytes_max: int) -> Calling[bytes]:
        """Read a file."""
        answer: HttpAnswer = yield self._file("GET", name, bytes_max=bytes_max)
        self._check(answer)
        return answer.body[:bytes_max]

    def remove(self, name: str) -> Calling[None]:
        """Remove a file."""
        answer = yield self._file("DELETE", name)
        if answer.status != 404:
            self._check(answer)

    def _file(self, method: str, name: str, body: bytes = b"", bytes_max: int = _NOTHING_MAX) -> HttpCall:
        headers = {**self._headers, "content-type": "application/octet-stream"} if body else self._headers
        return HttpCall(
            method, f"{self._origin}{self._path}/{quote(name, safe='')}", headers, body, bytes_max
        )

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
        if answer.status in _MOVED and answer.location:
            raise self._moved(answer.location)
        raise _refused(answer)

    def _moved(self, location: str) -> Unreached:
        """Return what is said of a redirect: which server it names, and nothing else of what was sent."""
        try:
            parts = urlsplit(urljoin(f"{self._origin}{self._path}/", location))
            host = parts.netloc.rpartition("@")[2]
        except ValueError:
            parts, host = urlsplit(""), ""
        origin = f"{parts.scheme}://{host}"
        if origin == self._origin:
            return Unreached(
                "the server sends us to another path: is the one in the mailbox's address right?"
            )
        if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
            return Unreached(
                "the server sends us to an address that is none: is the mailbox's address right?"
            )
        return Unreached(
            f"the server sends us to {origin}, and nothing is asked there. If you know that address, "
            f"add the mailbox again under its name, with webdav+{origin} in its address"
        )


def read_listing(body: bytes) -> dict[str, int]:
    """Return the files that a listing names, with their sizes; `Unreached` for what is none."""
    reader = _Listing()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(body, True)
    except expat.ExpatError:
        raise _unreadable() from None
    if not reader.is_listing:
        raise _unreadable()
    return reader.found


class _Listing:
    """Hears the parts of a multistatus (RFC 4918, 14.16)."""

    def __init__(self) -> None:
        self.found: dict[str, int] = {}
        self.is_listing = False
        self._path = self._size = self._said = ""
        self._is_folder = False
        self._depth = 0

    def refuse(self, *_: object) -> None:
        raise _unreadable()

    def begin(self, tag: str, _: object) -> None:
        self._said = ""
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise _unreadable()
        if tag == "DAV: multistatus":
            self.is_listing = True
        elif tag == "DAV: response":
            self._path, self._size, self._is_folder = "", "", False
        elif tag == "DAV: collection":
            self._is_folder = True

    def text(self, some: str) -> None:
        self._said += some[: _TEXT_CHARACTERS_MAX - len(self._said)]

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "DAV: href":
            self._path = self._said.strip()
        elif tag == "DAV: getcontentlength":
            self._size = self._said.strip()
        elif tag == "DAV: response" and not self._is_folder and self._is_number():
            self.found[unquote(self._path).rpartition("/")[2]] = int(self._size)
            if len(self.found) > FILES_MAX:
                raise too_many()
        self._said = ""

    def _is_number(self) -> bool:
        return self._size.isascii() and self._size.isdecimal() and len(self._size) <= 15


def _refused(answer: HttpAnswer) -> MailboxError:
    said = answer.retry_after
    later = said.isascii() and said.isdecimal() and len(said) <= _RETRY_DIGITS_MAX
    return refused_with(answer.status, float(said) if later else None)


def _unreadable() -> Unreached:
    return Unreached("expected the server to list a folder as WebDAV does, got something else")
