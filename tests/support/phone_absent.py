"""Let modules be imported in a phone's Python that name libraries which it has not, as long as nobody uses those."""

import sys
from typing import Final
from unittest.mock import MagicMock

# Vectors, waiting, sockets, and limits of a process: for other devices.
_ABSENT: Final = (
    *("numpy", "numpy.random", "numpy.typing", "trio", "trio.lowlevel", "trio.abc", "trio.testing"),
    *("outcome", "aiosqlite", "zeroconf", "zeroconf.asyncio", "resource"),
)


def pretend() -> None:
    """Put something in the place of each: what a test gets out of it is nothing that it could compare."""
    for name in _ABSENT:
        sys.modules[name] = MagicMock(name=name)
    _hold(
        "numpy", split=lambda *_: [MagicMock()] * 3, ndarray=type("ndarray", (), {})
    )  # is asked what is one


def _hold(module: str, **values: object) -> None:
    for name, value in values.items():
        setattr(sys.modules[module], name, value)
