"""Decide who may use the panel: a launch token lets one browser in, once; then its cookie does.

A launch token is shown by `samemind panel` to whoever may run commands as the owner, and travels in the fragment of
an address, which browsers send to nobody. It is worth one session, for a few minutes. Tokens and cookies are
kept as hashes, and compared as hashes, so that nothing here tells by its timing how much of a guess was right.

Time and randomness are arguments.
"""

import hashlib
import hmac
import ipaddress
from collections import OrderedDict
from dataclasses import dataclass
from random import Random
from typing import Final

TOKEN_BYTES: Final = 32
# Long enough to fetch the phone, too short to be found on a screenshot.
LAUNCH_MS_MAX: Final = 10 * 60_000
# A browser that was not seen for so long asks again.
SESSION_MS_MAX: Final = 30 * 86_400_000
# More than anybody opens; the oldest make room, so that asking again and again fills nothing.
LAUNCHES_MAX: Final = 16
SESSIONS_MAX: Final = 64
# Of a Host header, with whatever zeros stand before the port; Python reads no number of thousands of digits.
_PORT_DIGITS_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """One browser that was let in. `csrf` is what its page sends with whatever changes something."""

    digest: bytes
    csrf: str


class Doorkeeper:
    """The launch tokens that are out, and the browsers that are in."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._launches: OrderedDict[bytes, int] = OrderedDict()
        self._sessions: OrderedDict[bytes, int] = OrderedDict()

    def launch(self, now_ms: int) -> str:
        """Return a token that lets one browser in."""
        token = self._secret()
        self._launches[_digest(token)] = now_ms + LAUNCH_MS_MAX
        while len(self._launches) > LAUNCHES_MAX:
            self._launches.popitem(last=False)
        return token

    def admit(self, token: str, now_ms: int) -> str | None:
        """Return a cookie for a launch token, which is used up; None for a wrong, used or old one."""
        expires_ms = self._launches.pop(_digest(token), 0)
        if now_ms >= expires_ms:
            return None
        cookie = self._secret()
        self._sessions[_digest(cookie)] = now_ms + SESSION_MS_MAX
        while len(self._sessions) > SESSIONS_MAX:
            self._sessions.popitem(last=False)
        return cookie

    def session(self, cookie: str, now_ms: int) -> BrowserSession | None:
        """Return whose cookie this is."""
        digest = _digest(cookie)
        if now_ms >= self._sessions.get(digest, 0):
            return None
        self._sessions[digest] = now_ms + SESSION_MS_MAX
        self._sessions.move_to_end(digest)
        return BrowserSession(digest, hashlib.sha256(b"samemind csrf 1\0" + cookie.encode()).hexdigest())

    def knows(self, session: BrowserSession, now_ms: int) -> bool:
        """Say whether a browser is still in, without extending how long it may stay."""
        return now_ms < self._sessions.get(session.digest, 0)

    def leave(self, session: BrowserSession) -> None:
        """Forget a browser."""
        self._sessions.pop(session.digest, None)

    def _secret(self) -> str:
        return self._random.randbytes(TOKEN_BYTES).hex()


def same(one: str, other: str) -> bool:
    """Compare two secrets without telling where they part."""
    return hmac.compare_digest(one.encode(), other.encode())


def host_is_ours(host: str, *, server: tuple[str, int], names: frozenset[str]) -> bool:
    """Say whether a Host header names this panel.

    A page of somebody else's can point its own name at this machine's address, and then talk to us from within the
    browser; it cannot make the browser send our name. So: the address that was connected to, or a name of ours.
    """
    name, port = split_host(host)
    if port is not None and port != server[1]:
        return False
    if port is None and server[1] not in (80, 443):
        return False
    own = _address(server[0])
    if name == "localhost":
        return own is not None and own.is_loopback
    address = _address(name)
    return name in names if address is None else address == own


def split_host(host: str) -> tuple[str, int | None]:
    """Return the name, in small letters and without brackets, and the port of a Host header."""
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:
        name, port = host, ""
    elif not (port.isascii() and port.isdigit() and len(port) <= _PORT_DIGITS_MAX):
        return "", None
    return name.strip("[]").lower(), int(port) if port else None


def written_plainly(host: str) -> str:
    """Return a Host header in the one way in which it is kept: it may be written in any number of ways.

    With capitals, with zeros before its port, with a zone behind an address, for some.
    """
    name, port = split_host(host)
    address = _address(name)
    shown = name if address is None else f"[{address}]" if address.version == 6 else str(address)
    return shown if port is None else f"{shown}:{port}"


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches a host that is listened on."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    return found if mapped is None else mapped


def _digest(secret: str) -> bytes:
    return hashlib.sha256(b"samemind panel 1\0" + secret.encode()).digest()
