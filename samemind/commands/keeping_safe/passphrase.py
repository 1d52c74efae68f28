"""Change the passphrase of an encrypted store; stop the daemon first."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping_safe._parts import Ciphered, ciphered
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Usage
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Passphrase:
    """Change the passphrase of an encrypted store; stop the daemon first."""

    keychain: bool = option(
        "--keychain",
        "generate the new passphrase, keep it in the system's keychain, and show it once",
        default=False,
    )


def run(home: "Home", options: Passphrase) -> Ciphered:
    """Put every store under a new passphrase, the device's own last: until then the old one opens it."""
    import secrets

    import trio

    from replica import SALT_BYTES, make_key, salt_of
    from samemind.commands.keeping_safe._work import PROGRAM, keys_of_stores, open_home
    from samemind.home.lock import hold
    from samemind.home.passphrase import (
        NEW_VARIABLE,
        is_passphrase_of,
        keep,
        kept_passphrase,
        new_passphrase,
    )
    from samemind.home.recoding import check, clear, recode_in_place, stores

    device = trio.run(open_home, home)
    with hold(home, program=PROGRAM):
        if salt_of(home.store) is None:
            raise Usage(
                f"expected an encrypted store, but {home.store} is plain",
                code="plain_already",
                hint="to encrypt it: samemind encrypt",
            )
        if options.keychain:
            # What is half done goes on under the one of the first time. It is kept before any store needs it.
            new = kept_passphrase(device, instead=True) or secrets.token_hex(32)
        else:
            new = new_passphrase(NEW_VARIABLE)
        # A store that has it already was done before a kill.
        old = keys_of_stores([path for path in stores(home.store) if not is_passphrase_of(new, path)], device)
        for path, key in old.items():
            check(path, key)  # before the first is changed: nobody is refused half-way
        if options.keychain:
            keep(device, new, instead=True)
        clear(home.store)
        after = make_key(new, secrets.token_bytes(SALT_BYTES))
        for path in reversed(old):
            recode_in_place(path, old[path], after)
        keep(device, new if options.keychain else None)
        keep(device, None, instead=True)
    if not old and not options.keychain:
        raise Usage(
            f"expected another passphrase for {home.store}, but this one is what it has",
            code="same_passphrase",
        )
    return Ciphered(path=home.shown(), encrypted=True, passphrase=new if options.keychain else None)


def changed(document: Document) -> list[str]:
    return [f"{document['path']} opens with the new passphrase only", *ciphered(document)[1:]]


COMMAND: Final = Command(
    "passphrase",
    Passphrase,
    Ciphered,
    run=run,
    render=changed,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="rewrites the store while no program has it open",
    library=None,
    alone=True,
    kept="the store is whole, under the old passphrase or the new one: run it again with the same new one",
    place=5,
)
