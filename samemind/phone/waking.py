"""Prepare a memory of the interpreter that later starts go on from, and go on from it.

Pyodide copies its memory as it is: modules, tables, compiled expressions. Nothing of anybody's may be in it, and
nothing that has to be another each time. So a store is opened after it only: SQLite draws the salts of its log from
randomness that it gathers once, and would draw the same at each start.
"""

import gc
import random
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from samemind.phone.stand_ins import install, packing

# Tellings until a browser has compiled what they run for speed: the first takes ten times as long as the twelfth.
_REHEARSED: Final = 12


def prepare() -> None:
    """Import all that a phone runs, and make ready what reading takes; to be called before anything is imported."""
    packing.put_off()
    install()
    import_module("samemind.phone.entry")
    for _ in ready():
        pass
    gc.collect()


def ready() -> Iterator[None]:
    """Make ready what reading takes, a little at each step."""
    steps: Iterator[None] = import_module("cognition.warming").make_ready()  # after `install`, and not before
    return steps


def rehearse() -> Iterator[None]:
    """Tell some texts to a device that is nobody's and stays in memory, one at each step.

    No memory of the interpreter holds what a browser compiles as it runs: the first telling after a start would wait.
    """
    host: Any = import_module("samemind.phone.host")
    keys: Any = import_module("replica.keys")
    identity: Any = import_module("sync.identity").Identity.of(keys.Ed25519PrivateKey.generate())
    yield
    phone = host.Phone.open(":memory:", identity, name="rehearsal", random=random.Random(), now_ms=1)
    for number in range(1, _REHEARSED + 1):
        yield
        phone.remember(
            f"Anna said on Monday that shelf {number} is full, and that I work in Bern", now_ms=number
        )
    while phone.read(now_ms=_REHEARSED):
        yield
    phone.connection.close()


def wake() -> None:
    """Go on from a memory: load what none can hold, and take randomness anew."""
    packing.load()
    random.seed()
