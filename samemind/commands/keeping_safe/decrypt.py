"""Decrypt the store for good; stop the daemon first."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping_safe._parts import Ciphered, ciphered
from samemind.declaring import Agents, Command, Effects
from samemind.errors import Usage

if TYPE_CHECKING:
    from samemind.config import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Decrypt:
    """Decrypt the store for good; stop the daemon first."""


def run(home: "Home", options: Decrypt) -> Ciphered:
    """Make the store plain again, and those that were put aside; none, where one of them does not open."""
    import trio

    from samemind.commands.keeping_safe._work import PROGRAM, keys_of_stores, open_home
    from samemind.home.lock import hold
    from samemind.home.passphrase import keep
    from samemind.home.recoding import clear, recode_in_place, stores

    device = trio.run(open_home, home)
    with hold(home, program=PROGRAM):
        keys = keys_of_stores(stores(home.store), device)
        if not any(keys.values()):
            raise Usage(f"expected an encrypted store, but {home.store} is plain", code="plain_already")
        clear(home.store)
        for path, key in keys.items():
            if key is not None:
                recode_in_place(path, key, None)
    keep(device, None)
    keep(device, None, instead=True)
    return Ciphered(path=home.shown(), encrypted=False, passphrase=None)


COMMAND: Final = Command(
    "decrypt",
    Decrypt,
    Ciphered,
    run=run,
    render=ciphered,
    effects=Effects.DESTROY,
    agents=Agents.NEVER,
    panel="rewrites the store while no program has it open",
    library=None,
    alone=True,
    kept="the store is whole, and plain or still encrypted: run it again with the same passphrase",
    place=4,
)
