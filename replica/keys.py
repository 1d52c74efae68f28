"""Sign, agree on keys, derive and seal: the one door to a library of cryptography.

Whatever has no `cryptography`, as a browser, brings its own library behind these few calls. What only a link, a pairing
or a file needs is loaded by the call that needs it: every command loads this module.
"""

from typing import Final

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = [
    "AGREEMENT_BYTES",
    "KEY_BYTES",
    "NONCE_BYTES",
    "SEAL_BYTES",
    "SIGNATURE_BYTES",
    "Ed25519PrivateKey",
    "NotSealed",
    "agree",
    "agreement_key",
    "derive",
    "is_signed",
    "seal",
    "unseal",
]

SIGNATURE_BYTES: Final = 64
# Of a key of ChaCha20-Poly1305, and of its nonce.
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
# What sealing adds.
SEAL_BYTES: Final = 16
# Of either half of an X25519 key, and of what two of them agree on.
AGREEMENT_BYTES: Final = 32


class NotSealed(Exception):
    """Bytes that nobody sealed under this key, nonce and context: altered, or meant for something else."""


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether the holder of the raw Ed25519 key signed these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def agreement_key(private: bytes) -> bytes:
    """Return the public half of an X25519 key, whose private half is any 32 random bytes."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def agree(private: bytes, public: bytes) -> bytes:
    """Return the 32 bytes that only the holders of the two private halves come to (X25519).

    `ValueError` for a public half that is none, or with which everybody would come to the same.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))


def derive(secret: bytes, *, salt: bytes, info: bytes, length: int = KEY_BYTES) -> bytes:
    """Return `length` bytes for one purpose, `info`, from a secret (HKDF with SHA-256)."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, salt=salt, info=info).derive(secret)


def seal(key: bytes, nonce: bytes, plain: bytes, context: bytes) -> bytes:
    """Encrypt, and authenticate with a context that is not sent (ChaCha20-Poly1305); a nonce is good once a key."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key).encrypt(nonce, plain, context)


def unseal(key: bytes, nonce: bytes, sealed: bytes, context: bytes) -> bytes:
    """Return what was sealed under the same key, nonce and context, or raise `NotSealed`."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        return ChaCha20Poly1305(key).decrypt(nonce, sealed, context)
    except InvalidTag:
        raise NotSealed("expected bytes sealed under this key, got others") from None
