"""Know who belongs to the group and who was revoked: two signed sets that only grow, and a judgment of them.

A member is introduced by a member: pairing with one device of a group makes a new device known to all, because the
introduction travels. A revocation is signed by a member too. Both are acts, and an act has no time: whoever holds a key
can sign any act at any moment and hand it to anybody. So which acts count is decided from the set of them alone
(`judge`), by seniority, which no act of one's own can raise: the **root** comes first, then whom it introduced, then
whom those introduced. An act counts unless an elder, whose own acts count, revoked its signer. So a thief whom an elder
revoked can do nothing, whatever it signs and whenever that arrives; and of two that revoke each other, the elder stays.

The root is the device that founded the group, or a recovery key that it printed and handed its place on to. A device
takes its root once, from the device that it was paired with, and follows it where it hands its place on. Groups of
0.1.0 have no root until `samemind group recovery` is run in one: until then any revocation counts.

Revocation closes links, not ops. Nothing that was folded is taken back, since members who heard of a revocation at
different moments would then disagree for good. `sync` exchanges all acts before any op.

A group that was rebuilt (`replica.rebuilding`) is another group, with ops of devices that do not belong to it. Its root
names these *authors*, each with how far its ops go: nobody takes what goes beyond, and an op that has seen some of that
has seen nothing by it. Both follow from the root's word alone, so all devices refuse and pass over the same ops.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple, Self

from replica.codec import pack, unpack
from replica.errors import InvalidOp
from replica.ids import DEVICE_ID_BYTES, INCARNATION_BYTES, DeviceId, Origin, device_id
from replica.signing import SIGNATURE_BYTES, Sign, verify

_MEMBER_CONTEXT: Final = b"samemind member 1\0"
_REVOCATION_CONTEXT: Final = b"samemind revocation 1\0"
# A person's devices over a lifetime; bounds what a hostile member can make everybody store.
MEMBERS_MAX: Final = 10_000
# Every device once, and once more by who joined through it, or took over from a revoked introducer.
INTRODUCTIONS_MAX: Final = 2 * MEMBERS_MAX
# What is kept of one device's word: no device of a person introduces or revokes a tenth of that.
INTRODUCTIONS_EACH_MAX: Final = 1024
REVOCATIONS_EACH_MAX: Final = 1024
# Of all who are no partners of this device together: each member once.
REVOCATIONS_MAX: Final = 10_000
# And of each device, before those of all together count: a crowd that revokes itself, or introduces its own anew, fills
# the room of all, and nobody could put its maker out any more, or take back in whom that had introduced. A person
# revokes some devices in a lifetime; whatever strangers a member makes up, of 10,000 these are 80,000 of each.
ACTS_FIRST: Final = 8
# Nobody's device is introduced by so many, nor so far from the root.
GROUNDS_MAX: Final = 64
NAME_BYTES_MAX: Final = 256
CERTIFICATE_BYTES_MAX: Final = 4096
# What fits in place of a certificate, 18 bytes each. A device has one for each time that it was restored or copied.
INCARNATIONS_MAX: Final = 200
# In place of a certificate: the introduction names the root of the group. An older version keeps it, and admits nobody
# by it, since no device has such a certificate.
_ROOT: Final = b"samemind root 1\0"
# Likewise: the introduction names an author of a rebuilt group; how far its ops go follows.
_AUTHOR: Final = b"samemind author 1\0"

Reach = Mapping[bytes, int]
"""How far the ops of a device go, by incarnation; of those that are not named, none."""


class IntroducedMember(NamedTuple):
    """An introduction: this key, known by this name and certificate, belongs to the group, says `introduced_by`."""

    device: DeviceId
    public_key: bytes
    certificate: bytes
    name: str
    introduced_by: DeviceId
    signature: bytes


class Revocation(NamedTuple):
    """`by` has put `device` out of the group."""

    device: DeviceId
    by: DeviceId
    signature: bytes


class Judgment(NamedTuple):
    """Which acts count. `standing`: who belongs to the group.

    `revoked_by`: by whom each revoked device was revoked, the eldest first. `line`: the root and whoever was introduced
    by somebody who is heard, the eldest first; empty in a group without a root.
    """

    standing: frozenset[DeviceId]
    revoked_by: Mapping[DeviceId, tuple[DeviceId, ...]]
    line: tuple[DeviceId, ...]

    @property
    def heard(self) -> frozenset[DeviceId]:
        """Whose acts count: no elder revoked them."""
        place = {device: at for at, device in enumerate(self.line)}
        return frozenset(
            device
            for device in self.line
            if device not in self.revoked_by or place[self.revoked_by[device][0]] > place[device]
        )


def introduce(
    sign: Sign, introducer: DeviceId, *, public_key: bytes, certificate: bytes, name: str
) -> IntroducedMember:
    """Return a signed introduction of a device to the group."""
    device = device_id(public_key)
    message = _member_message(public_key, certificate, name, introducer)
    return IntroducedMember(device, public_key, certificate, name, introducer, sign(message))


def name_root(sign: Sign, by: DeviceId, *, public_key: bytes, name: str) -> IntroducedMember:
    """Return a signed statement that a key is the root of the group: the root says so itself, or hands its place on."""
    return introduce(sign, by, public_key=public_key, certificate=_ROOT, name=name)


def names_root(member: IntroducedMember) -> bool:
    """Say whether an introduction names the root of a group, and no device."""
    return member.certificate == _ROOT


def name_author(
    sign: Sign, by: DeviceId, *, public_key: bytes, name: str, reach: Reach | None
) -> IntroducedMember:
    """Return a signed statement that a device's ops belong to the group, and no link; None: however far they go.

    One statement has room for `INCARNATIONS_MAX`.
    """
    plain = None if reach is None else [[each, seq] for each, seq in sorted(reach.items())]
    return introduce(sign, by, public_key=public_key, certificate=_AUTHOR + pack(plain), name=name)


def names_author(member: IntroducedMember) -> bool:
    """Say whether an introduction names an author of a rebuilt group, and admits nobody."""
    return member.certificate.startswith(_AUTHOR)


def reach_of(member: IntroducedMember) -> Reach | None:
    """Return how far an author's ops go; None for however far. What cannot be read allows nothing."""
    try:
        plain = unpack(member.certificate.removeprefix(_AUTHOR))
    except InvalidOp:
        return {}
    if plain is None:
        return None
    reach: dict[bytes, int] = {}
    for each in plain if isinstance(plain, list) else ():
        match each:
            case [bytes(incarnation), int(seq)] if len(incarnation) == INCARNATION_BYTES:
                reach[incarnation] = seq
    return reach


def admits_nobody(member: IntroducedMember) -> bool:
    """Say whether an introduction has no certificate: it names the root of a group, or an author."""
    return names_root(member) or names_author(member)


def revoke(sign: Sign, by: DeviceId, device: DeviceId) -> Revocation:
    """Return a signed revocation of a device."""
    return Revocation(device, by, sign(_REVOCATION_CONTEXT + by + device))


def judge(
    root: DeviceId, introductions: Iterable[IntroducedMember], revocations: Iterable[Revocation]
) -> Judgment:
    """Decide which acts count: a pure function of the set of acts, whatever their order.

    Devices are taken from the eldest to the youngest: the root, then by how many introductions lie between the root
    and a device, and among equals by a hash of the introduction, which nobody chooses who does not hold the key of an
    elder. When a device is taken, everything of its elders is decided. Its own acts count unless one of them revoked
    it: it then introduces whom nobody has introduced yet, and revokes whom it revokes. An elder that it revokes is out,
    but what that elder did stays: a younger device takes nothing of its back.

    Takes time in proportion to the number of acts, times its logarithm.
    """
    introduced: dict[DeviceId, list[IntroducedMember]] = {}
    for member in introductions:
        introduced.setdefault(member.introduced_by, []).append(member)
    targets: dict[DeviceId, list[DeviceId]] = {}
    for revocation in revocations:
        targets.setdefault(revocation.by, []).append(revocation.device)
    taken: dict[DeviceId, None] = {}
    revoked_by: dict[DeviceId, tuple[DeviceId, ...]] = {}
    silenced: set[DeviceId] = set()
    waiting: list[tuple[int, bytes, DeviceId]] = [(0, b"", root)]
    while waiting:
        distance, _, device = heapq.heappop(waiting)
        if device in taken:
            continue
        taken[device] = None
        if device in silenced:
            continue
        for target in targets.get(device, ()):
            if target == device:
                continue  # or it would look revoked, and go on to be heard
            revoked_by[target] = (*revoked_by.get(target, ()), device)
            silenced.add(target)  # an elder has been heard already
        for member in introduced.get(device, ()):
            if member.device not in taken:
                heapq.heappush(waiting, (distance + 1, _rank(member), member.device))
    return Judgment(frozenset(taken.keys() - revoked_by.keys()), revoked_by, tuple(taken))


class Membership:
    """The group as one device knows it.

    `root`: whose word comes first here; None in a group that has none. `awaits`: the device that this one was paired
    with, while it has not said yet who the root is. `further`: introductions of devices that another introduction made
    known, and of the root; only a device that has a root, or awaits one, keeps those.
    """

    def __init__(
        self,
        members: Iterable[IntroducedMember] = (),
        revocations: Iterable[Revocation] = (),
        further: Iterable[IntroducedMember] = (),
        *,
        root: DeviceId | None = None,
        awaits: DeviceId | None = None,
    ) -> None:
        self._members = {member.device: member for member in members}
        self._further = {_place(member): member for member in further}
        self._reaches: dict[DeviceId, Reach | None] | None = None
        for member in [*self._further.values()]:
            self._admit(member)
        self._revocations = {(revocation.device, revocation.by): revocation for revocation in revocations}
        self.root = root
        self.awaits = awaits
        self._judged: Judgment | None = None
        self._unheard: frozenset[DeviceId] = frozenset()

    @property
    def members(self) -> Mapping[DeviceId, IntroducedMember]:
        """Everybody who was ever introduced, revoked or not: their ops stay, and must stay verifiable."""
        return self._members

    @property
    def further(self) -> tuple[IntroducedMember, ...]:
        """The introductions beyond those in `members`, and the statements of who the root is."""
        return tuple(self._further[key] for key in sorted(self._further))

    @property
    def revocations(self) -> tuple[Revocation, ...]:
        """Every revocation heard of."""
        return tuple(self._revocations[key] for key in sorted(self._revocations))

    @property
    def size(self) -> int:
        """How many acts are known: it only grows."""
        return len(self._members) + len(self._further) + len(self._revocations)

    @property
    def judgment(self) -> Judgment:
        """Which of all this counts; without a root, every revocation does."""
        if self._judged is None:
            self._judged = self._judge()
        return self._judged

    @property
    def standing(self) -> frozenset[DeviceId]:
        """Who belongs to the group now."""
        return self.judgment.standing

    @property
    def revoked(self) -> frozenset[DeviceId]:
        """Devices that are out: they were revoked, or nobody whose word counts has introduced them."""
        return frozenset(self._members.keys() - self.standing)

    def revocation_of(self, device: DeviceId) -> Revocation | None:
        """Return the revocation of a device by the eldest whose word counts; None if nobody revoked it."""
        by = self.judgment.revoked_by.get(device)
        return None if by is None else self._revocations[device, by[0]]

    def grounds(self, device: DeviceId) -> tuple[Revocation, ...]:
        """Return what shows that a device is out: its revocation, or else those of whoever introduced it, and so on up.

        At most `GROUNDS_MAX`, the nearest first; none for a device that stands, or that nobody introduced.
        """
        if device in self.standing:
            return ()
        introducers: dict[DeviceId, list[DeviceId]] = {}
        for member in self._introductions():
            introducers.setdefault(member.device, []).append(member.introduced_by)
        found: list[Revocation] = []
        line = [device]
        for each in line:  # it grows meanwhile
            revocation = self.revocation_of(each)
            if revocation is not None:
                found.append(revocation)
            elif len(line) < GROUNDS_MAX:
                line += [by for by in introducers.get(each, [])[:GROUNDS_MAX] if by not in line]
        return tuple(found[:GROUNDS_MAX])

    def public_key(self, device: DeviceId) -> bytes | None:
        """Return the key by which a member's ops are verified; None for a stranger."""
        member = self._members.get(device)
        return None if member is None else member.public_key

    def unknown(
        self, members: Iterable[IntroducedMember]
    ) -> tuple[list[IntroducedMember], list[IntroducedMember]]:
        """Return which of these may be news: statements of who the root is, and of authors; and introductions.

        Without a root, and without news of one, only a device that is not known is news.
        """
        told = [*members]
        authors = {_place(each) for each in self._members.values() if names_author(each)}
        roots = [
            each
            for each in told
            if admits_nobody(each) and self._may_be_news(each) and _place(each) not in authors
        ]
        others = [each for each in told if not admits_nobody(each)]
        if self.root is None and self.awaits is None and not roots:
            return [], [each for each in others if each.device not in self._members]
        had = self._introduced()
        return roots, [
            each
            for each in others
            if (
                _outranks(each, had)
                if (each.device, each.introduced_by) in had
                # How a device introduced itself counts for nothing.
                else each.device != each.introduced_by or each.device not in self._members
            )
        ]

    def told(self) -> tuple[IntroducedMember, ...]:
        """Return the introductions that a peer is told: what both know makes equal sets of them.

        A device without a root tells how it came to know each. Otherwise all of them, but for how a device introduced
        itself: the root first, so that a newcomer knows each introducer before whom it introduced, and last those by
        which an older version, which keeps one for each device, comes to know everybody from here.
        """
        if self.root is None:
            return tuple(self._members.values())
        counts = self._introduced()
        every = [each for each in counts.values() if each.device != each.introduced_by]
        roots = [each for each in self._further.values() if names_root(each) and each.device == self.root]
        roots += self._authors()
        first = [
            counts.get((each.device, each.introduced_by), each)
            for each in self._members.values()
            if not names_author(each)
        ]
        chosen = [each for each in introducers_first(first) if each.device != each.introduced_by]
        known = set(chosen)
        return (*roots, *(each for each in introducers_first(every) if each not in known), *chosen)

    def news(
        self,
        members: Iterable[IntroducedMember],
        revocations: Iterable[Revocation],
        *,
        own: DeviceId | None = None,
        by: DeviceId | None = None,
        needed: Container[DeviceId] = (),
    ) -> tuple[list[IntroducedMember], list[Revocation]]:
        """Return what of this is new and rightly signed, in an order in which every introducer is known.

        What is unsigned, or introduced by nobody known, is left out: it may come again with its introducer. There is a
        bound to what is kept of each device's word, and of all together. Whom `own` introduces always fits, and so,
        within its own bound, does whom those introduce that `own` was paired with: a crowd keeps none of them out.

        `by`: who says so. Among the new ones is whoever follows the root, or is the root that `by` was awaited to name.
        `needed`: devices that fit beyond all bounds, since ops of theirs are held elsewhere (`lineage`).
        """
        told = [*members]
        roots = self._new_roots(told, by)
        root = roots[0].device if roots else self.root
        collects = root is not None or self.awaits is not None
        keys = self._keys() | {each.device: each.public_key for each in roots}
        authors = self._new_authors(told, root, keys)
        keys |= {each.device: each.public_key for each in authors}
        known = {*self._members, *(each.device for each in authors)}
        had = self._introduced()
        said = Counter(each.introduced_by for each in self._every_introduction())
        near = {device for device, introducer in had if introducer == own} | {own, root}
        count = said.total()
        fresh = [*roots, *authors]
        waiting: dict[DeviceId, list[IntroducedMember]] = {}
        ready: list[IntroducedMember] = []
        for member in introducers_first(each for each in told if not admits_nobody(each)):
            by_known = member.introduced_by in keys
            (ready if by_known else waiting.setdefault(member.introduced_by, [])).append(member)
        for member in ready:  # it grows meanwhile
            introducer = member.introduced_by
            edge = (member.device, introducer)
            if member.device == introducer or (edge in had and not (collects and _outranks(member, had))):
                continue
            if member.device in known and not collects:
                continue
            is_needed = member.device in needed
            if introducer != own and not is_needed and said[introducer] >= INTRODUCTIONS_EACH_MAX:
                continue
            is_first = said[introducer] < ACTS_FIRST and member.device in known
            room = is_needed or is_first or (len(known) < MEMBERS_MAX and count < INTRODUCTIONS_MAX)
            if (introducer in near or room) and _member_holds(member, keys[introducer]):
                said[introducer] += 1
                count += 1
                had[edge] = member
                known.add(member.device)
                keys[member.device] = member.public_key
                fresh.append(member)
                ready += waiting.pop(member.device, [])
        of_known = (each for each in revocations if each.device in known)
        return fresh, self._new_revocations(of_known, keys, near, own)

    def vouched(self, member: IntroducedMember) -> bool:
        """Whether an introduction is by a device that is known here, and rightly signed."""
        key = self._keys().get(member.introduced_by)
        return key is not None and _member_holds(member, key)

    def parted(
        self, members: Iterable[IntroducedMember]
    ) -> tuple[list[IntroducedMember], list[IntroducedMember]]:
        """Return which of these make a device known, and which go beyond that."""
        first: dict[DeviceId, IntroducedMember] = {}
        further = []
        for member in members:
            is_first = not names_root(member) and member.device not in self._members
            if is_first and member.device not in first:
                first[member.device] = member
            else:
                further.append(member)
        return [*first.values()], further

    def add(self, members: Iterable[IntroducedMember], revocations: Iterable[Revocation]) -> None:
        """Take what `news` found."""
        first, further = self.parted(members)
        self._members |= {member.device: member for member in first}
        self._further |= {_place(member): member for member in further}
        for member in further:
            self._admit(member)
            if names_root(member):
                self.root, self.awaits = member.device, None
        self._revocations.update(
            ((revocation.device, revocation.by), revocation) for revocation in revocations
        )
        self._judged = self._reaches = None

    def is_told_of(self, device: DeviceId) -> bool:
        """Say whether a device was introduced by another, introduced one, or named a root: others know its name."""
        every = (*self._members.values(), *self._further.values())
        return any(
            device in (each.device, each.introduced_by)
            and (each.device != each.introduced_by or admits_nobody(each))
            for each in every
        )

    def rename(self, own: IntroducedMember) -> None:
        """Take another word of a device for itself, of which nobody was told yet."""
        self._members[own.device] = own

    def settle(self, root: DeviceId | None, awaits: DeviceId | None) -> None:
        """Take this root, and await this device to name another; None for neither."""
        self.root, self.awaits = root, awaits
        self._judged = self._reaches = None

    def allows(self, origin: Origin, seq: int) -> bool:
        """Say whether an op may be taken and counts for whoever saw it: in a rebuilt group, some go too far.

        Of a device that the root names no author of, all do: it has to be a member then.
        """
        reach = self._reach_of_each().get(origin.device)
        return reach is None or seq <= reach.get(origin.incarnation, 0)

    @property
    def leaves_out(self) -> bool:
        """Whether this group was rebuilt without some ops."""
        return any(reach is not None for reach in self._reach_of_each().values())

    def _reach_of_each(self) -> dict[DeviceId, Reach | None]:
        if self._reaches is None:
            self._reaches = {each.device: reach_of(each) for each in self._authors()}
        return self._reaches

    def without(self, devices: Iterable[DeviceId]) -> Self:
        """Return the group as it would be if nothing that these did counted, to try acts on; they stay known."""
        other = type(self)(
            self._members.values(),
            self._revocations.values(),
            self._further.values(),
            root=self.root,
            awaits=self.awaits,
        )
        other._unheard = frozenset(devices)
        return other

    def _introductions(self) -> Iterable[IntroducedMember]:
        return self._introduced().values()

    def _introduced(self) -> dict[tuple[DeviceId, DeviceId], IntroducedMember]:
        """Return who introduced whom; of several introductions of one device by another, the one that counts."""
        found: dict[tuple[DeviceId, DeviceId], IntroducedMember] = {}
        for each in self._every_introduction():
            pair = each.device, each.introduced_by
            if pair not in found or _outranks(each, found):
                found[pair] = each
        return found

    def _every_introduction(self) -> Iterator[IntroducedMember]:
        for each in (*self._members.values(), *self._further.values()):
            if not admits_nobody(each):
                yield each

    def _authors(self) -> list[IntroducedMember]:
        """Return the authors that the root names, in the order of their ids.

        What it has not said yet counts as the root before it said it, which had handed its place on.
        """
        named: dict[DeviceId, IntroducedMember] = {}
        for root in self._roots():
            for each in (*self._members.values(), *self._further.values()):
                if names_author(each) and each.introduced_by == root:
                    named.setdefault(each.device, each)
        return [named[device] for device in sorted(named)]

    def _roots(self) -> list[DeviceId]:
        """Return the root, and those that were it before, the last first: each of them had said that it is."""
        if self.root is None:
            return []
        said = {(each.device, each.introduced_by) for each in self._further.values() if names_root(each)}
        roots = [self.root]
        for root in roots:  # it grows meanwhile
            before = sorted(by for device, by in said if device == root and (by, by) in said)
            roots += [by for by in before if by not in roots]
        return roots

    def _admit(self, member: IntroducedMember) -> None:
        """Know a device by an introduction rather than as an author, whichever came first."""
        known = self._members.get(member.device)
        if known is not None and names_author(known) and not admits_nobody(member):
            del self._further[_place(member)]
            self._further[_place(known)] = known
            self._members[member.device] = member

    def _keys(self) -> dict[DeviceId, bytes]:
        return {each.device: each.public_key for each in (*self._further.values(), *self._members.values())}

    def _judge(self) -> Judgment:
        if self.root is not None:
            judged = judge(
                self.root,
                (each for each in self._introductions() if each.introduced_by not in self._unheard),
                (each for each in self._revocations.values() if each.by not in self._unheard),
            )
            return judged._replace(standing=judged.standing & self._members.keys())
        revoked_by: dict[DeviceId, tuple[DeviceId, ...]] = {}
        for device, by in sorted(self._revocations):
            revoked_by[device] = (*revoked_by.get(device, ()), by)
        return Judgment(frozenset(self._members.keys() - revoked_by.keys()), revoked_by, ())

    def _new_roots(self, told: Iterable[IntroducedMember], by: DeviceId | None) -> list[IntroducedMember]:
        """Return the new statements of who the root is, where that is to be followed; all of them name one key.

        A device follows its root where that hands its place on; one that awaits its partner's word believes that, and
        nobody else meanwhile; and one in a group without a root takes the first that a member hands a place to.
        """
        keys = self._keys()
        said = []
        for each in told:
            key = each.public_key if each.device == each.introduced_by else keys.get(each.introduced_by)
            if names_root(each) and self._may_be_news(each):
                said += [each] if key is not None and _member_holds(each, key) else []
        root = self.root
        if by is not None and by == self.awaits:
            root = min((each.device for each in said if each.device == each.introduced_by), default=root)
        may_choose = self.awaits is None or by == self.awaits
        by_itself = {
            each.device for each in (*self._further.values(), *said) if each.device == each.introduced_by
        }
        successors = [
            each.device
            for each in (*self._further.values(), *said)  # 0.1.0 may have kept half of what was said
            if names_root(each)
            and each.device != each.introduced_by
            and each.device in by_itself  # or it could not tell a newcomer
            and (
                may_choose and each.introduced_by in self.standing
                if root is None
                else each.introduced_by == root
            )
        ]
        root = min(successors, default=root)
        return sorted({_place(each): each for each in said if each.device == root}.values())

    def _may_be_news(self, member: IntroducedMember) -> bool:
        """Say whether an introduction beyond the first may change anything: one that is kept already does not.

        But whoever awaits its partner's word may hear what it had said itself, in a pairing that was cut off.
        """
        return _place(member) not in self._further or (self.root is None and self.awaits is not None)

    def _new_authors(
        self, told: Iterable[IntroducedMember], root: DeviceId | None, keys: Mapping[DeviceId, bytes]
    ) -> list[IntroducedMember]:
        """Return the new statements of authors: the root's alone count, as many as there may be members."""
        had = {*self._further, *map(_place, self._members.values())}
        said = [
            each
            for each in told
            if names_author(each)
            and each.introduced_by == root
            and _place(each) not in had
            and root in keys
            and _member_holds(each, keys[root])
        ]
        return list({each.device: each for each in said}.values())[:MEMBERS_MAX]

    def _new_revocations(
        self,
        revocations: Iterable[Revocation],
        keys: Mapping[DeviceId, bytes],
        near: Container[DeviceId | None],
        own: DeviceId | None,
    ) -> list[Revocation]:
        said = Counter(by for _, by in self._revocations)
        out: dict[tuple[DeviceId, DeviceId], Revocation] = {}
        place = {device: at for at, device in enumerate(self.judgment.line)}
        # Who came first has done, and can do, the most: should not all of them fit, its revocation does.
        for revocation in sorted(revocations, key=lambda each: place.get(each.device, len(place))):
            device, by, signature = revocation
            if (device, by) in self._revocations or (device, by) in out or by not in keys:
                continue
            room = said[by] < ACTS_FIRST or len(self._revocations) + len(out) < REVOCATIONS_MAX
            if by != own and (said[by] >= REVOCATIONS_EACH_MAX or not (by in near or room)):
                continue
            if verify(keys[by], _REVOCATION_CONTEXT + by + device, signature):
                said[by] += 1
                out[device, by] = revocation
        return list(out.values())


def revoking(
    membership: Membership,
    sign: Sign,
    by: DeviceId,
    devices: Iterable[DeviceId],
    *,
    undo: bool = False,
    keep: Iterable[DeviceId] = (),
) -> tuple[list[IntroducedMember], list[Revocation]]:
    """Return the acts by which `by`, a member or the root, revokes devices, and makes what they did its own.

    What a device did stops to count when an elder revokes it. So whom it had introduced, as far as that is known here,
    `by` introduces anew, and whom it had revoked `by` revokes, also if somebody younger did, which silences nobody;
    with `undo`, neither. Whoever is in `keep` is introduced if it would not stand otherwise; it stays out all the same
    where somebody else revoked it whose word counts.
    """
    gone = {*devices}
    revocations = [revoke(sign, by, each) for each in sorted(gone)]
    if membership.root is None:
        return [], revocations
    # As if nothing that they did counted: whether it does follows from seniority, which may be another one day.
    after = membership.without(gone)
    after.add([], revocations)
    wanted, out, silenced = {*keep}, frozenset[DeviceId](), frozenset[DeviceId]()
    if not undo:
        wanted |= membership.standing - gone - {by}
        out = frozenset(membership.judgment.revoked_by) - gone - {by}
        silenced = out - membership.judgment.heard
    members: list[IntroducedMember] = []
    while True:  # whom it introduces is heard again, and so are they whom those introduced
        lost = wanted - after.standing - after.judgment.revoked_by.keys() - {each.device for each in members}
        heard_again = silenced & after.judgment.heard
        back = (out & after.standing | heard_again) - {each.device for each in revocations}
        if not lost and not back:
            return members, revocations
        fresh = [
            introduce(sign, by, public_key=each.public_key, certificate=each.certificate, name=each.name)
            for each in (membership.members[device] for device in sorted(lost))
        ]
        again = [revoke(sign, by, each) for each in sorted(back)]
        after.add(fresh, again)
        members += fresh
        revocations += again


def marks(members: Iterable[IntroducedMember]) -> list[bytes]:
    """Return what stands for introductions where all that two devices know is compared: in order, each once.

    Without a root, each device counts once, however it came to be known; otherwise each introduction does.
    """
    every = [*members]
    if any(map(names_root, every)):
        return sorted(mark(each) for each in every)
    return sorted({each.device for each in every})


def mark(member: IntroducedMember) -> bytes:
    """Name one introduction: what it introduces, by whom, and as what; of a device, which of those by that one."""
    return member.device + member.introduced_by + (_rank(member), _ROOT, _AUTHOR)[_kind(member)]


def introducers_first(members: Iterable[IntroducedMember]) -> list[IntroducedMember]:
    """Return introductions in an order in which whoever reads them one by one knows each introducer."""
    every = {(member.device, member.introduced_by): member for member in members}
    devices = Counter(device for device, _ in every)
    below: dict[DeviceId | None, list[IntroducedMember]] = {}
    for member in every.values():
        by_itself = member.introduced_by == member.device
        inside = member.introduced_by in devices and not (by_itself and devices[member.device] == 1)
        below.setdefault(member.introduced_by if inside else None, []).append(member)
    ordered = below.pop(None, [])
    for member in ordered:  # it grows meanwhile
        ordered += below.pop(member.device, [])
    return [*ordered, *chain.from_iterable(below.values())]  # who introduce each other in a circle come last


def lineage(
    told: Iterable[IntroducedMember], devices: Iterable[DeviceId], known: Container[DeviceId]
) -> dict[DeviceId, IntroducedMember]:
    """Return of these introductions those by which devices are known, and their introducers, and so on; eldest first.

    What is kept of a device's word is bounded, and whoever introduces one crowd here and another there makes everybody
    keep others. So an op may come whose author was left out, from a device that has taken it: were it refused for good,
    so would be all that any device wrote who had seen it. Its author is let in beyond the bound.

    Looked for from who is known: of two that were paired each introduces the other, and that leads nowhere.
    """
    below: dict[DeviceId, list[IntroducedMember]] = {}
    for member in told:
        if not names_root(member) and member.device != member.introduced_by:
            below.setdefault(member.introduced_by, []).append(member)
    first: dict[DeviceId, IntroducedMember] = {}
    reached = [introducer for introducer in below if introducer in known]
    for introducer in reached:  # it grows meanwhile
        for member in below.get(introducer, ()):
            if member.device not in known and member.device not in first:
                first[member.device] = member
                reached.append(member.device)
    found: dict[DeviceId, IntroducedMember] = {}
    for device in devices:
        above: dict[DeviceId, IntroducedMember] = {}
        while device in first and device not in found:
            above[device] = first[device]
            device = first[device].introduced_by
        found |= dict(reversed(above.items()))
    return found


def read_member(plain: object) -> IntroducedMember:
    """Return the introduction that plain values state; whether it is rightly signed, `Membership.news` finds out."""
    match plain:
        case [bytes(key), bytes(certificate), str(name), bytes(introducer), bytes(signature)] if (
            len(key) == 32
            and len(certificate) <= CERTIFICATE_BYTES_MAX
            and len(name.encode()) <= NAME_BYTES_MAX
            and len(introducer) == DEVICE_ID_BYTES
            and len(signature) == SIGNATURE_BYTES
        ):
            return IntroducedMember(device_id(key), key, certificate, name, DeviceId(introducer), signature)
    raise InvalidOp("expected an introduction [public key, certificate, name, introducer, signature]")


def read_revocation(plain: object) -> Revocation:
    """Return the revocation that plain values state."""
    match plain:
        case [bytes(device), bytes(by), bytes(signature)] if (
            len(device) == len(by) == DEVICE_ID_BYTES and len(signature) == SIGNATURE_BYTES
        ):
            return Revocation(DeviceId(device), DeviceId(by), signature)
    raise InvalidOp("expected a revocation [device, by, signature]")


def plain_member(member: IntroducedMember) -> list[object]:
    """Return an introduction as plain values for the wire."""
    return [member.public_key, member.certificate, member.name, member.introduced_by, member.signature]


def _outranks(member: IntroducedMember, counts: Mapping[tuple[DeviceId, DeviceId], IntroducedMember]) -> bool:
    """Say whether an introduction counts instead of the one by the same device that has counted so far.

    Who comes first among equals follows from it, so all devices have to hold the same: a bad one signs one for each
    whom it talks to, and they would decide otherwise for good. How a device introduced itself decides nothing.
    """
    first = counts.get((member.device, member.introduced_by))
    return first is not None and member.device != member.introduced_by and _rank(member) < _rank(first)


def _rank(member: IntroducedMember) -> bytes:
    """Return what decides among equals, also between introductions of one device by another: smallest first."""
    return hashlib.sha256(member.signature).digest()


def _place(member: IntroducedMember) -> tuple[DeviceId, DeviceId, int, bytes]:
    """Name an introduction apart from every other, and from other statements of the same two."""
    kind = _kind(member)
    return member.device, member.introduced_by, kind, b"" if kind else member.signature


def _kind(member: IntroducedMember) -> int:
    return 1 if names_root(member) else 2 if names_author(member) else 0


def _member_message(public_key: bytes, certificate: bytes, name: str, introducer: DeviceId) -> bytes:
    return _MEMBER_CONTEXT + pack([public_key, certificate, name, introducer])


def _member_holds(member: IntroducedMember, introducer_key: bytes) -> bool:
    message = _member_message(member.public_key, member.certificate, member.name, member.introduced_by)
    return member.device == device_id(member.public_key) and verify(introducer_key, message, member.signature)
