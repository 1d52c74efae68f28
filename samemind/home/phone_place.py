"""Keep where phones find this device: one name and one port, for good.

A browser gives the page of another address another store, which is empty. So the address that a phone was shown once is
written down, the daemon serves its panel there from then on, and a difference is told rather than shown as an empty
phone.
"""

import ipaddress
import json
import platform
import re
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Final, Self

from samemind.config import Home
from samemind.durable import whole_file
from samemind.errors import Usage

# Next to that of the links, so that a firewall is opened for both at once.
PORT: Final = 7412
# As `samemind up --panel` has it.
EVERYWHERE: Final = "0.0.0.0"
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
# An IPv6 address is in brackets where a port follows it.
_WRITTEN: Final = re.compile(r"(?:\[([^][]+)\]|([^][:]*:[^][:]*:[^][]*)|([^][:]+))(?::([0-9]+))?")
_NAME_CHARACTERS_MAX: Final = 253
# What a phone's page is: a package of its own, since most devices serve none.
APP: Final = "samemind_phone"
APP_MISSING: Final = "the app for phones is not installed here"
APP_HINT: Final = "install the wheel samemind_phone beside samemind; in a checkout: make phone"


@dataclass(frozen=True, slots=True)
class PhonePlace:
    """The name and the port at which phones find this device."""

    name: str
    port: int

    def __post_init__(self) -> None:
        if not (
            len(self.name) <= _NAME_CHARACTERS_MAX and (_NAME.fullmatch(self.name) or _is_ipv6(self.name))
        ):
            raise Usage(f"expected a name as in an address, like laptop.local, got {self.name[:80]!r}")
        if "." not in self.name and ":" not in self.name:  # who vouches for "dev" vouches for all below it
            raise Usage(f"expected a whole name, like {self.name}.local, got {self.name!r}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read NAME or NAME:PORT."""
        written = _WRITTEN.fullmatch(text.lower())
        if written is None:
            raise Usage(f"expected a name as in an address, like laptop.local, got {text[:80]!r}")
        in_brackets, bare, name, port = written.groups()
        if port is not None and not (len(port) <= 5 and 0 < int(port) <= 0xFFFF):
            raise Usage(f"expected a port of 1 to 65535 behind the name, got {port[:20]!r}")
        return cls(in_brackets or bare or name, PORT if port is None else int(port))

    @classmethod
    def kept(cls, home: Home) -> Self | None:
        """Return the place that was kept; None if no phone was shown any, or the file is none of ours."""
        try:
            found = json.loads(home.phones.read_text("utf-8"))
            return cls(str(found["name"]), int(found["port"]))
        except (OSError, ValueError, TypeError, LookupError, Usage):
            return None

    def keep(self, home: Home) -> None:
        """Write it down."""
        with whole_file(home.phones) as scratch:
            scratch.write_text(json.dumps(asdict(self)) + "\n", "utf-8")

    @property
    def origin(self) -> str:
        """The origin of its page, as browsers write it."""
        host = f"[{self.name}]" if ":" in self.name else self.name
        return f"https://{host}" if self.port == 443 else f"https://{host}:{self.port}"


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text  # a zone means something on this machine alone


def place_of(kept: PhonePlace | None, port: int) -> PhonePlace:
    """Return where phones find a panel on a port: under the name that they were shown, or this machine's."""
    if kept is not None:
        return PhonePlace(kept.name, port)
    label = re.sub(r"[^a-z0-9]+", "-", platform.node().partition(".")[0].lower()).strip("-")
    return PhonePlace(f"{label or 'samemind'}.local", port)


def has_app() -> bool:
    """Whether there is a page to serve: a phone that was shown the way to none would find nothing there."""
    return find_spec(APP) is not None
