"""Decide which HTTP requests make a mailbox of a folder in a bucket that speaks S3.

Requests are signed by AWS Signature Version 4, with the bucket in the path: so does everything that speaks S3, and a
server without a name for each bucket needs it.
https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlsplit

from sync.mailbox.buckets import PAGE_FILES, BucketFiles, PageElements
from sync.mailbox.http_files import HttpCall, host_of

_ALGORITHM: Final = "AWS4-HMAC-SHA256"


class S3Files(BucketFiles):
    """The files of one folder of a bucket. `endpoint`: the server's address; `now_s`: Unix seconds, for signatures."""

    def __init__(
        self,
        endpoint: str,
        bucket: str,
        prefix: str,
        *,
        region: str,
        key_id: str,
        secret: str,
        now_s: Callable[[], float],
    ) -> None:
        super().__init__(f"{endpoint.rstrip('/')}/{quote(bucket, safe='')}", prefix, region)
        self._parts = urlsplit(self.url)
        self._key_id = key_id
        self._secret = secret
        self._now_s = now_s

    def _call(self, method: str, key: str, query: Mapping[str, str], body: bytes, bytes_max: int) -> HttpCall:
        path = f"{self._parts.path}/{quote(key)}" if key else self._parts.path
        when = datetime.fromtimestamp(self._now_s(), UTC)
        asked = canonical_query(query)
        headers = {
            "host": host_of(self._parts),
            "x-amz-content-sha256": hashlib.sha256(body).hexdigest(),
            "x-amz-date": f"{when:%Y%m%dT%H%M%SZ}",
        }
        headers["authorization"] = authorization(
            method, path, asked, headers, region=self._region, key_id=self._key_id, secret=self._secret
        )
        url = f"{self._parts.scheme}://{self._parts.netloc}{path}{'?' if asked else ''}{asked}"
        return HttpCall(method, url, headers, body, bytes_max)

    def _listing(self, following: str) -> Mapping[str, str]:
        asked = {
            "delimiter": "/",
            # A foreign key may hold what XML cannot: as it stands, such a one makes the whole page unreadable.
            "encoding-type": "url",
            "list-type": "2",
            "max-keys": str(PAGE_FILES),
            "prefix": self._prefix,
        }
        return {**asked, "continuation-token": following} if following else asked

    def _page(self) -> PageElements:
        return _S3Page()


class _S3Page(PageElements):
    ROOT = "ListBucketResult"
    FILE = "Contents"
    FOLDER = "CommonPrefixes"
    NAME = "Key"
    SIZE = "Size"
    FOLLOWING = "NextContinuationToken"
    MORE = "IsTruncated"
    ENCODING = "EncodingType"


def canonical_query(query: Mapping[str, str]) -> str:
    """Return a query as it is sent and signed: sorted, with all written in percent that is no letter or digit."""
    return "&".join(
        sorted(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in query.items())
    )


def authorization(
    method: str, path: str, query: str, headers: Mapping[str, str], *, region: str, key_id: str, secret: str
) -> str:
    """Return the header that signs a request.

    `path`: as it is sent. `query`: from `canonical_query`. `headers`: all that are to be signed, by names in small
    letters; `x-amz-date` and `x-amz-content-sha256` must be among them.
    """
    date = headers["x-amz-date"]
    scope = f"{date[:8]}/{region}/s3/aws4_request"
    names = ";".join(sorted(headers))
    request = "\n".join(
        [
            method,
            path,
            query,
            *(f"{name}:{headers[name]}" for name in sorted(headers)),
            "",
            names,
            headers["x-amz-content-sha256"],
        ]
    )
    text = "\n".join([_ALGORITHM, date, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return f"{_ALGORITHM} Credential={key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
