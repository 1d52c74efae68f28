"""Decide what to write into a folder that several devices write to, and which of one's own files may go.

Each device writes new files under names of its own and never touches another's, so a service that copies the folder
never sees two versions of one file. A file goes on from what the files before it hold. Those that go on from what is
there count; one whose forerunner is missing does not, and what it holds is exported again.

A device's own files are written anew, as one, when they are sealed for other devices than now, when something was
erased since, or when there are many of them; then the old ones go.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from replica.core import Core
from replica.feeds import join
from replica.ids import DeviceId
from sync.carrier.cargo import Header, recipients_of

SUFFIX: Final = ".samemind"
# Enough that most exports write only what is new, few enough that a newcomer opens a handful.
FILES_MAX: Final = 16
_NUMBER_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """Write a file of what goes beyond `known`, unless `nothing` is new; then remove `old` files."""

    known: dict[int, int]
    nothing: bool
    old: tuple[str, ...]


def plan(core: Core, files: Mapping[str, Header]) -> Plan:
    """Return what this device should do to a folder, given the headers of the whole and rightly signed files in it."""
    wanted, proofs = set(recipients_of(core)), set(core.proofs)
    own = [name for name, header in files.items() if header.maker == core.device]
    stale = [
        name for name in own if set(files[name].recipients) != wanted or set(files[name].proofs) != proofs
    ]
    if stale or len(own) >= FILES_MAX:
        return Plan({}, nothing=False, old=tuple(own))
    known = _reached(core, [header for header in files.values() if wanted <= set(header.recipients)])
    lacking = any(feed.seq > max(feed.fork, known.get(feed.no, 0)) for feed in core.feeds)
    return Plan(known, nothing=bool(own) and not lacking, old=())


def _reached(core: Core, headers: Sequence[Header]) -> dict[int, int]:
    """Return what somebody holds who takes these files: those that go on from nothing, and from each other."""
    known: dict[int, int] = {}
    waiting = list(headers)
    while True:
        ready = [each for each in waiting if _covers(core, known, each)]
        if not ready:
            return known
        waiting = [each for each in waiting if each not in ready]
        for header in ready:
            join(known, core.feeds.vector_of(header.covers))


def _covers(core: Core, known: dict[int, int], header: Header) -> bool:
    dots = map(core.feeds.locate, header.since)
    return all(dot is not None and known.get(dot.feed, 0) >= dot.seq for dot in dots)


def stem(device: DeviceId) -> str:
    """Return how the names of a device's files begin: the same every time, and no id."""
    return hashlib.sha256(b"samemind carry name 1\0" + device).hexdigest()[:16]


def next_name(device: DeviceId, names: Sequence[str]) -> str:
    """Return a name that no file of this device has had before, as far as the folder knows."""
    begins = f"{stem(device)}-"
    numbers = [
        int(number)
        for name in names
        if name.startswith(begins) and (number := name.removeprefix(begins).removesuffix(SUFFIX)).isdecimal()
    ]
    return f"{begins}{max(numbers, default=0) + 1:0{_NUMBER_DIGITS}}{SUFFIX}"
