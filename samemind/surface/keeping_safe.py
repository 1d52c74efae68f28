"""The verbs that keep the store safe."""

from dataclasses import dataclass
from typing import Final

from samemind.declaring import Agents, Command, Effects, Method, Takes, argument, option
from samemind.results.keeping_safe import BackedUp, Ciphered, Restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """Copy the store to a file as it is at this moment; the device goes on meanwhile."""

    file: str = argument("the file to write; one that is there is replaced", takes=Takes.PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Put a backup in the place of the store, which is kept beside it; the daemon must not run."""

    file: str = argument("the backup", takes=Takes.PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypt:
    """Encrypt the store under a passphrase (SAMEMIND_PASSPHRASE, or typed); the daemon must not run."""

    keychain: bool = option(
        "--keychain", "make a passphrase, keep it in the system's keychain, and show it once", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decrypt:
    """Make the store plain again; the daemon must not run."""


BACKUP: Final = Command(
    "backup",
    Backup,
    BackedUp,
    "samemind.verbs.backup",
    effects=Effects.ADD,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=Method("backup", "Copy the store to a file as it is at this moment."),
    place=1,
)
RESTORE: Final = Command(
    "restore",
    Restore,
    Restored,
    "samemind.restoring",
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="reads or writes files",
    library=None,
    alone=True,
    place=2,
)
ENCRYPT: Final = Command(
    "encrypt",
    Encrypt,
    Ciphered,
    "samemind.encrypting",
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="writes the store anew while no program has it open",
    library=None,
    alone=True,
    place=3,
)
DECRYPT: Final = Command(
    "decrypt",
    Decrypt,
    Ciphered,
    "samemind.encrypting",
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="writes the store anew while no program has it open",
    library=None,
    alone=True,
    place=4,
)
