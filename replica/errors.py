"""What can go wrong in a replica, and whose fault it is.

ReplicaError
├ InvalidOp            an op that its author or a relay made wrong: bad encoding, bad signature, broken chain
│ └ TooLarge           over a limit of `replica.limits`
├ ClockDrift           a clock too far off to stamp with: hold, do not drop
├ NotFound             no such memory, op or device here
├ StoreCorrupt         the file is not one of ours, or is damaged: restore a backup
├ StoreNewer           the file was written by a later version: upgrade
├ WrongKey             the store is encrypted, under another key: give its passphrase
├ CipherMissing        the store is encrypted, and what reads it is not installed
└ StoreFailed          the disk refused (full, read-only, I/O error); nothing was half-written
"""

from reprlib import Repr
from typing import Final

# A message is a line, and says more than what was found.
_SHOWN_CHARACTERS: Final = 80


class ReplicaError(Exception):
    """Root of everything a replica raises on purpose."""


class InvalidOp(ReplicaError):
    """An op that nobody should have sent: its bytes, chain or signature are wrong."""


class TooLarge(InvalidOp):
    """Something is over a limit of `replica.limits`."""


class ClockDrift(ReplicaError):
    """The local clock cannot be used for a stamp."""


class NameNotFound(ReplicaError):
    """Nothing here has that name."""


class StoreCorrupt(ReplicaError):
    """The file is not a samemind store, or it is damaged."""


class StoreNewer(ReplicaError):
    """The store was written by a later version of samemind."""


class WrongKey(ReplicaError):
    """The key given does not open this store."""


class CipherMissing(ReplicaError):
    """What reads an encrypted store is not installed."""


class StoreFailed(ReplicaError):
    """The disk refused a write; the store is as it was before."""


def short(value: object) -> str:
    """Return what was found, as a message shows it: its beginning, since a peer chooses how long and how deep it is."""
    text = _BEGINNING.repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


class _Beginning(Repr):
    """Python's own short spelling, whose work is bounded.

    `repr` of a list in a list in a list fails at a depth that depends on who calls: one device would take an op that
    another fails on, and a store that was written could not be opened.
    """

    def repr_str(self, x: str, level: int) -> str:
        return repr(x[:_SHOWN_CHARACTERS])

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x[:_SHOWN_CHARACTERS])


_BEGINNING: Final = _Beginning()
_BEGINNING.maxlevel = 3  # no body that is one has more
