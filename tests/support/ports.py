"""Ports of this machine for servers of tests."""

import random
import socket
from typing import Final

# Below what systems give to whoever dials (Linux from 32,768, others from 49,152): a server that is stopped and started
# anew finds its port free, although others dialled in between.
_PORTS: Final = range(10_000, 32_768)
_TRIES: Final = 100


def free_port() -> int:
    """Return a port that nobody listens at, on any address, and that nobody is given for dialling."""
    chance = (
        random.SystemRandom()
    )  # what seeds worlds has no say: workers of one seed would choose the same ports
    for _ in range(_TRIES):
        with socket.socket() as found:
            try:
                found.bind(("", port := chance.choice(_PORTS)))
            except OSError:
                continue
            return port
    raise OSError(f"none of {_TRIES} ports between {_PORTS[0]} and {_PORTS[-1]} is free")
