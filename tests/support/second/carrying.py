"""The second reader: a carrier file, opened by one of the devices that it is sealed for."""

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.exceptions import CryptoError
from nacl.public import SealedBox
from nacl.signing import SigningKey

from tests.support.second.frames import Refused, sha256, unpack


def open_file(data: bytes, private_key: bytes, keys: dict[bytes, bytes]) -> list[bytes]:
    """Return the messages of a file, its header first and without the signature, which was checked."""
    magic = b"samemind carry 1\n"
    if not data.startswith(magic):
        raise Refused("no carrier file")
    at = len(magic) + 4
    count = int.from_bytes(data[len(magic) : at])
    boxes, at = data[at : at + count * 80], at + count * 80
    front = hashlib.sha256(boxes).digest()
    cipher = ChaCha20Poly1305(_key(boxes, private_key))
    messages: list[bytes] = []
    last = False
    while not last:
        length, at = int.from_bytes(data[at : at + 4]), at + 4
        sealed, at = data[at : at + length], at + length
        number = len(messages).to_bytes(11)
        try:
            messages.append(cipher.decrypt(number + b"\0", sealed, front))
        except InvalidTag:
            messages.append(cipher.decrypt(number + b"\1", sealed, front))
            last = True
    if at != len(data):
        raise Refused("more behind the last message")
    *said, signature = messages
    maker = unpack(said[0])[0]
    signed = b"samemind carry 1\0" + sha256(b"".join(map(sha256, said)))
    Ed25519PublicKey.from_public_bytes(keys[maker]).verify(signature, signed)
    return said


def _key(boxes: bytes, private_key: bytes) -> bytes:
    box = SealedBox(SigningKey(private_key).to_curve25519_private_key())
    for start in range(0, len(boxes), 80):
        try:
            key: bytes = box.decrypt(boxes[start : start + 80])
        except CryptoError:
            continue
        return key
    raise Refused("sealed for others")
