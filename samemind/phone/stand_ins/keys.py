"""Stand in for `cryptography` by @noble, as far as `replica.keys` and the pairing library call it.

@noble checks a signature as RFC 8032 writes it down, and refuses keys and signatures in any encoding but their own.
"""

import hmac
import os
from typing import Any, Final, Self

from samemind.phone.bridge import given, got, javascript, javascript_error

_KEY_BYTES: Final = 32
_HASH_BYTES: Final = 32


class InvalidSignature(Exception):
    """A signature that its key did not make."""


class InvalidTag(Exception):
    """Bytes that were not sealed so."""


class Ed25519PublicKey:
    """A key that checks signatures."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @classmethod
    def from_public_bytes(cls, raw: bytes) -> Self:
        """Read 32 raw bytes; `ValueError` for another number of them."""
        return cls(_of_key_length(raw))

    def public_bytes_raw(self) -> bytes:
        """Return the 32 raw bytes."""
        return self._raw

    def verify(self, signature: bytes, message: bytes) -> None:
        """Raise `InvalidSignature` for a signature that is not this key's over this message."""
        if not javascript().isSigned(given(self._raw), given(message), given(signature)):
            raise InvalidSignature


class Ed25519PrivateKey:
    """A key that signs."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._public: Ed25519PublicKey | None = None

    @classmethod
    def generate(cls) -> Self:
        """Return a new key, from the browser's randomness."""
        return cls(os.urandom(_KEY_BYTES))

    @classmethod
    def from_private_bytes(cls, raw: bytes) -> Self:
        """Read 32 raw bytes; `ValueError` for another number of them."""
        return cls(_of_key_length(raw))

    def private_bytes_raw(self) -> bytes:
        """Return the 32 raw bytes."""
        return self._raw

    def public_key(self) -> Ed25519PublicKey:
        """Return the key that checks what this one signs."""
        if self._public is None:
            self._public = Ed25519PublicKey(got(javascript().publicKey(given(self._raw))))
        return self._public

    def sign(self, message: bytes) -> bytes:
        """Return 64 bytes that follow from the key and the message."""
        return got(javascript().sign(given(self._raw), given(message)))


class X25519PublicKey:
    """The half of an agreement that is told."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @classmethod
    def from_public_bytes(cls, raw: bytes) -> Self:
        """Read 32 raw bytes; `ValueError` for another number of them."""
        return cls(_of_key_length(raw))

    def public_bytes_raw(self) -> bytes:
        """Return the 32 raw bytes."""
        return self._raw


class X25519PrivateKey:
    """The half of an agreement that is kept."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @classmethod
    def from_private_bytes(cls, raw: bytes) -> Self:
        """Read 32 raw bytes; `ValueError` for another number of them."""
        return cls(_of_key_length(raw))

    def public_key(self) -> X25519PublicKey:
        """Return the half that is told."""
        return X25519PublicKey(got(javascript().agreementKey(given(self._raw))))

    def exchange(self, other: X25519PublicKey) -> bytes:
        """Return what both agree on; `ValueError` for a half with which everybody would agree on the same."""
        try:
            return got(javascript().agree(given(self._raw), given(other.public_bytes_raw())))
        except javascript_error() as error:
            raise ValueError(f"expected a key to agree with, got one that is none: {error}") from None


class ChaCha20Poly1305:
    """Encrypts and authenticates."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def encrypt(self, nonce: bytes, data: bytes, context: bytes | None) -> bytes:
        """Return what only the same key, nonce and context open."""
        return got(javascript().seal(given(self._key), given(nonce), given(data), given(context or b"")))

    def decrypt(self, nonce: bytes, data: bytes, context: bytes | None) -> bytes:
        """Return what was encrypted, or raise `InvalidTag`."""
        try:
            opened = javascript().unseal(given(self._key), given(nonce), given(data), given(context or b""))
        except javascript_error():
            raise InvalidTag from None
        return got(opened)


class SHA256:
    """Names the hash; Python has it."""

    digest_size = _HASH_BYTES
    name = "sha256"


class HKDF:
    """Derives keys, after RFC 5869, from Python's own HMAC."""

    def __init__(
        self, algorithm: Any, length: int, salt: bytes | None, info: bytes | None, backend: object = None
    ) -> None:
        self._length = length
        self._salt = salt or bytes(_HASH_BYTES)
        self._info = info or b""

    def derive(self, secret: bytes) -> bytes:
        """Return as many bytes as were asked for."""
        key = hmac.digest(self._salt, secret, "sha256")
        derived = block = b""
        for number in range(1, -(-self._length // _HASH_BYTES) + 1):
            block = hmac.digest(key, block + self._info + bytes([number]), "sha256")
            derived += block
        return derived[: self._length]


def _of_key_length(raw: bytes) -> bytes:
    if len(raw) != _KEY_BYTES:
        raise ValueError(f"expected a key of {_KEY_BYTES} bytes, got {len(raw)}")
    return bytes(raw)
