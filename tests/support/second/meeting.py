"""The second reader: pairing with a device that shows a code, from the side on which it is typed."""

import hmac
import socket
import ssl
from dataclasses import dataclass
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from spake2 import SPAKE2_A

from tests.support.second.frames import Refused, pack, sha256, unpack
from tests.support.second.identity import Device

VERSION: Final = 1
SECONDS_MAX: Final = 60
_WHY: Final = {1: "wrong code", 2: "expired", 3: "no more guesses", 4: "never admitted", 5: "not understood"}


@dataclass(frozen=True)
class Met:
    """Whom pairing showed: its certificate, the name it gave, and the port on which it takes links."""

    certificate: bytes
    name: str
    port: int | None


class Wire:
    """Frames of a length in four bytes and that many bytes, over a socket that blocks."""

    def __init__(self, carrier: socket.socket, bytes_max: int) -> None:
        self._carrier = carrier
        self._bytes_max = bytes_max

    def send(self, frame: bytes) -> None:
        """Send one frame."""
        self._carrier.sendall(len(frame).to_bytes(4) + frame)

    def receive(self) -> bytes:
        """Wait for one frame."""
        length = int.from_bytes(self.exactly(4))
        if length > self._bytes_max:
            raise Refused("a longer frame than there may be")
        return self.exactly(length)

    def exactly(self, count: int) -> bytes:
        """Wait for so many bytes."""
        held = b""
        while len(held) < count:
            more = self._carrier.recv(count - len(held))
            if not more:
                raise Refused("the other side hung up")
            held += more
        return held


def over_tls(address: tuple[str, int], *, own: str | None = None) -> ssl.SSLSocket:
    """Connect by TLS 1.3; the caller looks at whose certificate it is. `own`: a file of key and certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if own is not None:
        context.load_cert_chain(own)
    return context.wrap_socket(socket.create_connection(address, SECONDS_MAX))


def pair(device: Device, address: tuple[str, int], code: str, *, port: int | None = None) -> Met:
    """Pair with whoever shows `code` at `address`; `port` is where this device takes links."""
    with over_tls(address) as carrier:
        theirs = carrier.getpeercert(binary_form=True)
        assert theirs is not None
        wire = Wire(carrier, 65_536)

        def hear(number: int) -> bytes:
            said = wire.receive()
            if said[:2] == bytes([VERSION, 5]):
                raise Refused(_WHY[said[2]])
            if said[:2] != bytes([VERSION, number]):
                raise Refused("another step than is due")
            return said[2:]

        mine = sha256(device.certificate)
        exchange = SPAKE2_A(code.encode(), idA=mine, idB=sha256(theirs))
        x = exchange.start()
        wire.send(bytes([VERSION, 1]) + x + device.certificate)
        y = hear(2)
        secret = exchange.finish(y)
        transcript = sha256(b"samemind pairing\0" + bytes([VERSION]) + mine + sha256(theirs) + x + y)

        def key(purpose: bytes) -> bytes:
            return HKDF(SHA256(), 32, transcript, b"samemind pairing " + purpose).derive(secret)

        def mac(purpose: bytes) -> bytes:
            return hmac.digest(key(purpose), transcript, "sha256")

        name = device.name.encode()
        told = len(name).to_bytes(2) + name + pack(port)
        sealed = ChaCha20Poly1305(key(b"joiner seal")).encrypt(bytes(12), told, transcript)
        wire.send(bytes([VERSION, 3]) + mac(b"joiner proof") + sealed)
        answer = hear(3)
        if not hmac.compare_digest(answer[:32], mac(b"offerer proof")):
            raise Refused("it does not know the code")
        try:
            said = ChaCha20Poly1305(key(b"offerer seal")).decrypt(bytes(12), answer[32:], transcript)
        except InvalidTag:
            raise Refused("what it sealed was changed") from None
        wire.send(bytes([VERSION, 4]) + mac(b"done"))
    length = int.from_bytes(said[:2])
    at: Any = unpack(said[2 + length :])
    return Met(theirs, said[2 : 2 + length].decode(), at)


def words(one: bytes, other: bytes, word_list: list[str]) -> list[str]:
    """The four words that both devices show, of their certificates."""
    first, second = sorted(map(sha256, (one, other)))
    return [word_list[byte] for byte in sha256(b"samemind words 1\0" + first + second)[:4]]
