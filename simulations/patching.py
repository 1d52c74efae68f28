"""Swap one attribute of the product for the length of a run: to plant bugs, and to share work between replicas.

A simulation is one thread, and every run puts back what it swapped.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Swap = tuple[Any, str, Any]
"""An owner, the name of one of its attributes, and the value that it is to have."""


@contextmanager
def swapped(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Let `owner.name` be `value` inside the block."""
    before = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
