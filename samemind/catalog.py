"""Find a command by its name.

Where each is declared is written out by the generator, so that a command loads its own declaration and no other's:
making the classes of all costs more than the rest of a call to the daemon.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

from samemind._catalog import ELSEWHERE, MODULE_OF, SHORT_FOR
from samemind.declaring import Command
from samemind.errors import Usage

# What the command does itself: typed like verbs, and asked of no device.
COMMANDS: Final = ("completion", "demo", "help", "version")
NAMES: Final = tuple(MODULE_OF)
# How alike (1: the same) a slip and its verb are: two letters swapped among four; less, and any word is like some verb.
ALIKE_MIN: Final = 0.7

# Of a word that ends more verbs than these, as `list` does, nobody can tell which was meant.
_ENDING_MAX: Final = 3
# What other programs have a verb for, and is a file here.
SETTINGS: Final = ("config", "configure", "settings")


def names_under(first: str) -> tuple[str, ...]:
    """Return the verbs of two words that begin with this one."""
    return tuple(name for name in NAMES if name.startswith(f"{first} "))


def verb_named(name: str) -> Command[Any, Any]:
    """Return the verb of that name."""
    name = SHORT_FOR.get(name, name)
    if name not in MODULE_OF:
        first, _, second = name.partition(" ")
        if first in SETTINGS:
            raise Usage(
                f"expected a verb, got {first!r}",
                hint="settings are in config.toml in the data directory: `samemind init` says where that is",
            )
        under = [each.partition(" ")[2] for each in names_under(first)]
        typed, known = (second, under) if under else (name, [*SHORT_FOR, *NAMES, *COMMANDS])
        near = [f"{first} {each}".strip() if under else each for each in _near(name, typed, known)]
        if near:
            guess = f"; did you mean {' or '.join(map(repr, near))}?"
        else:
            guess = f": behind {first!r} goes one of {', '.join(under)}" if under else ""
        raise Usage(
            f"expected a verb, got {name[:40]!r}{guess}",
            hint=f"`samemind help {first}` tells them" if under else "`samemind help` lists them",
        )
    return _declared(name)


def _near(name: str, typed: str, known: Sequence[str]) -> list[str]:
    """Return what is called so elsewhere, or the few that end in that word, or else what is typed nearly so."""
    from difflib import get_close_matches  # a slip alone needs it

    ending = [each for each in NAMES if each.endswith(f" {name}")]
    if name in ELSEWHERE:
        return [ELSEWHERE[name]]
    return ending if 0 < len(ending) <= _ENDING_MAX else get_close_matches(typed, known, 1, ALIKE_MIN)


@cache
def _declared(name: str) -> Command[Any, Any]:
    module = import_module(MODULE_OF[name])
    (verb,) = (each for each in vars(module).values() if isinstance(each, Command) and each.name == name)
    return verb
