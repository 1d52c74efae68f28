"""All verbs, by name, and where each is declared.

The names are written out here so that a verb loads its own family's declarations and no other's: making all
the classes of all families costs more than the rest of a call to the daemon.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from samemind.declaring import Command
from samemind.errors import Usage

# A family is a module of this package. The order is the one in which help lists them.
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "memories": (
        "remember",
        "remember-many",
        "recall",
        "get",
        "list",
        "edit",
        "set",
        "tag",
        "pin",
        "unpin",
        "archive",
        "unarchive",
        "forget",
        "history",
    ),
    "answers": ("context", "why", "why-not"),
    "past": ("diff",),
    "graph": ("relate", "unrelate", "graph", "entities"),
    "contradictions": (
        "contradictions list",
        "contradictions show",
        "contradictions review",
        "contradictions resolve",
        "settle",
        "correct",
    ),
    "taking": (
        "queue list",
        "queue requeue",
        "queue wait",
        "held list",
        "held release",
        "held drop",
        "extract",
    ),
    "portable": ("import", "export"),
    "thinking": ("think", "unconsolidate", "unlink", "retract"),
    "keeping": (
        "triggers list",
        "triggers deliver",
        "triggers act",
        "triggers dismiss",
        "goals list",
        "goals add",
        "goals done",
        "profile show",
        "profile set",
        "blocks list",
        "blocks get",
        "blocks edit",
        "sessions",
        "feedback",
    ),
    "carry": ("carry export", "carry import"),
    "mailbox": (
        "mailbox add",
        "mailbox list",
        "mailbox remove",
        "mailbox look",
        "mailbox invite",
        "mailbox serve-config",
    ),
    "group": (
        "pair",
        "peers list",
        "peers rename",
        "peers add",
        "peers revoke",
        "group show",
        "group recovery",
        "group restore",
        "group rebuild",
        "group rejoin",
        "sync",
    ),
    "panel": ("panel",),
    "service": ("service install", "service uninstall", "service status"),
    "keeping_safe": ("backup", "restore", "encrypt", "decrypt"),
    "models": ("models add", "models list", "models remove"),
    "agents": (
        "mcp",
        "connect",
        "setup",
        "agents list",
        "agents add",
        "agents approve",
        "agents refuse",
        "agents revoke",
        "agents log",
    ),
    "device": (
        "init",
        "up",
        "down",
        "status",
        "digest",
        "log",
        "verify",
        "compact",
        "doctor",
        "stats",
        "ids",
        "warmup",
    ),
}
# What the first word alone stands for.
SHORT_FOR: Final[Mapping[str, str]] = {
    "contradictions": "contradictions list",
    "peers": "peers list",
    "triggers": "triggers list",
    "goals": "goals list",
    "profile": "profile show",
    "blocks": "blocks list",
    "queue": "queue list",
    "held": "held list",
    "agents": "agents list",
    "mailbox": "mailbox list",
    "models": "models list",
}

# What other tools call it. These are not verbs here: a second name for each would have to be learnt by everybody.
ELSEWHERE: Final[Mapping[str, str]] = {
    "add": "remember",
    "create": "remember",
    "note": "remember",
    "save": "remember",
    "store": "remember",
    "ask": "recall",
    "find": "recall",
    "grep": "recall",
    "query": "recall",
    "search": "recall",
    "cat": "get",
    "show": "get",
    "view": "get",
    "ls": "list",
    "update": "edit",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "config": "doctor",
    "devices": "peers",
    "start": "up",
    "stop": "down",
    "ui": "panel",
    "web": "panel",
}
# What the command does itself: typed like verbs, and asked of no device.
COMMANDS: Final = ("completion", "demo", "help", "version")
_FAMILY_OF: Final = {name: family for family, names in FAMILIES.items() for name in names}
NAMES: Final = tuple(_FAMILY_OF)
# How alike (1: the same) a slip and its verb are: two letters swapped among four; less, and any word is like some verb.
ALIKE_MIN: Final = 0.7


def names_under(first: str) -> tuple[str, ...]:
    """Return the verbs of two words that begin with this one."""
    return tuple(name for name in NAMES if name.startswith(f"{first} "))


def verb_named(name: str) -> Command[Any, Any]:
    """Return the verb of that name."""
    name = SHORT_FOR.get(name, name)
    if name not in _FAMILY_OF:
        from difflib import get_close_matches  # a slip alone needs it

        first, _, second = name.partition(" ")
        under = [each.partition(" ")[2] for each in names_under(first)]
        typed, known = (second, under) if under else (name, [*SHORT_FOR, *NAMES, *COMMANDS])
        near = [
            f"{first} {each}".strip() if under else each
            for each in (
                [ELSEWHERE[name]] if name in ELSEWHERE else get_close_matches(typed, known, 1, ALIKE_MIN)
            )
        ]
        if near:
            guess = f"; did you mean {near[0]!r}?"
        else:
            guess = f": behind {first!r} goes one of {', '.join(under)}" if under else ""
        raise Usage(
            f"expected a verb, got {name[:40]!r}{guess}",
            hint=f"`samemind help {first}` tells them" if under else "`samemind help` lists them",
        )
    return _declared(name)


@cache
def _declared(name: str) -> Command[Any, Any]:
    module = import_module(f"samemind.surface.{_FAMILY_OF[name]}")
    (verb,) = (each for each in vars(module).values() if isinstance(each, Command) and each.name == name)
    return verb
