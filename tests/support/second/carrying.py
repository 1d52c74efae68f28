"""The second reader: a carrier file, opened by one of the devices that it is sealed for."""

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from nacl.exceptions import CryptoError
from nacl.public import Box, PublicKey, SealedBox
from nacl.signing import SigningKey

from tests.support.second.frames import Refused, sha256, unpack


def open_file(data: bytes, private_key: bytes, keys: dict[bytes, bytes]) -> list[bytes]:
    """Return the messages of a file, its header first and without the signature, which was checked."""
    magic, at = data[:17], 21
    count = int.from_bytes(data[17:at])
    size = 32 + count * 48 if magic == b"samemind carry 3\n" else count * 80
    boxes, at = data[at : at + size], at + size
    front = hashlib.sha256(boxes).digest()
    if magic == b"samemind carry 1\n":
        messages = _messages_1(data[at:], ChaCha20Poly1305(_key(boxes, private_key)), front)
    elif magic in (b"samemind carry 2\n", b"samemind carry 3\n"):
        if count < 4 or count & (count - 1):
            raise Refused("the number of boxes tells how many may read it")
        key = _key(boxes, private_key) if magic == b"samemind carry 2\n" else _shared_key(boxes, private_key)
        messages = _messages_2(data[at:], ChaCha20Poly1305(key), front)
    else:
        raise Refused("no carrier file")
    *said, signature = messages
    header = unpack(said[0])
    maker = header[0] if magic == b"samemind carry 1\n" else header[1]
    signed = magic[:-1] + b"\0" + sha256(b"".join(map(sha256, said)))
    Ed25519PublicKey.from_public_bytes(keys[maker]).verify(signature, signed)
    return said


def _messages_1(data: bytes, cipher: ChaCha20Poly1305, front: bytes) -> list[bytes]:
    messages: list[bytes] = []
    last, at = False, 0
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
    return messages


def _messages_2(data: bytes, cipher: ChaCha20Poly1305, front: bytes) -> list[bytes]:
    sealed = [data[at : at + 65_552] for at in range(0, len(data), 65_552)]
    stream = b"".join(
        cipher.decrypt(number.to_bytes(11) + bytes([number == len(sealed) - 1]), record, front)
        for number, record in enumerate(sealed)
    )
    messages: list[bytes] = []
    while length := int.from_bytes(stream[:4]):
        messages.append(stream[4 : 4 + length])
        stream = stream[4 + length :]
    if any(stream):
        raise Refused("more behind the last message")
    return messages


def _key(boxes: bytes, private_key: bytes) -> bytes:
    box = SealedBox(SigningKey(private_key).to_curve25519_private_key())
    for start in range(0, len(boxes), 80):
        try:
            key: bytes = box.decrypt(boxes[start : start + 80])
        except CryptoError:
            continue
        return key
    raise Refused("sealed for others")


def _shared_key(boxes: bytes, private_key: bytes) -> bytes:
    mine = SigningKey(private_key).to_curve25519_private_key()
    box = Box(mine, PublicKey(boxes[:32]))
    nonce = hashlib.blake2b(boxes[:32] + bytes(mine.public_key), digest_size=24).digest()
    for start in range(32, len(boxes), 48):
        try:
            key: bytes = box.decrypt(boxes[start : start + 48], nonce)
        except CryptoError:
            continue
        return key
    raise Refused("sealed for others")
