"""Sign the last header of a commit, and check such signatures.

One signature vouches for a whole chain: each header holds the hash of the one before it. So a frame of a thousand
commits carries one signature for each feed in it, and costs one verification (67 us) for each instead of a thousand.
"""

from collections.abc import Callable
from typing import Final

from replica.ids import OpId
from replica.keys import SIGNATURE_BYTES, is_signed

__all__ = ["SIGNATURE_BYTES", "MemoisedVerify", "Sign", "Verify", "sign_commit", "verify", "verify_commit"]

# Signatures made for one purpose must not pass for another.
_COMMIT_CONTEXT: Final = b"samemind commit 1\0"

Sign = Callable[[bytes], bytes]
Verify = Callable[[bytes, OpId, bytes], bool]


def sign_commit(sign: Sign, last: OpId) -> bytes:
    """Return the author's signature of the commit that ends with this op."""
    return sign(_COMMIT_CONTEXT + last)


def verify_commit(public_key: bytes, last: OpId, signature: bytes) -> bool:
    """Say whether the holder of the raw Ed25519 key signed the commit that ends with this op."""
    return verify(public_key, _COMMIT_CONTEXT + last, signature)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether the holder of the raw Ed25519 key signed these bytes."""
    return is_signed(public_key, message, signature)


class MemoisedVerify:
    """`verify_commit`, remembering what it found: in a simulation every replica checks the same bytes."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, OpId, bytes], bool] = {}

    def __call__(self, public_key: bytes, last: OpId, signature: bytes) -> bool:
        key = (public_key, last, signature)
        if key not in self._known:
            self._known[key] = verify_commit(public_key, last, signature)
        return self._known[key]
