"""What S3 and Azure have in common: pages of a listing, and codes that say why something was refused."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Final
from urllib.parse import unquote_plus

from sync.errors import Denied, Full, Gone, MailboxError, Unreached
from sync.mailbox.box import CROWDED_FIX, FILES_MAX, check_name, too_long, too_many
from sync.mailbox.http_files import (
    ERROR_BYTES_MAX,
    MOVED,
    TEXT_CHARACTERS_MAX,
    Calling,
    Elements,
    HttpAnswer,
    HttpCall,
    is_size,
    refused,
)

# What is asked for on one page, and what both give at least.
PAGE_FILES: Final = 1_000
# A thousand names of a kilobyte each, the longest there are and thrice that in percent, with what is said of each.
PAGE_BYTES_MAX: Final = 4 << 20
# Of all pages: as many files as there may be, as S3 names them. Azure says a kilobyte of each, and reaches 64,000.
LISTING_BYTES_MAX: Final = 64 << 20
# Pages may be short, or empty; ten times as many as all files need that there may be.
PAGES_MAX: Final = 10 * FILES_MAX // PAGE_FILES

_CODE: Final = re.compile(rb"<Code>([A-Za-z]{1,64})</Code>")
_NO_BUCKET: Final = "there is no such bucket or container: is its name right?"
_MEANT: Final[Mapping[str, Callable[[], MailboxError]]] = {
    "NoSuchBucket": partial(Gone, _NO_BUCKET),
    "ContainerNotFound": partial(Gone, _NO_BUCKET),
    # Of Ceph and MinIO, which answer with 403 and 400.
    "QuotaExceeded": partial(Full, "its quota is used up (QuotaExceeded)"),
    "XMinioAdminBucketQuotaExceeded": partial(Full, "the bucket's quota is used up"),
}
_ELSEWHERE: Final = "the bucket is in another region: is `region=` in the mailbox's address right?"
# Codes that a wrong region may bring, and what may be wrong where the server names none.
_OF_REGION: Final = {
    "AuthorizationHeaderMalformed": (
        "the server does not take how this is signed: are `region=` and the key's id in the mailbox's address right?"
    ),
    "InvalidRegionName": _ELSEWHERE,  # of Cloudflare
    "PermanentRedirect": _ELSEWHERE,
    "SignatureDoesNotMatch": (
        "the secret does not belong to this key, or `region=` in the mailbox's address is not the server's"
    ),
    "TemporaryRedirect": _ELSEWHERE,
}
# As servers name the region that they want: in an element of its own, or in words.
_REGION: Final = re.compile(rb"<Region>([\w-]{1,64})</Region>|expecting '([\w-]{1,64})'", re.ASCII)
_REGION_NAME: Final = re.compile(r"[\w-]{1,64}", re.ASCII)
_WHY: Final = {
    "AccessDenied": "the key may not do this here",
    "AuthenticationFailed": "the key is not the account's, or this device's clock is wrong",
    "InvalidAccessKeyId": "it knows no key of this id",
    "RequestTimeTooSkewed": "this device's clock is wrong",
}
_FIXES: Final = {
    "AccessDenied": "let the key list, read, write and delete there",
    "AuthenticationFailed": "set this device's clock; if that is right, add it again under its name, with its key",
    "RequestTimeTooSkewed": "set this device's clock",
}


@dataclass(slots=True)
class Page:
    """A page of a listing. `entries`: how many files and folders it names. `following`: how the next is asked for."""

    files: dict[str, int] = field(default_factory=dict)
    entries: int = 0
    following: str = ""


class PageElements(Elements):
    """Hears one page. Each of the two has other names for what it says."""

    ROOT: str
    FILE: str
    FOLDER: str
    NAME: str
    SIZE: str
    FOLLOWING: str
    # Whether there is another page, where that is said beside its name: "true" or "false".
    MORE: str = ""
    # How names are written, where that can be asked for: "url" is in percent, with "+" for a blank.
    ENCODING: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.is_listing = False
        self.more = self.encoding = ""
        self._name = self._size = ""

    def opened(self, tag: str) -> None:
        """Hear that an element begins."""
        match tag.rpartition(" ")[2]:
            case self.ROOT:
                self.is_listing = True
            case self.FILE:
                self._name = self._size = ""

    def closed(self, tag: str, text: str) -> None:
        """Hear that one ended."""
        match tag.rpartition(" ")[2]:
            case self.NAME:
                self._name = text
            case self.SIZE:
                self._size = text
            case self.FOLLOWING:
                self.page.following = text
            case self.MORE:
                self.more = text
            case self.ENCODING:
                self.encoding = text
            case self.FOLDER:
                self.page.entries += 1
            case self.FILE:
                self.page.entries += 1
                if is_size(self._size):
                    self.page.files[self._name] = int(self._size)


def read_page(body: bytes, elements: PageElements) -> Page:
    """Return a page of a listing; `Unreached` for what is none."""
    try:
        elements.read(body)
    except ValueError:
        raise _unreadable() from None
    if not elements.is_listing or len(elements.page.following) >= TEXT_CHARACTERS_MAX:
        raise _unreadable()
    if elements.more == "false":  # some name the last file even so, and the same page then comes for ever
        elements.page.following = ""
    elif elements.more == "true" and not elements.page.following:
        raise Unreached("the server lists some of the files, and does not say how to ask for the others")
    elements.page.files = _without_folder(elements.page.files, is_encoded=elements.encoding == "url")
    return elements.page


def _without_folder(files: Mapping[str, int], *, is_encoded: bool) -> dict[str, int]:
    """Return files by their names alone. How they are written may be said behind them."""
    plain = ((unquote_plus(name) if is_encoded else name, size) for name, size in files.items())
    named = ((name.rpartition("/")[2], size) for name, size in plain)
    return {name: size for name, size in named if name}


class BucketFiles(ABC):
    """The files of one folder of a bucket. `url`: the bucket's; `prefix`: what names in the folder begin with.

    `region`: for which requests are signed, where they are for one.
    """

    def __init__(self, url: str, prefix: str, region: str = "") -> None:
        self.url = url
        self._prefix = prefix
        self._region = region

    @abstractmethod
    def _call(self, method: str, key: str, query: Mapping[str, str], body: bytes, bytes_max: int) -> HttpCall:
        """Return a signed request. `key`: which file of the bucket, or "" for the bucket itself."""

    @abstractmethod
    def _listing(self, following: str) -> Mapping[str, str]:
        """Return how a page of the folder is asked for."""

    @abstractmethod
    def _page(self) -> PageElements:
        """Return what reads a page."""

    def put(self, name: str, data: bytes) -> Calling[None]:
        """Write a file."""
        answer: HttpAnswer = yield self._call(
            "PUT", self._prefix + check_name(name), {}, data, ERROR_BYTES_MAX
        )
        self._check(answer)

    def names(self) -> Calling[Mapping[str, int]]:
        """List the folder; `Full` where pages go on and on."""
        found: dict[str, int] = {}
        entries, size, following = 0, 0, ""
        for _ in range(PAGES_MAX):
            answer: HttpAnswer = yield self._call("GET", "", self._listing(following), b"", PAGE_BYTES_MAX)
            self._check(answer)
            size += len(answer.body)
            if size > LISTING_BYTES_MAX:
                raise too_long(LISTING_BYTES_MAX)
            page = read_page(answer.body, self._page())
            found |= page.files
            entries += page.entries
            if entries > FILES_MAX:
                raise too_many()
            if not page.following:
                return found
            if page.following == following:
                raise Unreached(
                    "expected another page of the listing, the server names the same again and again"
                )
            following = page.following
        raise Full(f"expected a listing of at most {PAGES_MAX} pages, it has more", fix=CROWDED_FIX)

    def get(self, name: str, bytes_max: int, into: IO[bytes]) -> Calling[None]:
        """Read a file."""
        call = self._call("GET", self._prefix + name, {}, b"", bytes_max)
        answer: HttpAnswer = yield replace(call, into=into)
        self._check(answer, missing="there is no such file")
        into.write(answer.body[:bytes_max])

    def remove(self, name: str) -> Calling[None]:
        """Remove a file."""
        answer: HttpAnswer = yield self._call("DELETE", self._prefix + name, {}, b"", ERROR_BYTES_MAX)
        self._check(answer, missing=None)

    def _check(self, answer: HttpAnswer, *, missing: str | None = _NO_BUCKET) -> None:
        check(answer, self.url, region=self._region, missing=missing)


def check(answer: HttpAnswer, url: str, *, region: str = "", missing: str | None = _NO_BUCKET) -> None:
    """Raise what a status and a code mean that are none of success.

    `region`: for which the request was signed. `missing`: what 404 means if no code says it; None where it is as good
    as success.
    """
    if 200 <= answer.status < 300:
        return
    found = _CODE.search(answer.body[:ERROR_BYTES_MAX])
    code = found[1].decode() if found else ""
    if code in _MEANT:
        raise _MEANT[code]()
    if code in _OF_REGION or (answer.region and answer.status in MOVED):
        raise _of_region(answer, code, region)
    if answer.status in (404, 410):
        if missing is None:
            return
        raise Gone(missing)
    error = refused(answer, url, "endpoint={}")
    if isinstance(error, Denied) and code:
        raise Denied(f"{error}: {_WHY.get(code, code)}", fix=_FIXES.get(code))
    if isinstance(error, Unreached) and code:
        raise Unreached(f"{error}: {code}", retry_after_s=error.retry_after_s)
    raise error


def _of_region(answer: HttpAnswer, code: str, region: str) -> Denied:
    """Return what is said of an answer that may be about a region: the one that is wanted, if the server names it."""
    found = _REGION.search(answer.body[:ERROR_BYTES_MAX])
    wanted = (found[1] or found[2]).decode() if found else answer.region
    if not _REGION_NAME.fullmatch(wanted):
        return Denied(_OF_REGION.get(code, _ELSEWHERE), fix="add it again under its name, corrected")
    if wanted == region and code == "SignatureDoesNotMatch":
        return Denied("the secret does not belong to this key")
    return Denied(
        f"the server wants the region {wanted}, and this is signed for {region}",
        fix=f"add it again under its name, with region={wanted} in its address",
    )


def _unreadable() -> Unreached:
    return Unreached("expected the server to list a bucket or container, got something else")
