"""Seal messages in a file that only chosen devices can open, and open it again, one message at a time.

A fresh key encrypts the file; it stands at the front once for each recipient, in a box that only that device's key
opens. Nothing in the file says who they are. Each message is encrypted by itself under its number, and the last one
under a mark of its own, so that nothing can be dropped, repeated, reordered or cut off without notice.

Boxes are libsodium's, which also turns a device's Ed25519 key into the one that a box needs: no crypto of ours.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.exceptions import CryptoError
from nacl.public import SealedBox
from nacl.signing import SigningKey, VerifyKey

from replica.membership import MEMBERS_MAX
from sync.errors import LimitExceeded, RemoteProtocolError, Untrusted
from sync.wire.limits import FRAME_BYTES_MAX

MAGIC: Final = b"samemind carry 1\n"
_KEY_BYTES: Final = 32
# What a box adds to the key: a public key and a seal.
_BOX_BYTES: Final = _KEY_BYTES + 48
_LENGTH_BYTES: Final = 4
_SEAL_BYTES: Final = 16

Entropy = Callable[[int], bytes]


class Sealer:
    """Writes one file, message by message; `end` has to be called for it to be whole."""

    def __init__(
        self, file: BinaryIO, recipients: Iterable[bytes], entropy: Entropy = secrets.token_bytes
    ) -> None:
        """`recipients` are the Ed25519 public keys of the devices that may read it."""
        key = entropy(_KEY_BYTES)
        boxes = [SealedBox(VerifyKey(each).to_curve25519_public_key()).encrypt(key) for each in recipients]
        front = b"".join(boxes)
        file.write(MAGIC + len(boxes).to_bytes(_LENGTH_BYTES, "big") + front)
        self._file = file
        self._front = hashlib.sha256(front).digest()
        self._cipher = ChaCha20Poly1305(key)
        self._number = 0

    def add(self, message: bytes, *, last: bool = False) -> None:
        """Write a message."""
        sealed = self._cipher.encrypt(_nonce(self._number, last=last), message, self._front)
        self._file.write(len(sealed).to_bytes(_LENGTH_BYTES, "big") + sealed)
        self._number += 1


def open_sealed(file: BinaryIO, private_key: bytes) -> Iterator[tuple[bytes, bool]]:
    """Return each message of a file, and whether it is the last; `private_key` is the 32 bytes of an Ed25519 key.

    `Untrusted`: it is sealed for others. `RemoteProtocolError`: it is no such file, or was cut or altered.
    """
    if _exactly(file, len(MAGIC)) != MAGIC:
        raise RemoteProtocolError("expected a file made by `carry export`, got another")
    count = int.from_bytes(_exactly(file, _LENGTH_BYTES), "big")
    if count > MEMBERS_MAX:
        raise LimitExceeded(f"expected a file for at most {MEMBERS_MAX} devices, got one for {count}")
    boxes = _exactly(file, count * _BOX_BYTES)
    cipher, front = ChaCha20Poly1305(_open_box(boxes, private_key)), hashlib.sha256(boxes).digest()
    number, last = 0, False
    while not last:
        length = int.from_bytes(_exactly(file, _LENGTH_BYTES), "big")
        if length > FRAME_BYTES_MAX + _SEAL_BYTES:
            raise LimitExceeded(f"expected messages of at most {FRAME_BYTES_MAX} bytes, got one of {length}")
        sealed = _exactly(file, length)
        message, last = _open_message(cipher, front, sealed, number)
        yield message, last
        number += 1
    if file.read(1):
        raise RemoteProtocolError("expected the file to end with its last message, it goes on")


def _open_box(boxes: bytes, private_key: bytes) -> bytes:
    box = SealedBox(SigningKey(private_key).to_curve25519_private_key())
    for start in range(0, len(boxes), _BOX_BYTES):
        try:
            key: bytes = box.decrypt(boxes[start : start + _BOX_BYTES])
        except CryptoError:
            continue
        return key
    raise Untrusted(
        "the file is sealed for other devices: export it anew, by a device that knows this one as a member"
    )


def _open_message(cipher: ChaCha20Poly1305, front: bytes, sealed: bytes, number: int) -> tuple[bytes, bool]:
    for last in (False, True):
        try:
            return cipher.decrypt(_nonce(number, last=last), sealed, front), last
        except InvalidTag:
            continue
    raise RemoteProtocolError("expected the file as it was written, it was altered or damaged")


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise RemoteProtocolError("expected a whole file, it was cut off: copy it again")
    return data


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])
