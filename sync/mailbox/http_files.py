"""What the mailboxes share that are asked by HTTP: the steps of a call, what an answer means, and XML that is foreign.

A mailbox's verb is a generator that says what to request next and is told the answer; it knows no connection. A daemon
makes the requests in `sync.mailbox.requesting`, a phone by the `fetch` of its browser. Servers are believed in nothing:
what they send has a bound, and nobody goes where a redirect points.
"""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Final, Protocol, TypeVar
from urllib.parse import SplitResult, urljoin, urlsplit
from xml.parsers import expat

from sync.errors import MailboxError, Unreached
from sync.mailbox.box import refused_with

# Servers say a few words with an error, which nobody reads but for its code.
ERROR_BYTES_MAX: Final = 4_096
# A name is 41 characters, and a path before it may be long.
TEXT_CHARACTERS_MAX: Final = 4_096
_SIZE_DIGITS_MAX: Final = 15
_RETRY_DIGITS_MAX: Final = 6
_USUAL_PORTS: Final = {"http": 80, "https": 443}
MOVED: Final = frozenset({301, 302, 303, 307, 308})
# A server and no more: a name, or an address of numbers, and a port.
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
# A listing is six deep. Whoever opens millions of elements and closes none has a reader hold them all: fifty bytes of
# memory for each that came, which is more than a phone gives a page.
_DEPTH_MAX: Final = 32
# The reader takes in one tag with everything in it before it calls anybody, and nothing else runs meanwhile: for nine
# seconds if that has a million attributes. In a listing, what stands between two tags is a name at most.
_TAG_BYTES_MAX: Final = 32_768
# Servers use some dozens, and each new one takes the reader longer than all else.
_NAMES_MAX: Final = 1_000

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class HttpCall:
    """Step: request something, and return the answer; of a longer one than `bytes_max` only so much is read.

    `into`: where what a successful answer says may be written as it comes; its `body` is empty then.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    bytes_max: int = ERROR_BYTES_MAX
    into: IO[bytes] | None = None


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back. `retry_after`, `location`: the headers of these names; `region`: `x-amz-bucket-region`."""

    status: int
    body: bytes = b""
    retry_after: str = ""
    location: str = ""
    region: str = ""


Calling = Generator[HttpCall, Any, Result]


class HttpFiles(Protocol):
    """The files of a mailbox, as requests: the verbs of `Mailbox` as generators. `url`: where all of them begin."""

    url: str

    def put(self, name: str, data: bytes) -> Calling[None]:
        """Write a file."""
        ...

    def names(self) -> Calling[Mapping[str, int]]:
        """List the folder."""
        ...

    def get(self, name: str, bytes_max: int, into: IO[bytes]) -> Calling[None]:
        """Read a file into `into`."""
        ...

    def remove(self, name: str) -> Calling[None]:
        """Remove a file."""
        ...


def host_of(parts: SplitResult) -> str:
    """Return a host with its port, as it is sent, signed and looked up; `Unreached` for one that cannot be.

    The usual port is left out: proxies hand the host on without it, where a server looks for what was signed.
    """
    try:
        name, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        raise Unreached(
            "the storage could not be reached: its name or port is none that there can be"
        ) from None
    name = f"[{name}]" if ":" in name else name
    return name if port in (None, _USUAL_PORTS.get(parts.scheme)) else f"{name}:{port}"


def refused(answer: HttpAnswer, url: str, moved: str) -> MailboxError:
    """Return what an answer means that is none of success.

    `url`: what was asked. `moved`: how the address of such a mailbox names a server, with `{}` for its own.
    """
    if answer.status in MOVED and answer.location:
        return _sent_away(url, answer.location, moved)
    said = answer.retry_after
    later = said.isascii() and said.isdecimal() and len(said) <= _RETRY_DIGITS_MAX
    return refused_with(answer.status, float(said) if later else None)


def _sent_away(url: str, location: str, moved: str) -> Unreached:
    """Return what is said of a redirect: which server it names, and nothing else of what was sent."""
    asked = urlsplit(url)
    try:
        parts = urlsplit(urljoin(url, location))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        parts, host = urlsplit(""), ""
    origin = f"{parts.scheme}://{host}"
    if origin == f"{asked.scheme}://{asked.netloc}":
        return Unreached("the server sends us to another path: is the one in the mailbox's address right?")
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return Unreached("the server sends us to an address that is none: is the mailbox's address right?")
    return Unreached(
        f"the server sends us to {origin}, and nothing is asked there. If you know that address, "
        f"add the mailbox again under its name, with {moved.format(origin)} in its address"
    )


class Elements:
    """Hears the elements of a document of XML: `opened` and `closed` are for whoever knows what they mean."""

    def __init__(self) -> None:
        self._said = ""
        self._depth = 0
        self._names: dict[str, str] = {}

    def read(self, body: bytes) -> None:
        """Read a document; `ValueError` if it is none, names a document type, or is nested or named without end."""
        windows = range(0, len(body) - _TAG_BYTES_MAX, _TAG_BYTES_MAX)
        if b"\0" in body or any(body.find(b"<", at, at + _TAG_BYTES_MAX) < 0 for at in windows):
            raise ValueError(
                f"expected tags of at most {_TAG_BYTES_MAX} bytes, in no encoding of more than 8 bits"
            )
        parser = expat.ParserCreate(namespace_separator=" ", intern=self._names)
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse
        try:
            parser.Parse(body, True)
        except expat.ExpatError as error:
            raise ValueError("expected a document of XML") from error

    def opened(self, tag: str) -> None:
        """Hear that an element begins. `tag`: its name space, a blank and its name, or the name alone."""

    def closed(self, tag: str, text: str) -> None:
        """Hear that one ended. `text`: what it said since the last tag, up to `TEXT_CHARACTERS_MAX`."""

    def _refuse(self, *_: object) -> None:
        raise ValueError("expected no document type")

    def _begin(self, tag: str, _: object) -> None:
        self._said = ""
        self._depth += 1
        if self._depth > _DEPTH_MAX:
            raise ValueError(f"expected elements nested up to {_DEPTH_MAX} deep")
        if len(self._names) > _NAMES_MAX:
            raise ValueError(f"expected up to {_NAMES_MAX} names of elements and attributes")
        self.opened(tag)

    def _text(self, some: str) -> None:
        self._said += some[: TEXT_CHARACTERS_MAX - len(self._said)]

    def _end(self, tag: str) -> None:
        self._depth -= 1
        said, self._said = self._said.strip(), ""
        self.closed(tag, said)


def is_size(said: str) -> bool:
    """Say whether what a server said of a file's size is a number."""
    return said.isascii() and said.isdecimal() and len(said) <= _SIZE_DIGITS_MAX
