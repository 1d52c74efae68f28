"""The verbs that keep the store safe."""

from dataclasses import dataclass
from typing import Final

from samemind.results.keeping_safe import BackedUp, Ciphered, Restored
from samemind.surface.declare import Verb, argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Copy the store to a file as it is at this moment; the device goes on meanwhile."""

    file: str = argument("the file to write; one that is there is replaced", metavar="FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Put a backup in the place of the store, which is kept beside it; the daemon must not run."""

    file: str = argument("the backup", metavar="FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypt:
    """Encrypt the store under a passphrase (SAMEMIND_PASSPHRASE, or typed); the daemon must not run."""

    keychain: bool = option(
        "--keychain", "make a passphrase, keep it in the system's keychain, and show it once", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decrypt:
    """Make the store plain again; the daemon must not run."""


BACKUP: Final = Verb("backup", Backup, BackedUp, "samemind.verbs.backup")
RESTORE: Final = Verb("restore", Restore, Restored, "samemind.restoring", alone=True)
ENCRYPT: Final = Verb("encrypt", Encrypt, Ciphered, "samemind.encrypting", alone=True)
DECRYPT: Final = Verb("decrypt", Decrypt, Ciphered, "samemind.encrypting", alone=True)
