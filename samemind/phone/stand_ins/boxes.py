"""Stand in for `nacl` by @noble, as far as `sync.carrier.sealing` calls it: libsodium's boxes, and keys for them."""

import hashlib
from typing import Any, NamedTuple

from samemind.phone.bridge import given, got, javascript, javascript_error

_KEY_BYTES = 32
_NONCE_BYTES = 24


class CryptoError(Exception):
    """A box that does not open, or a key that is none."""


class PublicKey:
    """The half of an agreement that is told."""

    def __init__(self, raw: bytes) -> None:
        self._raw = bytes(raw)

    def __bytes__(self) -> bytes:
        return self._raw


class PrivateKey:
    """The half of an agreement that is kept."""

    def __init__(self, raw: bytes) -> None:
        self._raw = bytes(raw)

    def __bytes__(self) -> bytes:
        return self._raw

    @property
    def public_key(self) -> PublicKey:
        """The half that is told."""
        return PublicKey(got(javascript().agreementKey(given(self._raw))))


class SigningKey:
    """A device's Ed25519 key, by its seed."""

    def __init__(self, seed: bytes) -> None:
        self._seed = bytes(seed)

    def to_curve25519_private_key(self) -> PrivateKey:
        """Return the key for boxes that follows from it."""
        return PrivateKey(got(javascript().boxSecret(given(self._seed))))


class VerifyKey:
    """A device's Ed25519 key, the half that is told."""

    def __init__(self, raw: bytes) -> None:
        self._raw = bytes(raw)

    def to_curve25519_public_key(self) -> PublicKey:
        """Return the key for boxes that follows from it; `CryptoError` for what is no point."""
        return PublicKey(_tried(javascript().boxPublic, self._raw))


class EncryptedMessage(NamedTuple):
    """What was put into a box."""

    ciphertext: bytes


class Box:
    """What two keys agree on, to encrypt by."""

    def __init__(self, mine: PrivateKey, theirs: PublicKey) -> None:
        """`CryptoError` for a half with which everybody would agree on the same."""
        self._key = _tried(javascript().boxKey, bytes(mine), bytes(theirs))

    def encrypt(self, plain: bytes, nonce: bytes) -> EncryptedMessage:
        """Return what only the same two keys open, with the same nonce."""
        return EncryptedMessage(_tried(javascript().box, self._key, nonce, plain))

    def decrypt(self, boxed: bytes, nonce: bytes) -> bytes:
        """Return what was encrypted, or raise `CryptoError`."""
        return _tried(javascript().unbox, self._key, nonce, boxed)


class SealedBox:
    """Opens a box that holds the public half of the key that it was made with."""

    def __init__(self, mine: PrivateKey) -> None:
        self._mine = mine

    def decrypt(self, sealed: bytes) -> bytes:
        """Return what was encrypted, or raise `CryptoError`."""
        once = sealed[:_KEY_BYTES]
        about = hashlib.blake2b(once + bytes(self._mine.public_key), digest_size=_NONCE_BYTES).digest()
        return Box(self._mine, PublicKey(once)).decrypt(sealed[_KEY_BYTES:], about)


def _tried(call: Any, *arguments: bytes) -> bytes:
    try:
        return got(call(*map(given, arguments)))
    except javascript_error():
        raise CryptoError from None
