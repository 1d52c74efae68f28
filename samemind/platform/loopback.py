"""A way in for programs of one user, where there are no Unix sockets: TCP on 127.0.0.1, and a token in a file.

The port is open to every program of the machine, and to any page in a browser. So both ends prove that they have read
the file, which only its owner can, and neither shows what is in it:

    caller:    the mark, 32 random bytes, HMAC(token, "caller" + those bytes)
    listener:  HMAC(token, "listener" + the same bytes)

The listener reads exactly that much, compares in constant time, and says not a byte to whoever does not know the token:
another user's program, a browser (a request of HTTP does not begin with the mark, by whatever name it found the port),
or somebody who waits. A caller is bound to the listener that wrote the file too: after a crash the port may be another
program's, which learns the answer to one question that nobody will ask again, and nothing of what was to be said.
Nobody can say a caller's words again either: only the listener heard them, and each listener draws a token of its own.
What follows is not encrypted; to listen in on loopback takes an administrator, who can read the file as well.
"""

import hmac
import json
import os
import secrets
import socket
from pathlib import Path
from typing import Final

MARK: Final = b"samemind local 1"
NONCE_BYTES: Final = 32
TOKEN_BYTES: Final = 32
MAC_BYTES: Final = 32
GREETING_BYTES: Final = len(MARK) + NONCE_BYTES + MAC_BYTES
# A kernel answers a connect on loopback at once, whoever is behind it. Windows tries for two seconds where nobody is.
CONNECT_SECONDS_MAX: Final = 1.0
_HOST: Final = "127.0.0.1"
_KIND: Final = "samemind local 1"
# Ours has a hundred and some.
_FILE_BYTES_MAX: Final = 1_000


class TokenListener:
    """A port of this machine, and the file that says which and proves it."""

    greeting_bytes = GREETING_BYTES

    def __init__(self, place: Path, plain: socket.socket, token: bytes) -> None:
        self._place = place
        self._token = token
        self.plain = plain

    def admit(self, connection: socket.socket, greeting: bytes) -> bytes | None:
        """Return the listener's proof for a caller that gave its own; None for anybody else."""
        if len(greeting) != GREETING_BYTES:
            return None
        nonce, shown = greeting[len(MARK) : -MAC_BYTES], greeting[-MAC_BYTES:]
        known = hmac.compare_digest(shown, _proof(self._token, b"caller", nonce))
        if not known or not greeting.startswith(MARK):
            return None
        return _proof(self._token, b"listener", nonce)

    def close(self) -> None:
        """Close the port, and take the file away."""
        self.plain.close()
        self._place.unlink(missing_ok=True)


def listen(place: Path, backlog: int) -> TokenListener:
    """Open a port that nobody else can share, and write down which; a file that a killed program left is replaced."""
    token = secrets.token_bytes(TOKEN_BYTES)
    plain = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # On Windows a second program could bind the same port otherwise, and be given who calls.
        if (exclusive := getattr(socket, "SO_EXCLUSIVEADDRUSE", None)) is not None:
            plain.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        plain.bind((_HOST, 0))
        plain.listen(backlog)
        _write(place, plain.getsockname()[1], token)
    except BaseException:
        plain.close()
        raise
    return TokenListener(place, plain, token)


def connect(place: Path, timeout_s: float) -> socket.socket | None:
    """Connect to whoever wrote the file; None where it is gone, or another program has its port by now."""
    if (found := _read(place)) is None:
        return None
    port, token = found
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.settimeout(min(timeout_s, CONNECT_SECONDS_MAX))
        connection.connect((_HOST, port))
        connection.settimeout(timeout_s)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        nonce = secrets.token_bytes(NONCE_BYTES)
        connection.sendall(MARK + nonce + _proof(token, b"caller", nonce))
        if hmac.compare_digest(_read_exactly(connection, MAC_BYTES), _proof(token, b"listener", nonce)):
            connection.settimeout(None)
            return connection
    except OSError:
        pass  # nobody listens there, or not the one who wrote the file, or it ended meanwhile
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def is_token_file(path: Path) -> bool:
    """Say whether a file was written here."""
    return path.is_file() and _read(path) is not None


def _read_exactly(connection: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count and (more := connection.recv(count - len(found))):
        found += more
    return found


def _proof(token: bytes, who: bytes, nonce: bytes) -> bytes:
    return hmac.digest(token, MARK + b" " + who + b" " + nonce, "sha256")


def _write(place: Path, port: int, token: bytes) -> None:
    """Write the file whole, for its owner's eyes only from its first byte on."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch = place.with_name(f".{place.name}.part")
    scratch.unlink(missing_ok=True)
    descriptor = os.open(scratch, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        json.dump({"kind": _KIND, "port": port, "token": token.hex()}, file)
    from replica.file_system import replace_file  # here: who only calls writes nothing

    replace_file(scratch, place)


def _read(place: Path) -> tuple[int, bytes] | None:
    """Return the port and the token that a file holds; None where there is none, or it is something else."""
    try:
        with place.open("rb") as file:
            found = json.loads(file.read(_FILE_BYTES_MAX))
        if found["kind"] != _KIND:
            return None
        port, token = int(found["port"]), bytes.fromhex(found["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (port, token) if 0 < port <= 65_535 and len(token) == TOKEN_BYTES else None
