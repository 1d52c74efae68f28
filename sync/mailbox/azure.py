"""Decide which HTTP requests make a mailbox of a folder in a container of Azure's storage.

Requests are signed by the account's key ("Shared Key"):
https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
"""

import base64
import hmac
from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from sync.mailbox.buckets import PAGE_FILES, BucketFiles, PageElements
from sync.mailbox.http_files import HttpCall

# The form of requests and answers that is wanted; each is served for good.
_VERSION: Final = "2021-08-06"
# The headers that are signed without a name, in this order, between the verb and those that begin with `x-ms-`.
_SIGNED: Final = (
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
)


class AzureFiles(BucketFiles):
    """The files of one folder of a container. `endpoint`: of the account; `now_s`: Unix seconds, to sign with."""

    def __init__(
        self,
        endpoint: str,
        container: str,
        prefix: str,
        *,
        account: str,
        key: bytes,
        now_s: Callable[[], float],
    ) -> None:
        super().__init__(f"{endpoint.rstrip('/')}/{quote(container, safe='')}", prefix)
        self._account = account
        self._key = key
        self._now_s = now_s

    def _call(self, method: str, key: str, query: Mapping[str, str], body: bytes, bytes_max: int) -> HttpCall:
        url = f"{self.url}/{quote(key)}" if key else self.url
        headers = {"x-ms-date": formatdate(self._now_s(), usegmt=True), "x-ms-version": _VERSION}
        if body:
            headers["content-length"] = str(len(body))
            headers["x-ms-blob-type"] = "BlockBlob"
        headers["authorization"] = authorization(
            method, urlsplit(url).path, query, headers, account=self._account, key=self._key
        )
        asked = f"?{urlencode(query, quote_via=quote)}" if query else ""
        return HttpCall(method, f"{url}{asked}", headers, body, bytes_max)

    def _listing(self, following: str) -> Mapping[str, str]:
        asked = {
            "comp": "list",
            "delimiter": "/",
            "maxresults": str(PAGE_FILES),
            "prefix": self._prefix,
            "restype": "container",
        }
        return {**asked, "marker": following} if following else asked

    def _page(self) -> PageElements:
        return _AzurePage()


class _AzurePage(PageElements):
    ROOT = "EnumerationResults"
    FILE = "Blob"
    FOLDER = "BlobPrefix"
    NAME = "Name"
    SIZE = "Content-Length"
    FOLLOWING = "NextMarker"


def authorization(
    method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], *, account: str, key: bytes
) -> str:
    """Return the header that signs a request. `path`: as it is sent. `headers`: by names in small letters."""
    named = sorted(name for name in headers if name.startswith("x-ms-"))
    text = "\n".join(
        [
            method,
            *(headers.get(name, "") for name in _SIGNED),
            *(f"{name}:{headers[name]}" for name in named),
            f"/{account}{path}",
            *(f"{name}:{query[name]}" for name in sorted(query)),
        ]
    )
    signature = base64.b64encode(hmac.digest(key, text.encode(), "sha256")).decode()
    return f"SharedKey {account}:{signature}"
