"""Say how the browser of a phone reaches a mailbox, and tell a phone of those that it may use.

A browser has no sockets: it reaches a folder of WebDAV by HTTPS, where the server lets pages of other origins read it
(CORS), and a NATS server by its WebSocket. Whoever adds a mailbox says so, since its secret then lies in a browser.
"""

import json
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from samemind.errors import Usage
from samemind.home.mailboxes import SavedMailbox
from sync.loopback import is_this_machine
from sync.mailbox.places import MailboxAddress
from sync.mailbox.stream_files import STREAM_BYTES_MAX

# What may stand in a header: a scheme, a name or an address, and a port.
_ORIGIN: Final = re.compile(
    r"(https?|wss?)://([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(:[0-9]{1,5})?"
)


def check_for_phones(place: MailboxAddress, address: str) -> str:
    """Return the origin by which browsers reach a mailbox."""
    wanted = _wanted(place)
    origin = address.strip().rstrip("/").lower()
    found = _ORIGIN.fullmatch(origin)
    if found is not None:
        encrypted, plain = found[1] == wanted, found[1] == wanted.removesuffix("s")
        # From a page of HTTPS a browser connects without encryption to its own machine only.
        allowed = encrypted or (plain and is_this_machine(found[2].strip("[]")))
        if allowed and int((found[4] or ":1")[1:]) < 1 << 16:
            return origin
    raise Usage(
        f"expected an address like {wanted}://meet.example:8443, with nothing behind it, got {address!r:.80}",
        code="invalid",
    )


def _wanted(place: MailboxAddress) -> str:
    if place.scheme.startswith("webdav"):
        return "https"
    if place.scheme.startswith("nats"):
        return "wss"
    raise Usage(
        f"expected a mailbox that a browser can use, which one at {place.scheme}:// is not",
        code="invalid",
        hint="a folder of WebDAV, or a NATS server",
    )


def told_to_phones(mailboxes: Iterable[SavedMailbox]) -> bytes:
    """Return what `samemind.phone.mail.read_told` reads."""
    return json.dumps([_told(one, one.phones) for one in mailboxes if one.phones]).encode()


def _told(one: SavedMailbox, origin: str) -> dict[str, object]:
    parts = urlsplit(one.url)
    is_stream = one.place.rings
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "name": one.name,
        "url": origin if is_stream else origin + parts.path.rstrip("/"),
        "user": None if is_stream or parts.username is None else unquote(parts.username),
        "secret": one.secret,
        "group": (unquote(parts.path).strip("/") or "group") if is_stream else None,
        "replicas": int(asked.get("replicas", "1")),
        "stream_bytes": int(asked.get("bytes", STREAM_BYTES_MAX)),
        "bytes_max": one.bytes_max,
    }
