"""Read the address of a mailbox, and open what is there.

    folder:///srv/samemind
    webdav+https://ada@cloud.example/remote.php/dav/files/ada/samemind
    s3://KEYID@bucket/folder?endpoint=https://s3.example&region=eu-1
    azblob://ACCOUNT@container/folder
    nats+tls://meet.example:4222/family?replicas=3        (several hosts with commas; `nats://` is without TLS)

The address holds no secret: the password, the secret key or the seed goes beside it.
"""

import base64
import importlib.util
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from replica.asyncio_host import AsyncioHost
from sync.mailbox.azure import AzureFiles
from sync.mailbox.box import Mailbox
from sync.mailbox.folder import FolderBox
from sync.mailbox.http_files import HttpFiles
from sync.mailbox.jetstream import StreamBox
from sync.mailbox.nkeys import read_seed
from sync.mailbox.s3 import S3Files
from sync.mailbox.stream_files import STREAM_BYTES_MAX
from sync.mailbox.webdav import WebdavFiles

SCHEMES: Final = ("azblob", "folder", "nats", "nats+tls", "s3", "webdav+http", "webdav+https")
_EXAMPLES: Final = (
    "folder:///path, webdav+https://user@host/path, s3://keyid@bucket/folder?endpoint=https://…, "
    "azblob://account@container/folder, nats+tls://host:4222/name"
)
# What may be asked for behind an address. Anything else may be a secret, and an address is shown, logged and handed on.
_ASKED: Final = {
    "azblob": frozenset({"endpoint"}),
    "nats": frozenset({"replicas", "bytes"}),
    "nats+tls": frozenset({"replicas", "bytes"}),
    "s3": frozenset({"endpoint", "region"}),
}
# Of a key's id and an account, as they stand in the headers of a request.
_HEADER_WORD: Final = re.compile(r"[!-~]{0,256}")
# It is a part of the name of a server at AWS.
_REGION_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_USER: Final = re.compile(r"//.*@")
_DRIVE: Final = re.compile(r"/[A-Za-z]:/")
# In a path that may be written in percent already.
_PATH_SAFE: Final = "/%:@!$&'()*+,;="
# What a server of one's own takes, as does Cloudflare; and what AWS takes where nothing is said.
_REGION: Final = "auto"
_REGION_AWS: Final = "us-east-1"
_HOST_AWS: Final = "s3.amazonaws.com"
PORT_NATS: Final = 4222
# JetStream's own bound.
REPLICAS_MAX: Final = 5
_NAME_CHARACTERS_MAX: Final = 40


@dataclass(frozen=True, slots=True)
class MailboxAddress:
    """Where a mailbox is. `secret`: password, secret key or seed; `pin`: the server's own certificate, as PEM."""

    url: str
    secret: str | None = None
    pin: str | None = None

    @property
    def scheme(self) -> str:
        """Which kind it is."""
        return urlsplit(self.url).scheme

    @property
    def rings(self) -> bool:
        """Whether it says when names change, rather than being looked at now and then."""
        return self.scheme.startswith("nats")


class SecretMissing(ValueError):
    """An address needs a secret beside it, and there is none."""


def check_place(place: MailboxAddress) -> MailboxAddress:
    """Return a place that can be opened; `ValueError` says what is wrong with it."""
    try:
        parts = urlsplit(place.url)
        hosts = parts.hostname if parts.scheme not in ("nats", "nats+tls") else _hosts(parts)
    except ValueError:
        raise ValueError(
            f"expected the address of a mailbox ({_EXAMPLES}), got {_shown(place.url)!r:.80}"
        ) from None
    if parts.scheme not in SCHEMES or not unquote(parts.username or "").isprintable():
        raise ValueError(f"expected the address of a mailbox ({_EXAMPLES}), got {_shown(place.url)!r:.80}")
    if _holds_secret(parts):
        raise SecretMissing(
            "expected an address without a secret in it: it goes beside it, in a file or typed"
        )
    if unknown := sorted(parse_qs(parts.query).keys() - _ASKED.get(parts.scheme, frozenset())):
        raise ValueError(f"expected no {unknown[0]!r:.40} behind the address of such a mailbox")
    if parts.scheme == "folder":
        if parts.netloc or not Path(folder_of(parts.path)).is_absolute():
            raise ValueError(f"expected folder:/// and a path from the root, got {place.url!r:.80}")
        return place
    if not hosts:
        raise ValueError(f"expected a host in the address of a mailbox, got {place.url!r:.80}")
    if parts.scheme in ("s3", "azblob"):
        _check_bucket(parts, place.secret)
    if parts.username and parts.scheme.startswith("webdav") and place.secret is None:
        raise SecretMissing(f"expected a password for {parts.username!r:.40}, got none")
    if parts.scheme.startswith("nats"):
        _group(parts)
        _number(parts, "replicas", 1, REPLICAS_MAX)
        _number(parts, "bytes", STREAM_BYTES_MAX, 1 << 50)
        if place.secret is not None:
            read_seed(place.secret)
    return place


def _check_bucket(parts: SplitResult, secret: str | None) -> None:
    _endpoint(parts)
    if not _HEADER_WORD.fullmatch(user := unquote(parts.username or "")):
        raise ValueError(f"expected letters and digits in the address of a bucket, got {user!r:.80}")
    if not _REGION_NAME.fullmatch(region := parse_qs(parts.query).get("region", [_REGION])[-1]):
        raise ValueError(f"expected letters, digits and - behind region=, got {region!r:.80}")
    if parts.scheme == "s3":
        if not (parts.username and secret):
            raise SecretMissing(
                "expected the id of a key before the bucket (s3://KEYID@bucket/…), and its secret"
            )
        return
    if not (parts.username and secret):
        raise SecretMissing(
            "expected a storage account before the container (azblob://ACCOUNT@container/…), and its key"
        )
    if not _is_base64(secret):
        raise ValueError("expected an account's key in base64, as Azure shows it, got something else")


def _holds_secret(parts: SplitResult) -> bool:
    """Say whether something in an address is a password, or a token: a NATS server knows nobody by a name there."""
    try:
        inner = [urlsplit(_with_scheme(each)) for each in parse_qs(parts.query).get("endpoint", ())]
    except ValueError:
        raise ValueError("expected an address behind endpoint=, got something else") from None
    # A colon written %3A is one that the server sees: of a user it is never part (RFC 7617).
    hidden = ":" in unquote(parts.username or "")
    has_token = parts.scheme.startswith("nats") and "@" in parts.netloc
    return parts.password is not None or hidden or has_token or any("@" in each.netloc for each in inner)


def folder_of(path: str, separator: str = os.sep) -> str:
    """Return the path of a folder as its system writes it: `folder:///C:/share` names a drive on Windows."""
    plain = unquote(path)
    return plain[1:] if separator == "\\" and _DRIVE.match(plain) else plain


def seen_from_outside(url: str) -> str:
    """Return an address as another device may be told it: no names of users, and no folder of this machine."""
    parts = urlsplit(url)
    if parts.scheme == "folder":
        return "folder"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def missing_client(place: MailboxAddress) -> str | None:
    """Return the module that has to be installed to open it, `nats`; None where it is."""
    return "nats" if place.rings and importlib.util.find_spec("nats") is None else None


def open_box(place: MailboxAddress, host: AsyncioHost) -> Mailbox:
    """Return the mailbox of a place that was checked. Nothing is connected yet."""
    parts = urlsplit(place.url)
    if parts.scheme == "folder":
        return FolderBox(Path(folder_of(parts.path)))
    if parts.scheme.startswith("nats"):
        return _stream(parts, place, host)
    from sync.mailbox.requesting import HttpBox  # here: 70 ms

    return HttpBox(_files(parts, place.secret))


def _files(parts: SplitResult, secret: str | None) -> HttpFiles:
    user = None if parts.username is None else unquote(parts.username)
    if parts.scheme == "s3":
        return _s3(parts, user or "", secret or "")
    if parts.scheme == "azblob":
        return _azblob(parts, user or "", secret or "")
    return WebdavFiles(_webdav_folder(parts), user, secret)


def _stream(parts: SplitResult, place: MailboxAddress, host: AsyncioHost) -> StreamBox:
    tls = parts.scheme == "nats+tls"
    scheme = "tls" if tls else "nats"
    return StreamBox(
        host,
        tuple(
            f"{scheme}://{each}" if ":" in each else f"{scheme}://{each}:{PORT_NATS}"
            for each in _hosts(parts)
        ),
        _group(parts),
        seed=place.secret,
        tls=tls,
        pin=place.pin,
        replicas=_number(parts, "replicas", 1, REPLICAS_MAX),
        bytes_max=_number(parts, "bytes", STREAM_BYTES_MAX, 1 << 50),
    )


def _webdav_folder(parts: SplitResult) -> str:
    return f"{parts.scheme.partition('+')[2]}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _s3(parts: SplitResult, key_id: str, secret: str) -> S3Files:
    bucket = parts.netloc.rpartition("@")[2]
    endpoint = _without_bucket(_endpoint(parts) or f"https://{_HOST_AWS}", bucket)
    is_aws = urlsplit(endpoint).hostname == _HOST_AWS
    region = parse_qs(parts.query).get("region", [_REGION_AWS if is_aws else _REGION])[-1]
    return S3Files(
        # That name alone stands for one region, which refuses the buckets of all others.
        f"https://s3.{region}.amazonaws.com" if is_aws else endpoint,
        bucket,
        _prefix(parts),
        region=region,
        key_id=key_id,
        secret=secret,
        now_s=time.time,
    )


def _azblob(parts: SplitResult, account: str, secret: str) -> AzureFiles:
    return AzureFiles(
        _endpoint(parts) or f"https://{account}.blob.core.windows.net",
        parts.netloc.rpartition("@")[2],
        _prefix(parts),
        account=account,
        key=base64.b64decode(secret),
        now_s=time.time,
    )


def _prefix(parts: SplitResult) -> str:
    """Return what the names of a folder's files begin with in a bucket."""
    return "".join(f"{each}/" for each in unquote(parts.path).split("/") if each)


def _without_bucket(endpoint: str, bucket: str) -> str:
    """Return the server that is named as `bucket.s3.example`, as some providers show it: the path names the bucket.

    Two names at least have to be left: at `minio.example` there may be a bucket `minio`.
    """
    scheme, _, rest = endpoint.partition("://")
    server = rest.removeprefix(f"{bucket}.")
    return f"{scheme}://{server}" if (urlsplit(f"//{server}").hostname or "").count(".") >= 2 else endpoint


def _endpoint(parts: SplitResult) -> str | None:
    """Return the server that an address names, with https where it names no scheme; None where it names none."""
    said = parse_qs(parts.query).get("endpoint")
    if said is None:
        return None
    inner = urlsplit(_with_scheme(said[-1]))
    if inner.scheme not in ("http", "https") or not inner.hostname or inner.query or inner.fragment:
        raise ValueError(f"expected http:// or https:// and a host behind endpoint=, got {said[-1]!r:.80}")
    return f"{inner.scheme}://{inner.netloc}{quote(inner.path, safe=_PATH_SAFE)}"


def _with_scheme(endpoint: str) -> str:
    return endpoint if "://" in endpoint else f"https://{endpoint.removeprefix('//')}"


def _is_base64(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) > 0
    except ValueError:
        return False


def _shown(url: str) -> str:
    """Return an address for a message, without what may be a password in it."""
    return _USER.sub("//…@", url)


def _hosts(parts: SplitResult) -> list[str]:
    return [each for each in parts.netloc.rpartition("@")[2].split(",") if each]


def _number(parts: SplitResult, name: str, default: int, most: int) -> int:
    said = parse_qs(parts.query).get(name, [str(default)])[-1]
    if not (said.isdecimal() and said.isascii() and 1 <= int(said[:20]) <= most):
        raise ValueError(f"expected {name} from 1 to {most}, got {said!r:.40}")
    return int(said)


def _group(parts: SplitResult) -> str:
    """Return under which name a group's files lie on a NATS server; only there for what several groups share."""
    name = unquote(parts.path).strip("/") or "group"
    if len(name) > _NAME_CHARACTERS_MAX or not name.isascii() or not name.replace("_", "").isalnum():
        raise ValueError(f"expected a name of letters and digits behind the host, got {name!r:.60}")
    return name
