"""Keep the address of the calendar that programs subscribe to: a secret in it, and where the panel serves it.

A calendar program can't log in, so whoever has the address reads the reminders. It asks for the same address for
years: the daemon opens its panel there at each start, and a new secret ends the old address.
"""

import json
import re
from dataclasses import asdict, dataclass
from random import Random
from typing import Final, Self

from samemind.config import Home
from samemind.durable import whole_file
from samemind.formats.arguments import PORT_MAX
from samemind.home.phone_place import PORT

# As many as a browser's cookie has (`samemind.panel.access`): nobody finds it by trying.
TOKEN_BYTES: Final = 32
# What the address begins with below the panel's own.
CALENDAR: Final = "/calendar"
# Where the panel is opened for it, if it was not open: for this machine alone.
OPENED_AT: Final = ("127.0.0.1", PORT)
_TOKEN: Final = re.compile(f"[0-9a-f]{{{2 * TOKEN_BYTES}}}")


@dataclass(frozen=True, slots=True)
class FeedPlace:
    """The secret in a feed's address, and the host and port at which the panel listened when it was shown last."""

    token: str
    host: str
    port: int

    @classmethod
    def kept(cls, home: Home) -> Self | None:
        """Return what was kept; None if there is no feed, or the file is none of ours."""
        try:
            found = json.loads(home.calendar.read_text("utf-8"))
            token, host, port = found["token"], found["host"], found["port"]
        except (OSError, ValueError, TypeError, LookupError):
            return None
        known = isinstance(token, str) and isinstance(host, str) and type(port) is int
        return cls(token, host, port) if known and _TOKEN.fullmatch(token) and 0 < port <= PORT_MAX else None

    def keep(self, home: Home) -> None:
        """Write it down, for its owner alone."""
        with whole_file(home.calendar) as scratch:
            scratch.write_text(json.dumps(asdict(self)) + "\n", "utf-8")

    @property
    def where(self) -> str:
        """Host and port, as `--panel` takes them."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def path(self) -> str:
        """The feed's address below the panel's own."""
        return f"{CALENDAR}/{self.token}.ics"


def new_token(random: Random) -> str:
    """Return a secret that was in no address before."""
    return random.randbytes(TOKEN_BYTES).hex()
