"""Decide whom to dial next, and when; and which of two links to one peer stays.

A contact is one way to reach somebody: an address that the owner typed, the address at which a member
answered last, or a sighting on the local network. Sightings carry no identity, so a contact is tied to
a member only once a link has proved who answers there. Until then it is worth a call as long as any
member is out of reach, and no longer: a device does not go about calling strangers.

One place may stand for several devices: a name with many addresses, a router that sends its port on to one
of them today and to another tomorrow, an address that the network has given to somebody else. So what the
owner typed stays worth a call while anybody is missing, whoever answered there last; and what was typed for
one device stays that device's.

Each contact has its own schedule: failures double the wait, drawn between half and the whole of it, so
that devices which lost each other together do not all call back together. A link has to last before it
counts as a success, or a peer that drops every link at once would be called in a tight loop. A sighting
is news, and news is acted on at once, but one address never more often than every few seconds, and of places
that are new so many a minute (`sync.new_places`): anybody on the local network can announce things.

In a large group a device is linked to some only (`sync.neighbours`), and looks at the others one after another.

Nothing here reads a clock, and nothing has to poll: after the contacts that are due were taken up,
`next_wake_ms` lies ahead, or is None until something happens.
"""

import enum
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replica.ids import DeviceId
from sync.address import Address
from sync.neighbours import LinkLimits, spare, wanted
from sync.new_places import NewPlaces

if TYPE_CHECKING:
    from random import Random

# A peer that restarts is back within a second or two; one that is away for the night costs a call every
# five minutes from the last good address, while a sighting still gets it called at once.
BACKOFF_MS_MIN: Final = 1_000
BACKOFF_MS_MAX: Final = 300_000

# Who is not paired now will hardly be in a minute; pairing itself makes every contact due again. The wait grows up to
# this, since a call that was under way while the two were pairing is refused although all is well.
STRANGER_MS: Final = 900_000
# Others may answer while the one who is called restarts; who answers so often in a row lives there.
SOMEBODY_ELSE_MAX: Final = 8

# A full device makes room for a caller when one of its links has stood for ten minutes (`sync.neighbours`).
CROWDED_MS: Final = 900_000

# A link that stood this long was a working one.
LASTING_MS: Final = 30_000

# The least time between two calls to one sighted address, however often it is announced.
SIGHTED_AGAIN_MS: Final = 5_000

# A household has a dozen devices. More announcements than this are somebody playing.
SIGHTINGS_MAX: Final = 64
# Places of one announcement that one call tries, and such calls: a machine has a dozen addresses, and a stranger may
# add to those of any name.
ADDRESSES_PER_CALL_MAX: Final = 8
PARTS_PER_SIGHTING_MAX: Final = 4

# Calls that may be under way at once: enough to reach a household in one go.
CALLS_MAX: Final = 8
# Of these, calls to places for which an announcement is all that speaks. Whoever answers there may stay silent for ten
# seconds, and be announced again under another name; what is known of members is called beside that.
CALLS_TO_SIGHTED_MAX: Final = 6

# Two devices that find each other both call within this time; a link older than this stood already, and a
# peer that calls although one stands has lost it.
SIMULTANEOUS_MS: Final = 10_000


class ContactSource(enum.IntEnum):
    """Where a contact comes from; of two to one member the lower is tried first."""

    SIGHTED = 1
    KNOWN = 2
    FIXED = 3


@dataclass(frozen=True, slots=True)
class DialTarget:
    """Somebody to dial: try the addresses in order; `member` is who answered there before, if known."""

    key: str
    addresses: tuple[Address, ...]
    member: DeviceId | None


@dataclass(frozen=True, slots=True)
class LinkRank:
    """What decides between two links to one peer: who dialled, and when it came up."""

    dialled_by_us: bool
    since_ms: int


class DuplicateLink(enum.Enum):
    """What becomes of two links to one peer."""

    OLD_STAYS = enum.auto()
    NEW_STAYS = enum.auto()
    BOTH_STAY = enum.auto()


@dataclass(slots=True)
class _Entry:
    source: ContactSource
    addresses: tuple[Address, ...]
    member: DeviceId | None
    due_ms: int
    failures: int = 0
    others: int = 0
    """How many calls in a row somebody else answered."""
    tried_ms: int | None = None
    given: bool = False
    """Whether the owner said whose it is."""

    @property
    def hosts(self) -> frozenset[str]:
        """Whom a call there reaches."""
        return frozenset(address.host for address in self.addresses)

    @property
    def is_announced(self) -> bool:
        """Whether an announcement is all that speaks for it: no member ever answered there."""
        return self.source is ContactSource.SIGHTED and self.member is None

    @property
    def is_news(self) -> bool:
        """Whether it was announced, and never called."""
        return self.source is ContactSource.SIGHTED and self.tried_ms is None


class Roster:
    """All contacts of one device and their schedules."""

    def __init__(self, own: DeviceId, limits: LinkLimits = LinkLimits()) -> None:
        self._own = own
        self._limits = limits
        self._members: frozenset[DeviceId] = frozenset()
        self._asked_for: Counter[DeviceId] = Counter()
        self._wanted: frozenset[DeviceId] | None = None  # until any of what it follows from changes
        self._linked_since_ms: dict[DeviceId, int] = {}
        self._met_ms: dict[DeviceId, int] = {}
        """When each was looked at, or a link with it ended that had lasted."""
        self._looked_at: DeviceId | None = None
        self._needed: set[DeviceId] = set()
        """Whose link was lost that may have carried what comes by no other way."""
        self._look_due_ms = 0.0
        self._entries: dict[str, _Entry] = {}
        self._gone: dict[tuple[Address, ...], _Entry] = {}
        # By key, not in the entry: an announcement may go and come back, or change, while it is being called.
        self._under_way: set[str] = set()
        self._new_places = NewPlaces()

    # --- what is known -----------------------------------------------------------------------------

    def admit(self, members: Collection[DeviceId], *, now_ms: int) -> None:
        """Say who may be talked to from now on; somebody new makes every untied contact due."""
        admitted = frozenset(members) - {self._own}
        news = admitted - self._members
        self._members, self._wanted = admitted, None
        for entry in self._entries.values():
            if entry.member is not None and entry.member not in admitted:
                if entry.source is ContactSource.KNOWN:
                    continue  # it is called by nobody now, and there again if a revocation turns out not to count
                entry.member, entry.given = None, False
            if news and (entry.member is None or entry.member in news):
                entry.failures, entry.others, entry.due_ms = 0, 0, now_ms

    def fix(self, address: Address, *, now_ms: int, member: DeviceId | None = None) -> None:
        """Take an address that the owner gave, for one member or for whoever answers there."""
        key = f"fixed {address}"
        if member is not None and key not in self._entries:
            key += f" for {member.hex()}"
        given, self._wanted = member is not None, None
        self._entries.setdefault(key, _Entry(ContactSource.FIXED, (address,), member, now_ms, given=given))

    def remember(self, member: DeviceId, address: Address, *, now_ms: int) -> None:
        """Take the address at which a member answered last."""
        key, self._wanted = f"known {member.hex()}", None
        entry = self._entries.get(key)
        if entry is None or (entry.addresses != (address,) and key not in self._under_way):
            self._entries[key] = _Entry(ContactSource.KNOWN, (address,), member, now_ms)

    def sight(self, name: str, addresses: Iterable[Address], *, now_ms: int) -> None:
        """Take an announcement from the local network; the same device may come under a new name.

        Anybody may have added places to those of a device. They are called a few together, so that it is called again
        at once for each of a few that are added, and for none of the others.
        """
        wanted = tuple(dict.fromkeys(addresses))
        for part in range(PARTS_PER_SIGHTING_MAX):
            at = part * ADDRESSES_PER_CALL_MAX
            self._sight(_sighted(name, part), wanted[at : at + ADDRESSES_PER_CALL_MAX], now_ms)

    def _sight(self, key: str, wanted: tuple[Address, ...], now_ms: int) -> None:
        if (entry := self._entries.get(key)) is not None and entry.addresses == wanted:
            return
        self._lose_sight(key)
        if not wanted:
            return
        for other, entry in list(self._entries.items()):
            if (
                entry.source is ContactSource.SIGHTED
                and entry.addresses == wanted
                and other not in self._under_way
            ):
                self._entries[key] = again = self._entries.pop(other)  # the name rotates, the device stays
                again.due_ms = min(again.due_ms, _sighted_again_ms(again, now_ms))  # and somebody is there
                return
        entry = self._gone.pop(wanted, None) or _Entry(ContactSource.SIGHTED, wanted, None, now_ms)
        entry.due_ms = _sighted_again_ms(entry, now_ms)
        self._entries[key] = entry
        self._bound_sightings()

    def lose_sight(self, name: str) -> None:
        """Take back an announcement. A link that stands is not touched: only the link knows its peer."""
        for part in range(PARTS_PER_SIGHTING_MAX):
            self._lose_sight(_sighted(name, part))

    def _lose_sight(self, key: str) -> None:
        entry, self._wanted = self._entries.pop(key, None), None
        if entry is not None and entry.tried_ms is not None:
            self._gone[entry.addresses] = entry
            while len(self._gone) > SIGHTINGS_MAX:
                del self._gone[next(iter(self._gone))]

    # --- what to do --------------------------------------------------------------------------------

    @property
    def wanted(self) -> frozenset[DeviceId]:
        """Who is to be called of those that are not linked."""
        if self._wanted is None:
            linked = self._linked
            hopeful = frozenset(
                each.member for each in self._entries.values() if each.member and not each.failures
            )
            others = self._needed | self._asked_for.keys() | ({self._looked_at} if self._looked_at else set())
            named = wanted(self._own, self._members, linked, hopeful, self._limits)
            self._wanted = named | others & (self._members - linked)
        return self._wanted

    @property
    def spare(self) -> frozenset[DeviceId]:
        """Who is linked although no place names it, and nobody asks for it."""
        return spare(self._own, self._members, self._linked, self._limits) - self._asked_for.keys()

    def look(self, *, now_ms: int) -> bool:
        """Have one called whom no place names, until the next look: the one that was met longest ago.

        Call it now and then; it does nothing, and says so, where it is too early for that.
        """
        if self._looked_at is not None:
            self._looked_at = self._wanted = None
        if self._limits.is_mesh(len(self._members)) or now_ms < self._look_due_ms:
            return False
        others = self._members - self._linked - self.wanted
        ready = {
            entry.member
            for key, entry in self._entries.items()
            if entry.due_ms <= now_ms and key not in self._under_way
        }
        first = min(
            others & ready, key=lambda each: (self._met_ms.get(each, -1), self._drawn(each)), default=None
        )
        if first is None:
            return False
        if first in self._met_ms:  # so is everybody else
            self._look_due_ms = now_ms + self._limits.look_s * 1_000
        self._looked_at, self._wanted, self._met_ms[first] = first, None, now_ms
        return True

    def forget_meetings(self) -> None:
        """The network changed: who was met before may be the only way to others now."""
        self._met_ms.clear()
        self._look_due_ms = 0.0

    def due(self, *, now_ms: int) -> list[DialTarget]:
        """Whom to dial now, one contact a member, most promising first. Say `calling` for each."""
        free, announced = CALLS_MAX - len(self._under_way), self._announced_under_way()
        taken: set[DeviceId] = set()
        found: list[DialTarget] = []
        new_places = self._new_places.copy()  # with those that are found here
        ready = [item for item in self._worthwhile() if item[1].due_ms <= now_ms]
        for key, entry in sorted(ready, key=self._turn):
            if len(found) >= free:
                break
            member = self._sought(entry)
            if _ready_ms(entry, new_places) > now_ms or member in taken:
                continue
            if entry.is_announced:
                if announced >= CALLS_TO_SIGHTED_MAX:
                    continue
                announced += 1
            if entry.is_news:
                new_places.called(entry.hosts, now_ms=now_ms)
            if member is not None:
                taken.add(member)
            found.append(DialTarget(key, entry.addresses, member))
        return found

    def next_wake_ms(self, *, now_ms: int) -> int | None:
        """When `due` may next have something to say; None: not before something happens."""
        if len(self._under_way) >= CALLS_MAX:
            return None
        full = self._announced_under_way() >= CALLS_TO_SIGHTED_MAX
        ready_ms = (
            _ready_ms(entry, self._new_places)
            for _, entry in self._worthwhile()
            if not (full and entry.is_announced)
        )
        return min((max(each, now_ms) for each in ready_ms), default=None)

    # --- what came of it ---------------------------------------------------------------------------

    def calling(self, key: str, *, now_ms: int) -> None:
        """A call to this contact is under way, until it is said what came of it: there is never a second one."""
        self._under_way.add(key)
        if (entry := self._entries.get(key)) is not None:
            if entry.is_news:
                self._new_places.called(entry.hosts, now_ms=now_ms)
            entry.tried_ms = now_ms

    def reached(self, key: str, member: DeviceId, address: Address, *, now_ms: int, random: "Random") -> None:
        """The call became a link with this member, at this address."""
        self._under_way.discard(key)
        if (entry := self._entries.get(key)) is not None:
            entry.others = 0
            if entry.source is ContactSource.KNOWN and entry.member != member:
                del self._entries[key]  # somebody else lives there now
            elif not entry.given:
                entry.member = member
            if entry.source is ContactSource.FIXED:  # others may answer there, but not within the same moment
                self._put_off(entry, now_ms=now_ms, random=random)
        for other, entry in self._entries.items():
            if other != key and entry.source is ContactSource.SIGHTED and entry.member == member:
                entry.member = None  # it has moved, so this may be somebody else by now
        self.linked(member, now_ms=now_ms)
        self.remember(member, address, now_ms=now_ms)

    def failed(self, key: str, *, now_ms: int, random: "Random", by_other: bool = False) -> None:
        """Nobody answered, or not in our language, or somebody else (`by_other`), who may be of the group."""
        self._under_way.discard(key)
        if (entry := self._entries.get(key)) is not None:
            entry.others = entry.others + 1 if by_other else 0
            wait_ms_max = BACKOFF_MS_MAX if entry.others < SOMEBODY_ELSE_MAX else STRANGER_MS
            self._put_off(entry, now_ms=now_ms, random=random, wait_ms_max=wait_ms_max)

    def refused(self, key: str, *, now_ms: int, random: "Random") -> None:
        """Somebody answered whom we do not admit, or who does not admit us."""
        self._under_way.discard(key)
        if (entry := self._entries.get(key)) is not None:
            self._put_off(entry, now_ms=now_ms, random=random, wait_ms_max=STRANGER_MS)

    def crowded(self, key: str, member: DeviceId, *, now_ms: int, random: "Random") -> None:
        """This member answered, and one of the two has no room for a link: what leads there can wait for long."""
        self._under_way.discard(key)
        called = self._entries.get(key)
        if called is not None and called.source is not ContactSource.KNOWN and not called.given:
            called.member = member
        self._wanted = None
        for entry in self._entries.values():
            if entry.member == member or entry is called:
                entry.failures += 1
                entry.due_ms = max(entry.due_ms, now_ms + _jittered(CROWDED_MS, random))

    def linked(self, member: DeviceId, *, now_ms: int) -> None:
        """A link with this member is up, whoever dialled."""
        self._linked_since_ms[member], self._wanted = now_ms, None
        self._needed.discard(member)

    def lost(self, member: DeviceId, *, now_ms: int, random: "Random", needed: bool = False) -> None:
        """No link with this member is up any more. `needed`: it is called again though no place names it."""
        if needed:
            self._needed.add(member)
        since_ms, self._wanted = self._linked_since_ms.pop(member, now_ms), None
        if now_ms - since_ms >= LASTING_MS:
            self._met_ms[member] = now_ms
        for entry in self._entries.values():
            if entry.member == member:
                if now_ms - since_ms >= LASTING_MS:
                    entry.failures = 0
                self._put_off(entry, now_ms=now_ms, random=random)

    def ask_for(self, member: DeviceId, *, now_ms: int) -> None:
        """The owner waits for this member: it is called even where links are enough, until `ask_no_more`."""
        self._asked_for[member] += 1
        self._wanted = None
        self.nudge(now_ms=now_ms)

    def ask_no_more(self, member: DeviceId) -> None:
        """The owner waits for this member no longer."""
        self._asked_for -= Counter([member])
        self._wanted = None

    def nudge(self, *, now_ms: int) -> None:
        """The network changed, or the owner asked: every contact is due, those just tried in a moment."""
        for entry in self._entries.values():
            entry.due_ms = now_ms if entry.tried_ms is None else max(now_ms, entry.tried_ms + BACKOFF_MS_MIN)

    # --- how ---------------------------------------------------------------------------------------

    def _announced_under_way(self) -> int:
        """Return how many calls go to places that nothing but an announcement speaks, or spoke, for."""
        called = [self._entries.get(key) for key in self._under_way]
        return sum(entry is None or entry.is_announced for entry in called)

    def _worthwhile(self) -> list[tuple[str, _Entry]]:
        in_call = {entry.member for key, entry in self._entries.items() if key in self._under_way}
        wanted = self.wanted
        return [
            (key, entry)
            for key, entry in self._entries.items()
            if key not in self._under_way
            and (
                bool(wanted)
                if (sought := self._sought(entry)) is None
                else sought in wanted and sought not in in_call
            )
        ]

    def _sought(self, entry: _Entry) -> DeviceId | None:
        """Return whom a call there is meant for; None: whoever is missing."""
        if entry.source is ContactSource.FIXED and not entry.given and entry.member in self._linked_since_ms:
            return None
        return entry.member

    def _turn(self, item: tuple[str, _Entry]) -> tuple[int, int, bytes]:
        """Which comes first; each device has its own order, so that not all of a large group call the same few."""
        key, entry = item
        return entry.source, entry.due_ms, self._drawn(key.encode())

    def _drawn(self, what: bytes) -> bytes:
        return hashlib.blake2b(what, key=self._own).digest()

    @property
    def _linked(self) -> frozenset[DeviceId]:
        return self._members & self._linked_since_ms.keys()

    def _put_off(
        self, entry: _Entry, *, now_ms: int, random: "Random", wait_ms_max: int = BACKOFF_MS_MAX
    ) -> None:
        entry.failures, self._wanted = entry.failures + 1, None
        entry.due_ms = now_ms + _jittered(backoff_ms(entry.failures, wait_ms_max), random)

    def _bound_sightings(self) -> None:
        sighted = [key for key, entry in self._entries.items() if entry.source is ContactSource.SIGHTED]
        if len(sighted) > SIGHTINGS_MAX:
            untied = [key for key in sighted if self._entries[key].member is None]
            del self._entries[(untied or sighted)[0]]


def backoff_ms(failures: int, wait_ms_max: int = BACKOFF_MS_MAX) -> int:
    """The longest wait after so many failures in a row."""
    doublings = min(failures - 1, wait_ms_max.bit_length())
    return min(wait_ms_max, BACKOFF_MS_MIN << max(0, doublings))


def duplicate(standing: LinkRank, new: LinkRank, *, own: DeviceId, peer: DeviceId) -> DuplicateLink:
    """Which of two links to one peer stays; whatever order they came up in, the two ends do not drop both.

    A link that stood for a while gives way, since a peer that dials again has lost, or closed, what we still believe
    in. Of two that came up together and crossed, each dialled by one end, the one dialled by the smaller device id
    stays. Of two that one end dialled together, that end keeps its first and closes the other; the end that answered
    cannot tell which is which, so it keeps both until then.
    """
    if new.since_ms - standing.since_ms >= SIMULTANEOUS_MS:
        return DuplicateLink.NEW_STAYS
    if standing.dialled_by_us != new.dialled_by_us:
        return DuplicateLink.NEW_STAYS if new.dialled_by_us == (own < peer) else DuplicateLink.OLD_STAYS
    return DuplicateLink.OLD_STAYS if new.dialled_by_us else DuplicateLink.BOTH_STAY


def _jittered(wait_ms: int, random: "Random") -> int:
    return random.randint(wait_ms // 2, wait_ms)


def _ready_ms(entry: _Entry, new_places: NewPlaces) -> int:
    return max(entry.due_ms, new_places.free_ms(entry.hosts)) if entry.is_news else entry.due_ms


def _sighted_again_ms(entry: _Entry, now_ms: int) -> int:
    """When what was announced just now may be called: at once, unless that was tried a moment ago."""
    return now_ms if entry.tried_ms is None else max(now_ms, entry.tried_ms + SIGHTED_AGAIN_MS)


def _sighted(name: str, part: int = 0) -> str:
    return f"sighted#{part} {name}" if part else f"sighted {name}"
