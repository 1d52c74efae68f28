"""Write and read the keys that NATS servers know users by: Ed25519, in base 32 with a letter in front and a checksum.

A seed begins with SU and is a secret; what stands in a server's settings begins with U. Written after the description
in NATS' architecture decision 14.
"""

import base64
import binascii
from typing import Final

from replica.keys import Ed25519PrivateKey

_SEED: Final = 18 << 3  # reads as S
_USER: Final = 20 << 3  # reads as U
_KEY_BYTES: Final = 32


def new_seed(entropy: bytes) -> str:
    """Return the seed that 32 random bytes stand for."""
    if len(entropy) != _KEY_BYTES:
        raise ValueError(f"expected {_KEY_BYTES} random bytes, got {len(entropy)}")
    return _written(bytes([_SEED | _USER >> 5, (_USER & 31) << 3]) + entropy)


def read_seed(seed: str) -> Ed25519PrivateKey:
    """Return the key of a user's seed; `ValueError` never repeats it."""
    wrong = "expected a user's seed for a NATS server (SU and 56 more letters), got something else"
    try:
        raw = base64.b32decode(seed.encode("ascii") + b"=" * (-len(seed) % 8))
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError(wrong) from None
    front, key, checksum = raw[:2], raw[2:-2], raw[-2:]
    if (
        front != bytes([_SEED | _USER >> 5, (_USER & 31) << 3])
        or len(key) != _KEY_BYTES
        or checksum != _checksum(raw[:-2])
        or _written(raw[:-2]) != seed  # the last letter has bits to spare
    ):
        raise ValueError(wrong)
    return Ed25519PrivateKey.from_private_bytes(key)


def public_nkey(key: Ed25519PrivateKey) -> str:
    """Return what a server's settings name this key by."""
    return _written(bytes([_USER]) + key.public_key().public_bytes_raw())


def _written(raw: bytes) -> str:
    return base64.b32encode(raw + _checksum(raw)).decode("ascii").rstrip("=")


def _checksum(data: bytes) -> bytes:
    """CRC-16/XMODEM, low byte first."""
    return binascii.crc_hqx(data, 0).to_bytes(2, "little")
