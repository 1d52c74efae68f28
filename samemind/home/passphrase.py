"""Find the passphrase of an encrypted store: in the environment, in the system's keychain, or by asking at a terminal.

A keychain belongs to whoever is logged in, so a daemon that was started by hand or as a user's service has it, and so
does an agent's server. One on a machine without a desktop takes the environment's.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from replica import DeviceId, WrongKey, connect, make_key, salt_of
from samemind.config import JOURNAL, Home, beside
from samemind.errors import Failed, Locked

VARIABLE: Final = "SAMEMIND_PASSPHRASE"
# What `samemind passphrase` puts in its place.
NEW_VARIABLE: Final = "SAMEMIND_NEW_PASSPHRASE"
_SERVICE: Final = "samemind"
# How the keychain's entry ends whose passphrase is being put in the place of the other's.
_NEXT: Final = ".next"
_AT_TERMINAL: Final = "was typed"
# What was typed here and opened something: a verb that opens a store twice asks once.
_TYPED: Final[list[str]] = []


def key_of(store: Path, device: DeviceId | None) -> bytes | None:
    """Return what opens a device's store, or a backup; None where it is plain or not there yet.

    `device`: whose keychain entry may hold the passphrase, where it is known.
    """
    salt = salt_of(store)
    if salt is None:
        return None
    # A program that was killed left its last transaction half in the file: only who may write can take that back.
    hot = beside(store, JOURNAL).exists()
    tried: list[str] = []
    for passphrase, where in _known(device):
        key = make_key(passphrase, salt)
        if _opens(store, key, read_only=not hot):
            if where == _AT_TERMINAL and passphrase not in _TYPED:
                _TYPED.append(passphrase)
            return key
        tried.append(where)
    if tried:
        raise WrongKey(
            f"expected the passphrase of {store}, but it is not what {' or '.join(dict.fromkeys(tried))}"
        )
    raise Locked(
        f"{store} is encrypted (or damaged: it begins like no SQLite file), and no passphrase is known here",
        code="passphrase_needed",
        hint=f"set {VARIABLE}, or run a verb at a terminal and type it",
    )


def is_passphrase_of(passphrase: str, store: Path) -> bool:
    """Say whether a store that no program has open is encrypted with this passphrase."""
    salt = salt_of(store)
    return salt is not None and _opens(store, make_key(passphrase, salt), read_only=False)


def for_daemon(home: Home) -> dict[str, str]:
    """Return what a daemon that is started here needs in its environment: it has no terminal to be asked at."""
    if VARIABLE in os.environ or salt_of(home.store) is None:
        return {}
    try:
        key_of(home.store, _device_of(home))
    except Locked:  # nobody sits here either: the daemon says so
        return {}
    return {VARIABLE: _TYPED[-1]} if _TYPED else {}


def is_kept(home: Home) -> bool:
    """Say whether the system's keychain has what opens a home, or it is plain: nobody has to type anything."""
    if salt_of(home.store) is None:
        return True
    device = _device_of(home)
    return device is not None and kept_passphrase(device) is not None


def new_passphrase(variable: str = VARIABLE) -> str:
    """Return the passphrase that a store shall have: what this variable holds, or one typed twice."""
    if chosen := os.environ.get(variable):
        return chosen
    chosen = _typed("new passphrase for the store: ")
    if not chosen:
        raise Locked(
            "expected a new passphrase for the store, got none",
            code="passphrase_needed",
            hint=f"set {variable}, type one at a terminal, or keep one in the keychain: --keychain",
        )
    if _typed("once more: ") != chosen:
        raise Failed("expected the same passphrase twice, got two", code="passphrases_differ")
    return chosen


def keep(device: DeviceId, passphrase: str | None, *, instead: bool = False) -> None:
    """Put a device's passphrase into the system's keychain, or take it out.

    `instead`: the one that is being put in the place of the other, which stays until every store has the new one.
    """
    name = _name(device, instead=instead)
    try:
        import keyring
        from keyring.errors import KeyringError, PasswordDeleteError
    except ImportError:
        if passphrase is None:
            return
        raise Failed(
            "expected the system's keychain, but keyring is not installed",
            code="no_keychain",
            hint="pip install 'keyring>=25' 'sqlcipher3-wheels>=0.5.7'",
        ) from None
    try:
        if passphrase is not None:
            keyring.set_password(_SERVICE, name, passphrase)
        elif keyring.get_password(_SERVICE, name) is not None:
            keyring.delete_password(_SERVICE, name)
    except PasswordDeleteError:
        pass  # it is not there, which is what was asked for
    except KeyringError as error:
        if passphrase is not None:
            raise Failed(
                f"expected the system's keychain, but: {error}",
                code="no_keychain",
                hint=f"unlock it, or set a passphrase: {VARIABLE}",
            ) from None


def kept_passphrase(device: DeviceId, *, instead: bool = False) -> str | None:
    """Return what the system's keychain has for a device; `instead`: what is being put in the place of that."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        return keyring.get_password(_SERVICE, _name(device, instead=instead))
    except KeyringError:  # there is none, or it is locked
        return None


def share(device: DeviceId, other: DeviceId) -> None:
    """File what the system's keychain keeps for a device under another one, too."""
    for instead in (False, True):
        if (kept := kept_passphrase(device, instead=instead)) is not None:
            keep(other, kept, instead=instead)


def _device_of(home: Home) -> DeviceId | None:
    from sync import Identity  # here: few stores are encrypted

    return Identity.load(home.identity).device_id if home.identity.exists() else None


def _known(device: DeviceId | None) -> Iterator[tuple[str, str]]:
    """Give each passphrase that might be meant, the cheapest to get first, and where it is from."""
    if given := os.environ.get(VARIABLE):
        yield given, f"{VARIABLE} holds"
    for instead in (False, True):
        if device is not None and (kept := kept_passphrase(device, instead=instead)) is not None:
            yield kept, "the system's keychain holds"
    for typed in _TYPED:
        yield typed, _AT_TERMINAL
    if typed := _typed("passphrase of the store: "):
        yield typed, _AT_TERMINAL


def _name(device: DeviceId, *, instead: bool) -> str:
    return device.hex() + (_NEXT if instead else "")


def _opens(store: Path, key: bytes, *, read_only: bool) -> bool:
    try:
        connect(str(store), read_only=read_only, key=key).close()
    except WrongKey:
        return False
    return True


def _typed(prompt: str) -> str:
    """Ask whoever sits at the terminal; nobody, where there is none."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    from getpass import getpass

    return getpass(prompt, stream=sys.stderr)
