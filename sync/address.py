"""Where a device may listen: a host and a port, read and shown the way people write them.

`192.168.1.7:7411`, `laptop.local:7411`, `[fe80::1%eth0]:7411`. A link-local IPv6 address keeps its
scope, because without it the address means nothing.
"""

from dataclasses import dataclass
from typing import Final, Self

PORT_MAX: Final = 65535

# The longest name DNS allows, plus room for an IPv6 scope.
HOST_CHARACTERS_MAX: Final = 300


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A place to dial; says nothing about who answers there."""

    host: str
    port: int

    def __post_init__(self) -> None:
        if not self.host or len(self.host) > HOST_CHARACTERS_MAX or any(c.isspace() for c in self.host):
            raise ValueError(f"expected a host name or address, got {self.host[:60]!r}")
        if not 0 < self.port <= PORT_MAX:
            raise ValueError(f"expected a port from 1 to {PORT_MAX}, got {self.port}")

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `host:port` or `[ipv6]:port`; ValueError says what is missing."""
        host, separator, port = text.strip().rpartition(":")
        if not separator or not (port.isascii() and port.isdigit()):
            raise ValueError(f"expected HOST:PORT, got {text[:60]!r}")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            raise ValueError(f"expected brackets around an IPv6 address, as in [::1]:7411, got {text[:60]!r}")
        return cls(host, int(port))
