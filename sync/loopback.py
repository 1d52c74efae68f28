"""Say whether a host is this machine: what is said to it crosses no network, and needs no encryption.

Only the names that programs write are accepted. Whether an address that somebody listens on is of a loopback network is
another question (`samemind.panel.access`).
"""

from typing import Final

_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def is_this_machine(host: str | None) -> bool:
    """Say whether the host of an address, in small letters and without brackets, is this machine."""
    return host in _NAMES
