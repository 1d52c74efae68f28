"""Decide whose connection goes when a panel is crowded: strangers make room, and first of all their own neighbours.

Whoever reaches the panel's port can open a connection and say nothing on it. Each costs a socket and a task, so there
is a bound on how many stand. Somebody whose browser was let in is known by what it asks; everybody else is a stranger,
and of those the one that has stood longest goes when one more comes: of the same machine where that has many already,
so that one machine cannot push out another's.

Nothing here reads a clock or a socket.
"""

from dataclasses import dataclass
from typing import Final

# A browser opens six connections to a host, and a household has a few that were not let in yet.
STRANGERS_MAX: Final = 48
STRANGERS_PER_HOST_MAX: Final = 12
# As many browsers as have a session (`samemind.panel.access`), with a stream of news and a request each.
KNOWN_MAX: Final = 128


@dataclass(frozen=True, slots=True)
class Caller:
    """One connection: where it comes from, and what tells it from others."""

    host: str
    port: int


class OpenConnections:
    """Who stands at the panel's door, longest first."""

    def __init__(self) -> None:
        self._strangers: dict[Caller, None] = {}
        self._known: dict[Caller, None] = {}

    def __len__(self) -> int:
        return len(self._strangers) + len(self._known)

    def enter(self, caller: Caller) -> Caller | None:
        """Take a connection in; return the one that makes room for it."""
        neighbours = [each for each in self._strangers if each.host == caller.host]
        gone: Caller | None = None
        if len(neighbours) >= STRANGERS_PER_HOST_MAX:
            gone = neighbours[0]
        elif len(self._strangers) >= STRANGERS_MAX:
            gone = next(iter(self._strangers))
        if gone is not None:
            del self._strangers[gone]
        self._strangers[caller] = None
        return gone

    def know(self, caller: Caller) -> Caller | None:
        """Hear that a caller's browser was let in; return the one that makes room, if so many are."""
        if caller not in self._strangers:
            return None  # known already, or gone meanwhile
        del self._strangers[caller]
        gone = next(iter(self._known)) if len(self._known) >= KNOWN_MAX else None
        if gone is not None:
            del self._known[gone]
        self._known[caller] = None
        return gone

    def leave(self, caller: Caller) -> None:
        """Hear that a connection ended."""
        self._strangers.pop(caller, None)
        self._known.pop(caller, None)


def caller_of(place: object) -> Caller | None:
    """Return who is at the other end of a socket, or of a request, by the address that either names."""
    match place:
        case (str(host), int(port), *_):
            return Caller(host.removeprefix("::ffff:"), port)
    return None
