"""Prepare a memory of the interpreter that later starts go on from, and go on from it.

Pyodide copies its memory as it is: modules, tables, compiled expressions. Nothing of anybody's may be in it, and
nothing that has to be another each time. So a store is opened after it only: SQLite draws the salts of its log from
randomness that it gathers once, and would draw the same at each start.
"""

import gc
import random
from collections.abc import Iterator
from importlib import import_module

from samemind.phone.stand_ins import install, packing


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


def wake() -> None:
    """Go on from a memory: load what none can hold, and take randomness anew."""
    packing.load()
    random.seed()
