"""What backing up, restoring and encrypting return."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """A copy of the store as it was at one moment: where, and how much is in it."""

    path: str
    ops: int
    memories: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What the device holds again; `before` is where the store is kept that was there."""

    path: str
    ops: int
    memories: int
    device_id: str
    before: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ciphered:
    """Whether the store is encrypted now. `passphrase`: one that was made for the keychain, told this once."""

    path: str
    encrypted: bool
    passphrase: str | None
