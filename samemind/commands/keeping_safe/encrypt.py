"""Encrypt the store with a passphrase (SAMEMIND_PASSPHRASE, or typed); stop the daemon first."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping_safe._parts import Ciphered, ciphered
from samemind.declaring import Agents, Command, Effects, option
from samemind.errors import Usage

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Encrypt:
    """Encrypt the store with a passphrase (SAMEMIND_PASSPHRASE, or typed); stop the daemon first."""

    keychain: bool = option(
        "--keychain",
        "generate a passphrase, keep it in the system's keychain, and show it once",
        default=False,
    )


def run(home: "Home", options: Encrypt) -> Ciphered:
    """Encrypt the store, which is made first where there is none, and whatever plain text lies beside it."""
    import secrets

    import trio

    from replica import SALT_BYTES, make_key, salt_of
    from samemind.commands.keeping_safe._work import PROGRAM, open_home
    from samemind.home.lock import hold
    from samemind.home.passphrase import keep, key_of, new_passphrase
    from samemind.home.recoding import check, clear, leftovers, recode_in_place, stores

    device = trio.run(open_home, home)
    with hold(home, program=PROGRAM):
        plain = [path for path in stores(home.store) if salt_of(path) is None]
        if not plain and not leftovers(home.store):
            raise Usage(
                f"expected a plain store, but {home.store} is encrypted",
                code="encrypted_already",
                hint="to change its passphrase: samemind passphrase",
            )
        for path in plain:
            check(path, None)  # before the first is encrypted: nobody is refused half-way
        # The rest of what was begun goes under the key of the store: one that is drawn anew would shut the store out.
        key = key_of(home.store, device)
        if key is None:
            # A key of 256 random bits needs no rounds; it is shown once, for the day on which the keychain is gone.
            passphrase = secrets.token_hex(32) if options.keychain else new_passphrase()
            key = make_key(passphrase, secrets.token_bytes(SALT_BYTES))
        shown = key[:-SALT_BYTES].hex() if options.keychain else None
        if shown is not None:
            keep(device, shown)
        clear(home.store)
        for path in plain:
            recode_in_place(path, None, key)
    return Ciphered(path=home.shown(), encrypted=True, passphrase=shown)


COMMAND: Final = Command(
    "encrypt",
    Encrypt,
    Ciphered,
    run=run,
    render=ciphered,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="rewrites the store while no program has it open",
    library=None,
    alone=True,
    kept="the store is whole, and encrypted or still plain: run it again with the same passphrase",
    place=3,
)
